//! Files of other programs as documents: ONNX models, YAML of AccelForge, and YAML of ZigZag, Stream and Timeloop,
//! which can also be written.
//!
//! [`import`] reads files of any kind through a [`ByteSource`] (random access to bytes: a file, or a `Blob` in a worker
//! of its own, `worker/import.rs`), recognises them by their content, and returns at most one document of each kind, or
//! the one state among them, with a [`ImportReport`] of everything that was taken over, assumed, expressed otherwise,
//! merged, or not counted.
//!
//! `nest.rs` has what Timeloop and AccelForge share: memories and fan-outs inside of each other, and the documents that
//! they become.
//!
//! Files are untrusted: lists and sizes are bounded before they take memory. `fuzz/` feeds mutated inputs to the
//! readers (`make fuzz`), with one file in `fuzz/targets` per reader; `tests/page/fuzz_seeds.rs` has the seeds.

pub mod accelforge;
mod coverage;
mod documents;
mod left_out;
mod nest;
pub mod onnx;
mod places;
mod report;
mod source;
pub mod stream;
pub mod timeloop;
pub mod zigzag;

pub use coverage::{CountedAmounts, Coverage, Share};
pub use documents::{Documents, ImportedMapping, Texts};
pub use report::{ImportFinding, ImportReport, Severity};
pub use source::{ByteSource, Seekable, text_of};

use fusescape_engine::hardware::Core;
use fusescape_engine::system::CoreSystem;
use fusescape_engine::transformer::Transformer;
use fusescape_engine::workload::{LayerKind, Network};
use fusescape_lesson::{Draw, Lesson, is_lesson};
use fusescape_spec::edit::Outline;
use fusescape_spec::{
    Diagnostic, Diagnostics, WorkloadSpec, hardware_presets, is_state, is_study, read_constraints, read_mapping,
    read_study, visible, write_constraints, write_hardware, write_system, write_transformer, write_workload,
};
use nest::Files;
use serde::{Deserialize, Serialize};

/// Largest document, bytes.
const MAX_TEXT: u64 = 1 << 20;
/// Largest state, which contains several documents, bytes.
const MAX_STATE: u64 = 8 << 20;
/// Bytes read to recognise the kind of a file.
const SAMPLE: usize = 4096;

/// Documents from files, and the reports of these.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    pub hardware: Option<String>,
    pub workload: Option<String>,
    pub system: Option<String>,
    pub transformer: Option<String>,
    pub constraints: Option<String>,
    /// For the hardware and workload documents beside it.
    pub mapping: Option<String>,
    /// The mapping of its first layer, for editing.
    pub mapped: Option<ImportedMapping>,
    pub lesson: Option<String>,
    pub study: Option<String>,
    /// A whole state as saved by the page, not parsed.
    pub state: Option<String>,
    /// One report per file or group of files.
    pub reports: Vec<ImportReport>,
}

/// A file: name and bytes.
pub struct File<'a> {
    /// Name shown to the user.
    pub name: String,
    pub source: Box<dyn ByteSource + 'a>,
}

/// Imports files: ONNX models, the YAML of ZigZag, Stream, Timeloop and AccelForge, and our own documents, which are
/// taken unchanged.
///
/// `options` settle open dimensions of ONNX models.
///
/// # Errors
/// All errors in any of the files. Our own documents may have errors, as nothing of them may be lost.
pub fn import(files: Vec<File>, options: &onnx::Options) -> Result<Imported, Diagnostics> {
    let mut parts = DesignParts::default();
    let several = files.len() > 1;
    for File { name, mut source } in files {
        let name = visible(&name).into_owned();
        let before = parts.diagnostics.0.len();
        parts.take(&name, source.as_mut(), options);
        for diagnostic in parts.diagnostics.0.iter_mut().skip(before).filter(|_| several) {
            diagnostic.path = format!("{name}: {}", diagnostic.path).trim_end_matches([':', ' ']).to_owned();
        }
    }
    parts.finish()
}

/// The transformer of an ONNX model as a document, with a report; `None` if the file is a text.
///
/// # Errors
/// All reasons why no transformer can be made of it; or sizes that are stated for a text, which has no open ones.
pub fn transformer_of(
    mut file: File,
    sizes: Vec<(String, u64)>,
) -> Result<Option<(String, ImportReport)>, Diagnostics> {
    if is_text(&sample_of(file.source.as_mut())) {
        let mut wrong = Diagnostics::default();
        if !sizes.is_empty() {
            wrong.add("size", "Only an ONNX model leaves sizes open, and this is a document", "State no size");
        }
        return wrong.or(None);
    }
    let options = onnx::Options { sizes, as_transformer: true, ..onnx::Options::default() };
    let mut imported = import(vec![file], &options)?;
    Ok(imported.transformer.zip(imported.reports.pop()))
}

/// Names of layers, and the lines where they begin.
type LayerLines = Vec<(String, usize)>;

/// The parts of a design that files held so far.
#[derive(Default)]
struct DesignParts {
    imported: Imported,
    accelerators: Vec<stream::CoreFile>,
    soc: Option<(stream::Soc, ImportReport)>,
    allocations: Vec<stream::OperatorCores>,
    layers: Option<(WorkloadSpec, ImportReport, LayerLines)>,
    mapping: Vec<zigzag::MappingEntry>,
    named: Vec<zigzag::NamedLoops>,
    /// Whether there was a mapping of Stream, even if for single layers only.
    has_allocations: bool,
    timeloop: timeloop::TimeloopInput,
    accelforge: accelforge::AccelforgeInput,
    diagnostics: Diagnostics,
}

/// The formats of other programs' texts, in the order in which a text is tried: each takes what it knows by its fields.
const FORMATS: [fn(&mut DesignParts, &str, &str) -> bool; 4] =
    [DesignParts::take_stream, DesignParts::take_zigzag, DesignParts::take_accelforge, DesignParts::take_timeloop];

impl DesignParts {
    fn take(&mut self, name: &str, source: &mut dyn ByteSource, options: &onnx::Options) {
        let sample = sample_of(source);
        if sample.starts_with(b"PAR1") {
            let reason = format!("`{name}` has results of a study, or a table of another program");
            return self.diagnostics.add(
                "",
                reason,
                "Open it in the view Study of the page, or read it by `fusescape study front`",
            );
        }
        if !is_text(&sample) {
            let taken = if options.as_transformer {
                onnx::import_transformer(source, name, options)
                    .map(|(spec, report)| self.take_transformer(comment(&report) + &write_transformer(&spec), report))
            } else {
                onnx::import(source, name, options).map(|(spec, report)| self.set_layers(spec, report, Vec::new()))
            };
            if let Err(wrong) = taken {
                self.diagnostics.0.extend(wrong.0);
            }
            return;
        }
        let is_state = is_state(&String::from_utf8_lossy(&sample));
        let text = match source.read_all(if is_state { MAX_STATE } else { MAX_TEXT }) {
            Ok(bytes) => match text_of(name, bytes) {
                Ok(text) => text,
                Err(wrong) => return self.diagnostics.0.extend(wrong.0),
            },
            Err(error) => {
                let reason = format!("`{name}` cannot be read as a document: {error}");
                return self.diagnostics.add("", reason, "Choose a smaller or another file");
            }
        };
        if is_state {
            if self.imported.state.replace(text).is_some() {
                self.twice("state");
            }
            let result = "opened as it is".to_owned();
            return self.imported.reports.push(ImportReport {
                title: name.to_owned(),
                result,
                ..ImportReport::default()
            });
        }
        // A lesson may have any of the fields by which other files are told.
        if is_lesson(&text) || !FORMATS.iter().any(|take| take(self, name, &text)) {
            self.take_own(name, text);
        }
    }

    /// A system of Stream, or its mapping.
    fn take_stream(&mut self, name: &str, text: &str) -> bool {
        match stream::recognise(text) {
            Some(stream::StreamFileKind::Soc) => {
                let (mut soc, mut report, diagnostics) = stream::read_soc(text);
                name.clone_into(&mut soc.file);
                report.title = format!("{name}, a Stream system");
                if self.soc.is_some() || self.imported.system.is_some() {
                    self.twice("system");
                }
                self.diagnostics.0.extend(diagnostics.0);
                self.soc = Some((soc, report));
            }
            Some(stream::StreamFileKind::Allocations) => {
                let (allocations, mut report, diagnostics) = stream::read_allocations(text);
                report.title = format!("{name}, a Stream mapping");
                self.diagnostics.0.extend(diagnostics.0);
                self.allocations.extend(allocations);
                self.imported.reports.push(report);
                self.has_allocations = true;
            }
            None => return false,
        }
        true
    }

    /// An accelerator, a mapping or a workload of ZigZag.
    fn take_zigzag(&mut self, name: &str, text: &str) -> bool {
        match zigzag::recognise(text) {
            Some(zigzag::ZigzagFileKind::Accelerator) => {
                let (mut accelerator, diagnostics) = zigzag::read_accelerator(text);
                let of = if accelerator.is_stream { "Stream core" } else { "ZigZag accelerator" };
                accelerator.report.title = format!("{name}, a {of}");
                self.diagnostics.0.extend(diagnostics.0);
                self.accelerators.push(stream::CoreFile { name: name.to_owned(), accelerator, text: text.to_owned() });
            }
            Some(zigzag::ZigzagFileKind::Mapping) => {
                let (entries, mut report, diagnostics) = zigzag::read_mapping(text);
                report.title = format!("{name}, a ZigZag mapping");
                report.result = format!("{} entries", entries.len());
                self.diagnostics.0.extend(diagnostics.0);
                self.mapping.extend(entries);
                self.imported.reports.push(report);
            }
            Some(zigzag::ZigzagFileKind::Workload) => {
                let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                let zigzag::ZigzagWorkload { spec, mut report, diagnostics, lines, named } =
                    zigzag::read_layers(text, stem);
                report.title = format!("{name}, a ZigZag workload");
                self.named = named;
                self.diagnostics.0.extend(diagnostics.0);
                self.set_layers(spec, report, lines);
            }
            None => return false,
        }
        true
    }

    fn take_accelforge(&mut self, name: &str, text: &str) -> bool {
        let names = ["architecture of AccelForge", "workload of AccelForge", "mapping of AccelForge"];
        let is_one = accelforge::recognise(text);
        is_one && self.take_files(name, accelforge::read(text), |parts| &mut parts.accelforge, names)
    }

    fn take_timeloop(&mut self, name: &str, text: &str) -> bool {
        let names = ["Timeloop architecture", "Timeloop problem", "Timeloop mapping"];
        let is_one = timeloop::recognise(text);
        is_one && self.take_files(name, timeloop::read(text), |parts| &mut parts.timeloop, names)
    }

    /// Adds a file to those of its program.
    fn take_files<A, W, M>(
        &mut self,
        name: &str,
        (mut files, diagnostics): (Files<A, W, M>, Diagnostics),
        of_program: fn(&mut Self) -> &mut Files<A, W, M>,
        names: [&'static str; 3],
    ) -> bool {
        name.clone_into(&mut files.report.title);
        self.diagnostics.0.extend(diagnostics.0);
        if let Some(what) = of_program(self).add(files, names) {
            self.twice(what);
        }
        true
    }

    /// Takes one of our own documents.
    fn take_own(&mut self, name: &str, text: String) {
        let has = |field: &str| {
            let starts = |line: &str| {
                line.trim_start_matches([' ', '{', '"'])
                    .strip_prefix(field)
                    .is_some_and(|rest| rest.trim_start_matches('"').starts_with(':'))
            };
            text.lines().any(starts)
        };
        if is_lesson(&text) {
            if self.imported.lesson.is_some() {
                return self.twice("lesson");
            }
            let mut report = ImportReport { title: name.to_owned(), ..ImportReport::default() };
            report.result = match Lesson::from_text(&text, Draw::Student("")) {
                Ok(lesson) => format!("a lesson of {} steps, {} variants", lesson.steps.len(), lesson.variants()),
                Err(wrong) => format!("a lesson, with {}", report.note_mistakes(&wrong)),
            };
            self.imported.lesson = Some(text);
            return self.imported.reports.push(report);
        }
        if self.take_of_mappings(name, &text) {
            return;
        }
        if is_study(&text) {
            return self.take_study(name, text);
        }
        let mut report = ImportReport { title: name.to_owned(), ..ImportReport::default() };
        if has("feed_forward") || has("state_space") {
            report.result = match Transformer::from_text(&text) {
                Ok(model) => format!("taken as it is: {} layers of {} channels", model.layers, model.width),
                Err(wrong) => format!("taken as it is, with {}", report.note_mistakes(&wrong)),
            };
            return self.take_transformer(text, report);
        }
        let (is_hardware, is_workload) = (has("memories") || has("array"), has("layers"));
        let is_system = has("cores") && has("offchip");
        match (is_hardware, is_workload) {
            (_, true) if self.layers.is_some() || self.imported.workload.is_some() => self.twice("workload"),
            (_, true) => {
                report.result = match Network::from_text(&text) {
                    Ok(network) => format!("taken as it is: {}", network_facts(&network)),
                    Err(wrong) => format!("taken as it is, with {}", report.note_mistakes(&wrong)),
                };
                self.imported.workload = Some(text);
                self.imported.reports.push(report);
            }
            _ if is_system && (self.soc.is_some() || self.imported.system.is_some()) => self.twice("system"),
            _ if is_system => {
                // Cores without a description are the accelerator beside the system: any is good enough here.
                let beside = hardware_presets().first().map_or("", |preset| preset.text);
                report.result = match CoreSystem::from_text(&text, beside) {
                    Ok(system) => format!("taken as it is: {}", system_facts(&system)),
                    Err(wrong) => format!("taken as it is, with {}", report.note_mistakes(&wrong)),
                };
                self.imported.system = Some(text);
                self.imported.reports.push(report);
            }
            (true, _) if self.imported.hardware.is_some() => self.twice("hardware"),
            (true, _) => {
                report.result = match Core::from_text(&text) {
                    Ok(core) => format!("taken as it is: {}", core_facts(&core)),
                    Err(wrong) => format!("taken as it is, with {}", report.note_mistakes(&wrong)),
                };
                self.imported.hardware = Some(text);
                self.imported.reports.push(report);
            }
            _ => self.diagnostics.add(
                "",
                format!("`{name}` is neither an ONNX model nor a document that is known here"),
                "Choose an ONNX model, a hardware, workload, transformer, system, mapping, constraint or study document, \
                 ZigZag's accelerator, mapping or workload, a system of Stream with its cores, Timeloop's architecture, \
                 problem, mapping and table of energies, or AccelForge's architecture, workload and mapping",
            ),
        }
    }

    /// Takes a constraint or a mapping document, recognised by the fields of its layers; `false` if it is neither.
    fn take_of_mappings(&mut self, name: &str, text: &str) -> bool {
        let Ok(outline) = Outline::read(text) else { return false };
        let says = |fields: &[&str]| {
            let has = |index: usize| fields.iter().any(|field| outline.has(&format!("layers[{index}].{field}")));
            (0..outline.len("layers")).any(has)
        };
        if says(&["type"]) {
            return false;
        }
        let mut report = ImportReport { title: name.to_owned(), ..ImportReport::default() };
        if says(&["loops"]) {
            let (spec, wrong) = read_mapping(text).both();
            report.result = format!(
                "a mapping of {}, to be priced by `layer --mapping`",
                counted(spec.layers.len(), "layer", "layers")
            );
            if !wrong.is_empty() {
                report.result = format!("taken as it is, with {}", report.note_mistakes(&wrong));
            }
            if self.imported.mapping.replace(text.to_owned()).is_some() {
                self.twice("mapping");
            }
        } else if says(&["order", "levels", "unroll"]) {
            let (spec, wrong) = read_constraints(text).both();
            report.result = format!("constraints, {}", counted(spec.layers.len(), "entry", "entries"));
            if !wrong.is_empty() {
                report.result = format!("taken as it is, with {}", report.note_mistakes(&wrong));
            }
            if self.imported.constraints.replace(text.to_owned()).is_some() {
                self.twice("constraint document");
            }
        } else {
            return false;
        }
        self.imported.reports.push(report);
        true
    }

    fn take_study(&mut self, name: &str, text: String) {
        let mut report = ImportReport { title: name.to_owned(), ..ImportReport::default() };
        let (spec, wrong) = read_study(&text).both();
        report.result = if wrong.is_empty() {
            format!("a study of {}", counted(spec.axes.len(), "axis", "axes"))
        } else {
            format!("a study, with {}", report.note_mistakes(&wrong))
        };
        if self.imported.study.replace(text).is_some() {
            self.twice("study");
        }
        self.imported.reports.push(report);
    }

    fn take_transformer(&mut self, text: String, report: ImportReport) {
        if self.imported.transformer.replace(text).is_some() {
            self.twice("transformer");
        }
        self.imported.reports.push(report);
    }

    fn set_layers(&mut self, spec: WorkloadSpec, report: ImportReport, lines: LayerLines) {
        if self.layers.is_some() || self.imported.workload.is_some() {
            self.twice("workload");
        }
        self.layers = Some((spec, report, lines));
    }

    fn twice(&mut self, what: &str) {
        let reason = format!("More than one of the files is a {what}");
        self.diagnostics.add("", reason, "Import them one after the other");
    }

    fn finish(mut self) -> Result<Imported, Diagnostics> {
        let has_cores = !self.accelerators.is_empty() || self.soc.is_some();
        if !self.mapping.is_empty() && !has_cores && self.layers.is_none() {
            let reason = "A mapping alone describes neither hardware nor a network";
            self.diagnostics.add("", reason, "Import it together with its accelerator");
        }
        if self.has_allocations && self.soc.is_none() {
            let reason = "A mapping of Stream says which core runs what, and no system is among the files";
            self.diagnostics.add("", reason, "Import it together with its system and the files of the cores");
        }
        let is_alone = self.imported.reports.len() == 1 && !has_cores && self.layers.is_none();
        if self.imported.state.is_some() && !is_alone {
            let reason = "A saved state holds both documents, so no other file belongs to it";
            self.diagnostics.add("", reason, "Open the state first, then import the others");
        }
        match self.soc.take() {
            Some((soc, report)) => self.finish_system(&soc, report),
            None => self.finish_hardware(),
        }
        self.finish_constraints();
        self.finish_layers();
        let (timeloop, accelforge) = (std::mem::take(&mut self.timeloop), std::mem::take(&mut self.accelforge));
        self.finish_files(&timeloop, "Timeloop", timeloop::assemble);
        self.finish_files(&accelforge, "AccelForge", accelforge::assemble);
        let Imported { hardware, workload, mapping, .. } = &self.imported;
        if let (Some(mapping), Some(hardware), Some(workload)) = (mapping, hardware, workload) {
            self.imported.mapped = ImportedMapping::first(mapping, hardware, workload);
        }
        self.diagnostics.or(self.imported)
    }

    fn finish_system(&mut self, soc: &stream::Soc, mut report: ImportReport) {
        if !self.diagnostics.is_empty() {
            return;
        }
        for file in &self.accelerators {
            if !soc.files().any(|name| stream::stem(name) == stream::stem(&file.name)) {
                report.note(Severity::Assumed, "core", "not taken: the system does not name it", &file.name);
            }
        }
        match stream::assemble(soc, &self.accelerators, &self.allocations, &mut report) {
            Ok(spec) => {
                let cores = spec.cores.len();
                report.result = format!("{cores} cores, {} links, a memory off the chip", spec.links.len());
                self.imported.system = Some(comment(&report) + &write_system(&spec));
                self.imported.reports.push(report);
            }
            Err(wrong) => self.diagnostics.0.extend(wrong.0),
        }
    }

    /// Finishes an accelerator; a memory off the chip in a file of its own becomes its highest memory.
    fn finish_hardware(&mut self) {
        let is_outside = |file: &stream::CoreFile| file.accelerator.role == zigzag::FileRole::Offchip;
        let (outside, mut cores): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.accelerators).into_iter().partition(is_outside);
        let count = cores.len() + usize::from(self.imported.hardware.is_some());
        if count > 1 {
            return self.twice("hardware");
        }
        if outside.len() > 1 || count == 0 && !outside.is_empty() {
            let names: Vec<String> = outside.iter().map(|file| format!("`{}`", file.name)).collect();
            let reason = format!("{} is the memory off the chip, and no core that computes", names.join(", "));
            return self.diagnostics.add(
                "",
                reason,
                "Import it together with one core, or with its system and all its cores",
            );
        }
        let Some(stream::CoreFile { name, accelerator, text }) = cores.pop() else { return };
        let zigzag::ZigzagAccelerator { mut spec, mut report, role, is_stream, .. } = accelerator;
        if role == zigzag::FileRole::Memory {
            let reason = format!("`{name}` is a memory that other cores share, and computes nothing");
            return self.diagnostics.add("", reason, "Import it together with its system and all its cores");
        }
        if !self.diagnostics.is_empty() {
            return;
        }
        if let Some(file) = outside.first() {
            let dimensions: Vec<String> = spec.array.dimensions.iter().map(|(name, _)| name.clone()).collect();
            spec.memories.extend(file.accelerator.spec.memories.last().map(|memory| {
                let reason = format!("`{}` is the highest memory of the core, at the memory's own width", file.name);
                report.note(Severity::Expressed, "offchip", &reason, "");
                fusescape_spec::MemorySpec { shared_over: dimensions, ..memory.clone() }
            }));
        } else if is_stream {
            let reason =
                "of a core of Stream, which says nothing of the memory off the chip: import that file together with it";
            report.note(Severity::NotCounted, "offchip", reason, "");
        }
        zigzag::apply_to_hardware(&mut spec, &self.mapping);
        let foreign = zigzag::foreign_loops(&self.mapping);
        if !foreign.is_empty() && self.named.is_empty() {
            let reason =
                "loops that only a workload gives a meaning: import it together with the mapping and the accelerator";
            report.note(Severity::Assumed, &foreign.join(", "), reason, "");
        }
        if !foreign.is_empty() && spec.unroll.is_empty() {
            stream::unroll_like_registers(&mut spec, &mut report);
        } else if is_stream {
            stream::unroll_like_registers(&mut spec, &mut report);
            stream::unroll_channels(&mut spec, &mut report);
        } else if spec.unroll.is_empty() {
            let reason =
                "nobody says which loops the array unrolls, so layers use one PE: import the mapping together with it";
            report.note(Severity::Assumed, "unroll", reason, "");
        }
        match Core::new(&spec) {
            Ok(core) => report.result = core_facts(&core),
            Err(wrong) => self.reject(wrong, |path| fusescape_spec::line_of(&text, path)),
        }
        self.imported.hardware = Some(comment(&report) + &write_hardware(&spec));
        self.imported.reports.push(report);
    }

    /// Loop orders stated by a mapping, as constraints.
    fn finish_constraints(&mut self) {
        let layers = self.layers.as_ref().map(|(spec, ..)| &spec.layers[..]);
        let mut report = ImportReport { title: "Orders of the mapping".to_owned(), ..ImportReport::default() };
        if let Some(spec) = zigzag::constraints(&self.mapping, &self.named, layers, &mut report) {
            report.result = format!("constraints, {}", counted(spec.layers.len(), "entry", "entries"));
            self.imported.constraints = Some(write_constraints(&spec));
        }
        if !report.findings.is_empty() {
            self.imported.reports.push(report);
        }
    }

    fn finish_layers(&mut self) {
        if !self.diagnostics.is_empty() {
            return;
        }
        if let Some((mut spec, mut report, lines)) = self.layers.take() {
            zigzag::apply_to_layers(&mut spec.layers, &self.mapping, &self.named);
            match Network::new(&spec) {
                Ok(network) => {
                    report.result = network_facts(&network);
                    if let Some(coverage) = &mut report.coverage {
                        coverage.counted = Some(amounts(&network));
                    }
                }
                // A model has no text to correct, so the user gets the document with its errors.
                Err(wrong) if lines.is_empty() => {
                    report.result = format!("{} layers, with {}", spec.layers.len(), report.note_mistakes(&wrong));
                }
                Err(wrong) => {
                    let line = |path: &str| {
                        let index = path.strip_prefix("layers[")?.split_once(']')?.0.parse::<usize>().ok()?;
                        let name = &spec.layers.get(index)?.name;
                        lines.iter().find(|(known, _)| known == name).map(|(_, line)| *line)
                    };
                    self.reject(wrong, line);
                }
            }
            self.imported.workload = Some(comment(&report) + &write_workload(&spec));
            self.imported.reports.push(report);
        }
    }

    /// Documents of a program's files, each as far as it goes: what is wrong with one stands in the report.
    fn finish_files<A, W, M>(
        &mut self,
        files: &Files<A, W, M>,
        program: &str,
        assemble: impl Fn(&Files<A, W, M>, &mut ImportReport) -> Result<Documents, Diagnostics>,
    ) {
        if files.is_empty() || !self.diagnostics.is_empty() {
            return;
        }
        let mut report = files.report.clone();
        report.title = format!("{}, of {program}", report.title);
        let documents = match assemble(files, &mut report) {
            Ok(documents) => documents,
            Err(wrong) => return self.diagnostics.0.extend(wrong.0),
        };
        let imported = &mut self.imported;
        let others = [
            ("hardware", imported.hardware.is_some() && documents.hardware.is_some()),
            ("workload", imported.workload.is_some() && documents.workload.is_some()),
        ];
        if let Some((what, _)) = others.into_iter().find(|(_, is_twice)| *is_twice) {
            return self.twice(what);
        }
        let texts = Texts::of(&documents, &mut report);
        let comment = comment(&report);
        let has_hardware = texts.hardware.is_some();
        if let Some(text) = texts.hardware {
            imported.hardware = Some(comment.clone() + &text);
        }
        if let Some(text) = texts.workload {
            imported.workload = Some(if has_hardware { text } else { comment + &text });
        }
        if let Some(text) = texts.mapping
            && imported.mapping.replace(text).is_some()
        {
            return self.twice("mapping");
        }
        imported.reports.push(report);
    }

    fn reject(&mut self, wrong: Diagnostics, line: impl Fn(&str) -> Option<usize>) {
        self.diagnostics
            .0
            .extend(wrong.0.into_iter().map(|diagnostic| Diagnostic { line: line(&diagnostic.path), ..diagnostic }));
    }
}

/// Whether a file begins like text in any encoding: no control characters, or the byte order mark of UTF-16.
fn is_text(sample: &[u8]) -> bool {
    let is_control = |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r');
    matches!(sample, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) || !sample.iter().any(is_control)
}

/// The beginning of a file.
fn sample_of(source: &mut dyn ByteSource) -> Vec<u8> {
    let mut sample = vec![0; SAMPLE];
    let count = source.read_at(0, &mut sample).unwrap_or(0);
    sample.truncate(count);
    sample
}

/// The report as comments at the top of a document.
fn comment(report: &ImportReport) -> String {
    report.lines().iter().map(|line| format!("# {}\n", visible(line))).collect()
}

fn system_facts(system: &CoreSystem) -> String {
    format!("{} cores", system.cores.len())
}

fn core_facts(core: &Core) -> String {
    format!("{} PEs, {} memories", core.pe_count(), core.memories.len())
}

fn amounts(network: &Network) -> CountedAmounts {
    let layers = network.ids().map(|id| network.layer(id)).filter(|layer| layer.shape.kind != LayerKind::View);
    CountedAmounts { macs: network.macs(), map_bits: layers.map(|layer| layer.shape.output_bits()).sum() }
}

/// A number with its noun.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn network_facts(network: &Network) -> String {
    let macs = network.macs() as f64;
    let (unit, factor) = if macs >= 1e9 {
        ("GMAC", 1e9)
    } else if macs >= 1e6 {
        ("MMAC", 1e6)
    } else {
        ("kMAC", 1e3)
    };
    format!("{} layers, {:.3} {unit}", network.computing().count(), macs / factor)
}
