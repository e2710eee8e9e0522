//! Step functions of time. They grow at their end, where most of what is asked about them lies, too.

use super::traffic::Span;
use crate::units::{BitsPerCycle, Cycles};

/// A block is divided once it has so many steps.
pub const MOST_STEPS: usize = 64;

/// Where a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its block.
    pub block: usize,
    /// Its place there.
    pub step: usize,
}

/// The last of some items for which something holds that holds for all before it, or the first item. It is looked for from the end on.
pub fn last_where<T>(items: &[T], holds: impl Fn(&T) -> bool) -> usize {
    let mut reach = 1;
    while reach < items.len() && !holds(&items[items.len() - reach]) {
        reach *= 2;
    }
    let first = items.len().saturating_sub(reach);
    let within = &items[first..items.len() - reach / 2];
    (first + within.partition_point(holds)).saturating_sub(1)
}

/// What is in use from a time on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Step {
    /// The time.
    pub from: Cycles<f64>,
    /// The part of a bandwidth that is in use, until the next step.
    pub used: BitsPerCycle<f64>,
}

/// What is in use of a bandwidth over time. Neighbours may be equal.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    /// In order, so that a change moves few. None is empty, and the first step is at time 0.
    blocks: Vec<Vec<Step>>,
}

impl Steps {
    /// Zero for ever.
    pub fn new() -> Self {
        Self { blocks: vec![vec![Step::default()]] }
    }

    /// The step at a time that is not negative.
    pub fn at(&self, time: Cycles<f64>) -> Place {
        let block = last_where(&self.blocks, |block| block[0].from <= time);
        Place { block, step: last_where(&self.blocks[block], |step| step.from <= time) }
    }

    /// The last step of all.
    pub fn last(&self) -> Step {
        self.blocks.last().and_then(|block| block.last().copied()).unwrap_or_default()
    }

    /// A step and all after it.
    pub fn from(&self, Place { block, step }: Place) -> impl Iterator<Item = Step> {
        self.blocks[block][step..].iter().chain(self.blocks[block + 1..].iter().flatten()).copied()
    }

    /// The step before one.
    pub fn before(&self, Place { block, step }: Place) -> Option<Step> {
        match step.checked_sub(1) {
            Some(step) => Some(self.blocks[block][step]),
            None => self.blocks[block.checked_sub(1)?].last().copied(),
        }
    }

    /// Takes more within a span.
    pub fn add(&mut self, Span { start, end }: Span, more: BitsPerCycle<f64>) {
        self.divide(start);
        self.divide(end);
        let Place { block: first, step: mut from } = self.at(start);
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
        let Place { block: at, step } = self.at(time);
        let block = &mut self.blocks[at];
        if block[step].from == time {
            return;
        }
        block.insert(step + 1, Step { from: time, ..block[step] });
        if block.len() >= MOST_STEPS {
            let after = block.split_off(MOST_STEPS / 2);
            self.blocks.insert(at + 1, after);
        }
    }

    /// Removes the step that begins at a time if it is as high as the one before.
    fn join(&mut self, time: Cycles<f64>) {
        let place @ Place { block: at, step } = self.at(time);
        if self.before(place).is_some_and(|before| before.used == self.blocks[at][step].used) {
            self.blocks[at].remove(step);
            if self.blocks[at].is_empty() {
                self.blocks.remove(at);
            }
        }
    }
}
