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
