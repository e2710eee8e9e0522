//! Methods of fusion (Optimus) and sequences of layers (HW-Flow-Fusion).

mod dataflows;
mod fusion_map;
mod group_strips;
mod search_times;
mod sequences;

pub use dataflows::{FusionsOnArray, dataflow_energy, dataflow_latency, dataflow_table};
pub use fusion_map::{FusionMap, fusion_dram, fusion_energy, fusion_latency, fusion_table};
pub use group_strips::{GroupStrip, GroupStrips};
pub use search_times::{SearchTime, search_time_table};
pub use sequences::{
    SequencePart, SequenceQuantity, partition_scatter, pruning, resource_curves, reuse_bars, sequence_bars,
    sequence_ctc, sequence_label, sequence_shares, sequence_table, storage_bars, traffic_bars,
};
