//! One view of the page inside another page: what it shows, and what host and view say to each other (`docs/EMBED.md`).

mod message;
mod options;

pub use message::{Answer, answer, changed, ready, refusal, resize, state_of};
pub use options::{Control, EmbedOptions, EmbedTheme, EmbedView, snippet};
