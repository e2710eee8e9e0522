//! Receipts: the answers of a student as a file. Marks are computed from the answers and the lesson alone; all other
//! fields of a receipt are shown only for information.

use super::answer::Given;
use super::document::{Lesson, LessonStep};
use super::draw::Draw;
use super::judge::{StepNumbers, Variation, Verdict, marks_of};
use super::source::{LessonSource, OpenLesson};
use fusescape_gallery::ClaimEvaluator;
use fusescape_spec::{Diagnostics, visible};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// The first field of a receipt: the version of the file.
pub const RECEIPT_MARK: &str = "fusescape_receipt";
const VERSION: u64 = 1;
/// Limit on the size of a receipt, bytes.
const MOST_BYTES: usize = 1 << 20;
/// Limit on the steps, and on the tries of one step.
const MOST_ANSWERS: usize = 64;
/// Limit on the length of a name, characters.
const LONGEST_NAME: usize = 200;

/// The answers of a student.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    #[serde(rename = "fusescape_receipt")]
    version: u64,
    /// The title of the lesson, for readers of the file.
    #[serde(default)]
    pub title: String,
    /// Name of the lesson, or a hash of its text.
    pub lesson: String,
    pub student: String,
    /// All answers in turn, by the number of the step, from 1.
    pub answers: BTreeMap<u32, Vec<Given>>,
    /// The marks shown by the page; ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
}

/// The marks of a receipt.
#[derive(Debug, Clone, PartialEq)]
pub struct Graded {
    /// Of the lesson.
    pub title: String,
    /// In the order of the lesson.
    pub steps: Vec<StepGraded>,
    /// Remarks for the teacher.
    pub remarks: Vec<String>,
}

/// The marks of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepGraded {
    /// Marks for the answers.
    pub marks: f64,
    /// Marks for right answers.
    pub of: f64,
    /// The verdict on the last answer that counts.
    pub verdict: Option<Verdict>,
}

impl Receipt {
    /// The receipt of an open lesson; `answers` are by step, counted from 0.
    pub fn of(open: &OpenLesson, lesson: &Lesson, answers: BTreeMap<u32, Vec<Given>>, shown: String) -> Self {
        Self {
            version: VERSION,
            title: lesson.title.clone(),
            lesson: open.source.key(),
            student: open.student.trim().to_owned(),
            answers: answers.into_iter().map(|(step, given)| (step + 1, given)).collect(),
            shown: Some(shown),
        }
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads a receipt.
    ///
    /// # Errors
    /// The reason why it cannot be graded.
    pub fn from_json(text: &str) -> Result<Self, Diagnostics> {
        let refused = |reason: String, remedy: &str| {
            let mut wrong = Diagnostics::default();
            wrong.add("", reason, remedy);
            wrong
        };
        if text.len() > MOST_BYTES {
            let reason = format!("The file has {} bytes, more than a receipt of {MOST_BYTES}", text.len());
            return Err(refused(reason, "Ask for the receipt that the page saved"));
        }
        let receipt: Self = serde_json::from_str(text).map_err(|wrong| {
            let reason = format!("This is no receipt: {}", visible(&wrong.to_string()));
            refused(reason, "Ask for the receipt that the page saved")
        })?;
        let mut wrong = Diagnostics::default();
        if receipt.version != VERSION {
            let reason = format!("The receipt is of version {}", receipt.version);
            wrong.add(RECEIPT_MARK, reason, format!("This program reads version {VERSION}; update it"));
        }
        for (field, name) in [("student", &receipt.student), ("lesson", &receipt.lesson)] {
            if name.chars().count() > LONGEST_NAME {
                wrong.add(field, format!("This has more than {LONGEST_NAME} characters"), "Shorten it");
            }
        }
        let most = receipt.answers.values().map(Vec::len).chain([receipt.answers.len()]).max().unwrap_or(0);
        if most > MOST_ANSWERS {
            wrong.add("answers", format!("There are {most} answers, more than {MOST_ANSWERS}"), "Leave some out");
        }
        wrong.or(receipt)
    }

    /// The lesson that it names, if it is one of the program.
    pub fn preset(&self) -> Option<LessonSource> {
        let source = LessonSource::Preset(self.lesson.clone());
        (!source.text().is_empty()).then_some(source)
    }
}

/// Grades receipts of one lesson, with caches for common parts.
#[derive(Default)]
pub struct Grader {
    evaluator: ClaimEvaluator,
    known: HashMap<(String, usize, String), StepNumbers>,
}

impl Grader {
    /// Grades a receipt by a lesson.
    ///
    /// # Errors
    /// Errors of the lesson.
    pub fn grade(&mut self, source: &LessonSource, receipt: &Receipt) -> Result<Graded, Diagnostics> {
        let lesson = Lesson::from_text(source.text(), Draw::Student(&receipt.student))?;
        let mut remarks = Vec::new();
        let is_same = receipt.preset().is_some_and(|named| named.text() == source.text());
        if source.key() != receipt.lesson && !is_same {
            remarks.push("answered another version of the lesson".to_owned());
        }
        if lesson.variants() > 1 && receipt.student.trim().is_empty() {
            remarks.push("no student is named, so the values are those without a name".to_owned());
        }
        let beyond = receipt.answers.keys().filter(|step| !(1..=lesson.steps.len() as u32).contains(step)).count();
        if beyond > 0 {
            remarks.push(format!("{beyond} answers are to steps that there are not"));
        }
        let mut steps = Vec::new();
        for (index, step) in lesson.steps.iter().enumerate() {
            let given = receipt.answers.get(&(index as u32 + 1)).map(Vec::as_slice).unwrap_or_default();
            let more = given.len().saturating_sub(step.tries);
            if more > 0 {
                remarks.push(format!("step {}: {more} answers more than tries do not count", index + 1));
            }
            let given = &given[..given.len().min(step.tries)];
            for chosen in given.iter().filter_map(|given| step.unknown_choice(given)) {
                remarks.push(format!("step {}: there is no answer {chosen}", index + 1));
            }
            let verdicts: Vec<Option<Verdict>> =
                given.iter().map(|given| self.judge(&lesson, index, step, given)).collect();
            if verdicts.iter().any(Option::is_none) {
                remarks.push(format!("step {}: no answer is right for these values", index + 1));
            }
            let shares: Vec<f64> = verdicts.iter().map(|verdict| verdict.as_ref().map_or(0.0, |v| v.share)).collect();
            let marks = marks_of(step, &shares);
            steps.push(StepGraded { marks, of: step.marks, verdict: verdicts.into_iter().next_back().flatten() });
        }
        Ok(Graded { title: lesson.title, steps, remarks })
    }

    fn judge(&mut self, lesson: &Lesson, index: usize, step: &LessonStep, given: &Given) -> Option<Verdict> {
        let drawn = lesson.drawn();
        let numbers: Vec<StepNumbers> =
            (step.decided_by(given).iter()).map(|variation| self.numbers(&drawn, index, step, variation)).collect();
        step.judge(given, &numbers)
    }

    fn numbers(&mut self, drawn: &str, index: usize, step: &LessonStep, variation: &Variation) -> StepNumbers {
        let key = (drawn.to_owned(), index, format!("{variation:?}"));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let numbers = step.numbers_of(&mut self.evaluator, variation).ok();
        self.known.insert(key, numbers.clone());
        numbers
    }
}
