//! Where the public tools and what is right differ: one switch each.
//!
//! The public tools compute some things otherwise than their papers say, or plainly wrong. Every such place is
//! a field here, so that our numbers can be compared with theirs *and* be right. [`Rules::DEFINES_2022`]
//! reproduces the DeFiNES artifact (HPCA 2023, commit 858fa34, with the ZigZag of 2022 inside);
//! [`Rules::CORRECTED`] is the default. `true` always means "as the tool does it".

use serde::{Deserialize, Serialize};

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident: $title:literal,)+) => {
        /// The switches. See the module for what they are for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Rules { $($(#[doc = $doc])+ pub $name: bool,)+ }

        impl Rules {
            /// The DeFiNES artifact of 2022, defects included.
            pub const DEFINES_2022: Self = Self { $($name: true,)+ };
            /// What is right; the default.
            pub const CORRECTED: Self = Self { $($name: false,)+ };

            /// Every switch: field name, title for a person, value.
            pub fn switches(&self) -> Vec<(&'static str, &'static str, bool)> {
                vec![$((stringify!($name), $title, self.$name),)+]
            }

            /// These rules with the switch called `name` set to `value`; `None` if there is no such switch.
            pub fn with(mut self, name: &str, value: bool) -> Option<Self> {
                match name { $(stringify!($name) => self.$name = value,)+ _ => return None }
                Some(self)
            }
        }
    };
}

rules! {
    /// A layer written without input window relations (`pointwise`) indexes its input by OX and OY directly, one
    /// with them (`conv` with a 1 x 1 kernel) through the window, though both read the same pixels. The tool lets
    /// this decide about relevance and so about double buffering; right is to look at the kernel and stride.
    /// (NOTES 12.1)
    window_relations_as_written: "1 x 1 layers: relevance as written",
    /// An unrolling that does not divide its loop uses a fraction of the array on average (3.99 of 4). The tool
    /// cuts extents and bandwidth ratios computed from such fractions down to integers, so that 3.99 outputs need
    /// 3 inputs; right is to keep the fraction. (NOTES 12.2)
    truncate_fractional_extents: "Fractional unrolling: extents truncated",
    /// The tool fails when a layer has more loop dimensions than the LPF limit; right is to merge what can be merged
    /// and to search the rest. (NOTES 12.3)
    lpf_limit_below_dimensions_fails: "LPF limit below the number of dimensions fails",
    /// The tool never checks whether operands fit *together* in a memory that is the lowest of one of them; right
    /// is to check every memory, and to unroll less where the lowest memories cannot serve the whole array. Nor does it count
    /// that a memory holds partial sums as long as outputs are added to, and that some instance holds more than the average
    /// where an unrolling does not divide its loop. (NOTES 12.4; EXACT-SEARCH)
    lowest_memory_may_overflow: "Shared lowest memories may overflow",
    /// The tool reads partial sums back as often as it writes them; right is once less, as the first pass has
    /// nothing to read. (NOTES 12.5)
    first_partial_sum_read_back: "First partial sums are read back",
    /// Data moves in chunks as wide as both sides allow. The tool charges the last chunk in full even when little is left
    /// for it; right is to charge what it carries. (NOTES 5; EXACT-SEARCH)
    last_chunk_charged_in_full: "Last chunk of a transfer charged in full",
    /// Double buffering of what does not fit twice is granted in operand order in the tool; right is an order that
    /// does not depend on naming: the smallest demand first. (NOTES 12.6)
    double_buffer_by_operand_order: "Double buffers granted in operand order",
    /// When several pairs of levels share one port, the loading time of all but the highest is lost in the tool;
    /// right is to add all. (NOTES 12.7)
    half_shared_loading_overwritten: "Loading: only the highest half-shared pair counts",
    /// The tool charges only the top link in full when outputs drain at the end; right is every link, as for
    /// loading. (NOTES 12.8)
    offloading_pays_top_link_only: "Offloading: only the top link is paid",
    /// The tool reports latency without draining the last outputs; right is to wait for them. (README, latency_total1)
    latency_without_offloading: "Latency leaves out offloading",
    /// A cut after the first layer is ignored by the tool, and the rest of the network is then computed twice;
    /// right is to cut there. (NOTES 12.10)
    cut_after_first_layer_ignored: "A cut after the first layer is ignored",
    /// The tool runs layer-by-layer as its automatic stacks with one tile each, so that features between stacks go through
    /// DRAM; right is one stack, in which they stay as low as they fit. (NOTES 7; DeFiNES, Section II)
    layer_by_layer_keeps_stacks: "Layer-by-layer keeps the automatic stacks",
    /// Where weights have no on-chip memory the tool compares them with one PE's register when it looks for automatic
    /// stacks; right is to count all registers of that level. (NOTES 12.10, TPU-like)
    stack_capacity_is_one_instance: "Automatic stacks: capacity of one instance",
    /// The tool estimates tiles and caches by extents and lags, without padding; right is to track the intervals of
    /// rows and columns themselves, with padding and the real borders. (NOTES 8, 12.11)
    tiles_without_borders: "Tiles by extents and lags, no padding",
    /// The tool forgets the cached columns and rows of the first column of tiles when it picks their memory; right is
    /// to count them. (NOTES 12.12)
    first_column_ignores_caches: "First column reserves no cache space",
    /// In the tool a tile writes its horizontal cache where its right neighbour decides, even when that is lower than it
    /// needs itself, and the last tile decides the vertical cache of all; right is the highest of them. (NOTES 12.13)
    cache_level_of_neighbour: "Cache level decided by the neighbour alone",
}

impl Default for Rules {
    fn default() -> Self {
        Self::CORRECTED
    }
}
