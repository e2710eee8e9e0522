//! A progress bar, where there is a terminal; else a line a minute, for the logs of clusters.

use super::tell;
use fusescape_command::Watch;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often a line is told where there is no terminal.
const EVERY: Duration = Duration::from_secs(60);

/// The bar of one command: a stage after the other.
pub struct TerminalBar {
    bar: ProgressBar,
    /// When the stage began, and when a line was told last.
    times: Mutex<(Instant, Instant)>,
}

impl Default for TerminalBar {
    fn default() -> Self {
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len} {msg}, {per_sec}, {eta} left") {
            bar.set_style(style);
        }
        let now = now();
        Self { bar, times: Mutex::new((now, now)) }
    }
}

// The command line is native, where the clock is a clock.
#[allow(clippy::disallowed_methods)]
fn now() -> Instant {
    Instant::now()
}

impl TerminalBar {
    fn tell_at_times(&self) {
        let Ok(mut times) = self.times.try_lock() else { return };
        let now = now();
        if now - times.1 < EVERY {
            return;
        }
        times.1 = now;
        let (done, count, seconds) =
            (self.bar.position(), self.bar.length().unwrap_or(0), (now - times.0).as_secs_f64());
        let rate = done as f64 / seconds;
        let left = Duration::try_from_secs_f64(count.saturating_sub(done) as f64 / rate).unwrap_or(Duration::MAX);
        tell(&format!("{done} of {count} {}, {rate:.1}/s, {} left", self.bar.message(), HumanDuration(left)));
    }
}

impl Watch for TerminalBar {
    fn begin(&self, count: usize, what: &str) {
        self.bar.reset();
        self.bar.set_length(count as u64);
        self.bar.set_message(what.to_owned());
        if let Ok(mut times) = self.times.lock() {
            *times = (now(), now());
        }
    }

    fn advance(&self, parts: usize) {
        self.bar.inc(parts as u64);
        if self.bar.is_hidden() {
            self.tell_at_times();
        }
    }

    fn recount(&self, count: usize) {
        self.bar.set_length(count as u64);
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn goes_on(&self) -> bool {
        true
    }
}
