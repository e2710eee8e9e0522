//! Documents of each kind: those that come with the program, and what is in one.

use super::one_of;
use fusescape_engine::attention::TransformerWork;
use fusescape_engine::hardware::{Core, Memory};
use fusescape_engine::pool::Pool;
use fusescape_engine::system::CoreSystem;
use fusescape_engine::transformer::Transformer;
use fusescape_engine::workload::Network;
use fusescape_spec::{
    Diagnostics, Preset, hardware_presets, pool_presets, system_presets, transformer_presets, workload_presets,
};
use serde::Serialize;

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

/// What is in a document, in short: each kind as JSON has it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Facts {
    /// Of a core.
    Hardware {
        /// Its name.
        name: String,
        /// Number of PEs.
        pe_count: u64,
        /// Name and size of each dimension of the array.
        array: Vec<(String, u64)>,
        /// The memories, the lowest first.
        memories: Vec<MemoryFacts>,
        /// The clock, MHz, where it is stated.
        clock_mhz: Option<f64>,
    },
    /// Of a network.
    Network {
        /// Its name.
        name: String,
        /// Multiply-accumulates.
        macs: u64,
        /// Layers that compute.
        layers: Vec<LayerFacts>,
    },
    /// Of a pool.
    Pool {
        /// Its name.
        name: String,
        /// Names of the memories.
        memories: Vec<String>,
    },
    /// Of a transformer.
    Transformer {
        /// Its name.
        name: String,
        /// Layers.
        layers: u64,
        /// Weights of all layers.
        weights: u64,
        /// Whether a token sees only those before it.
        is_decoder: bool,
    },
    /// Of a system of cores.
    System {
        /// Its name.
        name: String,
        /// Names of the cores.
        cores: Vec<String>,
    },
}

/// A memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemoryFacts {
    /// Its name.
    name: String,
    /// Its capacity.
    size_bits: u64,
}

/// A layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LayerFacts {
    /// Its name.
    name: String,
    /// Multiply-accumulates.
    macs: u64,
}

/// What is in a document, in short.
///
/// # Errors
/// All that is wrong with it.
pub fn facts(kind: Kind, text: &str) -> Result<Facts, Diagnostics> {
    match kind {
        Kind::Hardware => Core::from_text(text).map(|core| core_facts(&core)),
        Kind::Network => Network::from_text(text).map(|network| network_facts(&network)),
        Kind::Pool => Pool::from_text(text).map(|pool| Facts::Pool {
            name: pool.name,
            memories: pool.memories.into_iter().map(|memory| memory.name).collect(),
        }),
        Kind::Transformer => Transformer::from_text(text).map(|model| Facts::Transformer {
            layers: model.layers,
            weights: model.layers * model.weights(),
            is_decoder: model.causal,
            name: model.name,
        }),
        Kind::System => {
            // Cores of which it says nothing are the accelerator beside it: any.
            let beside = hardware_presets().first().map_or("", |preset| preset.text);
            CoreSystem::from_text(text, beside).map(|system| Facts::System {
                name: system.name,
                cores: system.cores.into_iter().map(|core| core.name).collect(),
            })
        }
    }
}

fn core_facts(core: &Core) -> Facts {
    let memory = |memory: &Memory| MemoryFacts { name: memory.name.clone(), size_bits: memory.size_bits };
    Facts::Hardware {
        name: core.name.clone(),
        pe_count: core.pe_count(),
        array: core.array.iter().cloned().collect(),
        memories: core.memories.iter().map(memory).collect(),
        clock_mhz: core.clock_mhz,
    }
}

fn network_facts(network: &Network) -> Facts {
    let layer = |id| {
        let layer = network.layer(id);
        LayerFacts { name: layer.name.clone(), macs: layer.shape.macs() }
    };
    Facts::Network {
        name: network.name.clone(),
        macs: network.macs(),
        layers: network.computing().map(layer).collect(),
    }
}
