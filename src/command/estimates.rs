//! Remarks in reports on estimated numbers of memories.

use fusescape_engine::hardware::Core;
use serde::Serialize;

/// The line below the title of a report; empty if no energy is an estimate.
pub fn estimate_line(core: &Core) -> String {
    core.estimate_note().map_or_else(String::new, |note| note + "\n")
}

/// A memory with a figure that an estimator stands for.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct EstimatedMemory {
    /// Its name.
    memory: String,
    /// What the figures are by, such as `sram-28nm`.
    estimator: String,
    /// Whether the energy of reading is an estimate.
    read_energy: bool,
    /// Whether the energy of writing is an estimate.
    write_energy: bool,
    /// Whether the area is an estimate.
    area: bool,
}

impl EstimatedMemory {
    /// The estimates of a core, the lowest memory first.
    pub fn of(core: &Core) -> Vec<Self> {
        let estimated = core.estimates().map(|(memory, estimate)| Self {
            memory: memory.name.clone(),
            estimator: estimate.estimator.clone(),
            read_energy: estimate.read_energy,
            write_energy: estimate.write_energy,
            area: estimate.area,
        });
        estimated.collect()
    }
}
