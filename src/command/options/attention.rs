//! Options of a step of a transformer.

use super::OptionReader;
#[cfg(feature = "schema")]
use super::schema;
#[cfg(feature = "cli")]
use super::understood;
use crate::attention::GeneratedTokens;
use crate::parse;
use fusescape_engine::attention::{Cores, ElementBits, Step};
use fusescape_engine::search::Objective;
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

options! {
/// Options of a step of a transformer.
pub struct AttentionOptions {
    /// New tokens of each sequence: a prompt, or 1 with `--cached`
    #[cli(arg(long, value_name = "COUNT"))]
    tokens: u64 = 2048,
    /// Tokens whose keys and values are cached
    #[cli(arg(long, value_name = "COUNT"))]
    cached: u64 = 0,
    /// Sequences at a time
    #[cli(arg(long, value_name = "COUNT"))]
    batch: u64 = 1,
    /// Generate so many tokens after the others, and tell time, energy and the size of the cache
    #[cli(arg(long, value_name = "COUNT"))]
    generate: Option<u64>,
    /// With `--generate`: read the prompt so many tokens at a time [default: all]
    #[cli(arg(long, requires = "generate", value_name = "COUNT"))]
    chunk: Option<u64>,
    #[cli(command(flatten))]
    #[serde(skip)]
    links: LinkOptions,
    /// Bits of all elements, or of each kind: activations=16,keys=8,sums=32,weights=4
    #[cli(arg(long, value_name = "BITS", value_parser = understood::<_, String>(parse::parse_element_bits)))]
    #[schema(with = "schema::Bits",
        description = "Bits of all elements, or of each kind (activations, keys, sums, weights); \
                       kinds that are left out have 16")]
    #[serde(deserialize_with = "text_or_bits")]
    bits: String = "16".to_owned(),
    /// Whether new tokens see themselves and each other where there is a cache; AccelForge has it that they do not
    #[cli(arg(long = "blind", action = clap::ArgAction::SetFalse,
        help = "New tokens see the cache alone, not themselves and each other, as AccelForge has it"))]
    sees_itself: bool = true,
    /// Show the dataflows of the FuseMax artifact on its own machines instead: unfused, FLAT, +cascade, +architecture, +binding
    #[cli(arg(long))]
    #[serde(skip)]
    pub published: bool,
    /// With `--published`: the artifact's rules, defects included
    #[cli(arg(long, requires = "published"))]
    #[serde(skip)]
    pub as_published: bool,
    /// What to minimise: energy, latency or edp
    #[cli(arg(long, value_parser = understood::<_, String>(parse::parse_energy_or_latency)))]
    #[schema(with = "schema::StepObjective")]
    objective: String = "energy".to_owned(),
}
}

/// Bits as the command line has them: of all elements, or of each kind.
fn text_or_bits<'d, D: Deserializer<'d>>(from: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a text, a number, or numbers by kind")]
    enum Given {
        Text(String),
        Number(i64),
        Each(BTreeMap<String, i64>),
    }
    Ok(match Given::deserialize(from)? {
        Given::Text(text) => text,
        Given::Number(bits) => bits.to_string(),
        Given::Each(kinds) => kinds.iter().map(|(kind, bits)| format!("{kind}={bits}")).collect::<Vec<_>>().join(","),
    })
}

impl AttentionOptions {
    /// As the command takes them: the step, bits of elements, what is minimised, and what is generated.
    ///
    /// # Errors
    /// All words that nobody knows.
    pub fn read(&self) -> Result<(Step, ElementBits, Objective, Option<GeneratedTokens>), Diagnostics> {
        let Self { tokens, cached, batch, sees_itself, generate, chunk, .. } = *self;
        let mut reader = OptionReader::default();
        let bits = reader.word("bits", &self.bits, parse::parse_element_bits);
        let objective = reader.word("objective", &self.objective, parse::parse_energy_or_latency);
        if let (None, Some(chunk)) = (generate, chunk) {
            reader.wrong("chunk", &chunk.to_string(), "say with `generate` how many tokens follow the prompt");
        }
        let (bits, objective) = reader.end(bits.zip(objective))?;
        let generated = generate.map(|tokens| GeneratedTokens { tokens, chunk });
        Ok((Step { batch, tokens, cached, sees_itself }, bits, objective, generated))
    }

    /// The cores among which the step is divided, where it is.
    pub fn cores(&self) -> Option<Cores> {
        self.links.cores()
    }
}

options! {
/// Options of cores among which a step of a transformer is divided.
pub struct LinkOptions {
    /// Divide the step among so many cores like this one, in every way
    #[cli(arg(long, conflicts_with_all = ["generate", "published"], value_name = "COUNT"))]
    cores: Option<u64>,
    /// With `--cores`: bits that each core sends, and receives, in a cycle
    #[cli(arg(long, requires = "cores", value_name = "BITS"))]
    link_width: u64 = 512,
    /// With `--cores`: energy of sending a bit to another core, pJ
    #[cli(arg(long, requires = "cores", value_name = "PJ"))]
    link_energy: f64 = 0.2,
}
}

impl LinkOptions {
    /// As the engine takes them, where there are several.
    pub fn cores(&self) -> Option<Cores> {
        Some(Cores { count: self.cores?, link_bits: self.link_width, link_pj: self.link_energy })
    }
}
