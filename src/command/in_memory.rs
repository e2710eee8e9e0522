//! Text about an array that computes in memory, for reports.

use fusescape_engine::hardware::{ByPart, Core, InMemoryKind, MacroPart};
use serde::Serialize;
use std::collections::BTreeMap;

/// An array that computes in memory: what its macros are and what they reach, estimated after ZigZag 3.8.5 in 28 nm.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct InMemoryArray {
    /// How it adds up.
    r#type: Adding,
    /// Columns of a macro.
    columns: u64,
    /// Rows of a macro.
    rows: u64,
    /// Number of arrays that compute side by side.
    macros: u64,
    /// Bits of a weight and of an input.
    precision_bits: PrecisionBits,
    /// Bits of an input that enter in a cycle.
    input_bits: u64,
    /// Bits of a converter; null where the macros are digital.
    adc_bits: Option<u64>,
    /// Weights that a row and a column hold.
    weights_per_cell_group: u64,
    /// Operations a second, 10^12, when all rows and columns are in use.
    peak_tops: f64,
    /// Operations per joule, in 10^12, when all rows and columns are in use; without memories.
    peak_tops_per_watt: f64,
    /// The shortest period of a clock, ns.
    period_ns: f64,
    /// What it is made of, by part.
    #[cfg_attr(feature = "schema", schemars(schema_with = "by_part::ns"))]
    delay: BTreeMap<String, f64>,
    /// Area of all macros without cells, by part.
    #[cfg_attr(feature = "schema", schemars(schema_with = "by_part::um2"))]
    area: BTreeMap<String, f64>,
}

/// How an array that computes in memory adds up.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum Adding {
    /// On bit lines, whose sums are converted.
    Analog,
    /// By trees of adders.
    Digital,
}

/// Bits of a weight and of an input.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PrecisionBits {
    /// Of a weight.
    w: u64,
    /// Of an input.
    i: u64,
}

impl InMemoryArray {
    /// That of a core; `None` where it does not compute in memory.
    pub fn of(core: &Core) -> Option<Self> {
        let array = core.in_memory.as_ref()?;
        let (r#type, adc_bits) = match array.kind {
            InMemoryKind::Analog { adc_bits } => (Adding::Analog, Some(adc_bits)),
            InMemoryKind::Digital => (Adding::Digital, None),
        };
        let parts = |quantity: ByPart, unit: &str| {
            let each = MacroPart::ALL.into_iter().filter(|part| quantity[*part] != 0.0);
            each.map(|part| (field(part, unit), quantity[part])).collect()
        };
        Some(Self {
            r#type,
            columns: array.column_count,
            rows: array.row_count,
            macros: array.macros,
            precision_bits: PrecisionBits { w: array.weight_bits, i: array.activation_bits },
            input_bits: array.input_bits,
            adc_bits,
            weights_per_cell_group: array.group_depth,
            peak_tops: array.peak_tops(),
            peak_tops_per_watt: array.peak_tops_per_watt(),
            period_ns: array.period_ns(),
            delay: parts(array.delay_ns(), "ns"),
            area: parts(array.area_um2(), "um2"),
        })
    }
}

fn field(part: MacroPart, unit: &str) -> String {
    format!("{}_{unit}", part.key())
}

#[cfg(feature = "schema")]
mod by_part {
    use super::{MacroPart, field};
    use fusescape_engine::schema::{described, object};
    use schemars::{Schema, SchemaGenerator};

    pub fn ns(generator: &mut SchemaGenerator) -> Schema {
        fields(generator, "ns")
    }

    pub fn um2(generator: &mut SchemaGenerator) -> Schema {
        fields(generator, "um2")
    }

    /// Parts that an array does not have are left out.
    fn fields(generator: &mut SchemaGenerator, unit: &str) -> Schema {
        let meaning = |part: MacroPart| format!("Of {}, {unit}.", part.title());
        let fields = MacroPart::ALL.map(|part| (field(part, unit), described::<f64>(generator, meaning(part))));
        let mut schema = object(fields);
        schema.remove("required");
        schema
    }
}
