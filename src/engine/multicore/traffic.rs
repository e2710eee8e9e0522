//! What a link carries over time.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

/// A time span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// First cycle.
    pub start: f64,
    /// First cycle after it.
    pub end: f64,
}

/// Bits in a cycle, as a step function of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    bandwidth: f64,
    /// Bits a cycle from a time on, which is never negative, so that its bits have its order; neighbours differ.
    steps: BTreeMap<u64, f64>,
    /// When each tensor was carried first, and later.
    carried: FxHashMap<usize, (Span, Vec<Span>)>,
}

/// A time as it orders steps.
fn key(time: f64) -> u64 {
    // Zero has no sign.
    (time + 0.0).to_bits()
}

impl Traffic {
    /// An idle link.
    pub fn new(bandwidth: f64) -> Self {
        Self { bandwidth, steps: BTreeMap::from([(0, 0.0)]), carried: FxHashMap::default() }
    }

    /// The windows from `time` on, at least `length` long, in which `needed` bits a cycle (at most the bandwidth) are free, in the order
    /// in which they are taken: first those in which the tensor is carried anyway.
    pub fn windows(&self, tensor: Option<usize>, time: f64, length: f64, needed: f64) -> impl Iterator<Item = Span> {
        let carried = tensor.and_then(|tensor| self.carried.get(&tensor));
        let carried = carried.into_iter().flat_map(|(first, later)| std::iter::once(first).chain(later)).copied();
        let is_open = move |span: &Span| span.start >= time && span.end - span.start >= length;
        carried.filter(is_open).chain(self.gaps(time, needed.min(self.bandwidth)).filter(is_open))
    }

    /// The windows in which so much is free, from a time on.
    fn gaps(&self, time: f64, needed: f64) -> impl Iterator<Item = Span> {
        let first = self.steps.range(..=key(time)).next_back().map_or(0, |step| *step.0);
        let mut steps = self.steps.range(first..);
        let is_free = move |step: &(&u64, &f64)| step.1 + needed <= self.bandwidth;
        std::iter::from_fn(move || {
            let start = f64::from_bits(*steps.find(is_free)?.0).max(time);
            let end = steps.find(|step| !is_free(step)).map_or(f64::INFINITY, |step| f64::from_bits(*step.0));
            Some(Span { start, end })
        })
    }

    /// When it is free for good.
    pub fn free_from(&self) -> f64 {
        self.steps.last_key_value().map_or(0.0, |step| f64::from_bits(*step.0))
    }

    /// Carries a tensor with all of the bandwidth. Where the same is carried from the same time on anyway, that serves both; says whether it is not.
    pub fn carry(&mut self, tensor: usize, span: Span) -> bool {
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

    /// So many bits a cycle more.
    pub fn load(&mut self, span: Span, bits: f64) {
        if span.end <= span.start {
            return;
        }
        let (start, end) = (key(span.start), key(span.end));
        let before = self.split(start);
        self.split(end);
        let mut last = before;
        for (_, used) in self.steps.range_mut(start..end) {
            *used += bits;
            last = *used;
        }
        // Only at the ends may neighbours have become equal.
        if self.steps.get(&end) == Some(&last) {
            self.steps.remove(&end);
        }
        if start > 0 && self.steps.get(&start) == Some(&before) {
            self.steps.remove(&start);
        }
    }

    /// Makes a step begin at a time, and says what the one before has.
    fn split(&mut self, time: u64) -> f64 {
        let before = self.steps.range(..time).next_back().map_or(0.0, |step| *step.1);
        self.steps.entry(time).or_insert(before);
        before
    }
}
