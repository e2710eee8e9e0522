//! Lessons and exercises: documents of steps that each show a state, ask a question about it, and compute the right
//! answer.
//!
//! A [`Lesson`] is a document in `presets/lesson/`, or one written by a teacher (`docs/lessons.md`). Conditions,
//! explanations, curves and optima name numbers that a [`Measure`](fusescape_gallery::Measure) computes, so no answer
//! is written by hand.
//!
//! - `document.rs`: a lesson, validated, with all errors at once; `fields.rs`: the design with other values of some
//!   fields
//! - `source.rs`: the source of the text, and the open step
//! - `draw.rs`: values of parameters for each student
//! - `answer.rs`: an answer; `judge.rs`: its verdict, by numbers of the engine, the same for the page and for
//!   `fusescape grade`
//! - `receipt.rs`: the file that a student hands in, of which only the answers count
//! - `check.rs`: checks that every variant can be solved
//!
//! `tests/page/lessons.rs` checks that every question of the presets has one right answer, and that the numbers which
//! decide it are on the screen: in the opened point, in the landscape, or in the step's text.

mod answer;
mod check;
mod document;
mod draw;
mod fields;
mod judge;
mod receipt;
mod source;

pub use answer::{Given, MappingGiven};
pub use check::{Checked, CheckedVariant, MOST_VARIANTS, check, check_variant, mistakes, variants_to_check};
pub use document::{
    AnswerChoice, AskedQuantity, Condition, DesignGoal, Hint, Lesson, LessonStep, MOST_BYTES, MOST_COMBINATIONS,
    Number, Prediction, StepKind, is_lesson, lessons,
};
pub use draw::{Draw, variant_count};
pub use fields::LessonField;
pub use judge::{AtHand, StepNumbers, Variation, Verdict, marks_of};
pub use receipt::{Graded, Grader, RECEIPT_MARK, Receipt, StepGraded};
pub use source::{LessonSource, OpenLesson, find_step, step_name};
