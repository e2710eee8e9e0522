//! The page.
//!
//! One [`session::state::PageState`] drives everything: components show it, a person's [`crate::state::Action`]s change it. A [`workers::handle::Workers`]
//! turns every new design into a sweep over the workers and reports what they find, which is an action too. Nothing here
//! computes a cost.

mod compare;
mod cores;
mod design;
mod fusion;
mod gallery;
mod hierarchy;
mod landscape;
mod lessons;
mod mapping;
mod platform;
mod schedule;
mod session;
mod shell;
mod studies;
mod widgets;
mod workers;

use js_sys::Function;
use platform::pieces::Piece;
use wasm_bindgen::prelude::*;
use web_sys::Element;

/// Shows the page in the element `#app`; called by `www/main.js`, whose function asks a person what to do about files that cannot be had.
///
/// # Errors
/// If there is a link or a draft, and the code that reads it cannot be fetched.
#[wasm_bindgen(js_name = openPage)]
pub async fn open_page(ask: Function) -> Result<(), JsError> {
    platform::missing::install(ask);
    shell::pieces::install();
    if shell::address::says_something() {
        shell::links::fetch_links().await?;
    }
    if let Some(place) = place() {
        render::<shell::page::Page>(place);
    }
    Ok(())
}

/// Shows one view in the element `#app`, for another page around it; called as [`open_page`] is.
///
/// # Errors
/// If its code cannot be fetched.
#[wasm_bindgen(js_name = openEmbed)]
pub async fn open_embed(ask: Function) -> Result<(), JsError> {
    platform::missing::install(ask);
    shell::pieces::install();
    if !platform::pieces::fetch().await {
        return Err(JsError::new("others"));
    }
    if let (Some(place), Some(parts)) = (place(), shell::parts::Parts::slot().get()) {
        (parts.embed)(place);
    }
    Ok(())
}

fn place() -> Option<Element> {
    web_sys::window()?.document()?.get_element_by_id("app")
}

fn render<C: yew::BaseComponent<Properties: Default>>(place: Element) {
    // What stood there only said that the page was loading.
    place.set_inner_html("");
    yew::Renderer::<C>::with_root(place).render();
}
