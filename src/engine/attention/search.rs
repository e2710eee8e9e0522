//! The best schedule of attention, by trying every one that is not proved to be worse.
//!
//! The space: what runs together ([`Fusion::ALL`]), whether keys and values are streamed or stay, how many query heads of a group share a tile,
//! and every number of tiles of queries and of keys up to [`MOST_TILES`], each with the smallest tiles of that number and with these rounded up
//! to what the array takes at once. What crosses the border of the chip does not depend on the tiles of keys (but where these stay), so that one
//! number of them bounds all others.

use super::account::{Account, account, fits};
use super::machine::Machine;
use super::problem::Problem;
use super::schedule::{Fusion, KeysHeld, Schedule};
use crate::search::Objective;
use crate::units::Cycles;
use serde::{Deserialize, Serialize};

/// More tiles along queries or keys are not tried.
pub const MOST_TILES: u64 = 4096;

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// For each of [`Fusion::ALL`] its best schedule; `None` where none fits.
    pub best_of: Vec<(Fusion, Option<Account>)>,
    /// How many schedules were priced; the others are proved not to be better.
    pub priced: u64,
}

impl Found {
    /// The best of all; `None` where none fits.
    pub fn best(&self, objective: &Objective, machine: &Machine) -> Option<&Account> {
        let all = self.best_of.iter().filter_map(|(_, account)| account.as_ref());
        all.min_by(|one, other| {
            score(objective, machine, one).total_cmp(&score(objective, machine, other))
        })
    }

    /// The best that does not fuse.
    pub fn unfused(&self) -> Option<&Account> {
        self.best_of.iter().find(|(fusion, _)| *fusion == Fusion::None)?.1.as_ref()
    }
}

/// The score of an account, in the unit of the objective.
pub fn score(objective: &Objective, machine: &Machine, account: &Account) -> f64 {
    let words = || account.dram_bits() as f64 / machine.dram.read_width as f64;
    let energy = account.energy_pj();
    objective.combine(energy, Cycles(account.latency_cycles() as f64), &words, &|_| words())
}

/// The best schedules of all kinds.
pub fn search(problem: &Problem, machine: &Machine, objective: &Objective) -> Found {
    let mut priced = 0;
    let best_of = Fusion::ALL.map(|fusion| {
        let mut search = Search { problem, machine, objective, best: None, priced: 0 };
        search.fusion(fusion);
        priced += search.priced;
        (fusion, search.best.map(|(_, account)| account))
    });
    Found { best_of: best_of.to_vec(), priced }
}

struct Search<'a> {
    problem: &'a Problem,
    machine: &'a Machine,
    objective: &'a Objective,
    best: Option<(f64, Account)>,
    priced: u64,
}

impl Search<'_> {
    fn fusion(&mut self, fusion: Fusion) {
        let group = self.problem.group();
        // Keys that stay all the time leave nothing to stream the queries past.
        let held: &[KeysHeld] = match fusion {
            Fusion::KeysStay => &[KeysHeld::Streamed],
            _ => &[KeysHeld::Resident, KeysHeld::Streamed],
        };
        let [of_rows, of_depth, of_columns] = self.machine.unrolled;
        let queries = tile_sizes(self.problem.shape.queries, &[of_rows]);
        let keys = tile_sizes(self.problem.shape.keys, &[of_columns, of_depth]);
        for &held in held {
            for heads in (1..=group).rev().filter(|heads| group.is_multiple_of(*heads)) {
                for &queries in &queries {
                    self.keys(Schedule { fusion, queries, heads, keys: 1, held }, &keys);
                }
            }
        }
    }

    /// All tiles of keys, the largest first.
    fn keys(&mut self, schedule: Schedule, keys: &[u64]) {
        let mut bound = 0.0;
        for &keys in keys {
            let schedule = Schedule { keys, ..schedule };
            if !fits(self.machine, schedule.needed_bits(self.problem)) {
                continue;
            }
            if self.best.as_ref().is_some_and(|(best, _)| bound >= *best) {
                return;
            }
            let Some(account) = account(self.problem, self.machine, &schedule) else { continue };
            self.priced += 1;
            if schedule.fusion != Fusion::KeysStay {
                bound = self.bound(&account);
            }
            let score = score(self.objective, self.machine, &account);
            if self.best.as_ref().is_none_or(|(best, _)| score < *best) {
                self.best = Some((score, account));
            }
        }
    }

    /// No schedule scores less that moves as much to and from DRAM as this one: the multiply-accumulates that count take their energy and
    /// fill the array.
    fn bound(&self, account: &Account) -> f64 {
        let (machine, bits) = (self.machine, &self.problem.bits);
        let shape = &self.problem.shape;
        let macs = self.problem.unmasked_scores() * (shape.depth + shape.value_depth);
        let of_mac = machine.mac_pj(bits.keys, bits.activations) + machine.register_pj(bits.keys, bits.activations, bits.sums);
        let dram: u64 = account.phases.iter().map(|phase| phase.dram).sum();
        let cycles = dram.max(machine.ideal_cycles(macs));
        let words = || account.dram_bits() as f64 / machine.dram.read_width as f64;
        let energy = account.energy[super::account::Cause::Dram as usize] + macs as f64 * of_mac;
        self.objective.combine(energy, Cycles(cycles as f64), &words, &|_| words())
    }
}

/// For every number of tiles the smallest size, and the same rounded up to multiples where that leaves the number; the largest first.
fn tile_sizes(all: u64, multiples: &[u64]) -> Vec<u64> {
    let mut sizes = Vec::new();
    let mut count = 1;
    while count <= MOST_TILES.min(all) {
        let size = all.div_ceil(count);
        sizes.push(size);
        for &multiple in multiples {
            let rounded = size.next_multiple_of(multiple);
            if all.div_ceil(rounded) == all.div_ceil(size) && rounded < all {
                sizes.push(rounded);
            }
        }
        // The next number that smaller tiles make.
        count = if size == 1 { all + 1 } else { all.div_ceil(size - 1) };
    }
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    sizes.dedup();
    sizes
}
