//! The loops of the current mapping as they turn.

use crate::app::widgets::figures::turning::Turning;
use crate::app::workers::ask::use_answers;
use crate::cost::LoopTrace;
use crate::explore::{LayerRequest, MappedLayer};
use crate::question::{Channel, TraceLoops};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties)]
pub struct LoopMotionProps {
    pub request: Rc<LayerRequest>,
    /// Name of the layer.
    pub layer: String,
    /// Its mapping.
    pub mapped: Rc<MappedLayer>,
}

impl PartialEq for LoopMotionProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.mapped, &other.mapped) && self.request == other.request
    }
}

/// The figure, once a worker has followed the loops; until then the previous one.
#[component]
pub fn LoopMotion(props: &LoopMotionProps) -> Html {
    let (request, mapping) = (Rc::clone(&props.request), props.mapped.mapping.clone());
    let answers = use_answers(Channel::Turns, vec![TraceLoops { request, mapping }]);
    let last = use_mut_ref(|| None::<(Rc<str>, Rc<LoopTrace>)>);
    if let Some(Ok(turns)) = answers.reply(0) {
        let is_known = last.borrow().as_ref().is_some_and(|(_, known)| Rc::ptr_eq(known, turns));
        if !is_known {
            last.replace(Some((props.layer.as_str().into(), Rc::clone(turns))));
        }
    }
    let body = match (&*last.borrow(), answers.refusal()) {
        (Some((layer, turns)), _) => html! { <Turning turns={Rc::clone(turns)} layer={Rc::clone(layer)} /> },
        (None, Some(refusal)) => html! { <p class="hint">{ refusal.to_string() }</p> },
        (None, None) => html! { <p class="hint motion-waits awaited">{ "Following the loops …" }</p> },
    };
    html! {
        <section class="card motion" data-testid="loop-motion">
            <h2>{ "Loops as they turn" }</h2>
            <p class="hint">
                { "Bars are lit where the indices of what lies in a memory are now. A step is one turn of the innermost loop that is not \
                   grey; drag over a loop, or click a grey one to look within. Unrolled loops count as the innermost of their dimension." }
            </p>
            { body }
        </section>
    }
}
