//! The loop-information table of a mapped layer (ZigZag, Section III-B, Table III and Fig. 6).

use super::ExplainedNumber;
use super::formula::{Explained, How, NumberUnit};
use super::mapping::{LayerNumber, LevelFigure, explain_layer};
use super::numbers::{CYCLES, Counted};
use super::sources::{BANDWIDTH, LOOPS};
use fusescape_chart::Quantity;
use fusescape_engine::cost::{Access, ComingDown, LevelInformation, ReservedElements};
use fusescape_engine::explore::{LayerFacts, MappedLayer};
use fusescape_engine::hardware::Movement;
use fusescape_engine::mapping::{TemporalLoop, WindowCount};
use fusescape_engine::workload::{Dim, gcd};

const PLAIN: NumberUnit = NumberUnit::Count("");
const BYTES: NumberUnit = NumberUnit::Of(Quantity::Bytes);

const AVERAGE: &str = "What the average unit holds; of outputs as they leave the level.";
const FULLEST: &str = "What the fullest unit holds, and partial sums as long as outputs are added to.";

/// The source of the numbers.
pub(super) struct Of<'a> {
    pub facts: &'a LayerFacts,
    pub mapped: &'a MappedLayer,
}

impl Of<'_> {
    /// A number that is explained on request.
    pub fn folded(&self, number: LayerNumber) -> Option<Explained> {
        let explained = explain_layer(self.facts, self.mapped, number)?;
        Some(Explained::folded(explained.name, explained.value, explained.unit, ExplainedNumber::Layer(number)))
    }

    pub fn is(&self, access: &Access, operand: usize, level: usize) -> bool {
        access.level == level && self.facts.operands.get(operand).is_some_and(|(name, _)| *name == access.operand)
    }

    fn is_irrelevant(&self, operand: usize, dim: Dim) -> bool {
        self.facts.irrelevant.get(operand).is_some_and(|dims| dims.contains(&dim))
    }

    /// Product of the outermost loops of a level that are all irrelevant, or all relevant.
    fn outermost(&self, operand: usize, loops: &[TemporalLoop], irrelevant: bool) -> f64 {
        let is_wanted = |next: &&TemporalLoop| match irrelevant {
            true => self.is_irrelevant(operand, next.dim),
            false => self.is_relevant(operand, next.dim),
        };
        loops.iter().rev().take_while(is_wanted).map(|next| next.size as f64).product()
    }

    /// Whether every iteration of a loop touches entirely different data.
    fn is_relevant(&self, operand: usize, dim: Dim) -> bool {
        !self.slides(operand, dim) && !self.is_irrelevant(operand, dim)
    }

    /// Whether a loop, together with another one, moves windows over the operand: it is partially relevant.
    fn slides(&self, operand: usize, dim: Dim) -> bool {
        self.windows(operand).iter().any(|window| dim == window.outputs || dim == window.kernel)
    }

    fn windows(&self, operand: usize) -> &[WindowCount] {
        self.facts.windows.get(operand).map_or(&[], Vec::as_slice)
    }

    pub fn level(&self, operand: usize, level: usize, figure: LevelFigure) -> Option<Explained> {
        let levels = &self.mapped.information.operands.get(operand)?.levels;
        let here = levels.get(level)?;
        let traffic = here.traffic.as_ref();
        let fold = |figure: LevelFigure| self.folded(LayerNumber::Level(operand, level, figure));
        let given = |name: &'static str, value: f64| Explained::given(name, value, PLAIN);
        let in_space = || -> Vec<Explained> {
            here.unrolled.iter().map(|(dim, width)| Explained::given(dim.name(), *width, PLAIN)).collect()
        };
        let in_time = |wanted: &dyn Fn(Dim) -> bool| -> Vec<Explained> {
            let loops = here.loops.iter().filter(|next| wanted(next.dim));
            loops.map(|next| Explained::given(next.dim.name(), next.size as f64, PLAIN)).collect()
        };
        let product = |name: &'static str, terms: Vec<Explained>| match terms.is_empty() {
            true => Explained::given(name, 1.0, PLAIN).noted("There is no such loop."),
            false => Explained::computed(name, PLAIN, How::Product, terms),
        };
        let ratio = |name: &'static str, over: Explained, under: Explained| {
            Explained::computed(name, PLAIN, How::Quotient, vec![over, under])
        };
        Some(match figure {
            LevelFigure::UnitSize | LevelFigure::TotalSize => {
                let (name, value) = match figure {
                    LevelFigure::UnitSize => ("data size in a unit", here.unit_size),
                    _ => ("data size in total", here.total_size),
                };
                let terms = self.elements(operand, &sizes(levels, level, figure == LevelFigure::TotalSize));
                let explained = Explained::given(name, value, NumberUnit::Count(" elements"));
                explained
                    .or("", How::Product, terms)
                    .noted("Relevant loops up to this level multiply the data; irrelevant ones use it again.")
                    .after(LOOPS)
            }
            LevelFigure::TotalMacs => {
                let below = level.checked_sub(1);
                let below = below.and_then(|below| self.folded(LayerNumber::Level(operand, below, figure)));
                let terms = below.into_iter().chain(in_time(&|_| true)).chain(in_space()).collect();
                let explained =
                    Explained::given("MACs supported in total", here.total_macs, NumberUnit::Of(Quantity::Macs));
                from_loops(explained, terms).after(LOOPS)
            }
            LevelFigure::UnitMacs => {
                let sizes = ratio("units' data", fold(LevelFigure::TotalSize)?, fold(LevelFigure::UnitSize)?);
                let explained =
                    Explained::given("MACs supported by a unit", here.unit_macs, NumberUnit::Of(Quantity::Macs));
                explained.or("", How::Quotient, vec![fold(LevelFigure::TotalMacs)?, sizes]).after(LOOPS)
            }
            LevelFigure::Reuse => {
                let terms = vec![fold(LevelFigure::TemporalReuse)?, fold(LevelFigure::SpatialReuse)?];
                given("data reuse", here.reuse.total).or("", How::Product, terms).after(LOOPS)
            }
            LevelFigure::TemporalReuse => {
                let below = level
                    .checked_sub(1)
                    .and_then(|below| self.folded(LayerNumber::Level(operand, below, LevelFigure::TotalSize)));
                let below = below.unwrap_or_else(|| given("one element", 1.0));
                let grows = ratio("growth of the data", fold(LevelFigure::UnitSize)?, below);
                let loops = product("loops in time", in_time(&|_| true));
                let explained = given("temporal reuse", here.reuse.temporal);
                let irrelevant = in_time(&|dim| self.is_irrelevant(operand, dim));
                let by_growth =
                    |title: &'static str, explained: Explained| explained.or(title, How::Quotient, vec![loops, grows]);
                // If no window moves, relevant loops add all the data that they touch, and the others are the reuse.
                let is_plain = here.loops.iter().all(|next| !self.slides(operand, next.dim));
                match is_plain && !irrelevant.is_empty() {
                    true => by_growth("by growth", explained.or("the irrelevant loops", How::Product, irrelevant)),
                    false => by_growth("", explained),
                }
                .after(LOOPS)
            }
            LevelFigure::SpatialReuse => {
                let grows = ratio("growth of the data", fold(LevelFigure::TotalSize)?, fold(LevelFigure::UnitSize)?);
                let loops = product("unrolled loops", in_space());
                given("spatial reuse", here.reuse.spatial).or("", How::Quotient, vec![loops, grows]).after(LOOPS)
            }
            LevelFigure::FifoReuse => {
                let mut terms = vec![self.with_fifo(operand, levels, level)];
                terms.extend(level.checked_sub(1).map(|below| self.with_fifo(operand, levels, below)));
                given("data reuse with a FIFO", here.reuse.with_fifo)
                    .or("", How::Quotient, terms)
                    .noted(
                        "If inputs shift through the units, a window that slides fetches only what it has not seen \
                         (ZigZag, Fig. 5).",
                    )
                    .after(LOOPS)
            }
            LevelFigure::Down | LevelFigure::Up => self.traffic(operand, level, figure)?,
            LevelFigure::Turnaround => {
                let all = levels.iter().take(level + 1).flat_map(|level| &level.loops);
                let all = all.chain(&here.kept);
                let mut terms: Vec<Explained> =
                    all.map(|next| Explained::given(next.dim.name(), next.size as f64, PLAIN)).collect();
                let each = here.turnaround_cycles as f64 / terms.iter().map(|term| term.value).product::<f64>();
                if each > 1.0 {
                    terms.push(Explained::given("cycles of an iteration", each, CYCLES));
                }
                let explained = Explained::given("turnaround", here.turnaround_cycles as f64, CYCLES);
                let explained = from_loops(explained, terms);
                if here.kept.is_empty() {
                    explained.noted("All loops in time up to this level run before the data is exchanged.")
                } else {
                    explained
                        .noted("The array keeps an input while loops run that do not change it: as the rules have it, or in its cells.")
                }
                .after(LOOPS)
            }
            LevelFigure::Units => {
                let all = levels.iter().skip(level).flat_map(|level| &level.unrolled);
                let terms = all.map(|(dim, width)| Explained::given(dim.name(), *width, PLAIN)).collect();
                from_loops(given("units", here.units.total), terms)
                    .noted("The loops unrolled at this level and above it.")
                    .after(LOOPS)
            }
            LevelFigure::UniqueUnits => {
                let touched = |name: &'static str, levels: &[LevelInformation]| {
                    let terms = self.elements(operand, &unrolled_sizes(levels));
                    Explained::computed(name, PLAIN, How::Product, terms)
                };
                let terms = vec![touched("data of all units", levels), touched("data of one unit", &levels[..level])];
                given("units with different data", here.units.unique)
                    .or("", How::Quotient, terms)
                    .noted("What the unrolled loops, from this level up, add to the data.")
                    .after(LOOPS)
            }
            LevelFigure::DuplicateUnits => {
                let terms = vec![fold(LevelFigure::Units)?, fold(LevelFigure::UniqueUnits)?];
                given("units with the same data", here.units.duplicate).or("", How::Quotient, terms).after(LOOPS)
            }
            LevelFigure::Bandwidth => {
                let terms = vec![fold(LevelFigure::UnitSize)?, fold(LevelFigure::Turnaround)?];
                let value = traffic?.unit.double_buffered;
                let explained = Explained::given("required bandwidth", value, NumberUnit::Count(" elements/cycle"));
                explained.or("", How::Quotient, terms).after(BANDWIDTH)
            }
            LevelFigure::BandwidthAbove => {
                let unique = |level: usize| self.folded(LayerNumber::Level(operand, level, LevelFigure::UniqueUnits));
                let fan_out = ratio("units served", unique(level)?, unique(level + 1)?);
                let value = traffic?.above.double_buffered;
                let explained =
                    Explained::given("required bandwidth above", value, NumberUnit::Count(" elements/cycle"));
                explained.or("", How::Product, vec![fold(LevelFigure::Bandwidth)?, fan_out]).after(BANDWIDTH)
            }
            LevelFigure::SingleBandwidth | LevelFigure::SingleBandwidthAbove => {
                let (value, buffered) = match figure {
                    LevelFigure::SingleBandwidth => (traffic?.unit.single_buffered, LevelFigure::Bandwidth),
                    _ => (traffic?.above.single_buffered, LevelFigure::BandwidthAbove),
                };
                let rest = given("outermost irrelevant loops", self.outermost(operand, &here.loops, true));
                let explained =
                    Explained::given("without double buffering", value, NumberUnit::Count(" elements/cycle"));
                explained
                    .or("", How::Product, vec![fold(buffered)?, rest])
                    .noted("Only while the last of them runs may the next data arrive.")
                    .after(BANDWIDTH)
            }
            LevelFigure::UnitBytes => {
                let width = given("bytes an element", here.reserved.element_bits as f64 / 8.0);
                let touched = |sizes: &DimProducts| {
                    Explained::computed("elements", PLAIN, How::Product, self.elements(operand, sizes))
                };
                let (elements, note) = match here.reserved.elements {
                    ReservedElements::Average(sizes) => (touched(&sizes), AVERAGE),
                    ReservedElements::RoundedAverage(sizes) => {
                        (Explained::computed("elements", PLAIN, How::Nearest, vec![touched(&sizes)]), AVERAGE)
                    }
                    ReservedElements::Fullest(sizes) => (touched(&sizes.map(|size| size as f64)), FULLEST),
                };
                let explained = Explained::given("memory used in a unit", here.unit_bits / 8.0, BYTES);
                explained.or("", How::Product, vec![elements, width]).noted(note).after(BANDWIDTH)
            }
            LevelFigure::EffectiveBytes => {
                let relevant = self.outermost(operand, &here.loops, false);
                let part = given("part in use", (2.0 / relevant).min(1.0)).noted(
                    "Where a relevant loop is outermost, only the part of the present iteration and that of the next \
                     one have to be there.",
                );
                let explained = Explained::given("effective memory size", here.effective_bits / 8.0, BYTES);
                let is_top = level + 1 == levels.len();
                let terms = if is_top {
                    vec![fold(LevelFigure::UnitBytes)?]
                } else {
                    vec![fold(LevelFigure::UnitBytes)?, part]
                };
                explained.or("", How::Product, terms).after(BANDWIDTH)
            }
            LevelFigure::Roof => given("room for so many times the data", here.roof? as f64)
                .or(
                    "",
                    How::QuotientDown,
                    vec![
                        Explained::given("size of the memory", here.capacity_bits? as f64 / 8.0, BYTES),
                        fold(LevelFigure::UnitBytes)?,
                    ],
                )
                .noted("The size of the memory by what the operand takes of it, rounded down (ZigZag, Section IV-A)."),
        })
    }

    /// The transfers to the next higher level: the accesses of the memory above.
    fn traffic(&self, operand: usize, level: usize, figure: LevelFigure) -> Option<Explained> {
        let information = self.mapped.information.operands.get(operand)?;
        let here = information.levels.get(level)?.traffic.as_ref()?;
        let (name, value) = match figure {
            LevelFigure::Up => ("accesses towards above", here.up),
            _ => ("accesses from above", here.down),
        };
        let explained = Explained::given(name, value, NumberUnit::Count(" elements")).after(LOOPS);
        let moved = |movement: Movement| {
            let found = |access: &Access| self.is(access, operand, level) && access.movement == movement;
            let access = self.mapped.accesses.iter().position(found)?;
            self.folded(LayerNumber::Access(access, Counted::Elements))
        };
        Some(match (figure, here.coming_down) {
            (LevelFigure::Up, ComingDown::Inputs) => explained.noted("Inputs only come down."),
            (LevelFigure::Up, _) => explained.or("", How::Sum, vec![moved(Movement::WriteFromLow)?]),
            (_, ComingDown::Inputs) => explained.or("", How::Sum, vec![moved(Movement::ReadToLow)?]),
            (_, ComingDown::Nothing) => explained.noted("Outputs are finished here, so that none come back."),
            (_, ComingDown::AllButFirst(first)) => {
                let written = Explained { name: "written".into(), ..moved(Movement::WriteFromLow)? };
                let first = Explained::given("first pass", first, PLAIN);
                explained
                    .or("", How::Difference, vec![written, first])
                    .noted("Partial sums come back to be added to; the first pass over each output has none to read.")
            }
            (_, ComingDown::All) => explained
                .or("", How::Sum, vec![moved(Movement::WriteFromLow)?])
                .noted("As the rules have it, partial sums come back as often as they are written."),
        })
    }

    /// MACs per element of all levels up to `level`, including elements shifted in by the loops above.
    fn with_fifo(&self, operand: usize, levels: &[LevelInformation], level: usize) -> Explained {
        let mut sizes = sizes(levels, level, true);
        levels[level].shifted.iter().for_each(|next| sizes[next.dim as usize] *= next.size as f64);
        let loops = Dim::ALL.into_iter().filter(|dim| sizes[*dim as usize] != 1.0);
        let macs = loops.map(|dim| Explained::given(dim.name(), sizes[dim as usize], PLAIN)).collect();
        let macs =
            Explained::given("MACs", sizes.iter().product(), NumberUnit::Of(Quantity::Macs)).or("", How::Product, macs);
        let elements = Explained::computed("elements", PLAIN, How::Product, self.elements(operand, &sizes));
        let name = format!("MACs an element up to level {level}");
        Explained::computed(name, PLAIN, How::Quotient, vec![macs, elements])
            .noted("With the innermost loops above that move windows over what lies here.")
    }

    /// The factors of the number of elements touched by loops of these sizes: relevant loops, and windows over inputs.
    fn elements(&self, operand: usize, sizes: &DimProducts) -> Vec<Explained> {
        let size = |dim: Dim| sizes[dim as usize];
        let plain = Dim::ALL.into_iter().filter(|&dim| self.is_relevant(operand, dim) && size(dim) != 1.0);
        let plain = plain.map(|dim| Explained::given(dim.name(), size(dim), PLAIN));
        let moves = |window: &&WindowCount| size(window.outputs) != 1.0 || size(window.kernel) != 1.0;
        let windows = self.windows(operand).iter().filter(moves).map(|window| extent(window, &size));
        let mut terms: Vec<Explained> = plain.chain(windows).collect();
        if terms.is_empty() {
            terms.push(Explained::given("one element", 1.0, PLAIN));
        }
        terms
    }
}

/// Products of loop sizes, by dimension.
type DimProducts = [f64; 8];

/// Of all loops up to a level; including those unrolled at it for the `total` over its units.
fn sizes(levels: &[LevelInformation], level: usize, total: bool) -> DimProducts {
    let mut sizes = [1.0; 8];
    for (index, of) in levels.iter().enumerate().take(level + 1) {
        of.loops.iter().for_each(|next| sizes[next.dim as usize] *= next.size as f64);
        if index < level || total {
            of.unrolled.iter().for_each(|(dim, width)| sizes[*dim as usize] *= width);
        }
    }
    sizes
}

fn unrolled_sizes(levels: &[LevelInformation]) -> DimProducts {
    let mut sizes = [1.0; 8];
    let unrolled = levels.iter().flat_map(|level| &level.unrolled);
    unrolled.for_each(|(dim, width)| sizes[*dim as usize] *= width);
    sizes
}

/// Input columns or rows that windows touch: those of all windows, minus those shared by neighbours.
fn extent(count: &WindowCount, size: &dyn Fn(Dim) -> f64) -> Explained {
    let whole = |dim: Dim| {
        let given = Explained::given(dim.name(), size(dim), PLAIN);
        let is_cut = count.cuts_sizes && given.value.fract() != 0.0;
        if is_cut { Explained::computed(dim.name(), PLAIN, How::WholeProduct, vec![given]) } else { given }
    };
    let (outputs, kernel) = (whole(count.outputs), whole(count.kernel));
    let g = gcd(count.stride, count.dilation).max(1);
    let beyond = |of: &Explained, step: u64, least: f64| {
        let step = (step / g) as f64;
        Explained::given(format!("{} − {step}", of.name), (of.value - step).max(least), PLAIN)
    };
    let least = if count.overcounts { f64::NEG_INFINITY } else { 0.0 };
    let shared = vec![beyond(&kernel, count.stride, 0.0), beyond(&outputs, count.dilation, least)];
    let shared = Explained::computed("shared by windows", PLAIN, How::Product, shared);
    let all = Explained::computed("all windows", PLAIN, How::Product, vec![outputs, kernel]);
    let name = if count.outputs == Dim::OX { "columns" } else { "rows" };
    let mut touched = Explained::computed(name, PLAIN, How::Difference, vec![all, shared]);
    if count.cuts_extent && touched.value.fract() != 0.0 {
        touched = Explained::computed(name, PLAIN, How::WholeProduct, vec![touched]);
    }
    match count.at_most {
        Some(limit) if touched.value > limit as f64 => {
            let exist = Explained::given("that exist", limit as f64, PLAIN);
            Explained::computed(name, PLAIN, How::Smallest, vec![touched, exist])
        }
        _ => touched,
    }
}

/// A product of loops.
fn from_loops(explained: Explained, terms: Vec<Explained>) -> Explained {
    if terms.is_empty() { explained.noted("There is no such loop.") } else { explained.or("", How::Product, terms) }
}
