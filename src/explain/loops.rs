//! The loop-information table of a mapped layer (ZigZag, Section III-B, Table III and Fig. 6).

use super::Subject;
use super::formula::{Explained, How, Unit};
use super::mapping::{LayerNumber, LevelFigure, explain_layer};
use super::numbers::{CYCLES, Counted};
use super::sizes::Axis;
use super::sources::{BANDWIDTH, LOOPS};
use crate::chart::Quantity;
use crate::cost::{Access, LevelInformation};
use crate::explore::{LayerFacts, MappedLayer};
use crate::hardware::Movement;
use crate::mapping::TemporalLoop;
use crate::workload::{Dim, gcd};

const PLAIN: Unit = Unit::Count("");
const BYTES: Unit = Unit::Of(Quantity::Bytes);

/// What the numbers are taken from.
pub(super) struct Of<'a> {
    pub facts: &'a LayerFacts,
    pub mapped: &'a MappedLayer,
}

impl Of<'_> {
    /// A number, to be unfolded when asked.
    pub fn folded(&self, number: LayerNumber) -> Option<Explained> {
        let explained = explain_layer(self.facts, self.mapped, number)?;
        Some(Explained::folded(explained.name, explained.value, explained.unit, Subject::Layer(number)))
    }

    pub fn is(&self, access: &Access, operand: usize, level: usize) -> bool {
        access.level == level && self.facts.operands.get(operand).is_some_and(|(name, _)| *name == access.operand)
    }

    fn is_irrelevant(&self, operand: usize, dim: Dim) -> bool {
        self.facts.irrelevant.get(operand).is_some_and(|dims| dims.contains(&dim))
    }

    /// Product of the outermost loops of a level that all are irrelevant, or all relevant.
    fn outermost(&self, operand: usize, loops: &[TemporalLoop], irrelevant: bool) -> f64 {
        let is_wanted = |next: &&TemporalLoop| match irrelevant {
            true => self.is_irrelevant(operand, next.dim),
            false => self.is_relevant(operand, next.dim),
        };
        loops.iter().rev().take_while(is_wanted).map(|next| next.size as f64).product()
    }

    /// Whether every iteration of a loop touches other data, all of it.
    fn is_relevant(&self, operand: usize, dim: Dim) -> bool {
        let slides = matches!(dim, Dim::OX | Dim::OY | Dim::FX | Dim::FY) && self.slides(operand);
        !slides && !self.is_irrelevant(operand, dim)
    }

    /// Whether windows slide over the operand, so that those loops are partially relevant.
    fn slides(&self, operand: usize) -> bool {
        let shape = &self.facts.shape;
        let plain = [Dim::FX, Dim::FY].iter().all(|&dim| shape.size(dim) == 1) && shape.stride == (1, 1);
        self.facts.operands.get(operand).is_some_and(|(name, _)| name == "I") && !plain
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
                // Some rules count what windows span beyond the border of the map.
                let terms = [true, false].map(|at_border| {
                    self.elements(operand, (levels, level), figure == LevelFigure::TotalSize, at_border)
                });
                let gives = |terms: &Vec<Explained>| terms.iter().map(|term| term.value).product::<f64>() == value;
                let [bounded, unbounded] = terms;
                let terms = if gives(&bounded) { bounded } else { unbounded };
                let explained = Explained::given(name, value, Unit::Count(" elements"));
                either(explained, How::Product, terms)
                    .noted("Relevant loops up to this level multiply the data; irrelevant ones use it again.")
                    .after(LOOPS)
            }
            LevelFigure::TotalMacs => {
                let below = level.checked_sub(1);
                let below = below.and_then(|below| self.folded(LayerNumber::Level(operand, below, figure)));
                let terms = below.into_iter().chain(in_time(&|_| true)).chain(in_space()).collect();
                let explained = Explained::given("MACs supported in total", here.total_macs, Unit::Of(Quantity::Macs));
                either(explained, How::Product, terms).after(LOOPS)
            }
            LevelFigure::UnitMacs => {
                let sizes = ratio("units' data", fold(LevelFigure::TotalSize)?, fold(LevelFigure::UnitSize)?);
                let explained = Explained::given("MACs supported by a unit", here.unit_macs, Unit::Of(Quantity::Macs));
                either(explained, How::Quotient, vec![fold(LevelFigure::TotalMacs)?, sizes]).after(LOOPS)
            }
            LevelFigure::Reuse => {
                let terms = vec![fold(LevelFigure::TemporalReuse)?, fold(LevelFigure::SpatialReuse)?];
                either(given("data reuse", here.reuse.total), How::Product, terms).after(LOOPS)
            }
            LevelFigure::TemporalReuse => {
                let below = level.checked_sub(1).and_then(|below| {
                    self.folded(LayerNumber::Level(operand, below, LevelFigure::TotalSize))
                });
                let below = below.unwrap_or_else(|| given("one element", 1.0));
                let grows = ratio("growth of the data", fold(LevelFigure::UnitSize)?, below);
                let loops = product("loops in time", in_time(&|_| true));
                let explained = given("temporal reuse", here.reuse.temporal);
                let irrelevant = in_time(&|dim| self.is_irrelevant(operand, dim));
                let is_all = product("", irrelevant.clone()).value == here.reuse.temporal;
                let by_growth = either(explained.clone(), How::Quotient, vec![loops, grows]);
                match is_all && !irrelevant.is_empty() {
                    true => explained.or("the irrelevant loops", How::Product, irrelevant).also(by_growth),
                    false => by_growth,
                }
                .after(LOOPS)
            }
            LevelFigure::SpatialReuse => {
                let grows = ratio("growth of the data", fold(LevelFigure::TotalSize)?, fold(LevelFigure::UnitSize)?);
                let loops = product("unrolled loops", in_space());
                either(given("spatial reuse", here.reuse.spatial), How::Quotient, vec![loops, grows]).after(LOOPS)
            }
            LevelFigure::FifoReuse => given("data reuse with a FIFO", here.reuse.with_fifo)
                .noted(
                    "If inputs shift through the units, a window that slides fetches only what it has not seen (ZigZag, \
                     Fig. 5).",
                )
                .after(LOOPS),
            LevelFigure::Down | LevelFigure::Up => self.traffic(operand, level, figure)?,
            LevelFigure::Turnaround => {
                let all = levels.iter().take(level + 1).flat_map(|level| &level.loops);
                let terms = all.map(|next| Explained::given(next.dim.name(), next.size as f64, PLAIN)).collect();
                let explained = Explained::given("turnaround", here.turnaround_cycles as f64, CYCLES);
                either(explained, How::Product, terms)
                    .noted("All loops in time up to this level run before the data is exchanged.")
                    .after(LOOPS)
            }
            LevelFigure::Units => {
                let all = levels.iter().skip(level).flat_map(|level| &level.unrolled);
                let terms = all.map(|(dim, width)| Explained::given(dim.name(), *width, PLAIN)).collect();
                either(given("units", here.units.total), How::Product, terms)
                    .noted("The loops unrolled at this level and above it.")
                    .after(LOOPS)
            }
            LevelFigure::UniqueUnits => given("units with different data", here.units.unique)
                .noted("What the relevant ones of the unrolled loops, from this level up, add to the data.")
                .after(LOOPS),
            LevelFigure::DuplicateUnits => {
                let terms = vec![fold(LevelFigure::Units)?, fold(LevelFigure::UniqueUnits)?];
                either(given("units with the same data", here.units.duplicate), How::Quotient, terms).after(LOOPS)
            }
            LevelFigure::Bandwidth => {
                let terms = vec![fold(LevelFigure::UnitSize)?, fold(LevelFigure::Turnaround)?];
                let value = traffic?.unit.double_buffered;
                let explained = Explained::given("required bandwidth", value, Unit::Count(" elements/cycle"));
                either(explained, How::Quotient, terms).after(BANDWIDTH)
            }
            LevelFigure::BandwidthAbove => {
                let unique = |level: usize| {
                    self.folded(LayerNumber::Level(operand, level, LevelFigure::UniqueUnits))
                };
                let fan_out = ratio("units served", unique(level)?, unique(level + 1)?);
                let value = traffic?.above.double_buffered;
                let explained = Explained::given("required bandwidth above", value, Unit::Count(" elements/cycle"));
                either(explained, How::Product, vec![fold(LevelFigure::Bandwidth)?, fan_out]).after(BANDWIDTH)
            }
            LevelFigure::SingleBandwidth | LevelFigure::SingleBandwidthAbove => {
                let (value, buffered) = match figure {
                    LevelFigure::SingleBandwidth => (traffic?.unit.single_buffered, LevelFigure::Bandwidth),
                    _ => (traffic?.above.single_buffered, LevelFigure::BandwidthAbove),
                };
                let rest = given("outermost irrelevant loops", self.outermost(operand, &here.loops, true));
                let explained = Explained::given("without double buffering", value, Unit::Count(" elements/cycle"));
                either(explained, How::Product, vec![fold(buffered)?, rest])
                    .noted("Only while the last of them runs may the next data arrive.")
                    .after(BANDWIDTH)
            }
            LevelFigure::UnitBytes => {
                // Outputs that leave finished were partial sums while they were added to.
                let widths = [here.precision_bits, self.facts.shape.precision.o_partial];
                let held = |bits: &u64| here.unit_size * *bits as f64 == here.unit_bits;
                let bits = widths.into_iter().find(held).unwrap_or(here.precision_bits);
                let width = given("bytes an element", bits as f64 / 8.0);
                let explained = Explained::given("memory used in a unit", here.unit_bits / 8.0, BYTES);
                either(explained, How::Product, vec![fold(LevelFigure::UnitSize)?, width])
                    .noted("What the fullest unit holds, and partial sums as long as outputs are added to.")
                    .after(BANDWIDTH)
            }
            LevelFigure::EffectiveBytes => {
                let relevant = self.outermost(operand, &here.loops, false);
                let part = given("part in use", (2.0 / relevant).min(1.0)).noted(
                    "Where a relevant loop is outermost, only the part of the present iteration and that of the next one \
                     have to be there.",
                );
                let explained = Explained::given("effective memory size", here.effective_bits / 8.0, BYTES);
                let is_top = level + 1 == levels.len();
                let terms = if is_top { vec![fold(LevelFigure::UnitBytes)?] } else { vec![fold(LevelFigure::UnitBytes)?, part] };
                either(explained, How::Product, terms).after(BANDWIDTH)
            }
            LevelFigure::Roof => given("room for so many times the data", here.roof? as f64)
                .noted("The size of the memory by what the operand takes of it, rounded down (ZigZag, Section IV-A)."),
        })
    }

    /// What crosses to the next higher level: the accesses of the memory above.
    fn traffic(&self, operand: usize, level: usize, figure: LevelFigure) -> Option<Explained> {
        let information = self.mapped.information.operands.get(operand)?;
        let here = information.levels.get(level)?.traffic.as_ref()?;
        let is_output = operand == 0;
        let (value, movement) = match figure {
            LevelFigure::Up => (here.up, Movement::WriteFromLow),
            _ if is_output => (here.down, Movement::WriteFromLow),
            _ => (here.down, Movement::ReadToLow),
        };
        let name = if figure == LevelFigure::Up { "accesses towards above" } else { "accesses from above" };
        let explained = Explained::given(name, value, Unit::Count(" elements")).after(LOOPS);
        let found = |access: &Access| self.is(access, operand, level) && access.movement == movement;
        let Some(access) = self.mapped.accesses.iter().position(found) else {
            return Some(explained.noted("Nothing moves this way."));
        };
        let all = self.folded(LayerNumber::Access(access, Counted::Elements))?;
        let first = Explained::given("first pass", all.value - value, PLAIN);
        let is_less = is_output && figure == LevelFigure::Down;
        Some(match is_less && value == 0.0 {
            true => explained.noted("Outputs are finished here, so that none come back."),
            false if is_less => explained
                .or("", How::Difference, vec![Explained { name: "written".into(), ..all }, first])
                .noted("Partial sums come back to be added to; the first pass over each output has none to read."),
            false => explained.or("", How::Sum, vec![all]),
        })
    }

    /// The factors of an operand's elements at a level: relevant loops, and windows over inputs.
    fn elements(
        &self,
        operand: usize,
        (levels, level): (&[LevelInformation], usize),
        total: bool,
        at_border: bool,
    ) -> Vec<Explained> {
        let mut sizes = [1.0; 8];
        for (index, of) in levels.iter().enumerate().take(level + 1) {
            of.loops.iter().for_each(|next| sizes[next.dim as usize] *= next.size as f64);
            if index < level || total {
                of.unrolled.iter().for_each(|(dim, width)| sizes[*dim as usize] *= width);
            }
        }
        let size = |dim: Dim| sizes[dim as usize];
        let slides = self.slides(operand);
        let is_window = |dim: Dim| matches!(dim, Dim::OX | Dim::OY | Dim::FX | Dim::FY);
        let plain = Dim::ALL.into_iter().filter(|&dim| !self.is_irrelevant(operand, dim) && size(dim) != 1.0);
        let plain = plain.filter(|&dim| !slides || !is_window(dim));
        let mut terms: Vec<Explained> = plain.map(|dim| Explained::given(dim.name(), size(dim), PLAIN)).collect();
        if slides {
            terms.extend([Axis::Columns, Axis::Rows].map(|axis| self.window(axis, &size, at_border)));
        }
        if terms.is_empty() {
            terms.push(Explained::given("one element", 1.0, PLAIN));
        }
        terms
    }

    /// Input columns that windows touch: those of all windows, less what neighbours share.
    fn window(&self, axis: Axis, size: &dyn Fn(Dim) -> f64, at_border: bool) -> Explained {
        let shape = &self.facts.shape;
        let (name, outputs, kernel) = axis.of((("columns", Dim::OX, Dim::FX), ("rows", Dim::OY, Dim::FY)));
        let (stride, dilation) = (axis.of(shape.stride), axis.of(shape.dilation));
        let g = gcd(stride, dilation).max(1);
        let product = |name: &'static str, a: (String, f64), b: (String, f64)| {
            let terms = [a, b].map(|(name, value)| Explained::given(name, value.max(0.0), PLAIN));
            Explained::computed(name, PLAIN, How::Product, terms.into())
        };
        let all = product("all windows", (outputs.to_string(), size(outputs)), (kernel.to_string(), size(kernel)));
        let (stride, dilation) = ((stride / g) as f64, (dilation / g) as f64);
        let twice = product(
            "shared by windows",
            (format!("{kernel} − {stride}"), size(kernel) - stride),
            (format!("{outputs} − {dilation}"), size(outputs) - dilation),
        );
        let touched = Explained::computed(name, PLAIN, How::Difference, vec![all, twice]);
        let limit = axis.of(shape.input_limit) as f64;
        if at_border && touched.value > limit {
            let exist = Explained::given("that exist", limit, PLAIN);
            return Explained::computed(name, PLAIN, How::Smallest, vec![touched, exist]);
        }
        touched
    }
}

/// With the formula, if it gives the number; rules that round averages of fractional unrollings, and
/// other habits of the public tools, make it another.
fn either(explained: Explained, how: How, terms: Vec<Explained>) -> Explained {
    if terms.is_empty() && explained.value == 1.0 {
        return explained.noted("There is no such loop.");
    }
    let formula = Explained::computed("", explained.unit, how, terms);
    if (formula.value - explained.value).abs() <= 1e-9 * explained.value.abs() {
        Explained { formulas: formula.formulas, ..explained }
    } else {
        explained
            .noted("The rules in force round averages, or let the array keep its inputs, which no short formula shows.")
    }
}
