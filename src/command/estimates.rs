//! What reports say of estimated figures of memories.

use fusescape_engine::hardware::Core;
use serde_json::{Value, json};

/// The line below the title of a report; nothing where no energy is an estimate.
pub fn estimate_line(core: &Core) -> String {
    core.estimate_note().map_or_else(String::new, |note| note + "\n")
}

/// For a program: each memory with an estimated figure, lowest first.
pub fn estimates_json(core: &Core) -> Value {
    let estimates = core.estimates().map(|(memory, estimate)| {
        json!({
            "memory": memory.name,
            "estimator": estimate.estimator,
            "read_energy": estimate.read_energy,
            "write_energy": estimate.write_energy,
            "area": estimate.area,
        })
    });
    estimates.collect()
}
