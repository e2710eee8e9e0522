//! One view of the page inside another page: what it shows, and what host and view say to each other (`www/EMBED.md`).

mod message;
mod options;
mod parameter;

pub use message::{Answer, answer, answered, changed, listed, ready, refusal, resize, state_of};
pub use options::{Control, EmbedOptions, EmbedTheme, EmbedView, resize_script, snippet};
pub use parameter::Parameter;
