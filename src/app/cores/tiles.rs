//! The search for the tile size: its curve, its progress, and the single core that schedules are compared with.

use super::tile_search::TileSearchState;
use crate::app::widgets::figures::data_table::DataTable;
use crate::app::widgets::figures::figure::{Canvas, Drawn};
use crate::app::widgets::figures::save::{FileContent, Save, WIDTH};
use crate::app::widgets::page::figure_context::use_act;
use crate::app::workers::ask::use_answers;
use crate::app::workers::job::JobRun;
use crate::chart::{Quantity, TileCurve, tile_sizes_table};
use crate::multicore::{CoresSearch, CoresStage, SingleCore, TileSearch};
use crate::question::{Channel, RunAlone};
use crate::state::Action;
use std::rc::Rc;
use yew::prelude::*;

/// The single core that schedules are compared with.
#[derive(Clone, PartialEq)]
pub struct ComparedCore {
    /// The best core that computes all layers alone; `None` if none can.
    pub core: Option<SingleCore>,
    /// The tiles in which it computes the layers, as text.
    pub tiles: String,
}

/// The best single core: from the search if there is one, else for the stated tiles; `None` while unknown.
#[hook]
pub fn use_single_core(run: Option<&JobRun<CoresSearch>>, search: Option<&TileSearch>) -> Option<ComparedCore> {
    let run = run.filter(|run| search.is_none() && run.job().stage() == CoresStage::Done);
    let question = run.and_then(|run| Some(RunAlone { request: run.request(), costs: run.job().costs()?.clone() }));
    let answers = use_answers(Channel::CoresAlone, question.into_iter().collect());
    if let Some(search) = search {
        search.best()?;
        let best = search.best_single();
        let tiles = best.map_or_else(String::new, |(cut, _)| format!("in the best tiles for it ({})", cut.text()));
        return Some(ComparedCore { core: best.map(|(_, single)| single.clone()), tiles });
    }
    let core = answers.reply(0)?.clone();
    Some(ComparedCore { core, tiles: "in the same tiles".to_owned() })
}

#[derive(Properties, PartialEq)]
pub struct TileSizesProps {
    pub state: TileSearchState,
    pub on_stop: Callback<()>,
}

/// The curve over tile sizes, and the result of the search.
#[component]
pub fn TileSizes(props: &TileSizesProps) -> Html {
    let act = use_act();
    let TileSearchState { search, progress: (done, all), is_done, is_stopped, .. } = &props.state;
    let Some(search) = search.as_ref().filter(|search| search.best().is_some()) else { return html! {} };
    let best = search.best().map(|(cut, _)| cut.clone()).unwrap_or_default();
    let curve = |quantity: Quantity| Drawn::new(TileCurve { search: Rc::clone(search), quantity });
    let figure = |quantity: Quantity, testid: &'static str| {
        html! {
            <figure data-testid={testid}>
                <Canvas chart={curve(quantity)} />
                <Save what={FileContent::Figure(curve(quantity), WIDTH)} />
            </figure>
        }
    };
    let keep = {
        let granularity = best.granularity();
        act.reform(move |_: MouseEvent| Action::StateTiles(granularity.clone()))
    };
    let count = search.points().count();
    let told = match (*is_done, *is_stopped) {
        (true, false) => format!(
            "The best of {count} tile sizes: {}. Each was run with its best allocation; \
             that no other size is better is not proved.",
            best.text()
        ),
        (true, true) => {
            format!("The best of the {count} tile sizes that were run before you stopped: {}.", best.text())
        }
        (false, _) => {
            format!("The best of {count} tile sizes so far: {}. {done} of the next {all} are done.", best.text())
        }
    };
    html! {
        <div class="tile-sizes" data-testid="cores-tiles" data-done={is_done.to_string()}>
            <p class="hint row" role="status">
                <span data-testid="cores-best-tiles">{ told }</span>
                if *is_done {
                    <button type="button" class="small" onclick={keep} data-testid="cores-keep-tiles"
                        title="Links then open with this size, whatever a later search finds">{ "Keep this size" }</button>
                } else {
                    <button type="button" class="small" onclick={props.on_stop.reform(|_: MouseEvent| ())}
                        data-testid="cores-stop-tiles">{ "Stop" }</button>
                }
            </p>
            <div class="side-by-side">
                { figure(Quantity::Latency, "tile-curve-latency") }
                { figure(Quantity::Energy, "tile-curve-energy") }
            </div>
            <DataTable table={Rc::new(tile_sizes_table(search))} />
        </div>
    }
}
