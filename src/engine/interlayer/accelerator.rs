//! The paper's abstract hardware: DRAM, an on-chip buffer, and a spatial array whose processing engines (PEs) hold register files
//! (Fig. 1), with the six configurations of its experiments (Tables 3 and 4).

use serde::{Deserialize, Serialize};

/// Columns and rows of PEs (PEx, PEy), of the whole array or of a part that one layer has to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PeArray {
    /// PEx.
    pub columns: u64,
    /// PEy.
    pub rows: u64,
}

/// The sections of a PE's register file, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterFile {
    /// Words that hold weights.
    pub weights: u64,
    /// Words that hold input pixels.
    pub inputs: u64,
    /// Partial sums.
    pub sums: u64,
}

impl RegisterFile {
    /// The sections of a register file of `bytes` bytes: 384, 24 and 32 of 512, which are those of Eyeriss, and in proportion.
    ///
    /// Section 4.3.2 prints 36 words of partial sums; Table 6 halves them to 16, so 32 it is.
    pub const fn of(bytes: u64) -> Self {
        Self { weights: bytes * 3 / 4, inputs: bytes * 3 / 64, sums: bytes / 16 }
    }

    /// The share of each of `layers` (at least 1) under temporal fusion: every section divided, as in Table 6 (the
    /// example in Section 4.3.2 divides the first alone).
    #[must_use]
    pub const fn split(self, layers: u64) -> Self {
        Self { weights: self.weights / layers, inputs: self.inputs / layers, sums: self.sums / layers }
    }
}

/// Energies in hundredths of a picojoule, so that sums are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnergyCosts {
    /// A multiply-accumulate with its accesses to the register file.
    pub mac: u64,
    /// A byte read from or written to the on-chip buffer.
    pub buffer: u64,
    /// Energy of an access of the DRAM; [`super::EnergyRule`] states the bytes of an access.
    pub dram: u64,
}

/// An accelerator with 8-bit words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accelerator {
    /// The spatial array.
    pub array: PeArray,
    /// Bytes of the on-chip buffer.
    pub buffer: u64,
    /// Register file of each PE.
    pub registers: RegisterFile,
    /// Energy of a MAC and of accesses.
    pub energy: EnergyCosts,
}

impl Accelerator {
    /// Configurations 1 to 6 of Tables 3 and 4.
    pub const PUBLISHED: [Self; 6] = [
        published((32, 16), 512, 512, 175, 2670),
        published((32, 16), 1536, 512, 175, 7816),
        published((32, 32), 1536, 512, 175, 7816),
        published((48, 32), 1536, 512, 175, 7816),
        published((32, 16), 1536, 1024, 179, 7816),
        published((32, 16), 1536, 1536, 183, 7816),
    ];
}

const fn published((columns, rows): (u64, u64), kibibytes: u64, registers: u64, mac: u64, buffer: u64) -> Accelerator {
    Accelerator {
        array: PeArray { columns, rows },
        buffer: kibibytes * 1024,
        registers: RegisterFile::of(registers),
        energy: EnergyCosts { mac, buffer, dram: 20_000 },
    }
}
