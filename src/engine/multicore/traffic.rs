//! What a link carries over time.

use rustc_hash::FxHashMap;

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
    /// Time, and bits a cycle from then on; neighbours differ.
    steps: Vec<(f64, f64)>,
    /// When each tensor was carried.
    carried: FxHashMap<usize, Vec<Span>>,
}

impl Traffic {
    /// An idle link.
    pub fn new(bandwidth: f64) -> Self {
        Self { bandwidth, steps: vec![(0.0, 0.0)], carried: FxHashMap::default() }
    }

    /// The windows from `time` on, at least `length` long, in which `needed` bits a cycle (at most the bandwidth) are free, in the order
    /// in which they are taken: first those in which the tensor is carried anyway.
    pub fn windows(&self, tensor: Option<usize>, time: f64, length: f64, needed: f64) -> impl Iterator<Item = Span> {
        let carried = tensor.and_then(|tensor| self.carried.get(&tensor)).map_or(&[][..], Vec::as_slice);
        let is_open = move |span: &Span| span.start >= time && span.end - span.start >= length;
        carried.iter().copied().filter(is_open).chain(self.gaps(time, needed.min(self.bandwidth)).filter(is_open))
    }

    /// The windows in which so much is free, from a time on.
    fn gaps(&self, time: f64, needed: f64) -> impl Iterator<Item = Span> {
        let mut at = self.steps.partition_point(|step| step.0 <= time).saturating_sub(1);
        let is_free = move |used: f64| used + needed <= self.bandwidth;
        std::iter::from_fn(move || {
            while !is_free(self.steps.get(at)?.1) {
                at += 1;
            }
            let start = self.steps[at].0.max(time);
            while self.steps.get(at).is_some_and(|step| is_free(step.1)) {
                at += 1;
            }
            Some(Span { start, end: self.steps.get(at).map_or(f64::INFINITY, |step| step.0) })
        })
    }

    /// When it is free for good.
    pub fn free_from(&self) -> f64 {
        self.steps.last().map_or(0.0, |step| step.0)
    }

    /// Carries a tensor with all of the bandwidth. Where the same is carried from the same time on anyway, that serves both; says whether it is not.
    pub fn carry(&mut self, tensor: usize, span: Span) -> bool {
        let spans = self.carried.entry(tensor).or_default();
        if spans.iter().any(|other| other.start == span.start) {
            return false;
        }
        spans.push(span);
        self.load(span, self.bandwidth);
        true
    }

    /// So many bits a cycle more.
    pub fn load(&mut self, span: Span, bits: f64) {
        if span.end <= span.start {
            return;
        }
        let first = self.split(span.start);
        let last = self.split(span.end);
        self.steps[first..last].iter_mut().for_each(|step| step.1 += bits);
        // Only at the ends may neighbours have become equal.
        for at in [last, first] {
            if at > 0 && at < self.steps.len() && self.steps[at].1 == self.steps[at - 1].1 {
                self.steps.remove(at);
            }
        }
    }

    /// Makes a step begin at a time, and says which.
    fn split(&mut self, time: f64) -> usize {
        let at = self.steps.partition_point(|step| step.0 < time);
        if self.steps.get(at).is_none_or(|step| step.0 > time) {
            let used = self.steps[at - 1].1;
            self.steps.insert(at, (time, used));
        }
        at
    }
}
