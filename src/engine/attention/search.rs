//! The best schedule of attention, by trying every one that is not proved to be worse.
//!
//! The space: fusion ([`Fusion::ALL`]); whether keys and values are streamed, stay or are computed again (unless they
//! are on the chip from the beginning); the number of query heads of a group that share a tile; and tiles of queries
//! and of keys: every size up to [`EVERY_SIZE`]; above, every number of tiles, with the smallest tiles of that number
//! and with these rounded up to the size that the array computes at once; at most [`MOST_TILES`] tiles.
//!
//! For every tile of queries a floor holds for all tiles of keys (`floor.rs`). Tiles of queries are tried by ascending
//! floor, unless the best so far rules theirs out; for each, its tiles of keys likewise. Of schedules with the same
//! score, except for rounding, the faster one is better, and then the one with less energy, as everywhere ([`ties`]).

use super::account::{Account, account, fits};
use super::floor::{Floors, Meetings};
use super::machine::Machine;
use super::problem::Problem;
use super::schedule::{Fusion, KeysHeld, Schedule};
use crate::search::Objective;
use crate::ties::{self, Contenders, Figures, is_clearly_less};
use crate::units::Cycles;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// Limit on the tiles along queries or keys.
pub const MOST_TILES: u64 = 4096;
/// Every size of a tile up to this is tried.
pub const EVERY_SIZE: u64 = 256;

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The best schedule of each of [`Fusion::ALL`] with stored keys and values; `None` where none fits.
    pub best_of: Vec<(Fusion, Option<Account>)>,
    /// The best of all that compute keys and values again; `None` where none fits, or there is no source for them.
    pub recomputed: Option<Account>,
    /// Number of schedules that were priced; all others are proved to be no better.
    pub priced: u64,
}

impl Found {
    /// The best of all with stored keys and values; `None` where none fits.
    pub fn best(&self, objective: &Objective, machine: &Machine) -> Option<&Account> {
        let all = self.best_of.iter().filter_map(|(_, account)| account.as_ref());
        ties::best(all, |account| (figures(objective, machine, account), ()))
    }

    /// The other kinds whose best schedules have the same score, except for rounding.
    pub fn as_good_as(&self, best: &Account, objective: &Objective, machine: &Machine) -> Vec<Fusion> {
        let least = score(objective, machine, best);
        let is_as_good = |account: &Account| !is_clearly_less(least, score(objective, machine, account));
        let others = self.best_of.iter().filter(|(fusion, _)| *fusion != best.schedule.fusion);
        others.filter(|(_, account)| account.as_ref().is_some_and(is_as_good)).map(|(fusion, _)| *fusion).collect()
    }

    /// The best schedule without fusion.
    pub fn unfused(&self) -> Option<&Account> {
        self.best_of.iter().find(|(fusion, _)| *fusion == Fusion::None)?.1.as_ref()
    }
}

/// The score of an account, in the unit of the objective.
pub fn score(objective: &Objective, machine: &Machine, account: &Account) -> f64 {
    Total::from(account).score(objective, machine)
}

/// The figures by which an account is compared with others.
pub fn figures(objective: &Objective, machine: &Machine, account: &Account) -> Figures {
    Total::from(account).figures(objective, machine)
}

/// The amounts that objectives use.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Total {
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency, cycles; fractional in lower bounds.
    pub cycles: f64,
    /// Bits read from DRAM plus bits written to it.
    pub dram_bits: f64,
}

impl Total {
    /// The sum of both, one after the other.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            energy_pj: self.energy_pj + other.energy_pj,
            cycles: self.cycles + other.cycles,
            dram_bits: self.dram_bits + other.dram_bits,
        }
    }

    /// The figures by which it is compared with others.
    pub fn figures(&self, objective: &Objective, machine: &Machine) -> Figures {
        let words = || self.dram_bits / machine.dram.read_width as f64;
        let score = objective.combine(self.energy_pj, Cycles(self.cycles), &words, &|_| words());
        objective.figures(score, self.energy_pj, self.cycles)
    }

    /// Its score, in the unit of the objective.
    pub fn score(&self, objective: &Objective, machine: &Machine) -> f64 {
        self.figures(objective, machine)[0]
    }
}

impl From<&Account> for Total {
    fn from(account: &Account) -> Self {
        Self {
            energy_pj: account.energy_pj(),
            cycles: account.latency_cycles() as f64,
            dram_bits: account.dram_bits() as f64,
        }
    }
}

/// The best schedules of all kinds.
pub fn search(problem: &Problem, machine: &Machine, objective: &Objective) -> Found {
    let mut priced = 0;
    let best_of = Fusion::ALL.map(|fusion| {
        let mut search = Search::new(problem, machine, objective);
        search.fusions(&[fusion], problem.stored());
        priced += search.priced;
        (fusion, search.best.into_best())
    });
    let mut again = Search::new(problem, machine, objective);
    if problem.source.is_some() {
        again.fusions(&Fusion::ALL, &KeysHeld::RECOMPUTED);
    }
    priced += again.priced;
    Found { best_of: best_of.to_vec(), recomputed: again.best.into_best(), priced }
}

struct Search<'a> {
    problem: &'a Problem,
    machine: &'a Machine,
    objective: &'a Objective,
    floors: Floors<'a>,
    /// The schedules so far that may be the best.
    best: Contenders<Account, Place>,
    priced: u64,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, machine: &'a Machine, objective: &'a Objective) -> Self {
        let floors = Floors::new(problem, machine);
        Self { problem, machine, objective, floors, best: Contenders::default(), priced: 0 }
    }

    /// Tries tiles of queries of all these kinds by ascending floor, as far as the best schedule does not rule them
    /// out.
    fn fusions(&mut self, fusions: &[Fusion], held: &[KeysHeld]) {
        let (group, all_keys) = (self.problem.group(), self.problem.shape.keys);
        let [of_rows, of_depth, of_columns] = self.machine.unrolled;
        let keys = tile_sizes(all_keys, &[of_columns, of_depth]);
        let mut open: Vec<(Figures, Schedule)> = Vec::new();
        for queries in tile_sizes(self.problem.shape.queries, &[of_rows]) {
            for heads in (1..=group).filter(|heads| group.is_multiple_of(*heads)) {
                let kinds = fusions.iter().flat_map(|&fusion| held.iter().map(move |&held| (fusion, held)));
                let schedules = kinds.filter(|(fusion, held)| fusion.takes(*held));
                let schedules =
                    schedules.map(|(fusion, held)| Schedule { fusion, queries, heads, keys: all_keys, held });
                let mut meetings = None;
                for schedule in schedules.filter(|schedule| schedule.is_countable(self.problem)) {
                    let fits =
                        |&keys: &u64| fits(self.machine, Schedule { keys, ..schedule }.needed_bits(self.problem));
                    if keys.iter().any(fits) {
                        // With all keys in one tile, the meetings are equal for all kinds.
                        let meetings = meetings.get_or_insert_with(|| self.meetings(&schedule));
                        open.push((self.floor(&schedule, meetings), schedule));
                    }
                }
            }
        }
        for (floor, schedule) in ties::ranked(open, |(floor, _)| (*floor, ())) {
            if !self.rules_out(&floor) {
                self.tiles_of_keys(&schedule, &keys);
            }
        }
    }

    /// Tries tiles of keys of a schedule by ascending floor, likewise.
    fn tiles_of_keys(&mut self, schedule: &Schedule, keys: &[u64]) {
        let tiles = schedule.query_tiles(self.problem);
        let schedules = keys.iter().map(|&keys| Schedule { keys, ..*schedule });
        let fitting = schedules.filter(|schedule| fits(self.machine, schedule.needed_bits(self.problem)));
        let floor = |schedule: Schedule| {
            let meetings = Meetings::of(self.problem, self.machine, &tiles, &schedule);
            (self.floor(&schedule, &meetings), schedule)
        };
        let open = fitting.map(floor).filter(|(floor, _)| !self.rules_out(floor));
        for (floor, schedule) in ties::ranked(open, |(floor, _)| (*floor, ())) {
            if !self.rules_out(&floor) {
                self.price(&schedule);
            }
        }
    }

    fn meetings(&self, schedule: &Schedule) -> Meetings {
        Meetings::of(self.problem, self.machine, &schedule.query_tiles(self.problem), schedule)
    }

    fn floor(&self, schedule: &Schedule, meetings: &Meetings) -> Figures {
        Total::from(&self.floors.of(schedule, meetings)).figures(self.objective, self.machine)
    }

    /// Whether no schedule with such a floor is better than the best so far.
    fn rules_out(&self, floor: &Figures) -> bool {
        self.best.rule_out(|_| *floor)
    }

    fn price(&mut self, schedule: &Schedule) {
        let Some(account) = account(self.problem, self.machine, schedule) else { return };
        self.priced += 1;
        self.best.offer(figures(self.objective, self.machine, &account), place(schedule), || account);
    }
}

/// The place of a schedule among those of equal costs: kinds in their order, larger tiles before smaller ones.
type Place = (Option<usize>, Reverse<u64>, u64, Option<usize>, Reverse<u64>);

fn place(schedule: &Schedule) -> Place {
    let Schedule { fusion, queries, heads, keys, held } = *schedule;
    let kind = Fusion::ALL.iter().position(|known| *known == fusion);
    let residence = KeysHeld::ALL.iter().position(|known| *known == held);
    (kind, Reverse(queries), heads, residence, Reverse(keys))
}

/// The sizes of tiles that are tried, the largest first.
pub(super) fn tile_sizes(all: u64, multiples: &[u64]) -> Vec<u64> {
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
