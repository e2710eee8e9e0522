//! Statistics of the mappings that were visited: counts, extremes and a sample.

use super::scheme::MappingScheme;
use crate::tolerance::REL_TOLERANCE;
use std::collections::BinaryHeap;

/// Limit on the blockings of equal energy that are searched for the one of least latency.
const MOST_TIED: usize = 32;

/// The result of a part of the mapping space. Parts are merged in the order of their numbers, as ties go to the first.
#[derive(Clone)]
pub struct SpacePart {
    pub(super) blockings: u64,
    pub(super) mappings: u64,
    pub(super) even_blockings: u64,
    pub(super) best: Vec<MappingScheme>,
    pub(super) best_even: Vec<MappingScheme>,
    pub(super) most_pj: f64,
    pub(super) even: Sample,
    pub(super) uneven: Sample,
}

impl SpacePart {
    pub(super) fn new(samples: usize) -> Self {
        let sample = || Sample { most: samples, schemes: BinaryHeap::new() };
        Self {
            blockings: 0,
            mappings: 0,
            even_blockings: 0,
            best: Vec::new(),
            best_even: Vec::new(),
            most_pj: 0.0,
            even: sample(),
            uneven: sample(),
        }
    }

    pub(super) fn add(&mut self, scheme: &MappingScheme, mappings: u64) {
        self.blockings += 1;
        self.mappings = self.mappings.saturating_add(mappings);
        self.most_pj = self.most_pj.max(scheme.energy_pj);
        keep_best(&mut self.best, scheme);
        if scheme.is_even {
            self.even_blockings += 1;
            keep_best(&mut self.best_even, scheme);
            self.even.add(scheme);
        } else {
            self.uneven.add(scheme);
        }
    }

    /// Merges the result of another part.
    pub fn merge(&mut self, other: &Self) {
        self.blockings += other.blockings;
        self.mappings = self.mappings.saturating_add(other.mappings);
        self.even_blockings += other.even_blockings;
        self.most_pj = self.most_pj.max(other.most_pj);
        other.best.iter().for_each(|scheme| keep_best(&mut self.best, scheme));
        other.best_even.iter().for_each(|scheme| keep_best(&mut self.best_even, scheme));
        other.even.schemes.iter().for_each(|Hashed(scheme)| self.even.add(scheme));
        other.uneven.schemes.iter().for_each(|Hashed(scheme)| self.uneven.add(scheme));
    }

    /// Number of blockings that were visited.
    pub fn blockings(&self) -> u64 {
        self.blockings
    }
}

/// Keeps the schemes of least energy, at most [`MOST_TIED`].
fn keep_best(best: &mut Vec<MappingScheme>, scheme: &MappingScheme) {
    if let Some(known) = best.first() {
        if scheme.energy_pj > known.energy_pj * (1.0 + REL_TOLERANCE) {
            return;
        }
        if scheme.energy_pj < known.energy_pj * (1.0 - REL_TOLERANCE) {
            best.clear();
        }
    }
    if best.len() < MOST_TIED {
        best.push(*scheme);
    }
}

/// The schemes with the smallest hashes: as good as a random sample, which neither depends on the order in which
/// schemes come nor on how they are divided among parts.
#[derive(Clone)]
pub(super) struct Sample {
    most: usize,
    /// The largest hash comes up first, to be replaced.
    schemes: BinaryHeap<Hashed>,
}

/// A scheme in the order of its hash.
#[derive(Clone)]
struct Hashed(MappingScheme);

impl Sample {
    fn add(&mut self, scheme: &MappingScheme) {
        if self.schemes.len() == self.most {
            match self.schemes.peek() {
                Some(Hashed(largest)) if scheme.hash < largest.hash => {
                    self.schemes.pop();
                }
                _ => return,
            }
        }
        self.schemes.push(Hashed(*scheme));
    }

    /// The schemes from the smallest hash up.
    pub fn sorted(&self) -> Vec<MappingScheme> {
        self.schemes.clone().into_sorted_vec().into_iter().map(|Hashed(scheme)| scheme).collect()
    }
}

impl Ord for Hashed {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0.hash, self.0.ends).cmp(&(other.0.hash, other.0.ends))
    }
}

impl PartialOrd for Hashed {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Hashed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Hashed {}
