//! The genetic search that Stream used before WACO, to compare with (Stream, Section 6; Deb et al., NSGA-II, 2002).

use super::ids::NestId;
use crate::ids::{TiSlice, TiVec};
use crate::pareto;
use crate::system::CoreId;
use serde::{Deserialize, Serialize};

/// The core of each layer: an individual, whose genes are layers.
pub type Individual = TiVec<NestId, CoreId>;

/// The search space: the cores that each layer may run on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Genes {
    /// For each gene the cores to choose from.
    pub choices: TiVec<NestId, Vec<CoreId>>,
}

/// Size of a genetic search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evolution {
    /// Individuals of a generation.
    pub individuals: usize,
    /// Number of generations after the first.
    pub generations: usize,
    /// Seed of all random choices: equal seeds give equal results.
    pub seed: u64,
}

impl Evolution {
    /// The paper's: 16 individuals, 16 generations (Stream, Section 6).
    pub const PAPER: Self = Self { individuals: 16, generations: 16, seed: 1 };
}

/// Energy in pJ and latency in cycles.
pub type Objectives = (f64, f64);

/// Probability that two individuals are crossed; otherwise one is mutated.
const CROSSOVER: f64 = 0.3;
/// Probability that a mutation changes single genes; otherwise two are swapped.
const CHANGE: f64 = 0.75;

/// The Pareto front in energy and latency over all individuals that were evaluated, by energy.
///
/// NSGA-II: the next generation is selected from a generation and its children by rank and crowding distance. A swap that gives a gene a
/// core that it may not have is undone, unlike in the public tool.
pub fn evolve(
    genes: &Genes,
    evolution: Evolution,
    evaluate: &mut dyn FnMut(&TiSlice<NestId, CoreId>) -> Objectives,
) -> Vec<(Individual, Objectives)> {
    let mut random = Random(evolution.seed);
    let size = evolution.individuals.max(2);
    let mut front: Vec<(Individual, Objectives)> = Vec::new();
    let mut evaluated = |individual: Individual, front: &mut Vec<(Individual, Objectives)>| {
        let found = evaluate(&individual);
        remember(front, (individual.clone(), found));
        (individual, found)
    };
    let mut generation: Vec<(Individual, Objectives)> = (0..size)
        .map(|_| {
            let individual = genes.choices.iter().map(|choices| random.of(choices)).collect();
            evaluated(individual, &mut front)
        })
        .collect();
    for _ in 0..evolution.generations {
        let children: Vec<Individual> = (0..size)
            .map(|_| {
                let parent = |random: &mut Random| generation[random.below(generation.len())].0.clone();
                if random.share() < CROSSOVER {
                    let (one, other) = (parent(&mut random), parent(&mut random));
                    cross(one, &other, &mut random)
                } else {
                    mutate(parent(&mut random), genes, &mut random)
                }
            })
            .collect();
        generation.extend(children.into_iter().map(|child| evaluated(child, &mut front)));
        generation = select(generation, size.div_ceil(2).max(2));
    }
    front.sort_by(|a, b| a.1.0.total_cmp(&b.1.0).then(a.1.1.total_cmp(&b.1.1)));
    front
}

fn dominates(one: Objectives, other: Objectives) -> bool {
    pareto::dominates([one.0.partial_cmp(&other.0), one.1.partial_cmp(&other.1)])
}

fn remember(front: &mut Vec<(Individual, Objectives)>, new: (Individual, Objectives)) {
    // Of individuals with equal objectives the first one stays.
    if pareto::admits(front, &new, |one, other| dominates(one.1, other.1) || one.1 == other.1) {
        front.push(new);
    }
}

/// Two-point crossover: the part between two places is taken from the other individual.
fn cross(mut one: Individual, other: &TiSlice<NestId, CoreId>, random: &mut Random) -> Individual {
    let (a, b) = (random.below(one.len() + 1), random.below(one.len() + 1));
    let range = a.min(b)..a.max(b);
    one.raw[range.clone()].copy_from_slice(&other.raw[range]);
    one
}

fn mutate(mut individual: Individual, genes: &Genes, random: &mut Random) -> Individual {
    let count = individual.len();
    if random.share() < CHANGE {
        for (gene, choices) in individual.iter_mut().zip(&genes.choices) {
            if random.below(count) == 0 {
                let others: Vec<CoreId> = choices.iter().copied().filter(|core| core != gene).collect();
                if !others.is_empty() {
                    *gene = random.of(&others);
                }
            }
        }
    } else if count > 0 {
        let (a, b) = (NestId::from(random.below(count)), NestId::from(random.below(count)));
        if genes.choices[a].contains(&individual[b]) && genes.choices[b].contains(&individual[a]) {
            individual.swap(a, b);
        }
    }
    individual
}

/// Selects `count` individuals: whole Pareto fronts, best first, and of the last one those with the largest crowding distance.
fn select(mut all: Vec<(Individual, Objectives)>, count: usize) -> Vec<(Individual, Objectives)> {
    let mut chosen = Vec::new();
    while chosen.len() < count && !all.is_empty() {
        let is_first = |one: &(Individual, Objectives)| !all.iter().any(|other| dominates(other.1, one.1));
        let (mut first, rest): (Vec<_>, Vec<_>) = all.iter().cloned().partition(is_first);
        if chosen.len() + first.len() > count {
            let room = crowding(&first);
            let mut order: Vec<usize> = (0..first.len()).collect();
            order.sort_by(|&a, &b| room[b].total_cmp(&room[a]));
            first = order.into_iter().take(count - chosen.len()).map(|index| first[index].clone()).collect();
        }
        chosen.extend(first);
        all = rest;
    }
    chosen
}

/// Crowding distance of each individual of a front: the sides of the box between its neighbours, as shares of the whole; infinite at the
/// ends.
fn crowding(front: &[(Individual, Objectives)]) -> Vec<f64> {
    let mut room = vec![0.0; front.len()];
    for objective in [|found: Objectives| found.0, |found: Objectives| found.1] {
        let value = |index: usize| objective(front[index].1);
        let mut order: Vec<usize> = (0..front.len()).collect();
        order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
        let (Some(&first), Some(&last)) = (order.first(), order.last()) else { return room };
        let whole = value(last) - value(first);
        (room[first], room[last]) = (f64::INFINITY, f64::INFINITY);
        for three in order.windows(3) {
            if whole > 0.0 {
                room[three[1]] += (value(three[2]) - value(three[0])) / whole;
            }
        }
    }
    room
}

/// Random numbers (Steele, Lea and Flood, SplitMix, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Below a bound; 0 if the bound is.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// From 0 to below 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of some cores; 0 of none.
    fn of(&mut self, choices: &[CoreId]) -> CoreId {
        choices.get(self.below(choices.len())).copied().unwrap_or_default()
    }
}
