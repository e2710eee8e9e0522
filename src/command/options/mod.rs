//! Options of commands, for the command line (feature `cli`), Python and JavaScript: an option is one field here, with
//! its default and its help. Python and JavaScript give options by the names of the fields, and get all mistakes at
//! once. `document.rs` makes `docs/options.json` of them.
//!
//! - `sweep.rs`, `layer.rs`, `hierarchy.rs`, `cores.rs`, `attention.rs`: the options of commands

/// Options of a command, one field per option: its help, an attribute of clap for the command line, one of schemars where its schema
/// differs from that of its type, one of serde where JSON is read otherwise, and its default where the type's own is another.
macro_rules! options {
    (
        $(#[doc = $about:tt])*
        pub struct $options:ident { $(
            $(#[doc = $help:tt])*
            $(#[cli($($cli:tt)*)])?
            $(#[schema($($schema:tt)*)])?
            $(#[serde($($serde:tt)*)])?
            $visible:vis $option:ident: $type:ty $(= $default:expr)?,
        )* }
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, serde::Deserialize)]
        #[cfg_attr(feature = "cli", derive(clap::Args))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        pub struct $options { $(
            $(#[doc = $help])*
            $(#[cfg_attr(feature = "cli", $($cli)*)])?
            $(#[cfg_attr(feature = "cli", arg(default_value_t = $default))])?
            $(#[cfg_attr(feature = "schema", schemars($($schema)*))])?
            $(#[serde($($serde)*)])?
            $visible $option: $type,
        )* }

        impl Default for $options {
            fn default() -> Self {
                Self { $($option: options!(@default $($default)?),)* }
            }
        }
    };
    (@default) => { Default::default() };
    (@default $default:expr) => { $default };
}

mod attention;
mod cores;
#[cfg(feature = "schema")]
pub(crate) mod document;
mod hierarchy;
mod layer;
#[cfg(feature = "schema")]
mod schema;
mod sweep;

pub use attention::{AttentionOptions, LinkOptions};
pub use cores::CoresOptions;
pub use hierarchy::HierarchyOptions;
pub use layer::LayerOptions;
pub use sweep::SweepOptions;

use fusescape_spec::Diagnostics;
use serde::Deserialize;
use std::fmt;

/// Most loop prime factors that are ordered, where nothing else is said.
const LPF_LIMIT: usize = 6;

/// Words that are being read.
#[derive(Default)]
struct OptionReader(Diagnostics);

impl OptionReader {
    /// What a word means, where somebody knows it.
    fn word<T>(&mut self, option: &str, text: &str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        parse(text).map_err(|remedy| self.wrong(option, text, &remedy)).ok()
    }

    fn wrong(&mut self, option: &str, text: &str, remedy: &str) {
        let mut letters = remedy.chars();
        let remedy: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        self.0.add(option, format!("`{text}` cannot be used here"), remedy);
    }

    /// The value, if nothing was wrong.
    fn end<T>(self, value: Option<T>) -> Result<T, Diagnostics> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(self.0),
        }
    }
}

/// Reads a text or a number on the command line as it is written, if `parse` understands it: the command line refuses an option where it
/// stands.
#[cfg(feature = "cli")]
fn understood<T, W: std::str::FromStr>(
    parse: impl Fn(&str) -> Result<T, String> + Clone,
) -> impl Fn(&str) -> Result<W, String> + Clone {
    move |text| {
        parse(text)?;
        text.parse().map_err(|_| format!("`{text}` cannot be used here"))
    }
}

/// Reads one of the words of an option on the command line, whose help lists them.
#[cfg(feature = "cli")]
pub fn words_of<T>(choices: &super::parse::Choices<T>) -> clap::builder::PossibleValuesParser {
    let values = choices.iter().map(|(word, _, told)| clap::builder::PossibleValue::new(*word).help(*told));
    clap::builder::PossibleValuesParser::new(values)
}

/// A word, or names of layers.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(serde::Serialize, schemars::JsonSchema), schemars(inline))]
#[serde(untagged, expecting = "a word, or a list of names")]
pub enum WordOrNames {
    Word(String),
    Names(Vec<String>),
}

/// As sweeps have it.
impl Default for WordOrNames {
    fn default() -> Self {
        "auto".into()
    }
}

impl From<&str> for WordOrNames {
    fn from(word: &str) -> Self {
        Self::Word(word.to_owned())
    }
}

impl fmt::Display for WordOrNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Names(names) => f.write_str(&names.join(", ")),
        }
    }
}
