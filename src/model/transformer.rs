//! A transformer, validated: the shapes of its layers.

use crate::spec::{Diagnostics, TransformerSpec, read_transformer};
use serde::{Deserialize, Serialize};

/// Limit on the weights of a model.
const MOST_WEIGHTS: u128 = 1 << 48;

/// A stack of equal layers of attention and a feed-forward part, or of state-space blocks, which have neither.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Transformer {
    /// As the document states it.
    pub name: String,
    /// Layers, all alike.
    pub layers: u64,
    /// D: channels of a token between layers.
    pub width: u64,
    /// Query heads.
    pub heads: u64,
    /// Heads of keys and values: fewer where groups of query heads share them, one where all do.
    pub key_heads: u64,
    /// Elements of a query, key or value of a head.
    pub depth: u64,
    /// Channels within the feed-forward part.
    pub hidden: u64,
    /// Whether a third matrix gates the hidden channels.
    pub gated: bool,
    /// Feed-forward parts (experts), and the number of them that each token uses; (1, 1) where there is one for all.
    pub experts: (u64, u64),
    /// Experts that every token uses, in addition to these.
    pub shared: u64,
    /// Whether keys and values are computed out of a latent: multi-head latent attention.
    pub latent: Option<Latent>,
    /// Whether a token sees only those before it, and keys and values are cached: a decoder.
    pub causal: bool,
    /// Number of tokens that a token of a decoder sees, itself included: a sliding window; `None`: all before it.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub window: Option<u64>,
    /// Normalisation of the tokens.
    pub norm: Norm,
    /// Whether the norm follows the residual sum, as in the first transformers; else it comes before attention and the feed-forward part.
    pub post_norm: bool,
    /// Activation of the hidden channels.
    pub activation: Activation,
    /// Whether queries and keys are rotated by their position.
    pub rotary: bool,
    /// The state-space block in place of attention and the feed-forward part; the model then has no heads, and their
    /// sizes are 0.
    pub state_space: Option<StateSpace>,
}

/// Multi-head latent attention (DeepSeek-V2, Section 2.1): for each token, a latent is cached, out of which every head
/// computes its key and its value, and a part of the key that is rotated and that all heads share. Queries are not
/// compressed here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Latent {
    /// Channels of the latent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub rank: u64,
    /// Channels of a query or key that are rotated, beside those of a head.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub rotary: u64,
    /// Whether heads compute with the latents themselves: the weights that would compute keys and values of them are
    /// multiplied to queries and results instead. Else keys and values of all tokens, cached ones included, are
    /// computed in every step.
    pub absorbed: bool,
}

/// The sizes of a state-space block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StateSpace {
    /// Channels within the block, each with states of its own.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub channels: u64,
    /// N: states of a channel.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub states: u64,
    /// Channels out of which the steps of all channels are computed.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub rank: u64,
    /// Tokens that the convolution sees, the token itself included.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub kernel: u64,
}

impl StateSpace {
    /// Weights that lanes use: of the convolution, and A.
    pub const fn lane_weights(&self) -> u64 {
        self.channels * (self.kernel + self.states)
    }
}

/// The normalisation of the channels of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Norm {
    /// Not at all.
    None,
    /// By their mean and variance: layer normalisation.
    Layer,
    /// By the root of their mean square alone: RMSNorm.
    RootMeanSquare,
}

impl Norm {
    /// Every variant, with its name in documents.
    pub const NAMES: [(Self, &'static str); 3] =
        [(Self::None, "none"), (Self::Layer, "layer"), (Self::RootMeanSquare, "rms")];
}

/// The activation of every hidden channel of the feed-forward part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Activation {
    /// Nothing.
    None,
    /// `x * sigmoid(1.702 x)`.
    Gelu,
    /// `x * sigmoid(x)`.
    Silu,
    /// `max(x, 0)`.
    Relu,
}

impl Activation {
    /// Every variant, with its name in documents.
    pub const NAMES: [(Self, &'static str); 4] =
        [(Self::None, "none"), (Self::Gelu, "gelu"), (Self::Silu, "silu"), (Self::Relu, "relu")];
}

impl Transformer {
    /// Reads and validates a document.
    ///
    /// # Errors
    ///
    /// All mistakes of the document.
    pub fn from_text(text: &str) -> Result<Self, Diagnostics> {
        let (spec, mut diagnostics) = read_transformer(text).both();
        let model = Self::of(&spec, &mut diagnostics);
        // Fields that could not be read are reported once.
        let is_told = |path: &str| diagnostics.0.iter().any(|told| told.path == path);
        let wrong: Vec<_> = model.check().err().unwrap_or_default().0;
        let more: Vec<_> = wrong.into_iter().filter(|one| !is_told(&one.path)).collect();
        diagnostics.0.extend(more);
        diagnostics.or(model)
    }

    fn of(spec: &TransformerSpec, diagnostics: &mut Diagnostics) -> Self {
        Self {
            name: spec.name.clone(),
            layers: spec.layers,
            width: spec.width,
            heads: spec.heads,
            key_heads: spec.key_heads,
            depth: spec.head_size,
            hidden: spec.hidden,
            gated: spec.gated,
            experts: (spec.experts, spec.active),
            shared: spec.shared,
            latent: spec.latent.map(|latent| Latent {
                rank: latent.rank,
                rotary: latent.rotary,
                absorbed: latent.absorbed,
            }),
            causal: spec.decoder,
            window: spec.window,
            norm: named("norm", &spec.norm, &Norm::NAMES, Norm::Layer, diagnostics),
            post_norm: spec.post_norm,
            activation: named(
                "feed_forward.activation",
                &spec.activation,
                &Activation::NAMES,
                Activation::None,
                diagnostics,
            ),
            rotary: spec.rotary,
            state_space: spec.state_space.map(|block| StateSpace {
                channels: block.channels,
                states: block.states,
                rank: block.rank,
                kernel: block.kernel,
            }),
        }
    }

    /// Checks that it can be computed.
    ///
    /// # Errors
    ///
    /// A size is 0 or more than 2^24, heads do not divide into groups, more experts are active than there are, or all layers have more than
    /// 2^48 weights.
    pub fn check(&self) -> Result<(), Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let of_all = [("layers", self.layers), ("width", self.width)];
        let of_attention = [
            ("heads", self.heads),
            ("key_heads", self.key_heads),
            ("head_size", self.depth),
            ("feed_forward.width", self.hidden),
            ("feed_forward.experts", self.experts.0),
            ("feed_forward.active", self.experts.1),
            ("feed_forward.shared", self.shared + 1),
            ("latent.rank", self.latent.map_or(1, |latent| latent.rank)),
            ("latent.rotary", self.latent.map_or(1, |latent| latent.rotary)),
        ];
        let of_block = self.state_space.map(|block| {
            [
                ("state_space.channels", block.channels),
                ("state_space.states", block.states),
                ("state_space.rank", block.rank),
                ("state_space.kernel", block.kernel),
            ]
        });
        for &(name, size) in of_all.iter().chain(of_block.as_ref().map_or(&of_attention[..], |sizes| sizes)) {
            if size == 0 || size > 1 << 24 {
                diagnostics.add(name, format!("The size is {size}"), "Write 1 to 16777216");
            }
        }
        if self.key_heads > 0 && !self.heads.is_multiple_of(self.key_heads) {
            let reason = format!("{} query heads do not divide into {} groups", self.heads, self.key_heads);
            diagnostics.add("key_heads", reason, "Write a divisor of `heads`");
        }
        if self.latent.is_some() && self.key_heads != self.heads {
            let reason = "Keys come out of a latent, for every query head its own";
            diagnostics.add("key_heads", reason, "Take `key_heads` off");
        }
        if let Some(window) = self.window {
            if window == 0 {
                diagnostics.add("window", "A token sees nothing, not even itself", "Write at least 1");
            }
            if !self.causal {
                let reason = "A sliding window of an encoder, whose tokens see each other, is not known here";
                diagnostics.add("window", reason, "Take the window off, or make it a decoder");
            }
        }
        if self.experts.1 > self.experts.0 {
            let reason = format!("{} of {} experts are active", self.experts.1, self.experts.0);
            diagnostics.add("feed_forward.active", reason, "Write at most the number of experts");
        }
        // Only valid sizes have products that can be counted.
        if diagnostics.is_empty() && self.all_weights() > MOST_WEIGHTS {
            diagnostics.add("layers", "All layers have more than 2^48 weights", "Take fewer layers, or narrower ones");
        }
        diagnostics.or(())
    }

    /// Weights of all layers, for sizes that may be invalid.
    pub fn all_weights(&self) -> u128 {
        let [width, hidden, experts] = [self.width, self.hidden, self.experts.0 + self.shared].map(u128::from);
        let [heads, key_heads, depth] = [self.heads, self.key_heads, self.depth].map(u128::from);
        let projected = match self.latent {
            None => 2 * width * (heads + key_heads) * depth,
            Some(Latent { rank, rotary, .. }) => {
                let [rank, rotary] = [rank, rotary].map(u128::from);
                width * (heads * (2 * depth + rotary) + rank + rotary) + 2 * rank * heads * depth
            }
        };
        let of_attention = projected + if self.gated { 3 } else { 2 } * width * hidden * experts;
        let of_layer = self.state_space.map_or(of_attention, |block| {
            let [channels, states, rank, kernel] =
                [block.channels, block.states, block.rank, block.kernel].map(u128::from);
            channels * (3 * width + 2 * rank + 3 * states + kernel)
        });
        u128::from(self.layers) * of_layer
    }
}

/// The value that a word of a document names.
fn named<T: Copy>(
    path: &str,
    word: &str,
    known: &[(T, &'static str)],
    otherwise: T,
    diagnostics: &mut Diagnostics,
) -> T {
    let found = known.iter().find(|(_, name)| *name == word);
    if found.is_none() {
        let names: Vec<&str> = known.iter().map(|(_, name)| *name).collect();
        diagnostics.add_unknown(path, format!("`{word}` is not known here"), word, &names);
    }
    found.map_or(otherwise, |(value, _)| *value)
}
