//! The data in the memories while a tile is computed: maps that some layer still reads, both caches, and the weights
//! that the stack keeps.
//!
//! Nodes run one after the other, so amounts change only between them. A map is resident from its layer to its last
//! reader. Of the horizontal cache, columns of the left neighbour are resident until their readers have run, and
//! columns for the right neighbour from the layer on that computes them. The vertical cache covers the whole width of
//! the map: rows for the tiles below replace those from above once the latter have been read, also by the right
//! neighbour; until then both are resident. Pixels that a map and a cache, or both caches, have in common are stored
//! once, as long as they lie in one memory. DRAM, where a network lies anyway, is not counted.
//!
//! New data has to fit beside the resident data ([`super::placement::layer_levels`]), and so does everything that its
//! mapping holds, as the mapping gets only the room that is left ([`crate::mapping::LayerProblem::reserved`]): this
//! includes partial sums, which are wider than the outputs that they become, and data on levels above those chosen by
//! size. In the tile that fetches them, a layer's weights count in full, in addition to the bits that its mapping holds
//! of them, as they stay in the memories that they pass.

use super::ids::{NodeId, ReadId};
use super::layer_tile::TilePlanner;
use super::placement::ResidentBits;
use super::plan::Caches;
use crate::hardware::{MemoryId, Operand};
use crate::ids::{TiVec, ti_vec};

/// Bits that are taken of each memory, as the nodes of a tile are planned one after the other.
pub(super) struct Residents<'a> {
    tile: &'a TilePlanner<'a>,
    pub amounts: ResidentAmounts,
}

/// What is resident at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct ResidentAmounts {
    /// For each node planned so far, the memory of its map, and its bits there.
    maps: TiVec<NodeId, Option<(MemoryId, u64)>>,
    /// Bits of maps that later nodes read, by memory.
    held: TiVec<MemoryId, u64>,
    /// Bits of both caches, by memory.
    cached: TiVec<MemoryId, u64>,
}

impl<'a> Residents<'a> {
    /// The state before the first node of a tile.
    pub fn new(tile: &'a TilePlanner<'a>) -> Self {
        let count = tile.core.memories.len();
        let maps = ti_vec![None; tile.stack.nodes.len()];
        let amounts = ResidentAmounts { maps, held: ti_vec![0; count], cached: ti_vec![0; count] };
        let mut residents = Self { tile, amounts };
        let Caches { h_read, v_read, v_write, .. } = tile.caches;
        for node in tile.stack.nodes.keys() {
            if let Some(memory) = v_read.or(v_write) {
                // Above the first row of tiles there is nothing.
                let from_here = if v_read.is_none() { tile.written_bits(node)[1] } else { 0 };
                residents.amounts.cached[memory] += tile.kept_rows_bits(node).saturating_sub(from_here);
            }
            let columns = residents.columns(node, h_read, tile.x.nodes[node].from_cache);
            columns.into_iter().flatten().for_each(|(memory, bits)| residents.amounts.cached[memory] += bits);
        }
        residents
    }

    /// What was resident at some moment of this tile.
    pub fn at(tile: &'a TilePlanner<'a>, amounts: ResidentAmounts) -> Self {
        Self { tile, amounts }
    }

    /// Whether the memories hold the caches and the weights that the stack keeps.
    pub fn have_room(&self) -> bool {
        let tile = self.tile;
        let is_top = |memory: MemoryId| Operand::ALL.iter().any(|&operand| tile.core.top(operand) == memory);
        let mut memories = self.amounts.cached.iter_enumerated().filter(|(memory, _)| !is_top(*memory));
        let kept = |memory: MemoryId| if memory == tile.w_memory { tile.kept_bits } else { 0 };
        memories.all(|(memory, &cached)| cached + kept(memory) <= tile.core.memories[memory].size_bits)
    }

    /// Where each map lies that a later node reads.
    pub fn places(&self) -> impl Iterator<Item = Option<MemoryId>> {
        self.amounts.maps.iter().map(|map| map.map(|(memory, _)| memory))
    }

    /// Where a map lies that a later node reads.
    pub fn map_memory(&self, node: NodeId) -> Option<MemoryId> {
        self.amounts.maps[node].map(|(memory, _)| memory)
    }

    /// Memories and bits of the columns that are left to the right: of the tile's own rows, and of the rows from above.
    fn columns(&self, node: NodeId, cache: Option<MemoryId>, columns: u64) -> [Option<(MemoryId, u64)>; 2] {
        let Some(cache) = cache else { return [None, None] };
        let [bits, above] = self.tile.kept_columns_bits(node, columns, cache);
        [Some((cache, bits)), self.tile.caches.v_read.map(|rows| (rows, above))]
    }

    /// Bits in `memory` while `node` runs, without the node's own inputs in memory `inputs`, its output, and, if it
    /// takes them where they are kept, its weights.
    pub fn beside(&self, node: NodeId, memory: MemoryId, inputs: MemoryId, takes_kept_weights: bool) -> ResidentBits {
        let tile = self.tile;
        if memory == tile.core.top(Operand::O) || tile.stack.is_input(node) && tile.rules.stack_inputs_placed_alone {
            return ResidentBits::default();
        }
        let mut beside = ResidentBits::default();
        if !tile.rules.other_maps_take_no_room {
            beside.maps = self.maps_beside(node, memory, inputs);
        }
        if !tile.rules.mappings_have_whole_memories {
            let in_place = if memory == inputs { self.cached_in_place(node, memory) } else { 0 };
            beside.caches = self.amounts.cached[memory].saturating_sub(in_place);
            beside.weights = tile.kept_weights_beside(node, memory, takes_kept_weights);
        }
        beside
    }

    /// Bits of both caches in a memory that are the inputs of a node there.
    fn cached_in_place(&self, node: NodeId, memory: MemoryId) -> u64 {
        let tile = self.tile;
        let Caches { h_read, v_read, .. } = tile.caches;
        let at = |cache: Option<MemoryId>, bits: u64| if cache == Some(memory) { bits } else { 0 };
        let producers = &tile.stack.producers[node];
        let of_map = |(place, &producer): (usize, &NodeId)| {
            if producers[..place].contains(&producer) {
                return 0;
            }
            let reads = || {
                let all = ReadId::within(tile.stack.reads(node)).zip(producers);
                all.filter(|(_, other)| **other == producer).map(|(read, _)| read)
            };
            // Pixels that several windows share are stored once.
            let held = [
                (tile.x.nodes[producer].from_cache, tile.y.nodes[producer].computed),
                (reads().map(|read| tile.x.reads[read].needed).max().unwrap_or(0), tile.y.nodes[producer].from_cache),
            ];
            let [columns, rows] = [0, 1].map(|cache| {
                let read = reads().map(|read| tile.left_bits(read)[cache]).sum::<u64>();
                read.min(tile.footprint.output_bits(producer, held[cache].0, held[cache].1))
            });
            at(h_read, columns) + at(v_read, rows)
        };
        producers.iter().enumerate().map(of_map).sum()
    }

    /// Maps in `memory` that are not, at the same time, inputs of `node` in memory `inputs`.
    fn maps_beside(&self, node: NodeId, memory: MemoryId, inputs: MemoryId) -> u64 {
        let tile = self.tile;
        let mut bits = self.amounts.held[memory];
        let producers = &tile.stack.producers[node];
        for (place, &producer) in producers.iter().enumerate() {
            let Some((at, held)) = self.amounts.maps[producer].filter(|(at, _)| *at == memory) else { continue };
            if producers[..place].contains(&producer) {
                continue;
            }
            let stays = if at == inputs {
                held - self.in_place_bits(node, producer, held)
            } else if self.is_read_after(producer, node) {
                held
            } else {
                // The map was copied to the reader, and its part for other tiles to the caches, except for a cache in
                // the memory of the map.
                self.left_bits(producer, memory)
            };
            bits = bits - held + stays;
        }
        bits
    }

    /// Bits of a map, held in one memory, that stand among the inputs of a reader of it in the same memory.
    fn in_place_bits(&self, node: NodeId, producer: NodeId, held: u64) -> u64 {
        let tile = self.tile;
        let pixels = tile.pixels(producer).max(1);
        let reads = ReadId::within(tile.stack.reads(node)).zip(&tile.stack.producers[node]);
        let of_read = |(read, _): (ReadId, &NodeId)| {
            tile.footprint.read_in_place_bits(read, producer, held) / pixels * tile.fresh_pixels(read).min(pixels)
        };
        reads.filter(|(_, other)| **other == producer).map(of_read).sum::<u64>().min(held)
    }

    /// Bits of a map that are left for other tiles in the memory where it lies.
    fn left_bits(&self, producer: NodeId, memory: MemoryId) -> u64 {
        let [columns, rows] = self.tile.written_bits(producer);
        let at = |cache: Option<MemoryId>, bits: u64| if cache == Some(memory) { bits } else { 0 };
        at(self.tile.caches.h_write, columns) + at(self.tile.caches.v_write, rows)
    }

    fn is_read_after(&self, producer: NodeId, node: NodeId) -> bool {
        self.tile.stack.consumers[producer].iter().any(|&reader| reader > node)
    }

    /// `node` has run: its output is resident, and maps of which it was the last reader are dropped.
    /// `map_memory` is where its output lies, if it has one.
    pub fn finish(&mut self, node: NodeId, map_memory: Option<MemoryId>) {
        let tile = self.tile;
        if let Some(memory) = map_memory.filter(|_| node != tile.stack.output()) {
            let bits = tile.map_bits(node);
            self.amounts.maps[node] = Some((memory, bits));
            self.amounts.held[memory] += bits;
            for (cache, bits) in self.copied_to_caches(node, memory).into_iter().flatten() {
                self.amounts.cached[cache] += bits;
            }
        }
        let producers = &tile.stack.producers[node];
        for (place, &producer) in producers.iter().enumerate() {
            if !self.is_read_after(producer, node) && !producers[..place].contains(&producer) {
                self.drop_map(producer);
            }
        }
    }

    /// Bits of a map, columns and rows, that are copied to caches in other memories: until the map is dropped, they lie
    /// there beside the bits that they replace.
    fn copied_to_caches(&self, node: NodeId, memory: MemoryId) -> [Option<(MemoryId, u64)>; 2] {
        let Caches { h_write, v_write, .. } = self.tile.caches;
        let [columns, rows] = self.tile.written_bits(node);
        let at_once = self.tile.rules.caches_replaced_at_once;
        let to = |cache: Option<MemoryId>, bits: u64| {
            cache.filter(|&cache| !at_once && cache != memory).map(|cache| (cache, bits))
        };
        [to(h_write, columns), to(v_write, rows)]
    }

    /// Drops a map after its last reader: the overlap that earlier tiles left leaves the caches, except for the part
    /// that stays for later tiles.
    fn drop_map(&mut self, producer: NodeId) {
        let Some((memory, held)) = self.amounts.maps[producer].take() else { return };
        let tile = self.tile;
        let Caches { h_read, h_write, v_read, v_write } = tile.caches;
        self.amounts.held[memory] -= held;
        for (cache, bits) in self.copied_to_caches(producer, memory).into_iter().flatten() {
            self.amounts.cached[cache] -= bits;
        }
        let of = &tile.x.nodes[producer];
        for (cache, bits) in self.columns(producer, h_read, of.from_cache).into_iter().flatten() {
            self.amounts.cached[cache] -= bits;
        }
        for (cache, bits) in self.columns(producer, h_write, of.to_cache).into_iter().flatten() {
            self.amounts.cached[cache] += bits;
        }
        // Rows from above are replaced by as many rows that stay.
        if let Some(cache) = v_write.filter(|_| v_read.is_none()) {
            self.amounts.cached[cache] += tile.written_bits(producer)[1];
        }
    }
}
