//! The visible part of a schedule's time.

/// A span of time, cycles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeWindow {
    /// First cycle.
    pub start: f64,
    /// Cycle behind the last.
    pub end: f64,
}

/// Smallest window, cycles.
const LEAST: f64 = 16.0;

impl TimeWindow {
    /// The window of a whole schedule of this latency, cycles.
    pub fn whole(latency: f64) -> Self {
        Self { start: 0.0, end: if latency.is_finite() { latency.max(LEAST) } else { LEAST } }
    }

    /// Cycles.
    pub fn length(self) -> f64 {
        self.end - self.start
    }

    /// A window `share` times as long, with the time `at` at the same position.
    pub fn zoomed(self, share: f64, at: f64, latency: f64) -> Self {
        let at = at.clamp(self.start, self.end);
        let length = (self.length() * share).clamp(LEAST, Self::whole(latency).end);
        let before = (at - self.start) / self.length() * length;
        fitted(at - before, length, latency)
    }

    /// The window moved by `cycles`.
    pub fn moved(self, cycles: f64, latency: f64) -> Self {
        fitted(self.start + cycles, self.length(), latency)
    }

    /// The window moved as little as possible to contain a span, or its beginning if the span is longer.
    pub fn holding(self, (from, to): (f64, f64), latency: f64) -> Self {
        let start = self.start.max(to - self.length()).min(from);
        fitted(start, self.length(), latency)
    }

    /// The smallest window around a span, with a margin at both ends.
    pub fn around((from, to): (f64, f64), latency: f64) -> Self {
        let room = 0.05 * (to - from);
        fitted(from - room, (to - from + 2.0 * room).max(LEAST), latency)
    }

    /// Whether a span overlaps it.
    pub fn shows(self, (from, to): (f64, f64)) -> bool {
        from < self.end && to > self.start
    }
}

fn fitted(start: f64, length: f64, latency: f64) -> TimeWindow {
    let whole = TimeWindow::whole(latency).end;
    let length = length.min(whole);
    let start = start.clamp(0.0, whole - length);
    TimeWindow { start, end: start + length }
}

#[cfg(test)]
mod tests {
    use super::TimeWindow;

    #[test]
    fn a_window_stays_within_the_schedule_whatever_is_asked() {
        for latency in [0.0, 5.0, 16.0, 1e3, 3e9] {
            let mut window = TimeWindow::whole(latency);
            for step in 0..300_u32 {
                let at = f64::from(step * 37 % 101) / 90.0 * latency - 0.05 * latency;
                window = match step % 5 {
                    0 => window.zoomed(0.3, at, latency),
                    1 => window.moved(at - 0.5 * latency, latency),
                    2 => window.holding((at, at + f64::from(step)), latency),
                    3 => window.zoomed(1.9, at, latency),
                    _ => TimeWindow::around((at, at + f64::from(step)), latency),
                };
                let whole = TimeWindow::whole(latency);
                assert!(window.start >= 0.0 && window.end <= whole.end * (1.0 + 1e-12), "{window:?} of {latency}");
                assert!(window.length() >= 15.999, "{window:?} of {latency}");
            }
        }
    }

    #[test]
    fn zooming_keeps_the_time_under_the_pointer_in_its_place() {
        let window = TimeWindow { start: 1000.0, end: 3000.0 };
        let closer = window.zoomed(0.5, 1500.0, 10_000.0);
        assert_eq!(closer, TimeWindow { start: 1250.0, end: 2250.0 });
        assert_eq!(closer.zoomed(2.0, 1500.0, 10_000.0), window);
        assert_eq!(window.holding((3500.0, 3600.0), 10_000.0), TimeWindow { start: 1600.0, end: 3600.0 });
        assert_eq!(window.holding((500.0, 9000.0), 10_000.0).start, 500.0);
        assert_eq!(window.holding((1200.0, 1300.0), 10_000.0), window);
    }
}
