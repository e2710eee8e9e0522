//! Where the public tool's two schedulers differ.

use serde::{Deserialize, Serialize};

/// What a scheduler does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SchedulingRules {
    /// Transfers are placed as late as they can be without holding up whoever waits for them, one after the other on each link, as the tool did
    /// in June 2023; otherwise as early as links and memories allow, into gaps, and once for all that receive the same.
    pub late_transfers: bool,
}

impl SchedulingRules {
    /// The tool of June 2023, with which Table 2 was made.
    pub const STREAM_2023: Self = Self { late_transfers: true };
    /// The tool of December 2024, which Section 4.1 describes.
    pub const STREAM_2024: Self = Self { late_transfers: false };
}

/// How tiles and what lies between them are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TilingRules {
    /// Where a loop's size is no multiple of the number of pieces, the remainder is left out, as the tool does for cuts over cores; otherwise some
    /// pieces have one more.
    pub drops_remainders: bool,
    /// Where a loop's size is no multiple of the pieces in time, the layer grows to one, as in the tool.
    pub enlarges_layers: bool,
    /// Inputs are fetched with the zeros around them, as in the tool; otherwise only what exists.
    pub fetches_padding: bool,
    /// Channels of grouped layers are compared as the tool does, which misses a factor and so finds edges that are none.
    pub merges_groups: bool,
    /// Of two operands out of one tile the tool keeps the last edge.
    pub keeps_last_edge: bool,
}

impl TilingRules {
    /// The public tool.
    pub const STREAM: Self = Self {
        drops_remainders: true,
        enlarges_layers: true,
        fetches_padding: true,
        merges_groups: true,
        keeps_last_edge: true,
    };
    /// What is right.
    pub const CORRECTED: Self = Self {
        drops_remainders: false,
        enlarges_layers: false,
        fetches_padding: false,
        merges_groups: false,
        keeps_last_edge: false,
    };
}
