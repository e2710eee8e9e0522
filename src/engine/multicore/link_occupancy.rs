//! Occupancy of communication links over time.

use super::ids::TensorId;
use super::steps::{Step, StepFunction};
use crate::units::{BitsPerCycle, Cycles};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// A time span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// First cycle.
    pub start: Cycles<f64>,
    /// First cycle after it.
    pub end: Cycles<f64>,
}

impl Span {
    /// How long it is.
    pub fn length(self) -> Cycles<f64> {
        self.end - self.start
    }
}

/// A request for a window of a link.
#[derive(Debug, Clone, Copy)]
pub struct WindowRequest {
    /// The tensor to be carried. Where the link carries it for another core at the same time, one transfer serves both.
    pub tensor: Option<TensorId>,
    /// Earliest start, cycles.
    pub time: Cycles<f64>,
    /// Length, cycles.
    pub length: Cycles<f64>,
}

/// Bandwidth of a link in use, as a step function of time.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkOccupancy {
    bandwidth: BitsPerCycle<f64>,
    /// What is in use of it.
    used: StepFunction,
    /// Spans in which each tensor is carried, the first one apart, as most have no other.
    carried: FxHashMap<TensorId, (Span, Vec<Span>)>,
}

impl LinkOccupancy {
    /// An idle link.
    pub fn new(bandwidth: BitsPerCycle<f64>) -> Self {
        Self { bandwidth, used: StepFunction::new(), carried: FxHashMap::default() }
    }

    /// The windows within a span that suit a request, with `needed` bits a cycle free (at most the bandwidth): first those in which the
    /// tensor is carried anyway, then by time.
    pub fn windows(
        &self,
        wanted: WindowRequest,
        within: Span,
        needed: BitsPerCycle<f64>,
    ) -> impl Iterator<Item = Span> {
        let carried = wanted.tensor.and_then(|tensor| self.carried.get(&tensor));
        let carried = carried.into_iter().flat_map(|(first, later)| std::iter::once(first).chain(later)).copied();
        let carried = carried.filter(move |span| span.start >= wanted.time);
        let common = move |span: Span| Span { start: span.start.max(within.start), end: span.end.min(within.end) };
        let is_open = move |span: &Span| span.length() >= wanted.length;
        carried.chain(self.gaps(within, needed.min(self.bandwidth))).map(common).filter(is_open)
    }

    /// Windows with `needed` bits a cycle free, by time, that begin before the end of a span.
    fn gaps(&self, within: Span, needed: BitsPerCycle<f64>) -> impl Iterator<Item = Span> {
        let mut steps = self.used.from(self.used.at(within.start));
        let is_free = move |step: &Step| step.used + needed <= self.bandwidth;
        std::iter::from_fn(move || {
            let start = steps.find(is_free)?.from;
            let end = steps.find(|step| !is_free(step)).map_or(Cycles::INFINITY, |step| step.from);
            (start < within.end).then_some(Span { start, end })
        })
    }

    /// The time from which the link is free for good, cycles.
    pub fn free_from(&self) -> Cycles<f64> {
        self.used.last().from
    }

    /// Carries a tensor with all of the bandwidth. Returns `false` if the link carries it from the same time on anyway, as one transfer
    /// serves both.
    pub fn carry(&mut self, tensor: TensorId, span: Span) -> bool {
        match self.carried.entry(tensor) {
            Entry::Vacant(entry) => {
                entry.insert((span, Vec::new()));
            }
            Entry::Occupied(mut entry) => {
                let (first, later) = entry.get_mut();
                if first.start == span.start || later.iter().any(|other| other.start == span.start) {
                    return false;
                }
                later.push(span);
            }
        }
        self.load(span, self.bandwidth);
        true
    }

    /// Adds a load.
    pub fn load(&mut self, span: Span, more: BitsPerCycle<f64>) {
        if span.end > span.start {
            self.used.add(span, more);
        }
    }
}
