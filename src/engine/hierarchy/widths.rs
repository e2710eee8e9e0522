//! The choice of word widths for the memories of a hierarchy (ZigZag, Section V-B, bandwidth optimisation).

use super::generate::{Element, HierarchyMemory};
use super::request::Widths;
use crate::hardware::{ArrayDimId, ArrayDims, Core, Operand};
use crate::ids::{TiVec, ti_vec};
use crate::mapping::{LayerOnCore, Relevance};
use crate::pool::{Pool, Variant};

/// The bandwidth that the array demands for each operand, over all layers of a study.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BandwidthDemand {
    /// Bits per element of each operand.
    bits: [u64; 3],
    /// Different elements of each operand that the unrolling over each array dimension uses at once.
    fan_out: [TiVec<ArrayDimId, u64>; 3],
}

impl BandwidthDemand {
    /// The largest demand of all `layers`.
    pub fn new<'a>(core: &Core, layers: impl Iterator<Item = LayerOnCore<'a>>) -> Self {
        let mut demand = Self { bits: [1; 3], fan_out: [(); 3].map(|()| ti_vec![1; core.array.len()]) };
        for layer in layers {
            for view in &layer.operands {
                let operand = view.stored_as as usize;
                demand.bits[operand] = demand.bits[operand].max(view.precision.0).max(view.precision.1);
                let mut fan_out: TiVec<ArrayDimId, u64> = ti_vec![1; core.array.len()];
                for unrolled in &layer.spatial.loops {
                    if view.relevance[unrolled.dim as usize] != Relevance::Irrelevant {
                        fan_out[unrolled.array_dim] = fan_out[unrolled.array_dim].saturating_mul(unrolled.peak);
                    }
                }
                for (most, here) in demand.fan_out[operand].iter_mut().zip(fan_out) {
                    *most = here.max(*most);
                }
            }
        }
        demand
    }

    /// Different elements of `operand` over the array dimensions of `shared` that are not in `below`.
    fn fan_out(&self, operand: Operand, shared: ArrayDims, below: ArrayDims) -> u64 {
        let dims = self.fan_out[operand as usize].iter_enumerated();
        dims.filter(|(dim, _)| shared.contains(*dim) && !below.contains(*dim))
            .fold(1, |all, (_, &count)| all.saturating_mul(count))
    }
}

/// The memories with their variants: one list, or all.
pub(super) fn choose_variants(
    widths: Widths,
    pool: &Pool,
    elements: &[Element],
    chosen: &[HierarchyMemory],
    demand: &BandwidthDemand,
) -> Vec<Vec<HierarchyMemory>> {
    match widths {
        Widths::Fitting => vec![fitting(pool, elements, chosen, demand)],
        Widths::All => chosen.iter().fold(vec![Vec::new()], |lists, placed| {
            let variants = pool.memories[elements[placed.element as usize].memory].variants.len();
            let with = |list: &Vec<HierarchyMemory>| {
                let list = list.clone();
                (0..variants).map(move |variant| {
                    list.iter().copied().chain([HierarchyMemory { variant: variant as u8, ..*placed }]).collect()
                })
            };
            lists.iter().flat_map(with).collect()
        }),
    }
}

fn fitting(
    pool: &Pool,
    elements: &[Element],
    chosen: &[HierarchyMemory],
    demand: &BandwidthDemand,
) -> Vec<HierarchyMemory> {
    // For each operand the width of its highest memory so far, and the array dimensions over which that is shared.
    let mut below: [Option<(u64, ArrayDims)>; 3] = [None; 3];
    let mut memories = Vec::with_capacity(chosen.len());
    for placed in chosen {
        let element = elements[placed.element as usize];
        let held = || Operand::ALL.into_iter().filter(|&operand| placed.holds(operand));
        let needed = held()
            .map(|operand| {
                let (width, shared) =
                    below[operand as usize].unwrap_or((demand.bits[operand as usize], ArrayDims::default()));
                width.saturating_mul(demand.fan_out(operand, element.shared_over, shared))
            })
            .max()
            .unwrap_or(1);
        let variants = &pool.memories[element.memory].variants;
        let width = |variant: &Variant| variant.read_width_bits.min(variant.write_width_bits);
        let variant = variants.iter().position(|variant| width(variant) >= needed).unwrap_or(variants.len() - 1);
        for operand in held() {
            below[operand as usize] = Some((width(&variants[variant]), element.shared_over));
        }
        memories.push(HierarchyMemory { variant: variant as u8, ..*placed });
    }
    memories
}
