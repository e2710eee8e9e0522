//! The two documents of a design.

use fusescape_spec::{Preset, PresetName, hardware_names, hardware_presets, workload_names, workload_presets};

/// One of the two documents of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// The accelerator.
    Hardware,
    /// The network.
    Workload,
}

impl Half {
    /// All documents that can be picked.
    pub fn presets(self) -> &'static [Preset] {
        match self {
            Self::Hardware => hardware_presets(),
            Self::Workload => workload_presets(),
        }
    }

    /// Their names, as the page's first screen needs no other texts.
    pub fn preset_names(self) -> &'static [PresetName] {
        match self {
            Self::Hardware => hardware_names(),
            Self::Workload => workload_names(),
        }
    }

    /// In identifiers of HTML elements.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hardware => "hardware",
            Self::Workload => "workload",
        }
    }
}
