//! What a person chose or wrote for the view of attention.

use super::fields::fields;
use fusescape_engine::attention::{Cascade, Cores, ElementBits, Fusion, MOST_CORES, Step};
use fusescape_engine::explore::AttentionRequest;
use fusescape_engine::search::Objective;
use fusescape_spec::{Diagnostics, parse_decimal, transformer_presets};

/// The fields of the form, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttentionForm {
    /// The model: the name of a preset, or a document.
    pub model: String,
    /// A document written by hand, also while a preset is in force.
    pub own: String,
    /// Whether the text of the model is shown.
    pub shows_model: bool,
    /// New tokens of each sequence.
    pub tokens: String,
    /// Tokens whose keys and values are cached.
    pub cached: String,
    /// Sequences at a time.
    pub batch: String,
    /// Tokens that are generated.
    pub generated: String,
    /// Tokens of the prompt that are read at a time; nothing: all.
    pub chunk: String,
    /// Bits of all elements, or of queries, keys, sums and weights.
    pub bits: String,
    /// Cores among which the step is divided.
    pub cores: String,
    /// Bits that each of them sends, and receives, in a cycle.
    pub link_width: String,
    /// Energy of sending a bit to another core, pJ.
    pub link_energy: String,
    /// The kind of schedule that is looked at, as [`AttentionForm::word_of`] says it, [`AttentionForm::RECOMPUTED`], or
    /// [`AttentionForm::ALONE`]; nothing, or another word: the best.
    pub kind: String,
    /// Its tiles, `QUERIES KEYS`; nothing: the best.
    pub tile: String,
}

fields! {
    AttentionForm {
        model: Text = "gpt2-small".to_owned(), 60, ["model"];
        tokens: Text = "1024".to_owned(), 61, ["tokens"];
        cached: Text = "0".to_owned(), 62, ["cached"];
        batch: Text = "1".to_owned(), 63, ["batch"];
        generated: Text = "256".to_owned(), 64, ["generated"];
        bits: Text = "8".to_owned(), 65, ["bits"];
        chunk: Text = String::new(), 66, ["chunk"];
        cores: Text = "4".to_owned(), 57, ["cores"];
        link_width: Text = "512".to_owned(), 58, ["link_width"];
        link_energy: Text = "0.2".to_owned(), 59, ["link_energy"];
        kind: Text = String::new(), 68, ["kind"];
        tile: Text = String::new(), 69, ["tile"];
    } otherwise {
        own = String::new();
        shows_model = false;
    }
}

impl Default for AttentionForm {
    fn default() -> Self {
        super::fields::Form::baseline()
    }
}

/// A change of the form.
#[derive(Debug, Clone)]
pub enum AttentionChange {
    /// Take a preset, or the document written by hand.
    Model(Option<&'static str>),
    /// Replace the text of the model, letter by letter.
    Write(String),
    /// Show or hide the text of the model.
    ShowModel(bool),
    /// New tokens.
    Tokens(String),
    /// Cached tokens.
    Cached(String),
    /// Sequences.
    Batch(String),
    /// Tokens that are generated.
    Generated(String),
    /// Tokens of the prompt at a time.
    Chunk(String),
    /// Bits.
    Bits(String),
    /// Cores.
    Cores(String),
    /// Bits that a core sends.
    LinkWidth(String),
    /// Energy of a bit that is sent.
    LinkEnergy(String),
    /// Look at a kind of schedule, in these tiles.
    Look {
        /// As [`AttentionForm::kind`].
        kind: String,
        /// As [`AttentionForm::tile`].
        tile: String,
    },
}

impl AttentionChange {
    /// The field in which it is a keystroke.
    pub fn typed_in(&self) -> Option<&'static str> {
        match self {
            Self::Model(_) | Self::ShowModel(_) | Self::Look { .. } => None,
            Self::Write(_) => Some("model"),
            Self::Tokens(_) => Some("tokens"),
            Self::Cached(_) => Some("cached"),
            Self::Batch(_) => Some("batch"),
            Self::Generated(_) => Some("generated"),
            Self::Chunk(_) => Some("chunk"),
            Self::Bits(_) => Some("bits"),
            Self::Cores(_) => Some("cores"),
            Self::LinkWidth(_) => Some("link_width"),
            Self::LinkEnergy(_) => Some("link_energy"),
        }
    }
}

impl AttentionForm {
    /// Makes a change.
    pub fn change(&mut self, change: AttentionChange) {
        match change {
            AttentionChange::Model(Some(id)) => id.clone_into(&mut self.model),
            AttentionChange::Model(None) => self.model.clone_from(&self.own),
            AttentionChange::Write(text) => {
                self.own.clone_from(&text);
                self.model = text;
            }
            AttentionChange::ShowModel(shows) => self.shows_model = shows,
            AttentionChange::Tokens(text) => self.tokens = text,
            AttentionChange::Cached(text) => self.cached = text,
            AttentionChange::Batch(text) => self.batch = text,
            AttentionChange::Generated(text) => self.generated = text,
            AttentionChange::Chunk(text) => self.chunk = text,
            AttentionChange::Bits(text) => self.bits = text,
            AttentionChange::Cores(text) => self.cores = text,
            AttentionChange::LinkWidth(text) => self.link_width = text,
            AttentionChange::LinkEnergy(text) => self.link_energy = text,
            AttentionChange::Look { kind, tile } => (self.kind, self.tile) = (kind, tile),
        }
    }

    /// The word for the best schedule that computes keys and values again.
    pub const RECOMPUTED: &str = "recomputed";

    /// The word for the best schedule of attention by itself, where the best of a layer is a block.
    pub const ALONE: &str = "alone";

    /// The word for a kind of schedule.
    pub const fn word_of(fusion: Fusion) -> &'static str {
        match fusion {
            Fusion::None => "unfused",
            Fusion::Rows(Cascade::ThreePass) => "rows-3",
            Fusion::Rows(_) => "rows-2",
            Fusion::QueriesStay => "queries-stay",
            Fusion::KeysStay => "keys-stay",
        }
    }

    /// The kind of schedule that is looked at; `None`: the best, or the best that computes keys again.
    pub fn kind(&self) -> Option<Fusion> {
        Fusion::ALL.into_iter().find(|fusion| Self::word_of(*fusion) == self.kind)
    }

    /// Whether the best schedule that computes keys and values again is looked at.
    pub fn recomputes(&self) -> bool {
        self.kind == Self::RECOMPUTED
    }

    /// Queries and keys of the tiles that are looked at; `None`: the best.
    pub fn tile(&self) -> Option<(u64, u64)> {
        let (queries, keys) = self.tile.split_once(' ')?;
        Some((queries.parse().ok()?, keys.parse().ok()?))
    }

    /// The preset that is in force, if one is.
    pub fn preset(&self) -> Option<&'static str> {
        transformer_presets().iter().map(|preset| preset.id).find(|id| *id == self.model)
    }

    /// The document in force.
    pub fn text(&self) -> &str {
        let preset = transformer_presets().iter().find(|preset| preset.id == self.model);
        preset.map_or(&self.model, |preset| preset.text)
    }

    /// What is asked, for this hardware.
    ///
    /// # Errors
    ///
    /// Fields that are no numbers; paths are names of fields.
    pub fn request(&self, hardware: String, objective: Objective) -> Result<AttentionRequest, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let step = Step {
            batch: number("batch", &self.batch, "1", &mut diagnostics),
            tokens: number("tokens", &self.tokens, "1024", &mut diagnostics),
            cached: number("cached", &self.cached, "0", &mut diagnostics),
            sees_itself: true,
        };
        let bits = read_bits(&self.bits, &mut diagnostics);
        diagnostics.or(AttentionRequest { hardware, model: self.text().to_owned(), step, bits, objective })
    }

    /// How many tokens are generated.
    ///
    /// # Errors
    ///
    /// It is no number from 1 on.
    pub fn generated(&self) -> Result<u64, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let generated = number("generated", &self.generated, "256", &mut diagnostics);
        if diagnostics.is_empty() && generated == 0 {
            diagnostics.add("generated", "No token is generated", "Write at least 1");
        }
        diagnostics.or(generated)
    }
}

impl AttentionForm {
    /// How many tokens of the prompt are read at a time; `None`: all.
    ///
    /// # Errors
    ///
    /// It is no number from 1 on.
    pub fn chunk(&self) -> Result<Option<u64>, Diagnostics> {
        if self.chunk.trim().is_empty() {
            return Ok(None);
        }
        let mut diagnostics = Diagnostics::default();
        let chunk = number("chunk", &self.chunk, "512, or nothing for the whole prompt", &mut diagnostics);
        if diagnostics.is_empty() && chunk == 0 {
            diagnostics.add("chunk", "No token is read at a time", "Write at least 1, or nothing for the whole prompt");
        }
        diagnostics.or(Some(chunk))
    }
}

impl AttentionForm {
    /// The cores among which the step is divided.
    ///
    /// # Errors
    ///
    /// Fields that are no numbers; what numbers they are [`fusescape_engine::attention::split_step`] looks at.
    pub fn cores(&self) -> Result<Cores, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let count = number("cores", &self.cores, "4", &mut diagnostics);
        if diagnostics.is_empty() && !(1..=MOST_CORES).contains(&count) {
            diagnostics.add("cores", format!("There are {count} cores"), format!("Write 1 to {MOST_CORES}"));
        }
        let link_bits = number("link_width", &self.link_width, "512", &mut diagnostics);
        let link_pj = parse_decimal(self.link_energy.trim()).unwrap_or_else(|| {
            let reason = format!("`{}` is no energy in pJ", self.link_energy.trim());
            diagnostics.add("link_energy", reason, "Write for example 0.2");
            0.0
        });
        diagnostics.or(Cores { count, link_bits, link_pj })
    }
}

fn number(name: &str, text: &str, example: &str, diagnostics: &mut Diagnostics) -> u64 {
    let digits: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    digits.parse().unwrap_or_else(|_| {
        let reason = format!("`{}` is no number", text.trim());
        diagnostics.add(name, reason, format!("Write for example {example}"));
        0
    })
}

/// One number for all elements, or four: of queries and other maps, of keys and values, of sums, of weights.
fn read_bits(text: &str, diagnostics: &mut Diagnostics) -> ElementBits {
    let numbers: Vec<Option<u64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [Some(all)] => ElementBits::all(all),
        [Some(activations), Some(keys), Some(sums), Some(weights)] => ElementBits { activations, keys, sums, weights },
        _ => {
            let reason = format!("`{}` is neither one number of bits nor four", text.trim());
            let remedy = "Write 8, or the bits of queries, keys, sums and weights: 16 8 32 4";
            diagnostics.add("bits", reason, remedy);
            ElementBits::all(8)
        }
    }
}
