//! How the public ZigZag tool picks spatial mappings (v3.8.5, stages/mapping/spatial_mapping_generation.py and
//! mapping/spatial_mapping.py): widths bounded for each array dimension and loop by itself, divisors only, and the
//! three that seem to use the array best. For comparison; [`super::unrollings`] is right.

use super::operands::{Relevance, bits_as_weights, relevance};
use crate::hardware::{ArrayDimId, Core, MemoryId, Movement, Operand, Unroll};
use crate::ids::{TiSlice, TiVec};
use crate::rules::Rules;
use crate::sorting::{sort_by, sort_few_by_key};
use crate::workload::{Dim, LayerKind, LayerShape, LoopSizes};
use serde::{Deserialize, Serialize};

/// The tool's input about a layer's unrolling.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GenerationRequest {
    /// Unrollings that are given: every generated mapping has them.
    pub provided: Vec<Unroll>,
    /// The loops from which other array dimensions choose; without a hint from all.
    pub hints: Vec<(ArrayDimId, Vec<Dim>)>,
    /// Whether an array dimension may unroll two or more different loops.
    pub mixed: bool,
}

/// The spatial mappings that ZigZag generates for a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpatialGeneration {
    /// Array dimensions without a provided unrolling.
    pub filled: Vec<ArrayDimId>,
    /// Ways to fill them, legal or not.
    pub candidates: u64,
    /// The legal ones with their indicator, the highest first. The tool searches the first three. Its order of equals
    /// is arbitrary; here it is the order of enumeration.
    pub ranked: Vec<(f64, Vec<Unroll>)>,
}

/// The widest that each loop may lie on each array dimension: no wider than the dimension and the loop, and no wider than
/// the port of any innermost memory serves elements of its operand.
pub fn width_bounds(core: &Core, rules: &Rules, shape: &LayerShape) -> TiVec<ArrayDimId, LoopSizes> {
    let limits = elements_passed(core, shape);
    let bound = |array_dim: ArrayDimId, dim: Dim| {
        let concerned = limits.iter().filter(|(memory, operand, _)| {
            core.memories[*memory].shared_over.contains(array_dim)
                && relevance(shape, *operand, dim, rules) != Relevance::Irrelevant
        });
        concerned.map(|(_, _, limit)| *limit).fold(core.array[array_dim].1.min(shape.size(dim)), u64::min).max(1)
    };
    core.array.keys().map(|array_dim| Dim::ALL.map(|dim| bound(array_dim, dim))).collect()
}

/// The elements of each operand that the port of each innermost memory passes at once.
fn elements_passed(core: &Core, shape: &LayerShape) -> Vec<(MemoryId, Operand, u64)> {
    let innermost = |memory: MemoryId| {
        core.memories[memory].operands.iter().all(|&operand| core.level_of(operand, memory) == Some(0))
    };
    core.memories
        .keys()
        .filter(|&memory| innermost(memory))
        .flat_map(|memory| core.memories[memory].operands.iter().map(move |&operand| (memory, operand)))
        .filter_map(|(memory, operand)| {
            let (movement, bits) = match operand {
                Operand::W => (Movement::ReadToLow, bits_as_weights(shape)),
                Operand::I => (Movement::ReadToLow, shape.precision.i),
                Operand::O => (Movement::WriteFromLow, shape.precision.o_partial),
            };
            Some((memory, operand, core.memories[memory].width_bits(operand, movement).checked_div(bits)?))
        })
        .collect()
}

/// Whether the tool fails at a stated unrolling: it narrows the unrolling to 0 where a port of an innermost memory is
/// narrower than an element. It treats every operand as relevant to loops of one iteration.
pub fn fails_at(core: &Core, rules: &Rules, shape: &LayerShape, provided: &[Unroll]) -> bool {
    let passes_none = |(memory, operand, _): &(MemoryId, Operand, u64)| {
        provided.iter().any(|unroll| {
            core.memories[*memory].shared_over.contains(unroll.array_dim)
                && (shape.size(unroll.dim) == 1
                    || relevance(shape, *operand, unroll.dim, rules) != Relevance::Irrelevant)
        })
    };
    elements_passed(core, shape).iter().filter(|(.., elements)| *elements == 0).any(passes_none)
}

/// Generates as the tool does, within `bounds`.
///
/// `dims` are the loops of the layer in the tool, those of size 1 included.
pub fn generate(
    core: &Core,
    shape: &LayerShape,
    dims: &[Dim],
    bounds: &TiSlice<ArrayDimId, LoopSizes>,
    request: &GenerationRequest,
) -> SpatialGeneration {
    let provided = reduce(core, shape, bounds, &request.provided);
    let filled: Vec<ArrayDimId> = bounds
        .keys()
        .filter(|&array_dim| !request.provided.iter().any(|unroll| unroll.array_dim == array_dim))
        .collect();
    let choices: Vec<Vec<Vec<Unroll>>> = filled
        .iter()
        .map(|&array_dim| {
            let hint = request.hints.iter().find(|(hinted, _)| *hinted == array_dim);
            let dims: Vec<Dim> =
                dims.iter().copied().filter(|dim| hint.is_none_or(|(_, hinted)| hinted.contains(dim))).collect();
            choices(core, array_dim, &dims, &bounds[array_dim], request.mixed)
        })
        .collect();
    let mut ranked: Vec<(f64, Vec<Unroll>)> = combinations(&choices)
        .into_iter()
        .map(|chosen| provided.iter().copied().chain(chosen).collect::<Vec<Unroll>>())
        .filter(|unroll| Dim::ALL.iter().all(|&dim| total(unroll, dim) <= shape.size(dim)))
        .map(|unroll| (indicator(&unroll), unroll))
        .collect();
    sort_by(&mut ranked, |a, b| b.0.total_cmp(&a.0));
    let candidates = if filled.is_empty() { 0 } else { choices.iter().map(|all| all.len() as u64).product() };
    SpatialGeneration { filled, candidates, ranked }
}

/// A provided mapping, reduced: loops no wider than the bounds, no more on one dimension than fit there, and no more of
/// one loop over all dimensions than the layer has.
///
/// The tool removes loops in the order of Python sets, which follows from hashes of names (`place_in_set`).
pub fn reduce(
    core: &Core,
    shape: &LayerShape,
    bounds: &TiSlice<ArrayDimId, LoopSizes>,
    provided: &[Unroll],
) -> Vec<Unroll> {
    let cut = |unroll: &Unroll| {
        let bound = bounds.get(unroll.array_dim)?[unroll.dim as usize];
        Some(Unroll { limit: unroll.limit.min(bound), ..*unroll })
    };
    let mut kept: Vec<Unroll> = provided.iter().filter_map(cut).collect();
    for (array_dim, (_, size)) in core.array.iter_enumerated() {
        let on_it = |unroll: &Unroll| unroll.array_dim == array_dim;
        let first = |unroll: &Unroll| place_in_set(loop_name(shape, unroll.dim));
        while product(kept.iter().filter(|unroll| on_it(unroll))) > *size {
            remove_first(&mut kept, on_it, first);
        }
    }
    for dim in Dim::ALL {
        let first = |unroll: &Unroll| place_in_set(&core.array[unroll.array_dim].0);
        while total(&kept, dim) > shape.size(dim) {
            remove_first(&mut kept, |unroll| unroll.dim == dim, first);
        }
    }
    kept
}

/// Removes the unrolling with the lowest `place` of those that `may_go`.
fn remove_first(kept: &mut Vec<Unroll>, may_go: impl Fn(&Unroll) -> bool, place: impl Fn(&Unroll) -> u8) {
    let candidates = kept.iter().enumerate().filter(|(_, unroll)| may_go(unroll));
    if let Some((index, _)) = candidates.min_by_key(|(_, unroll)| place(unroll)) {
        kept.remove(index);
    }
}

/// The name of a loop in the tool's files.
fn loop_name(shape: &LayerShape, dim: Dim) -> &'static str {
    match (shape.kind, dim) {
        (LayerKind::MatMul, Dim::OX) => "D",
        (LayerKind::MatMul, Dim::G) => "H",
        _ => dim.name(),
    }
}

/// Where a name comes in a Python set of few names: by the last bits of the tool's hash of it (datatypes.py). Of names that share a place
/// the one that was put in first keeps it. Other names come last.
fn place_in_set(name: &str) -> u8 {
    match name {
        "D1" | "G" => 0,
        "D4" | "K" | "OY" => 1,
        "D3" | "FX" => 2,
        "D2" | "B" => 3,
        "D" => 5,
        "C" | "OX" | "H" => 6,
        "FY" => 7,
        _ => 8,
    }
}

/// A stated unrolling as the tool narrows it: no wider than the ports and sizes of the innermost memories allow.
pub fn narrowed(core: &Core, rules: &Rules, shape: &LayerShape, provided: &[Unroll]) -> Vec<Unroll> {
    let reduced = reduce(core, shape, &width_bounds(core, rules, shape), provided);
    fit_capacity(core, rules, shape, &reduced)
}

/// The choices of an array dimension: for each loop all divisors of its bound; if mixed, also all products of divisors
/// of different loops that fit.
fn choices(core: &Core, array_dim: ArrayDimId, dims: &[Dim], bounds: &LoopSizes, mixed: bool) -> Vec<Vec<Unroll>> {
    let divisors = |dim: Dim| -> Vec<u64> {
        let bound = bounds[dim as usize];
        (1..=bound).filter(|width| bound.is_multiple_of(*width)).collect()
    };
    let unroll = |dim: Dim, limit: u64| Unroll { array_dim, dim, limit };
    let mut all: Vec<Vec<Unroll>> =
        dims.iter().flat_map(|&dim| divisors(dim).into_iter().map(move |limit| vec![unroll(dim, limit)])).collect();
    if mixed {
        let mut products: Vec<(u64, Vec<Unroll>)> = vec![(1, Vec::new())];
        for &dim in dims {
            let wider: Vec<(u64, Vec<Unroll>)> = products
                .iter()
                .flat_map(|(used, unrolled)| {
                    divisors(dim).into_iter().filter(|&limit| limit > 1).map(move |limit| {
                        (used.saturating_mul(limit), unrolled.iter().copied().chain([unroll(dim, limit)]).collect())
                    })
                })
                .filter(|(used, _)| *used <= core.array[array_dim].1)
                .collect();
            products.extend(wider);
        }
        all.extend(products.into_iter().map(|(_, unrolled)| unrolled).filter(|unrolled| unrolled.len() > 1));
    }
    all
}

/// One choice for each dimension, in all ways.
fn combinations(choices: &[Vec<Vec<Unroll>>]) -> Vec<Vec<Unroll>> {
    choices.iter().fold(vec![Vec::new()], |all, choices| {
        let with = |before: &Vec<Unroll>| -> Vec<Vec<Unroll>> {
            choices.iter().map(|choice| before.iter().chain(choice).copied().collect()).collect()
        };
        all.iter().flat_map(with).collect()
    })
}

/// How wide a loop is over all array dimensions.
fn total(unroll: &[Unroll], dim: Dim) -> u64 {
    product(unroll.iter().filter(|unroll| unroll.dim == dim))
}

/// How wide all of these are together.
fn product<'a>(unroll: impl Iterator<Item = &'a Unroll>) -> u64 {
    unroll.map(|unroll| unroll.limit).fold(1, u64::saturating_mul)
}

/// The figure by which the tool ranks: PEs in use, and a little for not using them all for the same loop.
fn indicator(unroll: &[Unroll]) -> f64 {
    let used: u64 = unroll.iter().map(|unroll| unroll.limit).product();
    let widest = Dim::ALL.into_iter().map(|dim| total(unroll, dim)).max().unwrap_or(1);
    used as f64 + used as f64 / widest as f64 - 1.0
}

/// Narrows an unrolling until every innermost memory has room for the data that it serves at once: repeatedly the
/// widest loop by one. Then all loops of one width get the width that the last of them was left, so that the memory may
/// still be too small.
///
/// A memory too small for a single element leaves loops of one iteration; version 3.8 fails there, 3.9 goes on.
pub fn fit_capacity(core: &Core, rules: &Rules, shape: &LayerShape, unroll: &[Unroll]) -> Vec<Unroll> {
    let mut unroll = unroll.to_vec();
    for (id, memory) in core.memories.iter_enumerated() {
        if memory.operands.iter().any(|&operand| core.level_of(operand, id) != Some(0)) {
            continue;
        }
        for &operand in &memory.operands {
            let bits = match operand {
                Operand::W => bits_as_weights(shape),
                Operand::I => shape.precision.i,
                Operand::O => shape.precision.o_partial,
            };
            let counts = |unroll: &Unroll| {
                memory.shared_over.contains(unroll.array_dim)
                    && relevance(shape, operand, unroll.dim, rules) != Relevance::Irrelevant
            };
            // The tool goes from loop to loop, each over all array dimensions.
            let mut served: Vec<&Unroll> = unroll.iter().filter(|unroll| counts(unroll)).collect();
            sort_few_by_key(&mut served, |unroll| place_in_set(loop_name(shape, unroll.dim)));
            let served: Vec<u64> = served.into_iter().map(|unroll| unroll.limit).collect();
            let mut narrowed = served.clone();
            while narrowed.iter().fold(bits, |all, &width| all.saturating_mul(width)) > memory.size_bits {
                let widest = narrowed.iter().copied().max().unwrap_or(1);
                let Some(first) = narrowed.iter_mut().find(|width| **width == widest && widest > 1) else { break };
                *first -= 1;
            }
            for part in unroll.iter_mut().filter(|part| counts(part)) {
                let last = served.iter().rposition(|&width| width == part.limit);
                part.limit = last.map_or(part.limit, |last| narrowed[last]);
            }
        }
    }
    unroll
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// An array of 8 x 4, whose lowest memory of weights serves all of it.
    fn core(bits: u64) -> Core {
        Core::from_text(&format!(
            "name: tiny\narray: {{ dimensions: {{ D1: 8, D2: 4 }}, mac_energy: 1 pJ }}\nmemories:\n\
             - {{ name: weights, size: {bits} bit, operands: [W], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, \
             shared_over: all }}\n\
             - {{ name: dram, size: 1 MiB, operands: [W, I, O], width: 8 bit, read_energy: 9 pJ, write_energy: 9 pJ, shared_over: all }}\n"
        ))
        .unwrap()
    }

    #[test]
    fn the_widest_relevant_loops_are_narrowed_until_the_lowest_memory_holds_them() {
        let network = crate::workload::Network::from_text(
            "name: one\nlayers:\n  - { name: image, type: input, K: 8, size: 16 x 16 }\n  - { name: conv, type: conv, \
             K: 16, kernel: 1 x 1 }\n",
        )
        .unwrap();
        let shape = network.layer(network.computing().next().unwrap()).shape;
        let over = |dim: Dim, limit: u64, array_dim: ArrayDimId| Unroll { array_dim, dim, limit };
        let limits = |bits: u64, unroll: &[Unroll]| {
            let fitted = fit_capacity(&core(bits), &Rules::ZIGZAG_3_8, &shape, unroll);
            fitted.iter().map(|unroll| unroll.limit).collect::<Vec<_>>()
        };
        let [first, second] = [0, 1].map(ArrayDimId::from);
        let both = [over(Dim::K, 8, first), over(Dim::C, 4, second)];
        assert_eq!(limits(256, &both), [8, 4], "8 x 4 weights of a byte fit");
        assert_eq!(limits(248, &both), [7, 4], "the widest gives way");
        assert_eq!(limits(120, &both), [3, 4], "7, 6, 5, 4 and then the first of equals");
        let equal = [over(Dim::K, 4, first), over(Dim::C, 4, second)];
        assert_eq!(limits(64, &equal), [3, 3], "2 x 3 weights fit, but loops of one width get the same");
        let with_rows = [over(Dim::OY, 8, first), over(Dim::C, 4, second)];
        assert_eq!(limits(32, &with_rows), [8, 4], "rows need no weights of their own");
        assert_eq!(limits(7, &both), [1, 1], "not even one weight fits");
    }
}
