//! Cost of a tile on a core: that of its best mapping, searched once for all equal tiles.

use super::nest::LoopRanges;
use super::request::CoresSettings;
use super::rules::{SchedulingRules, TilingRules};
use super::schedule::Offchip;
use crate::cost::{Evaluator, LatencyCause, PeakDemand};
use crate::hardware::{Core, MemoryId, Movement, Operand, Unroll};
use crate::mapping::{LayerOnCore, LayerProblem};
use crate::search::{Limits, Outcome, find_best, smallest_that_fit};
use crate::system::{ComputeCore, CoreId};
use crate::units::{BitsPerCycle, Cycles};
use crate::workload::{Dim, Layer, LayerKind, LayerShape};
use enum_map::EnumMap;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The mapping problem of a tile on a core.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TileProblem {
    /// The first core with the same hardware: equal cores share problems.
    pub kind: CoreId,
    /// The loops of the tile.
    pub shape: LayerShape,
    /// Loops that the array unrolls.
    pub unroll: Vec<Unroll>,
    /// Whether W, I and O each do not fit on the chip, and stream from DRAM.
    pub too_large: [bool; 3],
}

/// Latency and energy of a tile on its core, as if links to DRAM were wide enough.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct TileCost {
    /// Latency by cause, from inputs in the highest memories on the chip to outputs there.
    pub latency: EnumMap<LatencyCause, Cycles<f64>>,
    /// Energy without DRAM, pJ.
    pub onchip_pj: f64,
    /// Energy of DRAM for operands that do not fit, pJ.
    pub offchip_pj: f64,
    /// Bandwidth of those operands to DRAM and from it: on average, or in the busiest cycles (`SchedulingRules::streams_at_peak`).
    pub offchip: Offchip,
}

impl TileCost {
    /// The sum over all causes.
    pub fn cycles(&self) -> Cycles<f64> {
        self.sum(|_| true)
    }

    /// The sum without offloading the last outputs to the highest memory.
    pub fn cycles_without_offloading(&self) -> Cycles<f64> {
        self.sum(|cause| cause != LatencyCause::Offloading)
    }

    fn sum(&self, counts: impl Fn(LatencyCause) -> bool) -> Cycles<f64> {
        let causes = LatencyCause::ALL.into_iter().filter(|cause| counts(*cause));
        causes.fold(Cycles::ZERO, |sum, cause| sum + self.latency[cause])
    }
}

/// Why a tile has no mapping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoMapping {
    /// Memories are too small for any mapping: their names, and the missing sizes.
    TooLarge(String),
    /// The search did not begin: too many orders within the LPF limit, or too many loops for it.
    NotSearched {
        /// Which of these, for a person.
        reason: String,
        /// The limit that works.
        remedy: String,
    },
    /// The search found none, though some mapping may fit: LOMA places every loop as low as it fits.
    NoneFits,
}

impl fmt::Display for NoMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(shortages) => f.write_str(shortages),
            Self::NotSearched { reason, .. } => f.write_str(reason),
            Self::NoneFits => f.write_str("no mapping was found that fits the memories"),
        }
    }
}

impl NoMapping {
    /// The change by which there is a mapping.
    pub fn remedy(&self) -> &str {
        match self {
            Self::NotSearched { remedy, .. } => remedy,
            Self::TooLarge(_) | Self::NoneFits => {
                "Make tiles smaller, the core's memories larger, or choose another core"
            }
        }
    }
}

/// The solution of a tile problem: its cost, or why it has no mapping.
pub type TileSolution = Result<TileCost, NoMapping>;

/// Solutions that are known.
pub type TileCosts = FxHashMap<TileProblem, TileSolution>;

/// The shape of part of a layer. Its input counts real elements only, no padding, unless the rules say otherwise.
pub fn tile_shape(layer: &Layer, part: &LoopRanges, rules: TilingRules) -> LayerShape {
    let range = |dim: Dim| &part[dim as usize];
    let size = |dim: Dim| range(dim).end - range(dim).start;
    let existing = |outer: Dim, stride: u64, inner: Dim, dilation: u64, before: u64, size: u64| {
        let first = (range(outer).start * stride + range(inner).start * dilation) as i64 - before as i64;
        let last = ((range(outer).end - 1) * stride + (range(inner).end - 1) * dilation) as i64 - before as i64;
        (last.min(size as i64 - 1) - first.max(0) + 1).max(1) as u64
    };
    let shape = layer.shape;
    let columns = existing(Dim::OX, shape.stride.0, Dim::FX, shape.dilation.0, layer.padding.left, layer.input_size.0);
    let rows = existing(Dim::OY, shape.stride.1, Dim::FY, shape.dilation.1, layer.padding.top, layer.input_size.1);
    LayerShape {
        sizes: Dim::ALL.map(size),
        dim_order: if rules.orders_loops_as_parsed { parsed_order(shape.kind) } else { shape.dim_order },
        input_limit: if rules.maps_padding { shape.input_limit } else { (columns, rows) },
        ..shape
    }
}

/// The order in which the public tool lists the loops of a layer that it reads from an ONNX file.
fn parsed_order(kind: LayerKind) -> [Dim; 8] {
    use Dim::{B, C, FX, FY, G, K, OX, OY};
    match kind {
        LayerKind::Add => [B, G, OY, OX, K, C, FX, FY],
        LayerKind::MatMul | LayerKind::FullyConnected => [C, OY, OX, K, B, G, FX, FY],
        _ => [B, K, G, OX, OY, C, FX, FY],
    }
}

/// The loops of a layer that a core's array unrolls.
pub fn unrolled_loops(layer: &Layer, core: &Core, settings: &CoresSettings) -> Vec<Unroll> {
    let of_convolutions = core.unroll(LayerKind::Conv);
    let says_nothing_else = layer.unroll.is_empty() && core.vector_unit_for(layer.shape.kind).is_none();
    if !settings.scheduler.tiling().unrolls_as_convolutions || !says_nothing_else || of_convolutions.is_empty() {
        return layer.unroll_on(core, &settings.rules);
    }
    match layer.shape.kind {
        LayerKind::Depthwise => of_convolutions.to_vec(),
        LayerKind::Add => {
            let columns = of_convolutions.iter().filter(|unroll| unroll.dim == Dim::K);
            columns.map(|unroll| Unroll { dim: Dim::OX, ..*unroll }).collect()
        }
        _ => layer.unroll_on(core, &settings.rules),
    }
}

/// Which of W, I and O do not fit into the highest memories of a core together (Stream, Section 4.1, as the tool
/// decides it): those that fit stay, smallest first, but make room for the lowest memories of those that do not. `bits`
/// are the sizes of all three.
pub fn too_large(core: &ComputeCore, bits: [u64; 3], rules: SchedulingRules) -> [bool; 3] {
    let mut out = [false; 3];
    let tops = Operand::ALL.map(|operand| core.top(operand));
    for top in tops {
        let memory = &core.core.memories[top];
        let capacity = memory.size_bits.saturating_mul(memory.instances);
        let mut here: Vec<Operand> =
            memory.operands.iter().copied().filter(|&operand| tops[operand as usize] == top).collect();
        here.sort_by_key(|&operand| bits[operand as usize]);
        let total: u64 = here.iter().map(|&operand| bits[operand as usize]).sum();
        if total <= capacity {
            continue;
        }
        let mut used = 0;
        let fitting = here.iter().take_while(|&&operand| {
            used += bits[operand as usize];
            used <= capacity
        });
        let mut kept = fitting.count();
        // A lowest memory that is this one itself has no room of its own.
        let lowest = |operand: &Operand| {
            let is_counted = |lowest: &&MemoryId| rules.streams_through_whole_memories || **lowest != top;
            let lowest = core.core.levels(*operand).first().filter(is_counted)?;
            let memory = &core.core.memories[*lowest];
            Some(memory.size_bits.saturating_mul(memory.instances))
        };
        while kept > 0 {
            let used: u64 = here[..kept].iter().map(|&operand| bits[operand as usize]).sum();
            let needed = here[kept..].iter().filter_map(lowest).fold(0, u64::saturating_add);
            if capacity - used >= needed {
                break;
            }
            kept -= 1;
        }
        here[kept..].iter().for_each(|&operand| out[operand as usize] = true);
    }
    out
}

/// The best mapping of a tile ([`CoresSettings::tile_objective`]).
pub fn solve(core: &ComputeCore, problem: &TileProblem, settings: &CoresSettings) -> TileSolution {
    let levels = Operand::ALL.map(|operand| {
        let all = core.core.levels(operand).len();
        if problem.too_large[operand as usize] { all } else { all.saturating_sub(1).max(1) }
    });
    let layer = LayerProblem::new(problem.shape, levels, problem.unroll.clone());
    let on_core = LayerOnCore::new(&core.core, settings.rules, &layer);
    let limits = Limits::of_many(settings.lpf_limit);
    let objective = settings.tile_objective(problem.too_large.contains(&true));
    let Outcome { best, stopped, .. } = find_best(&on_core, &objective, &limits, settings.strategy);
    if let Some((reason, remedy)) = stopped.not_begun() {
        return Err(NoMapping::NotSearched { reason, remedy });
    }
    let Some((best, cost)) = best.and_then(|best| best.cost(&on_core).map(|cost| (best, cost))) else {
        let shortages: Vec<String> = smallest_that_fit(&on_core, &limits).iter().map(ToString::to_string).collect();
        return Err(match shortages.is_empty() {
            false => NoMapping::TooLarge(shortages.join("; ")),
            true => NoMapping::NoneFits,
        });
    };
    let outside = core.core.top(Operand::O);
    let (mut offchip_pj, mut to, mut from) = (0.0, 0.0, 0.0);
    for (operand, view) in on_core.each_operand() {
        let Some(level) = view.memories.iter().position(|&memory| memory == outside) else { continue };
        offchip_pj += cost.energy.energy_pj[operand][level].iter().sum::<f64>();
        for movement in Movement::ALL.into_iter().filter(|movement| movement.is_low()) {
            let moved = cost.energy.elements[operand][level][movement as usize];
            let bits = moved * cost.amounts.links[operand][level][movement as usize].precision as f64;
            *(if movement.is_read() { &mut from } else { &mut to }) += bits;
        }
    }
    let is_peak = settings.scheduler.rules().streams_at_peak;
    let peak = is_peak.then(|| Evaluator::new(&on_core).peak_demand(&best.order, &cost, outside));
    let mut tile = TileCost {
        latency: EnumMap::from_fn(|cause| Cycles(cost.latency.of(cause).exact())),
        onchip_pj: cost.energy.total_pj - offchip_pj,
        offchip_pj,
        offchip: Offchip::default(),
    };
    let offchip = |bits: f64| BitsPerCycle(bits / tile.cycles().0.max(1.0));
    tile.offchip = match peak {
        Some(PeakDemand { to, from }) => Offchip { to: BitsPerCycle(to), from: BitsPerCycle(from) },
        None => Offchip { to: offchip(to), from: offchip(from) },
    };
    Ok(tile)
}
