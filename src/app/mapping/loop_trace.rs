//! The loops of the current mapping, step by step.

use crate::app::widgets::figures::loop_trace::LoopTraceFigure;
use crate::app::workers::ask::use_answers;
use crate::cost::LoopTrace;
use crate::explore::{LayerRequest, MappedLayer};
use crate::question::{Channel, TraceLoops};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties)]
pub struct LoopTraceCardProps {
    pub request: Rc<LayerRequest>,
    /// Name of the layer.
    pub layer: String,
    /// Its mapping.
    pub mapped: Rc<MappedLayer>,
}

impl PartialEq for LoopTraceCardProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.mapped, &other.mapped) && self.request == other.request
    }
}

/// The figure, once a worker has followed the loops; until then the previous one.
#[component]
pub fn LoopTraceCard(props: &LoopTraceCardProps) -> Html {
    let (request, mapping) = (Rc::clone(&props.request), props.mapped.mapping.clone());
    let answers = use_answers(Channel::LoopTrace, vec![TraceLoops { request, mapping }]);
    let last = use_mut_ref(|| None::<(Rc<str>, Rc<LoopTrace>)>);
    if let Some(Ok(trace)) = answers.reply(0) {
        let is_known = last.borrow().as_ref().is_some_and(|(_, known)| Rc::ptr_eq(known, trace));
        if !is_known {
            last.replace(Some((props.layer.as_str().into(), Rc::clone(trace))));
        }
    }
    let body = match (&*last.borrow(), answers.refusal()) {
        (Some((layer, trace)), _) => html! { <LoopTraceFigure trace={Rc::clone(trace)} layer={Rc::clone(layer)} /> },
        (None, Some(refusal)) => html! { <p class="hint">{ refusal.to_string() }</p> },
        (None, None) => html! { <p class="hint motion-waits awaited">{ "Following the loops …" }</p> },
    };
    html! {
        <section class="card motion" data-testid="loop-motion">
            <h2>{ "Loops, step by step" }</h2>
            <p class="hint">
                { "Bars are lit where the indices of what lies in a memory are now. A step is one turn of the innermost loop that is not \
                   grey; drag over a loop, or click a grey one to look within. Unrolled loops count as the innermost of their dimension." }
            </p>
            { body }
        </section>
    }
}
