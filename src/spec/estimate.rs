//! Reading the estimator of a memory.

use super::document::EstimateSpec;
use super::hardware::read_energy;
use super::reader::{Fields, Reader};

/// The `estimate` of a memory, which stands for each figure that is not stated.
pub(super) fn read_estimate(fields: &Fields, reader: &mut Reader) -> Option<EstimateSpec> {
    let estimator = fields.get("estimate")?.name(reader).unwrap_or_default();
    let is_left = |name| fields.get(name).is_none();
    Some(EstimateSpec { estimator, read_energy: is_left("read_energy"), write_energy: is_left("write_energy") })
}

/// An energy, which may be left out where an estimator has it.
pub(super) fn read_energy_or_estimate(fields: &Fields, name: &str, reader: &mut Reader) -> f64 {
    if fields.get("estimate").is_some() && fields.get(name).is_none() { 0.0 } else { read_energy(fields, name, reader) }
}
