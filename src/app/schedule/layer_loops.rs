//! On request, the loop nest of the layer that the trace of a stack is at.

use crate::app::widgets::figures::loop_trace::LoopTraceFigure;
use crate::app::workers::ask::use_answers;
use crate::chart::StackStep;
use crate::explore::Request;
use crate::question::{Channel, TraceTileLoops};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties)]
pub struct LayerLoopsProps {
    /// The current step of the stack.
    pub now: StackStep,
    /// The design; `None` while its schedule has errors.
    pub request: Option<Rc<Request>>,
}

impl PartialEq for LayerLoopsProps {
    fn eq(&self, other: &Self) -> bool {
        self.now == other.now && self.request == other.request
    }
}

/// A checkbox; while it is checked, a worker follows the loops of the current layer.
#[component]
pub fn LayerLoops(props: &LayerLoopsProps) -> Html {
    let is_open = use_state_eq(|| false);
    let now = &props.now;
    let asked = now.tile().zip(props.request.clone()).filter(|_| *is_open);
    let question = asked.map(|((tile_type, _), request)| TraceTileLoops {
        request,
        strategy: now.traced.account.strategy.clone(),
        stack: now.traced.stack as u32,
        tile_type,
        node: now.step.node,
    });
    let answers = use_answers(Channel::LoopTrace, question.into_iter().collect());
    let name = now.layer().map_or("", |layer| layer.layer.as_str());
    let body = match (answers.reply(0), answers.refusal()) {
        (Some(Some(trace)), _) => html! { <LoopTraceFigure trace={Rc::clone(trace)} layer={Rc::<str>::from(name)} /> },
        (Some(None), _) => html! { <p class="hint">{ "This step only fetches; no loops turn." }</p> },
        (None, Some(refusal)) => html! { <p class="hint">{ refusal.to_string() }</p> },
        (None, None) => html! { <p class="hint motion-waits awaited">{ "Following the loops …" }</p> },
    };
    let onclick = {
        let is_open = is_open.clone();
        Callback::from(move |_: MouseEvent| is_open.set(!*is_open))
    };
    html! {
        <>
            <div class="row">
                <button
                    type="button"
                    aria-expanded={is_open.to_string()}
                    {onclick}
                    data-testid="motion-loops"
                >
                    { if *is_open { "Hide the loops" } else { "Loops within this layer" } }
                </button>
            </div>
            if *is_open { <div class="motion-loops">{ body }</div> }
        </>
    }
}
