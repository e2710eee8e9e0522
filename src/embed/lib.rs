//! A single view of the page inside another page: its options, and the messages between host and view (`www/EMBED.md`).

mod message;
mod options;
mod parameter;

pub use message::{Reaction, answer, answered, changed, listed, ready, refusal, resize, state_of};
pub use options::{Control, EmbedOptions, EmbedTheme, EmbedView, resize_script, snippet};
pub use parameter::Parameter;
