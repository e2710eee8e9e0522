//! A slider beside a number of a form.

use super::controls::target;
use super::form::DocumentForm;
use crate::form::{FieldTarget, value_scale, value_scale_within};
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DragFieldProps {
    pub form: DocumentForm,
    /// The number that it changes.
    pub place: FieldTarget,
    /// Smallest and largest value; `None` for no limits.
    #[prop_or_default]
    pub bounds: Option<[String; 2]>,
    pub label: AttrValue,
    pub testid: AttrValue,
}

/// A slider over round numbers near the current one; nothing where the field holds no number.
#[component]
pub fn DragField(props: &DragFieldProps) -> Html {
    let number = use_mut_ref(|| 0u32);
    let text = props.place.read(&props.form.document);
    let steps = match &props.bounds {
        None => value_scale(&text),
        Some([from, to]) => value_scale_within(&text, from, to),
    };
    let Some(steps) = steps.filter(|_| !props.place.is_name()) else { return html! {} };
    // A drag begins with a press of the pointer, or with the first key after the focus has moved here.
    let begin = {
        let number = number.clone();
        move || *number.borrow_mut() += 1
    };
    let onpointerdown = {
        let begin = begin.clone();
        Callback::from(move |_: PointerEvent| begin())
    };
    let onfocus = Callback::from(move |_: FocusEvent| begin());
    let at = steps.at.to_string();
    let (last, text) = (steps.steps.len() - 1, steps.steps.get(steps.at).cloned());
    let oninput = {
        let (form, place) = (props.form.clone(), props.place.clone());
        Callback::from(move |event: InputEvent| {
            let at = target::<HtmlInputElement>(&event).and_then(|slider| slider.value().parse::<usize>().ok());
            if let Some(text) = at.and_then(|at| steps.steps.get(at)) {
                form.drag(&place, *number.borrow(), text);
            }
        })
    };
    html! {
        <input
            type="range"
            class="drag"
            min="0"
            max={last.to_string()}
            value={at}
            {oninput}
            {onpointerdown}
            {onfocus}
            aria-label={format!("Drag {}", props.label)}
            aria-valuetext={text}
            data-testid={format!("{}-drag", props.testid)}
        />
    }
}
