//! Where the public tools and what is right differ: one switch each.
//!
//! The public tools compute some things otherwise than their papers say, or plainly wrong, and not the same things.
//! Every such place is a field here, so that our numbers can be compared with theirs *and* be right. `true` always
//! means "as a tool does it"; beside its title each switch says which tool does.
//!
//! - [`Rules::DEFINES_2022`] reproduces the DeFiNES artifact (HPCA 2023, commit 858fa34, with ZigZag of 2022 inside),
//! - [`Rules::ZIGZAG_3_8`] the maintained ZigZag (3.8.5, commit 3d12a96e) for single layers and networks run layer by
//!   layer; what only depth-first scheduling needs is corrected there, as ZigZag has no part in it,
//! - [`Rules::ZIGZAG_3_9`] the same tool in version 3.9.1 of the Python registry. Both have a column below: `zigzag` 3.8, 3.9,
//! - [`Rules::CORRECTED`], the default, has every switch off.
//!
//! "NOTES" are the descriptions of the tools that come with the reference data: `D` of DeFiNES, `Z` of ZigZag.

use serde::{Deserialize, Serialize};

macro_rules! rules {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $title:literal, defines $defines:literal, zigzag $zigzag_3_8:literal $zigzag_3_9:literal;
    )+) => {
        /// The switches. See the module for what they are for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Rules { $($(#[doc = $doc])+ pub $name: bool,)+ }

        impl Rules {
            /// The DeFiNES artifact of 2022, defects included.
            pub const DEFINES_2022: Self = Self { $($name: $defines,)+ };
            /// The maintained ZigZag, version 3.8.5, defects included.
            pub const ZIGZAG_3_8: Self = Self { $($name: $zigzag_3_8,)+ };
            /// The maintained ZigZag, version 3.9.1, defects included.
            pub const ZIGZAG_3_9: Self = Self { $($name: $zigzag_3_9,)+ };
            /// Correct counts; the default.
            pub const CORRECTED: Self = Self { $($name: false,)+ };

            /// Every switch: field name and value.
            pub fn values_by_name(&self) -> Vec<(&'static str, bool)> {
                let mut rules = *self;
                NAMES.iter().zip(rules.values()).map(|(name, value)| (*name, *value)).collect()
            }

            /// Every switch: field name, title for a person, value.
            pub fn switches(&self) -> Vec<(&'static str, &'static str, bool)> {
                // Apart from the names, as the page fetches these texts later.
                const TITLES: &[&str] = &[$($title,)+];
                let switches = self.values_by_name().into_iter().zip(TITLES);
                switches.map(|((name, value), title)| (name, *title, value)).collect()
            }

            /// What the switch called `name` decides, for a person; empty if there is no such switch.
            pub fn meaning(name: &str) -> &'static str {
                // Apart from the names, as the page fetches these texts later.
                const MEANINGS: &[&str] = &[$(concat!($($doc),+).trim_ascii(),)+];
                let at = NAMES.iter().position(|known| *known == name);
                at.map_or("", |at| MEANINGS[at])
            }

            /// These rules with the switch called `name` set to `value`; `None` if there is no such switch.
            pub fn with(mut self, name: &str, value: bool) -> Option<Self> {
                let at = NAMES.iter().position(|known| *known == name)?;
                *self.values()[at] = value;
                Some(self)
            }

            fn values(&mut self) -> [&mut bool; NAMES.len()] {
                [$(&mut self.$name,)+]
            }
        }

        /// Name of each switch. Code that looks one up here is a tenth of a `match` on the names.
        const NAMES: &[&str] = &[$(stringify!($name),)+];
    };
}

rules! {
    /// A layer written without input window relations (`pointwise`) indexes its input by OX and OY directly, one with
    /// them (`conv` with a 1 x 1 kernel) through the window, though both read the same pixels. The tools let this
    /// decide about relevance and so about double buffering; right is to look at the kernel and stride. (NOTES D
    /// 12.1, Z 1.3)
    window_relations_as_written: "1 x 1 layers: relevance as written", defines true, zigzag true true;
    /// DeFiNES counts every column and row that a window spans, also those of the padding around the input; right is
    /// at most what really exists. (NOTES Z 1.1)
    input_beyond_border_counted: "Input beyond the border counts as data", defines true, zigzag false false;
    /// Where windows leave columns or rows of the input out, as strides beyond the kernel and dilations do, what exists is more than what
    /// they touch. ZigZag counts up to what exists, and where its file does not say how much that is, what windows touch without
    /// padding less all columns of padding, though some of those are left out; right is what they touch of what exists. (NOTES Z 1.1)
    untouched_input_counted: "Input that windows leave out counts", defines false, zigzag true true;
    /// Windows with a dilation, such as one of a kernel of 3 with a dilation of 2, touch no more elements than they have. Where there are
    /// fewer windows than the dilation, the tools take away a negative number of shared ones, and count 4 for these 3; right is
    /// that none is shared. (NOTES D 0; ZigZag, layer_node.py)
    few_dilated_windows_overcounted: "Few dilated windows: too many inputs", defines true, zigzag true true;
    /// An unrolling that does not divide its loop uses a fraction of the array on average (3.99 of 4). DeFiNES cuts
    /// the input extents that follow from such fractions down to integers, so that 3.99 outputs need 3 inputs; right
    /// is to keep the fraction. (NOTES D 12.2)
    truncate_fractional_extents: "Fractional unrolling: window extents truncated", defines true, zigzag false false;
    /// ZigZag cuts the fractional numbers of outputs and kernel elements themselves down to integers before it
    /// computes the input extent from them; right is to keep the fraction. (NOTES Z 2.9, "print")
    truncate_fractional_windows: "Fractional unrolling: window sizes truncated", defines false, zigzag true true;
    /// Under a fractional unrolling the tools round the amounts of data and the numbers of memories in use to
    /// integers and compute the number of steps anew from the rounded quotient, which for some sizes (41 over 3)
    /// gives one more than there are; right is to keep averages and to count the steps. (NOTES D 2, D 4.5)
    round_fractional_amounts: "Fractional unrolling: amounts rounded", defines true, zigzag true true;
    /// Where the tools round numbers of memories, DeFiNES rounds up or down if the operands otherwise disagree about
    /// the number of PEs, ZigZag rounds to three digits first; right is not to round. (NOTES D 1, Z 2.9, "unit")
    round_instances_by_agreement: "Fractional unrolling: instances rounded by agreement", defines true, zigzag false false;
    /// One transfer feeds as many memories below as hold different data. DeFiNES cuts this ratio down to an integer,
    /// so that 3.99 memories are fed by 3 transfers; right is to keep the fraction. (NOTES D 12.2)
    truncate_bandwidth_ratio: "Fractional unrolling: fan-out truncated", defines true, zigzag false false;
    /// ZigZag rounds the same ratio to the next integer; right is to keep the fraction. (NOTES Z 2.9, "boost")
    round_bandwidth_ratio: "Fractional unrolling: fan-out rounded", defines false, zigzag true true;
    /// How long a transfer takes depends on the most that it carries. ZigZag computes this with unrollings rounded
    /// down (3 for 7 over 4), right is rounded up, as DeFiNES does. (NOTES Z 2.8, "intfloor")
    latency_unrolling_rounded_down: "Fractional unrolling: transfers of the smaller part", defines false, zigzag true true;
    /// Where one loop is unrolled over several array dimensions and does not divide, ZigZag lets the largest of them
    /// have a fractional size and counts the others in full, so that 4 x 4 over 56 columns gives 64; right is that
    /// averages times steps give the loop. (NOTES Z 2.6)
    unroll_rest_on_first_dimension: "Loop on several array dimensions: first takes rest", defines false, zigzag true true;
    /// The rows of a product of matrices are one loop, so that an array that unrolls columns and rows of maps (OX and OY) finds only
    /// one of them. The tools leave the PEs of the other idle; right is that they take rows, too, which all meet the same weights.
    /// What a layer states for itself is unrolled as stated.
    rows_left_unfolded: "Products: PEs for the other side of a map are idle", defines true, zigzag true true;
    /// Where each innermost memory has ports for fewer elements at once than a loop is unrolled wide, or no room for them, ZigZag unrolls
    /// less, each loop by itself; right is to unroll as stated, and that the array waits for the port. (NOTES Z 2.2, 2.3, 2.4)
    unrolling_narrowed_to_lowest_memories: "Unrolling narrowed to what the lowest memories pass", defines false, zigzag true true;
    /// ZigZag writes an addition as O = W + I and takes one of the two feature maps through the memories of weights;
    /// right is that both come from where features are. (NOTES Z 1.5)
    additions_read_weight_memories: "Additions read one input through the weight memories", defines false, zigzag true true;
    /// Where an array computes in memory, ZigZag takes it that all columns of a macro use the inputs of its rows; only columns and rows
    /// of a window (OX beside FX, OY beside FY) take more rows, whatever the stride, which it does not compare with what there is,
    /// and adds up in every column, and it takes the widths of loops for those of others. Right is a row for each different input that
    /// the columns read, no more than there are (what does not fit is unrolled less), and that a column adds up its own. (ZigZag 3.8.5,
    /// imc_unit.py)
    in_memory_inputs_shared: "In memory: columns share the inputs of rows", defines false, zigzag true true;
    /// Where an unrolling does not divide its loop, some activations of a macro use less of it. ZigZag takes fewer activations of all that
    /// is unrolled, so that parts that work whatever is used (drivers of rows, multipliers) take too little; right is to count the
    /// activations that there are, with what each uses on average. (ZigZag 3.8.5, imc_unit.py)
    in_memory_activations_scaled: "In memory: activations of full macros", defines false, zigzag true true;
    /// Bit lines of a group of cells are precharged when another weight of the group takes its turn. ZigZag divides the reads of weights
    /// by the cycles in which a weight stays, though they leave these out already unless weights are wider than the cells are read;
    /// right is once. (ZigZag 3.8.5, imc_unit.py)
    in_memory_precharges_divided_twice: "In memory: precharges divided twice", defines false, zigzag true true;
    /// ZigZag takes the bits of an array that computes in memory for those of every layer; right is that inputs of fewer bits enter in
    /// fewer cycles, and that wider inputs and weights take more. (ZigZag 3.8.5, cost_model_imc.py)
    in_memory_layer_bits_ignored: "In memory: all layers have the bits of the array", defines false, zigzag true true;
    /// DeFiNES fails when a layer has more loop dimensions than the LPF limit; right is to merge what can be merged
    /// and to search the rest, as ZigZag does. (NOTES D 12.3, Z 3.1)
    lpf_limit_below_dimensions_fails: "LPF limit below the number of dimensions fails", defines true, zigzag false false;
    /// DeFiNES never checks whether operands fit *together* in a memory that is the lowest of one of them; right is
    /// to check every memory, and to unroll less where the lowest memories cannot serve the whole array. (NOTES D
    /// 12.4, Z 4.4)
    lowest_memory_may_overflow: "Shared lowest memories may overflow", defines true, zigzag false false;
    /// ZigZag allocates loops by sizes of its own and does not check whether the data really fits; right is to check.
    /// (NOTES Z 4.5)
    mappings_fit_unchecked: "Mappings are not checked to fit once allocated", defines false, zigzag true true;
    /// Where an unrolling does not divide its loop some instance of a memory holds more than the average, and a memory
    /// holds partial sums as long as outputs are added to. The tools reserve memory for averages, and for outputs as
    /// they leave it; right is to count both. (NOTES D 4; EXACT-SEARCH)
    memory_reserved_for_averages: "Memory reserved for averages", defines true, zigzag true true;
    /// ZigZag allocates loops as if averages of a fractional unrolling were sizes, and windows by the averages
    /// rounded down; right is to reserve what the largest part needs, as DeFiNES does. (NOTES Z 4.2, "allocfrac")
    allocate_by_fractional_sizes: "Fractional unrolling: loops allocated by averages", defines false, zigzag true true;
    /// When DeFiNES allocates loops, outputs that are only added up by unrolled loops further up already count as
    /// finished; right is that they are partial sums, as ZigZag has it. (NOTES Z 4.3, "precspatial")
    allocation_ignores_spatial_sums: "Allocation ignores sums over the array above", defines true, zigzag false false;
    /// When ZigZag allocates loops, an unrolling of a summing loop by 1 already makes outputs partial sums; right is
    /// that nothing is added up. (NOTES Z 4.3)
    unrolling_by_one_makes_partial_sums: "Allocation takes an unrolling by one for a sum", defines false, zigzag true true;
    /// The tools read partial sums back as often as they write them; right is once less, as the first pass has
    /// nothing to read. (NOTES D 12.5, Z 5.2)
    first_partial_sum_read_back: "First partial sums are read back", defines true, zigzag true true;
    /// Data moves in chunks as wide as both sides allow. DeFiNES charges the last chunk in full even when little is
    /// left for it; right is to charge what it carries. (NOTES D 5; EXACT-SEARCH)
    last_chunk_charged_in_full: "Last chunk of a transfer charged in full", defines true, zigzag false false;
    /// ZigZag charges every transfer as if it filled the words of the memory, however narrow the memory on the other
    /// side is; right is that data moves in chunks as wide as both sides allow. (NOTES Z 6.1, "nochunk")
    narrow_side_ignored: "Transfers fill words whatever the other side takes", defines false, zigzag true true;
    /// Where the granularity is finer than a word, ZigZag cuts the number of words of each link down to an integer;
    /// right is to charge the fraction. (NOTES Z 6.2, "trunc")
    fractions_of_words_free: "Fractions of a word are free", defines false, zigzag true true;
    /// ZigZag reads an input of the array only when it changes, as if every PE kept what it has; right is a read in
    /// each cycle, and a register of its own where the hardware has one. (NOTES Z 5.1, "macst")
    array_keeps_inputs: "The array keeps its inputs", defines false, zigzag true true;
    /// Double buffering of what does not fit twice is granted in operand order in the tools; right is an order that
    /// does not depend on naming: the smallest demand first. (NOTES D 12.6)
    double_buffer_by_operand_order: "Double buffers granted in operand order", defines true, zigzag true true;
    /// The tools add up the shares of a memory that its operands need, each rounded, and grant none that fills it to the last bit
    /// where the sum is rounded up; right is to add up bits. (DeFiNES tool, cost_model.py:475-560)
    double_buffers_by_rounded_shares: "Double buffers granted by rounded shares", defines true, zigzag true true;
    /// Where the outermost loop of a level replaces its data part by part, only a part is needed twice. The tools then forget that the
    /// memory holds all parts, so that a second copy of other data may have no room; right is to grant what fits beside all that is
    /// held. (DeFiNES tool, cost_model.py:475-560; ZigZag 3.9.1, calc_double_buffer_flag)
    double_buffers_beside_parts: "Double buffers granted beside a part of the data held", defines true, zigzag true true;
    /// When several pairs of levels share one port, the loading time of all but the highest is lost in the tools;
    /// right is to add all. (NOTES D 12.7, Z 11.14)
    half_shared_loading_overwritten: "Loading: only the highest half-shared pair counts", defines true, zigzag true true;
    /// ZigZag lets data that is moved only once pass while the layer computes, as far as the port is idle, whether or
    /// not there is room for a second copy; right is that computation waits for what it needs, and outputs for the
    /// computation. (NOTES Z 7.2, "overlap"; Z 11.4)
    loading_overlaps_computation: "Loading: overlaps with computation that waits for it", defines false, zigzag true true;
    /// Where ZigZag shares the idle cycles of a port among several such links, it takes some of them twice, so that
    /// waiting may become negative; right is to level them down together, none below its least. (NOTES Z 7.2, Z 11.1)
    loading_reduction_repeats: "Loading: the overlap of several links is counted again", defines false, zigzag true false;
    /// ZigZag 3.9 lowers the longest of several such links first, down to its least, and only then the next; right is to level
    /// them down together, so that no link takes all idle cycles because it is a little longer. (ZigZag 3.9.1, reduce_ordered)
    loading_reduction_longest_first: "Loading: the longest link overlaps before all others", defines false, zigzag false true;
    /// Along a systolic dimension of the array the last results leave a cycle a PE after they are computed. DeFiNES and ZigZag 3.8
    /// know of no such dimension; right is to wait for them, as ZigZag 3.9 does. (ZigZag 3.9.1, calc_overall_latency)
    systolic_drain_ignored: "Systolic arrays: results leave at once", defines true, zigzag true false;
    /// A memory may be told to hold twice whatever is replaced during the layer. DeFiNES has no such memory, ZigZag 3.8 reads the field
    /// and ignores it; right is to reserve both copies, as ZigZag 3.9 does when it allocates loops. (NOTES Z 4.5)
    forced_double_buffers_ignored: "Double-buffered memories: the field is ignored", defines true, zigzag true false;
    /// When ZigZag 3.9 allocates loops to such a memory, it takes both copies for the data: it counts accesses above twice, and where a
    /// part does not fit twice it does not try all of the operand, which needs no second copy; right is to count accesses once
    /// and to try everything. (ZigZag 3.9.1, memory_allocator.py)
    forced_double_buffers_taken_for_data: "Double-buffered memories: both copies count as data", defines false, zigzag false true;
    /// The latency of ZigZag 3.9 knows of no such memory: it grants double buffers there where half of the memory is free, as
    /// anywhere; right is that what has a second copy is double-buffered. (ZigZag 3.9.1, calc_double_buffer_flag)
    forced_double_buffers_granted_as_others: "Double-buffered memories: granted as in others", defines false, zigzag false true;
    /// A memory may take several cycles from a request to its first word. A schedule asks ahead, so that this counts only where nothing
    /// can be asked for ahead: when the first inputs come down, the last outputs go up, or data is copied. The tools leave it out.
    memory_latency_hidden: "Latency of memories: hidden from loading, offloading and copies", defines true, zigzag true true;
    /// How busy the array is follows from the cycles that a layer would take with all PEs busy. The tools round them up, so that 9 of
    /// 1,024 PEs which work in a single cycle are all of them; right is the fraction. (DeFiNES tool and ZigZag 3.8.5, cost_model.py,
    /// `ideal_cycle`)
    ideal_cycles_rounded_up: "Ideal cycles rounded up", defines true, zigzag true true;
    /// DeFiNES charges only the top link in full when outputs drain at the end; right is every link, as for loading.
    /// (NOTES D 12.8, Z 7.4, "offsum")
    offloading_pays_top_link_only: "Offloading: only the top link is paid", defines true, zigzag false false;
    /// DeFiNES reports latency without draining the last outputs; right is to wait for them. (NOTES D README,
    /// latency_total1)
    latency_without_offloading: "Latency leaves out offloading", defines true, zigzag false false;
    /// A cut after the first layer is ignored by DeFiNES, and the rest of the network is then computed twice;
    /// right is to cut there. (NOTES D 12.10)
    cut_after_first_layer_ignored: "A cut after the first layer is ignored", defines true, zigzag false false;
    /// DeFiNES runs layer-by-layer as its automatic stacks with one tile each, so that features between stacks go
    /// through DRAM; right is one stack, in which they stay as low as they fit. (NOTES D 7; DeFiNES, Section II)
    layer_by_layer_keeps_stacks: "Layer-by-layer keeps the automatic stacks", defines true, zigzag false false;
    /// Where weights have no on-chip memory DeFiNES compares them with one PE's register when it looks for automatic
    /// stacks; right is to count all registers of that level. (NOTES D 12.10, TPU-like)
    stack_capacity_is_one_instance: "Automatic stacks: capacity of one instance", defines true, zigzag false false;
    /// DeFiNES estimates tiles and caches by extents and lags, without padding; right is to track the intervals of
    /// rows and columns themselves, with padding and the real borders. (NOTES D 8, 12.11)
    tiles_without_borders: "Tiles by extents and lags, no padding", defines true, zigzag false false;
    /// DeFiNES forgets the cached columns and rows of the first column of tiles when it picks their memory; right is
    /// to count them. (NOTES D 12.12)
    first_column_ignores_caches: "First column reserves no cache space", defines true, zigzag false false;
    /// In DeFiNES a tile writes its horizontal cache where its right neighbour decides, even when that is lower than it
    /// needs itself, and the last tile decides the vertical cache of all; right is the highest of them. (NOTES D 12.13)
    cache_level_of_neighbour: "Cache level decided by the neighbour alone", defines true, zigzag false false;
    /// DeFiNES copies the whole output of a layer to wherever it is read, also for a branch that reads only a part of it; right is to
    /// copy what is read. (NOTES D 10 c)
    whole_outputs_copied: "Branches that read a part copy the whole", defines true, zigzag false false;
    /// DeFiNES and ZigZag count the parts of words that move, also where a word is no multiple of them, so that a full one costs more than
    /// one; right is one.
    granules_beyond_words: "Full words cost more than one where granules do not divide them", defines true, zigzag true true;
    /// DeFiNES places a layer's inputs and outputs as if no other feature maps were there; right is that maps which a later layer reads,
    /// such as those of a residual branch, keep their room. (PLACEMENT, D1)
    other_maps_take_no_room: "Maps that later layers read take no room", defines true, zigzag false false;
    /// DeFiNES places each input of a stack as if it were alone; right is beside what is there already. (PLACEMENT, D2)
    stack_inputs_placed_alone: "Inputs of a stack are placed as if alone", defines true, zigzag false false;
    /// Weights that a stack keeps in registers: DeFiNES compares all its weights with one register. Right is that the slices which each
    /// PE holds of every layer fit its registers, as no PE reads those of another. (PLACEMENT, D3)
    kept_weights_counted_together: "Kept weights: not by the slices of each PE", defines true, zigzag false false;
    /// In DeFiNES an input of a stack is in the caches as soon as it was fetched; right is to copy it to caches that it does not pass
    /// on its way. (PLACEMENT, D4)
    input_caches_written_free: "Caches of stack inputs are filled at no cost", defines true, zigzag false false;
    /// In DeFiNES the first tile alone fetches weights; right is that a layer which computes nothing there fetches its own where it first
    /// computes. (PLACEMENT, D5)
    only_first_tile_fetches_weights: "Weights: fetched in the first tile or never", defines true, zigzag false false;
    /// DeFiNES maps a layer-tile as if it had the memories for itself; right is beside the feature maps, caches and weights that lie there.
    /// (PLACEMENT, D6)
    mappings_have_whole_memories: "Mappings: memories hold nothing else", defines true, zigzag false false;
    /// Where the caches lie in different memories, DeFiNES writes what belongs to both into the vertical one only, yet reads it from the
    /// horizontal one; right is to write it to both, and to read what tiles above left from the vertical one. (PLACEMENT, D8)
    corners_read_from_columns: "Corners of two caches: read where nobody wrote them", defines true, zigzag false false;
    /// Where tiles are narrower than what they share, columns stay for more tiles than the next. DeFiNES leaves them where they are, also
    /// where the next tile looks for them in another memory; right is one memory for all tiles.
    far_columns_left_behind: "Columns kept for several tiles: left behind", defines true, zigzag false false;
    /// In DeFiNES a layer reads an input of the stack that lies below the memory of its inputs as if it lay there; right is to copy it up.
    /// (PLACEMENT, D9)
    lower_stack_inputs_read_in_place: "Inputs of a stack are read where they are not", defines true, zigzag false false;
    /// An output is written to a cache while its readers still need what was there before; right is room for both. (PLACEMENT, D11)
    caches_replaced_at_once: "Caches: old overlap leaves no later than new comes", defines true, zigzag false false;
}

impl Rules {
    /// The known combinations with a name for a person, the default first.
    pub const SETS: [(&'static str, Self); 4] = [
        ("corrected", Self::CORRECTED),
        ("as published (DeFiNES)", Self::DEFINES_2022),
        ("as in ZigZag 3.8", Self::ZIGZAG_3_8),
        ("as in ZigZag 3.9", Self::ZIGZAG_3_9),
    ];

    /// Whether single layers are counted correctly under these rules, whatever those of depth-first scheduling are: then
    /// lower bounds hold on the cost of a mapping.
    pub fn has_layer_bounds(&self) -> bool {
        let layers = Self {
            cut_after_first_layer_ignored: false,
            layer_by_layer_keeps_stacks: false,
            stack_capacity_is_one_instance: false,
            tiles_without_borders: false,
            first_column_ignores_caches: false,
            cache_level_of_neighbour: false,
            whole_outputs_copied: false,
            other_maps_take_no_room: false,
            stack_inputs_placed_alone: false,
            kept_weights_counted_together: false,
            input_caches_written_free: false,
            only_first_tile_fetches_weights: false,
            mappings_have_whole_memories: false,
            corners_read_from_columns: false,
            far_columns_left_behind: false,
            lower_stack_inputs_read_in_place: false,
            caches_replaced_at_once: false,
            ..*self
        };
        layers == Self::CORRECTED
    }

    /// The name of these rules among [`Self::SETS`]; `None` for a mixture.
    pub fn set_name(&self) -> Option<&'static str> {
        Self::SETS.iter().find(|(_, rules)| rules == self).map(|(name, _)| *name)
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::CORRECTED
    }
}
