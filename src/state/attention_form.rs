//! The form of the view of attention.

use super::fields::fields;
use fusescape_engine::attention::{Cascade, Cores, ElementBits, Fusion, MOST_CORES, Step};
use fusescape_engine::explore::AttentionRequest;
use fusescape_engine::search::Objective;
use fusescape_spec::{Diagnostics, parse_decimal, transformer_presets};

fields! {
    /// The fields of the form, as written.
    #[derive(Debug, Clone, PartialEq, Eq)]
    AttentionForm set by AttentionField {
        /// The model: the name of a preset, or a document.
        model(chosen Model): String = "gpt2-small".to_owned() => Text, 60, ["model"];
        /// New tokens of each sequence.
        tokens(typed Tokens): String = "1024".to_owned() => Text, 61, ["tokens"];
        /// Tokens whose keys and values are cached.
        cached(typed Cached): String = "0".to_owned() => Text, 62, ["cached"];
        /// Sequences at a time.
        batch(typed Batch): String = "1".to_owned() => Text, 63, ["batch"];
        /// Tokens that are generated.
        generated(typed Generated): String = "256".to_owned() => Text, 64, ["generated"];
        /// Bits of all elements, or of queries, keys, sums and weights.
        bits(typed Bits): String = "8".to_owned() => Text, 65, ["bits"];
        /// Tokens of the prompt that are read at a time; nothing: all.
        chunk(typed Chunk): String = String::new() => Text, 66, ["chunk"];
        /// Cores among which the step is divided.
        cores(typed Cores): String = "4".to_owned() => Text, 57, ["cores"];
        /// Bits that each of them sends, and receives, in a cycle.
        link_width(typed LinkWidth): String = "512".to_owned() => Text, 58, ["link_width"];
        /// Energy of sending a bit to another core, pJ.
        link_energy(typed LinkEnergy): String = "0.2".to_owned() => Text, 59, ["link_energy"];
        /// The kind of schedule to follow: a word of [`AttentionForm::word_of`], [`AttentionForm::RECOMPUTED`], or
        /// [`AttentionForm::ALONE`]; empty or unknown for the best.
        kind: String = String::new() => Text, 68, ["kind"];
        /// Its tiles, `QUERIES KEYS`; empty for the best.
        tile: String = String::new() => Text, 69, ["tile"];
        /// A document written by hand, kept while a preset is in force.
        own(typed Own): String = String::new();
        /// Whether the text of the model is shown.
        shows_model(shown ShowsModel): bool = false;
    }
}

impl Default for AttentionForm {
    fn default() -> Self {
        super::fields::Form::baseline()
    }
}

impl AttentionForm {
    /// Sets a field. A document written by hand then comes into force.
    pub(super) fn change(&mut self, field: AttentionField) {
        if let AttentionField::Own(text) = &field {
            self.model.clone_from(text);
        }
        self.set(field);
    }

    /// The word for the best schedule that recomputes keys and values.
    pub const RECOMPUTED: &str = "recomputed";

    /// The word for the best schedule of attention alone, if the best of a layer is a block.
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

    /// The kind of schedule to follow; `None` for the best, or the best that recomputes keys.
    pub fn kind(&self) -> Option<Fusion> {
        Fusion::ALL.into_iter().find(|fusion| Self::word_of(*fusion) == self.kind)
    }

    /// Whether the best schedule that recomputes keys and values is followed.
    pub fn recomputes(&self) -> bool {
        self.kind == Self::RECOMPUTED
    }

    /// Queries and keys of the tiles to follow; `None` for the best.
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

    /// The request, for this hardware.
    ///
    /// # Errors
    ///
    /// Fields that are not numbers; paths are names of fields.
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

    /// Number of tokens to generate.
    ///
    /// # Errors
    ///
    /// If it is not a number from 1 on.
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
    /// Tokens of the prompt that are read at a time; `None` for all.
    ///
    /// # Errors
    ///
    /// If it is not a number from 1 on.
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
    /// Fields that are not numbers; their range is checked by [`fusescape_engine::attention::split_step`].
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

/// One number for all elements, or four: for queries and other maps, keys and values, sums, weights.
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
