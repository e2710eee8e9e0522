//! The machines of the FuseMax artifact: DRAM, one on-chip buffer, a square 2D array for products, and a 1D array beside it.

/// A machine. Each PE does one operation per cycle on values of two bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// R: PEs along each side of the 2D array, and of the 1D array.
    pub side: u64,
    /// Clock frequency of both arrays, Hz.
    pub clock_hz: f64,
    /// Bytes per second of DRAM.
    pub dram_bandwidth: f64,
    /// Bytes of the on-chip buffer (L3).
    pub buffer_bytes: u64,
    /// Energy of one operation or access, pJ.
    pub energies: Energies,
}

/// Energies, pJ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energies {
    /// An access of DRAM, of 64 bits.
    pub dram_word: f64,
    /// Reading a row of the buffer, of 512 bytes.
    pub buffer_read: f64,
    /// Writing such a row.
    pub buffer_write: f64,
    /// Reading and writing a register of a PE of the 2D array.
    pub registers_2d: (f64, f64),
    /// Reading and writing a register of a PE of the 1D array.
    pub registers_1d: (f64, f64),
}

/// Bytes of a value.
pub const BYTES: u64 = 2;
/// Values in a row of the buffer.
const ROW_VALUES: f64 = 256.0;
/// Energy of operations at 45 nm, pJ (Table "energy_per_op" of the artifact).
pub const MAC: f64 = 17.1645;
/// An addition.
pub const ADD: f64 = 8.3395;
/// The larger of two.
pub const MAX: f64 = 0.028036;
/// A division.
pub const DIVIDE: f64 = 36.251153;
/// An exponential function in a unit of its own.
pub const EXPONENTIAL: f64 = 94.6475;

const GIB: f64 = 1_073_741_824.0;
const DRAM_WORD: f64 = 249.6;

impl Machine {
    /// The cloud machine of FLAT, of unfused attention and of +cascade.
    pub const FLAT_CLOUD: Self = Self {
        side: 256,
        clock_hz: 940e6,
        dram_bandwidth: 400.0 * GIB,
        buffer_bytes: 32 << 20,
        energies: Energies {
            dram_word: DRAM_WORD,
            buffer_read: 23_854.664_588,
            buffer_write: 27_097.564_596,
            registers_2d: (2.182_396, 1.894_396),
            registers_1d: (2.190_435, 1.902_435),
        },
    };

    /// The cloud machine of FuseMax: half the buffer, and PEs that compute exponential functions by multiplying.
    pub const FUSEMAX_CLOUD: Self = Self {
        buffer_bytes: 16 << 20,
        energies: Energies {
            dram_word: DRAM_WORD,
            buffer_read: 12_512.760_57,
            buffer_write: 15_751.460_57,
            registers_2d: (2.190_435, 1.902_435),
            registers_1d: (2.194_455, 1.906_455),
        },
        ..Self::FLAT_CLOUD
    };

    /// The edge machine of FLAT. The artifact computes no energy on it; here its energies are those of
    /// [`Self::FLAT_CLOUD`].
    pub const FLAT_EDGE: Self =
        Self { side: 32, buffer_bytes: 512 << 10, dram_bandwidth: 50.0 * GIB, ..Self::FLAT_CLOUD };

    /// PEs of the 2D array.
    pub const fn pes(&self) -> u64 {
        self.side * self.side
    }

    /// Seconds of the transfer of `bytes` from or to DRAM.
    pub fn dram_seconds(&self, bytes: f64) -> f64 {
        bytes / self.dram_bandwidth
    }

    /// Seconds of so many cycles.
    pub fn seconds(&self, cycles: f64) -> f64 {
        cycles / self.clock_hz
    }

    /// Energy of the transfer of `bytes` from or to DRAM, pJ.
    pub fn dram_energy(&self, bytes: f64) -> f64 {
        bytes / 8.0 * self.energies.dram_word
    }

    /// Energy of reading and writing so many values of the buffer, pJ.
    pub fn buffer_energy(&self, reads: f64, writes: f64) -> f64 {
        (reads * self.energies.buffer_read + writes * self.energies.buffer_write) / ROW_VALUES
    }

    /// Rows of the buffer that hold so many values.
    pub fn rows(values: f64) -> f64 {
        values / ROW_VALUES
    }
}
