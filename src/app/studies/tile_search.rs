//! The search for the tile size of a network on many cores, over the workers: stage by stage, each candidate a question.

use crate::app::workers::ask::use_answers;
use crate::app::workers::handle::Workers;
use crate::multicore::{CoresRequest, TileCut, TileLadder, TilePoint, TileSearch, TileStage};
use crate::question::{OutlineTiles, Refusal, RunTiles, Topic};
use std::rc::Rc;
use yew::prelude::*;

/// How far a search is.
#[derive(Clone, PartialEq)]
pub struct TileSearchState {
    /// All that was run so far; `None` before anything is known.
    pub search: Option<Rc<TileSearch>>,
    /// The best of the stages that are complete. It changes once more, when the search ends.
    pub cut: Option<TileCut>,
    /// Candidates of this stage that were run, and all of it.
    pub progress: (usize, usize),
    /// Whether nothing is left to run, or a person stopped it.
    pub is_done: bool,
    /// Whether a person stopped it.
    pub is_stopped: bool,
    /// Why it cannot begin.
    pub refusal: Option<Refusal>,
}

/// The stages that are complete.
#[derive(Clone, PartialEq)]
struct Completed {
    of: Option<Rc<CoresRequest>>,
    stages: usize,
    search: Option<TileSearch>,
    /// The best after the first stage, which is shown while others run.
    first: Option<TileCut>,
    is_stopped: bool,
}

impl Completed {
    fn nothing(of: Option<Rc<CoresRequest>>) -> Self {
        Self { of, stages: 0, search: None, first: None, is_stopped: false }
    }

    /// The stage that is run, with its candidates; stages without candidates are passed over.
    fn next(&self, ladder: Option<&TileLadder>) -> (TileSearch, usize, Vec<TileCut>) {
        let aim = self.of.as_ref().map_or_else(Default::default, |request| request.settings.aim);
        let search = self.search.clone().unwrap_or_else(|| TileSearch::new(ladder.cloned().unwrap_or_default(), aim));
        if ladder.is_none() || self.is_stopped {
            return (search, self.stages, Vec::new());
        }
        let stages = TileStage::ALL.into_iter().enumerate().skip(self.stages);
        let found = stages.map(|(index, stage)| (index, search.candidates(stage))).find(|(_, cuts)| !cuts.is_empty());
        let (stage, cuts) = found.unwrap_or((TileStage::ALL.len(), Vec::new()));
        (search, stage, cuts)
    }
}

/// Searches the tile size of a request; another request takes its place at once. The callback stops it.
#[hook]
pub fn use_tile_search(workers: &Workers, request: Option<Rc<CoresRequest>>) -> (TileSearchState, Callback<()>) {
    let outline = request.iter().map(|request| OutlineTiles { request: Rc::clone(request) });
    let outlined = use_answers(workers, Topic::CoresTiles, outline.collect());
    let ladder = outlined.reply(0).cloned();

    let completed = use_state_eq(|| Completed::nothing(None));
    let fresh = Completed::nothing(request.clone());
    let now = if completed.of == request { (*completed).clone() } else { fresh };
    let (search, stage, cuts) = now.next(ladder.as_ref());
    let ask = |cut: &TileCut| Some(RunTiles { request: request.clone()?, cut: cut.clone() });
    let answers = use_answers(workers, Topic::CoresTiles, cuts.iter().filter_map(ask).collect());

    let mut shown = search;
    for (index, cut) in cuts.iter().enumerate() {
        match answers.get(index) {
            Some(Ok(point)) => shown.add(point.clone()),
            Some(Err(refusal)) => {
                shown.add(TilePoint { cut: cut.clone(), outcome: Err(refusal.reason().to_owned()) });
            }
            None => {}
        }
    }
    let is_complete = !cuts.is_empty() && answers.is_complete();
    let after = is_complete.then(|| {
        let first = now.first.clone().or_else(|| shown.best().map(|(cut, _)| cut.clone()));
        Completed { of: request.clone(), stages: stage + 1, search: Some(shown.clone()), first, is_stopped: false }
    });
    {
        let setter = completed.setter();
        use_effect_with(after, move |after| after.iter().for_each(|after| setter.set(after.clone())));
    }
    let stop = {
        let (setter, now, shown) = (completed.setter(), now.clone(), shown.clone());
        Callback::from(move |()| {
            setter.set(Completed { search: Some(shown.clone()), is_stopped: true, ..now.clone() });
        })
    };
    let is_done = ladder.is_some() && cuts.is_empty();
    let best = shown.best().map(|(cut, _)| cut.clone());
    let state = TileSearchState {
        cut: if is_done { best } else { now.first.clone() },
        progress: (answers.done(), cuts.len()),
        search: ladder.is_some().then(|| Rc::new(shown)),
        is_done,
        is_stopped: now.is_stopped,
        refusal: outlined.refusal().cloned(),
    };
    (state, stop)
}
