//! Figures of horizontal bars.

mod bar_rows;
mod breakdown;
mod change_bar;
mod groups;
mod paired;
mod published;

pub use breakdown::{Breakdown, StackedBar};
pub use change_bar::ChangeBar;
pub use groups::{BarGroup, Bars};
pub use paired::{Pair, Paired, change};
pub use published::{PublishedNumber, PublishedNumbers};

pub(crate) use breakdown::BreakdownPart;
pub(crate) use paired::change_cell;
