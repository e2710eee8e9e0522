//! Reading a lesson: steps, each with a state to look at, a question about it, and numbers that say which answer is right.

use super::Diagnostics;
use super::gallery::{OpensSpec, needed_text, read_measure, read_opens};
use super::reader::{LocatedNode, Reader};

/// More steps than a lesson has.
const MAX_STEPS: usize = 16;
/// More answers, or numbers, than a question has.
const MAX_ANSWERS: usize = 16;
const LESSON: [&str; 3] = ["title", "about", "steps"];
const STEP: [&str; 7] = ["title", "text", "opens", "question", "numbers", "answers", "explains"];
const NUMBER: [&str; 3] = ["name", "unit", "measure"];
const ANSWER: [&str; 2] = ["text", "when"];

/// A lesson as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LessonSpec {
    /// What it is called.
    pub title: String,
    /// What there is to learn, in one sentence.
    pub about: String,
    /// Its steps.
    pub steps: Vec<StepSpec>,
}

/// A step as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepSpec {
    /// What it is about.
    pub title: String,
    /// What to look at, and what is there to be seen; `{name}` stands for a number.
    pub text: String,
    /// The state that it begins with, in which the answer can be found.
    pub opens: OpensSpec,
    /// The question.
    pub question: String,
    /// What the answers are judged by, and the explanation names.
    pub numbers: Vec<NumberSpec>,
    /// The answers.
    pub answers: Vec<AnswerSpec>,
    /// Why that is so; `{name}` stands for a number.
    pub explains: String,
}

/// A number as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NumberSpec {
    /// What texts and conditions call it.
    pub name: String,
    /// Its unit; nothing for a plain count.
    pub unit: String,
    /// What computes it.
    pub measure: String,
    /// Parameters of the measure.
    pub parameters: Vec<(String, Vec<String>)>,
}

/// An answer as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerSpec {
    /// The answer.
    pub text: String,
    /// When it is right: `gain 8..14`, and all of them.
    pub when: Vec<String>,
}

/// Reads a lesson: what could be read of it, and everything that is wrong.
///
/// [`crate::gallery::Lesson::from_text`] reads and validates in one step.
pub fn read_lesson(text: &str) -> (LessonSpec, Diagnostics) {
    let (root, mut reader) = Reader::open(text);
    let fields = LocatedNode::root(&root).fields(&mut reader, &LESSON);
    let steps = match fields.need(&mut reader, "steps", "[{ title: ..., opens: ..., question: ... }]") {
        Some(place) => place.list(&mut reader, MAX_STEPS).iter().map(|step| read_step(step, &mut reader)).collect(),
        None => Vec::new(),
    };
    let spec = LessonSpec {
        title: needed_text(&fields, &mut reader, "title", "Why fuse layers?"),
        about: needed_text(&fields, &mut reader, "about", "What stays on the chip need not be fetched again."),
        steps,
    };
    (spec, reader.finish())
}

fn read_step(place: &LocatedNode, reader: &mut Reader) -> StepSpec {
    let fields = place.fields(reader, &STEP);
    let opens = fields.need(reader, "opens", "{ view: landscape, hardware: tpu-like, workload: fsrcnn }");
    let numbers = fields.get("numbers").map(|place| place.list(reader, MAX_ANSWERS)).unwrap_or_default();
    let answers = fields.need(reader, "answers", "[{ text: ten times, when: [gain 8..14] }]");
    let answers = answers.map(|place| place.list(reader, MAX_ANSWERS)).unwrap_or_default();
    StepSpec {
        title: needed_text(&fields, reader, "title", "One layer at a time"),
        text: needed_text(&fields, reader, "text", "Every map goes to DRAM and comes back."),
        opens: opens.map(|place| read_opens(place, reader)).unwrap_or_default(),
        question: needed_text(&fields, reader, "question", "Where does the energy go?"),
        numbers: numbers.iter().map(|number| read_number(number, reader)).collect(),
        answers: answers.iter().map(|answer| read_answer(answer, reader)).collect(),
        explains: needed_text(&fields, reader, "explains", "DRAM takes {dram} of it."),
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
    }
}
