//! The look of the page, and the design that its figures are of.

#[cfg(target_arch = "wasm32")]
pub mod figure_context;
#[cfg(target_arch = "wasm32")]
pub mod theme;
pub mod theme_choice;
