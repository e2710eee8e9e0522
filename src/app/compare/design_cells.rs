//! Results of the pairs of the table of designs: workers find the best schedule of one pair after another.

use crate::app::workers::stacks::{StackQuestion, use_optimum};
use crate::explore::OptimalStacks;
use crate::question::{Channel, Refusal, Reply};
use crate::spec::Diagnostics;
use crate::state::{Half, State, TableDocument};
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// Limit on the results kept for later.
const MOST_KEPT: usize = 400;

/// One accelerator and one network, with the question about them.
#[derive(Clone, PartialEq)]
pub struct DesignPair {
    pub hardware: TableDocument,
    pub network: TableDocument,
    question: Result<StackQuestion, Diagnostics>,
}

/// The pairs of the table, network by network, and their results so far.
#[derive(Clone)]
pub struct Cells {
    /// Network by network.
    pub pairs: Rc<Vec<DesignPair>>,
    known: UseReducerHandle<CellAnswers>,
    /// The pair in progress, and the share of it that is done.
    at: Option<(StackQuestion, f64)>,
}

/// Answers so far, and whether the others are asked for.
#[derive(Clone, PartialEq, Default)]
struct CellAnswers {
    is_on: bool,
    was_on: bool,
    found: Rc<Vec<(StackQuestion, Reply<Arc<OptimalStacks>>)>>,
}

enum Change {
    /// Starts or stops the work.
    Switch(bool),
    /// The answer to a question.
    Found(StackQuestion, Reply<Arc<OptimalStacks>>),
}

impl Reducible for CellAnswers {
    type Action = Change;

    fn reduce(self: Rc<Self>, change: Change) -> Rc<Self> {
        let mut next = (*self).clone();
        let found = Rc::make_mut(&mut next.found);
        match change {
            Change::Switch(is_on) => {
                // Failed questions are asked again.
                found.retain(|(_, answer)| !matches!(answer, Err(Refusal::Failed(_))));
                (next.is_on, next.was_on) = (is_on, true);
            }
            Change::Found(question, answer) if self.answer(&question).is_none() => {
                found.push((question, answer));
                found.drain(..found.len().saturating_sub(MOST_KEPT));
            }
            Change::Found(..) => {}
        }
        Rc::new(next)
    }
}

impl CellAnswers {
    fn answer(&self, question: &StackQuestion) -> Option<&Reply<Arc<OptimalStacks>>> {
        self.found.iter().find(|(known, _)| known == question).map(|(_, answer)| answer)
    }
}

impl Cells {
    /// The best schedule of a pair, or the reason why there is none; `None` while unknown.
    pub fn best(&self, pair: &DesignPair) -> Option<Result<Arc<OptimalStacks>, String>> {
        match &pair.question {
            Err(wrong) => Some(Err(Refusal::Rejected(wrong.clone()).to_string())),
            Ok(question) => Some(self.known.answer(question)?.clone().map_err(|refusal| refusal.to_string())),
        }
    }

    /// Whether the pair is in progress.
    pub fn is_at(&self, pair: &DesignPair) -> bool {
        self.at.as_ref().is_some_and(|(question, _)| pair.question.as_ref() == Ok(question))
    }

    /// Number of pairs done, including the share of the one in progress.
    pub fn done(&self) -> f64 {
        let done = self.pairs.iter().filter(|pair| self.best(pair).is_some()).count();
        done as f64 + self.at.as_ref().map_or(0.0, |(_, share)| *share)
    }

    /// Value of the attribute `data-status`.
    pub fn status(&self) -> &'static str {
        match () {
            () if self.at.is_some() => "running",
            () if self.pairs.iter().all(|pair| self.best(pair).is_some()) => "done",
            () if self.known.was_on => "stopped",
            () => "idle",
        }
    }

    /// Click handler that starts or stops the work.
    pub fn switch(&self, is_on: bool) -> Callback<MouseEvent> {
        let dispatcher = self.known.dispatcher();
        Callback::from(move |_| dispatcher.dispatch(Change::Switch(is_on)))
    }
}

/// The pairs of the table; they are computed one after another once a person starts it.
#[hook]
pub fn use_cells(chosen: &Rc<State>) -> Cells {
    let documents = [Half::Hardware, Half::Workload].map(|half| chosen.table_documents(half));
    let (schedule, objective) = (chosen.design.schedule.clone(), chosen.table.objective);
    let pairs = {
        let chosen = Rc::clone(chosen);
        use_memo((documents, schedule, objective), move |([hardware, networks], ..)| {
            let pair = |hardware: &TableDocument, network: &TableDocument| DesignPair {
                question: chosen.table_request(hardware, network).map(|(asked, limits)| (Rc::new(asked), limits)),
                hardware: hardware.clone(),
                network: network.clone(),
            };
            networks.iter().flat_map(|network| hardware.iter().map(move |core| pair(core, network))).collect::<Vec<_>>()
        })
    };
    let known = use_reducer_eq(CellAnswers::default);
    let questions = pairs.iter().filter_map(|pair| pair.question.as_ref().ok());
    let next = questions.filter(|_| known.is_on).find(|question| known.answer(question).is_none()).cloned();
    let optimum = use_optimum(Channel::DesignTable, next.clone());
    let share = optimum.parts.map_or(0.0, |parts| optimum.done as f64 / parts.max(1) as f64);
    let found = next.clone().zip(optimum.found);
    {
        let dispatcher = known.dispatcher();
        use_effect_with(found, move |found| {
            if let Some((question, answer)) = found.clone() {
                dispatcher.dispatch(Change::Found(question, answer));
            }
        });
    }
    Cells { pairs, known, at: next.map(|question| (question, share)) }
}
