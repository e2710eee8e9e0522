//! The page.
//!
//! One [`session::state::PageState`] drives everything: components show it, a person's [`crate::state::Action`]s change it.
//! [`workers::handle::Workers`] turn every new design into a sweep and report what they find, which is an event too. Nothing here
//! computes a cost.
//!
//! Imports only point down this list; a view knows no other view:
//!
//! - `shell`: the page around the views, what draws each of them, dialogs, keys, the address, the embedded page
//! - the views, one module each, as the one list names them ([`crate::state::views`]); the function `view` of each draws it. `cargo fmt`
//!   sees no module that a macro names, so `make fmt` names their files
//! - `design`: the cards of hardware, network and schedule
//! - [`session`]: what every view is given
//! - [`widgets`]: fields, figures, tables, dialogs, numbers that unfold
//! - [`workers`]: the pool of workers, the sweep, jobs and questions
//! - [`platform`]: what the browser gives
//!
//! What draws or touches the browser is compiled for WebAssembly only; what is pure has its unit tests beside it, which run natively.
//!
//! The page holds still while workers work: before the first point is known the landscape shows the points that there will be, and an
//! account stays, dimmed and `aria-busy`, until the next is known. So an embedded view tells its host one or two heights, and then one
//! an edit.
//!
//! The landscape does without the tables of the standard library that do not compress, as everybody waits for it: the browser reads
//! decimal numbers (`spec/decimal.rs`), and only ASCII letters change their case. Actions carry what an entry of the gallery or a step
//! of a lesson opens, so that only code that is fetched later reads those documents. `budget.test.mjs` watches the size.

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
