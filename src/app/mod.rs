//! The page.
//!
//! One [`session::state::PageState`] drives everything: components show it, a person's [`crate::state::Action`]s change
//! it. [`workers::handle::Workers`] turn every new design into a sweep and report results, which is an event too. No
//! cost is computed here.
//!
//! Imports only point down this list; a view knows no other view:
//!
//! - `shell`: the page around the views, the dispatch to the views, dialogs, keys, the address, the embedded page
//! - the views, one module each, as the one list names them ([`crate::state::views`]); the function `view` of each draws it. `cargo fmt`
//!   sees no module that a macro names, so `make fmt` names their files
//! - `design`: the cards of hardware, network and schedule
//! - [`session`]: state common to all views
//! - [`widgets`]: fields, figures, tables, dialogs, numbers that unfold
//! - [`workers`]: the pool of workers, the sweep, jobs and questions
//! - [`platform`]: services of the browser
//!
//! Code that draws or uses the browser is compiled for WebAssembly only; pure code has its unit tests beside it, which
//! run natively.
//!
//! The layout of the page does not jump while workers compute: before the first result the landscape shows the points
//! to come, and an account stays, dimmed and `aria-busy`, until the next is known. So an embedded view reports one or
//! two heights to its host, and then one per edit.
//!
//! The landscape avoids tables of the standard library that compress badly, as every visitor waits for it: the browser
//! parses decimal numbers (`spec/decimal.rs`), and only ASCII letters change their case. Actions carry the documents
//! that an entry of the gallery or a step of a lesson opens, so that only code that is fetched later reads those
//! documents. `budget.test.mjs` limits the size.

#[cfg(target_arch = "wasm32")]
mod design;
#[cfg(target_arch = "wasm32")]
mod entry;
pub mod platform;
pub mod session;
#[cfg(target_arch = "wasm32")]
mod shell;
pub mod widgets;
pub mod workers;

macro_rules! modules {
    ($($tab:ident $name:ident $code:literal $about:ident $shows:literal $embedded:expr;)*) => {
        $(
            #[cfg(target_arch = "wasm32")]
            mod $name;
        )*
    };
}
crate::state::views!(modules);
