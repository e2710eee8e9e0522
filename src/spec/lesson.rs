//! Reading a lesson: steps, each with a state to look at, a question about it, and numbers that say which answer is right.
//!
//! A lesson may have parameters, of which each student gets other values: `$size`, or `${size}`, is replaced by the
//! value of the parameter `size` in all texts and values. It is replaced after YAML was read, so that no value changes
//! the structure of the document.

use super::Reading;
use super::decimal::parse_decimal;
use super::diagnostic::closest;
use super::gallery::{OpensSpec, needed_text, read_measure, read_opens, share};
use super::reader::{Fields, LocatedNode, Reader, ValueError};

/// Limit on the steps of a lesson.
const MAX_STEPS: usize = 32;
/// Limit on the answers, numbers, hints or goals of a question.
const MAX_ANSWERS: usize = 24;
/// Limit on the parameters of a lesson.
const MAX_PARAMETERS: usize = 12;
/// Limit on the values of a parameter.
const MAX_VALUES: usize = 64;
const LESSON: [&str; 6] = ["title", "about", "assignment", "documents", "parameters", "steps"];
const PARAMETER: [&str; 5] = ["name", "values", "from", "to", "step"];
const STEP: [&str; 14] = [
    "title", "text", "opens", "question", "numbers", "answers", "number", "predict", "task", "hints", "hint",
    "explains", "marks", "tries",
];
const NUMBER: [&str; 3] = ["name", "unit", "measure"];
const ANSWER: [&str; 3] = ["text", "when", "hint"];
const ASKED: [&str; 2] = ["is", "tolerance"];
const PREDICT: [&str; 5] = ["number", "field", "values", "axis", "tolerance"];
const TASK: [&str; 5] = ["fields", "mapping", "minimise", "goals", "within"];
const FIELD: [&str; 3] = ["field", "name", "values"];
const HINT: [&str; 3] = ["when", "near", "text"];

/// A lesson as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LessonSpec {
    /// Its name, for people.
    pub title: String,
    /// Its subject, in one sentence.
    pub about: String,
    /// The assignment for which values are drawn, in addition to the student.
    pub assignment: String,
    /// Hardware and networks of its own, by name.
    pub documents: Vec<(String, String)>,
    /// Values that differ from student to student.
    pub parameters: Vec<ParameterSpec>,
    /// Steps in the order in which a student takes them.
    pub steps: Vec<StepSpec>,
}

/// A parameter as written, and the value that was drawn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParameterSpec {
    /// The name that `$name` refers to.
    pub name: String,
    /// All values that may be drawn.
    pub values: Vec<String>,
    /// The index of the drawn value.
    pub drawn: usize,
}

/// A step as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepSpec {
    /// Its subject, in a few words.
    pub title: String,
    /// The part of the page to look at, and the observation; `{name}` stands for a number.
    pub text: String,
    /// The initial state, in which the answer can be found.
    pub opens: OpensSpec,
    /// The question to the student.
    pub question: String,
    /// The numbers by which answers are judged, and which the explanation names.
    pub numbers: Vec<NumberSpec>,
    /// Answers to choose from.
    pub answers: Vec<AnswerSpec>,
    /// A number to enter.
    pub number: Option<AskedNumberSpec>,
    /// A curve to draw.
    pub predict: Option<PredictSpec>,
    /// A design to find.
    pub task: Option<TaskSpec>,
    /// Hints for wrong answers.
    pub hints: Vec<HintSpec>,
    /// The hint for all other wrong answers.
    pub hint: String,
    /// The explanation after the answer; `{name}` stands for a number.
    pub explains: String,
    /// Points for a right answer.
    pub marks: Option<f64>,
    /// Limit on the number of answers that a student may give.
    pub tries: Option<u64>,
}

/// A number as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NumberSpec {
    /// Its name in texts and conditions.
    pub name: String,
    /// Its unit; nothing for a plain count.
    pub unit: String,
    /// Name of the measure that computes it.
    pub measure: String,
    /// Parameters of the measure.
    pub parameters: Vec<(String, Vec<String>)>,
}

/// An answer as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerSpec {
    /// The answer that the student can choose.
    pub text: String,
    /// When it is right: `gain 8..14`, and all of them.
    pub when: Vec<String>,
    /// The text that is shown where it is wrong.
    pub hint: String,
}

/// The number that is asked for, as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AskedNumberSpec {
    /// Its name among the numbers.
    pub is: String,
    /// Limit on the distance of the answer from it, as a share of it.
    pub tolerance: f64,
}

/// A curve that is to be predicted, as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PredictSpec {
    /// The number that it shows, by its name.
    pub number: String,
    /// The field that changes along it.
    pub field: FieldSpec,
    /// Ends of the vertical axis, in the unit of the number: `0..12`.
    pub axis: (f64, f64),
    /// Limit on the distance of each point from the right one, as a share of that.
    pub tolerance: f64,
}

/// A field of the design, and the values that it may have.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldSpec {
    /// Which: `hardware.sram_64KB.size`, `point`.
    pub field: String,
    /// For a person.
    pub name: String,
    /// As in documents.
    pub values: Vec<String>,
}

/// A task, as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskSpec {
    /// The fields that may be changed; all others are locked.
    pub fields: Vec<FieldSpec>,
    /// Whether the mapping of the layer is to be made by hand.
    pub mapping: bool,
    /// The number that is to be small, by its name.
    pub minimise: String,
    /// Conditions on numbers: `energy ..1.7`.
    pub goals: Vec<String>,
    /// Distance from the optimum up to which an answer is as good as it, as a share.
    pub within: f64,
}

/// A hint as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HintSpec {
    /// Where the answer lies: `answer 0..10`, or a condition on numbers.
    pub when: Vec<String>,
    /// The number that the answer is close to after a certain mistake.
    pub near: String,
    /// The words to the student.
    pub text: String,
}

/// Reads a lesson with the values that `draw` chooses by the parameters' names and numbers of values: as far as it can
/// be read, with all mistakes.
///
/// `lesson::Lesson::from_text` reads and validates in one step.
pub fn read_lesson(text: &str, draw: &dyn Fn(&str, usize) -> usize) -> Reading<LessonSpec> {
    let (mut root, mut reader) = Reader::open(text);
    let parameters = read_parameters(&LocatedNode::root(&root), &mut reader, draw);
    let mut unknown = Vec::new();
    root.for_each_text(&mut |text, line| put_in(text, line, &parameters, &mut unknown));
    let fields = LocatedNode::root(&root).fields(&mut reader, &LESSON);
    let steps = match fields.need(&mut reader, "steps", "[{ title: ..., opens: ..., question: ... }]") {
        Some(place) => place.list(&mut reader, MAX_STEPS).iter().map(|step| read_step(step, &mut reader)).collect(),
        None => Vec::new(),
    };
    let documents = fields.get("documents").map(|place| place.entries(&mut reader)).unwrap_or_default();
    let documents =
        documents.into_iter().filter_map(|(name, place)| Some((name.to_owned(), place.verbatim(&mut reader)?)));
    let documents = documents.collect();
    let spec = LessonSpec {
        title: needed_text(&fields, &mut reader, "title", "Why fuse layers?"),
        about: needed_text(&fields, &mut reader, "about", "What stays on the chip need not be fetched again."),
        assignment: fields.get("assignment").and_then(|place| place.name(&mut reader)).unwrap_or_default(),
        documents,
        parameters,
        steps,
    };
    let mut diagnostics = reader.finish();
    for (line, name) in unknown {
        let names = spec.parameters.iter().map(|parameter| parameter.name.as_str());
        let remedy = closest(&name, names).map_or_else(
            || format!("Add `{name}` to `parameters`, or write `$$` for a dollar"),
            |meant| format!("Did you mean `${meant}`?"),
        );
        let wrong = super::Diagnostic {
            path: format!("${name}"),
            line: Some(line),
            reason: format!("There is no parameter `{name}`"),
            remedy,
            fix: None,
        };
        if !diagnostics.is_full() {
            diagnostics.0.push(wrong);
        }
    }
    Reading::new(spec, diagnostics)
}

/// Puts the values of parameters into a text, for `$name` and `${name}`; `$$` is a dollar.
fn put_in(text: &mut String, line: usize, parameters: &[ParameterSpec], unknown: &mut Vec<(usize, String)>) {
    const MOST_UNKNOWN: usize = 20;
    if !text.contains('$') {
        return;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, behind)) = rest.split_once('$') {
        out += before;
        let in_braces = behind.strip_prefix('{').and_then(|behind| behind.split_once('}'));
        let named = |name: &str| parameters.iter().find(|parameter| parameter.name == name);
        if let Some((parameter, next)) = in_braces.and_then(|(name, next)| Some((named(name)?, next))) {
            out += parameter.values.get(parameter.drawn).map_or("", String::as_str);
            rest = next;
            continue;
        }
        let end = behind.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(behind.len());
        let (name, next) = behind.split_at(end);
        rest = next;
        match named(name) {
            Some(parameter) => out += parameter.values.get(parameter.drawn).map_or("", String::as_str),
            None => {
                out += "$";
                match next.strip_prefix('$') {
                    Some(next) if name.is_empty() => rest = next,
                    _ => {
                        out += name;
                        if unknown.len() < MOST_UNKNOWN && !name.is_empty() {
                            unknown.push((line, name.to_owned()));
                        }
                    }
                }
            }
        }
    }
    out += rest;
    *text = out;
}

fn read_parameters(root: &LocatedNode, reader: &mut Reader, draw: &dyn Fn(&str, usize) -> usize) -> Vec<ParameterSpec> {
    let Some(place) = root.find("parameters") else { return Vec::new() };
    let mut parameters: Vec<ParameterSpec> = Vec::new();
    for place in place.list(reader, MAX_PARAMETERS) {
        let fields = place.fields(reader, &PARAMETER);
        let name = fields.name(reader, "name", "size");
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !name.is_empty() && (!is_word || parameters.iter().any(|other| other.name == name)) {
            let wrong = ValueError::new(
                format!("`{name}` is taken, or has more than letters, digits and `_`"),
                "Write another name, for example `size`",
            );
            fields.get("name").unwrap_or(&place).reject(reader, wrong);
            continue;
        }
        let values = read_values(&place, &fields, reader);
        let drawn = if values.is_empty() { 0 } else { draw(&name, values.len()).min(values.len() - 1) };
        parameters.push(ParameterSpec { name, values, drawn });
    }
    parameters
}

/// `values: [32 KiB, 64 KiB]`, or `from: 4`, `to: 72`, `step: 4`.
fn read_values(place: &LocatedNode, fields: &Fields, reader: &mut Reader) -> Vec<String> {
    if let Some(values) = fields.get("values") {
        let listed = values.names(reader);
        if listed.is_empty() {
            values.reject(
                reader,
                ValueError::new("There is no value", "List those that may be drawn: `[32 KiB, 64 KiB]`"),
            );
        }
        return listed;
    }
    let mut bound = |name: &str| fields.get(name).and_then(|place| place.count(reader));
    let (from, to, step) = (bound("from"), bound("to"), bound("step").unwrap_or(1));
    let values: Vec<String> = match (from, to) {
        (Some(from), Some(to)) if step > 0 => {
            (from..=to).step_by(step as usize).take(MAX_VALUES + 1).map(|value| value.to_string()).collect()
        }
        _ => Vec::new(),
    };
    if values.is_empty() || values.len() > MAX_VALUES {
        let reason = format!("A parameter has 1 to {MAX_VALUES} values");
        place.reject(reader, ValueError::new(reason, "Write `values: [4, 8, 16]`, or `from: 4`, `to: 16`, `step: 4`"));
    }
    values.into_iter().take(MAX_VALUES).collect()
}

fn read_step(place: &LocatedNode, reader: &mut Reader) -> StepSpec {
    let fields = place.fields(reader, &STEP);
    let opens = fields.need(reader, "opens", "{ view: landscape, hardware: tpu-like, workload: fsrcnn }");
    let numbers = fields.get("numbers").map(|place| place.list(reader, MAX_ANSWERS)).unwrap_or_default();
    let list = |name: &str, reader: &mut Reader| {
        fields.get(name).map(|place| place.list(reader, MAX_ANSWERS)).unwrap_or_default()
    };
    let (answers, hints) = (list("answers", reader), list("hints", reader));
    let kinds = ["answers", "number", "predict", "task"];
    match kinds.iter().filter(|kind| fields.get(kind).is_some()).count() {
        0 => fields.missing(reader, "answers", "[{ text: ten times, when: [gain 8..14] }]"),
        1 => {}
        _ => {
            let wrong = ValueError::new("A step has one kind of answer", format!("Keep one of {}", kinds.join(", ")));
            place.reject(reader, wrong);
        }
    }
    StepSpec {
        title: needed_text(&fields, reader, "title", "One layer at a time"),
        text: needed_text(&fields, reader, "text", "Every map goes to DRAM and comes back."),
        opens: opens.map(|place| read_opens(place, reader)).unwrap_or_default(),
        question: needed_text(&fields, reader, "question", "Where does the energy go?"),
        numbers: numbers.iter().map(|number| read_number(number, reader)).collect(),
        answers: answers.iter().map(|answer| read_answer(answer, reader)).collect(),
        number: fields.get("number").map(|place| read_asked(place, reader)),
        predict: fields.get("predict").map(|place| read_predict(place, reader)),
        task: fields.get("task").map(|place| read_task(place, reader)),
        hints: hints.iter().map(|hint| read_hint(hint, reader)).collect(),
        hint: fields.text(reader, "hint"),
        explains: needed_text(&fields, reader, "explains", "DRAM takes {dram} of it."),
        marks: fields.get("marks").and_then(|place| place.figure(reader, "a number of marks, for example `2`", marks)),
        tries: fields.get("tries").and_then(|place| place.count(reader)),
    }
}

fn read_number(place: &LocatedNode, reader: &mut Reader) -> NumberSpec {
    let fields = place.fields(reader, &NUMBER);
    let measure = fields.need(reader, "measure", "energy: { of: best }");
    let (measure, parameters) = measure.map(|place| read_measure(place, reader)).unwrap_or_default();
    NumberSpec {
        name: fields.name(reader, "name", "gain"),
        unit: fields.get("unit").and_then(|place| place.name(reader)).unwrap_or_default(),
        measure,
        parameters,
    }
}

fn read_answer(place: &LocatedNode, reader: &mut Reader) -> AnswerSpec {
    let fields = place.fields(reader, &ANSWER);
    let when = fields.need(reader, "when", "[gain 8..14]");
    AnswerSpec {
        text: needed_text(&fields, reader, "text", "About ten times"),
        when: when.map(|place| place.names(reader)).unwrap_or_default(),
        hint: fields.text(reader, "hint"),
    }
}

fn read_asked(place: &LocatedNode, reader: &mut Reader) -> AskedNumberSpec {
    let fields = place.fields(reader, &ASKED);
    let tolerance = fields.get("tolerance").and_then(|place| place.figure(reader, "a share, for example `2 %`", share));
    AskedNumberSpec { is: fields.name(reader, "is", "gain"), tolerance: tolerance.unwrap_or(0.02) }
}

fn read_predict(place: &LocatedNode, reader: &mut Reader) -> PredictSpec {
    let fields = place.fields(reader, &PREDICT);
    let axis = fields.need(reader, "axis", "0..12");
    let tolerance =
        fields.get("tolerance").and_then(|place| place.figure(reader, "a share, for example `25 %`", share));
    PredictSpec {
        number: fields.name(reader, "number", "energy"),
        field: FieldSpec {
            field: fields.name(reader, "field", "hardware.sram_64KB.size"),
            name: String::new(),
            values: fields
                .need(reader, "values", "[32 KiB, 64 KiB]")
                .map(|place| place.names(reader))
                .unwrap_or_default(),
        },
        axis: axis
            .and_then(|place| place.value(reader, "two limits, for example `0..12`", axis_of))
            .unwrap_or((0.0, 1.0)),
        tolerance: tolerance.unwrap_or(0.25),
    }
}

fn read_task(place: &LocatedNode, reader: &mut Reader) -> TaskSpec {
    let fields = place.fields(reader, &TASK);
    let list = fields.get("fields").map(|place| place.list(reader, MAX_ANSWERS)).unwrap_or_default();
    let mapping = fields.get("mapping").and_then(|place| place.flag(reader)).unwrap_or_default();
    if list.is_empty() && !mapping {
        fields.missing(reader, "fields", "[{ field: hardware.sram_64KB.size, values: [32 KiB, 64 KiB] }]");
    }
    let within = fields.get("within").and_then(|place| place.figure(reader, "a share, for example `2 %`", share));
    TaskSpec {
        fields: list.iter().map(|place| read_field(place, reader)).collect(),
        mapping,
        minimise: fields.name(reader, "minimise", "energy"),
        goals: fields.get("goals").map(|place| place.names(reader)).unwrap_or_default(),
        within: within.unwrap_or_default(),
    }
}

fn read_field(place: &LocatedNode, reader: &mut Reader) -> FieldSpec {
    let fields = place.fields(reader, &FIELD);
    FieldSpec {
        field: fields.name(reader, "field", "hardware.sram_64KB.size"),
        name: fields.get("name").and_then(|place| place.text(reader)).unwrap_or_default(),
        values: fields.need(reader, "values", "[32 KiB, 64 KiB]").map(|place| place.names(reader)).unwrap_or_default(),
    }
}

fn read_hint(place: &LocatedNode, reader: &mut Reader) -> HintSpec {
    let fields = place.fields(reader, &HINT);
    HintSpec {
        when: fields.get("when").map(|place| place.names(reader)).unwrap_or_default(),
        near: fields.get("near").and_then(|place| place.name(reader)).unwrap_or_default(),
        text: needed_text(&fields, reader, "text", "Count DRAM, too."),
    }
}

fn marks(text: &str) -> Result<f64, ValueError> {
    let read = parse_decimal(text).filter(|marks| (0.0..=1000.0).contains(marks));
    read.ok_or_else(|| ValueError::new(format!("`{text}` is no number of marks"), "Write 0 to 1000"))
}

fn axis_of(text: &str) -> Result<(f64, f64), ValueError> {
    let limits = || {
        let (from, to) = text.split_once("..")?;
        Some((parse_decimal(from.trim())?, parse_decimal(to.trim())?))
    };
    let is_axis = |(from, to): &(f64, f64)| from.is_finite() && to.is_finite() && from < to;
    limits().filter(is_axis).ok_or_else(|| ValueError::new(format!("`{text}` is no axis"), "Write for example `0..12`"))
}
