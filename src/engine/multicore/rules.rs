//! Where the public tool's two schedulers differ.

use serde::{Deserialize, Serialize};

/// The rules of a scheduler, each a difference between the public tool's versions, or from what is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchedulingRules {
    /// Transfers are placed as late as possible without delaying their readers, one after the other on each link, as
    /// the tool did in June 2023; otherwise as early as links and memories allow, into gaps, and once for all receivers
    /// of a tensor.
    pub late_transfers: bool,
    /// A constant counts for every core that uses it as often as it is used by all together, so that a core that shares
    /// it never releases it, as in the tool; otherwise for each core as often as that one uses it.
    pub counts_uses_everywhere: bool,
    /// A tensor that is evicted, or was passed on, frees its place at once, as in the tool, though it is still being
    /// written back, or read by a tile; otherwise when that is done.
    pub frees_at_once: bool,
    /// A tensor on its way into a memory that cores share counts as present for the others, as in the tool; otherwise
    /// they wait for it.
    pub trusts_presence: bool,
    /// An operand that does not fit on the chip affects nothing but the time of its tile, as in the tool; otherwise it
    /// has to be in DRAM before.
    pub streams_from_nowhere: bool,
    /// A link takes energy for every cycle in which it carries data, however little, and again for every receiver of
    /// the same tensor, as does the memory at the source, as in the tool; otherwise for bits, and only once.
    pub charges_each_receiver: bool,
    /// Where operands stream from DRAM while a tile is computed, their links are taken before there is room for its output, and carry more
    /// than they can, as in the tool; otherwise the tile waits for both and slows down.
    pub streams_too_early: bool,
    /// The shortest route between two cores may lead through DRAM, as in the tool; otherwise it keeps to the chip.
    pub routes_through_dram: bool,
    /// Tiles that stream the same operand from DRAM at the same time load the links once, as in the tool; otherwise each loads them.
    pub shares_streams: bool,
    /// Windows of the links on a way are compared in the order of their ends, as in the tool, which misses some of those in which a
    /// tensor is carried anyway; otherwise each with each.
    pub merges_windows: bool,
    /// Where a core keeps inputs and outputs apart, room for a computed tensor that comes in is sought among outputs, and only there is it
    /// freed and its energy counted, as in the tool; otherwise where it is.
    pub takes_inputs_for_outputs: bool,
    /// A computed tensor counts for evictions as often as it is used anywhere, as in the tool; otherwise uses do not count where it is
    /// already.
    pub counts_served_uses: bool,
    /// Where nothing reads the last tile of a core in a layer, the whole layer leaves for DRAM, as in the tool;
    /// otherwise only tensors that nothing reads.
    pub writes_layers_whole: bool,
    /// Tensors that are read by a tile without predecessors are in DRAM from the beginning, as in the tool, though a
    /// layer computes them; otherwise only tensors that no layer computes.
    pub holds_unread_inputs: bool,
    /// Operands are prefetched in the order in which the tool comes across tiles, by dependencies in a layer and then between layers;
    /// otherwise by layer and number.
    pub prefetches_by_dependencies: bool,
    /// Where a tensor never has room without evictions, it gets it from the last change in a memory on, as in the tool, though that is
    /// before the tensor is there; otherwise not before.
    pub makes_room_too_early: bool,
    /// An operand that does not fit into the highest memory of a core takes as much of it as its lowest memory holds,
    /// as in the tool, even where this is the highest one itself, so that everything else leaves it; otherwise only
    /// memories below it count.
    pub streams_through_whole_memories: bool,
    /// Whether operands fit on the chip is decided by their sizes for the mapping of a tile, in which all outputs have
    /// the bits of partial sums and no zeros lie around a map, as in the tool; otherwise by the sizes of the moved
    /// data.
    pub stores_partial_sums: bool,
    /// The streams of a tile take as much of the links as they take of DRAM in its busiest cycles, as in the tool;
    /// otherwise as much as they take on average.
    pub streams_at_peak: bool,
    /// Of the parts of a layer that cores share the last is placed first, as in the tool, which goes by the numbers of tiles; otherwise the
    /// first.
    pub takes_last_part_first: bool,
    /// Transfers take as long as the slowest link on their way needs, as in the tool, however narrow the memories on the chip are between
    /// which they go; otherwise these read and write at most a word in a cycle.
    pub ignores_ports: bool,
}

impl SchedulingRules {
    /// The tool of June 2023, with which Table 2 was made.
    pub const STREAM_2023: Self = Self {
        late_transfers: true,
        shares_streams: false,
        merges_windows: false,
        takes_inputs_for_outputs: false,
        counts_served_uses: false,
        writes_layers_whole: false,
        holds_unread_inputs: false,
        prefetches_by_dependencies: false,
        streams_through_whole_memories: false,
        streams_at_peak: false,
        ..Self::STREAM_2024
    };
    /// The tool of December 2024, which Section 4.1 describes.
    pub const STREAM_2024: Self = Self {
        late_transfers: false,
        counts_uses_everywhere: true,
        frees_at_once: true,
        trusts_presence: true,
        streams_from_nowhere: true,
        charges_each_receiver: true,
        streams_too_early: true,
        routes_through_dram: true,
        shares_streams: true,
        merges_windows: true,
        takes_inputs_for_outputs: true,
        counts_served_uses: true,
        writes_layers_whole: true,
        holds_unread_inputs: true,
        prefetches_by_dependencies: true,
        makes_room_too_early: true,
        streams_through_whole_memories: true,
        stores_partial_sums: true,
        streams_at_peak: true,
        takes_last_part_first: true,
        ignores_ports: true,
    };
    /// None of the tool's deviations.
    pub const CORRECTED: Self = Self {
        late_transfers: false,
        counts_uses_everywhere: false,
        frees_at_once: false,
        trusts_presence: false,
        streams_from_nowhere: false,
        charges_each_receiver: false,
        streams_too_early: false,
        routes_through_dram: false,
        shares_streams: false,
        merges_windows: false,
        takes_inputs_for_outputs: false,
        counts_served_uses: false,
        writes_layers_whole: false,
        holds_unread_inputs: false,
        prefetches_by_dependencies: false,
        makes_room_too_early: false,
        streams_through_whole_memories: false,
        stores_partial_sums: false,
        streams_at_peak: false,
        takes_last_part_first: false,
        ignores_ports: false,
    };
}

impl Default for SchedulingRules {
    fn default() -> Self {
        Self::CORRECTED
    }
}

/// The rules by which tiles and their dependencies are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TilingRules {
    /// Where a loop's size is no multiple of the number of pieces, the remainder is left out, as the tool does for cuts over cores;
    /// otherwise some pieces have one more.
    pub drops_remainders: bool,
    /// Where a loop's size is no multiple of the pieces in time, the layer grows to one, as in the tool.
    pub enlarges_layers: bool,
    /// Inputs are fetched with the zeros around them, as in the tool; otherwise without padding.
    pub fetches_padding: bool,
    /// Elements that a tile reads and another computes are compared as boxes, as in the tool, whose boxes of grouped
    /// channels begin too low; otherwise no tile waits for rows, columns and channels that it passes over.
    pub compares_boxes: bool,
    /// Of two operands out of one tile the tool keeps the last edge.
    pub keeps_last_edge: bool,
    /// Elements of an input of the network that several layers read are fetched for each of them, as in the tool;
    /// otherwise a part that they read alike is fetched once for all that are on a core, as long as it has room.
    pub fetches_inputs_apart: bool,
    /// A tile at the border of a map is mapped as if its windows lay within the map, as in the tool; otherwise with the inputs that exist.
    pub maps_padding: bool,
    /// Loops are listed in the order in which the tool reads them from a network, which decides which of their factors are merged;
    /// otherwise in the order of the layer's type.
    pub orders_loops_as_parsed: bool,
    /// A core unrolls the loops of convolutions in layers of all types, as in the tool: depthwise ones have one K to a
    /// group, and sums call their columns K; otherwise the loops that it states for a type.
    pub unrolls_as_convolutions: bool,
    /// Cores share the channels of a layer, however few these are, as in the tool; otherwise columns where the channels would leave parts
    /// of arrays idle, and no more cores than that helps.
    pub shares_channels: bool,
}

impl TilingRules {
    /// The public tool, with either scheduler.
    pub const STREAM: Self = Self {
        drops_remainders: true,
        enlarges_layers: true,
        fetches_padding: true,
        compares_boxes: true,
        keeps_last_edge: true,
        fetches_inputs_apart: true,
        maps_padding: true,
        orders_loops_as_parsed: true,
        unrolls_as_convolutions: true,
        shares_channels: true,
    };
    /// None of the tool's deviations.
    pub const CORRECTED: Self = Self {
        drops_remainders: false,
        enlarges_layers: false,
        fetches_padding: false,
        compares_boxes: false,
        keeps_last_edge: false,
        fetches_inputs_apart: false,
        maps_padding: false,
        orders_loops_as_parsed: false,
        unrolls_as_convolutions: false,
        shares_channels: false,
    };
}
