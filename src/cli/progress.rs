//! A progress bar, where there is a terminal.

use fusescape::command::Watch;
use indicatif::{ProgressBar, ProgressStyle};

/// The bar of one command: a stage after the other.
pub struct TerminalBar(ProgressBar);

impl Default for TerminalBar {
    fn default() -> Self {
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len} {msg}, {eta} left") {
            bar.set_style(style);
        }
        Self(bar)
    }
}

impl Watch for TerminalBar {
    fn begin(&self, count: usize, what: &str) {
        self.0.reset();
        self.0.set_length(count as u64);
        self.0.set_message(what.to_owned());
    }

    fn advance(&self, parts: usize) {
        self.0.inc(parts as u64);
    }

    fn recount(&self, count: usize) {
        self.0.set_length(count as u64);
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }

    fn goes_on(&self) -> bool {
        true
    }
}
