//! Step functions of time, in blocks. They grow at their end, where most look-ups are, too: these begin at the end and gallop backwards.

use super::link_occupancy::TimeSpan;
use crate::units::{BitsPerCycle, Cycles};

/// A block is divided in two when it has this many steps.
pub const MOST_STEPS: usize = 64;

/// The place of a step in a [`StepFunction`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepIndex {
    /// Index of the block in the function.
    pub block: usize,
    /// Its index in the block.
    pub step: usize,
}

/// Index of the last item that satisfies a predicate, which holds for all items before it; 0 if there is none. Galloping search from the
/// end.
pub fn last_where<T>(items: &[T], holds: impl Fn(&T) -> bool) -> usize {
    let mut reach = 1;
    while reach < items.len() && !holds(&items[items.len() - reach]) {
        reach *= 2;
    }
    let first = items.len().saturating_sub(reach);
    let within = &items[first..items.len() - reach / 2];
    (first + within.partition_point(holds)).saturating_sub(1)
}

/// A step of a [`StepFunction`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepStart {
    /// The time.
    pub from: Cycles<f64>,
    /// The part of a bandwidth that is in use, until the next step.
    pub used: BitsPerCycle<f64>,
}

/// A step function: the bandwidth in use over time. Neighbours may be equal.
#[derive(Debug, Clone, PartialEq)]
pub struct StepFunction {
    /// Blocks in the order of time, so that a change moves few steps. None is empty, and the first step is at time 0.
    blocks: Vec<Vec<StepStart>>,
}

impl StepFunction {
    /// Zero for ever.
    pub fn new() -> Self {
        Self { blocks: vec![vec![StepStart::default()]] }
    }

    /// The step at a time of 0 or later.
    pub fn at(&self, time: Cycles<f64>) -> StepIndex {
        let block = last_where(&self.blocks, |block| block[0].from <= time);
        StepIndex { block, step: last_where(&self.blocks[block], |step| step.from <= time) }
    }

    /// The step with the latest beginning; its value holds from there on.
    pub fn last(&self) -> StepStart {
        self.blocks.last().and_then(|block| block.last().copied()).unwrap_or_default()
    }

    /// A step and all after it.
    pub fn from(&self, StepIndex { block, step }: StepIndex) -> impl Iterator<Item = StepStart> {
        self.blocks[block][step..].iter().chain(self.blocks[block + 1..].iter().flatten()).copied()
    }

    /// The preceding step; `None` for the first.
    pub fn before(&self, StepIndex { block, step }: StepIndex) -> Option<StepStart> {
        match step.checked_sub(1) {
            Some(step) => Some(self.blocks[block][step]),
            None => self.blocks[block.checked_sub(1)?].last().copied(),
        }
    }

    /// Adds an amount within a span.
    pub fn add(&mut self, TimeSpan { start, end }: TimeSpan, more: BitsPerCycle<f64>) {
        self.divide(start);
        self.divide(end);
        let StepIndex { block: first, step: mut from } = self.at(start);
        for block in &mut self.blocks[first..] {
            let within = block[from..].iter_mut().take_while(|step| step.from < end);
            within.for_each(|step| step.used += more);
            from = 0;
            if block.last().is_some_and(|step| step.from >= end) {
                break;
            }
        }
        // Only at the ends may neighbours have become equal.
        self.join(end);
        self.join(start);
    }

    /// Makes a step begin at a time.
    fn divide(&mut self, time: Cycles<f64>) {
        let StepIndex { block: at, step } = self.at(time);
        let block = &mut self.blocks[at];
        if block[step].from == time {
            return;
        }
        block.insert(step + 1, StepStart { from: time, ..block[step] });
        if block.len() >= MOST_STEPS {
            let after = block.split_off(MOST_STEPS / 2);
            self.blocks.insert(at + 1, after);
        }
    }

    /// Removes the step that begins at a time if it is as high as the one before.
    fn join(&mut self, time: Cycles<f64>) {
        let place @ StepIndex { block: at, step } = self.at(time);
        if self.before(place).is_some_and(|before| before.used == self.blocks[at][step].used) {
            self.blocks[at].remove(step);
            if self.blocks[at].is_empty() {
                self.blocks.remove(at);
            }
        }
    }
}
