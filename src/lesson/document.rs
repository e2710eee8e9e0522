//! A lesson, validated: steps that each show a state, ask a question, and name the numbers that decide the answer.

use super::draw::{Draw, variant_count};
use super::fields::{LessonField, Opener};
use fusescape_engine::hardware::Core;
use fusescape_gallery::{DocumentChoice, Measure, Opening, PaperUnit, UNITS, choose};
use fusescape_spec::{
    AnswerSpec, ClaimSpec, Diagnostic, Diagnostics, HintSpec, LessonSpec, NumberSpec, ParameterSpec, PredictSpec,
    StepSpec, TaskSpec, lesson_presets, line_of, merge, parse_decimal, read_lesson,
};

/// Largest document, bytes.
pub const MOST_BYTES: usize = 1 << 20;
/// Limit on the designs of a task.
pub const MOST_COMBINATIONS: u64 = 1024;
/// The name of the answer in conditions of hints.
const ANSWER: &str = "answer";

/// A lesson with the values drawn for one student.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    pub title: String,
    pub about: String,
    /// Values are drawn for an assignment and a student; the title if none is named.
    pub assignment: String,
    /// Parameters that differ between students, with their drawn values.
    pub parameters: Vec<ParameterSpec>,
    pub steps: Vec<LessonStep>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct LessonStep {
    pub title: String,
    /// The text above the question; `{name}` stands for a number.
    pub text: String,
    /// The initial state, in which the answer can be found.
    pub opens: Opening,
    pub(super) opener: Opener,
    pub question: String,
    /// The numbers that decide the answer.
    pub numbers: Vec<Number>,
    /// The kind of answer.
    pub kind: StepKind,
    /// Hints for wrong answers; the first that applies is shown.
    pub hints: Vec<Hint>,
    /// The explanation after the answer; `{name}` stands for a number.
    pub explains: String,
    /// Marks for a right answer.
    pub marks: f64,
    /// Limit on the answers.
    pub tries: usize,
}

/// A number that is computed for a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// Its name in texts and conditions.
    pub name: String,
    pub unit: PaperUnit,
    /// Its computation.
    pub measure: Measure,
}

/// The kind of answer of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// A multiple choice.
    Choice(Vec<AnswerChoice>),
    /// A single number.
    Number(AskedQuantity),
    /// A curve, drawn before the right one is shown.
    Predict(Prediction),
    /// A design that is as good as the best.
    Task(DesignGoal),
}

/// One answer of a multiple choice.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerChoice {
    pub text: String,
    /// The answer is right if all of these hold.
    pub when: Vec<Condition>,
    /// A hint if it is wrong; may be empty.
    pub hint: String,
}

/// A condition that a number lies in `least..most`; for goals, limits included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    /// Index of the number; `None` for the answer itself.
    pub number: Option<usize>,
    pub least: f64,
    pub most: f64,
}

/// A question for a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AskedQuantity {
    /// Index of the number.
    pub number: usize,
    /// Largest deviation of an answer, as a share of the number.
    pub tolerance: f64,
}

/// A question for a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Index of the number on the vertical axis.
    pub number: usize,
    /// The field that varies along the curve.
    pub field: LessonField,
    /// Ends of the vertical axis.
    pub axis: (f64, f64),
    /// Largest deviation of each point, as a share of the right value.
    pub tolerance: f64,
}

/// A question for a design.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignGoal {
    /// Fields that may be changed; empty for the mapping of the layer.
    pub fields: Vec<LessonField>,
    /// The initial value of each field, by index: that of the step if listed, else the first.
    pub start: Vec<u32>,
    /// Index of the number to minimise.
    pub minimise: usize,
    /// Conditions on the design, limits included.
    pub goals: Vec<Condition>,
    /// Largest distance from the optimum of a right answer, as a share.
    pub within: f64,
}

/// A hint for a wrong answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    /// It applies if all of these hold.
    pub when: Vec<Condition>,
    /// It applies to an answer close to this number.
    pub near: Option<usize>,
    /// `{name}` stands for a number.
    pub text: String,
}

/// All lessons of the program, with their names.
///
/// # Errors
/// All errors in their documents, with the lesson in front of each path.
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

/// Whether a text is a lesson: it has steps, and they ask questions.
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
    /// All errors of the text, each with its line, path, reason and remedy.
    pub fn from_text(text: &str, draw: Draw) -> Result<Self, Diagnostics> {
        let (lesson, wrong) = Self::read(text, draw);
        wrong.or(lesson)
    }

    /// The readable part of a lesson, and all its errors.
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
        let steps: Vec<LessonStep> = (steps.into_iter().enumerate())
            .filter_map(|(index, step)| read_step(&format!("steps[{index}]"), step, &documents, &mut diagnostics))
            .collect();
        if steps.is_empty() && diagnostics.is_empty() {
            diagnostics.add("steps", "There are no steps", "Write at least one");
        }
        let lesson = Self { title, about, assignment, parameters, steps };
        let wrong = if diagnostics.is_empty() { mistakes } else { merge(text, mistakes, diagnostics, &[]) };
        (lesson, wrong)
    }

    /// Number of variants.
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

    /// The drawn values as text: `size 64 KiB, tile 4`.
    pub fn drawn(&self) -> String {
        let value = |parameter: &ParameterSpec| {
            let value = parameter.values.get(parameter.drawn).map_or("", String::as_str);
            format!("{} {value}", parameter.name)
        };
        self.parameters.iter().map(value).collect::<Vec<_>>().join(", ")
    }
}

/// The assignment of a lesson, else its title; read first, as values are drawn for it.
fn assignment_of(text: &str) -> String {
    let (spec, _) = read_lesson(text, &|_, _| 0).both();
    if spec.assignment.is_empty() { spec.title } else { spec.assignment }
}

/// Documents in the lesson must be valid, independent of the steps that use them.
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

/// The names of the numbers of a step, and its place.
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
) -> Option<LessonStep> {
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
            // The form begins with the values shown in the view.
            let opens = opener.open_with(&task.fields, &start).unwrap_or(opens);
            (Some(StepKind::Task(DesignGoal { start, ..task })), Some(opens))
        }
        other => other,
    };
    let StepSpec { title, text, question, explains, marks, .. } = spec;
    let (marks, tries) = (marks.unwrap_or(1.0), tries as usize);
    Some(LessonStep {
        title,
        text,
        opens: opens?,
        opener,
        question,
        numbers,
        kind: kind?,
        hints,
        explains,
        marks,
        tries,
    })
}

/// A unit as a message names it.
fn unit_name(name: &str) -> String {
    if name.is_empty() { "no unit".to_owned() } else { format!("`{name}`") }
}

/// Checks that a memory named by a measure exists.
fn check_memory(memory: &str, opens: &Opening, path: String, diagnostics: &mut Diagnostics) {
    // Errors of the accelerator itself are reported elsewhere.
    let Ok(core) = Core::from_text(opens.hardware.text()) else { return };
    let names: Vec<&str> = core.memories.iter().map(|memory| memory.name.as_str()).collect();
    if !names.contains(&memory) {
        let reason = format!("The accelerator has no memory `{memory}`");
        diagnostics.add_unknown(format!("{path}.memory"), reason, memory, &names);
    }
}

/// Limit on the tries of a step.
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
            return Some(StepKind::Number(AskedQuantity { number, tolerance: asked.tolerance }));
        }
        if let Some(predict) = &spec.predict {
            return self.prediction(predict).map(StepKind::Predict);
        }
        if let Some(task) = &spec.task {
            return self.task(task).map(StepKind::Task);
        }
        let read = |(index, answer): (usize, &AnswerSpec)| self.choice(answer, &format!("answers[{index}].when"));
        let choices: Vec<AnswerChoice> = spec.answers.iter().enumerate().map(read).collect();
        if choices.len() < 2 {
            self.note("answers", "There is nothing to choose from", "Write at least two answers");
        }
        Some(StepKind::Choice(choices))
    }

    fn choice(&mut self, spec: &AnswerSpec, field: &str) -> AnswerChoice {
        let when = spec.when.iter().filter_map(|text| self.condition(text, field, false)).collect();
        if spec.when.is_empty() {
            self.note(field, "It is never said when this answer is right", "Write for example `[gain 8..14]`");
        }
        AnswerChoice { text: spec.text.clone(), when, hint: spec.hint.clone() }
    }

    fn prediction(&mut self, spec: &PredictSpec) -> Option<Prediction> {
        let number = self.named(&spec.number, "predict.number");
        let field = LessonField::read(&spec.field, &format!("{}.predict", self.path), self.diagnostics);
        if !(0.0..1.0).contains(&spec.tolerance) || spec.tolerance == 0.0 {
            self.note("predict.tolerance", "This accepts no curve, or any", "Write for example `25 %`");
        }
        Some(Prediction { number: number?, field, axis: spec.axis, tolerance: spec.tolerance })
    }

    fn task(&mut self, spec: &TaskSpec) -> Option<DesignGoal> {
        let minimise = self.named(&spec.minimise, "task.minimise");
        let read =
            |(index, field)| LessonField::read(field, &format!("{}.task.fields[{index}]", self.path), self.diagnostics);
        let fields: Vec<LessonField> = spec.fields.iter().enumerate().map(read).collect();
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
        Some(DesignGoal { fields, start: Vec::new(), minimise: minimise?, goals, within: spec.within })
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

    /// Parses `gain 8..14`. A goal includes its upper limit; other conditions do not.
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

/// The texts in braces.
pub(super) fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0))
}

impl LessonStep {
    /// The text above the question, with the numbers put in; `None` for unknown ones.
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

    /// The numbers in the text.
    pub fn told(&self) -> impl Iterator<Item = &Number> {
        placeholders(&self.text).filter_map(|name| self.numbers.iter().find(|number| number.name == name))
    }

    /// The fields that may be changed, or that vary along a curve.
    pub fn fields(&self) -> &[LessonField] {
        match &self.kind {
            StepKind::Task(task) => &task.fields,
            StepKind::Predict(predict) => std::slice::from_ref(&predict.field),
            StepKind::Choice(_) | StepKind::Number(_) => &[],
        }
    }

    /// The path of each of these fields.
    pub(super) fn places_of_fields(&self) -> Vec<String> {
        let step = self.opener.path.trim_end_matches(".opens");
        match &self.kind {
            StepKind::Predict(_) => vec![format!("{step}.predict")],
            _ => (0..self.fields().len()).map(|index| format!("{step}.task.fields[{index}]")).collect(),
        }
    }

    /// The state with these values of its fields.
    ///
    /// # Errors
    /// All errors of these values.
    pub fn opens_with(&self, values: &[u32]) -> Result<Opening, Diagnostics> {
        self.opener.open_with(self.fields(), values)
    }

    /// The condition of a goal, as text.
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
