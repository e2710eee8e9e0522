//! Changes from one point to another: energy and latency by cause, energy by memory, and the data that is in another
//! memory.

use super::account::{LayerTileAccount, PointAccount, StackAccount, TileTypeAccount};
use super::ids::TileTypeId;
use super::strategy::DepthFirstStrategy;
use crate::cost::{EnergyCause, EnergySplit, LatencySplit};
use crate::hardware::Operand;
use crate::sorting::sort_by;
use serde::{Deserialize, Serialize};

/// The same quantity at both points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sides<T> {
    /// At the point that is looked at.
    pub from: T,
    /// At the other one.
    pub to: T,
}

impl Sides<f64> {
    /// The growth; below 0 where it shrinks.
    pub fn growth(self) -> f64 {
        self.to - self.from
    }
}

/// The change from one point to another of the same design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointChange {
    /// Both strategies.
    pub strategy: Sides<DepthFirstStrategy>,
    /// Energy by cause.
    pub energy: Sides<EnergySplit>,
    /// Latency by cause.
    pub latency: Sides<LatencySplit>,
    /// Multiply-accumulates, recomputed ones included.
    pub macs: Sides<u64>,
    /// Energy of the accesses of each memory, the lowest memory first.
    pub memories: Vec<MemoryChange>,
    /// Data that is in another memory, those layers first whose energy changes most.
    pub moves: Vec<DataMove>,
}

/// Energy of one memory before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryChange {
    /// Name of the memory in the hardware document.
    pub name: String,
    /// Energy of its accesses, pJ.
    pub energy_pj: Sides<f64>,
}

/// An operand of a layer whose top memory differs between the points, in the most frequent tile type of its stack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataMove {
    /// Name of the layer.
    pub layer: String,
    /// Which operand of the layer moves.
    pub operand: Operand,
    /// Names of the top memories.
    pub memory: Sides<String>,
    /// Size of one tile's part of it, bits.
    pub bits: Sides<u64>,
    /// Whether the other memory is a higher one.
    pub is_up: bool,
    /// The reason why it does not stay in its memory, as a sentence of the account; `None` where it moves down, or the
    /// account has no sentence on it.
    pub why: Option<String>,
    /// Energy of the layer over all tiles, data copy actions included, pJ.
    pub layer_pj: Sides<f64>,
}

impl PointChange {
    /// Compares the accounts of two points of one design.
    pub fn between(from: &PointAccount, to: &PointAccount) -> Self {
        let memory = |a: &super::account::MemoryAccount| {
            let other = to.memories.iter().find(|memory| memory.name == a.name);
            let energy_pj = Sides { from: a.energy_pj.total(), to: other.map_or(0.0, |b| b.energy_pj.total()) };
            MemoryChange { name: a.name.clone(), energy_pj }
        };
        Self {
            strategy: Sides { from: from.strategy.clone(), to: to.strategy.clone() },
            energy: Sides { from: from.energy, to: to.energy },
            latency: Sides { from: from.latency, to: to.latency },
            macs: Sides { from: from.macs, to: to.macs },
            memories: from.memories.iter().map(memory).collect(),
            moves: moves(from, to),
        }
    }

    /// Growth of the energy of each cause, pJ.
    pub fn energy_growth(&self) -> impl Iterator<Item = (EnergyCause, f64)> + '_ {
        EnergyCause::ALL.into_iter().map(|cause| (cause, self.energy.to[cause] - self.energy.from[cause]))
    }
}

impl StackAccount {
    /// The most frequent tile type; among equals the first.
    pub fn most_frequent_type(&self) -> Option<TileTypeId> {
        let mut most: Option<(TileTypeId, u64)> = None;
        for (id, tile_type) in self.tile_types.iter_enumerated() {
            if most.is_none_or(|(_, count)| tile_type.count > count) {
                most = Some((id, tile_type.count));
            }
        }
        most.map(|(id, _)| id)
    }
}

/// A layer of a point: in its most frequent tile type, with its energy over all tiles.
struct LayerOfPoint<'a> {
    tile: &'a LayerTileAccount,
    energy_pj: f64,
}

fn layers(account: &PointAccount) -> Vec<LayerOfPoint<'_>> {
    let of_stack = |stack: &'_ StackAccount| -> Vec<(String, f64)> {
        let mut sums: Vec<(String, f64)> = Vec::new();
        for tile_type in &stack.tile_types {
            for layer in &tile_type.layers {
                let energy_pj = layer_tile_pj(layer) * tile_type.count as f64;
                match sums.iter_mut().find(|(name, _)| *name == layer.layer) {
                    Some((_, sum)) => *sum += energy_pj,
                    None => sums.push((layer.layer.clone(), energy_pj)),
                }
            }
        }
        sums
    };
    let mut found = Vec::new();
    for stack in &account.stacks {
        let sums = of_stack(stack);
        let frequent: Option<&TileTypeAccount> = stack.most_frequent_type().and_then(|id| stack.tile_types.get(id));
        // A stack input is only fetched: the layer itself belongs to the stack that computes it.
        let computed = frequent.into_iter().flat_map(|tile_type| &tile_type.layers).filter(|tile| tile.kind.is_some());
        found.extend(computed.map(|tile| {
            let energy_pj = sums.iter().find(|(name, _)| *name == tile.layer).map_or(0.0, |(_, sum)| *sum);
            LayerOfPoint { tile, energy_pj }
        }));
    }
    found
}

/// Energy of one layer-tile and of the data copy actions before it, pJ.
fn layer_tile_pj(layer: &LayerTileAccount) -> f64 {
    layer.copies.energy_pj + layer.cost.as_ref().map_or(0.0, |cost| cost.energy.total_pj())
}

fn moves(from: &PointAccount, to: &PointAccount) -> Vec<DataMove> {
    let height = |name: &str| from.memories.iter().position(|memory| memory.name == name);
    let others = layers(to);
    let mut moves = Vec::new();
    for here in layers(from) {
        let Some(there) = others.iter().find(|other| other.tile.layer == here.tile.layer) else { continue };
        for operand in [Operand::W, Operand::I, Operand::O] {
            let (Some(a), Some(b)) = (here.tile.top(operand), there.tile.top(operand)) else { continue };
            if a == b {
                continue;
            }
            let is_up = height(b) > height(a);
            moves.push(DataMove {
                layer: here.tile.layer.clone(),
                operand,
                memory: Sides { from: a.to_owned(), to: b.to_owned() },
                bits: Sides { from: here.tile.operand_bits(operand), to: there.tile.operand_bits(operand) },
                is_up,
                why: why(there.tile, operand, a).filter(|_| is_up),
                layer_pj: Sides { from: here.energy_pj, to: there.energy_pj },
            });
        }
    }
    sort_by(&mut moves, |a, b| b.layer_pj.growth().abs().total_cmp(&a.layer_pj.growth().abs()));
    moves
}

/// The sentence of an account with the reason why an operand is not in a memory.
fn why(layer: &LayerTileAccount, operand: Operand, memory: &str) -> Option<String> {
    let begins = format!("{operand} ");
    let names = [format!(" into {memory}:"), format!(" into {memory} "), format!(" in {memory},")];
    let is_why = |reason: &&String| reason.starts_with(&begins) && names.iter().any(|name| reason.contains(name));
    // A sentence that says where an operand has to be, instead of why it is not lower.
    let has_to = |reason: &&String| match operand {
        Operand::W => reason.starts_with("W comes from") || reason.starts_with("W of the whole stack"),
        Operand::I => false,
        Operand::O => reason.contains("the output of the stack"),
    };
    layer.reasons.iter().find(is_why).or_else(|| layer.reasons.iter().find(has_to)).cloned()
}

impl LayerTileAccount {
    /// Name of the highest memory that an operand uses; `None` where the layer has no such operand.
    pub fn top(&self, operand: Operand) -> Option<&str> {
        match operand {
            Operand::W => self.top_memory.w.as_deref(),
            Operand::I => self.top_memory.i.as_deref(),
            Operand::O => self.top_memory.o.as_deref(),
        }
    }

    /// Size of one tile's part of an operand, bits.
    pub fn operand_bits(&self, operand: Operand) -> u64 {
        match operand {
            Operand::W => self.bits.w,
            Operand::I => self.bits.i,
            Operand::O => self.bits.o,
        }
    }
}
