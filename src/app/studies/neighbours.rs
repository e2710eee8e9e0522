//! What changes from a point to its neighbours, over the workers.

use crate::app::widgets::neighbours::{ComparedNeighbour, Neighbours, Outcome};
use crate::app::workers::ask::use_answers;
use crate::app::workers::handle::Workers;
use crate::app::workers::results::{Status, SweepResults};
use crate::depth_first::DepthFirstStrategy;
use crate::explore::neighbours;
use crate::question::{CompareNeighbour, Topic};
use crate::state::{Action, ViewChange};
use std::rc::Rc;
use yew::prelude::*;

/// Properties of [`OpenedNeighbours`].
#[derive(Clone, Properties, PartialEq)]
pub struct NeighboursProps {
    /// What the workers found out.
    pub results: Rc<SweepResults>,
    /// Whether that is about the design at hand.
    pub is_current: bool,
    /// The point.
    pub opened: Option<u32>,
    /// Asks workers.
    pub workers: Workers,
    /// Called with every change.
    pub act: Callback<Action>,
}

/// A card with the neighbours of a point; a click opens one.
#[component]
pub fn OpenedNeighbours(props: &NeighboursProps) -> Html {
    let all = use_neighbours(&props.workers, &props.results, props.is_current, props.opened);
    let on_open = props.act.reform(|strategy: DepthFirstStrategy| Action::Look(ViewChange::Open(strategy)));
    let results = Rc::clone(&props.results);
    let can_open = Callback::from(move |strategy: DepthFirstStrategy| results.point_of(&strategy).is_some());
    html! { <Neighbours {all} {on_open} {can_open} /> }
}

/// The neighbours of a point of the sweep and what changes towards each, as far as it is known. Nothing is asked before the sweep is
/// over, as that goes first; nor while an edit waits, where it is not `is_current`.
#[hook]
fn use_neighbours(
    workers: &Workers,
    results: &SweepResults,
    is_current: bool,
    point: Option<u32>,
) -> Rc<Vec<ComparedNeighbour>> {
    let is_settled = results.status == Status::Done && !results.stale && is_current;
    let strategy = point.filter(|_| is_settled).and_then(|point| results.strategy(point)).cloned();
    let request = results.requests.first().cloned();
    let questions = use_memo((strategy, results.generation), move |(strategy, _)| {
        strategy.clone().zip(request).map_or_else(Vec::new, |(from, request)| asked(Rc::new(request), &from))
    });
    let answers = use_answers(workers, Topic::Neighbours, (*questions).clone());
    let kept = use_mut_ref(Rc::<Vec<ComparedNeighbour>>::default);
    // What is known of one point stays until something is known of the next.
    if answers.done() > 0 {
        let outcome = |index: usize| match answers.get(index) {
            None => Outcome::Awaited,
            Some(Ok(change)) => Outcome::Known(Rc::clone(change)),
            Some(Err(refusal)) => Outcome::Impossible(refusal.reason().to_owned()),
        };
        let compared = |(index, question): (usize, &CompareNeighbour)| ComparedNeighbour {
            neighbour: question.to.clone(),
            outcome: outcome(index),
        };
        *kept.borrow_mut() = Rc::new(questions.iter().enumerate().map(compared).collect());
    }
    Rc::clone(&kept.borrow())
}

fn asked(request: Rc<crate::explore::Request>, from: &DepthFirstStrategy) -> Vec<CompareNeighbour> {
    let question = |to| CompareNeighbour { request: Rc::clone(&request), from: from.clone(), to };
    neighbours(&request.settings, from).into_iter().map(question).collect()
}
