//! Choices that the paper leaves open: they are calibrated by its tables, not derived.

/// How energies are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnergyRule {
    /// Bytes that one access of the DRAM moves.
    pub dram_access_bytes: u64,
    /// Buffer accesses for a byte that moves: 2 if both source and destination are charged, 1 if only the buffer is.
    pub accesses_per_move: u64,
    /// Whether an operation of pooling costs as much as a multiply-accumulate, or nothing.
    pub pooling_computes: bool,
}

/// The choices behind every number that the paper's formulas do not settle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameters {
    /// Bytes of a DRAM burst (Section 5), of which one takes a cycle.
    pub burst_bytes: u64,
    /// Bandwidth of the buffer, bytes per cycle (Section 5).
    pub buffer_bytes_per_cycle: u64,
    /// Operations of a multiply-accumulate in the ratio of computation to communication.
    pub operations_per_mac: u64,
    /// Width of a word, in which sizes and traffic are counted.
    pub word_bits: u64,
    /// Energies by which tiles are selected.
    pub selection: EnergyRule,
    /// Energies that are reported.
    pub report: EnergyRule,
}

impl Parameters {
    /// The paper's choices, as far as its tables show.
    ///
    /// - Tiles are selected by least `latency^2 * energy`. Of 432 scores that were tried this one, with natural constants, gives all 20
    ///   ratios of single convolutions in Table 7 to the printed digit; the paper names no score.
    /// - Reported energy has 200 pJ for 16 bits of DRAM, and counts the buffer once a byte; of the readings that were tried, it
    ///   comes closest to the energies of Table 5 (94 % and 91 %).
    pub const AS_PUBLISHED: Self = Self {
        burst_bytes: 8,
        buffer_bytes_per_cycle: 2,
        operations_per_mac: 2,
        word_bits: 8,
        selection: EnergyRule { dram_access_bytes: 8, accesses_per_move: 2, pooling_computes: true },
        report: EnergyRule { dram_access_bytes: 2, accesses_per_move: 1, pooling_computes: false },
    };
}
