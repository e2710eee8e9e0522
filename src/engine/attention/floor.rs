//! Lower bounds on the costs of a schedule, from sums over its tiles that all kinds of schedules have in common.
//!
//! Every tensor of a product is read or written at least once for every tile of keys that a tile of queries meets, with
//! the additional energy of the cheapest loop order; lanes are never idle within a step. DRAM traffic and the work of
//! lanes follow from the sums, so that the floor is close to the account. With one tile of all keys it holds for all
//! tiles of keys: smaller tiles only add visits, and more rounding up; their products take no less energy
//! ([`repeated_pj`]).

use super::Cascade;
use super::account::{Busy, Moved};
use super::cascade::VectorStep;
use super::machine::{Machine, Store};
use super::movement::Movement;
use super::problem::Problem;
use super::product::repeated_pj;
use super::schedule::{Fusion, KeysHeld, QueryTiles, Schedule, sizes};
use super::search::Total;
use crate::search::Objective;
use crate::tolerance::REL_TOLERANCE;

/// A lower bound on the score of all schedules with these tiles of queries, heads and residence, and with tiles of at
/// most so many keys.
pub fn floor(problem: &Problem, machine: &Machine, schedule: &Schedule, objective: &Objective) -> f64 {
    let meetings = Meetings::of(problem, machine, &schedule.query_tiles(problem), schedule);
    Total::from(&Floors::new(problem, machine).of(schedule, &meetings)).score(objective, machine)
}

/// The meetings of tiles of queries and tiles of keys: sums over one head of keys.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meetings {
    /// Rows of queries.
    rows: u64,
    /// Products of a row of queries and a key.
    scores: u64,
    /// Keys, summed over the tiles of queries that meet them.
    keys: u64,
    /// Tiles of keys, summed over the tiles of queries that meet them.
    visits: u64,
    /// Tiles of keys, summed over the rows of queries that meet them.
    row_visits: u64,
    /// Cycles of the array for queries times keys.
    key_cycles: u64,
    /// Cycles of the array for scores times values.
    value_cycles: u64,
    /// Rows of the array that keys fill, summed over the tiles of queries that meet them.
    key_rows: u64,
    /// Energy of queries times keys in addition to that of one read and write ([`repeated_pj`]).
    keys_repeated_pj: f64,
    /// The same for scores times values, without and with the sums that are read.
    values_repeated_pj: [f64; 2],
}

impl Meetings {
    /// The sums for a schedule with these tiles of queries.
    pub fn of(problem: &Problem, machine: &Machine, tiles: &[QueryTiles], schedule: &Schedule) -> Self {
        let [of_rows, of_depth, of_columns] = machine.unrolled;
        let (shape, size) = (&problem.shape, schedule.keys);
        // Steps of the array for a tile of keys: along its columns, along its depth, and along its rows.
        let steps = |keys: u64| [keys.div_ceil(of_columns), keys.div_ceil(of_depth), keys.div_ceil(of_rows)];
        let of_whole = steps(size);
        let [depth, value_depth] = [shape.depth.div_ceil(of_depth), shape.value_depth.div_ceil(of_columns)];
        let head_tiles = problem.group() / schedule.heads;
        let bits = &problem.bits;
        let (of_keys, of_values) = ([bits.activations, bits.keys, bits.sums], [bits.sums, bits.keys, bits.sums]);
        let mut all = Self::default();
        for of in tiles {
            let (times, rows) = (of.count * head_tiles, of.size * schedule.heads);
            let (mut visits, mut sums) = (0, [0; 3]);
            for (count, keys) in schedule.key_tiles(of) {
                let alike = (times * count) as f64;
                let [_, with_sums] = repeated_pj(machine, [rows, shape.depth, keys], of_keys);
                all.keys_repeated_pj += alike * with_sums;
                let again = repeated_pj(machine, [rows, keys, shape.value_depth], of_values);
                all.values_repeated_pj.iter_mut().zip(again).for_each(|(sum, again)| *sum += alike * again);
                visits += count;
                let of_tile = if keys == size { of_whole } else { steps(keys) };
                sums.iter_mut().zip(of_tile).for_each(|(sum, steps)| *sum += count * steps);
            }
            all.rows += times * rows;
            all.scores += times * rows * of.keys;
            all.keys += times * of.keys;
            all.visits += times * visits;
            all.row_visits += times * rows * visits;
            let [along_columns, along_depth, along_rows] = sums;
            all.key_cycles += times * rows.div_ceil(of_rows) * depth * along_columns;
            all.value_cycles += times * rows.div_ceil(of_rows) * along_depth * value_depth;
            all.key_rows += times * along_rows;
        }
        all
    }
}

/// Lower bounds on the costs of a schedule.
#[derive(Debug, Clone, Copy)]
pub struct Floor {
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Lower bounds on the busy cycles of its phases.
    pub phases: [Busy; 3],
    /// Bits read from DRAM plus bits written to it.
    pub dram_bits: f64,
}

impl From<&Floor> for Total {
    fn from(floor: &Floor) -> Self {
        let cycles = floor.phases.iter().map(Busy::cycles).sum::<u64>() as f64;
        Self { energy_pj: floor.energy_pj, cycles, dram_bits: floor.dram_bits }
    }
}

/// Floors of all schedules of a problem on a machine.
pub struct Floors<'a> {
    problem: &'a Problem,
    machine: &'a Machine,
    lanes: [SoftmaxLanes; 3],
}

/// Lower bounds on the traffic and the work of a phase.
#[derive(Clone, Copy, Default)]
struct Least {
    dram: Moved,
    activations: Moved,
    keys: Moved,
    array: u64,
    weight_macs: u64,
    lane_pj: f64,
    lane_cycles: f64,
    /// Energy of repeated reads and writes of products, pJ.
    repeated_pj: f64,
}

impl Least {
    const fn load(&mut self, bits: u64) {
        self.dram.read += bits;
        self.activations.written += bits;
    }

    const fn store(&mut self, bits: u64) {
        self.dram.written += bits;
        self.activations.read += bits;
    }

    const fn load_keys(&mut self, bits: u64) {
        self.dram.read += bits;
        self.keys.written += bits;
    }

    /// The steps of lanes in `of`, done `count` times, on elements of so many bits.
    fn lanes(&mut self, of: &LaneCost, count: u64, bits: u64) {
        self.activations.read += count * of.reads * bits;
        self.activations.written += count * of.writes * bits;
        self.lane_pj += count as f64 * of.energy_pj;
        self.lane_cycles += count as f64 * of.cycles;
    }

    /// Energy of DRAM and the memories on the chip, without that of the array, pJ.
    fn moved_pj(&self, machine: &Machine) -> f64 {
        let of = |store: &Store, moved: Moved| store.energy_pj(moved.read, moved.written);
        of(&machine.dram, self.dram)
            + of(&machine.activations, self.activations)
            + of(machine.weight_store(), self.keys)
            + self.lane_pj
            + self.repeated_pj
    }

    fn busy(&self, machine: &Machine) -> Busy {
        let of = |store: &Store, moved: Moved| store.cycles(moved.read, moved.written);
        let (activations, keys) = match &machine.weights {
            Some(weights) => (of(&machine.activations, self.activations), of(weights, self.keys)),
            None => (of(&machine.activations, self.activations.and(self.keys)), 0),
        };
        let lanes = (self.lane_cycles * (1.0 - REL_TOLERANCE)).ceil() as u64;
        Busy { array: self.array, lanes, dram: of(&machine.dram, self.dram), activations, keys }
    }

    fn times(&self, times: u64) -> Self {
        Self {
            dram: self.dram.times(times),
            activations: self.activations.times(times),
            keys: self.keys.times(times),
            array: self.array * times,
            weight_macs: self.weight_macs * times,
            lane_pj: self.lane_pj * times as f64,
            lane_cycles: self.lane_cycles * times as f64,
            repeated_pj: self.repeated_pj * times as f64,
        }
    }
}

impl<'a> Floors<'a> {
    /// Floors of a problem on a machine.
    pub fn new(problem: &'a Problem, machine: &'a Machine) -> Self {
        let lanes = Cascade::ALL.map(|cascade| SoftmaxLanes::of(cascade, machine, problem.shape.value_depth));
        Self { problem, machine, lanes }
    }

    /// The floor of a schedule with these meetings.
    pub fn of(&self, schedule: &Schedule, meet: &Meetings) -> Floor {
        let movement = Movement { problem: self.problem, machine: self.machine, schedule };
        self.with_loads(schedule, meet, movement.weight_loads())
    }

    /// The same where the weights that compute keys and values are loaded so many times, those of one head each time.
    pub fn with_loads(&self, schedule: &Schedule, meet: &Meetings, weight_loads: u64) -> Floor {
        let (fusion, shape) = (schedule.fusion, &self.problem.shape);
        let mut phases = [Least::default(); 3];
        if fusion == Fusion::None {
            self.unfused(&mut phases, meet);
            let [scores, _, values] = &mut phases;
            // Values are read in a phase of their own.
            self.stored(scores, schedule.held, meet, shape.depth);
            self.stored(values, schedule.held, meet, shape.value_depth);
        } else {
            let [fused, ..] = &mut phases;
            self.fused(fused, fusion, meet);
            match schedule.held {
                held if held.is_recomputed() => self.again(fused, schedule, meet),
                KeysHeld::Kept => {}
                _ if fusion == Fusion::KeysStay => self.stored(fused, KeysHeld::Resident, meet, shape.pair_depth()),
                held => self.stored(fused, held, meet, shape.pair_depth()),
            }
        }
        let mut phases = phases.map(|phase| phase.times(self.problem.repeats()));
        if schedule.held.is_recomputed() {
            self.once(&mut phases[0], schedule.held, weight_loads);
        }
        self.floor(&phases, meet.scores * self.problem.repeats())
    }

    /// Queries, scores and results, where all steps run together.
    fn fused(&self, least: &mut Least, fusion: Fusion, meet: &Meetings) {
        let (shape, bits) = (&self.problem.shape, &self.problem.bits);
        let keys_stay = fusion == Fusion::KeysStay;
        least.load(if keys_stay { meet.row_visits } else { meet.rows } * shape.depth * bits.activations);
        if keys_stay {
            let running = (meet.row_visits - meet.rows) * (shape.value_depth + 2) * bits.sums;
            least.load(running);
            least.store(running);
        }
        self.query_key(least, meet);
        self.softmax(least, fusion.cascade(), meet);
        self.with_values(least, meet, matches!(fusion, Fusion::Rows(_)));
    }

    /// The same in three phases, with scores in DRAM between.
    fn unfused(&self, [scores, softmax, values]: &mut [Least; 3], meet: &Meetings) {
        let (shape, bits) = (&self.problem.shape, &self.problem.bits);
        let score_bits = meet.scores * bits.sums;
        scores.load(meet.rows * shape.depth * bits.activations);
        self.query_key(scores, meet);
        scores.store(score_bits);
        softmax.load(score_bits);
        self.softmax(softmax, Fusion::None.cascade(), meet);
        softmax.store(score_bits);
        values.load(score_bits);
        self.with_values(values, meet, true);
    }

    fn query_key(&self, least: &mut Least, meet: &Meetings) {
        let (shape, bits) = (&self.problem.shape, &self.problem.bits);
        least.array += meet.key_cycles;
        least.repeated_pj += meet.keys_repeated_pj;
        least.activations.read += meet.row_visits * shape.depth * bits.activations;
        least.activations.written += meet.scores * bits.sums;
        least.keys.read += meet.keys * shape.depth * bits.keys;
    }

    fn softmax(&self, least: &mut Least, cascade: Cascade, meet: &Meetings) {
        let (lanes, bits) = (&self.lanes[cascade as usize], self.problem.bits.sums);
        least.lanes(&lanes.of_score, meet.scores, bits);
        least.lanes(&lanes.of_visit, meet.row_visits, bits);
        least.lanes(&lanes.of_row, meet.rows, bits);
    }

    /// Scores times values. `adds`: the product goes on with its sums, which are read again; else lanes add them up.
    fn with_values(&self, least: &mut Least, meet: &Meetings, adds: bool) {
        let (shape, bits) = (&self.problem.shape, &self.problem.bits);
        let again = if adds { meet.row_visits - meet.rows } else { 0 };
        least.array += meet.value_cycles;
        least.repeated_pj += meet.values_repeated_pj[usize::from(adds)];
        least.activations.read += (meet.scores + again * shape.value_depth) * bits.sums;
        least.activations.written += meet.row_visits * shape.value_depth * bits.sums;
        least.keys.read += meet.keys * shape.value_depth * bits.keys;
        least.store(meet.rows * shape.value_depth * bits.activations);
    }

    /// So many elements of every key, or of its value, are read from DRAM.
    const fn stored(&self, least: &mut Least, held: KeysHeld, meet: &Meetings, elements: u64) {
        let keys = match held {
            KeysHeld::Kept => return,
            KeysHeld::Streamed => meet.keys,
            _ => self.problem.shape.keys,
        };
        least.load_keys(keys * elements * self.problem.bits.keys);
    }

    /// Keys and values that are computed again.
    fn again(&self, least: &mut Least, schedule: &Schedule, meet: &Meetings) {
        let Some(source) = self.problem.source else { return };
        let (shape, bits) = (&self.problem.shape, &self.problem.bits);
        let [of_rows, of_depth, of_columns] = self.machine.unrolled;
        let (keys, visits, key_rows) = if schedule.fusion == Fusion::KeysStay {
            let tiles = || sizes(shape.keys, schedule.keys);
            let rows = tiles().map(|(count, size)| count * size.div_ceil(of_rows)).sum();
            (shape.keys, tiles().map(|(count, _)| count).sum(), rows)
        } else {
            (meet.keys, meet.visits, meet.key_rows)
        };
        let (depth, value_depth) = (shape.depth, if shape.values_in_keys { 0 } else { shape.value_depth });
        // Keys and values have one pass each where rows of scores stay.
        let passes = [(depth, true), (value_depth, false)];
        let together = [(depth + value_depth, true), (0, false)];
        let passes = if matches!(schedule.fusion, Fusion::Rows(_)) { passes } else { together };
        for (columns, has_keys) in passes.into_iter().filter(|(columns, _)| *columns > 0) {
            let inputs = keys * source.channels * bits.activations;
            if schedule.held == KeysHeld::Recomputed {
                least.load(inputs);
            }
            for step in source.steps(depth, has_keys) {
                least.lanes(&LaneCost::of(&step.steps(1), self.machine), keys, bits.activations);
            }
            let computed = keys * columns;
            // Sums are written by the product and read as keys and values.
            least.activations.read += inputs + computed * bits.sums;
            least.activations.written += computed * bits.sums;
            least.keys.read += visits * source.channels * columns * bits.weights;
            least.keys.written += computed * bits.keys;
            least.array += key_rows * source.channels.div_ceil(of_depth) * columns.div_ceil(of_columns);
            least.weight_macs += computed * source.channels;
        }
    }

    /// Loads that are not repeated for every head of every sequence: the sum of all.
    fn once(&self, least: &mut Least, held: KeysHeld, weight_loads: u64) {
        let Some(source) = self.problem.source else { return };
        let (shape, bits) = (&self.problem.shape, &self.problem.bits);
        least.load_keys(weight_loads * source.channels * shape.pair_depth() * bits.weights);
        if held == KeysHeld::InputsStay {
            least.load(shape.batch * shape.keys * source.channels * bits.activations);
        }
    }

    fn floor(&self, phases: &[Least; 3], scores: u64) -> Floor {
        let (shape, bits, machine) = (&self.problem.shape, &self.problem.bits, self.machine);
        let mac = |w: u64, i: u64| machine.mac_pj(w, i) + machine.register_pj(w, i, bits.sums);
        let weight_macs: u64 = phases.iter().map(|phase| phase.weight_macs).sum();
        let energy = (scores * (shape.depth + shape.value_depth)) as f64 * mac(bits.keys, bits.activations)
            + weight_macs as f64 * mac(bits.weights, bits.activations)
            + phases.iter().map(|phase| phase.moved_pj(machine)).sum::<f64>();
        let dram = phases.iter().map(|phase| phase.dram.read + phase.dram.written);
        Floor {
            energy_pj: energy * (1.0 - REL_TOLERANCE),
            phases: phases.each_ref().map(|phase| phase.busy(machine)),
            dram_bits: dram.sum::<u64>() as f64,
        }
    }
}

/// Work of lanes for one unit of the steps (a score, a row), if no lane is idle.
#[derive(Clone, Copy, Default)]
struct LaneCost {
    reads: u64,
    writes: u64,
    energy_pj: f64,
    cycles: f64,
}

impl LaneCost {
    fn of(steps: &[VectorStep], machine: &Machine) -> Self {
        let Some(unit) = &machine.lanes else { return Self::default() };
        let mut all = Self::default();
        for step in steps {
            all.reads += step.reads;
            all.writes += step.writes;
            for &(operation, count) in step.operations {
                let times = (step.iterations * count) as f64;
                all.energy_pj += times * machine.operation_pj(operation);
                all.cycles += times * unit.cost(operation).cycles as f64 / unit.lanes() as f64;
            }
        }
        all
    }

    fn without(self, other: Self) -> Self {
        Self {
            reads: self.reads - other.reads,
            writes: self.writes - other.writes,
            energy_pj: self.energy_pj - other.energy_pj,
            cycles: self.cycles - other.cycles,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            writes: self.writes + other.writes,
            energy_pj: self.energy_pj + other.energy_pj,
            cycles: self.cycles + other.cycles,
        }
    }
}

/// Work of lanes for a softmax: its steps are linear in scores, in rows times tiles of keys, and in rows.
struct SoftmaxLanes {
    of_score: LaneCost,
    of_visit: LaneCost,
    of_row: LaneCost,
}

impl SoftmaxLanes {
    fn of(cascade: Cascade, machine: &Machine, depth: u64) -> Self {
        let cost = |steps: Vec<VectorStep>| LaneCost::of(&steps, machine);
        let of_tile = |keys: u64| cost(cascade.of_tile(1, keys, depth));
        let of_row = |keys: u64, tiles: u64| cost(cascade.of_row(1, keys, tiles, depth));
        let (visit, row) = (of_tile(0), of_row(0, 0));
        Self {
            of_score: of_tile(1).without(visit).and(of_row(1, 0).without(row)),
            of_visit: visit.and(of_row(0, 1).without(row)),
            of_row: row,
        }
    }
}
