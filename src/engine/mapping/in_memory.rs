//! The use of an array that computes in memory by a layer: rows, columns, and the number of activations of a macro.
//!
//! Weights of different outputs lie in different columns, and what lies below one another in a column is added up. So a row takes one
//! input, and every different input that the columns read takes a row of its own: unrolling output columns over the columns of a macro
//! (a diagonal of weights) takes more rows than the weights of one output.

use super::operands::{Relevance, relevance, window_count};
use super::spatial::{SpatialLoop, SpatialMapping};
use crate::hardware::{ArrayDimId, ByPart, InMemory, MacroActivation, Operand, Unroll};
use crate::rules::Rules;
use crate::workload::{Dim, LayerShape};

/// The use of an array that computes in memory by a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct InMemoryUse {
    /// Cycles of each iteration, in which the bits of its inputs enter.
    pub cycles: u64,
    /// Activations of macros over the whole layer, each of so many cycles.
    pub activations: f64,
    /// The parts of a macro that work in an activation, each with their share of all activations.
    pub uses: Vec<MacroUse>,
    /// Energy over the whole layer, without precharging, by part, pJ.
    pub energy_pj: ByPart,
    /// Energy of precharging for one weight that takes the place of another of its group, pJ.
    pub precharge_pj: f64,
    /// Weights that change when the temporal loops go from one weight to the next.
    pub weights: f64,
}

/// Activations that use equal parts of a macro.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MacroUse {
    /// Their share of all activations.
    pub share: f64,
    /// The part of the macro that works.
    pub activation: MacroActivation,
}

impl InMemoryUse {
    /// `spatial` is the mapping that follows from `unroll`.
    pub(super) fn new(
        array: &InMemory,
        shape: &LayerShape,
        unroll: &[Unroll],
        spatial: &SpatialMapping,
        rules: &Rules,
    ) -> Self {
        let (passes, slices) =
            if rules.in_memory_layer_bits_ignored { (array.cycles(), 1) } else { bits(array, shape) };
        let cycles = passes * slices;
        let loops = MacroLoops::new(array, shape, unroll, spatial, rules);
        let activations = shape.iterations() as f64 / loops.inside();
        let uses = if rules.in_memory_inputs_shared {
            let rows = loops.rows_of_tool(shape);
            vec![MacroUse {
                share: 1.0,
                activation: MacroActivation { columns: loops.columns(), rows, added_rows: rows as u64 },
            }]
        } else {
            let (columns, rows) = (loops.columns(), loops.rows(shape, rules));
            let activation = |added_rows: u64| MacroActivation { columns, rows, added_rows };
            let added = loops.added_rows().into_iter();
            added.map(|(share, added_rows)| MacroUse { share, activation: activation(added_rows) }).collect()
        };
        let each = uses.iter().fold(ByPart::default(), |all, MacroUse { share, activation }| {
            all.plus(array.cycle_pj(activation).times(*share))
        });
        let steps: u64 = spatial.temporal_sizes.iter().product();
        Self {
            cycles,
            activations,
            uses,
            energy_pj: each.times(cycles as f64 * activations),
            precharge_pj: array.precharge_pj() * slices as f64,
            weights: shape.iterations() as f64 / steps as f64,
        }
    }
}

/// Cycles in which the bits of an input enter, and the number of cells of a weight.
fn bits(array: &InMemory, shape: &LayerShape) -> (u64, u64) {
    let (w, i) = shape.sparsity.map_or((shape.precision.w, shape.precision.i), |sparse| (sparse.w_bits, sparse.i_bits));
    (i.div_ceil(array.input_bits).max(1), w.div_ceil(array.weight_bits).max(1))
}

/// Loops in the order in which sets of ZigZag have them: by the last bits of their hashes.
const SET_ORDER: [Dim; 8] = [Dim::G, Dim::K, Dim::OY, Dim::FX, Dim::B, Dim::C, Dim::OX, Dim::FY];

/// Loops that are unrolled inside a macro, with their widths.
struct MacroLoops {
    columns: Vec<(Dim, f64)>,
    rows: Vec<(Dim, f64)>,
}

impl MacroLoops {
    fn new(array: &InMemory, shape: &LayerShape, unroll: &[Unroll], spatial: &SpatialMapping, rules: &Rules) -> Self {
        let stated = |side: ArrayDimId| {
            let along = unroll.iter().filter(|part| part.array_dim == side);
            along.map(|part| (part.dim, part.limit.min(shape.size(part.dim)).max(1) as f64)).collect()
        };
        let average = |side: ArrayDimId| {
            let along = spatial.loops.iter().filter(|part| part.array_dim == side);
            along.map(|&SpatialLoop { dim, average, .. }| (dim, average)).collect()
        };
        match rules.in_memory_activations_scaled {
            true => Self { columns: stated(array.columns), rows: stated(array.rows) },
            false => Self { columns: average(array.columns), rows: average(array.rows) },
        }
    }

    /// Multiply-accumulates of one activation.
    fn inside(&self) -> f64 {
        self.columns() * self.rows.iter().map(|(_, width)| width).product::<f64>()
    }

    fn columns(&self) -> f64 {
        self.columns.iter().map(|(_, width)| width).product()
    }

    /// Different inputs that enter a macro: on average, as of the windows both sides are averages.
    fn rows(&self, shape: &LayerShape, rules: &Rules) -> f64 {
        let width = |dim: Dim| -> f64 {
            let all = self.columns.iter().chain(&self.rows).filter(|(of, _)| *of == dim);
            all.map(|(_, width)| width).product()
        };
        inputs(shape, rules, width)
    }

    /// Rows that a column adds up, with the share of activations that do: where a width is no whole number, some have one row more.
    fn added_rows(&self) -> Vec<(f64, u64)> {
        self.rows.iter().fold(vec![(1.0, 1)], |known, &(_, width)| {
            let (fewer, more) = (width.floor(), width - width.floor());
            let both = [(1.0 - more, fewer as u64), (more, fewer as u64 + 1)];
            let pair = |(share, rows): (f64, u64)| both.map(|(part, wide)| (share * part, rows * wide));
            known.into_iter().flat_map(pair).filter(|(share, _)| *share > 0.0).collect()
        })
    }

    /// Rows as ZigZag counts them (`Rules::in_memory_inputs_shared`).
    fn rows_of_tool(&self, shape: &LayerShape) -> f64 {
        let of_weights = |dim: Dim| relevance(shape, Operand::W, dim, &Rules::ZIGZAG_3_8) != Relevance::Irrelevant;
        let rows: f64 = self.rows.iter().map(|(_, width)| width).product();
        if rows.ceil() <= 1.0 || self.columns.iter().all(|(dim, _)| of_weights(*dim)) {
            return rows.ceil();
        }
        let beside = |dim: Dim| -> f64 {
            let partner = match dim {
                Dim::FX => Dim::OX,
                Dim::FY => Dim::OY,
                _ => return 1.0,
            };
            self.columns.iter().filter(|(of, _)| *of == partner).map(|(_, width)| width).product()
        };
        // The tool iterates over a set of loops, whose order is not that of the widths.
        let dims = SET_ORDER.iter().filter(|dim| self.rows.iter().any(|(row, _)| row == *dim));
        let widths = self.rows.iter().map(|(_, width)| width);
        dims.zip(widths).map(|(dim, width)| width + beside(*dim) - 1.0).product::<f64>().ceil()
    }
}

/// Different inputs that loops of these widths read.
fn inputs(shape: &LayerShape, rules: &Rules, width: impl Fn(Dim) -> f64) -> f64 {
    let relevance = |dim: Dim| relevance(shape, Operand::I, dim, rules);
    let plain: f64 = Dim::ALL.into_iter().filter(|dim| relevance(*dim) == Relevance::Relevant).map(&width).product();
    let axes = [(Relevance::PartialX, Dim::OX, Dim::FX), (Relevance::PartialY, Dim::OY, Dim::FY)];
    axes.into_iter()
        .filter(|(axis, outputs, _)| relevance(*outputs) == *axis)
        .fold(plain, |all, (axis, outputs, kernel)| {
            all * window_count(shape, rules, axis).extent(width(outputs), width(kernel))
        })
}

/// The part of the unrolling that is possible: loops over rows may only add up, and every different input takes a row.
/// Where columns would take more rows than there are, fewer of them are unrolled.
pub(super) fn array_fits(array: &InMemory, shape: &LayerShape, asked: &[Unroll], rules: &Rules) -> Vec<Unroll> {
    let adds = |dim: Dim| matches!(dim, Dim::C | Dim::FX | Dim::FY);
    let fits = |part: &&Unroll| part.array_dim != array.rows || adds(part.dim);
    let mut unroll: Vec<Unroll> = asked.iter().filter(fits).copied().collect();
    for part in &mut unroll {
        part.limit = part.limit.min(shape.size(part.dim)).max(1);
    }
    let rows = |unroll: &[Unroll]| {
        let inside = |part: &&Unroll| part.array_dim == array.rows || part.array_dim == array.columns;
        let width = |dim: Dim| -> f64 {
            unroll.iter().filter(inside).filter(|part| part.dim == dim).map(|part| part.limit as f64).product()
        };
        inputs(shape, rules, width)
    };
    let takes_rows = |part: &Unroll| {
        part.array_dim == array.columns && relevance(shape, Operand::I, part.dim, rules) != Relevance::Irrelevant
    };
    while rows(&unroll) > array.row_count as f64 {
        let widest = unroll.iter().enumerate().filter(|(_, part)| takes_rows(part) && part.limit > 1);
        let Some((at, limit)) = widest.map(|(at, part)| (at, part.limit)).max_by_key(|(at, limit)| (*limit, *at))
        else {
            break;
        };
        // The widest that fits beside the others, or one.
        let (mut fitting, mut above) = (1, limit);
        while above - fitting > 1 {
            let middle = fitting + (above - fitting) / 2;
            unroll[at].limit = middle;
            if rows(&unroll) <= array.row_count as f64 { fitting = middle } else { above = middle }
        }
        unroll[at].limit = fitting;
    }
    unroll
}
