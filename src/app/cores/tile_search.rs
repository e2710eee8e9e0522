//! The search for the tile size of a network on many cores, over the workers.

use crate::app::workers::job::{JobRun, use_job};
use crate::app::workers::results::Status;
use crate::multicore::{CoresRequest, TileSearch, TileSizeCandidate};
use crate::question::{Channel, Refusal};
use std::rc::Rc;
use yew::prelude::*;

/// The progress of a search.
#[derive(Clone, PartialEq)]
pub struct TileSearchState {
    /// Everything run so far; `None` before the first result.
    pub search: Option<Rc<TileSearch>>,
    /// The best of the first stage, and at the end the best of all.
    pub cut: Option<TileSizeCandidate>,
    /// Number of candidates of this stage that were run, and of all.
    pub progress: (usize, usize),
    /// Whether nothing is left to run, or a person stopped it.
    pub is_done: bool,
    /// Whether a person stopped it.
    pub is_stopped: bool,
    /// The reason why it cannot start.
    pub refusal: Option<Refusal>,
}

/// Searches the tile size of a request; another request replaces it at once. The callback stops it.
#[hook]
pub fn use_tile_search(request: Option<Rc<CoresRequest>>) -> (TileSearchState, Callback<()>) {
    let asked = request.map(|request| (request, ()));
    let run =
        use_job(Channel::CoresTiles, asked, |request: &CoresRequest, ()| TileSearch::new(request.settings.objective));
    let state = match &run {
        None => TileSearchState {
            search: None,
            cut: None,
            progress: (0, 0),
            is_done: false,
            is_stopped: false,
            refusal: None,
        },
        Some(run) => {
            let search = run.job().clone();
            let (status, is_known) = (run.status(), search.points().next().is_some());
            let is_done = matches!(status, Status::Done | Status::Stopped);
            let best = search.best().map(|(cut, _)| cut.clone());
            let progress = run.progress();
            TileSearchState {
                cut: if is_done { best } else { search.first().cloned() },
                progress: (progress.done, progress.all),
                is_done,
                is_stopped: status == Status::Stopped,
                refusal: run.refusal().filter(|_| !is_known),
                search: is_known.then(|| Rc::new(search)),
            }
        }
    };
    let stop = Callback::from(move |()| run.iter().for_each(JobRun::stop));
    (state, stop)
}
