//! A dialog in front of the page: Escape, the button, or a click beside it closes it.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDialogElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DialogProps {
    pub title: AttrValue,
    /// The element that it explains: the dialog opens beside it instead of in the middle.
    #[prop_or_default]
    pub beside: Option<Element>,
    /// Called when it is closed.
    pub on_close: Callback<()>,
    pub testid: &'static str,
    #[prop_or_default]
    pub is_wide: bool,
    pub children: Html,
}

/// A modal dialog, open as long as it is mounted.
#[component]
pub fn Dialog(props: &DialogProps) -> Html {
    let place = use_node_ref();
    use_effect_with((place.clone(), props.beside.clone()), |(place, beside)| {
        if let Some(dialog) = place.cast::<HtmlDialogElement>() {
            if let Some(beside) = beside {
                put_beside(&dialog, beside);
            }
            // Fails only for a dialog that is open already.
            let _ = dialog.show_modal();
        }
    });
    let onclose = props.on_close.reform(|_: Event| ());
    // Closed by the browser, which gives the focus back to where it was.
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
            // A click on the dialog itself, not on an element inside, is a click on its backdrop.
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            if target.is_some_and(|target| target.tag_name() == "DIALOG") {
                close.emit(());
            }
        })
    };
    let id = format!("{}-title", props.testid);
    html! {
        <dialog
            ref={place}
            class={classes!(props.is_wide.then_some("wide"), props.beside.is_some().then_some("beside"))}
            aria-labelledby={id.clone()}
            {onclose}
            {onclick}
            data-testid={props.testid}
        >
            <div class="inside">
                <h2 {id}>
                    { &props.title }
                    <button type="button" class="icon" onclick={close.reform(|_: MouseEvent| ())} aria-label="Close"
                        data-testid="close">
                        { "×" }
                    </button>
                </h2>
                { props.children.clone() }
            </div>
        </dialog>
    }
}

/// Places the dialog below the element, or above it where there is more room; `style.css` keeps it in sight.
fn put_beside(dialog: &HtmlDialogElement, element: &Element) {
    let place = element.get_bounding_client_rect();
    let height = web_sys::window().and_then(|window| window.inner_height().ok()?.as_f64()).unwrap_or(0.0);
    let is_above = place.top() > height - place.bottom();
    let (top, bottom) =
        if is_above { (None, Some(height - place.top() + 6.0)) } else { (Some(place.bottom() + 6.0), None) };
    let room = if is_above { place.top() } else { height - place.bottom() } - 14.0;
    let pixels = |length: Option<f64>| length.map_or_else(|| "auto".to_owned(), |length| format!("{length}px"));
    for (name, value) in [
        ("top", pixels(top)),
        ("bottom", pixels(bottom)),
        ("--left", pixels(Some(place.left()))),
        ("--room", pixels(Some(room))),
    ] {
        // If the style cannot be set, the dialog stays in the middle.
        let _ = dialog.style().set_property(name, &value);
    }
}
