//! The hardware or the network of a computation: a preset, or a document written by hand.

use fusescape_engine::hardware::Core;
use fusescape_engine::workload::Network;
use fusescape_spec::edit::Outline;
use fusescape_spec::{Diagnostics, Preset, find_preset};
use std::sync::Arc;

/// A document to compute with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentChoice {
    /// A document of the program.
    Preset(&'static Preset),
    /// Any other text.
    Own(Arc<str>),
}

impl From<&'static Preset> for DocumentChoice {
    fn from(preset: &'static Preset) -> Self {
        Self::Preset(preset)
    }
}

impl DocumentChoice {
    /// The document with this text.
    pub fn of(text: &str, presets: &'static [Preset]) -> Self {
        match presets.iter().find(|preset| preset.text == text) {
            Some(preset) => Self::Preset(preset),
            None => Self::Own(text.into()),
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Self::Preset(preset) => preset.text,
            Self::Own(text) => text,
        }
    }

    /// `None` for a document written by hand.
    pub fn preset(&self) -> Option<&'static Preset> {
        match self {
            Self::Preset(preset) => Some(preset),
            Self::Own(_) => None,
        }
    }

    /// An identifier: the name of the preset, or the text.
    pub(super) fn key(&self) -> &str {
        match self {
            Self::Preset(preset) => preset.id,
            Self::Own(text) => text,
        }
    }

    /// The errors of the document, as `half` of a design.
    pub fn mistakes(&self, half: &str) -> Diagnostics {
        let wrong = match half {
            "hardware" => Core::from_text(self.text()).err(),
            _ => Network::from_text(self.text()).err(),
        };
        wrong.unwrap_or_default()
    }

    /// The document with single fields changed; `half` is the prefix of their names.
    fn with(self, half: &str, set: &[(String, String)], wrong: &mut dyn FnMut(&str, String, String)) -> Self {
        let mut changed = None::<Outline>;
        for (field, value) in set {
            let Some(path) = field.strip_prefix(half).and_then(|rest| rest.strip_prefix('.')) else { continue };
            let Some(document) = changed.take().or_else(|| Outline::read(self.text()).ok()) else { continue };
            let place = place_of(&document, path);
            // A missing field can be added to an existing item, not to a missing one.
            let is_there =
                document.has(&place) || document.has(place.rsplit_once('.').map_or("", |(parent, _)| parent));
            let is_yaml = value.starts_with(['{', '[']);
            let next = if is_yaml { document.put(&place, value) } else { document.write(&place, value) };
            changed = Some(match next.filter(|_| is_there) {
                Some(next) => next,
                None => {
                    let names = document.keys("").join(", ");
                    let remedy =
                        format!("Write `{half}`, the name of a memory or layer, and a field of it; or one of {names}");
                    wrong(field, format!("The {half} document has no `{path}`"), remedy);
                    document
                }
            });
        }
        match changed.map(Outline::into_text) {
            Some(text) if text != self.text() => Self::Own(text.into()),
            _ => self,
        }
    }
}

/// `sram_64KB.size` as a path in a document: `memories[4].size`.
pub fn place_of(document: &Outline, path: &str) -> String {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    for list in ["memories", "layers"] {
        let named = |index: &usize| document.value(&format!("{list}[{index}].name")).as_deref() == Some(name);
        if let Some(index) = (0..document.len(list)).find(named) {
            return format!("{list}[{index}].{rest}");
        }
    }
    path.to_owned()
}

/// Names with their values.
type NamedChoices = [(String, String)];

/// The document called `name`, among those of the lesson or the presets, with single fields changed.
pub(super) fn choose_document(
    half: &'static str,
    name: &str,
    presets: &'static [Preset],
    (own, set): (&NamedChoices, &NamedChoices),
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<DocumentChoice> {
    let chosen = match own.iter().find(|(other, _)| other == name) {
        Some((_, text)) => DocumentChoice::Own(text.as_str().into()),
        None => match find_preset(presets, name) {
            Ok(preset) => DocumentChoice::Preset(preset),
            Err(wrong) => {
                wrong
                    .0
                    .iter()
                    .for_each(|wrong| diagnostics.add(format!("{path}.{half}"), &wrong.reason, &wrong.remedy));
                return None;
            }
        },
    };
    let changed = chosen
        .clone()
        .with(half, set, &mut |field, reason, remedy| diagnostics.add(format!("{path}.set.{field}"), reason, remedy));
    check_changed(half, (&chosen, &changed), set, path, diagnostics);
    Some(changed)
}

/// Adds the errors of a document that come from changed fields, each at its field.
fn check_changed(
    half: &str,
    (written, changed): (&DocumentChoice, &DocumentChoice),
    set: &NamedChoices,
    path: &str,
    diagnostics: &mut Diagnostics,
) {
    let mistakes = |document: &DocumentChoice| document.mistakes(half).0;
    let wrong = if changed == written { Vec::new() } else { mistakes(changed) };
    if wrong.is_empty() {
        return;
    }
    // Earlier errors are reported for the document itself.
    let before = mistakes(written);
    let document = Outline::read(changed.text());
    let place = |field: &str| {
        let field = field.strip_prefix(half).and_then(|rest| rest.strip_prefix('.'))?;
        document.as_ref().ok().map(|document| place_of(document, field))
    };
    let is_below = |below: &str, above: &str| {
        below.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    for wrong in wrong {
        if before.iter().any(|other| (&other.path, &other.reason) == (&wrong.path, &wrong.reason)) {
            continue;
        }
        let cause = set.iter().map(|(field, _)| field).find(|field| {
            place(field).is_some_and(|place| is_below(&wrong.path, &place) || is_below(&place, &wrong.path))
        });
        match cause {
            Some(field) => diagnostics.add(format!("{path}.set.{field}"), wrong.reason, wrong.remedy),
            None => {
                let reason = format!("This makes {half}.{} wrong: {}", wrong.path, wrong.reason);
                diagnostics.add(format!("{path}.set"), reason, wrong.remedy);
            }
        }
    }
}
