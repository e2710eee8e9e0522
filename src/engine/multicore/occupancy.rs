//! How full a memory is over time.

/// Bits in use, as a step function of whole cycles. A change counts from its cycle on.
#[derive(Debug, Clone, PartialEq)]
pub struct Occupancy {
    capacity: u64,
    /// Cycle and bits from then on; the first is cycle 0.
    steps: Vec<(i64, u64)>,
}

impl Occupancy {
    /// An empty memory.
    pub fn new(capacity: u64) -> Self {
        Self { capacity, steps: vec![(0, 0)] }
    }

    /// The steps.
    pub fn steps(&self) -> &[(i64, u64)] {
        &self.steps
    }

    /// The step that `time` falls into.
    fn step_at(&self, time: f64) -> usize {
        self.steps.partition_point(|step| step.0 as f64 <= time).saturating_sub(1)
    }

    /// Bits in use at a time.
    fn at(&self, time: f64) -> u64 {
        self.steps[self.step_at(time)].1
    }

    /// So many more bits from a time on.
    pub fn add(&mut self, time: f64, bits: u64) {
        self.change(time, |used| used + bits);
    }

    /// So many fewer bits from a time on.
    pub fn free(&mut self, time: f64, bits: u64) {
        self.change(time, |used| used.saturating_sub(bits));
    }

    fn change(&mut self, time: f64, change: impl Fn(u64) -> u64) {
        let cycle = time as i64;
        let mut first = self.step_at(cycle as f64);
        if self.steps[first].0 < cycle {
            first += 1;
            self.steps.insert(first, (cycle, self.steps[first - 1].1));
        }
        self.steps[first..].iter_mut().for_each(|step| step.1 = change(step.1));
    }

    /// The first time from `time` on at which so many bits fit for ever. Where that is never, the time of the last step.
    pub fn earliest_fit(&self, time: f64, bits: u64) -> f64 {
        let first = self.step_at(time);
        let fits = |step: &(i64, u64)| step.1 + bits <= self.capacity;
        match self.steps[first..].iter().rposition(|step| !fits(step)) {
            None => time,
            Some(last) => self.steps[(first + last + 1).min(self.steps.len() - 1)].0 as f64,
        }
    }

    /// The first time not before `time` of those at which the tool of June 2023 looks: the step before it and all after it. `None` if so
    /// many bits never fit.
    pub fn late_fit(&self, time: f64, bits: u64) -> Option<f64> {
        let position = self.steps.partition_point(|step| (step.0 as f64) < time);
        // Before the first step the tool finds the last one.
        let first = position.checked_sub(1).unwrap_or(self.steps.len() - 1);
        let at = match self.steps[first..].iter().rposition(|step| step.1 + bits > self.capacity) {
            None => first,
            Some(last) => first + last + 1,
        };
        self.steps.get(at).map(|step| (step.0 as f64).max(time))
    }

    /// How many bits too many would be in use at a time with so many more.
    pub fn excess_at(&self, time: f64, bits: u64) -> u64 {
        (self.at(time) + bits).saturating_sub(self.capacity)
    }
}
