//! Where keys and values are after they are computed, until attention reads them: in DRAM, or on the chip, in room of
//! their own.

use super::search::Total;
use super::transformer::{Step, TransformerWork};
use super::{ElementBits, Problem};
use crate::spec::Diagnostics;
use crate::ties::{self, Figures};
use crate::transformer::Transformer;
use serde::{Deserialize, Serialize};

/// Where keys and values are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum KeyStore {
    /// In DRAM, with those of earlier tokens.
    Dram,
    /// On the chip, those of one layer, until the layer is computed. A decoder writes them to its cache in DRAM, too.
    /// Only where no tokens are cached.
    Layer,
    /// The cache of all layers is on the chip, and stays there from step to step.
    Cache,
}

impl KeyStore {
    /// Every variant, by ascending room on the chip.
    pub const ALL: [Self; 3] = [Self::Dram, Self::Layer, Self::Cache];

    /// For people, in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dram => "in DRAM",
            Self::Layer => "on the chip, layer by layer",
            Self::Cache => "on the chip, all layers",
        }
    }

    /// The problem with keys and values in this place; in `stated` they are in DRAM.
    #[must_use]
    pub const fn attention(self, stated: &Problem) -> Problem {
        match self {
            Self::Dram => *stated,
            Self::Layer | Self::Cache => Problem { source: None, keys_on_chip: true, ..*stated },
        }
    }

    /// The places that a model has for them in a step. Keys and values that are computed out of latents in every step
    /// are in DRAM, and state-space blocks have none.
    pub fn of(model: &Transformer, step: &Step) -> impl Iterator<Item = Self> + use<> {
        let has_own = model.has_own_keys();
        let (is_new, causal) = (step.cached == 0, model.causal);
        Self::ALL.into_iter().filter(move |store| match store {
            Self::Dram => true,
            Self::Layer => has_own && is_new,
            Self::Cache => has_own && causal,
        })
    }

    /// Bits that keys and values take on the chip, in a step after which caches have at most so many tokens of each
    /// sequence; `None` if they cannot be counted. Under a sliding window, only the tokens in it are cached.
    pub fn room(self, model: &Transformer, step: &Step, bits: ElementBits, most_tokens: u64) -> Option<u64> {
        let of_layer = model.keys_seen(step).max(step.tokens);
        let tokens = match self {
            Self::Dram => 0,
            Self::Layer => of_layer,
            Self::Cache => {
                let all = most_tokens.max(step.cached + step.tokens);
                let cached = model.window.map_or(all, |window| all.min(window));
                cached.checked_mul(model.layers.saturating_sub(1))?.checked_add(cached.max(of_layer))?
            }
        };
        tokens.checked_mul(step.batch)?.checked_mul(model.cached_channels())?.checked_mul(bits.keys)
    }

    /// The best schedule with keys and values in one of these places, the first of equals.
    ///
    /// # Errors
    ///
    /// The error of the first place, where all are refused.
    pub(super) fn best<T>(
        stores: impl IntoIterator<Item = Self>,
        figures: impl Fn(Total) -> Figures,
        mut schedule: impl FnMut(Self) -> Result<T, Diagnostics>,
    ) -> Result<T, Diagnostics>
    where
        for<'a> &'a T: Into<Total>,
    {
        let (mut all, mut refused) = (Vec::new(), None);
        for store in stores {
            match schedule(store) {
                Ok(scheduled) => all.push(scheduled),
                Err(why) => {
                    refused.get_or_insert(why);
                }
            }
        }
        let best = ties::best(all, |scheduled| (figures(scheduled.into()), ()));
        best.ok_or_else(|| refused.unwrap_or_else(|| does_not_fit("The layer")))
    }
}

/// The error where `what` has to be on the chip as a whole and does not fit.
pub(super) fn does_not_fit(what: &str) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let reason = format!("{what} does not fit on the chip, however small its tiles");
    diagnostics.add("hardware.memories", reason, "Take fewer tokens, or enlarge the highest memories on the chip");
    diagnostics
}
