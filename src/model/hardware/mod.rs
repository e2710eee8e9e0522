//! The validated core: PE array, memories, ports. A [`Core`] cannot be built wrong.

mod area;
mod array;
mod build;
mod check;
mod core;
mod estimate;
mod in_memory;
mod mac;
mod memory;
mod operand;
mod power;
mod sram;
mod text;
mod vector;

pub use self::core::Core;
pub use crate::spec::DoubleBuffering;
pub use area::Area;
pub use array::{ArrayDimId, ArrayDims, ArraySizes, Unroll, WideUnroll};
pub use build::{MAX_LEVELS, check_shared_dimension, movements, unroll_over};
pub use check::{MAX_SIZE, check_area, check_bits, check_energy};
pub use estimate::{Estimate, check_estimate};
pub use in_memory::{ByPart, InMemory, InMemoryKind, MacroActivation, MacroPart};
pub use mac::MacEnergy;
pub use memory::{Memory, MemoryId, Movement, Port, PortId, WordParts};
pub use operand::Operand;
pub use power::Power;
pub use sram::{Figures, MAX_SRAM_WIDTH, SRAM_65NM, SRAM_ESTIMATORS, SRAM_SIZES, estimate, residuals};
pub use vector::{OperationCost, VectorUnit};
