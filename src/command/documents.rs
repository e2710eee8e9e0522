//! Documents of each kind: those that come with the program, and what is in one.

use super::one_of;
use fusescape_engine::attention::Transformer;
use fusescape_engine::hardware::{Core, Memory};
use fusescape_engine::hierarchy::Pool;
use fusescape_engine::multicore::CoreSystem;
use fusescape_engine::workload::Network;
use fusescape_spec::{
    Diagnostics, Preset, hardware_presets, pool_presets, system_presets, transformer_presets, workload_presets,
};
use serde_json::{Value, json};

/// What a document describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A core.
    Hardware,
    /// A network.
    Network,
    /// A system of many cores.
    System,
    /// A pool of memories.
    Pool,
    /// A transformer.
    Transformer,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Hardware, Self::Network, Self::System, Self::Pool, Self::Transformer];

    /// The kind of this name.
    ///
    /// # Errors
    /// The names that there are.
    pub fn named(name: &str) -> Result<Self, Diagnostics> {
        one_of(name, Self::ALL.map(|kind| (kind.name(), kind))).map_err(|remedy| {
            let mut wrong = Diagnostics::default();
            wrong.add("kind", format!("There is no kind of document `{name}`"), remedy);
            wrong
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hardware => "hardware",
            Self::Network => "network",
            Self::System => "system",
            Self::Pool => "pool",
            Self::Transformer => "transformer",
        }
    }
}

/// Presets of a kind.
pub fn presets(kind: Kind) -> &'static [Preset] {
    match kind {
        Kind::Hardware => hardware_presets(),
        Kind::Network => workload_presets(),
        Kind::System => system_presets(),
        Kind::Pool => pool_presets(),
        Kind::Transformer => transformer_presets(),
    }
}

/// What is in a document, in short.
///
/// # Errors
/// All that is wrong with it.
pub fn facts(kind: Kind, text: &str) -> Result<Value, Diagnostics> {
    match kind {
        Kind::Hardware => Core::from_text(text).map(|core| core_facts(&core)),
        Kind::Network => Network::from_text(text).map(|network| network_facts(&network)),
        Kind::Pool => Pool::from_text(text).map(|pool| {
            let memories = pool.memories.iter().map(|memory| memory.name.as_str());
            json!({ "name": pool.name, "memories": memories.collect::<Vec<_>>() })
        }),
        Kind::Transformer => Transformer::from_text(text).map(|model| {
            let weights = model.layers * model.weights();
            json!({ "name": model.name, "layers": model.layers, "weights": weights, "is_decoder": model.causal })
        }),
        Kind::System => {
            // Cores of which it says nothing are the accelerator beside it: any.
            let beside = hardware_presets().first().map_or("", |preset| preset.text);
            CoreSystem::from_text(text, beside).map(|system| {
                let cores = system.cores.iter().map(|core| core.name.as_str());
                json!({ "name": system.name, "cores": cores.collect::<Vec<_>>() })
            })
        }
    }
}

fn core_facts(core: &Core) -> Value {
    let memory = |memory: &Memory| json!({ "name": memory.name, "size_bits": memory.size_bits });
    json!({
        "name": core.name,
        "pe_count": core.pe_count(),
        "array": core.array.iter().map(|(name, size)| json!([name, size])).collect::<Vec<_>>(),
        "memories": core.memories.iter().map(memory).collect::<Vec<_>>(),
        "clock_mhz": core.clock_mhz,
    })
}

fn network_facts(network: &Network) -> Value {
    let layer = |id| {
        let layer = network.layer(id);
        json!({ "name": layer.name, "macs": layer.shape.macs() })
    };
    json!({
        "name": network.name,
        "macs": network.macs(),
        "layers": network.computing().map(layer).collect::<Vec<_>>(),
    })
}
