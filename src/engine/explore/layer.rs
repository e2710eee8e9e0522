//! One whole layer on its core: its best mapping, or one made by hand, with everything that explains its cost.

use super::sweep::check_objective;
use crate::cost::{
    Access, EnergyCause, EnergySplit, Evaluator, LatencyCause, LatencySplit, LayerCost, LoopInformation, LoopTrace,
    MappingError, PortBalance, accesses, loop_information, port_balances,
};
use crate::hardware::{ArraySizes, Core, MacroActivation, MacroPart, Unroll};
use crate::mapping::temporal::prime_factors;
use crate::mapping::{
    InMemoryUse, LayerOnCore, LayerOperand, LayerProblem, OPERANDS, Relevance, SpatialLoop, TemporalLoop,
    UnrollingOptions, WindowCount,
};
use crate::rules::Rules;
use crate::search::{
    Limits, Objective, Outcome, Solution, StopReason, Strategy, UnrolledLayer, UnrolledSearch, check_lpf_limit,
    find_best, smallest_that_fit,
};
use crate::spec::{Diagnostics, closest};
use crate::workload::{Dim, LayerId, LayerShape, Network};
use serde::{Deserialize, Serialize};

/// Limit on the unrollings of which some are chosen.
const MOST_UNROLLINGS: usize = 20_000;

/// A request for the mapping of one layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerRequest {
    /// Hardware document.
    pub hardware: String,
    /// Workload document.
    pub workload: String,
    /// Name of the layer; `None` for the one with the most MACs.
    pub layer: Option<String>,
    /// The objective that is minimised.
    pub objective: Objective,
    /// Search strategy for mappings.
    pub strategy: Strategy,
    /// LPF limit, of strategies that have one.
    pub lpf_limit: usize,
    /// Rules of the model.
    pub rules: Rules,
    /// The loops that the array unrolls; `None`: as the documents state.
    pub unroll: Option<Vec<Unroll>>,
}

/// Legal unrollings of a layer, the most promising first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnrollingChoices {
    /// The first of them.
    pub list: Vec<UnrollingChoice>,
    /// Number of legal unrollings, listed or not.
    pub count: usize,
}

/// One legal unrolling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnrollingChoice {
    /// As a request takes it.
    pub unroll: Vec<Unroll>,
    /// Array dimension, its size, loop, average width.
    pub loops: Vec<(String, u64, Dim, f64)>,
    /// A lower bound on the score of every mapping with it, by the objective of the request.
    pub bound: f64,
}

/// A layer on its core, validated.
#[derive(Clone)]
pub struct DesignLayer {
    /// The core that runs the layer.
    pub core: Core,
    /// Name of the layer.
    pub layer: String,
    /// The problem that it poses.
    pub problem: LayerProblem,
    pub(super) objective: Objective,
    pub(super) strategy: Strategy,
    lpf_limit: usize,
    pub(super) rules: Rules,
}

/// A temporal mapping as a person edits it: an order of loops, and for each memory level of each operand the number of loops after which it
/// ends.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TemporalMapping {
    /// The loops, innermost first.
    pub order: Vec<TemporalLoop>,
    /// Output first, then the inputs; lowest level first.
    pub ends: [Vec<usize>; OPERANDS],
}

/// A change that a person makes to a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappingEdit {
    /// The loop at this place changes places with the next outer one; boundaries stay where they are.
    Outwards(usize),
    /// The smallest prime factor of the loop at this place becomes a loop of its own, inside of the rest.
    Split(usize),
    /// The loop at this place joins the next outer one of the same dimension.
    Join(usize),
    /// A memory level of an operand takes over as few further loops as change the mapping.
    Raise(usize, usize),
    /// A memory level of an operand gives up as few loops as change the mapping.
    Lower(usize, usize),
    /// The loop at this place goes to another; those between move over, boundaries stay where they are.
    Move {
        /// Its place before the move, innermost first.
        from: usize,
        /// Its place after the move.
        to: usize,
    },
    /// A memory level of an operand ends after so many loops.
    End {
        /// Index of the operand.
        operand: usize,
        /// Index of the level, lowest first.
        level: usize,
        /// Number of loops up to and with this level.
        after: usize,
    },
}

impl TemporalMapping {
    /// Whether it has a boundary for every memory level of the layer, each within its loops; a mapping of another layer may not.
    pub fn suits(&self, facts: &LayerFacts) -> bool {
        let operands = facts.operands.iter().zip(&self.ends);
        let mut levels = operands.map(|((_, memories), ends)| memories.len() == ends.len());
        levels.all(|same| same) && self.ends.iter().flatten().all(|end| *end <= self.order.len())
    }

    /// The mapping after an edit; `None` where that is impossible. All loops stay, whole.
    ///
    /// Loops that only keep an operand stationary belong to the level below them in any case, so that a boundary jumps over
    /// them; it pushes the operand's other boundaries along.
    pub fn edited(&self, facts: &LayerFacts, edit: MappingEdit) -> Option<Self> {
        let mut next = self.clone();
        match edit {
            MappingEdit::Outwards(place) if place + 1 < next.order.len() => next.order.swap(place, place + 1),
            MappingEdit::Outwards(_) => return None,
            MappingEdit::Split(place) => next.split(place)?,
            MappingEdit::Join(place) => next.join(place)?,
            MappingEdit::Move { from, to } => {
                if from == to || from.max(to) >= next.order.len() {
                    return None;
                }
                let moved = next.order.remove(from);
                next.order.insert(to, moved);
            }
            MappingEdit::End { operand, level, after } => {
                let end = *self.inner_end(operand, level)?;
                if after == end || after > self.order.len() {
                    return None;
                }
                next.end_after(operand, level, after);
            }
            MappingEdit::Raise(operand, level) | MappingEdit::Lower(operand, level) => {
                let end = *self.inner_end(operand, level)?;
                // A boundary makes a difference where the next outer loop asks for other data.
                let differs = |place: &usize| {
                    self.order.get(*place).is_none_or(|next| !facts.irrelevant[operand].contains(&next.dim))
                };
                let end = match edit {
                    MappingEdit::Raise(..) => (end + 1..=self.order.len()).find(differs)?,
                    _ => (0..end).rev().find(differs)?,
                };
                next.end_after(operand, level, end);
            }
        }
        Some(next)
    }

    /// The number of loops after which a level ends; `None` for the highest, which ends after all loops.
    fn inner_end(&self, operand: usize, level: usize) -> Option<&usize> {
        self.ends.get(operand)?.split_last()?.1.get(level)
    }

    /// Moves a boundary, and those of the operand that are in its way.
    fn end_after(&mut self, operand: usize, level: usize, end: usize) {
        let top = self.ends[operand].len() - 1;
        for (other, moved) in self.ends[operand][..top].iter_mut().enumerate() {
            *moved = match other.cmp(&level) {
                std::cmp::Ordering::Less => (*moved).min(end),
                std::cmp::Ordering::Equal => end,
                std::cmp::Ordering::Greater => (*moved).max(end),
            };
        }
    }

    fn split(&mut self, place: usize) -> Option<()> {
        let whole = *self.order.get(place)?;
        let inner = *prime_factors(whole.size).first().filter(|&&factor| factor < whole.size)?;
        self.order[place].size = whole.size / inner;
        self.order.insert(place, TemporalLoop { size: inner, ..whole });
        self.shift_ends(|end| if end > place { end + 1 } else { end });
        Some(())
    }

    fn join(&mut self, place: usize) -> Option<()> {
        let (inner, outer) = (*self.order.get(place)?, *self.order.get(place + 1)?);
        if inner.dim != outer.dim {
            return None;
        }
        self.order[place].size = inner.size.checked_mul(outer.size)?;
        self.order.remove(place + 1);
        // A boundary between the two now stands above both.
        self.shift_ends(|end| if end > place + 1 { end - 1 } else { end });
        Some(())
    }

    fn shift_ends(&mut self, shifted: impl Fn(usize) -> usize) {
        self.ends.iter_mut().flatten().for_each(|end| *end = shifted(*end));
    }
}

/// How a layer uses an array that computes in memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InMemoryFacts {
    /// Cycles in which the bits of an input enter.
    pub cycles: u64,
    /// Activations of macros over the whole layer, each of so many cycles.
    pub activations: f64,
    /// Columns of a macro in use, on average.
    pub columns: f64,
    /// Rows that inputs come down, on average.
    pub rows: f64,
    /// Energy by part of the macros, without precharging: its name, pJ.
    pub energy_pj: Vec<(String, f64)>,
}

impl InMemoryFacts {
    fn new(of: &InMemoryUse) -> Self {
        let average = |value: fn(&MacroActivation) -> f64| {
            of.uses.iter().map(|one| one.share * value(&one.activation)).sum::<f64>()
        };
        let parts = MacroPart::ALL.into_iter().filter(|part| of.energy_pj[*part] != 0.0);
        Self {
            cycles: of.cycles,
            activations: of.activations,
            columns: average(|activation| activation.columns),
            rows: average(|activation| activation.rows),
            energy_pj: parts.map(|part| (part.key().to_owned(), of.energy_pj[part])).collect(),
        }
    }
}

/// Facts of a layer that do not depend on its temporal mapping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayerFacts {
    /// Its name.
    pub layer: String,
    /// Its loop nest.
    pub shape: LayerShape,
    /// Unrolled loops: array dimension, its size, loop, average width.
    pub unrolled: Vec<(String, u64, Dim, f64)>,
    /// Names of the dimensions of the array.
    pub array: Vec<String>,
    /// Number of PEs.
    pub pe_count: u64,
    /// Output first, then the inputs: name, and names of its memories, lowest first.
    pub operands: [(String, Vec<String>); OPERANDS],
    /// Energy of one MAC, pJ: on average, where the array computes in memory.
    pub mac_pj: f64,
    /// How it computes in memory, if it does.
    pub in_memory: Option<InMemoryFacts>,
    /// For each operand the loop dimensions that do not index it: their iterations use the same data again.
    pub irrelevant: [Vec<Dim>; OPERANDS],
    /// For each operand the axes along which windows slide over it. All other dimensions that are not irrelevant are relevant.
    pub windows: [Vec<WindowCount>; OPERANDS],
}

/// The account of a mapped layer: its mapping, its cost, and everything that explains it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MappedLayer {
    /// The mapping; loops that only keep an operand stationary are at the lower level.
    pub mapping: TemporalMapping,
    /// Energy by cause.
    pub energy: EnergySplit,
    /// Energy of all accesses, pJ: per operand and memory level.
    pub memory_pj: [Vec<f64>; OPERANDS],
    /// Full-width words: per operand, memory level and movement, in the order of [`crate::hardware::Movement::ALL`].
    pub words: [Vec<[f64; 4]>; OPERANDS],
    /// Every access behind `words`: per operand, memory and direction, with its cause.
    pub accesses: Vec<Access>,
    /// Whether each memory level is double-buffered, by operand.
    pub double_buffered: [Vec<bool>; OPERANDS],
    /// Latency by its parts.
    pub cycles: LatencyParts,
    /// The balance of every port.
    pub ports: Vec<PortBalance>,
    /// The loop-information table.
    pub information: LoopInformation,
}

/// The latency of a layer by its parts, cycles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LatencyParts {
    /// In whole cycles.
    pub by_cause: LatencySplit,
    /// As the rules count it.
    pub total: u64,
    /// Loading, before it is rounded.
    pub loading: f64,
    /// Offloading, before it is rounded; 0 where it does not count (`Rules::latency_without_offloading`).
    pub offloading: f64,
    /// Stalls, if every transfer waited for the answer of the memory that it reads (`Rules::memory_latency_hidden`).
    pub stalls_not_asked_ahead: u64,
    /// Whether loading and offloading overlap with computation (`Rules::loading_overlaps_computation`): they may then have fractions, or
    /// be negative.
    pub overlaps: bool,
}

impl LatencyParts {
    /// Cycles without any waiting.
    pub fn computing(&self) -> u64 {
        self.by_cause[LatencyCause::Computing]
    }
}

impl MappedLayer {
    /// Energy of all causes, pJ.
    pub fn energy_pj(&self) -> f64 {
        let fixed: f64 = EnergyCause::without_access().map(|cause| self.energy[cause]).sum();
        fixed + self.memory_pj.iter().flatten().sum::<f64>()
    }

    /// Share of the PEs that the unrolling keeps busy.
    pub fn spatial_utilization(&self) -> f64 {
        self.cycles.by_cause.ideal_cycles / self.cycles.computing().max(1) as f64
    }

    /// Share of the time in which they are busy.
    pub fn temporal_utilization(&self) -> f64 {
        self.cycles.computing() as f64 / self.cycles.total.max(1) as f64
    }
}

impl DesignLayer {
    /// Validates a request.
    ///
    /// # Errors
    /// Everything that is wrong with it; paths begin with `hardware.`, `workload.` or `layer`.
    pub fn new(request: &LayerRequest) -> Result<Self, Diagnostics> {
        let (core, network) = match (Core::from_text(&request.hardware), Network::from_text(&request.workload)) {
            (Ok(core), Ok(network)) => (core, network),
            (core, network) => {
                let mut all = Diagnostics::default();
                for (document, wrong) in [("hardware", core.err()), ("workload", network.err())] {
                    for mut diagnostic in wrong.unwrap_or_default().0 {
                        diagnostic.path = format!("{document}.{}", diagnostic.path).trim_end_matches('.').to_owned();
                        all.0.push(diagnostic);
                    }
                }
                return Err(all);
            }
        };
        let network = network.on(&core);
        Self::of(core, &network, request)
    }

    /// A layer of documents that were read before; those of the request are ignored.
    ///
    /// # Errors
    /// As [`Self::new`], as far as the layer is concerned.
    pub fn of(core: Core, network: &Network, request: &LayerRequest) -> Result<Self, Diagnostics> {
        let mut wrong = Diagnostics::default();
        check_objective("objective", &request.objective, Some(&core), &mut wrong);
        check_lpf_limit("lpf_limit", request.lpf_limit, &mut wrong);
        wrong.or(())?;
        let id = pick_layer(network, request.layer.as_deref())?;
        let unroll = match &request.unroll {
            Some(unroll) => check_unroll(core.array_for(network.layer(id).shape.kind), unroll)?,
            None => network.layer(id).unroll_on(&core, &request.rules),
        };
        let layer = network.layer(id);
        let levels = crate::hardware::Operand::ALL.map(|operand| core.levels(operand).len());
        let problem = LayerProblem::new(layer.shape, levels, unroll);
        let layer = layer.name.clone();
        let LayerRequest { strategy, lpf_limit, rules, .. } = *request;
        Ok(Self { core, layer, problem, objective: request.objective.clone(), strategy, lpf_limit, rules })
    }

    /// The LPF limit of the search.
    pub(super) fn lpf_limit(&self) -> usize {
        self.lpf_limit
    }

    /// The layer on its core, ready for mappings.
    pub fn on_core(&self) -> LayerOnCore<'_> {
        LayerOnCore::new(&self.core, self.rules, &self.problem)
    }

    fn unrolled_loops(&self, layer: &LayerOnCore<'_>) -> Vec<(String, u64, Dim, f64)> {
        let one = |unrolled: &SpatialLoop| {
            let (name, size) = layer.array()[unrolled.array_dim].clone();
            (name, size, unrolled.dim, unrolled.average)
        };
        layer.spatial.loops.iter().map(one).collect()
    }

    /// The `count` legal unrollings with the lowest bounds.
    pub fn unrollings(&self, count: usize) -> UnrollingChoices {
        if self.core.vector_unit_for(self.problem.shape.kind).is_some() {
            let unroll = self.problem.unroll.clone();
            let only = UnrollingChoice { loops: self.unrolled_loops(&self.on_core()), unroll, bound: 0.0 };
            return UnrollingChoices { list: vec![only], count: 1 };
        }
        let (shape, levels) = (self.problem.shape, self.problem.levels);
        let layer = UnrolledLayer { core: &self.core, rules: self.rules, shape, levels };
        let options = UnrollingOptions { max_unrollings: MOST_UNROLLINGS, ..UnrollingOptions::default() };
        let search = UnrolledSearch::new(layer, &options, self.objective.clone(), Limits::default(), self.strategy);
        let choice = |(bound, unroll): (f64, &[Unroll])| UnrollingChoice {
            unroll: unroll.to_vec(),
            loops: self.unrolled_loops(&layer.with(unroll)),
            bound,
        };
        let list = (0..count).map_while(|index| search.candidate(index)).map(choice).collect();
        UnrollingChoices { list, count: search.unrollings() }
    }

    /// The facts of the layer that do not depend on its temporal mapping.
    pub fn facts(&self) -> LayerFacts {
        let layer = self.on_core();
        LayerFacts {
            layer: self.layer.clone(),
            shape: self.problem.shape,
            unrolled: self.unrolled_loops(&layer),
            array: self.core.array.iter().map(|(name, _)| name.clone()).collect(),
            pe_count: layer.pe_count(),
            mac_pj: match &layer.in_memory {
                Some(in_memory) => in_memory.energy_pj.total() / (self.problem.shape.macs() as f64).max(1.0),
                None => self.problem.shape.mac_pj(&self.core.mac_energy),
            },
            in_memory: layer.in_memory.as_ref().map(InMemoryFacts::new),
            operands: LayerOperand::ALL.map(|operand| {
                let memories = layer.operands[operand].memories.iter();
                let names = memories.map(|&memory| self.core.memories[memory].name.clone()).collect();
                (layer.operand_name(operand).to_owned(), names)
            }),
            irrelevant: LayerOperand::ALL.map(|operand| {
                let relevance = layer.operands[operand].relevance;
                let is_irrelevant = |dim: &Dim| relevance[*dim as usize] == Relevance::Irrelevant;
                Dim::ALL.into_iter().filter(is_irrelevant).collect()
            }),
            windows: LayerOperand::ALL.map(|operand| {
                let windows = layer.operands[operand].windows.iter();
                windows.map(|&(axis, ..)| layer.window_count(axis)).collect()
            }),
        }
    }

    /// Searches by the strategy of the request.
    pub fn search(&self) -> Outcome {
        find_best(&self.on_core(), &self.objective, &self.limits(), self.strategy)
    }

    /// One layer is worth more time than each of the many in a sweep.
    pub(super) fn limits(&self) -> Limits {
        Limits { lpf_limit: self.lpf_limit, max_branches: 100_000, ..Limits::default() }
    }

    /// The best mapping.
    ///
    /// # Errors
    /// Why there is none.
    pub fn best(&self) -> Result<MappedLayer, Diagnostics> {
        self.mapped(&self.search())
    }

    /// The mapping that a search of this layer found.
    ///
    /// # Errors
    /// Why it found none.
    pub fn mapped(&self, outcome: &Outcome) -> Result<MappedLayer, Diagnostics> {
        let Some((reason, remedy)) = outcome.stopped.not_begun() else {
            return self.mapped_or(outcome.best.as_ref(), || super::explain_outcome(outcome, self.strategy));
        };
        let mut diagnostics = Diagnostics::default();
        let path = match outcome.stopped {
            StopReason::ToolFailsAtPort | StopReason::ToolFailsAtLoading => "rules",
            _ => "lpf_limit",
        };
        diagnostics.add(path, reason, remedy);
        Err(diagnostics)
    }

    /// A mapping, if a search found one.
    ///
    /// # Errors
    /// Why there is none: the memories that are too small for any, else the reason and the remedy of `otherwise`.
    pub fn mapped_or(
        &self,
        solution: Option<&Solution>,
        otherwise: impl FnOnce() -> (String, String),
    ) -> Result<MappedLayer, Diagnostics> {
        let layer = self.on_core();
        if let Some((Solution { order, .. }, cost)) =
            solution.and_then(|solution| Some((solution, solution.cost(&layer)?)))
        {
            return Ok(mapped_layer(&layer, order, &cost));
        }
        let mut diagnostics = self.shortages();
        if diagnostics.is_empty() {
            let (reason, remedy) = otherwise();
            diagnostics.add("layer", reason, remedy);
        }
        Err(diagnostics)
    }

    /// The memories that are too small for any mapping.
    pub(super) fn shortages(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        for shortage in smallest_that_fit(&self.on_core(), &self.limits()) {
            let remedy = shortage.remedy(&self.core, self.rules, &self.problem);
            diagnostics.add("layer", shortage.to_string(), remedy);
        }
        diagnostics
    }

    /// The cost of a mapping made by hand.
    ///
    /// # Errors
    /// All mistakes of the document.
    pub fn cost(&self, mapping: &TemporalMapping) -> Result<MappedLayer, Vec<MappingError>> {
        let layer = self.on_core();
        let cost = Evaluator::new(&layer).validate(&mapping.order, &mapping.ends)?;
        Ok(mapped_layer(&layer, &mapping.order, &cost))
    }

    /// The loops of a mapping with the data that they move in each iteration.
    ///
    /// # Errors
    /// All mistakes of the document.
    pub fn loop_trace(&self, mapping: &TemporalMapping) -> Result<LoopTrace, Vec<MappingError>> {
        let layer = self.on_core();
        let evaluator = Evaluator::new(&layer);
        let cost = evaluator.validate(&mapping.order, &mapping.ends)?;
        Ok(LoopTrace::new(&evaluator, &mapping.order, &cost))
    }
}

/// The layer called `name`, or the first of those with the most MACs.
fn pick_layer(network: &Network, name: Option<&str>) -> Result<LayerId, Diagnostics> {
    let macs = |id: &LayerId| network.layer(*id).shape.macs();
    let heaviest = || network.computing().max_by_key(|id| (macs(id), std::cmp::Reverse(*id)));
    let found = match name {
        Some(name) => network.computing().find(|&id| network.layer(id).name == name),
        None => heaviest(),
    };
    found.ok_or_else(|| {
        let is_named = |id: LayerId| Some(network.layer(id).name.as_str()) == name;
        if let Some((id, _)) = network.left_out().iter().find(|(id, _)| is_named(*id)) {
            let mut diagnostics = Diagnostics::default();
            let reason = format!("`{}` needs a vector unit, which the core has not", network.layer(*id).name);
            diagnostics.add("layer", reason, "Give the core a `vector_unit`");
            return diagnostics;
        }
        let names: Vec<&str> = network.computing().map(|id| network.layer(id).name.as_str()).collect();
        let name = name.unwrap_or_default();
        let remedy = closest(name, names.iter().copied())
            .map_or_else(|| format!("Use one of {}", names.join(", ")), |meant| format!("Did you mean `{meant}`?"));
        let mut diagnostics = Diagnostics::default();
        diagnostics.add("layer", format!("The network computes no layer `{name}`"), remedy);
        diagnostics
    })
}

/// An unrolling must lie on the array.
pub(super) fn check_unroll(array: &ArraySizes, unroll: &[Unroll]) -> Result<Vec<Unroll>, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    for (index, (name, size)) in array.iter_enumerated() {
        let on_it = unroll.iter().filter(|part| part.array_dim == index);
        let widths = on_it.map(|part| part.limit).try_fold(1, u64::checked_mul);
        if widths.is_none_or(|widths| widths > *size) {
            let reason = format!("More than the {size} PEs of `{name}` would be unrolled over");
            diagnostics.add("unroll", reason, format!("Take widths whose product is at most {size}"));
        }
    }
    if unroll.iter().any(|part| part.array_dim >= array.next_key() || part.limit == 0) {
        let reason = "A loop lies on no dimension of the array, or has no width";
        diagnostics.add("unroll", reason, "Take an unrolling of this core");
    }
    diagnostics.or(unroll.to_vec())
}

fn mapped_layer(layer: &LayerOnCore<'_>, order: &[TemporalLoop], cost: &LayerCost) -> MappedLayer {
    let levels = |operand: LayerOperand| 0..layer.operands[operand].memories.len();
    let latency = &cost.latency;
    let evaluator = Evaluator::new(layer);
    MappedLayer {
        mapping: TemporalMapping {
            order: order.to_vec(),
            ends: LayerOperand::ALL
                .map(|operand| levels(operand).map(|level| cost.merged.range(operand, level).end).collect()),
        },
        energy: cost.energy.split(layer),
        memory_pj: LayerOperand::ALL
            .map(|operand| levels(operand).map(|level| cost.energy.energy_pj[operand][level].iter().sum()).collect()),
        words: LayerOperand::ALL
            .map(|operand| levels(operand).map(|level| cost.energy.words[operand][level]).collect()),
        accesses: accesses(&evaluator, cost),
        double_buffered: LayerOperand::ALL
            .map(|operand| levels(operand).map(|level| latency.double_buffered[operand][level]).collect()),
        cycles: LatencyParts {
            by_cause: latency.split(),
            total: latency.total_cycles(),
            loading: latency.counted(LatencyCause::Loading),
            offloading: latency.counted(LatencyCause::Offloading),
            stalls_not_asked_ahead: evaluator.stall_cycles_not_asked_ahead(order, cost),
            overlaps: layer.rules.loading_overlaps_computation,
        },
        ports: port_balances(layer, cost),
        information: loop_information(layer, order, cost),
    }
}
