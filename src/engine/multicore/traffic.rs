//! What a link carries over time.

use super::ids::TensorId;
use super::steps::{Step, Steps};
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

/// What needs a window.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// A tensor that is carried; what others get anyway at the same time serves it, too.
    pub tensor: Option<TensorId>,
    /// Not before this time.
    pub time: Cycles<f64>,
    /// For so many cycles.
    pub length: Cycles<f64>,
}

/// Bits in a cycle, as a step function of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    bandwidth: BitsPerCycle<f64>,
    /// What is in use of it.
    used: Steps,
    /// When each tensor was carried first, and later.
    carried: FxHashMap<TensorId, (Span, Vec<Span>)>,
}

impl Traffic {
    /// An idle link.
    pub fn new(bandwidth: BitsPerCycle<f64>) -> Self {
        Self { bandwidth, used: Steps::new(), carried: FxHashMap::default() }
    }

    /// The windows within a span, long enough and with `needed` bits a cycle (at most the bandwidth) free, in the order in which they are taken:
    /// first those in which the tensor is carried anyway.
    pub fn windows(&self, wanted: Wanted, within: Span, needed: BitsPerCycle<f64>) -> impl Iterator<Item = Span> {
        let carried = wanted.tensor.and_then(|tensor| self.carried.get(&tensor));
        let carried = carried.into_iter().flat_map(|(first, later)| std::iter::once(first).chain(later)).copied();
        let carried = carried.filter(move |span| span.start >= wanted.time);
        let common = move |span: Span| Span { start: span.start.max(within.start), end: span.end.min(within.end) };
        let is_open = move |span: &Span| span.length() >= wanted.length;
        carried.chain(self.gaps(within, needed.min(self.bandwidth))).map(common).filter(is_open)
    }

    /// The windows in which so much is free, from the beginning of a span until they begin behind its end.
    fn gaps(&self, within: Span, needed: BitsPerCycle<f64>) -> impl Iterator<Item = Span> {
        let mut steps = self.used.from(self.used.at(within.start));
        let is_free = move |step: &Step| step.used + needed <= self.bandwidth;
        std::iter::from_fn(move || {
            let start = steps.find(is_free)?.from;
            let end = steps.find(|step| !is_free(step)).map_or(Cycles::INFINITY, |step| step.from);
            (start < within.end).then_some(Span { start, end })
        })
    }

    /// When it is free for good.
    pub fn free_from(&self) -> Cycles<f64> {
        self.used.last().from
    }

    /// Carries a tensor with all of the bandwidth. Where the same is carried from the same time on anyway, that serves both; says whether it is not.
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

    /// Takes so much more of the bandwidth.
    pub fn load(&mut self, span: Span, more: BitsPerCycle<f64>) {
        if span.end > span.start {
            self.used.add(span, more);
        }
    }
}
