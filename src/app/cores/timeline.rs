//! The schedule on many cores: a timeline to move and zoom, which emphasises the tiles and transfers related to a tile.

use super::cursor::{Moment, TimeCursor};
use super::numbers::{link_numbers, memory_numbers, tile_numbers};
use super::timeline_handlers::{TimelineHandlers, TimelineViewport};
use crate::app::widgets::figures::data_table::{Twin, explained_table};
use crate::app::widgets::figures::download::save_text;
use crate::app::widgets::figures::figure::{Drawn, use_observed_width};
use crate::app::widgets::figures::moving::{use_drawn, use_settled};
use crate::app::widgets::figures::pan_zoom::use_wheel;
use crate::app::widgets::figures::player::use_player;
use crate::app::widgets::figures::save::{FileContent, Save, WIDTH};
use crate::app::widgets::page::figure_context::use_figure_context;
use crate::app::widgets::sweep::heatmap_figure::Tooltip;
use crate::chart::{Chart, CoresLanes, Hit, HitText, link_table, memory_table};
use crate::multicore::CoresAccount;
use crate::trace::chrome_trace;
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

#[derive(Properties)]
pub struct CoreTimelineProps {
    pub account: Arc<CoresAccount>,
}

impl PartialEq for CoreTimelineProps {
    fn eq(&self, other: &Self) -> bool {
        // Comparing a hundred thousand tiles would take longer than drawing them.
        Arc::ptr_eq(&self.account, &other.account)
    }
}

const KEYS: &str = "Timeline: left and right arrow, plus and minus change the time shown, 0 shows all; \
                    full stop and comma lead to the next and the last tile, up and down to another core, \
                    Enter shows all that a tile has to do with";

/// The timeline of a schedule on many cores.
#[component]
pub fn CoreTimelineView(props: &CoreTimelineProps) -> Html {
    let lanes = use_state(|| Rc::new(CoresLanes::new(Arc::clone(&props.account))));
    let lanes = if Arc::ptr_eq(&lanes.account, &props.account) {
        Rc::clone(&lanes)
    } else {
        let sorted = Rc::new(CoresLanes::new(Arc::clone(&props.account)));
        lanes.set(Rc::clone(&sorted));
        sorted
    };
    let (view, canvas) = (use_node_ref(), use_node_ref());
    let width = use_observed_width(&view);
    // Another network or system resets the timeline.
    let cores: Vec<String> = props.account.cores.iter().map(|core| core.name.clone()).collect();
    let of = (props.account.layers.clone(), cores);
    let viewport = (*use_memo(of, |_| Rc::new(std::cell::RefCell::new(TimelineViewport::default())))).clone();
    let handlers = TimelineHandlers { viewport, lanes, view: view.clone(), update: use_force_update() };
    // The cursor is reset with every schedule, as cycles differ.
    let player = use_player(Moment { lanes: Rc::clone(&handlers.lanes), cycle: None }, (), None);
    let moment = player.now();
    let chart = handlers.chart().with_cursor(moment.cycle);
    use_drawn(&canvas, &chart, width);
    let settled = use_settled(&chart);
    let onwheel = {
        let handlers = handlers.clone();
        Callback::from(move |event: WheelEvent| handlers.wheel(&event))
    };
    use_wheel(&view, onwheel);
    let pointer = |does: fn(&TimelineHandlers, &PointerEvent)| {
        let handlers = handlers.clone();
        Callback::from(move |event: PointerEvent| does(&handlers, &event))
    };
    let onkeydown = {
        let handlers = handlers.clone();
        Callback::from(move |event: KeyboardEvent| {
            if handlers.key(&event) {
                event.prevent_default();
            }
        })
    };
    let shown = handlers.spoken().map(|(hit, spot)| {
        let is_narrow = |tile| chart.tile_place(tile, spot.width).is_some_and(|(_, _, width, _)| width <= 1);
        (chart.text(hit), spot, matches!(hit, Hit::Tile(tile) if is_narrow(tile)))
    });
    let words = match handlers.chosen() {
        Some(tile) => chart.text(Hit::Tile(tile)).sentence(),
        None => settled.describe(),
    };
    let table = {
        let of = (settled.clone(), Rc::clone(&handlers.lanes));
        use_callback(of, |(), (settled, lanes)| {
            explained_table(Rc::new(settled.table()), &tile_numbers(&lanes.account, settled))
        })
    };
    let links = use_callback(Rc::clone(&handlers.lanes), |(), lanes| {
        explained_table(Rc::new(link_table(&lanes.account)), &link_numbers(&lanes.account))
    });
    let memories = use_callback(Rc::clone(&handlers.lanes), |(), lanes| {
        explained_table(Rc::new(memory_table(&lanes.account)), &memory_numbers(&lanes.account))
    });
    html! {
        <figure data-testid="core-timeline">
            <figcaption>
                <h3>{ "Cores, links and memories over time" }</h3>
                <p class="hint">
                    { "Tiles in the colours of their layers, paler where several share a pixel with idle time. \
                       Drag sideways to move; two fingers, or Ctrl with the wheel, zoom. \
                       Point at a tile or click it to see what it waits for, and who waits for it." }
                </p>
            </figcaption>
            { tools(&handlers) }
            <div
                class="timeline"
                ref={view}
                tabindex="0"
                role="application"
                aria-label={KEYS}
                {onkeydown}
                onpointerdown={pointer(TimelineHandlers::down)}
                onpointermove={pointer(TimelineHandlers::handlers)}
                onpointerup={pointer(TimelineHandlers::up)}
                onpointercancel={pointer(TimelineHandlers::cancel)}
                onpointerleave={pointer(TimelineHandlers::leave)}
                data-testid="core-timeline-view"
            >
                <canvas ref={canvas} role="img" aria-label={settled.describe()} />
                <div class="sr-only" aria-live="polite">{ words }</div>
                if let Some((text, spot, is_narrow)) = shown {
                    <Tooltip {spot}>
                        { card(&text) }
                        if is_narrow {
                            <small>{ "one of those in this pixel: zoom in to tell them apart" }</small>
                        }
                    </Tooltip>
                }
            </div>
            <TimeCursor {moment} is_playing={player.is_playing()} {player} />
            <div class="saves">
                <Save what={FileContent::Figure(Drawn::new(settled), WIDTH)} />
                <SaveTrace account={Arc::clone(&props.account)} />
            </div>
            <Twin cells={usize::MAX} {table} />
            <Twin label="links as a table" cells={usize::MAX} table={links} />
            <Twin label="memories as a table" cells={usize::MAX} table={memories} />
        </figure>
    }
}

fn tools(handlers: &TimelineHandlers) -> Html {
    let button =
        |title: &'static str, label: &'static str, testid: &'static str, off: bool, does: fn(&TimelineHandlers)| {
            let handlers = handlers.clone();
            let onclick = Callback::from(move |_: MouseEvent| does(&handlers));
            html! {
                <button type="button" aria-label={label} title={label} disabled={off} {onclick} data-testid={testid}>
                    { title }
                </button>
            }
        };
    let is_whole = handlers.is_whole();
    html! {
        <div class="bar zoom-bar" role="group" aria-label="Time shown">
            <span class="buttons">
                { button("+", "Zoom in", "timeline-in", false, |handlers| handlers.zoom(1)) }
                { button("−", "Zoom out", "timeline-out", is_whole, |handlers| handlers.zoom(-1)) }
                { button("←", "Earlier", "timeline-earlier", is_whole, |handlers| handlers.pan(-1)) }
                { button("→", "Later", "timeline-later", is_whole, |handlers| handlers.pan(1)) }
                { button("All", "Show all of the time", "timeline-all", is_whole, TimelineHandlers::whole) }
            </span>
            <small class="hints">
                <kbd>{ "←" }</kbd>{ " " }<kbd>{ "→" }</kbd>{ " move, " }<kbd>{ "+" }</kbd>{ " " }<kbd>{ "−" }</kbd>{ " zoom, " }
                <kbd>{ "," }</kbd>{ " " }<kbd>{ "." }</kbd>{ " lead from tile to tile, " }<kbd>{ "↑" }</kbd>{ " " }<kbd>{ "↓" }</kbd>
                { " to another core, " }<kbd>{ "Enter" }</kbd>{ " shows all around a tile" }
            </small>
        </div>
    }
}

fn card(text: &HitText) -> Html {
    let line = |(name, value): &(&'static str, String)| html! { <><dt>{ *name }</dt><dd>{ value }</dd></> };
    html! {
        <>
            <b>{ &text.title }</b>
            <dl>{ for text.lines.iter().map(line) }</dl>
        </>
    }
}

/// Downloads the schedule for trace viewers.
#[component]
fn SaveTrace(props: &CoreTimelineProps) -> Html {
    let names = use_figure_context().names;
    let account = Arc::clone(&props.account);
    let onclick = Callback::from(move |_: MouseEvent| {
        save_text(&names.file("trace", "json"), "application/json", &chrome_trace(&account));
    });
    html! {
        <span class="save" role="group" aria-label="Save the schedule">
            { "for Perfetto " }
            <button
                type="button"
                class="link"
                title="The schedule for ui.perfetto.dev and other viewers of traces"
                {onclick}
                data-testid="save-trace"
            >
                { "Chrome trace (JSON)" }
            </button>
        </span>
    }
}
