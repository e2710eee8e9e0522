//! Data in motion: a scrubber over the tiles and layers of a stack, and the figure of the current step.

use super::layer_loops::LayerLoops;
use super::trace_steps::{at_layer, at_tile};
use crate::app::widgets::figures::animation::use_animation;
use crate::app::widgets::figures::data_table::{Twin, plain_table};
use crate::app::widgets::figures::figure::Drawn;
use crate::app::widgets::figures::player::Slider;
use crate::app::widgets::figures::save::{FileContent, Save, WIDTH};
use crate::app::workers::ask::use_answers;
use crate::chart::{Chart, StackStep, TracedStack, group_thousands, memory_trace_table};
use crate::depth_first::{PointAccount, TraceStep};
use crate::explore::Request;
use crate::question::{Channel, TraceTiles};
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

#[derive(Properties)]
pub struct TracePanelProps {
    /// The point.
    pub account: Arc<PointAccount>,
    pub stack: usize,
    /// The selected tile type; `None` for the most frequent one.
    pub tile_type: Option<usize>,
    /// The initial step; without it, or if it does not exist, the first step of the tile type.
    pub step: Option<usize>,
    /// Called with the step at which playback or dragging came to rest.
    pub on_rest: Callback<usize>,
    /// The design; `None` while its schedule has errors.
    pub request: Option<Rc<Request>>,
    /// Content beside the heading.
    pub children: Html,
}

impl PartialEq for TracePanelProps {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.account, &other.account)
            && (self.stack, self.tile_type) == (other.stack, other.tile_type)
            && self.request == other.request
            && self.on_rest == other.on_rest
            && self.children == other.children
    }
}

/// The places of the tiles are computed by a worker, once per stack.
#[component]
pub fn TracePanel(props: &TracePanelProps) -> Html {
    let question = props.request.clone().map(|request| TraceTiles {
        request,
        strategy: props.account.strategy.clone(),
        stack: props.stack as u32,
    });
    let answers = use_answers(Channel::StackTrace, question.into_iter().collect());
    let reply = answers.reply(0).cloned();
    let traced = use_memo((ByAddress(Arc::clone(&props.account)), props.stack, reply), |(account, stack, trace)| {
        TracedStack::new(Arc::clone(&account.0), *stack, Rc::clone(trace.as_ref()?)).map(Rc::new)
    });
    // The last picture stays until the next is known.
    let kept = use_mut_ref(|| None::<Rc<TracedStack>>);
    let is_old = traced.is_none() && answers.refusal().is_none();
    if !is_old {
        kept.replace((*traced).clone());
    }
    let shown = kept.borrow().clone();
    let body = match (&shown, answers.refusal()) {
        (Some(traced), None) => html! {
           <FlowMoves
               traced={Rc::clone(traced)}
               tile_type={props.tile_type}
               step={props.step}
               on_rest={props.on_rest.clone()}
               request={props.request.clone()}
           />
        },
        (_, Some(refusal)) => html! { <p class="hint" data-testid="motion-refused">{ refusal.to_string() }</p> },
        (None, None) => html! { <p class="hint motion-waits awaited">{ "Following the tiles …" }</p> },
    };
    html! {
        <section class="card motion" aria-busy={is_old.then_some("true")} data-testid="motion">
            <h2>{ "Data in motion" }{ props.children.clone() }</h2>
            { body }
        </section>
    }
}

/// An account that is compared by its address.
#[derive(Clone)]
struct ByAddress(Arc<PointAccount>);

impl PartialEq for ByAddress {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Properties)]
struct FlowMovesProps {
    traced: Rc<TracedStack>,
    tile_type: Option<usize>,
    step: Option<usize>,
    on_rest: Callback<usize>,
    request: Option<Rc<Request>>,
}

impl PartialEq for FlowMovesProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.traced, &other.traced)
            && (self.tile_type, &self.request, &self.on_rest) == (other.tile_type, &other.request, &other.on_rest)
    }
}

#[component]
fn FlowMoves(props: &FlowMovesProps) -> Html {
    let at = |step: TraceStep| StackStep { traced: Rc::clone(&props.traced), step };
    let start = at(props.traced.first_step(props.tile_type));
    // The initial step is that of the link, if it exists.
    let linked = props.step.and_then(|number| props.traced.step_of(number)).map(at);
    let stage = use_animation(start.clone(), props.tile_type, linked);
    let (now, settled) = (stage.player.now(), stage.settled.clone());
    // A link names the step at rest, unless it is the first one.
    let step = props.traced.number_of(settled.step);
    let is_first = settled == start && props.step.is_none();
    let rests = !is_first && props.step != Some(step) && Rc::ptr_eq(&settled.traced, &props.traced);
    use_effect_with((rests.then_some(step), props.on_rest.clone()), |(step, on_rest)| {
        step.iter().for_each(|step| on_rest.emit(*step));
    });
    // A person who leaves the figure to share it may be faster than the pause until it rests.
    let onfocusout = {
        let (traced, on_rest) = (Rc::clone(&props.traced), props.on_rest.clone());
        let is_begun = now != start && Rc::ptr_eq(&now.traced, &traced);
        Callback::from(move |_: FocusEvent| {
            if is_begun {
                on_rest.emit(traced.number_of(now.step));
            }
        })
    };
    let memories = use_callback(settled.clone(), |(), settled| plain_table(memory_trace_table(settled)));
    let maps = use_callback(settled.clone(), |(), settled| plain_table(settled.table()));
    html! {
        <>
        <figure
            data-testid="motion-figure"
            data-tile={now.step.tile.to_string()}
            data-node={now.step.node.index().to_string()}
            {onfocusout}
        >
            <figcaption class="sr-only">{ "Feature maps and memories of one step" }</figcaption>
            { stage.view() }
            { stage.scrubber(sliders(&now), Html::default()) }
            <div class="saves"><Save what={FileContent::Figure(Drawn::new(settled.clone()), WIDTH)} /></div>
            <Twin label="pixels as a table" cells={usize::MAX} table={maps} />
            <Twin label="memories as a table" cells={usize::MAX} table={memories} />
        </figure>
        // Outside of the figure, so that its controls stay visible while it is.
        <LayerLoops now={settled} request={props.request.clone()} />
        </>
    }
}

/// One slider over the tiles, one over the layers of a tile.
fn sliders(now: &StackStep) -> Vec<Slider<StackStep>> {
    let (trace, step) = (&now.traced.trace, now.step);
    let columns = trace.columns.len().max(1) as u64;
    let place = format!(
        "tile {} of {}, column {}, row {}",
        group_thousands(step.tile + 1),
        group_thousands(trace.tile_count()),
        step.tile % columns + 1,
        step.tile / columns + 1
    );
    let layer = trace.maps.get(step.node).map_or("", |map| map.layer.as_str());
    vec![
        Slider {
            title: "tile",
            last: trace.tile_count().saturating_sub(1),
            at: step.tile,
            told: place,
            to: at_tile,
            testid: "motion-tiles",
        },
        Slider {
            title: "layer",
            last: trace.maps.len().saturating_sub(1) as u64,
            at: step.node.index() as u64,
            told: layer.to_owned(),
            to: at_layer,
            testid: "motion-layers",
        },
    ]
}
