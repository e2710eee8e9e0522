//! What reports say of an array that computes in memory.

use fusescape_engine::hardware::{ByPart, Core, InMemoryKind, MacroPart};
use serde_json::{Value, json};

/// For a program; null where the array does not compute in memory.
pub fn in_memory_json(core: &Core) -> Value {
    let Some(array) = &core.in_memory else { return Value::Null };
    let adc_bits = match array.kind {
        InMemoryKind::Analog { adc_bits } => Some(adc_bits),
        InMemoryKind::Digital => None,
    };
    let parts = |quantity: ByPart, unit: &str| -> Value {
        let each = MacroPart::ALL.into_iter().filter(|part| quantity[*part] != 0.0);
        each.map(|part| (format!("{}_{unit}", part.key()), json!(quantity[part]))).collect()
    };
    json!({
        "type": if adc_bits.is_some() { "analog" } else { "digital" },
        "columns": array.column_count,
        "rows": array.row_count,
        "macros": array.macros,
        "precision_bits": { "w": array.weight_bits, "i": array.activation_bits },
        "input_bits": array.input_bits,
        "adc_bits": adc_bits,
        "weights_per_cell_group": array.group_depth,
        "peak_tops": array.peak_tops(),
        "peak_tops_per_watt": array.peak_tops_per_watt(),
        "period_ns": array.period_ns(),
        "delay": parts(array.delay_ns(), "ns"),
        "area": parts(array.area_um2(), "um2"),
    })
}
