//! A lesson, validated: steps that each show a state, ask something about it, and name the numbers that decide.

use super::draw::{Draw, variant_count};
use super::fields::{Field, Opener};
use fusescape_engine::hardware::Core;
use fusescape_gallery::{DocumentChoice, Measure, Opening, UNITS, Unit, choose};
use fusescape_spec::{
    AnswerSpec, ClaimSpec, Diagnostic, Diagnostics, HintSpec, LessonSpec, NumberSpec, ParameterSpec, PredictSpec,
    StepSpec, TaskSpec, lesson_presets, line_of, merge, parse_decimal, read_lesson,
};

/// Largest document, bytes.
pub const MOST_BYTES: usize = 1 << 20;
/// Most designs among which a task looks for the best.
pub const MOST_COMBINATIONS: u64 = 1024;
/// What an answer counts as where conditions of hints name it.
const ANSWER: &str = "answer";

/// A lesson, as one student gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// What it is called.
    pub title: String,
    /// What there is to learn.
    pub about: String,
    /// What values are drawn for besides the student; the title where none is named.
    pub assignment: String,
    /// What differs from student to student, with what was drawn.
    pub parameters: Vec<ParameterSpec>,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A step of a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What it is about.
    pub title: String,
    /// What there is to be seen; `{name}` stands for a number.
    pub text: String,
    /// The state that it begins with, in which the answer can be found.
    pub opens: Opening,
    pub(super) opener: Opener,
    /// The question.
    pub question: String,
    /// What the answers are judged by.
    pub numbers: Vec<Number>,
    /// What kind of answer is asked for.
    pub kind: StepKind,
    /// What is said of wrong answers; the first that suits.
    pub hints: Vec<Hint>,
    /// Why that is so; `{name}` stands for a number.
    pub explains: String,
    /// What it counts.
    pub marks: f64,
    /// How often one may answer.
    pub tries: usize,
}

/// A number that is computed for a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// What texts and conditions call it.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
    /// What computes it.
    pub measure: Measure,
}

/// The kind of answer that a step asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// One of some answers.
    Choice(Vec<Choice>),
    /// A number.
    Number(Asked),
    /// A curve, before it is shown.
    Predict(Prediction),
    /// A design that is as good as the best.
    Task(Task),
}

/// An answer to choose.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The answer.
    pub text: String,
    /// It is right if all of these hold.
    pub when: Vec<Condition>,
    /// What is said where it is wrong; may be empty.
    pub hint: String,
}

/// A number, by its index, that lies from `least` to below `most`; of goals also at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    /// Which number; `None` for the answer itself.
    pub number: Option<usize>,
    /// The lower limit.
    pub least: f64,
    /// The upper one.
    pub most: f64,
}

/// The number that is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    /// Its index.
    pub number: usize,
    /// How far an answer may be from it, as a share of it.
    pub tolerance: f64,
}

/// A curve that is to be predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The index of the number that it shows.
    pub number: usize,
    /// What changes along it.
    pub field: Field,
    /// Ends of the vertical axis.
    pub axis: (f64, f64),
    /// How far each point may be from what is right, as a share of that.
    pub tolerance: f64,
}

/// A design to find.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// What may be changed; none: the mapping of the layer.
    pub fields: Vec<Field>,
    /// The value that each field begins with, by its index: that of the step where it is listed, else the first.
    pub start: Vec<u32>,
    /// The index of the number that is to be small.
    pub minimise: usize,
    /// What has to hold, limits included.
    pub goals: Vec<Condition>,
    /// So far from the optimum an answer still is as good as it, as a share.
    pub within: f64,
}

/// A hint.
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    /// It suits where all of these hold.
    pub when: Vec<Condition>,
    /// It suits an answer that is close to this number.
    pub near: Option<usize>,
    /// What is said; `{name}` stands for a number.
    pub text: String,
}

/// All lessons that come with the program, with their names.
///
/// # Errors
/// Everything that is wrong with their documents, with the lesson in front of each path.
pub fn lessons() -> Result<Vec<(&'static str, Lesson)>, Diagnostics> {
    let mut all = Vec::new();
    let mut diagnostics = Diagnostics::default();
    for preset in lesson_presets() {
        match Lesson::from_text(preset.text, Draw::Student("")) {
            Ok(lesson) => all.push((preset.id, lesson)),
            Err(wrong) => diagnostics.0.extend(wrong.0.into_iter().map(|mut wrong| {
                wrong.path = format!("{}: {}", preset.id, wrong.path);
                wrong
            })),
        }
    }
    diagnostics.or(all)
}

/// Whether a text is a lesson rather than another document: it has steps, and they ask something.
pub fn is_lesson(text: &str) -> bool {
    let begins = |line: &str, field: &str| {
        let rest = line.trim_start_matches([' ', '-', '{', '"']).strip_prefix(field);
        rest.is_some_and(|rest| rest.trim_start_matches('"').starts_with(':'))
    };
    let has = |field: &str| text.lines().any(|line| begins(line, field));
    has("steps") && (has("question") || has("about") || has("opens"))
}

impl Lesson {
    /// Reads and validates a lesson, with values of its parameters.
    ///
    /// # Errors
    /// Everything that is wrong with the text, each with its line, path, reason and remedy.
    pub fn from_text(text: &str, draw: Draw) -> Result<Self, Diagnostics> {
        let (lesson, wrong) = Self::read(text, draw);
        wrong.or(lesson)
    }

    /// What can be read of a lesson, and everything that is wrong with it.
    pub(super) fn read(text: &str, draw: Draw) -> (Self, Diagnostics) {
        let assignment = assignment_of(text);
        let before = std::cell::Cell::new(1_u64);
        let (spec, mistakes) = read_lesson(text, &|name, values| {
            let index = draw.index(&assignment, name, values, before.get());
            before.set(variant_count([before.get() as usize, values].into_iter()));
            index
        })
        .both();
        let mut diagnostics = Diagnostics::default();
        let LessonSpec { title, about, documents, parameters, steps, .. } = spec;
        check_documents(text, &documents, &mut diagnostics);
        let steps: Vec<Step> = (steps.into_iter().enumerate())
            .filter_map(|(index, step)| read_step(&format!("steps[{index}]"), step, &documents, &mut diagnostics))
            .collect();
        if steps.is_empty() && diagnostics.is_empty() {
            diagnostics.add("steps", "There are no steps", "Write at least one");
        }
        let lesson = Self { title, about, assignment, parameters, steps };
        let wrong = if diagnostics.is_empty() { mistakes } else { merge(text, mistakes, diagnostics, &[]) };
        (lesson, wrong)
    }

    /// How many variants there are.
    pub fn variants(&self) -> u64 {
        variant_count(self.parameters.iter().map(|parameter| parameter.values.len()))
    }

    /// The number of the variant in which each parameter has its value of this index, or its last one.
    pub(super) fn variant_with(&self, index: usize) -> u64 {
        let mut before = 1_u64;
        let mut variant = 0_u64;
        for parameter in &self.parameters {
            let last = parameter.values.len().saturating_sub(1);
            variant = variant.saturating_add(before.saturating_mul(index.min(last) as u64));
            before = variant_count([before as usize, parameter.values.len()].into_iter());
        }
        variant
    }

    /// Marks of all steps.
    pub fn marks(&self) -> f64 {
        self.steps.iter().map(|step| step.marks).sum()
    }

    /// What was drawn, for a person: `size 64 KiB, tile 4`.
    pub fn drawn(&self) -> String {
        let value = |parameter: &ParameterSpec| {
            let value = parameter.values.get(parameter.drawn).map_or("", String::as_str);
            format!("{} {value}", parameter.name)
        };
        self.parameters.iter().map(value).collect::<Vec<_>>().join(", ")
    }
}

/// The assignment that a lesson names, else its title; values are drawn for it, so it is known before they are.
fn assignment_of(text: &str) -> String {
    let (spec, _) = read_lesson(text, &|_, _| 0).both();
    if spec.assignment.is_empty() { spec.title } else { spec.assignment }
}

/// Documents of the lesson's own have to make sense whatever a step does with them.
fn check_documents(text: &str, documents: &[(String, String)], diagnostics: &mut Diagnostics) {
    for (name, document) in documents {
        let half = if document.contains("layers:") { "workload" } else { "hardware" };
        let path = format!("documents.{name}");
        let begins = line_of(text, &path).unwrap_or_default();
        // A text behind `|` keeps its lines.
        let keeps_lines = text.lines().nth(begins.saturating_sub(1)).is_some_and(|line| line.contains(": |"));
        for wrong in DocumentChoice::Own(document.as_str().into()).mistakes(half).0 {
            let line = wrong.line.filter(|_| keeps_lines).map(|line| begins + line);
            let path = if wrong.path.is_empty() { path.clone() } else { format!("{path}.{}", wrong.path) };
            diagnostics.0.push(Diagnostic { path, line, fix: None, ..wrong });
        }
    }
}

/// Names that a step gives to its numbers, and where it stands.
struct StepReader<'a> {
    path: &'a str,
    numbers: &'a [Number],
    diagnostics: &'a mut Diagnostics,
}

fn read_step(
    path: &str,
    spec: StepSpec,
    documents: &[(String, String)],
    diagnostics: &mut Diagnostics,
) -> Option<Step> {
    let opener = Opener { spec: spec.opens.clone(), documents: documents.to_vec(), path: format!("{path}.opens") };
    let opens = opener.open(diagnostics);
    let workload = opens.as_ref().and_then(|opens| opens.workload.preset());
    let mut numbers = Vec::new();
    for (index, number) in spec.numbers.iter().enumerate() {
        let NumberSpec { name, unit, measure, parameters } = number.clone();
        let path = format!("{path}.numbers[{index}]");
        let claim = ClaimSpec { measure, parameters, ..ClaimSpec::default() };
        let measure = Measure::new(&claim, &format!("{path}.measure"), workload, diagnostics);
        let unit = choose(&unit, &UNITS).map_err(|_| {
            let names: Vec<&str> = UNITS.iter().map(|(name, _)| *name).filter(|name| !name.is_empty()).collect();
            diagnostics.add_unknown(format!("{path}.unit"), format!("There is no unit `{unit}`"), &unit, &names);
        });
        if numbers.iter().any(|other: &Number| other.name == name) || name == ANSWER {
            diagnostics.add(format!("{path}.name"), format!("`{name}` is taken"), "Write another name");
        }
        let (Some(measure), Ok(unit)) = (measure, unit) else { continue };
        if unit.quantity != measure.quantity() {
            let units = UNITS.iter().filter(|(_, unit)| unit.quantity == measure.quantity());
            let units: Vec<String> = units.map(|(name, _)| unit_name(name)).collect();
            let reason = format!("`{}` is not measured in {}", number.measure, unit_name(unit.name));
            diagnostics.add(format!("{path}.unit"), reason, format!("Use {}", units.join(" or ")));
        }
        if let (Some(memory), Some(opens)) = (measure.memory(), &opens) {
            check_memory(memory, opens, format!("{path}.measure"), diagnostics);
        }
        numbers.push(Number { name, unit, measure });
    }
    let mut reader = StepReader { path, numbers: &numbers, diagnostics };
    reader.check_placeholders(&spec);
    let kind = reader.kind(&spec);
    let hints = reader.hints(&spec);
    let default_tries = match &kind {
        Some(StepKind::Task(_)) => 5,
        Some(StepKind::Predict(_)) => 1,
        _ => 2,
    };
    let tries = spec.tries.unwrap_or(default_tries);
    if !(1..=MOST_TRIES).contains(&tries) {
        diagnostics.add(
            format!("{path}.tries"),
            format!("Nobody tries {tries} times"),
            format!("Write 1 to {MOST_TRIES}"),
        );
    }
    let (kind, opens) = match (kind, opens) {
        (Some(StepKind::Task(task)), Some(opens)) => {
            let start: Vec<u32> = task.fields.iter().map(|field| opener.place_of_value(field, &opens)).collect();
            // The form begins with what the view shows.
            let opens = opener.open_with(&task.fields, &start).unwrap_or(opens);
            (Some(StepKind::Task(Task { start, ..task })), Some(opens))
        }
        other => other,
    };
    let StepSpec { title, text, question, explains, marks, .. } = spec;
    let (marks, tries) = (marks.unwrap_or(1.0), tries as usize);
    Some(Step { title, text, opens: opens?, opener, question, numbers, kind: kind?, hints, explains, marks, tries })
}

/// A unit as a message names it.
fn unit_name(name: &str) -> String {
    if name.is_empty() { "no unit".to_owned() } else { format!("`{name}`") }
}

/// A memory that a measure names has to be there.
fn check_memory(memory: &str, opens: &Opening, path: String, diagnostics: &mut Diagnostics) {
    // What is wrong with the accelerator itself is said elsewhere.
    let Ok(core) = Core::from_text(opens.hardware.text()) else { return };
    let names: Vec<&str> = core.memories.iter().map(|memory| memory.name.as_str()).collect();
    if !names.contains(&memory) {
        let reason = format!("The accelerator has no memory `{memory}`");
        diagnostics.add_unknown(format!("{path}.memory"), reason, memory, &names);
    }
}

/// More tries than a step has.
const MOST_TRIES: u64 = 20;

impl StepReader<'_> {
    fn note(&mut self, field: &str, reason: impl Into<String>, remedy: impl Into<String>) {
        self.diagnostics.add(format!("{}.{field}", self.path), reason, remedy);
    }

    fn check_placeholders(&mut self, spec: &StepSpec) {
        let mut texts = vec![("text".to_owned(), &spec.text), ("explains".to_owned(), &spec.explains)];
        texts.push(("hint".to_owned(), &spec.hint));
        texts.extend(spec.hints.iter().enumerate().map(|(index, hint)| (format!("hints[{index}].text"), &hint.text)));
        let answers = spec.answers.iter().enumerate();
        texts.extend(answers.map(|(index, answer)| (format!("answers[{index}].hint"), &answer.hint)));
        for (field, text) in texts {
            for name in placeholders(text) {
                if self.numbers.iter().all(|number| number.name != name) {
                    let remedy = format!("Add a number called `{name}`");
                    self.note(&field, format!("There is no number `{name}`"), remedy);
                }
            }
        }
    }

    fn kind(&mut self, spec: &StepSpec) -> Option<StepKind> {
        if let Some(asked) = &spec.number {
            let number = self.named(&asked.is, "number.is")?;
            if !(0.0..1.0).contains(&asked.tolerance) {
                self.note("number.tolerance", "This accepts any number", "Write for example `2 %`");
            } else if asked.tolerance == 0.0 {
                self.note("number.tolerance", "Nobody meets a number to its last digit", "Write for example `2 %`");
            }
            return Some(StepKind::Number(Asked { number, tolerance: asked.tolerance }));
        }
        if let Some(predict) = &spec.predict {
            return self.prediction(predict).map(StepKind::Predict);
        }
        if let Some(task) = &spec.task {
            return self.task(task).map(StepKind::Task);
        }
        let read = |(index, answer): (usize, &AnswerSpec)| self.choice(answer, &format!("answers[{index}].when"));
        let choices: Vec<Choice> = spec.answers.iter().enumerate().map(read).collect();
        if choices.len() < 2 {
            self.note("answers", "There is nothing to choose from", "Write at least two answers");
        }
        Some(StepKind::Choice(choices))
    }

    fn choice(&mut self, spec: &AnswerSpec, field: &str) -> Choice {
        let when = spec.when.iter().filter_map(|text| self.condition(text, field, false)).collect();
        if spec.when.is_empty() {
            self.note(field, "It is never said when this answer is right", "Write for example `[gain 8..14]`");
        }
        Choice { text: spec.text.clone(), when, hint: spec.hint.clone() }
    }

    fn prediction(&mut self, spec: &PredictSpec) -> Option<Prediction> {
        let number = self.named(&spec.number, "predict.number");
        let field = Field::read(&spec.field, &format!("{}.predict", self.path), self.diagnostics);
        if !(0.0..1.0).contains(&spec.tolerance) || spec.tolerance == 0.0 {
            self.note("predict.tolerance", "This accepts no curve, or any", "Write for example `25 %`");
        }
        Some(Prediction { number: number?, field, axis: spec.axis, tolerance: spec.tolerance })
    }

    fn task(&mut self, spec: &TaskSpec) -> Option<Task> {
        let minimise = self.named(&spec.minimise, "task.minimise");
        let read =
            |(index, field)| Field::read(field, &format!("{}.task.fields[{index}]", self.path), self.diagnostics);
        let fields: Vec<Field> = spec.fields.iter().enumerate().map(read).collect();
        if spec.mapping && !fields.is_empty() {
            self.note("task.fields", "The mapping is made by hand, or fields are chosen", "Keep `fields` or `mapping`");
        }
        let combinations = variant_count(fields.iter().map(|field| field.values.len()));
        if combinations > MOST_COMBINATIONS {
            let reason = format!("There are {combinations} designs, more than {MOST_COMBINATIONS} to find the best of");
            self.note("task.fields", reason, "List fewer values");
        }
        if !(0.0..1.0).contains(&spec.within) {
            self.note("task.within", "This accepts any design", "Write for example `2 %`");
        }
        let goals = spec.goals.iter().filter_map(|text| self.condition(text, "task.goals", true)).collect();
        Some(Task { fields, start: Vec::new(), minimise: minimise?, goals, within: spec.within })
    }

    fn hints(&mut self, spec: &StepSpec) -> Vec<Hint> {
        let mut hints = Vec::new();
        for (index, hint) in spec.hints.iter().enumerate() {
            let HintSpec { when, near, text } = hint;
            let field = format!("hints[{index}]");
            let when: Vec<Condition> =
                when.iter().filter_map(|text| self.condition(text, &format!("{field}.when"), false)).collect();
            let near = if near.is_empty() { None } else { self.named(near, &format!("{field}.near")) };
            let is_of_answer = when.iter().any(|when| when.number.is_none()) || near.is_some();
            if is_of_answer && spec.number.is_none() {
                let reason = "Only where a number is entered, it can be compared with others";
                self.note(
                    &field,
                    reason,
                    "Write a condition on a number of the step, for example `when: [gain 8..14]`",
                );
            }
            hints.push(Hint { when, near, text: text.clone() });
        }
        if !spec.hint.is_empty() {
            hints.push(Hint { when: Vec::new(), near: None, text: spec.hint.clone() });
        }
        hints
    }

    /// The index of a number.
    fn named(&mut self, name: &str, field: &str) -> Option<usize> {
        let found = self.numbers.iter().position(|number| number.name == name);
        if found.is_none() && !name.is_empty() {
            self.note(
                field,
                format!("There is no number `{name}`"),
                format!("Add it to `numbers`, or write {}", self.names()),
            );
        }
        found
    }

    fn names(&self) -> String {
        let names: Vec<String> = self.numbers.iter().map(|number| format!("`{}`", number.name)).collect();
        if names.is_empty() { "another name".to_owned() } else { names.join(" or ") }
    }

    /// Reads `gain 8..14`. A goal includes its upper limit; other conditions do not.
    fn condition(&mut self, text: &str, field: &str, is_goal: bool) -> Option<Condition> {
        let read = text.trim().split_once(' ').and_then(|(name, range)| {
            let number = match name {
                ANSWER => None,
                _ => Some(self.numbers.iter().position(|number| number.name == name)?),
            };
            let (least, most) = range.trim().split_once("..")?;
            let limit = |text: &str, open: f64| if text.is_empty() { Some(open) } else { parse_decimal(text.trim()) };
            Some(Condition { number, least: limit(least, f64::NEG_INFINITY)?, most: limit(most, f64::INFINITY)? })
        });
        if read.is_none() {
            let remedy = "Write the name of a number and its limits, for example `gain 8..14`";
            self.note(field, format!("`{text}` is no condition"), remedy);
        }
        if read.as_ref().is_some_and(|read| read.least > read.most || (read.least == read.most && !is_goal)) {
            self.note(field, format!("No number lies in `{text}`"), "Write an upper limit above the lower one");
        }
        read
    }
}

/// What stands in braces.
pub(super) fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0))
}

impl Step {
    /// What there is to be seen, with the numbers put in; `None` while these are unknown.
    pub fn introduction(&self, values: Option<&[f64]>) -> String {
        self.filled(&self.text, values)
    }

    /// The explanation with the numbers put in.
    pub fn explanation(&self, values: &[f64]) -> String {
        self.filled(&self.explains, Some(values))
    }

    pub(super) fn filled(&self, text: &str, values: Option<&[f64]>) -> String {
        let value = |index: usize| values.and_then(|values| values.get(index));
        self.numbers.iter().enumerate().fold(text.to_owned(), |text, (index, number)| {
            let shown = value(index).map_or_else(|| "…".to_owned(), |value| number.unit.text(*value));
            text.replace(&format!("{{{}}}", number.name), &shown)
        })
    }

    /// The numbers that the text names.
    pub fn told(&self) -> impl Iterator<Item = &Number> {
        placeholders(&self.text).filter_map(|name| self.numbers.iter().find(|number| number.name == name))
    }

    /// The fields that may be changed, or that a curve goes along.
    pub fn fields(&self) -> &[Field] {
        match &self.kind {
            StepKind::Task(task) => &task.fields,
            StepKind::Predict(predict) => std::slice::from_ref(&predict.field),
            StepKind::Choice(_) | StepKind::Number(_) => &[],
        }
    }

    /// Where each of these fields is written.
    pub(super) fn places_of_fields(&self) -> Vec<String> {
        let step = self.opener.path.trim_end_matches(".opens");
        match &self.kind {
            StepKind::Predict(_) => vec![format!("{step}.predict")],
            _ => (0..self.fields().len()).map(|index| format!("{step}.task.fields[{index}]")).collect(),
        }
    }

    /// What it opens with these values of its fields.
    ///
    /// # Errors
    /// All that makes no sense.
    pub fn opens_with(&self, values: &[u32]) -> Result<Opening, Diagnostics> {
        self.opener.open_with(self.fields(), values)
    }

    /// The fields of a task whose values the text of a document or the opened point can show.
    pub fn conditions_text(&self, condition: &Condition) -> String {
        let Some(number) = condition.number.and_then(|index| self.numbers.get(index)) else { return String::new() };
        let (least, most) = (number.unit.text(condition.least), number.unit.text(condition.most));
        match (condition.least.is_finite(), condition.most.is_finite()) {
            (true, true) => format!("{} from {least} to {most}", number.name),
            (true, false) => format!("{} at least {least}", number.name),
            _ => format!("{} at most {most}", number.name),
        }
    }
}
