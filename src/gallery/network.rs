//! Facts about networks (DeFiNES, Table I).

use super::measure::NetworkFact;
use fusescape_engine::workload::Network;

/// A fact, in bytes.
pub fn fact(fact: NetworkFact, workload: &str) -> Result<f64, String> {
    let network = Network::from_text(workload).map_err(|wrong| wrong.to_string())?;
    let bytes = |bits: u64| bits as f64 / 8.0;
    let shapes = || network.computing().map(|id| network.layer(id).shape);
    let features = || shapes().map(|shape| bytes(shape.all_input_bits()));
    Ok(match fact {
        NetworkFact::AverageFeatures => features().sum::<f64>() / features().count().max(1) as f64,
        NetworkFact::MostFeatures => features().fold(0.0, f64::max),
        NetworkFact::Weights => shapes().map(|shape| bytes(shape.weight_bits())).sum(),
    })
}
