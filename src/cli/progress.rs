//! A progress bar on a terminal; else one line per minute, for the logs of clusters.

use super::tell;
use fusescape_command::ProgressMonitor;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Interval of lines without a terminal.
const EVERY: Duration = Duration::from_secs(60);

/// The bar of one command: one stage after another.
pub struct TerminalBar {
    bar: ProgressBar,
    stage: Mutex<PlainStage>,
}

/// The data of a line without a terminal.
struct PlainStage {
    began: Instant,
    told: Instant,
    /// Whether the parts take about equally long.
    are_alike: bool,
}

/// Parts of unequal length allow no estimate of the remaining time.
const TEMPLATE: &str = "{bar:40} {pos} of {len} {msg}, {elapsed} so far";
const ALIKE: &str = "{bar:40} {pos} of {len} {msg}, about {eta} left";

impl Default for TerminalBar {
    fn default() -> Self {
        let stage = PlainStage { began: now(), told: now(), are_alike: false };
        Self { bar: ProgressBar::new(0), stage: Mutex::new(stage) }
    }
}

// The command line is native, where this is the system's clock.
#[allow(clippy::disallowed_methods)]
fn now() -> Instant {
    Instant::now()
}

impl TerminalBar {
    fn tell_at_times(&self) {
        let Ok(mut stage) = self.stage.try_lock() else { return };
        let now = now();
        if now - stage.told < EVERY {
            return;
        }
        stage.told = now;
        let (done, count, spent) = (self.bar.position(), self.bar.length().unwrap_or(0), now - stage.began);
        let rate = done as f64 / spent.as_secs_f64();
        let time = if stage.are_alike {
            let left = Duration::try_from_secs_f64(count.saturating_sub(done) as f64 / rate).unwrap_or(Duration::MAX);
            format!("about {} left", HumanDuration(left))
        } else {
            format!("{} so far", HumanDuration(spent))
        };
        tell(&format!("{done} of {count} {}, {rate:.1}/s, {time}", self.bar.message()));
    }

    fn begin_stage(&self, count: usize, what: &str, are_alike: bool) {
        if let Ok(style) = ProgressStyle::with_template(if are_alike { ALIKE } else { TEMPLATE }) {
            self.bar.set_style(style);
        }
        self.bar.reset();
        self.bar.set_length(count as u64);
        self.bar.set_message(what.to_owned());
        if let Ok(mut stage) = self.stage.lock() {
            *stage = PlainStage { began: now(), told: now(), are_alike };
        }
    }
}

impl ProgressMonitor for TerminalBar {
    fn begin(&self, count: usize, what: &str) {
        self.begin_stage(count, what, false);
    }

    fn begin_alike(&self, count: usize, what: &str) {
        self.begin_stage(count, what, true);
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
