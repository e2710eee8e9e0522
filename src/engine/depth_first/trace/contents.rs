//! Contents of every memory during one step.

use super::{StackTrace, TraceStep};
use crate::depth_first::account::{LayerTileAccount, MemoryAccount, StackAccount, TileTypeAccount};
use crate::depth_first::ids::NodeId;
use crate::hardware::{MemoryId, Operand};
use crate::ids::{TiSlice, TiVec, ti_vec};

/// A part of a memory's contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContentsPart {
    /// An operand of the layer that runs.
    Running(Operand),
    /// Weights of the stack's other layers, which are kept for the next tiles.
    OtherWeights,
    /// Features of this tile that a later layer needs, but not the one that runs.
    Waiting,
    /// Overlap that is kept for neighbouring tiles, without the part that the running layer reads in place.
    Kept,
}

impl ContentsPart {
    /// Every variant, in the order in which a memory is drawn, from the bottom up.
    pub const ALL: [Self; 6] = [
        Self::Running(Operand::W),
        Self::Running(Operand::I),
        Self::Running(Operand::O),
        Self::OtherWeights,
        Self::Waiting,
        Self::Kept,
    ];

    /// For a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::Running(Operand::W) => "W",
            Self::Running(Operand::I) => "I",
            Self::Running(Operand::O) => "O",
            Self::OtherWeights => "other layers' W",
            Self::Waiting => "waits for later layers",
            Self::Kept => "overlap kept for other tiles",
        }
    }
}

/// The contents of one instance of a memory, bits.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Contents {
    /// By part, in the order of [`ContentsPart::ALL`].
    pub bits: [f64; ContentsPart::ALL.len()],
}

impl Contents {
    /// Bits of a part.
    pub fn of(&self, part: ContentsPart) -> f64 {
        self.parts().find(|(other, _)| *other == part).map_or(0.0, |(_, bits)| bits)
    }

    /// All parts with their bits.
    pub fn parts(&self) -> impl Iterator<Item = (ContentsPart, f64)> + '_ {
        ContentsPart::ALL.into_iter().zip(self.bits)
    }

    /// Bits of all parts.
    pub fn total(&self) -> f64 {
        self.bits.iter().sum()
    }

    fn add(&mut self, part: ContentsPart, bits: f64) {
        for (other, sum) in ContentsPart::ALL.into_iter().zip(&mut self.bits) {
            if other == part {
                *sum += bits;
            }
        }
    }
}

impl StackAccount {
    /// Contents of every memory while a step runs; empty where there is no such step.
    pub fn contents(
        &self,
        trace: &StackTrace,
        step: TraceStep,
        memories: &TiSlice<MemoryId, MemoryAccount>,
    ) -> TiVec<MemoryId, Contents> {
        let mut contents = ti_vec![Contents::default(); memories.len()];
        let Some((_, tile)) = self.tile(trace, step.tile) else { return contents };
        let Some(layer) = tile.layers.get(step.node) else { return contents };
        let mut add = |memory: Option<MemoryId>, part: ContentsPart, bits: f64| {
            if let Some(contents) = memory.and_then(|memory| contents.get_mut(memory)) {
                contents.add(part, bits);
            }
        };
        let named = |name: &Option<String>| memories.position(|memory| Some(&memory.name) == name.as_ref());
        let held = layer.cost.iter().flat_map(|cost| &cost.held);
        for held in held.clone() {
            add(Some(held.memory), ContentsPart::Running(held.stored_as), held.bits);
        }
        if layer.cost.is_none() {
            // A stack input is fetched to where the first layer finds it.
            add(named(&layer.top_memory.o), ContentsPart::Running(Operand::I), layer.bits.o as f64);
        }
        let kept_in = named(&self.weight_memory);
        let own = held.filter(|held| held.stored_as == Operand::W && Some(held.memory) == kept_in);
        let own: f64 = own.map(|held| held.bits).sum();
        // Registers together may keep them, each those of its own PE.
        let instances = kept_in.and_then(|memory| memories.get(memory)).map_or(1, |memory| memory.instances.max(1));
        let kept = self.weight_bits as f64 / instances as f64;
        add(kept_in, ContentsPart::OtherWeights, (kept - own).max(0.0));
        for waiting in waiting(trace, tile, step.node) {
            add(named(&waiting.top_memory.o), ContentsPart::Waiting, waiting.bits.o as f64);
        }
        // Overlap that the layer reads in place counts as its input.
        let input = named(&layer.top_memory.i);
        for (cache, bits, read) in [
            (named(&tile.caches.h_write).or(named(&tile.caches.h_read)), tile.caches.h_bits, layer.bits.h_cached),
            (named(&tile.caches.v_write).or(named(&tile.caches.v_read)), tile.caches.v_bits, layer.bits.v_cached),
        ] {
            let in_place = if cache == input { read } else { 0 };
            add(cache, ContentsPart::Kept, bits.saturating_sub(in_place) as f64);
        }
        contents
    }
}

/// Layers that have run in this tile, whose output a layer after the present one reads.
fn waiting<'a>(
    trace: &'a StackTrace,
    tile: &'a TileTypeAccount,
    now: NodeId,
) -> impl Iterator<Item = &'a LayerTileAccount> {
    let is_needed_later = move |node: NodeId| {
        let readers = || trace.reads.iter().filter(move |read| read.producer == node).map(|read| read.reader);
        readers().any(|reader| reader > now) && !readers().any(|reader| reader == now)
    };
    let layers = tile.layers.iter_enumerated();
    layers.filter(move |(node, _)| *node < now && is_needed_later(*node)).map(|(_, layer)| layer)
}
