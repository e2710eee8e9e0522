//! The space of temporal mappings as ZigZag searches it: all blockings of the loop prime factors, even and uneven, and
//! all orders between the ends of two levels (ZigZag, Section IV and case study 1).
//!
//! Energy depends on the blocking only, latency on the order, too. So blockings are enumerated one by one, and the
//! orders of each are counted by a formula; [`MappingSpace::evaluated`] counts the mappings whose latency was computed.
//!
//! - `lattice.rs`: the sets of loop factors, with the price of a boundary at each
//! - `scheme.rs`: one blocking, its orders, and whether it is even
//! - `walk.rs`: all blockings, exhaustively or with ZigZag's heuristic (Sections IV-B and C)
//! - `iterative.rs`: ZigZag's iterative search (Section IV-D)
//! - `part.rs`: counts, extremes and a sample of the blockings; `job.rs`: the walk through all parts as a job
//! - `trajectory.rs`: the energy of a mapping while its loops are placed

mod iterative;
mod job;
mod lattice;
mod part;
mod scheme;
mod trajectory;
mod walk;

pub use job::{SpaceBench, SpaceWalk};
pub use part::SpacePart;
pub use trajectory::{Trajectory, TrajectoryStep};

use super::permutation::next_permutation;
use super::{Solution, explain_infeasible};
use crate::cost::Evaluator;
use crate::hardware::MemoryId;
use crate::mapping::{LayerOnCore, TemporalLoop};
use crate::tolerance::REL_TOLERANCE;
use lattice::Lattice;
use scheme::MappingScheme;
use serde::{Deserialize, Serialize};
use std::fmt;
use walk::{PartialLoopOrder, Walker};

/// The mappings that a search covers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpaceOptions {
    /// The rule by which blockings are left out.
    pub pruning: Pruning,
    /// LPF limit: loop prime factors beyond it are merged.
    pub lpf_limit: usize,
    /// Least part of a shared memory that is in use, from 0 to 1 (usually 0.7); a memory that holds all data is exempt.
    pub min_shared_utilization: f64,
    /// Limit on the even mappings, and on the uneven ones, that are kept as points.
    pub samples: usize,
    /// Limit on the blockings that are visited.
    pub max_blockings: u64,
}

impl Default for SpaceOptions {
    fn default() -> Self {
        Self {
            pruning: Pruning::None,
            lpf_limit: usize::MAX,
            min_shared_utilization: 0.0,
            samples: 2000,
            max_blockings: u64::MAX,
        }
    }
}

/// Rules by which blockings are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Pruning {
    /// None: exhaustive search.
    None,
    /// Those with an intermediate level of weights or outputs that reuses nothing, and orders that keep less stationary
    /// than they could (ZigZag, Section IV-C).
    Heuristic,
}

/// Size, extremes and a sample of a mapping space (ZigZag, Section IV, case study 1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MappingSpace {
    /// Number of blockings that were visited.
    pub blockings: u64,
    /// Number of mappings that they stand for: all orders of loops that have the levels end there, each with the energy
    /// of its blocking. `u64::MAX` stands for that many or more.
    pub mappings: u64,
    /// Number of even blockings among them.
    pub even_blockings: u64,
    /// Mappings evaluated one by one, energy and latency.
    pub evaluated: u64,
    /// The mapping of least energy, in the fastest order that was found for its blocking.
    pub best: Option<Solution>,
    /// The even mapping of least energy, in the fastest order that was found for its blocking.
    pub best_even: Option<Solution>,
    /// The most energy of any mapping, pJ.
    pub most_energy_pj: f64,
    /// A sample of the mappings, one for each blocking drawn: first uneven ones, then even ones.
    pub points: Vec<SpacePoint>,
    /// Trajectories of the best mapping, of the best even one, then of some of the sample.
    pub trajectories: Vec<Trajectory>,
    /// Whether all blockings were visited.
    pub is_complete: bool,
}

/// A mapping in the space (ZigZag, Fig. 17).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpacePoint {
    /// Its energy, pJ.
    pub energy_pj: f64,
    /// Latency of the mapping, cycles.
    pub latency_cycles: u64,
    /// Whether it is even ([`Evenness::Stationary`](super::Evenness)).
    pub is_even: bool,
}

/// The outcome of the iterative search (ZigZag, Section IV-D).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IterativeOutcome {
    /// The mapping.
    pub best: Option<Solution>,
    /// Partial mappings whose energy was computed.
    pub partial: u64,
    /// Orders of the final blocking that were evaluated.
    pub evaluated: u64,
    /// The way of the mapping to its energy.
    pub trajectory: Option<Trajectory>,
}

/// Limit on the sampled mappings whose trajectory is kept.
const MOST_TRAJECTORIES: usize = 300;
/// Limit on the orders of one segment of a blocking that are evaluated for the least latency.
const MOST_ORDERS: u64 = 2000;

/// A search through the mapping space in parts: one by one ([`explore_space`]), or as a job ([`SpaceWalk`]). Merged in the order of their
/// numbers, parts always give the same result.
pub struct SpaceSearch<'a> {
    lattice: Lattice<'a>,
    options: SpaceOptions,
    beginnings: Vec<PartialLoopOrder>,
}

/// The reason why a mapping space cannot be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SpaceRefusal {
    /// There are too many sets of loop factors.
    TooManySets,
    /// Under these rules energy depends on more than the sets, or mappings may overfill memories.
    Rules,
    /// A memory is double-buffered by design: it holds a part of an operand twice, so that all of it may take less
    /// room.
    DoubleBuffers,
    /// The array computes in memory, and its cells take energy at each change of weights. How often that is depends on
    /// the order of loops.
    InMemory,
}

impl fmt::Display for SpaceRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooManySets => "The layer has too many loop factors to go through; a lower LPF limit makes them fewer",
            Self::Rules => {
                "Under the rules of the public tools the energy of a blocking depends on its order, or memories may overflow; \
                 use the corrected rules"
            }
            Self::InMemory => {
                "Whenever another weight of a cell takes its turn, the array takes energy, and how often that is depends on the order of \
                 the loops; this search takes all orders of a blocking for equal, so use `exact` or `loma`"
            }
            Self::DoubleBuffers => {
                "A memory is double-buffered by design, which this search does not know; use `exact` or `loma`"
            }
        })
    }
}

/// Whether the orders of one blocking differ in energy: the cells of an array that computes in memory keep a weight
/// while loops that are irrelevant to it run innermost, and the next weight costs energy.
fn cells_price_orders(problem: &LayerOnCore<'_>) -> bool {
    let Some(in_memory) = &problem.in_memory else { return false };
    let mut cells = problem.each_operand().filter(|(operand, _)| problem.array_keeps(*operand));
    let reads = |memory: MemoryId| problem.core.memories[memory].read_energy_pj > 0.0;
    in_memory.precharge_pj > 0.0 || cells.any(|(_, view)| view.memories.first().is_some_and(|&memory| reads(memory)))
}

impl<'a> SpaceSearch<'a> {
    /// Prepares the tables, and cuts the search into parts.
    ///
    /// # Errors
    /// The reason why this space cannot be searched.
    pub fn new(problem: &'a LayerOnCore<'a>, options: SpaceOptions) -> Result<Self, SpaceRefusal> {
        let rules = &problem.rules;
        if rules.lowest_memory_may_overflow || rules.mappings_fit_unchecked || rules.array_keeps_inputs {
            return Err(SpaceRefusal::Rules);
        }
        if cells_price_orders(problem) {
            return Err(SpaceRefusal::InMemory);
        }
        if problem.forces_double_buffers {
            return Err(SpaceRefusal::DoubleBuffers);
        }
        let lattice = Lattice::new(problem, options.lpf_limit).ok_or(SpaceRefusal::TooManySets)?;
        let beginnings = if explain_infeasible(problem).is_empty() {
            Walker::new(&lattice, &options).beginnings()
        } else {
            Vec::new()
        };
        Ok(Self { lattice, options, beginnings })
    }

    /// Number of parts. They differ in size.
    pub fn parts(&self) -> usize {
        self.beginnings.len()
    }

    /// The empty result, with which merging begins.
    pub fn start(&self) -> SpacePart {
        SpacePart::new(self.options.samples)
    }

    /// Walks through one part.
    pub fn part(&self, index: usize) -> SpacePart {
        self.part_while(index, &|| true)
    }

    /// Walks through one part, as long as `has_time` returns `true`. If it stops early, the result covers only the
    /// beginning of the part.
    pub fn part_while(&self, index: usize, has_time: &dyn Fn() -> bool) -> SpacePart {
        let mut part = self.start();
        if let Some(beginning) = self.beginnings.get(index) {
            Walker::new(&self.lattice, &self.options)
                .walk(beginning, has_time, &mut |scheme, mappings| part.add(scheme, mappings));
        }
        part
    }

    /// The mapping space from the merged result of parts. `is_complete` says whether these are all parts.
    pub fn space(&self, all: &SpacePart, is_complete: bool) -> MappingSpace {
        let mut evaluated = 0;
        let mut fastest = |schemes: &[MappingScheme]| {
            let found = schemes.iter().filter_map(|scheme| Some((*scheme, self.fastest(scheme, &mut evaluated)?)));
            // The first of equals.
            found.reduce(|best, next| if next.1.latency_cycles < best.1.latency_cycles { next } else { best })
        };
        let (best, best_even) = (fastest(&all.best), fastest(&all.best_even));
        let sample: Vec<MappingScheme> = all.uneven.sorted().into_iter().chain(all.even.sorted()).collect();
        let mut points = Vec::new();
        let mut trajectories: Vec<Trajectory> = [&best, &best_even]
            .into_iter()
            .flatten()
            .map(|(scheme, solution)| Trajectory::new(&self.lattice, scheme, &solution.order))
            .collect();
        let stride = sample.len().div_ceil(MOST_TRAJECTORIES).max(1);
        for (index, scheme) in sample.iter().enumerate() {
            let order = scheme.order(&self.lattice, scheme.hash | 1);
            let Some(solution) = self.evaluate(scheme, &order) else { continue };
            evaluated += 1;
            points.push(SpacePoint {
                energy_pj: solution.energy_pj,
                latency_cycles: solution.latency_cycles,
                is_even: scheme.is_even,
            });
            if index % stride == 0 {
                trajectories.push(Trajectory::new(&self.lattice, scheme, &order));
            }
        }
        MappingSpace {
            blockings: all.blockings,
            mappings: all.mappings,
            even_blockings: all.even_blockings,
            evaluated,
            best: best.map(|(_, solution)| solution),
            best_even: best_even.map(|(_, solution)| solution),
            most_energy_pj: all.most_pj,
            points,
            trajectories,
            is_complete,
        }
    }

    /// ZigZag's iterative search.
    pub fn iterative(&self) -> IterativeOutcome {
        let mut evaluated = 0;
        let found = iterative::search(&self.lattice);
        let best = found.as_ref().and_then(|found| self.fastest(&found.scheme, &mut evaluated));
        IterativeOutcome {
            trajectory: found
                .as_ref()
                .zip(best.as_ref())
                .map(|(found, best)| Trajectory::new(&self.lattice, &found.scheme, &best.order)),
            partial: found.map_or(0, |found| found.partial),
            best,
            evaluated,
        }
    }

    fn evaluate(&self, scheme: &MappingScheme, order: &[TemporalLoop]) -> Option<Solution> {
        let allocation = scheme.allocation(&self.lattice, order);
        let cost = Evaluator::new(self.lattice.problem).evaluate(order, &allocation)?;
        Some(Solution {
            order: order.to_vec(),
            allocation,
            energy_pj: cost.energy_pj(),
            latency_cycles: cost.latency.total_cycles(),
        })
    }

    /// A fast order of a blocking: segment by segment, from the innermost outwards, the fastest of its orders with the
    /// other segments as they are. This need not be the fastest order of all.
    fn fastest(&self, scheme: &MappingScheme, evaluated: &mut u64) -> Option<Solution> {
        let mut best = self.evaluate(scheme, &scheme.order(&self.lattice, 0))?;
        *evaluated += 1;
        let mut start = 0;
        for (lower, upper, not_first) in scheme.segments(&self.lattice) {
            let mut loops = self.lattice.loops_between(lower, upper);
            let range = start..start + loops.len();
            start = range.end;
            for _ in 0..MOST_ORDERS {
                if scheme::may_come_first(&self.lattice, &loops[0], not_first) {
                    let mut order = best.order.clone();
                    order[range.clone()].copy_from_slice(&loops);
                    *evaluated += 1;
                    if let Some(next) = self.evaluate(scheme, &order)
                        && (next.latency_cycles, next.energy_pj) < (best.latency_cycles, best.energy_pj)
                        && next.energy_pj <= best.energy_pj * (1.0 + REL_TOLERANCE)
                    {
                        best = next;
                    }
                }
                if !next_permutation(&mut loops) {
                    break;
                }
            }
        }
        Some(best)
    }
}

/// Looks through the whole mapping space. After each part, `proceed` gets the number of parts done and of all parts;
/// where it returns `false`, the search stops.
pub fn explore_space(search: &SpaceSearch<'_>, mut proceed: impl FnMut(usize, usize) -> bool) -> MappingSpace {
    let mut all = search.start();
    let mut done = 0;
    while done < search.parts() {
        all.merge(&search.part(done));
        done += 1;
        if all.blockings >= search.options.max_blockings || !proceed(done, search.parts()) {
            break;
        }
    }
    search.space(&all, done == search.parts())
}
