//! Documents of each kind: presets, and summaries of their contents.

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    Hardware,
    Network,
    System,
    Pool,
    Transformer,
}

impl DocumentKind {
    const ALL: [Self; 5] = [Self::Hardware, Self::Network, Self::System, Self::Pool, Self::Transformer];

    /// The kind of this name.
    ///
    /// # Errors
    /// The existing names.
    pub fn named(name: &str) -> Result<Self, Diagnostics> {
        one_of(name, Self::ALL.map(|kind| (kind.name(), kind))).map_err(|remedy| {
            let mut wrong = Diagnostics::default();
            wrong.add("kind", format!("There is no kind of document `{name}`"), remedy);
            wrong
        })
    }

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
pub fn presets(kind: DocumentKind) -> &'static [Preset] {
    match kind {
        DocumentKind::Hardware => hardware_presets(),
        DocumentKind::Network => workload_presets(),
        DocumentKind::System => system_presets(),
        DocumentKind::Pool => pool_presets(),
        DocumentKind::Transformer => transformer_presets(),
    }
}

/// A summary of a document; each kind has its own fields in JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Facts {
    Hardware {
        name: String,
        /// Number of PEs.
        pe_count: u64,
        /// Name and size of each dimension of the array.
        array: Vec<(String, u64)>,
        /// The lowest first.
        memories: Vec<MemoryFacts>,
        /// MHz; `None` if it is not stated.
        clock_mhz: Option<f64>,
    },
    Network {
        name: String,
        /// Multiply-accumulates.
        macs: u64,
        /// Layers that compute, unlike inputs and views.
        layers: Vec<LayerSummary>,
    },
    Pool {
        name: String,
        /// Names of the memories.
        memories: Vec<String>,
    },
    Transformer {
        name: String,
        layers: u64,
        /// Weights of all layers.
        weights: u64,
        /// Whether a token sees only earlier ones.
        is_decoder: bool,
    },
    System {
        name: String,
        /// Names of the cores.
        cores: Vec<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemoryFacts {
    name: String,
    size_bits: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LayerSummary {
    name: String,
    /// Multiply-accumulates.
    macs: u64,
}

/// A summary of a document.
///
/// # Errors
/// All errors in it.
pub fn facts(kind: DocumentKind, text: &str) -> Result<Facts, Diagnostics> {
    match kind {
        DocumentKind::Hardware => Core::from_text(text).map(|core| core_facts(&core)),
        DocumentKind::Network => Network::from_text(text).map(|network| network_facts(&network)),
        DocumentKind::Pool => Pool::from_text(text).map(|pool| Facts::Pool {
            name: pool.name,
            memories: pool.memories.into_iter().map(|memory| memory.name).collect(),
        }),
        DocumentKind::Transformer => Transformer::from_text(text).map(|model| Facts::Transformer {
            layers: model.layers,
            weights: model.layers * model.weights(),
            is_decoder: model.causal,
            name: model.name,
        }),
        DocumentKind::System => {
            // Cores without a description are the accelerator beside the system: any is good enough here.
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
        LayerSummary { name: layer.name.clone(), macs: layer.shape.macs() }
    };
    Facts::Network {
        name: network.name.clone(),
        macs: network.macs(),
        layers: network.computing().map(layer).collect(),
    }
}
