//! Caches of keys and values: inputs that a call reads and extends for the next call.

use super::builder::NetworkBuilder;
use crate::report::Severity;
use fusescape_spec::LayerSpec;
use std::collections::{BTreeSet, HashMap};

/// Reports the inputs that are caches: those concatenated with computed tensors and read as second matrices of
/// products.
pub fn note(builder: &mut NetworkBuilder) {
    let by_name: HashMap<&str, &LayerSpec> = builder.layers.iter().map(|layer| (layer.name.as_str(), layer)).collect();
    let products = builder.layers.iter().filter(|layer| layer.kind == "matmul");
    let mut open: Vec<&str> = products.filter_map(|layer| Some(layer.from.get(1)?.as_str())).collect();
    let (mut seen, mut caches) = (BTreeSet::new(), BTreeSet::new());
    while let Some(name) = open.pop() {
        let Some(layer) = by_name.get(name).filter(|layer| layer.kind == "view" && seen.insert(name)) else { continue };
        let is_input = |name: &&str| by_name.get(name).is_some_and(|layer| layer.kind == "input");
        let (inputs, computed): (Vec<&str>, Vec<&str>) = layer.from.iter().map(String::as_str).partition(is_input);
        if !computed.is_empty() {
            caches.extend(inputs);
        }
        open.extend(computed);
    }
    let layers: Vec<&LayerSpec> = caches.iter().filter_map(|name| by_name.get(name).copied()).collect();
    let bits: u64 = layers.iter().filter_map(|layer| bits(layer, builder.batch)).fold(0, u64::saturating_add);
    if let (Some(first), count @ 1..) = (layers.first().map(|layer| layer.name.clone()), layers.len()) {
        let reason = format!(
            "{count} inputs hold keys and values of earlier calls, {} bytes in all; they persist between calls, and each is read once for \
             all heads that share it",
            bits.div_ceil(8)
        );
        builder.report.note(Severity::Expressed, "cache", &reason, &first);
    }
}

/// Bits of an input of the network.
fn bits(layer: &LayerSpec, batch: u64) -> Option<u64> {
    let (columns, rows) = layer.size?;
    let elements = layer.channels?.checked_mul(columns)?.checked_mul(rows)?.checked_mul(batch)?;
    elements.checked_mul(layer.precision.o.unwrap_or(8))
}
