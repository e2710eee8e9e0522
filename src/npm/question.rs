//! Questions, as JSON.

use fusescape_command::documents::{DocumentKind, presets};
use fusescape_command::options::{AttentionOptions, CoresOptions, HierarchyOptions, LayerOptions, SweepOptions};
use fusescape_engine::explore::study::StudyRequest;
use fusescape_spec::{Diagnostic, Diagnostics, find_preset};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A command with its options, or a question about documents.
pub enum Question {
    /// A sweep; `is_single`: an error states why its one point cannot be scheduled.
    DepthFirst(OnCore<SweepOptions>, bool),
    /// Jointly optimal stacks.
    Optimal(OnCore<SweepOptions>),
    /// Methods of fusion.
    Fuse(OnCore<SweepOptions>),
    /// Single layers; `is_single`: an error states why the one layer cannot be mapped.
    MapLayers(OnCore<LayerOptions>, bool),
    /// Memory hierarchies from a pool.
    Hierarchies(String, OnCore<HierarchyOptions>),
    /// A network on a system of cores.
    Cores(String, OnCore<CoresOptions>),
    /// A step of a transformer on a core: texts of the hardware and of the model.
    Attention(String, String, AttentionOptions),
    /// All designs of a study.
    Study(StudyRequest),
    /// Documents from files of other programs; sizes of a model's open dimensions.
    Import(Vec<GivenFile>, BTreeMap<String, u64>),
    /// The presets of a kind.
    Presets(DocumentKind),
    /// A summary of a document.
    Facts(DocumentKind, String),
}

/// Texts of two documents, and options.
pub struct OnCore<T> {
    /// Text of the document.
    pub hardware: String,
    /// Text of the document.
    pub network: String,
    /// Options of the command.
    pub options: T,
}

/// A file whose bytes are read through a function.
#[derive(Deserialize)]
pub struct GivenFile {
    pub name: String,
    /// Bytes.
    pub size: u64,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ImportOptions {
    sizes: BTreeMap<String, u64>,
}

/// Documents with names that a study refers to.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StudyOptions {
    hardware: BTreeMap<String, String>,
    network: BTreeMap<String, String>,
    system: BTreeMap<String, String>,
}

/// A question as written: a document is the name of a preset, or a text.
#[derive(Deserialize)]
struct WrittenQuestion {
    command: CommandName,
    kind: Option<String>,
    #[serde(default)]
    documents: BTreeMap<String, String>,
    #[serde(default)]
    files: Vec<GivenFile>,
    #[serde(default)]
    options: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum CommandName {
    Evaluate,
    DepthFirst,
    Optimal,
    Fuse,
    MapLayer,
    MapLayers,
    Hierarchies,
    Cores,
    Attention,
    Study,
    Import,
    Presets,
    Facts,
}

/// Reads a question.
///
/// # Errors
/// All errors of names of presets, and of options.
pub fn read(text: &str) -> Result<Question, Diagnostics> {
    let written: WrittenQuestion = serde_json::from_str(text).map_err(|why| {
        let mut wrong = Diagnostics::default();
        wrong.add("", format!("This is no question: {why}"), "Call the functions of the package");
        wrong
    })?;
    let mut reader =
        QuestionReader { documents: written.documents, options: written.options, wrong: Diagnostics::default() };
    let question = match written.command {
        CommandName::Evaluate => Question::DepthFirst(reader.on_core(), true),
        CommandName::DepthFirst => Question::DepthFirst(reader.on_core(), false),
        CommandName::Optimal => Question::Optimal(reader.on_core()),
        CommandName::Fuse => Question::Fuse(reader.on_core()),
        CommandName::MapLayer => Question::MapLayers(reader.on_core(), true),
        CommandName::MapLayers => Question::MapLayers(reader.on_core(), false),
        CommandName::Hierarchies => Question::Hierarchies(reader.document(DocumentKind::Pool), reader.on_core()),
        CommandName::Cores => Question::Cores(reader.document(DocumentKind::System), reader.on_core()),
        CommandName::Attention => {
            let [hardware, model] =
                [DocumentKind::Hardware, DocumentKind::Transformer].map(|kind| reader.document(kind));
            Question::Attention(hardware, model, reader.options())
        }
        CommandName::Study => Question::Study(reader.study()),
        CommandName::Import => Question::Import(written.files, reader.options::<ImportOptions>().sizes),
        CommandName::Presets => Question::Presets(DocumentKind::named(&written.kind.unwrap_or_default())?),
        CommandName::Facts => {
            let kind = DocumentKind::named(&written.kind.unwrap_or_default())?;
            Question::Facts(kind, reader.document(kind))
        }
    };
    reader.wrong.or(question)
}

/// Parses a question, and collects errors.
struct QuestionReader {
    documents: BTreeMap<String, String>,
    options: Map<String, Value>,
    wrong: Diagnostics,
}

impl QuestionReader {
    fn on_core<T: DeserializeOwned + Default>(&mut self) -> OnCore<T> {
        OnCore {
            hardware: self.document(DocumentKind::Hardware),
            network: self.document(DocumentKind::Network),
            options: self.options(),
        }
    }

    /// The text of a document. A name has a single line, and no braces.
    fn document(&mut self, kind: DocumentKind) -> String {
        let Some(given) = self.documents.remove(kind.name()) else {
            self.wrong.add(kind.name(), "This document is missing", "Give the name of a preset, a text or an object");
            return String::new();
        };
        if given.contains('\n') || given.starts_with('{') {
            return given;
        }
        match find_preset(presets(kind), &given) {
            Ok(preset) => preset.text.to_owned(),
            Err(unknown) => {
                let path = || kind.name().to_owned();
                self.wrong.0.extend(unknown.0.into_iter().map(|one| Diagnostic { path: path(), ..one }));
                String::new()
            }
        }
    }

    /// A study with its documents: given ones, and presets. Other names are reported when it is validated.
    fn study(&mut self) -> StudyRequest {
        let Some(text) = self.documents.remove("study") else {
            self.wrong.add("study", "This document is missing", "Give a text or an object");
            return StudyRequest::default();
        };
        let StudyOptions { hardware, network, system } = self.options();
        let [cores, networks, systems] = StudyRequest::names(&text);
        let texts = |kind: DocumentKind, own: BTreeMap<String, String>, names: Vec<String>| -> Vec<(String, String)> {
            let text = |name: &String| {
                let preset = || find_preset(presets(kind), name).ok().map(|preset| preset.text.to_owned());
                own.get(name).cloned().or_else(preset)
            };
            names.into_iter().filter_map(|name| text(&name).map(|text| (name, text))).collect()
        };
        StudyRequest {
            hardware: texts(DocumentKind::Hardware, hardware, cores),
            networks: texts(DocumentKind::Network, network, networks),
            systems: texts(DocumentKind::System, system, systems),
            text,
        }
    }

    /// Drops each option that cannot be read, so that errors in further ones are found, too.
    fn options<T: DeserializeOwned + Default>(&mut self) -> T {
        loop {
            let given = Value::Object(self.options.clone());
            let mistaken = match serde_path_to_error::deserialize::<_, T>(given) {
                Ok(options) => return options,
                Err(mistaken) => mistaken,
            };
            let path = mistaken.path().to_string();
            let option = path.split(['.', '[']).next().unwrap_or_default();
            self.wrong.add(&path, mistaken.inner().to_string(), "See the types of the package");
            if self.options.remove(option).is_none() {
                return T::default();
            }
        }
    }
}
