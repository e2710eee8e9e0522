//! Entry points of the page for `www/main.js`.

use super::platform::lazy_modules::LazyModule;
use super::platform::root;
use super::{platform, shell};
use js_sys::Function;
use wasm_bindgen::prelude::*;

/// Shows the page in the element `#app`; called by `www/main.js`, whose function asks a person what to do about files
/// that cannot be fetched.
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
    if let Some(element) = root::root_element() {
        root::render::<shell::page::Page>(element);
    }
    Ok(())
}

/// Shows one view in the element `#app`, for another page around it; called like [`open_page`].
///
/// # Errors
/// If its code cannot be fetched.
#[wasm_bindgen(js_name = openEmbed)]
pub async fn open_embed(ask: Function) -> Result<(), JsError> {
    platform::missing::install(ask);
    shell::pieces::install();
    if !platform::lazy_modules::fetch().await {
        return Err(JsError::new("others"));
    }
    if let (Some(element), Some(parts)) = (root::root_element(), shell::code::ShellCode::slot().get()) {
        (parts.embed)(element);
    }
    Ok(())
}
