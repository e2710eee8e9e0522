//! ZigZag's iterative search (Section IV-D) against the same steps taken with sets of loops and formulas written by hand: matrix-vector
//! layers, whose operands have no windows, on cores in which every element is a word.

use fusescape_engine::hardware::{Core, Operand};
use fusescape_engine::mapping::{LayerOnCore, LayerProblem};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::space::{SpaceOptions, SpaceSearch};
use fusescape_engine::workload::{Dim, Network};
use fusescape_test_support::random::{Lcg, all_levels, oracle_cases};

/// Outputs, weights and inputs: the order in which the layer lists its operands.
const OPERANDS: [(Operand, Dim); 3] = [(Operand::O, Dim::C), (Operand::W, Dim::B), (Operand::I, Dim::K)];
const BITS: u64 = 8;

/// Numbers of each prime factor of B, K and C.
type Set = Vec<u32>;

struct Problem<'a> {
    core: &'a Core,
    /// Dimension, prime, and its number of occurrences.
    factors: Vec<(Dim, u64, u32)>,
}

/// The end of each memory level of each operand but the highest; undecided levels end with the one that is being
/// filled.
#[derive(Clone)]
struct Ends {
    decided: [Vec<Set>; 3],
    filling: Set,
}

impl Problem<'_> {
    fn levels(&self, operand: usize) -> usize {
        self.core.levels(OPERANDS[operand].0).len()
    }

    fn product(&self, set: &Set, counts: impl Fn(Dim) -> bool) -> f64 {
        let powers = self.factors.iter().zip(set).filter(|(factor, _)| counts(factor.0));
        powers.map(|(factor, &count)| factor.1.pow(count) as f64).product()
    }

    fn all(&self) -> Set {
        self.factors.iter().map(|factor| factor.2).collect()
    }

    /// Number of elements of an operand that some loops touch: all dimensions but the one that reuses it select
    /// elements.
    fn elements(&self, operand: usize, set: &Set) -> f64 {
        self.product(set, |dim| dim != OPERANDS[operand].1)
    }

    /// Energy of all data that crosses the boundary above some loops, between a memory level and the next lower one, or
    /// the array.
    fn boundary_pj(&self, operand: usize, upper: usize, below: &Set) -> f64 {
        let levels = self.core.levels(OPERANDS[operand].0);
        let read = |level: usize| self.core.memories[levels[level]].read_energy_pj;
        let write = |level: usize| self.core.memories[levels[level]].write_energy_pj;
        let [down, up] = match upper.checked_sub(1) {
            Some(lower) => [read(upper) + write(lower), read(lower) + write(upper)],
            None => [read(0), write(0)],
        };
        let changes = self.product(&self.all(), |_| true) / self.product(below, |_| true);
        let (mut loads, mut stores) = (changes, 0.0);
        if OPERANDS[operand].0 == Operand::O {
            // Sums are moved down again in every pass but the first.
            let adds = |dim| dim == Dim::C;
            let passes = self.product(&self.all(), adds) / self.product(below, adds);
            (loads, stores) = (changes - changes / passes, changes);
        }
        self.elements(operand, below) * (loads * down + stores * up)
    }

    fn end(&self, ends: &Ends, operand: usize, level: usize) -> Set {
        ends.decided[operand].get(level).unwrap_or(&ends.filling).clone()
    }

    /// Energy if all further loops are at the highest memories.
    fn energy_pj(&self, ends: &Ends) -> f64 {
        let none = vec![0; self.factors.len()];
        let array: f64 = (0..3).map(|operand| self.boundary_pj(operand, 0, &none)).sum();
        let boundaries = (0..3).flat_map(|operand| (1..self.levels(operand)).map(move |level| (operand, level)));
        let macs = self.product(&self.all(), |_| true) * self.core.mac_energy.energy_pj;
        boundaries
            .map(|(operand, upper)| self.boundary_pj(operand, upper, &self.end(ends, operand, upper - 1)))
            .sum::<f64>()
            + array
            + macs
    }

    /// Whether the levels up to those that are being filled fit; the highest memories hold all data.
    fn fits(&self, ends: &Ends) -> bool {
        self.core.memories.keys().all(|memory| {
            let held = (0..3).map(|operand| {
                let levels = self.core.levels(OPERANDS[operand].0);
                let level = levels.iter().position(|&id| id == memory);
                let is_top = level == Some(levels.len() - 1);
                match level.filter(|&level| level <= ends.decided[operand].len()) {
                    None => 0,
                    Some(_) if is_top => self.elements(operand, &self.all()) as u64 * BITS,
                    Some(level) => self.elements(operand, &self.end(ends, operand, level)) as u64 * BITS,
                }
            });
            held.sum::<u64>() <= self.core.memories[memory].size_bits
        })
    }

    /// All sets that contain one.
    fn larger(&self, set: &Set) -> Vec<Set> {
        let mut all = vec![Vec::new()];
        for (least, factor) in set.iter().zip(&self.factors) {
            let longer =
                |begun: &Set| (*least..=factor.2).map(|count| [&begun[..], &[count]].concat()).collect::<Vec<_>>();
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// The least energy to which the steps lead. `Err` where the paper does not say which of several sets is taken.
    fn search(&self) -> Result<Option<f64>, ()> {
        let mut ends = Ends { decided: Default::default(), filling: vec![0; self.factors.len()] };
        if !self.fits(&ends) {
            return Ok(None);
        }
        loop {
            // The level that is closed is the lowest one, and of these the one with the least room for more of the same
            // data.
            let open = (0..3).filter(|&operand| ends.decided[operand].len() + 1 < self.levels(operand));
            let roof = |&operand: &usize| {
                let level = ends.decided[operand].len();
                let memory = self.core.levels(OPERANDS[operand].0)[level];
                let used = self.elements(operand, &ends.filling) as u64 * BITS;
                (level, self.core.memories[memory].size_bits / used)
            };
            let Some(closing) = open.min_by_key(roof) else { break };
            let filled = |filling: Set| Ends { filling, ..ends.clone() };
            let now = self.energy_pj(&ends);
            let fitting = self.larger(&ends.filling).into_iter().map(filled).filter(|ends| self.fits(ends));
            let mut better: Vec<(f64, Ends)> = fitting.map(|ends| (self.energy_pj(&ends), ends)).collect();
            better.sort_by(|a, b| a.0.total_cmp(&b.0));
            better.retain(|found| found.0 < now * (1.0 - 1e-12));
            if better.len() > 1 && better[1].0 <= better[0].0 * (1.0 + 1e-12) {
                return Err(());
            }
            ends = better.into_iter().next().map_or(ends.clone(), |found| found.1);
            ends.decided[closing].push(ends.filling.clone());
            if !self.fits(&ends) {
                return Ok(None);
            }
        }
        Ok(Some(self.keep_stationary(ends)))
    }

    /// Extends ends by loops that reuse the data below, up to the next end of any level, one after the other, largest
    /// saving first.
    fn keep_stationary(&self, mut ends: Ends) -> f64 {
        loop {
            let contains = |large: &Set, small: &Set| large.iter().zip(small).all(|(large, small)| large >= small);
            let places = (0..3).flat_map(|operand| (0..self.levels(operand) - 1).map(move |level| (operand, level)));
            let lengthened = places.map(|(operand, level)| {
                let end = self.end(&ends, operand, level);
                let above = ends.decided.iter().flatten().filter(|other| **other != end && contains(other, &end));
                let next = above.min_by_key(|other| other.iter().sum::<u32>()).cloned().unwrap_or_else(|| self.all());
                let mut longer = ends.clone();
                for (at, factor) in self.factors.iter().enumerate() {
                    if factor.0 == OPERANDS[operand].1 {
                        longer.decided[operand][level][at] = next[at];
                    }
                }
                longer
            });
            let now = self.energy_pj(&ends);
            let best = lengthened.map(|ends| (self.energy_pj(&ends), ends)).min_by(|a, b| a.0.total_cmp(&b.0));
            match best {
                Some((energy, longer)) if energy < now * (1.0 - 1e-12) => ends = longer,
                _ => return now,
            }
        }
    }
}

fn random_core(random: &mut Lcg) -> Core {
    let mut text = "name: random\narray: { dimensions: { D1: 1 }, mac_energy: 0.5 pJ }\nmemories:\n".to_owned();
    let mut memory = |random: &mut Lcg, name: &str, bytes: u64, operands: &str, most: u64| {
        let mut pj = || 0.01 * (1 + random.below(100 * most)) as f64;
        let (read, write) = (pj(), pj());
        text += &format!(
            "  - {{ name: {name}, size: {bytes} B, operands: {operands}, width: 8 bit, read_energy: {read} pJ, \
             write_energy: {write} pJ, shared_over: all }}\n"
        );
    };
    for (name, operands) in [("rw", "[W]"), ("ri", "[I]"), ("ro", "[O]")] {
        if random.below(4) > 0 {
            let bytes = 1 + random.below(6);
            memory(random, name, bytes, operands, 2);
        }
    }
    let shared = random.of(&["[W, I, O]", "[I, O]", "[W]", "[W, I]"]);
    let bytes = 4 + random.below(40);
    memory(random, "buffer", bytes, shared, 10);
    let dram = random.of(&[40, 100, 1000, 1000, 1000]);
    memory(random, "dram", dram, "[W, I, O]", 100);
    Core::from_text(&text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"))
}

#[test]
fn the_iterative_search_takes_the_steps_of_the_paper() {
    let mut random = Lcg(41);
    let (mut compared, mut without, mut open): (u64, u64, u64) = (0, 0, 0);
    while compared < oracle_cases(300) {
        let core = random_core(&mut random);
        let sizes = [Dim::B, Dim::K, Dim::C].map(|dim| (dim, random.of(&[1, 2, 3, 4, 6, 8, 9])));
        let [batch, k, c] = sizes.map(|size| size.1);
        let network = Network::from_text(&format!(
            "name: one\nbatch: {batch}\nprecision: {{ W: 8, I: 8, O_partial: 8, O: 8 }}\nlayers:\n  \
             - {{ name: in, type: input, K: {c}, size: 1 x 1 }}\n  - {{ name: a, type: fully-connected, K: {k} }}\n"
        ));
        let shape = network.unwrap().layer(1.into()).shape;
        let problem = LayerProblem::new(shape, all_levels(&core), Vec::new());
        let on_core = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let found = SpaceSearch::new(&on_core, SpaceOptions::default()).unwrap().iterative().best;
        let power =
            |size: u64, prime: u64| (1..9).take_while(|&power| size.is_multiple_of(prime.pow(power))).count() as u32;
        let factors = sizes.iter().flat_map(|&(dim, size)| [2, 3].map(|prime| (dim, prime, power(size, prime))));
        let factors = factors.filter(|factor| factor.2 > 0).collect();
        match (Problem { core: &core, factors }).search() {
            Err(()) => open += 1,
            Ok(expected) => {
                let found = found.map(|best| best.energy_pj);
                let is_equal = match (found, expected) {
                    (Some(found), Some(expected)) => (found - expected).abs() <= 1e-9 * expected,
                    (found, expected) => found == expected,
                };
                assert!(is_equal, "{found:?} instead of {expected:?} pJ: {sizes:?} on {core:?}");
                without += u64::from(found.is_none());
                compared += 1;
            }
        }
    }
    assert!(without > 5 && without * 2 < compared && open < compared, "{without} without, {open} open");
}
