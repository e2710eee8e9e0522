//! Judges answers by numbers of the engine. The page and `fusescape grade` use the same functions; only the computation
//! of the numbers differs.

use super::answer::{Given, MappingGiven};
use super::document::{AnswerChoice, AskedQuantity, Condition, DesignGoal, LessonStep, Prediction, StepKind};
use super::draw::variant_count;
use fusescape_engine::explore::{Settings, TemporalMapping};
use fusescape_gallery::{ClaimEvaluator, DocumentChoice, Opening};
use fusescape_spec::{hardware_presets, workload_presets};
use serde::{Deserialize, Serialize};

/// A design whose numbers are computed for a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Variation {
    /// The design of the step.
    AsWritten,
    /// With these values of its fields.
    Values(Vec<u32>),
    /// With this mapping of its layer.
    Mapping(MappingGiven),
    /// With the best mapping of its layer.
    BestMapping,
    /// The design as changed by a person.
    AtHand(Box<AtHand>),
}

/// A design that a person has changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AtHand {
    /// Hardware document.
    pub hardware: String,
    /// Workload document.
    pub workload: String,
    /// The sweep and the search.
    pub settings: Settings,
    /// Name of the layer to map.
    pub layer: Option<String>,
    /// Its mapping, if made by hand.
    pub mapping: Option<TemporalMapping>,
}

/// The numbers of a step for one variation, in its units; `None` if it has none.
pub type StepNumbers = Option<Vec<f64>>;

/// The judgement of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Share of the marks, from 0 to 1.
    pub share: f64,
    /// A comment on the answer that does not reveal the right one.
    pub said: String,
    /// The right answer.
    pub right: String,
}

impl Verdict {
    /// Whether it has all marks.
    pub fn is_right(&self) -> bool {
        self.share >= 1.0
    }
}

/// The marks of a step for the shares of its answers in turn: later tries count less, but for tasks the best counts in
/// full.
pub fn marks_of(step: &LessonStep, shares: &[f64]) -> f64 {
    let counts = |(index, share): (usize, &f64)| match step.kind {
        StepKind::Task(_) => *share,
        StepKind::Choice(_) | StepKind::Number(_) | StepKind::Predict(_) => share / (index + 1) as f64,
    };
    step.marks * shares.iter().take(step.tries).enumerate().map(counts).fold(0.0, f64::max)
}

/// The index of a choice by its number.
fn index_of(choices: &[AnswerChoice], number: u32) -> Option<usize> {
    number.checked_sub(1).map(|index| index as usize).filter(|&index| index < choices.len())
}

impl LessonStep {
    /// The number of a choice that the step does not have.
    pub fn unknown_choice(&self, given: &Given) -> Option<u32> {
        match (&self.kind, given) {
            (StepKind::Choice(choices), &Given::Choice(number)) if index_of(choices, number).is_none() => Some(number),
            _ => None,
        }
    }

    /// The designs whose numbers decide an answer; the first is the design of the step.
    pub fn decided_by(&self, given: &Given) -> Vec<Variation> {
        let mut all = vec![Variation::AsWritten];
        match (&self.kind, given) {
            (StepKind::Choice(_) | StepKind::Number(_), _) => {}
            (StepKind::Predict(_), _) => all.extend(self.combinations().map(Variation::Values)),
            (StepKind::Task(task), Given::Mapping(mapping)) if task.fields.is_empty() => {
                all.extend([Variation::BestMapping, Variation::Mapping(mapping.clone())]);
            }
            (StepKind::Task(_), _) => all.extend(self.combinations().map(Variation::Values)),
        }
        all
    }

    /// All combinations of values of its fields; the first field changes fastest.
    pub fn combinations(&self) -> impl Iterator<Item = Vec<u32>> + '_ {
        let fields = self.fields();
        let count = if fields.is_empty() { 0 } else { variant_count(fields.iter().map(|field| field.values.len())) };
        (0..count).map(move |mut rest| {
            let digit = |values: usize| {
                let digit = rest % values.max(1) as u64;
                rest /= values.max(1) as u64;
                digit as u32
            };
            fields.iter().map(|field| field.values.len()).map(digit).collect()
        })
    }

    /// The numbers of the step for a variation, in its units.
    ///
    /// # Errors
    /// The reason why there are none, for a person.
    pub fn numbers_of(&self, evaluator: &mut ClaimEvaluator, variation: &Variation) -> Result<Vec<f64>, String> {
        let changed = match variation {
            Variation::AsWritten => None,
            Variation::Values(values) => Some(self.opens_with(values).map_err(|wrong| wrong.to_string())?),
            Variation::BestMapping => Some(Opening { mapping: None, ..self.opens.clone() }),
            Variation::Mapping(given) => {
                let mapping = given.mapping().ok_or("This is no mapping")?;
                Some(Opening { mapping: Some(mapping), ..self.opens.clone() })
            }
            Variation::AtHand(at_hand) => Some(Opening {
                hardware: DocumentChoice::of(&at_hand.hardware, hardware_presets()),
                workload: DocumentChoice::of(&at_hand.workload, workload_presets()),
                settings: at_hand.settings.clone(),
                layer: at_hand.layer.clone(),
                mapping: at_hand.mapping.clone(),
                ..self.opens.clone()
            }),
        };
        let opens = changed.as_ref().unwrap_or(&self.opens);
        let value = |number: &super::Number| Ok(number.unit.of(evaluator.measure(opens, &number.measure)?));
        let numbers: Vec<f64> = self.numbers.iter().map(value).collect::<Result<_, String>>()?;
        match numbers.iter().all(|number| number.is_finite()) {
            true => Ok(numbers),
            false => Err("A number is too large to count, or divided by 0".to_owned()),
        }
    }

    /// The verdict on an answer, by the numbers of [`Self::decided_by`], in that order; `None` if the numbers do not
    /// decide.
    pub fn judge(&self, given: &Given, numbers: &[StepNumbers]) -> Option<Verdict> {
        let written = numbers.first()?.as_deref()?;
        match (&self.kind, given) {
            (StepKind::Choice(choices), Given::Choice(chosen)) => self.judge_choice(choices, *chosen, written),
            (StepKind::Number(asked), Given::Number(number)) => self.judge_number(asked, *number, written),
            (StepKind::Predict(predict), Given::Curve(curve)) => {
                self.judge_curve(predict, curve, written, &numbers[1..])
            }
            (StepKind::Task(task), Given::Values(values)) if !task.fields.is_empty() => {
                let chosen: Option<Vec<u32>> = values.iter().map(|value| value.checked_sub(1)).collect();
                let place = self.combinations().position(|combination| Some(&combination) == chosen.as_ref());
                let mine = place.and_then(|place| numbers.get(place + 1)).and_then(Option::as_deref);
                self.judge_task(task, mine, &numbers[1..])
            }
            (StepKind::Task(task), Given::Mapping(_)) if task.fields.is_empty() => {
                let (best, mine) = (numbers.get(1..2)?, numbers.get(2)?.as_deref());
                self.judge_task(task, mine, best)
            }
            // An answer of another kind, which our page never gives.
            _ => Some(Verdict { share: 0.0, said: "This answers another question.".to_owned(), right: String::new() }),
        }
    }

    /// The index of the right choice.
    pub fn right_choice(&self, written: &[f64]) -> Option<usize> {
        let StepKind::Choice(choices) = &self.kind else { return None };
        choices.iter().position(|choice| choice.when.iter().all(|when| when.holds(written)))
    }

    fn judge_choice(&self, choices: &[AnswerChoice], chosen: u32, written: &[f64]) -> Option<Verdict> {
        let right = self.right_choice(written)?;
        let Some(index) = index_of(choices, chosen) else {
            let said = format!("There is no answer {chosen}: the step has 1 to {}.", choices.len());
            return Some(Verdict { share: 0.0, said, right: String::new() });
        };
        let is_right = index == right;
        let own = choices.get(index).map_or("", |choice| &choice.hint);
        let said = match (is_right, own) {
            (true, _) => String::new(),
            (false, "") => self.hint(None, written),
            (false, hint) => self.filled(hint, Some(written)),
        };
        let right = format!("“{}”", choices.get(right)?.text);
        Some(Verdict { share: if is_right { 1.0 } else { 0.0 }, said, right })
    }

    fn judge_number(&self, asked: &AskedQuantity, given: f64, written: &[f64]) -> Option<Verdict> {
        /// Tolerance for the rounding of decimal fractions.
        const EXACT: f64 = 1e-9;
        let number = self.numbers.get(asked.number)?;
        let right = *written.get(asked.number)?;
        let is_right =
            given.is_finite() && (given - right).abs() <= (asked.tolerance + EXACT) * right.abs() + EXACT * EXACT;
        let said = match is_right {
            true => String::new(),
            false => {
                let hint = self.hint(Some((given, asked.tolerance)), written);
                let side = if given > right { "Too much." } else { "Too little." };
                if hint.is_empty() { side.to_owned() } else { hint }
            }
        };
        Some(Verdict { share: if is_right { 1.0 } else { 0.0 }, said, right: number.unit.text(right) })
    }

    fn judge_curve(
        &self,
        predict: &Prediction,
        curve: &[f64],
        written: &[f64],
        numbers: &[StepNumbers],
    ) -> Option<Verdict> {
        let right: Vec<f64> =
            numbers.iter().map(|numbers| numbers.as_ref()?.get(predict.number).copied()).collect::<Option<_>>()?;
        let (mut within, mut above, mut below) = (0_usize, 0, 0);
        for (index, right) in right.iter().enumerate() {
            match curve.get(index).copied().filter(|given| given.is_finite()) {
                Some(given) if (given - right).abs() <= predict.tolerance * right.abs() => within += 1,
                Some(given) if given > *right => above += 1,
                _ => below += 1,
            }
        }
        let share = within as f64 / right.len().max(1) as f64;
        let sides = match (above, below) {
            (0, 0) => String::new(),
            (above, 0) => format!(" {above} too high."),
            (0, below) => format!(" {below} too low."),
            (above, below) => format!(" {above} too high, {below} too low."),
        };
        let tolerance = 100.0 * predict.tolerance;
        let said = format!("{within} of {} points are within {tolerance:.0} %.{sides}", right.len());
        let said = if within < right.len() { self.with_hint(said, written) } else { said };
        let number = self.numbers.get(predict.number)?;
        let texts: Vec<String> = right.iter().map(|right| number.unit.text(*right)).collect();
        Some(Verdict { share, said, right: texts.join(", ") })
    }

    fn judge_task(&self, task: &DesignGoal, mine: Option<&[f64]>, all: &[StepNumbers]) -> Option<Verdict> {
        let score = |numbers: &[f64]| numbers.get(task.minimise).copied();
        let optimum = self.optimum(task, all)?;
        let number = self.numbers.get(task.minimise)?;
        let right = number.unit.text(optimum);
        let Some(mine) = mine else {
            return Some(Verdict { share: 0.0, said: "This design cannot be run.".to_owned(), right });
        };
        let missed: Vec<String> = (task.goals.iter())
            .filter(|goal| !goal.holds_with_limits(mine))
            .map(|goal| {
                let is = goal.number.and_then(|index| Some(self.numbers.get(index)?.unit.text(*mine.get(index)?)));
                format!("{} is the goal, yours has {}.", self.conditions_text(goal), is.unwrap_or_default())
            })
            .collect();
        let reached = score(mine)?;
        let head = format!("{}: {}.", number.name, number.unit.text(reached));
        if !missed.is_empty() {
            let said = self.with_hint(format!("{head} {}", missed.join(" ")), mine);
            return Some(Verdict { share: 0.0, said, right });
        }
        let share = if reached <= optimum * (1.0 + task.within) { 1.0 } else { (optimum / reached).clamp(0.0, 1.0) };
        let said = match share >= 1.0 {
            true => head,
            false => {
                let more = 100.0 * (reached / optimum - 1.0);
                self.with_hint(format!("{head} That is {more:.1} % more than the optimum."), mine)
            }
        };
        Some(Verdict { share, said, right })
    }

    /// The smallest number among designs that meet all goals; `None` if none does.
    pub fn optimum(&self, task: &DesignGoal, all: &[StepNumbers]) -> Option<f64> {
        let meets = |numbers: &&Vec<f64>| task.goals.iter().all(|goal| goal.holds_with_limits(numbers));
        let scores = all.iter().flatten().filter(meets).filter_map(|numbers| numbers.get(task.minimise).copied());
        scores.reduce(f64::min)
    }

    /// A sentence, with the hint for an answer with these numbers.
    fn with_hint(&self, said: String, numbers: &[f64]) -> String {
        let hint = self.hint(None, numbers);
        if hint.is_empty() { said } else { format!("{said} {hint}") }
    }

    /// The hint for a wrong answer.
    fn hint(&self, given: Option<(f64, f64)>, written: &[f64]) -> String {
        let suits = |hint: &&super::Hint| {
            let holds = |when: &Condition| match (when.number, given) {
                (None, Some((given, _))) => (when.least..when.most).contains(&given),
                (None, None) => false,
                (Some(_), _) => when.holds(written),
            };
            let is_near = hint.near.is_none_or(|near| match (written.get(near), given) {
                (Some(number), Some((given, tolerance))) => {
                    (given - number).abs() <= tolerance.max(0.005) * number.abs()
                }
                _ => false,
            });
            is_near && hint.when.iter().all(holds)
        };
        self.hints.iter().find(suits).map(|hint| self.filled(&hint.text, Some(written))).unwrap_or_default()
    }
}

impl Condition {
    fn value(&self, numbers: &[f64]) -> Option<f64> {
        numbers.get(self.number?).copied()
    }

    /// Whether the number is at least the lower and below the upper limit.
    pub fn holds(&self, numbers: &[f64]) -> bool {
        self.value(numbers).is_some_and(|value| (self.least..self.most).contains(&value))
    }

    /// Whether it is between the limits, both included, as for goals.
    pub fn holds_with_limits(&self, numbers: &[f64]) -> bool {
        self.value(numbers).is_some_and(|value| (self.least..=self.most).contains(&value))
    }
}
