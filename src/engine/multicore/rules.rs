//! Where the public tool's two schedulers differ.

use serde::{Deserialize, Serialize};

/// What a scheduler does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchedulingRules {
    /// Transfers are placed as late as they can be without holding up whoever waits for them, one after the other on each link, as the tool
    /// did in June 2023; otherwise as early as links and memories allow, into gaps, and once for all that receive the same.
    pub late_transfers: bool,
    /// A constant counts for every core that uses it as often as it is used by all together, so that a core that shares it never lets go of
    /// it, as in the tool; otherwise for each core as often as that one uses it.
    pub counts_uses_everywhere: bool,
    /// What is evicted, or was passed on, leaves its place at once, as in the tool, though it is still being written back, or read by a
    /// tile; otherwise when that is done.
    pub frees_at_once: bool,
    /// What is on its way into a memory that cores share counts as there for the others, as in the tool; otherwise they wait for it.
    pub trusts_presence: bool,
    /// What does not fit on the chip takes part in nothing but the time of its tile, as in the tool; otherwise it has to be in DRAM before.
    pub streams_from_nowhere: bool,
    /// A link takes energy for every cycle in which it carries something, however little, and again for every receiver of the same, as in
    /// the tool; otherwise for bits, and for those once.
    pub charges_cycles: bool,
    /// Where operands stream from DRAM while a tile is computed, their links are taken before there is room for its output, and carry more
    /// than they can, as in the tool; otherwise the tile waits for both and slows down.
    pub streams_too_early: bool,
    /// The shortest way between two cores may lead through DRAM, as in the tool; otherwise it keeps to the chip.
    pub routes_through_dram: bool,
}

impl SchedulingRules {
    /// The tool of June 2023, with which Table 2 was made.
    pub const STREAM_2023: Self = Self { late_transfers: true, ..Self::STREAM_2024 };
    /// The tool of December 2024, which Section 4.1 describes.
    pub const STREAM_2024: Self = Self {
        late_transfers: false,
        counts_uses_everywhere: true,
        frees_at_once: true,
        trusts_presence: true,
        streams_from_nowhere: true,
        charges_cycles: true,
        streams_too_early: true,
        routes_through_dram: true,
    };
    /// What is right.
    pub const CORRECTED: Self = Self {
        late_transfers: false,
        counts_uses_everywhere: false,
        frees_at_once: false,
        trusts_presence: false,
        streams_from_nowhere: false,
        charges_cycles: false,
        streams_too_early: false,
        routes_through_dram: false,
    };
}

impl Default for SchedulingRules {
    fn default() -> Self {
        Self::CORRECTED
    }
}

/// How tiles and what lies between them are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TilingRules {
    /// Where a loop's size is no multiple of the number of pieces, the remainder is left out, as the tool does for cuts over cores;
    /// otherwise some pieces have one more.
    pub drops_remainders: bool,
    /// Where a loop's size is no multiple of the pieces in time, the layer grows to one, as in the tool.
    pub enlarges_layers: bool,
    /// Inputs are fetched with the zeros around them, as in the tool; otherwise only what exists.
    pub fetches_padding: bool,
    /// What a tile reads and what another computes are compared as boxes, as in the tool, whose boxes of grouped channels begin too low;
    /// otherwise nothing waits for rows, columns and channels that it passes over.
    pub compares_boxes: bool,
    /// Of two operands out of one tile the tool keeps the last edge.
    pub keeps_last_edge: bool,
}

impl TilingRules {
    /// The public tool.
    pub const STREAM: Self = Self {
        drops_remainders: true,
        enlarges_layers: true,
        fetches_padding: true,
        compares_boxes: true,
        keeps_last_edge: true,
    };
    /// What is right.
    pub const CORRECTED: Self = Self {
        drops_remainders: false,
        enlarges_layers: false,
        fetches_padding: false,
        compares_boxes: false,
        keeps_last_edge: false,
    };
}
