//! The best mapping of a layer, or one close to it that Timeloop can express.
//!
//! If levels of the best mapping cross, the inner memory is restricted to the loops of the outer one, and the search is
//! repeated; if loops of one dimension are separated by loops of others, their order is restricted. Loops are unrolled
//! over numbers of PEs that divide them.

use super::levels::{NoLevels, TimeloopLevel};
use super::write::{NotExpressible, TimeloopFiles, compose};
use crate::report::Severity;
use fusescape_engine::explore::{DesignLayer, TemporalMapping, user_constraints};
use fusescape_engine::hardware::Unroll;
use fusescape_engine::mapping::{LayerOnCore, LayerOperand, Relevance, TemporalLoop};
use fusescape_engine::workload::{Dim, Network};
use fusescape_spec::{
    BoundSpec, ConstraintsSpec, Diagnostics, LayerConstraintsSpec, LevelConstraintsSpec, LoopBoundSpec,
    write_constraints,
};

/// Limit on the searches; each is more restricted than the one before.
const MAX_SEARCHES: usize = 64;

/// Writes a layer of a network with its best mapping. If Timeloop cannot express it, writes one that is found under
/// constraints that exclude the inexpressible parts; the report states its excess energy.
///
/// # Errors
/// No mapping fits, or Timeloop can express no mapping of this layer on this core.
pub fn write_best(mut design_layer: DesignLayer, network: &Network) -> Result<TimeloopFiles, Diagnostics> {
    let best = design_layer.best()?;
    let stated = design_layer.problem.unroll.clone();
    design_layer.problem.unroll = evenly(&design_layer);
    let mut mapped = if design_layer.problem.unroll == stated { best.clone() } else { design_layer.best()? };
    let mut constraints =
        LayerConstraintsSpec { layer: Some(design_layer.layer.clone()), ..LayerConstraintsSpec::default() };
    for _ in 0..MAX_SEARCHES {
        let unsayable = match compose(&design_layer, &mapped.mapping) {
            Ok(mut written) => {
                let more = 100.0 * (mapped.energy_pj() / best.energy_pj() - 1.0);
                if design_layer.problem.unroll != stated {
                    let reason = "over numbers of PEs that divide the loops, as Timeloop unrolls evenly";
                    written.report.note(Severity::Expressed, "unroll", reason, "");
                }
                if mapped.mapping != best.mapping {
                    // Another unrolling may be better.
                    let than =
                        if more < 0.0 { "less energy than the best as stated" } else { "more energy than the best" };
                    let more = more.abs();
                    let reason = format!("found among those that Timeloop can say: it costs {more:.2} % {than}");
                    written.report.note(Severity::Expressed, "mapping", &reason, "");
                }
                return Ok(written);
            }
            Err(unsayable) => unsayable,
        };
        let before = constraints.levels.clone();
        match &unsayable {
            NotExpressible::Levels(NoLevels::Crossed(levels)) => {
                let [inner, outer] = &**levels;
                constraints.levels.extend(bounds(&design_layer.on_core(), &mapped.mapping, inner, outer));
            }
            NotExpressible::Mixed(levels) => {
                constraints
                    .levels
                    .extend(levels.iter().map(|level| in_order(&design_layer.on_core(), &mapped.mapping, level)));
            }
            NotExpressible::Levels(NoLevels::NotNested(_)) | NotExpressible::Layer(_) => {}
        }
        constraints.levels.dedup();
        if constraints.levels == before {
            return Err(unsayable.into_diagnostics(&design_layer));
        }
        let document = ConstraintsSpec { layers: vec![constraints.clone()], ..ConstraintsSpec::default() };
        let allowed = user_constraints(&write_constraints(&document), &design_layer.core, network)?;
        let Some(Ok(found)) = allowed.of(&design_layer).map(|allowed| design_layer.clone().search_under(&allowed))
        else {
            return Err(unsayable.into_diagnostics(&design_layer));
        };
        mapped = found.mapped.as_ref().clone();
    }
    compose(&design_layer, &mapped.mapping).map_err(|unsayable| unsayable.into_diagnostics(&design_layer))
}

/// The unrolling over the most PEs such that their number divides each loop.
fn evenly(design_layer: &DesignLayer) -> Vec<Unroll> {
    let mut left: Vec<u64> = Dim::ALL.iter().map(|dim| design_layer.problem.shape.size(*dim)).collect();
    let even = |unroll: &Unroll| {
        let left = &mut left[unroll.dim as usize];
        let limit = (1..=unroll.limit.min(*left)).rev().find(|width| left.is_multiple_of(*width)).unwrap_or(1);
        *left /= limit;
        // An unrolling that is wider than its loop is kept.
        if unroll.limit > limit && *left == 1 { *unroll } else { Unroll { limit, ..*unroll } }
    };
    design_layer.problem.unroll.iter().map(even).collect()
}

/// Iterations of a dimension among the innermost `end` loops.
fn iterations(order: &[TemporalLoop], end: usize, dim: Dim) -> u64 {
    let loops = order.iter().take(end).filter(|one| one.dim == dim);
    loops.fold(1, |all, one| all.saturating_mul(one.size))
}

/// Constraints by operand: the inner level holds at most as many iterations of its relevant loops as the outer one.
fn bounds(
    problem: &LayerOnCore<'_>,
    mapping: &TemporalMapping,
    inner: &TimeloopLevel,
    outer: &TimeloopLevel,
) -> Vec<LevelConstraintsSpec> {
    let of = |operand: &LayerOperand| {
        let view = &problem.operands[*operand];
        let counts = |dim: &&Dim| view.relevance[**dim as usize] != Relevance::Irrelevant;
        let bound = |dim: &Dim| {
            let most = iterations(&mapping.order, outer.range.1, *dim);
            let is_less = most < iterations(&mapping.order, inner.range.0, *dim);
            let bound = if most == 1 { BoundSpec::Exactly(1) } else { BoundSpec::AtMost(most) };
            is_less.then(|| LoopBoundSpec { dimension: dim.to_string(), bound })
        };
        LevelConstraintsSpec {
            memory: problem.core.memories[inner.memory].name.clone(),
            operands: vec![problem.operand_name(*operand).to_owned()],
            within: Dim::ALL.iter().filter(counts).filter_map(bound).collect(),
            ..LevelConstraintsSpec::default()
        }
    };
    inner.operands.iter().map(of).filter(|constraint| !constraint.within.is_empty()).collect()
}

/// Constraints that order the loops of a level dimension by dimension, by their first occurrence.
fn in_order(problem: &LayerOnCore<'_>, mapping: &TemporalMapping, level: &TimeloopLevel) -> LevelConstraintsSpec {
    let mut dims: Vec<Dim> = Vec::new();
    for one in mapping.order.iter().take(level.end) {
        if !dims.contains(&one.dim) {
            dims.push(one.dim);
        }
    }
    LevelConstraintsSpec {
        memory: problem.core.memories[level.memory].name.clone(),
        operands: level.operands.iter().map(|operand| problem.operand_name(*operand).to_owned()).collect(),
        order: dims.iter().map(ToString::to_string).collect(),
        ..LevelConstraintsSpec::default()
    }
}
