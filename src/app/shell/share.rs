//! Sharing: the link, a file if the link would be too long, and opening a link.

use super::files::save_state;
use crate::app::session::handle::use_tell;
use crate::app::session::state::{Event, OpenedState};
use crate::app::widgets::forms::controls::target;
use crate::app::widgets::forms::diagnostics::DiagnosticList;
use crate::app::widgets::page::figure_context::use_figure_context;
use crate::app::widgets::words::dialog::Dialog;
use crate::chart::group_thousands;
use crate::import::text_of;
use crate::link::{LONGEST_LINK, from_link, to_link};
use crate::spec::{Diagnostics, is_state};
use crate::state::{MOST_BYTES, State};
use js_sys::Uint8Array;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ShareProps {
    pub chosen: Rc<State>,
    pub on_close: Callback<()>,
}

/// The link is copied as soon as the dialog opens.
#[component]
pub fn Share(props: &ShareProps) -> Html {
    let names = use_figure_context().names;
    let link = use_memo(Rc::clone(&props.chosen), |chosen| to_link(chosen));
    let address = format!("{}#{link}", page_address("index.html"));
    let is_long = link.len() > LONGEST_LINK;
    let wrong = use_state_eq(Diagnostics::default);
    let save = {
        let chosen = Rc::clone(&props.chosen);
        Callback::from(move |_: MouseEvent| save_state(&chosen, &names))
    };
    let open = {
        let (tell, on_close, wrong) = (use_tell(), props.on_close.clone(), wrong.clone());
        Callback::from(move |event: web_sys::Event| {
            let Some(file) = target::<HtmlInputElement>(&event).and_then(|field| field.files()?.get(0)) else { return };
            let (tell, on_close, wrong) = (tell.clone(), on_close.clone(), wrong.clone());
            spawn_local(async move {
                match read(&file).await {
                    Ok(state) => {
                        tell.emit(Event::Open(OpenedState { state: Rc::new(state), is_address: false }));
                        on_close.emit(());
                    }
                    Err(found) => wrong.set(found),
                }
            });
        })
    };
    html! {
        <Dialog title="Share" on_close={props.on_close.clone()} testid="share-dialog">
            if is_long {
                <p class="why" role="status" data-testid="too-long">
                    { format!(
                        "The link would have {} characters, and many programs cut off what is longer than {}. \
                         A file takes it all.",
                        group_thousands(link.len() as u64), group_thousands(LONGEST_LINK as u64),
                    ) }
                </p>
            } else {
                <p class="hint">
                    { "The link holds everything: both documents, the schedule, the view, a mapping of your own. \
                       Whoever opens it sees what you see. Nothing is stored anywhere else." }
                </p>
                <CopyField label="Link" text={address} copies_at_once=true testid="share-link" />
            }
            <div class="row">
                <button type="button" class={classes!(is_long.then_some("primary"))} onclick={save} data-testid="save-file">
                    { "Save as file" }
                </button>
                <label class="button">
                    { "Open a file …" }
                    <input type="file" class="sr-only" accept=".yaml,.yml,.fusescape,.txt" onchange={open} data-testid="open-file" />
                </label>
            </div>
            <DiagnosticList diagnostics={(*wrong).clone()} testid="file-error" />
        </Dialog>
    }
}

/// Larger files cannot be ours, bytes.
const LARGEST_FILE: f64 = MOST_BYTES as f64;

async fn read(file: &web_sys::File) -> Result<State, Diagnostics> {
    let refused = |reason: &str, remedy: &str| {
        let mut diagnostics = Diagnostics::default();
        diagnostics.add("", format!("`{}` {reason}", file.name()), remedy);
        diagnostics
    };
    if file.size() > LARGEST_FILE {
        return Err(refused("is too large to be a saved state", "Open one that was saved here"));
    }
    let bytes = JsFuture::from(file.array_buffer()).await;
    let bytes = bytes.map_err(|_| refused("cannot be read", "Choose it once more"))?;
    let text = text_of(&file.name(), Uint8Array::new(&bytes).to_vec())?;
    if is_state(&text) { State::from_yaml(&text) } else { from_link(&text) }
}

#[derive(Properties, PartialEq)]
pub struct CopyFieldProps {
    pub label: &'static str,
    pub text: String,
    /// Whether it is copied as soon as it is shown.
    #[prop_or_default]
    pub copies_at_once: bool,
    pub testid: &'static str,
}

/// A text with a button that copies it.
#[component]
pub fn CopyField(props: &CopyFieldProps) -> Html {
    let field = use_node_ref();
    let copied = use_state_eq(|| None::<bool>);
    let copy = {
        let (field, copied, text) = (field.clone(), copied.clone(), props.text.clone());
        Callback::from(move |()| {
            let (field, copied, text) = (field.clone(), copied.clone(), text.clone());
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                field.select();
            }
            spawn_local(async move { copied.set(Some(write_clipboard(&text).await)) });
        })
    };
    {
        let (copy, at_once) = (copy.clone(), props.copies_at_once);
        use_effect_with((), move |()| {
            if at_once {
                copy.emit(());
            }
        });
    }
    {
        let copied = copied.clone();
        let first = use_mut_ref(|| true);
        use_effect_with(props.text.clone(), move |_| {
            // Another text has not been copied yet.
            if !std::mem::replace(&mut *first.borrow_mut(), false) {
                copied.set(None);
            }
        });
    }
    let length = format!("{} characters", group_thousands(props.text.chars().count() as u64));
    let status = match *copied {
        Some(true) => format!("{length}, copied"),
        Some(false) => format!("{length}; this browser does not let pages copy: press Ctrl C"),
        None => length,
    };
    html! {
        <div class="copy">
            <textarea
                ref={field}
                readonly=true
                rows="3"
                value={props.text.clone()}
                aria-label={props.label}
                data-testid={props.testid}
            />
            <div class="row">
                <button type="button" class="primary" onclick={copy.reform(|_: MouseEvent| ())}
                    data-testid={format!("{}-copy", props.testid)}>
                    { "Copy" }
                </button>
                <span class="hint" role="status" data-testid={format!("{}-status", props.testid)}>{ status }</span>
            </div>
        </div>
    }
}

/// Returns whether the browser allowed it.
async fn write_clipboard(text: &str) -> bool {
    let Some(window) = web_sys::window() else { return false };
    // There is no clipboard in a page that came by plain HTTP.
    let clipboard = js_sys::Reflect::get(&window.navigator(), &"clipboard".into()).unwrap_or_default();
    match clipboard.dyn_into::<web_sys::Clipboard>() {
        Ok(clipboard) => JsFuture::from(clipboard.write_text(text)).await.is_ok(),
        Err(_) => false,
    }
}

/// The address of one of our pages, without query and fragment; `index.html` is left out.
pub fn page_address(page: &str) -> String {
    let location = web_sys::window().map(|window| window.location());
    let place = location.and_then(|location| Some(location.origin().ok()? + &location.pathname().ok()?));
    let place = place.unwrap_or_default();
    let folder = place.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{folder}/{}", if page == "index.html" { "" } else { page })
}
