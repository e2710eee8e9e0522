//! The change from a point to its neighbours, computed by the workers.

use super::neighbours::{ComparedNeighbour, NeighbourOutcome, Neighbours};
use crate::app::widgets::forms::document_text::use_text_offered;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::workers::ask::use_answers;
use crate::app::workers::results::{Status, SweepResults};
use crate::depth_first::{DepthFirstStrategy, FuseDepth};
use crate::explain::{best_cut_text, cut_title, neighbour_title};
use crate::explore::{CutChange, Request, neighbours};
use crate::question::{Channel, CompareCut, CompareNeighbour, Query, Reply};
use crate::spec::listed_names;
use crate::state::Action;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Clone, Properties, PartialEq)]
pub struct OpenedNeighboursProps {
    pub results: Rc<SweepResults>,
    /// Whether the results are of the current design.
    pub is_current: bool,
    /// The point.
    pub opened: Option<u32>,
}

/// A card with the neighbours of a point; a click opens one.
#[component]
pub fn OpenedNeighbours(props: &OpenedNeighboursProps) -> Html {
    let act = use_act();
    let (all, is_awaited) = use_neighbours(&props.results, props.is_current, props.opened);
    let may_edit = use_text_offered();
    let on_open = {
        let (act, results) = (act.clone(), Rc::clone(&props.results));
        Callback::from(move |strategy: DepthFirstStrategy| {
            // Other cuts are not part of the sweep.
            if let (FuseDepth::Cuts(layers), None) = (&strategy.fuse, results.point_of(&strategy)) {
                act.emit(Action::EndStacksAfter(listed_names(layers)));
            }
            act.emit(Action::OpenPoint(strategy));
        })
    };
    let results = Rc::clone(&props.results);
    let can_open = Callback::from(move |strategy: DepthFirstStrategy| {
        results.point_of(&strategy).is_some() || may_edit && matches!(strategy.fuse, FuseDepth::Cuts(_))
    });
    html! { <Neighbours {all} {is_awaited} {on_open} {can_open} /> }
}

/// The neighbours of a point of the sweep and the change towards each, as far as it is known; and whether more is
/// awaited, which includes the case that those of an earlier point are still shown. Nothing is asked before the sweep
/// is over, as the sweep has priority; nor while an edit is pending (not `is_current`).
#[hook]
fn use_neighbours(results: &SweepResults, is_current: bool, point: Option<u32>) -> (Rc<Vec<ComparedNeighbour>>, bool) {
    let is_settled = results.status == Status::Done && !results.stale && is_current;
    let strategy = point.filter(|_| is_settled).and_then(|point| results.strategy(point)).cloned();
    let request = results.requests.first().cloned();
    let questions = use_memo((strategy, results.generation), move |(strategy, _)| {
        strategy.clone().zip(request).map_or_else(Default::default, |(from, request)| asked(Rc::new(request), &from))
    });
    let (questions, cut_questions) = &*questions;
    let answers = use_answers(Channel::Neighbours, questions.clone());
    let cuts = use_answers(Channel::Cuts, cut_questions.clone());
    let kept = use_mut_ref(Rc::<Vec<ComparedNeighbour>>::default);
    // The results of the previous point stay until the first of the next one arrives.
    if answers.done() > 0 {
        let outcome = |index: usize| match answers.get(index) {
            None => NeighbourOutcome::Awaited,
            Some(Ok(change)) => NeighbourOutcome::Known(Rc::clone(change)),
            Some(Err(refusal)) => NeighbourOutcome::Impossible(refusal.reason().to_owned()),
        };
        let compared = |(index, question): (usize, &CompareNeighbour)| ComparedNeighbour {
            title: neighbour_title(&question.to),
            strategy: Some(question.to.strategy.clone()),
            outcome: outcome(index),
            note: None,
        };
        let cut = |(index, question): (usize, &CompareCut)| compared_cut(question.change, cuts.get(index));
        let all = questions.iter().enumerate().map(compared);
        let all = all.chain(cut_questions.iter().enumerate().filter_map(cut)).collect();
        *kept.borrow_mut() = Rc::new(all);
    }
    let is_swept = !is_settled && matches!(results.status, Status::Running | Status::Done);
    let is_awaited = is_swept || !answers.is_complete() || !cuts.is_complete();
    (Rc::clone(&kept.borrow()), is_awaited)
}

fn asked(request: Rc<Request>, from: &DepthFirstStrategy) -> (Vec<CompareNeighbour>, Vec<CompareCut>) {
    let question = |to| CompareNeighbour { request: Rc::clone(&request), from: from.clone(), to };
    let cut = |change| CompareCut { request: Rc::clone(&request), from: from.clone(), change };
    (neighbours(&request.settings, from).into_iter().map(question).collect(), CutChange::ALL.map(cut).into())
}

/// The comparison with the best other cut. The answer holds both the cut and its cost; `None` where there is no such
/// cut.
fn compared_cut(change: CutChange, answer: Option<&Reply<<CompareCut as Query>::Reply>>) -> Option<ComparedNeighbour> {
    let unknown =
        |outcome| ComparedNeighbour { title: cut_title(change).to_owned(), strategy: None, outcome, note: None };
    match answer {
        None => Some(unknown(NeighbourOutcome::Awaited)),
        Some(Err(refusal)) => Some(unknown(NeighbourOutcome::Impossible(refusal.reason().to_owned()))),
        Some(Ok(None)) => None,
        Some(Ok(Some((best, change)))) => Some(ComparedNeighbour {
            title: neighbour_title(&best.neighbour),
            strategy: Some(best.neighbour.strategy.clone()),
            outcome: NeighbourOutcome::Known(Rc::clone(change)),
            note: Some(best_cut_text(best)),
        }),
    }
}
