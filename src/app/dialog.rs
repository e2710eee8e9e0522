//! A dialog in front of the page: Escape, the button, or a click beside it closes it.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDialogElement};
use yew::prelude::*;

/// What a [`Dialog`] needs.
#[derive(Properties, PartialEq)]
pub struct DialogProps {
    /// Heading.
    pub title: &'static str,
    /// Hears that it was closed.
    pub on_close: Callback<()>,
    /// Identifies it in tests.
    pub testid: &'static str,
    /// Whether it needs much room.
    #[prop_or_default]
    pub is_wide: bool,
    /// What it shows.
    pub children: Html,
}

/// A dialog; it is open as long as it is there.
#[component]
pub fn Dialog(props: &DialogProps) -> Html {
    let place = use_node_ref();
    use_effect_with(place.clone(), |place| {
        if let Some(dialog) = place.cast::<HtmlDialogElement>() {
            // One that is open already stays so.
            let _ = dialog.show_modal();
        }
    });
    let onclose = props.on_close.reform(|_: Event| ());
    // The browser closes it, so that the focus goes back to where it was.
    let close = {
        let place = place.clone();
        Callback::from(move |()| {
            if let Some(dialog) = place.cast::<HtmlDialogElement>() {
                dialog.close();
            }
        })
    };
    let onclick = {
        let close = close.clone();
        Callback::from(move |event: MouseEvent| {
            // What lies inside has elements of its own.
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            if target.is_some_and(|target| target.tag_name() == "DIALOG") {
                close.emit(());
            }
        })
    };
    let id = format!("{}-title", props.testid);
    html! {
        <dialog ref={place} class={props.is_wide.then_some("wide")} aria-labelledby={id.clone()} {onclose} {onclick} data-testid={props.testid}>
            <div class="inside">
                <h2 {id}>
                    { props.title }
                    <button type="button" class="icon" onclick={close.reform(|_: MouseEvent| ())} aria-label="Close" data-testid="close">{ "×" }</button>
                </h2>
                { props.children.clone() }
            </div>
        </dialog>
    }
}
