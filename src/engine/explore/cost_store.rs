//! What mapping problems cost: each is searched once, for all points and sweeps that contain it.

use super::common_slope::{ALL_SLOPES, Corners};
use super::sweep::Sweep;
use crate::depth_first::{ProblemCost, ProblemId};
use crate::hardware::{Memory, MemoryId, Operand};
use crate::ids::TiVec;
use crate::mapping::{LayerOnCore, LayerProblem, ample_bits};
use crate::search::Solution;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, RwLock};

/// Above this many problems a store starts anew: some 100 MiB.
const STORE_LIMIT: usize = 400_000;

/// Above this many mappings a store forgets them: some 10 MiB. They take more room than costs, and only accounts need them.
const MAPPINGS_LIMIT: usize = 20_000;

/// A store of the costs of mapping problems, shared by sweeps. The key of a problem is its content and that of the memories that it may
/// use, so that editing one memory keeps the others' problems. All sizes of a memory that are ample for a problem are one.
#[derive(Default)]
pub struct CostStore {
    known: HashMap<[u64; 2], KnownCost>,
    /// Costs of a mapping of the best score, where ties are open.
    scores: HashMap<[u64; 2], ProblemCost>,
    /// The mappings of those that were searched last, by corner.
    mappings: HashMap<[u64; 2], Arc<Corners<Solution>>>,
    /// Costs that other threads find, too.
    shared: Option<Arc<SharedCosts>>,
}

/// Costs of mapping problems that several threads find together. Problems that two of them search at the same time are searched twice, to
/// the same bits.
pub struct SharedCosts([RwLock<HashMap<[u64; 2], KnownCost>>; LOCKS]);

/// Number of locks: as many threads rarely wait for each other.
const LOCKS: usize = 64;

impl Default for SharedCosts {
    fn default() -> Self {
        Self(std::array::from_fn(|_| RwLock::default()))
    }
}

impl SharedCosts {
    fn lock(&self, key: [u64; 2]) -> &RwLock<HashMap<[u64; 2], KnownCost>> {
        &self.0[(key[0] % LOCKS as u64) as usize]
    }

    fn get(&self, key: [u64; 2]) -> Option<KnownCost> {
        self.lock(key).read().ok()?.get(&key).cloned()
    }

    fn insert(&self, key: [u64; 2], known: KnownCost) {
        if let Ok(mut costs) = self.lock(key).write() {
            if costs.len() >= STORE_LIMIT / LOCKS {
                costs.clear();
            }
            costs.insert(key, known);
        }
    }

    /// Number of problems whose cost is known.
    pub fn len(&self) -> usize {
        self.0.iter().map(|costs| costs.read().map_or(0, |costs| costs.len())).sum()
    }

    /// Whether no cost is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The result of a searched mapping problem.
#[derive(Debug, Clone)]
pub(super) enum KnownCost {
    /// The cost of its best mapping.
    Cost(ProblemCost),
    /// Its corners, of which each point takes one.
    Corners(Arc<Corners<ProblemCost>>),
    /// No mapping fits.
    NoMapping,
    /// The search ended before it found anything.
    NotFound,
}

/// What a search that leaves ties open tells of the cost of a problem.
#[derive(Clone)]
pub(super) enum ScoreCost {
    Known(KnownCost),
    /// A lower bound on its score.
    AtLeast(f64),
}

/// Numbers of searches that points needed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchEffort {
    /// Mapping problems that were searched.
    pub searched: u32,
    /// Mapping problems that an earlier sweep had solved.
    pub reused: u32,
}

impl SearchEffort {
    /// Adds up.
    pub fn add(&mut self, other: Self) {
        self.searched += other.searched;
        self.reused += other.reused;
    }

    /// The effort since an earlier one.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self { searched: self.searched - before.searched, reused: self.reused - before.reused }
    }
}

impl KnownCost {
    /// Notes the corners of a problem, and returns the cost of its best mapping or a lower bound on all.
    pub fn note(
        self,
        corners: &mut FxHashMap<ProblemId, Arc<Corners<ProblemCost>>>,
        problem: ProblemId,
    ) -> Option<ProblemCost> {
        match self {
            Self::Cost(cost) => Some(cost),
            Self::Corners(of_problem) => {
                // The first needs the least energy of all mappings. None is faster than its computation.
                let least = of_problem.all.first().map(|cheapest| cheapest.without_stalls());
                corners.insert(problem, of_problem);
                least
            }
            Self::NoMapping | Self::NotFound => None,
        }
    }
}

impl CostStore {
    /// A store that shares its costs with all others that have these.
    pub fn sharing(costs: Arc<SharedCosts>) -> Self {
        Self { shared: Some(costs), ..Self::default() }
    }

    pub(super) fn knows(&self, key: [u64; 2]) -> bool {
        self.known.contains_key(&key) || self.others().is_some_and(|shared| shared.get(key).is_some())
    }

    /// The page's workers share no memory, so its first piece goes without this.
    fn others(&self) -> Option<&SharedCosts> {
        self.shared.as_deref().filter(|_| cfg!(not(target_arch = "wasm32")))
    }

    pub(super) fn cost(
        &mut self,
        key: [u64; 2],
        effort: &mut SearchEffort,
        solve: impl FnOnce() -> Option<(KnownCost, Corners<Solution>)>,
    ) -> Option<KnownCost> {
        if let Some(known) = self.known.get(&key) {
            effort.reused += 1;
            return Some(known.clone());
        }
        if self.known.len() >= STORE_LIMIT {
            self.known.clear();
        }
        if let Some(known) = self.others().and_then(|shared| shared.get(key)) {
            effort.reused += 1;
            self.known.insert(key, known.clone());
            return Some(known);
        }
        let (known, mappings) = solve()?;
        effort.searched += 1;
        self.replace(key, known.clone(), mappings);
        Some(known)
    }

    /// The cost of a mapping of the best score.
    pub(super) fn score(&self, key: [u64; 2]) -> Option<KnownCost> {
        self.scores.get(&key).map(|cost| KnownCost::Cost(*cost))
    }

    /// Notes the cost of a mapping of the best score, where ties are open.
    pub(super) fn note_score(&mut self, key: [u64; 2], cost: ProblemCost) {
        if self.scores.len() >= STORE_LIMIT {
            self.scores.clear();
        }
        self.scores.insert(key, cost);
    }

    /// Notes a result in place of an earlier one, if there is any.
    pub(super) fn replace(&mut self, key: [u64; 2], known: KnownCost, mappings: Corners<Solution>) {
        self.known.insert(key, known.clone());
        if let Some(shared) = self.others() {
            shared.insert(key, known);
        } else if !mappings.all.is_empty() {
            self.keep(key, Arc::new(mappings));
        }
    }

    /// The mappings of a problem: the best one, or its corners for a range of slopes.
    pub(super) fn mappings(
        &mut self,
        key: [u64; 2],
        effort: &mut SearchEffort,
        (sweep, problem, slopes): (&Sweep, &LayerProblem, (f64, f64)),
    ) -> Arc<Corners<Solution>> {
        if let Some(mappings) = self.mappings.get(&key).filter(|mappings| mappings.slopes == slopes) {
            return Arc::clone(mappings);
        }
        effort.searched += 1;
        let corners = match slopes == ALL_SLOPES {
            true => Corners::one(sweep.search(problem)),
            false => sweep.corners_between(problem, slopes),
        };
        let mappings = Arc::new(corners.mappings());
        self.keep(key, Arc::clone(&mappings));
        mappings
    }

    fn keep(&mut self, key: [u64; 2], mappings: Arc<Corners<Solution>>) {
        if self.mappings.len() >= MAPPINGS_LIMIT {
            self.mappings.clear();
        }
        self.mappings.insert(key, mappings);
    }
}

/// Numbers that only equal problems share, under the same settings and on cores whose memories are equal as far as the
/// problem may use them and depends on their sizes.
pub(super) struct Fingerprints {
    /// Of everything but memories and problem.
    general: u64,
    /// Of each memory.
    memories: TiVec<MemoryId, u64>,
    /// Of the memories that each choice of levels leaves visible.
    visible: Vec<([usize; 3], u64)>,
}

impl Fingerprints {
    pub fn new(sweep: &Sweep) -> Self {
        let Sweep { core, settings, .. } = sweep;
        // Words of DRAM are counted, which is where outputs end.
        let dram = &core.memories[core.top(Operand::O)].name;
        let guide = sweep.guide.as_ref().map(|guide| &guide.memories);
        // Their sizes count as far as a problem depends on them. Area, leakage and their estimates do not affect
        // mappings.
        let figures = |memory: &Memory| {
            let memory = Memory { size_bits: 0, area_um2: None, leakage_mw: 0.0, estimate: None, ..memory.clone() };
            hash(&format!("{memory:?}"))
        };
        let memories: TiVec<MemoryId, u64> = core.memories.iter().map(figures).collect();
        // Registers of lanes are below the levels that remain visible for a choice of levels.
        let unit = core.vector_unit.as_ref().map(|unit| (unit.figures(), &memories.raw[..core.register_count()]));
        let operations = (&core.mac_energy, &core.in_memory);
        let numbers = format!("{:?} {operations:?} {:?} {guide:?}", core.array, settings.objective);
        Self {
            general: hash(&(
                numbers,
                unit,
                settings.rules,
                settings.strategy,
                settings.lpf_limit,
                dram,
                sweep.takes_corners(),
                sweep.slopes.map(|(least, most)| [least.to_bits(), most.to_bits()]),
            )),
            memories,
            visible: Vec::new(),
        }
    }

    /// The number of a problem, which is `layer` on the core.
    pub fn of(&mut self, problem: &LayerProblem, layer: &LayerOnCore<'_>) -> [u64; 2] {
        let core = layer.core;
        let known = self.visible.iter().find(|(levels, _)| *levels == problem.levels).map(|&(_, known)| known);
        let visible = known.unwrap_or_else(|| {
            let memories = &self.memories;
            let of = |operand: Operand| &core.levels(operand)[..problem.levels[operand as usize]];
            let chains = Operand::ALL.map(|operand| of(operand).iter().map(|&id| memories[id]).collect::<Vec<_>>());
            // Loops are allocated in the order of the core's list.
            let is_visible = |id: &MemoryId| Operand::ALL.into_iter().any(|operand| of(operand).contains(id));
            let order: Vec<u64> = memories.keys().filter(is_visible).map(|id| memories[id]).collect();
            let visible = hash(&(chains, order));
            self.visible.push((problem.levels, visible));
            visible
        });
        // If 0 bits are ample, no data of the problem is in the memory.
        let size = |id: MemoryId| match ample_bits(layer, id) {
            0 => None,
            ample => Some(layer.room_bits(id).min(ample)),
        };
        let sizes: Vec<u64> = core.memories.keys().filter_map(size).collect();
        // Room that other data takes counts as a smaller size.
        let LayerProblem { shape, levels, unroll, reserved: _, adds } = problem;
        [0_u8, 1].map(|half| hash(&(half, self.general, visible, &sizes, shape, levels, (unroll, adds))))
    }
}

/// With fixed keys, so that all workers agree.
pub(super) fn hash(content: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}
