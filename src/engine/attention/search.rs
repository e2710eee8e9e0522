//! The best schedule of attention, by trying every one that is not proved to be worse.
//!
//! The space: what runs together ([`Fusion::ALL`]), whether keys and values are streamed, stay or are computed again, how many query heads
//! of a group share a tile, and tiles of queries and of keys: every size up to [`EVERY_SIZE`]; above, every number of tiles, with the
//! smallest tiles of that number and with these rounded up to what the array takes at once; no more than [`MOST_TILES`] tiles.
//!
//! For every tile of queries a floor holds whatever the tiles of keys are (`floor.rs`). Tiles of queries are taken by ascending floor,
//! until none of those left can be better than what was found.

use super::account::{Account, account, fits};
use super::floor::floor;
use super::machine::Machine;
use super::problem::Problem;
use super::schedule::{Fusion, KeysHeld, Schedule};
use crate::search::Objective;
use crate::units::Cycles;
use serde::{Deserialize, Serialize};

/// More tiles along queries or keys are not tried.
pub const MOST_TILES: u64 = 4096;
/// Every size of a tile up to this is tried.
pub const EVERY_SIZE: u64 = 256;

/// Scores that differ by less, relatively, are equal: sums in another order.
const EQUAL: f64 = 1e-12;

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// For each of [`Fusion::ALL`] its best schedule with keys and values in DRAM; `None` where none fits.
    pub best_of: Vec<(Fusion, Option<Account>)>,
    /// The best of all that compute keys and values again; `None` where none fits, or there is nothing to compute them of.
    pub recomputed: Option<Account>,
    /// How many schedules were priced; the others are proved not to be better.
    pub priced: u64,
}

impl Found {
    /// The best of all with keys and values in DRAM; `None` where none fits.
    pub fn best(&self, objective: &Objective, machine: &Machine) -> Option<&Account> {
        let all = self.best_of.iter().filter_map(|(_, account)| account.as_ref());
        all.min_by(|one, other| score(objective, machine, one).total_cmp(&score(objective, machine, other)))
    }

    /// The other kinds whose best schedules score the same, but for rounding.
    pub fn as_good_as(&self, best: &Account, objective: &Objective, machine: &Machine) -> Vec<Fusion> {
        let least = score(objective, machine, best);
        let is_as_good = |account: &Account| score(objective, machine, account) <= least * (1.0 + EQUAL);
        let others = self.best_of.iter().filter(|(fusion, _)| *fusion != best.schedule.fusion);
        others.filter(|(_, account)| account.as_ref().is_some_and(is_as_good)).map(|(fusion, _)| *fusion).collect()
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
        search.fusions(&[fusion], &KeysHeld::STORED);
        priced += search.priced;
        (fusion, search.best.map(|(_, account)| account))
    });
    let mut again = Search { problem, machine, objective, best: None, priced: 0 };
    if problem.source.is_some() {
        again.fusions(&Fusion::ALL, &KeysHeld::RECOMPUTED);
    }
    let recomputed = again.best.map(|(_, account)| account);
    Found { best_of: best_of.to_vec(), recomputed, priced: priced + again.priced }
}

struct Search<'a> {
    problem: &'a Problem,
    machine: &'a Machine,
    objective: &'a Objective,
    best: Option<(f64, Account)>,
    priced: u64,
}

impl Search<'_> {
    /// Tiles of queries of all these kinds by ascending floor, until the floor of the next is no better than the best schedule.
    fn fusions(&mut self, fusions: &[Fusion], held: &[KeysHeld]) {
        let group = self.problem.group();
        let [of_rows, of_depth, of_columns] = self.machine.unrolled;
        let keys = tile_sizes(self.problem.shape.keys, &[of_columns, of_depth]);
        let mut open: Vec<(f64, Schedule)> = Vec::new();
        for queries in tile_sizes(self.problem.shape.queries, &[of_rows]) {
            for heads in (1..=group).filter(|heads| group.is_multiple_of(*heads)) {
                let kinds = fusions.iter().flat_map(|&fusion| held.iter().map(move |&held| (fusion, held)));
                for (fusion, held) in kinds.filter(|(fusion, held)| fusion.takes(*held)) {
                    let tile = |keys: u64| Schedule { fusion, queries, heads, keys, held };
                    let has_room = |keys: &u64| fits(self.machine, tile(*keys).needed_bits(self.problem));
                    if keys.iter().any(has_room) {
                        open.push((floor(self.problem, self.machine, &tile(1), self.objective), tile(1)));
                    }
                }
            }
        }
        open.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        for (floor, schedule) in open {
            if self.best.as_ref().is_some_and(|(best, _)| floor >= *best) {
                return;
            }
            for &keys in &keys {
                self.price(&Schedule { keys, ..schedule });
            }
        }
    }

    fn price(&mut self, schedule: &Schedule) {
        let Some(account) = account(self.problem, self.machine, schedule) else { return };
        self.priced += 1;
        let score = score(self.objective, self.machine, &account);
        if self.best.as_ref().is_none_or(|(best, _)| score < *best) {
            self.best = Some((score, account));
        }
    }
}

/// The sizes of tiles that are tried, the largest first.
fn tile_sizes(all: u64, multiples: &[u64]) -> Vec<u64> {
    let least = all.div_ceil(MOST_TILES);
    let mut sizes: Vec<u64> = (least..=EVERY_SIZE.min(all)).collect();
    let mut size = all;
    while size > EVERY_SIZE.max(least - 1) {
        let count = all.div_ceil(size);
        let smallest = all.div_ceil(count);
        sizes.push(smallest);
        for &multiple in multiples {
            let rounded = smallest.next_multiple_of(multiple);
            if rounded < all && all.div_ceil(rounded) == count {
                sizes.push(rounded);
            }
        }
        size = smallest - 1;
    }
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    sizes.dedup();
    sizes
}
