//! Sources of the formulas.

pub(super) const STACKS: &str = "DeFiNES, Section III: stacks of fused layers";
pub(super) const TILES: &str = "DeFiNES, Section III, step 1: tile the stack's output";
pub(super) const BACK: &str = "DeFiNES, Section III, step 2: back-calculate tile sizes and cached data";
pub(super) const COPIES: &str = "DeFiNES, Section III, step 4: collect inputs by data copy actions";
pub(super) const SINGLE_LAYER: &str = "DeFiNES, Section III, step 5: single-layer mapper and cost model (ZigZag)";
pub(super) const SUM: &str = "DeFiNES, Section III, step 6: accumulate over layers and tiles";
pub(super) const ENERGY: &str = "ZigZag, Section III-B: accesses from loop relevance, times the energy of one access";
pub(super) const LOOPS: &str = "ZigZag, Section III-B and Table III: the loop-information table";
pub(super) const COALA: &str = "Stream, Section 4.1: communication- and memory-aware latency analysis";
pub(super) const OPTIMUS: &str = "Optimus, Section 5.1, eq. 3: memory cost of fused operator-groups";
pub(super) const SEQUENCES: &str =
    "HW-Flow-Fusion, Section 5: energy, latency and the ratio of computation to communication";
pub(super) const FUSION_BUFFER: &str = "HW-Flow-Fusion, eqs. 4 and 5: the fusion buffer";
pub(super) const REUSE_BUFFER: &str = "HW-Flow-Fusion, eqs. 7 and 8: the reuse buffers";
pub(super) const VOLUME: &str = "HW-Flow-Fusion, eqs. 3 and 6: traffic with DRAM";
pub(super) const BANDWIDTH: &str = "ZigZag, Section III-C and Fig. 10: required bandwidth and effective memory size";
pub(super) const LATENCY: &str = "ZigZag, Section III-C, and the latency model of DATE 2022: stalls by port";
