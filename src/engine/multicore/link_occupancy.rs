//! Occupancy of communication links over time.

use super::ids::TensorId;
use super::steps::{StepFunction, StepStart};
use crate::units::{BitsPerCycle, Cycles};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// From a cycle to another, the end excluded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeSpan {
    /// First cycle.
    pub start: Cycles<f64>,
    /// First cycle after it.
    pub end: Cycles<f64>,
}

impl TimeSpan {
    /// Its duration.
    pub fn length(self) -> Cycles<f64> {
        self.end - self.start
    }
}

/// A request for a window of a link.
#[derive(Debug, Clone, Copy)]
pub struct WindowRequest<'a> {
    /// The tensors to be carried. Where the link carries one for another core at the same time, one transfer serves both.
    pub tensors: &'a [TensorId],
    /// Earliest start, cycles.
    pub time: Cycles<f64>,
    /// Length, cycles.
    pub length: Cycles<f64>,
    /// Bandwidth that has to be free, at most that of the link.
    pub needed: BitsPerCycle<f64>,
}

/// Bandwidth of a link in use, as a step function of time.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkOccupancy {
    bandwidth: BitsPerCycle<f64>,
    /// The part of it that is in use.
    used: StepFunction,
    /// Spans in which each tensor is carried, the first one apart, as most have no other.
    carried: FxHashMap<TensorId, (TimeSpan, Vec<TimeSpan>)>,
}

impl LinkOccupancy {
    /// An idle link.
    pub fn new(bandwidth: BitsPerCycle<f64>) -> Self {
        Self { bandwidth, used: StepFunction::new(), carried: FxHashMap::default() }
    }

    /// The windows within a span that suit a request: first those in which the tensors are carried anyway, then by time.
    pub fn windows(&self, wanted: WindowRequest<'_>, within: TimeSpan) -> impl Iterator<Item = TimeSpan> {
        let common =
            move |span: TimeSpan| TimeSpan { start: span.start.max(within.start), end: span.end.min(within.end) };
        let is_open = move |span: &TimeSpan| span.length() >= wanted.length;
        self.shared(wanted).chain(self.gaps(within, wanted.needed)).map(common).filter(is_open)
    }

    /// The spans not before the time of a request in which its tensors are carried anyway, tensor by tensor.
    pub fn shared(&self, wanted: WindowRequest<'_>) -> impl Iterator<Item = TimeSpan> {
        let of_tensor = |tensor: &TensorId| self.carried.get(tensor);
        let carried = wanted.tensors.iter().filter_map(of_tensor);
        let spans = carried.flat_map(|(first, later)| std::iter::once(first).chain(later)).copied();
        spans.filter(move |span| span.start >= wanted.time && span.length() >= wanted.length)
    }

    /// Windows with `needed` bits per cycle free (at most the bandwidth), by time, that begin before the end of a span;
    /// the first one may begin before it.
    fn gaps(&self, within: TimeSpan, needed: BitsPerCycle<f64>) -> impl Iterator<Item = TimeSpan> {
        let needed = needed.min(self.bandwidth);
        let mut steps = self.used.from(self.used.at(within.start));
        let is_free = move |step: &StepStart| step.used + needed <= self.bandwidth;
        std::iter::from_fn(move || {
            let start = steps.find(is_free)?.from;
            let end = steps.find(|step| !is_free(step)).map_or(Cycles::INFINITY, |step| step.from);
            (start < within.end).then_some(TimeSpan { start, end })
        })
    }

    /// The time from which the link is free for good, cycles.
    pub fn free_from(&self) -> Cycles<f64> {
        self.used.last().from
    }

    /// Carries a tensor with all of the bandwidth. Returns `false` if the link carries it from the same time on anyway, as one transfer
    /// serves both.
    pub fn carry(&mut self, tensor: TensorId, span: TimeSpan) -> bool {
        self.stream(&[tensor], span, self.bandwidth)
    }

    /// Carries tensors side by side with so much of the bandwidth. Returns `false` if the link carries one of them from
    /// the same time on anyway. Tensors of no bits leave no trace.
    pub fn stream(&mut self, tensors: &[TensorId], span: TimeSpan, load: BitsPerCycle<f64>) -> bool {
        if span.end <= span.start {
            return true;
        }
        let is_same = |tensor: &TensorId| {
            let carried = self.carried.get(tensor);
            carried.is_some_and(|(first, later)| std::iter::once(first).chain(later).any(|of| of.start == span.start))
        };
        if tensors.iter().any(is_same) {
            return false;
        }
        for &tensor in tensors {
            match self.carried.entry(tensor) {
                Entry::Vacant(entry) => {
                    entry.insert((span, Vec::new()));
                }
                Entry::Occupied(mut entry) => entry.get_mut().1.push(span),
            }
        }
        self.load(span, load);
        true
    }

    /// Adds a load.
    pub fn load(&mut self, span: TimeSpan, more: BitsPerCycle<f64>) {
        if span.end > span.start {
            self.used.add(span, more);
        }
    }
}

/// The spans common to windows of two links, as the public tool finds them: it goes along both lists, and drops the one
/// of two windows that ends first. Where the lists are not in order, it misses some.
pub fn merged(these: &[TimeSpan], those: &[TimeSpan]) -> Vec<TimeSpan> {
    let (mut these, mut those) = (these.iter().peekable(), those.iter().peekable());
    // Of neighbours that touch, it joins two, but no third.
    let (mut common, mut is_joined): (Vec<TimeSpan>, bool) = (Vec::new(), false);
    while let (Some(&&this), Some(&&that)) = (these.peek(), those.peek()) {
        if this.end < that.end {
            these.next();
        } else {
            those.next();
        }
        if this.end >= that.start && that.end >= this.start {
            let span = TimeSpan { start: this.start.max(that.start), end: this.end.min(that.end) };
            match common.last_mut() {
                Some(last) if last.end == span.start && !is_joined => (last.end, is_joined) = (span.end, true),
                _ => {
                    common.push(span);
                    is_joined = false;
                }
            }
        }
    }
    common
}
