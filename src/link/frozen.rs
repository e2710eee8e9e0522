//! Texts that links refer to by hash. They are kept for ever: a preset whose text changes leaves the old text in
//! `presets/retired/`, and a line here.

use fusescape_spec::{Preset, hardware_presets, pool_presets, system_presets, workload_presets};

/// A text that links may refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrozenText {
    /// Name of the preset that currently has this text.
    pub preset: Option<&'static str>,
    /// The whole document.
    pub text: &'static str,
}

/// The kind of document that a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrozenKind {
    Hardware,
    Workload,
    Pool,
    System,
}

/// Former texts of presets, by kind.
const RETIRED: [(FrozenKind, &[&str]); 4] =
    [(FrozenKind::Hardware, &[]), (FrozenKind::Workload, &[]), (FrozenKind::Pool, &[]), (FrozenKind::System, SYSTEMS)];
const SYSTEMS: &[&str] = &[include_str!("../../presets/retired/tpu-quad-2edcda58.yaml")];

impl FrozenKind {
    pub(super) const ALL: [Self; 4] = [Self::Hardware, Self::Workload, Self::Pool, Self::System];

    fn presets(self) -> &'static [Preset] {
        match self {
            Self::Hardware => hardware_presets(),
            Self::Workload => workload_presets(),
            Self::Pool => pool_presets(),
            Self::System => system_presets(),
        }
    }

    /// All texts of this kind, those of current presets first.
    pub(super) fn texts(self) -> impl Iterator<Item = FrozenText> {
        let retired = RETIRED.iter().filter(move |(kind, _)| *kind == self).flat_map(|(_, texts)| texts.iter());
        let preset = |preset: &'static Preset| FrozenText { preset: Some(preset.id), text: preset.text };
        self.presets().iter().map(preset).chain(retired.map(|text| FrozenText { preset: None, text }))
    }

    /// The text with this hash.
    pub(super) fn find(self, hash: [u8; 4]) -> Option<FrozenText> {
        self.texts().find(|frozen| fingerprint(frozen.text) == hash)
    }
}

/// All texts that links may refer to: hardware, networks, pools and systems, current and former ones.
pub fn frozen_texts() -> Vec<FrozenText> {
    FrozenKind::ALL.into_iter().flat_map(FrozenKind::texts).collect()
}

/// The hash of a text in links.
pub fn fingerprint(text: &str) -> [u8; 4] {
    fnv_1a(text.as_bytes()).to_le_bytes()
}

/// FNV-1a with 32 bits: short, and fixed for ever.
pub(super) fn fnv_1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}
