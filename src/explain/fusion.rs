//! Numbers of methods that choose groups of layers: by the full model, stack by stack, and by Optimus' model, group by
//! group (Optimus, Section 5.1).

use super::ExplainedNumber;
use super::formula::{Explained, How, NumberUnit};
use super::numbers::{CYCLES, ENERGY_UNIT};
use super::sources::{OPTIMUS, SUM};
use fusescape_chart::Quantity;
use fusescape_engine::cost::{AccessCause, EnergyCause, LatencyCause, LatencySplit};
use fusescape_engine::explore::{
    ExactDecision, FusionComparison, FusionMethod, FusionResult, FusionStep, GroupTraffic, MapTraffic, OnlineDecision,
    StackRun, SweptParameter, TrafficUnits,
};
use fusescape_engine::fusion::ParameterLoading;
use fusescape_engine::search::Objective;
use fusescape_spec::sorting::sort_by_key;
use std::borrow::Cow;

/// A number of the methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FusionNumber {
    /// The score of a method's stacks, by the objective.
    Score(FusionMethod),
    /// The ratio of the scores of a method's stacks and of the jointly optimal stacks, whichever is above 1.
    Gain(FusionMethod),
    /// Number of groups of a method, by Optimus' model.
    Groups(FusionMethod),
    /// Number of stacks of a method, by the full model.
    Stacks(FusionMethod),
    /// A sum over all stacks of a method, or the amount of one stack.
    Of(FusionMethod, Option<usize>, StackAmount),
    /// Bytes between DRAM and chip by Optimus' model.
    OptimusBytes(FusionMethod),
    /// Elements moved by one group, by Optimus' model.
    GroupElements(FusionMethod, usize),
    /// Lower bound on the bytes moved by any groups, by Optimus' model.
    Oracle,
    /// The buffer in Optimus' model.
    Buffer,
}

/// An amount that is summed over stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackAmount {
    Energy,
    /// Energy of one cause.
    EnergyOf(EnergyCause),
    /// Latency.
    Cycles,
    /// Latency of one cause.
    CyclesOf(LatencyCause),
    /// Computing with all PEs busy.
    IdealCycles,
    /// Computing beyond that, due to idle PEs.
    IdleCycles,
    /// Words read from and written to DRAM.
    DramWords,
    /// Words read from and written to DRAM for one cause.
    DramWordsOf(AccessCause),
}

impl StackAmount {
    /// The parts of a latency, in the order of figures.
    pub fn latency_parts() -> impl Iterator<Item = Self> {
        LatencyCause::ALL.into_iter().flat_map(|cause| match cause {
            LatencyCause::Computing => vec![Self::IdealCycles, Self::IdleCycles],
            _ => vec![Self::CyclesOf(cause)],
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Energy => "energy",
            Self::EnergyOf(cause) => cause.plural(),
            Self::Cycles => "latency",
            Self::CyclesOf(cause) => cause.plural(),
            Self::IdealCycles => "computing with all PEs",
            Self::IdleCycles => "idle PEs",
            Self::DramWords => "DRAM accesses",
            Self::DramWordsOf(cause) => cause.plural(),
        }
    }

    fn unit(self) -> NumberUnit {
        match self {
            Self::Energy | Self::EnergyOf(_) => ENERGY_UNIT,
            Self::Cycles | Self::CyclesOf(_) | Self::IdealCycles | Self::IdleCycles => CYCLES,
            Self::DramWords | Self::DramWordsOf(_) => NumberUnit::Of(Quantity::DramAccesses),
        }
    }

    fn of(self, run: &StackRun) -> f64 {
        match self {
            Self::Energy => run.energy_pj,
            Self::EnergyOf(cause) => run.energy[cause],
            Self::Cycles => run.latency_cycles as f64,
            Self::CyclesOf(cause) => run.latency[cause] as f64,
            Self::IdealCycles => ideal(&run.latency),
            Self::IdleCycles => run.latency.idle_pe_cycles(),
            Self::DramWords => run.dram_words.total(),
            Self::DramWordsOf(cause) => run.dram_words[cause],
        }
    }

    /// Its parts, cause by cause.
    fn parts(self) -> Vec<Self> {
        match self {
            Self::Energy => EnergyCause::ALL.map(Self::EnergyOf).into(),
            Self::Cycles => LatencyCause::ALL.map(Self::CyclesOf).into(),
            Self::CyclesOf(LatencyCause::Computing) => vec![Self::IdealCycles, Self::IdleCycles],
            Self::DramWords => AccessCause::ALL.map(Self::DramWordsOf).into(),
            _ => Vec::new(),
        }
    }
}

fn ideal(split: &LatencySplit) -> f64 {
    split.ideal_cycles.min(split[LatencyCause::Computing] as f64)
}

const PLAIN: NumberUnit = NumberUnit::Count("");
const BYTES: NumberUnit = NumberUnit::Of(Quantity::Bytes);
const ELEMENTS: NumberUnit = NumberUnit::Of(Quantity::Elements);
const ORACLE: &str = "Every weight and the network’s input and output once: no groups move less.";

/// Explains a number of methods; `None` if there is none.
pub fn explain_fusion(fusions: &FusionComparison, number: FusionNumber) -> Option<Explained> {
    let of = Methods(fusions);
    let shown = of.shown(number)?;
    let explained = match number {
        FusionNumber::Score(method) => of.score(shown, method)?,
        FusionNumber::Gain(method) => {
            let [other, optimal] =
                [of.folded(FusionNumber::Score(method))?, of.folded(FusionNumber::Score(FusionMethod::Optimal))?];
            let name = |of: Explained, method: FusionMethod| Explained { name: method.title().into(), ..of };
            let terms = vec![name(other, method), name(optimal, FusionMethod::Optimal)];
            let is_worse = terms[0].value >= terms[1].value;
            shown.or("", How::Quotient, if is_worse { terms } else { terms.into_iter().rev().collect() })
        }
        FusionNumber::Groups(_) => shown.noted("As the method divides the network."),
        FusionNumber::Stacks(method) => {
            let result = of.result(method)?;
            let more = result.layers.len().saturating_sub(result.groups.len());
            let note = "Each group is run as a stack; one with several outputs as several, as a stack has one output.";
            match more {
                0 => shown.or("", How::Sum, vec![of.folded(FusionNumber::Groups(method))?]),
                _ => shown,
            }
            .noted(note)
        }
        FusionNumber::Of(method, stack, amount) => of.amount(shown, method, stack, amount)?,
        FusionNumber::OptimusBytes(method) => {
            let groups = 0..of.result(method)?.traffic.as_ref()?.len();
            let terms = groups.filter_map(|group| of.folded(FusionNumber::GroupElements(method, group)));
            in_bytes(shown, fusions.units, terms.collect())
        }
        FusionNumber::GroupElements(method, group) => {
            let traffic = of.result(method)?.traffic.as_ref()?.get(group)?;
            group_traffic(shown, traffic, fusions.units, &fusions.names)
        }
        FusionNumber::Oracle => {
            let traffic = fusions.oracle.as_ref()?;
            let elements = Explained::given("the network as one group", traffic.elements as f64, ELEMENTS);
            let elements = group_traffic(elements, traffic, fusions.units, &fusions.names);
            in_bytes(shown, fusions.units, vec![elements]).noted(ORACLE)
        }
        FusionNumber::Buffer => {
            let memories = fusions.buffer.iter();
            let terms = memories.map(|(name, bytes)| Explained::given(name.clone(), *bytes as f64, BYTES));
            shown.or("", How::Sum, terms.collect()).noted("The highest memories on the chip, all instances together.")
        }
    };
    Some(explained.or_none())
}

/// Bytes per image moved by groups that were decided on line.
pub fn explain_decision(decision: &OnlineDecision) -> Option<Explained> {
    let bytes = decision.found.as_ref()?.bytes;
    Some(bytes_an_image(bytes, &decision.traffic, decision.units, &decision.layers))
}

/// Bytes per image moved by groups: the sum over groups and images, divided by the images.
fn bytes_an_image(bytes: f64, groups: &[GroupTraffic], units: TrafficUnits, layers: &[String]) -> Explained {
    let group = |(index, group): (usize, &GroupTraffic)| {
        let name = format!("group {}{}", index + 1, group_name(group, layers));
        group_traffic(Explained::given(name, group.elements as f64, ELEMENTS), group, units, layers)
    };
    in_bytes_an_image(bytes, units, groups.iter().enumerate().map(group).collect())
}

/// Bytes per image if every weight and the network's input and outputs move once.
fn oracle_an_image(bytes: f64, oracle: &GroupTraffic, units: TrafficUnits, layers: &[String]) -> Explained {
    let elements = Explained::given("the network as one group", oracle.elements as f64, ELEMENTS);
    in_bytes_an_image(bytes, units, vec![group_traffic(elements, oracle, units, layers)]).noted(ORACLE)
}

fn in_bytes_an_image(bytes: f64, units: TrafficUnits, groups: Vec<Explained>) -> Explained {
    let all = (elements_of(&groups) * units.element_bits as f64 / 8.0).ceil();
    let all = in_bytes(Explained::given("bytes of all images", all, BYTES), units, groups);
    let batch = Explained::given("images", units.batch as f64, PLAIN);
    Explained::given("bytes an image", bytes, BYTES).or("", How::Quotient, vec![all, batch]).after(OPTIMUS)
}

/// Explanations of the table of [`Curves::of_fusion`](fusescape_chart::Curves::of_fusion), row by row; its first column
/// is the varied parameter.
pub fn explain_steps(varied: SweptParameter, steps: &[FusionStep]) -> Vec<Vec<Option<Explained>>> {
    let mut steps: Vec<&FusionStep> = steps.iter().filter(|step| step.varied == varied).collect();
    sort_by_key(&mut steps, |step| step.step);
    let row = |step: &FusionStep| {
        let groups = step.bytes.iter().zip(&step.traffic);
        let groups = groups.map(|(bytes, groups)| Some(bytes_an_image((*bytes)?, groups, step.units, &step.layers)));
        let oracle = oracle_an_image(step.oracle_bytes, &step.oracle, step.units, &step.layers);
        std::iter::once(None).chain(groups).chain([Some(oracle)]).collect()
    };
    steps.into_iter().map(row).collect()
}

/// Explanations of the table of [`Curves::of_online`](fusescape_chart::Curves::of_online), row by row; its first column
/// is the buffer.
pub fn explain_online(steps: &[(OnlineDecision, ExactDecision)]) -> Vec<Vec<Option<Explained>>> {
    let mut steps: Vec<&(OnlineDecision, ExactDecision)> = steps.iter().collect();
    sort_by_key(&mut steps, |(online, _)| online.step);
    let row = |(online, exact): &(OnlineDecision, ExactDecision)| {
        let (units, layers) = (online.units, &online.layers);
        let best = exact.found.as_ref().map(|best| bytes_an_image(best.bytes, &exact.traffic, units, layers));
        let oracle = oracle_an_image(exact.oracle_bytes, &exact.oracle, units, layers);
        vec![None, explain_decision(online), best, Some(oracle)]
    };
    steps.into_iter().map(row).collect()
}

fn elements_of(terms: &[Explained]) -> f64 {
    terms.iter().map(|term| term.value).sum()
}

/// Bytes of the elements of groups.
fn in_bytes(shown: Explained, units: TrafficUnits, groups: Vec<Explained>) -> Explained {
    let elements = Explained::computed("elements of all groups", ELEMENTS, How::Sum, groups);
    let width = Explained::given("bits an element", units.element_bits as f64, PLAIN);
    let bits = Explained::computed("bits", PLAIN, How::Product, vec![elements, width]);
    shown.or("", How::QuotientUp, vec![bits, Explained::given("bits a byte", 8.0, PLAIN)]).after(OPTIMUS)
}

/// Elements moved by a group.
fn group_traffic(shown: Explained, group: &GroupTraffic, units: TrafficUnits, names: &[String]) -> Explained {
    let name = |layer: usize| names.get(layer).map_or("?", String::as_str);
    let map = |map: &MapTraffic| {
        let of = map.layer.map_or("the network’s input", name);
        let way = if map.is_read { "read" } else { "written" };
        let sizes = ["channels", "columns", "rows"].into_iter().zip(map.sizes);
        let terms = sizes.map(|(what, size)| Explained::given(what, size as f64, PLAIN)).collect();
        Explained::computed(format!("{of}, {way}"), ELEMENTS, How::Product, terms)
    };
    let maps = Explained::computed("maps", ELEMENTS, How::Sum, group.maps.iter().map(map).collect());
    let images = Explained::given("images", units.batch as f64, PLAIN);
    let features = Explained::computed("features", ELEMENTS, How::Product, vec![maps, images]);
    let weights = group.parameters.iter();
    let weights =
        weights.map(|&(layer, count)| Explained::given(format!("weights of {}", name(layer)), count as f64, ELEMENTS));
    let weights: Vec<Explained> = weights.collect();
    let mut terms = vec![features];
    if !weights.is_empty() {
        let weights = Explained::computed("all weights", ELEMENTS, How::Sum, weights);
        terms.push(Explained::computed("weights", ELEMENTS, How::Product, vec![weights, loads(group.loading, units)]));
    }
    shown
        .or("", How::Sum, terms)
        .noted("What crosses the group’s border for every image, and its weights.")
        .after(OPTIMUS)
}

/// Number of times that a group's weights are loaded.
fn loads(loading: ParameterLoading, units: TrafficUnits) -> Explained {
    let times = Explained::given("loadings", loading.times() as f64, PLAIN);
    match loading {
        ParameterLoading::Once => times.noted("They stay in the buffer."),
        ParameterLoading::PerTile { tiles, images, .. } => {
            let tiles = Explained::given("tiles from top to bottom", tiles as f64, PLAIN);
            let batch = Explained::given("images", units.batch as f64, PLAIN);
            let at_once = Explained::given("images at once", images as f64, PLAIN)
                .noted("A tile each of so many images is in the buffer together.");
            let passes = Explained::computed("passes", PLAIN, How::QuotientUp, vec![batch, at_once]);
            times
                .or("", How::Product, vec![tiles, passes])
                .noted("They do not fit beside the features: every tile loads them.")
        }
    }
}

/// ` (conv1, pool1)`.
fn group_name(group: &GroupTraffic, names: &[String]) -> String {
    let outputs = group.maps.iter().filter(|map| !map.is_read);
    let names: Vec<&str> = outputs.filter_map(|map| Some(names.get(map.layer?)?.as_str())).collect();
    if names.is_empty() { String::new() } else { format!(" to {}", names.join(", ")) }
}

/// The source of the numbers.
struct Methods<'a>(&'a FusionComparison);

impl Methods<'_> {
    fn result(&self, wanted: FusionMethod) -> Option<&FusionResult> {
        let found = self.0.results.iter().find(|(method, _)| *method == wanted);
        found.and_then(|(_, result)| result.as_ref().ok())
    }

    /// The number without its formulas.
    fn shown(&self, number: FusionNumber) -> Option<Explained> {
        let (name, value, unit): (Cow<'static, str>, f64, NumberUnit) = match number {
            FusionNumber::Score(method) => {
                let quantity = Quantity::of_objective(&self.0.objective);
                (quantity.title().to_lowercase().into(), self.result(method)?.stacks.score, NumberUnit::Of(quantity))
            }
            FusionNumber::Gain(method) => {
                let score = |method: FusionMethod| Some(self.result(method)?.stacks.score);
                let factor = score(method)? / score(FusionMethod::Optimal)?;
                ("factor".into(), if factor >= 1.0 { factor } else { 1.0 / factor }, PLAIN)
            }
            FusionNumber::Groups(method) => ("groups".into(), self.result(method)?.groups.len() as f64, PLAIN),
            FusionNumber::Stacks(method) => ("stacks".into(), self.result(method)?.layers.len() as f64, PLAIN),
            FusionNumber::Of(method, None, amount) => {
                let stacks = &self.result(method)?.stacks;
                let value = match amount {
                    StackAmount::Energy => stacks.energy_pj,
                    StackAmount::Cycles => stacks.latency_cycles as f64,
                    StackAmount::DramWords => stacks.dram_words,
                    StackAmount::IdealCycles => ideal(&stacks.latency()),
                    StackAmount::IdleCycles => stacks.latency().idle_pe_cycles(),
                    _ => stacks.runs.iter().map(|run| amount.of(run)).sum(),
                };
                (amount.name().into(), value, amount.unit())
            }
            FusionNumber::Of(method, Some(stack), amount) => {
                let stacks = &self.result(method)?.stacks;
                (amount.name().into(), amount.of(stacks.runs.get(stack)?), amount.unit())
            }
            FusionNumber::OptimusBytes(method) => {
                ("DRAM by Optimus’ model".into(), self.result(method)?.optimus_bytes? as f64, BYTES)
            }
            FusionNumber::GroupElements(method, group) => {
                let traffic = self.result(method)?.traffic.as_ref()?.get(group)?;
                let name = format!("group {}{}", group + 1, group_name(traffic, &self.0.names));
                (name.into(), traffic.elements as f64, ELEMENTS)
            }
            FusionNumber::Oracle => ("oracle".into(), self.0.oracle_bytes? as f64, BYTES),
            FusionNumber::Buffer => ("buffer".into(), self.0.buffer_bytes as f64, BYTES),
        };
        Some(Explained::given(name, value, unit))
    }

    /// A number that is explained on request.
    fn folded(&self, number: FusionNumber) -> Option<Explained> {
        Some(Explained { subject: Some(ExplainedNumber::Fusion(number)), ..self.shown(number)? })
    }

    fn score(&self, shown: Explained, method: FusionMethod) -> Option<Explained> {
        let of = |amount| self.folded(FusionNumber::Of(method, None, amount));
        let weighted = |weight: f64, amount| {
            let weight = Explained::given("weight", weight, PLAIN);
            let of = of(amount)?;
            let (name, unit) = (of.name.clone(), shown.unit);
            Some(Explained::computed(name, unit, How::Product, vec![weight, of]))
        };
        let (how, terms) = match &self.0.objective {
            // The amount with its own formulas, as "energy = energy" explains nothing.
            Objective::Energy => return self.amount(shown, method, None, StackAmount::Energy),
            Objective::Latency => return self.amount(shown, method, None, StackAmount::Cycles),
            Objective::DramAccesses => return self.amount(shown, method, None, StackAmount::DramWords),
            Objective::EnergyDelayProduct => (How::Product, vec![of(StackAmount::Energy), of(StackAmount::Cycles)]),
            Objective::MemoryAccesses(name) => {
                let runs = self.result(method).map(|result| result.stacks.runs.as_slice()).unwrap_or_default();
                let term = |(stack, run): (usize, &StackRun)| {
                    Some(Explained::given(
                        format!("words of {name}, {}", self.stack_name(method, stack)),
                        run.score,
                        shown.unit,
                    ))
                };
                (How::Sum, runs.iter().enumerate().map(term).collect())
            }
            Objective::Weighted(weights) => (
                How::Sum,
                vec![
                    weighted(weights.energy, StackAmount::Energy),
                    weighted(weights.latency, StackAmount::Cycles),
                    weighted(weights.dram_accesses, StackAmount::DramWords),
                ],
            ),
        };
        Some(shown.or("", how, terms.into_iter().flatten().collect()).noted("What the design’s objective counts."))
    }

    fn amount(
        &self,
        shown: Explained,
        method: FusionMethod,
        stack: Option<usize>,
        amount: StackAmount,
    ) -> Option<Explained> {
        let result = self.result(method)?;
        let parts = amount.parts().into_iter().map(|part| FusionNumber::Of(method, stack, part));
        let parts = parts.filter_map(|number| self.folded(number)).filter(|term| term.value != 0.0).collect();
        let shown = shown.or("by cause", How::Sum, parts);
        let Some(stack) = stack else {
            let stacks = 0..result.stacks.runs.len();
            let terms = stacks.filter_map(|stack| {
                let of = self.folded(FusionNumber::Of(method, Some(stack), amount))?;
                Some(Explained { name: self.stack_name(method, stack).into(), ..of })
            });
            let terms = terms.filter(|term| term.value != 0.0).collect();
            return Some(shown.or("by stack", How::Sum, terms).after(SUM));
        };
        let run = result.stacks.runs.get(stack)?;
        let note = format!(
            "Of all {} tiles of {} × {} of the stack {}, {}, each layer with its best mapping. \
             Cut the network like this method, and the view Schedule unfolds each of them.",
            run.tiles,
            run.tile.0,
            run.tile.1,
            self.stack_name(method, stack),
            run.mode.title(),
        );
        Some(if amount.parts().is_empty() { shown.noted(note) } else { shown }.after(SUM))
    }

    /// `conv1 … pool1`.
    fn stack_name(&self, method: FusionMethod, stack: usize) -> String {
        let layers = self.result(method).and_then(|result| result.layers.get(stack));
        let name = |layer: Option<&usize>| layer.and_then(|layer| self.0.names.get(*layer)).map_or("", String::as_str);
        match layers.map(Vec::as_slice).unwrap_or_default() {
            [only] => name(Some(only)).to_owned(),
            layers => format!("{} … {}", name(layers.first()), name(layers.last())),
        }
    }
}
