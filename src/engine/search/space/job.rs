//! A walk through the mapping space as a job.

use super::{SpacePart, SpaceSearch};
use crate::job::{Job, Progress, Worker};
use crate::spec::Diagnostics;
use std::collections::BTreeMap;

/// Parts that may be known before the part that comes next in order: not all have to be kept.
const MOST_AHEAD: usize = 64;

/// Walks through all parts of a mapping space, and merges them in the order of their numbers.
pub struct SpaceWalk<'s, 'p> {
    search: &'s SpaceSearch<'p>,
    merged: SpacePart,
    /// Number of merged parts.
    done: usize,
    /// Parts that wait for earlier ones.
    ahead: BTreeMap<usize, SpacePart>,
    next: usize,
    /// Parts that came back.
    back: Vec<usize>,
}

impl<'s, 'p> SpaceWalk<'s, 'p> {
    /// A walk that has not begun.
    pub fn new(search: &'s SpaceSearch<'p>) -> Self {
        Self { search, merged: search.start(), done: 0, ahead: BTreeMap::new(), next: 0, back: Vec::new() }
    }

    /// The result of all parts that are known from the first on.
    pub fn merged(&self) -> &SpacePart {
        &self.merged
    }
}

/// The search, and whether to go on: a part is walked to its end, unless the whole walk is stopped.
pub type SpaceBench<'s, 'p> = (&'s SpaceSearch<'p>, &'s (dyn Fn() -> bool + Sync));

impl<'s, 'p> Job for SpaceWalk<'s, 'p> {
    type Bench = SpaceBench<'s, 'p>;
    type Task = usize;
    type Done = SpacePart;

    fn run(
        (search, goes_on): &mut SpaceBench<'s, 'p>,
        part: &usize,
        _: &mut dyn FnMut() -> bool,
    ) -> Result<SpacePart, Diagnostics> {
        Ok(search.part_while(*part, goes_on))
    }

    fn next(&mut self, _: Worker) -> Option<usize> {
        self.back.pop().or_else(|| {
            let part = self.next;
            (part < self.search.parts().min(self.done + MOST_AHEAD)).then(|| self.next += 1)?;
            Some(part)
        })
    }

    fn take(&mut self, part: usize, done: SpacePart) {
        self.ahead.insert(part, done);
        while let Some(part) = self.ahead.remove(&self.done) {
            self.merged.merge(&part);
            self.done += 1;
        }
    }

    fn put_back(&mut self, part: usize) {
        self.back.push(part);
    }

    fn progress(&self) -> Progress {
        let done = self.done + self.ahead.len();
        Progress { done, all: self.search.parts(), unit: "parts of the mapping space", are_alike: false }
    }
}
