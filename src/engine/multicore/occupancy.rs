//! How full a memory is over time.

use super::steps::{MOST_STEPS, StepIndex, last_where};
use crate::units::{Bits, Cycles};

/// Bits in use, as a step function of whole cycles. A change counts from its cycle on.
///
/// Nearly every change adds to all that comes later, so that steps are in blocks, each with an amount that is added to all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Occupancy {
    capacity_bits: i64,
    blocks: Vec<UsageBlock>,
}

/// Some steps; there is at least one.
#[derive(Debug, Clone, PartialEq)]
struct UsageBlock {
    /// Cycle of the first step.
    start: i64,
    /// The first of all is at cycle 0.
    steps: Vec<UsageStep>,
    /// Bits that are added to all.
    added: i64,
    /// Fewest and most bits of a step, with the bits that are added.
    range: (i64, i64),
}

/// Bits in use from a cycle on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct UsageStep {
    cycle: i64,
    /// The bits, without those that are added to the block.
    bits: i64,
}

impl UsageBlock {
    fn new(steps: Vec<UsageStep>, added: i64) -> Self {
        let mut block = Self { start: steps.first().map_or(0, |step| step.cycle), steps, added, range: (0, 0) };
        block.measure();
        block
    }

    fn measure(&mut self) {
        let bits = self.steps.iter().map(|step| step.bits);
        let (least, most) = bits.fold((i64::MAX, i64::MIN), |(least, most), bits| (least.min(bits), most.max(bits)));
        self.range = (least + self.added, most + self.added);
    }

    /// Adds to the steps from one on.
    fn change(&mut self, first: usize, bits: i64) {
        if first == 0 {
            self.added += bits;
            self.range = (self.range.0 + bits, self.range.1 + bits);
            return;
        }
        self.steps[first..].iter_mut().for_each(|step| step.bits += bits);
        self.measure();
    }
}

impl Occupancy {
    /// An empty memory.
    pub fn new(capacity: Bits) -> Self {
        let capacity_bits = capacity.0.min(i64::MAX as u64) as i64;
        Self { capacity_bits, blocks: vec![UsageBlock::new(vec![UsageStep::default()], 0)] }
    }

    /// The steps: cycle, and bits from then on; of several in one cycle the last. Rules that free a place before it is
    /// filled leave a negative number, which counts as 0.
    pub fn steps(&self) -> Vec<(i64, u64)> {
        let of_block = |block: &UsageBlock| {
            block.steps.iter().map(|step| (step.cycle, (step.bits + block.added).max(0) as u64)).collect()
        };
        let mut steps: Vec<(i64, u64)> = self.blocks.iter().flat_map::<Vec<(i64, u64)>, _>(of_block).collect();
        steps.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                *kept = *later;
            }
            is_same
        });
        steps
    }

    /// The last step that is not later than a time, or the first of all.
    fn step_at(&self, time: Cycles<f64>) -> StepIndex {
        // Steps are at whole cycles.
        let cycle = time.0.floor() as i64;
        let block = last_where(&self.blocks, |block| block.start <= cycle);
        StepIndex { block, step: last_where(&self.blocks[block].steps, |step| step.cycle <= cycle) }
    }

    fn cycle(&self, StepIndex { block, step }: StepIndex) -> Cycles<f64> {
        Cycles(self.blocks[block].steps[step].cycle as f64)
    }

    /// The step after one.
    fn next(&self, StepIndex { block, step }: StepIndex) -> Option<StepIndex> {
        if step + 1 < self.blocks[block].steps.len() {
            return Some(StepIndex { block, step: step + 1 });
        }
        (block + 1 < self.blocks.len()).then_some(StepIndex { block: block + 1, step: 0 })
    }

    fn last(&self) -> StepIndex {
        let block = self.blocks.len() - 1;
        StepIndex { block, step: self.blocks[block].steps.len() - 1 }
    }

    /// The last step from one on at which so many bits more do not fit.
    fn last_too_full(&self, StepIndex { block: first, step }: StepIndex, bits: Bits) -> Option<StepIndex> {
        let most = self.capacity_bits - bits.0 as i64;
        self.blocks[first..].iter().enumerate().rev().filter(|(_, block)| block.range.1 > most).find_map(
            |(at, block)| {
                let from = if at == 0 { step } else { 0 };
                let place = block.steps[from..].iter().rposition(|step| step.bits + block.added > most)?;
                Some(StepIndex { block: first + at, step: from + place })
            },
        )
    }

    /// Adds bits from a time on.
    pub fn add(&mut self, time: Cycles<f64>, bits: Bits) {
        self.change(time, bits.0 as i64);
    }

    /// Frees bits from a time on.
    pub fn free(&mut self, time: Cycles<f64>, bits: Bits) {
        self.change(time, -(bits.0 as i64));
    }

    fn change(&mut self, time: Cycles<f64>, bits: i64) {
        let cycle = time.0 as i64;
        let is_whole = cycle as f64 == time.0;
        // A change within a cycle is a step of its own, after all others of the cycle.
        let StepIndex { block: mut at, step: mut first } = self.first_from(if is_whole { cycle } else { cycle + 1 });
        let is_next = first == self.blocks[at].steps.len()
            && self.blocks.get(at + 1).is_some_and(|next| is_whole && next.start == cycle);
        if is_next {
            (at, first) = (at + 1, 0);
        }
        let block = &mut self.blocks[at];
        if !is_whole || block.steps.get(first).is_none_or(|step| step.cycle != cycle) {
            block.steps.insert(first, UsageStep { cycle, ..block.steps[first - 1] });
        }
        block.change(first, bits);
        self.blocks[at + 1..].iter_mut().for_each(|block| block.change(0, bits));
        let block = &mut self.blocks[at];
        if block.steps.len() >= MOST_STEPS {
            let after = block.steps.split_off(MOST_STEPS / 2);
            block.measure();
            let added = block.added;
            self.blocks.insert(at + 1, UsageBlock::new(after, added));
        }
    }

    /// Where the first step from a cycle on is, or would be: at the end of the last block that begins before the cycle, if not within.
    fn first_from(&self, cycle: i64) -> StepIndex {
        let block = last_where(&self.blocks, |block| block.start < cycle);
        let steps = &self.blocks[block].steps;
        let before = last_where(steps, |step| step.cycle < cycle);
        StepIndex { block, step: before + usize::from(steps[before].cycle < cycle) }
    }

    /// The first time from `time` on at which so many bits fit for ever. Where that is never, the time of the last step.
    pub fn earliest_fit(&self, time: Cycles<f64>, bits: Bits) -> Cycles<f64> {
        match self.last_too_full(self.step_at(time), bits) {
            None => time,
            Some(last) => self.cycle(self.next(last).unwrap_or(last)),
        }
    }

    /// The first time not before `time` of those at which the tool of June 2023 looks: the step before it and all after it. `None` if so
    /// many bits never fit.
    pub fn late_fit(&self, time: Cycles<f64>, bits: Bits) -> Option<Cycles<f64>> {
        // The last step before; before the first one the tool finds the last of all.
        let block = self.blocks.partition_point(|block| (block.start as f64) < time.0);
        let first = match block.checked_sub(1) {
            Some(block) => {
                let before = self.blocks[block].steps.partition_point(|step| (step.cycle as f64) < time.0);
                StepIndex { block, step: before - 1 }
            }
            None => self.last(),
        };
        let at = match self.last_too_full(first, bits) {
            None => first,
            Some(last) => self.next(last)?,
        };
        Some(self.cycle(at).max(time))
    }

    /// The bits beyond the capacity that would be in use at a time with so many more.
    pub fn excess_at(&self, time: Cycles<f64>, bits: Bits) -> Bits {
        let StepIndex { block, step } = self.step_at(time);
        let used = self.blocks[block].steps[step].bits + self.blocks[block].added;
        Bits((used + bits.0 as i64 - self.capacity_bits).max(0) as u64)
    }
}
