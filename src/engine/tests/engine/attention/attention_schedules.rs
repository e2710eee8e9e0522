//! Schedules of attention against an element-by-element simulation, brute force over all tile sizes, and lower bounds
//! on all schedules.

use fusescape_engine::attention::{
    Account, Cascade, ElementBits, Fusion, KeysHeld, Machine, Problem, Schedule, Shape, Source, Step, Tensor,
    TransformerWork, account, attend, figures, floor, schedule_layer, score, search,
};
use fusescape_engine::explore::{AttentionProblem, AttentionRequest};
use fusescape_engine::hardware::Core;
use fusescape_engine::search::{Objective, Weights};
use fusescape_engine::ties::{self, Figures};
use fusescape_engine::transformer::{Norm, Transformer};
use fusescape_spec::{find_preset, hardware_presets, transformer_presets};
use fusescape_test_support::random::Lcg;
use std::collections::BTreeSet;

/// A core with 4 x 2 PEs, `buffer` bits on the chip for everything, and lanes.
pub fn machine(buffer: u64, lanes: bool) -> Machine {
    let unit = "vector_unit:\n  lanes: 3\n  memory: buffer\n  registers:\n    - { name: r, size: 64 bit, \
                operands: [I, O], width: 8 bit, read_energy: 0.1 pJ, write_energy: 0.1 pJ, shared_over: [] }\n";
    let text = format!(
        "name: small\narray:\n  dimensions: {{ D1: 4, D2: 2 }}\n  mac_energy: 0.5 pJ\n\
         unroll:\n  pointwise: {{ D1: K, D2: C }}\nmemories:\n\
         \x20 - {{ name: w, size: 8 bit, operands: [W], width: 8 bit, read_energy: 0.1 pJ, write_energy: 0.1 pJ, \
         shared_over: [] }}\n\
         \x20 - {{ name: buffer, size: {buffer} bit, operands: [W, I, O], width: 32 bit, read_energy: 2 pJ, \
         write_energy: 3 pJ, shared_over: all }}\n\
         \x20 - {{ name: dram, size: 1 GiB, operands: [W, I, O], width: 8 bit, read_energy: 50 pJ, \
         write_energy: 60 pJ, shared_over: all }}\n{}",
        if lanes { unit } else { "" }
    );
    Machine::of(&Core::from_text(&text).unwrap_or_else(|wrong| panic!("{wrong}"))).unwrap()
}

/// Latents: a value is the first part of its key.
#[test]
fn values_in_keys_are_no_deeper_than_these() {
    for (values_in_keys, value_depth, is_legal) in
        [(true, 7, true), (true, 8, true), (true, 9, false), (false, 9, true)]
    {
        let shape = Shape { values_in_keys, value_depth, ..Shape::of_sequence(1, 2, 8, 16) };
        assert_eq!(shape.check().is_ok(), is_legal, "{shape:?}");
    }
}

fn between(random: &mut Lcg, least: u64, most: u64) -> u64 {
    least + random.below(most - least + 1)
}

/// Attention of a few queries and keys.
pub fn problem(random: &mut Lcg, most: u64) -> Problem {
    let key_heads = between(random, 1, 2);
    let queries = between(random, 1, most);
    let causal = random.below(2) == 0;
    let keys = if causal { queries + between(random, 0, 3) } else { between(random, 1, most) };
    // Every key is seen by some query.
    let window = (causal && random.below(2) == 0).then(|| between(random, 1, keys));
    let keys = window.map_or(keys, |window| keys.min(window + queries - 1));
    let depth = between(random, 1, 4);
    let values_in_keys = random.below(4) == 0;
    let source = (!values_in_keys && random.below(2) == 0).then(|| Source {
        channels: between(random, 1, 5),
        norm: random.of(&Norm::NAMES).0,
        rotary: random.below(2) == 0,
    });
    let keys_on_chip = source.is_none() && random.below(4) == 0;
    Problem {
        shape: Shape {
            batch: between(random, 1, 2),
            heads: key_heads * between(random, 1, 3),
            key_heads,
            depth,
            value_depth: between(random, 1, if values_in_keys { depth } else { 4 }),
            queries,
            keys,
            values_in_keys,
        },
        causal,
        window,
        bits: ElementBits { activations: 8, keys: 4, sums: 16, weights: 2 },
        source,
        keys_on_chip,
    }
}

/// A schedule of it, of any kind.
pub fn schedule(random: &mut Lcg, problem: &Problem) -> Schedule {
    let group = problem.group();
    let divisors: Vec<u64> = (1..=group).filter(|heads| group.is_multiple_of(*heads)).collect();
    let fusion = random.of(&Fusion::ALL);
    let again = if problem.source.is_some() { &KeysHeld::RECOMPUTED[..] } else { &[] };
    let held: Vec<KeysHeld> =
        problem.stored().iter().chain(again).copied().filter(|held| fusion.takes(*held)).collect();
    Schedule {
        fusion,
        queries: between(random, 1, problem.shape.queries),
        heads: random.of(&divisors),
        keys: between(random, 1, problem.shape.keys),
        held: random.of(&held),
    }
}

fn times(matrix: &[Vec<f64>], row: &[f64]) -> Vec<f64> {
    matrix.iter().map(|weights| weights.iter().zip(row).map(|(weight, value)| weight * value).sum()).collect()
}

/// The traffic of a schedule, element by element: every element that crosses the border of the chip is moved
/// separately.
struct Simulation<'a> {
    problem: &'a Problem,
    schedule: &'a Schedule,
    queries: Vec<Vec<f64>>,
    keys: Vec<Vec<f64>>,
    values: Vec<Vec<f64>>,
    /// Elements of every key, and the weights that compute keys and values.
    inputs: Vec<Vec<f64>>,
    weights: [Vec<Vec<f64>>; 2],
    read: [u64; 8],
    written: [u64; 8],
    macs: u64,
    /// Keys that were computed again, and values.
    recomputed: [u64; 2],
    outputs: Vec<Option<Vec<f64>>>,
}

impl<'a> Simulation<'a> {
    /// One head of keys: the queries of its heads follow each other, head by head.
    fn new(problem: &'a Problem, schedule: &'a Schedule, random: &mut Lcg) -> Self {
        let mut rows = |count: u64, depth: u64| -> Vec<Vec<f64>> {
            (0..count).map(|_| (0..depth).map(|_| random.below(4001) as f64 / 1000.0 - 2.0).collect()).collect()
        };
        let shape = &problem.shape;
        let all = problem.group() * shape.queries;
        let channels = problem.source.map_or(0, |source| source.channels);
        let inputs = rows(shape.keys, channels);
        let weights = [rows(shape.depth, channels), rows(shape.value_depth, channels)];
        let (keys, values) = match problem.source {
            Some(_) => {
                let all = |weights: &[Vec<f64>]| inputs.iter().map(|input| times(weights, input)).collect();
                (all(&weights[0]), all(&weights[1]))
            }
            None => (rows(shape.keys, shape.depth), rows(shape.keys, shape.value_depth)),
        };
        let values = if shape.values_in_keys {
            keys.iter().map(|key: &Vec<f64>| key[..shape.value_depth as usize].to_vec()).collect()
        } else {
            values
        };
        Self {
            problem,
            schedule,
            queries: rows(all, shape.depth),
            keys,
            values,
            inputs,
            weights,
            read: [0; 8],
            written: [0; 8],
            macs: 0,
            recomputed: [0; 2],
            outputs: vec![None; all as usize],
        }
    }

    fn sees(&self, query: u64) -> std::ops::Range<u64> {
        let shape = &self.problem.shape;
        let end = if self.problem.causal { shape.keys - (shape.queries - 1 - query) } else { shape.keys };
        let is_seen = |key: &u64| self.problem.window.is_none_or(|window| end - key <= window);
        (0..end).find(is_seen).expect("a query sees itself")..end
    }

    fn seen(&self, row: u64) -> std::ops::Range<usize> {
        let seen = self.sees(row % self.problem.shape.queries);
        seen.start as usize..seen.end as usize
    }

    /// The tiles of queries: some heads, and a range of queries.
    fn tiles(&self) -> Vec<(std::ops::Range<u64>, std::ops::Range<u64>)> {
        let (group, queries) = (self.problem.group(), self.problem.shape.queries);
        let mut tiles = Vec::new();
        for start in (0..queries).step_by(self.schedule.queries as usize) {
            for head in (0..group).step_by(self.schedule.heads as usize) {
                tiles.push((head..head + self.schedule.heads, start..queries.min(start + self.schedule.queries)));
            }
        }
        tiles
    }

    /// Elements of a value that are read: none where they are loaded with the key, which is so where both products run
    /// together, or where its tile is the only one; else the softmax of whole rows is between them.
    fn value_depth(&self, tiles: usize) -> u64 {
        let fusion = self.schedule.fusion;
        let is_gone = matches!(fusion, Fusion::Rows(_)) && self.schedule.held == KeysHeld::Streamed && tiles > 1;
        let come_along = self.problem.shape.values_in_keys && fusion != Fusion::None && !is_gone;
        if come_along { 0 } else { self.problem.shape.value_depth }
    }

    /// Keys (0) or values (1) of so many inputs, computed again by multiplying every channel.
    fn recompute(&mut self, which: usize, keys: std::ops::Range<u64>) {
        for key in keys {
            let mut result = Vec::new();
            for weights in &self.weights[which] {
                let mut sum = 0.0;
                for (weight, input) in weights.iter().zip(&self.inputs[key as usize]) {
                    sum += weight * input;
                    self.macs += 1;
                }
                result.push(sum);
            }
            let stored = if which == 0 { &self.keys } else { &self.values };
            assert_eq!(result, stored[key as usize]);
            self.recomputed[which] += 1;
        }
    }

    fn read_inputs(&mut self, keys: std::ops::Range<u64>) {
        let elements: usize = keys.map(|key| self.inputs[key as usize].len()).sum();
        self.read[Tensor::Inputs as usize] += elements as u64;
    }

    fn run(&mut self) {
        let shape = self.problem.shape;
        let held = self.schedule.held;
        let inputs_come = held == KeysHeld::Recomputed;
        if held.is_recomputed() {
            let elements: usize = self.weights.iter().flatten().map(Vec::len).sum();
            self.read[Tensor::Weights as usize] += elements as u64;
            if !inputs_come {
                self.read_inputs(0..shape.keys);
            }
        }
        let value_depth = self.value_depth(1);
        let streamed = self.schedule.held == KeysHeld::Streamed;
        let keys_stay = self.schedule.fusion == Fusion::KeysStay;
        // Unfused, keys that contain the values stay, one tile after the other.
        let unfused = self.schedule.fusion == Fusion::None && shape.values_in_keys;
        if keys_stay && held.is_recomputed() {
            if inputs_come {
                self.read_inputs(0..shape.keys);
            }
            self.recompute(0, 0..shape.keys);
            self.recompute(1, 0..shape.keys);
        } else if keys_stay && held != KeysHeld::Kept {
            self.read[Tensor::Keys as usize] += shape.keys * shape.depth;
            self.read[Tensor::Values as usize] += shape.keys * value_depth;
        }
        let mut stay: BTreeSet<u64> = BTreeSet::new();
        for (heads, queries) in self.tiles() {
            let (first, last) = (self.sees(queries.start).start, self.sees(queries.end - 1).end);
            let rows: Vec<u64> =
                heads.flat_map(|head| queries.clone().map(move |query| head * shape.queries + query)).collect();
            if held == KeysHeld::Resident {
                // Keys that no query from here on sees are replaced by new ones.
                stay.retain(|key| *key >= first);
                for key in first..last {
                    if stay.insert(key) {
                        self.read[Tensor::Keys as usize] += shape.depth;
                        self.read[Tensor::Values as usize] += value_depth;
                    }
                }
                let room = self.schedule.needed_bits(self.problem)[1];
                assert!(stay.len() as u64 * (shape.depth + value_depth) * self.problem.bits.keys <= room || unfused);
            }
            // Where keys stay, all tiles of queries meet the same tiles of keys.
            let from = if keys_stay { 0 } else { first };
            let grid = (from..last).step_by(self.schedule.keys as usize);
            let starts: Vec<u64> = grid.filter(|start| start + self.schedule.keys > first).collect();
            let value_depth = self.value_depth(starts.len());
            for (visit, &start) in starts.iter().enumerate() {
                let (start, end) = (start.max(first), last.min(start + self.schedule.keys));
                for &row in &rows {
                    if keys_stay || visit == 0 {
                        self.read[Tensor::Queries as usize] += self.queries[row as usize].len() as u64;
                    }
                    if keys_stay && visit > 0 {
                        self.read[Tensor::Running as usize] += shape.value_depth + 2;
                    }
                    if keys_stay && end < last {
                        self.written[Tensor::Running as usize] += shape.value_depth + 2;
                    }
                    for _ in start..end {
                        self.macs += shape.depth + shape.value_depth;
                        if self.schedule.fusion == Fusion::None {
                            // Scores are written before the softmax, read for it, written after it, and read for the
                            // values.
                            self.written[Tensor::Scores as usize] += 2;
                            self.read[Tensor::Scores as usize] += 2;
                        }
                    }
                }
                if held.is_recomputed() && !keys_stay {
                    // One input is used for a key and a value where both are computed at once.
                    let passes = if self.schedule.fusion == Fusion::QueriesStay { 1 } else { 2 };
                    for _ in 0..if inputs_come { passes } else { 0 } {
                        self.read_inputs(start..end);
                    }
                    self.recompute(0, start..end);
                    self.recompute(1, start..end);
                }
                if streamed && !keys_stay {
                    self.read[Tensor::Keys as usize] += (end - start) * shape.depth;
                    self.read[Tensor::Values as usize] += (end - start) * value_depth;
                }
            }
            for &row in &rows {
                let seen = self.seen(row);
                let cascade = self.schedule.fusion.cascade();
                let tile = self.schedule.keys as usize;
                let output =
                    attend(cascade, &self.queries[row as usize], &self.keys[seen.clone()], &self.values[seen], tile);
                self.written[Tensor::Output as usize] += output.len() as u64;
                assert!(self.outputs[row as usize].replace(output).is_none(), "a query is computed twice");
            }
        }
    }

    /// The softmax by its textbook definition.
    fn plain(&self, row: usize) -> Vec<f64> {
        let seen = self.seen(row as u64);
        let scores: Vec<f64> = self.keys[seen.clone()]
            .iter()
            .map(|key| key.iter().zip(&self.queries[row]).map(|(a, b)| a * b).sum::<f64>().exp())
            .collect();
        let sum: f64 = scores.iter().sum();
        (0..self.values[0].len())
            .map(|at| scores.iter().zip(&self.values[seen.clone()]).map(|(score, value)| score / sum * value[at]).sum())
            .collect()
    }
}

#[test]
fn schedules_move_and_compute_what_a_simulation_does_element_by_element() {
    let mut random = Lcg(21);
    let machine = machine(1 << 30, true);
    for _ in 0..4000 {
        let problem = problem(&mut random, 9);
        let schedule = schedule(&mut random, &problem);
        let ours = account(&problem, &machine, &schedule).expect("there is room");
        let mut simulation = Simulation::new(&problem, &schedule, &mut random);
        simulation.run();
        let bits = |tensor: Tensor| match tensor {
            Tensor::Queries | Tensor::Output | Tensor::Inputs => problem.bits.activations,
            Tensor::Weights => problem.bits.weights,
            Tensor::Keys | Tensor::Values => problem.bits.keys,
            Tensor::Scores | Tensor::Running => problem.bits.sums,
        };
        for tensor in Tensor::ALL {
            let moved = ours.dram[tensor as usize];
            let times = bits(tensor)
                * match (tensor, schedule.held) {
                    (Tensor::Inputs, KeysHeld::InputsStay) => problem.shape.batch,
                    // The weights of a head stay while it is computed, for all sequences.
                    (Tensor::Weights, KeysHeld::Recomputed) => problem.shape.key_heads,
                    _ => problem.repeats(),
                };
            let simulated = (simulation.read[tensor as usize] * times, simulation.written[tensor as usize] * times);
            assert_eq!((moved.read, moved.written), simulated, "{tensor:?} of {schedule:?} for {problem:?}");
        }
        assert_eq!(ours.macs, simulation.macs * problem.repeats(), "{schedule:?} for {problem:?}");
        if let Some(source) = problem.source.filter(|_| schedule.held.is_recomputed()) {
            let [keys, values] = simulation.recomputed.map(|count| count * problem.repeats());
            let of_weights = keys * problem.shape.depth + values * problem.shape.value_depth;
            assert_eq!(ours.weight_macs, of_weights * source.channels);
            // Besides the softmax, lanes normalise every input that is loaded, and rotate every key.
            let stored = Schedule { held: KeysHeld::Streamed, ..schedule };
            let stored = account(&problem, &machine, &stored).expect("there is room");
            let more = ours.operations.iter().sum::<u64>() - stored.operations.iter().sum::<u64>();
            let rows = matches!(schedule.fusion, Fusion::Rows(_));
            let of_input = |source: Source| -> u64 { source.steps(1, false).map(|step| step.operations(1)).sum() };
            let rotary = if source.rotary { 2 * problem.shape.depth } else { 0 };
            let inputs = if rows { keys + values } else { keys };
            assert_eq!(more, inputs * of_input(source) + keys * rotary, "{schedule:?} for {problem:?}");
        } else {
            assert_eq!(ours.weight_macs, 0);
        }
        let seen: u64 = (0..problem.shape.queries).map(|query| simulation.sees(query).count() as u64).sum();
        assert_eq!(problem.unmasked_scores(), seen * problem.shape.batch * problem.shape.heads, "{problem:?}");
        for (row, output) in simulation.outputs.iter().enumerate() {
            let output = output.as_ref().expect("every query is computed");
            for (ours, plain) in output.iter().zip(simulation.plain(row)) {
                assert!((ours - plain).abs() <= 1e-12 * plain.abs().max(1.0), "{ours} instead of {plain}");
            }
        }
    }
}

#[test]
fn cascades_agree_where_exponentials_of_plain_scores_overflow() {
    let keys: Vec<Vec<f64>> = (0..7).map(|at| vec![f64::from(at) * 300.0]).collect();
    let values: Vec<Vec<f64>> = (0..7).map(|at| vec![f64::from(at), 1.0]).collect();
    for cascade in Cascade::ALL {
        for tile in 1..=7 {
            assert_eq!(attend(cascade, &[1.0], &keys, &values, tile), [6.0, 1.0], "{cascade:?} in tiles of {tile}");
        }
    }
}

/// The figures of all possible tile sizes.
fn brute_force(
    problem: &Problem,
    machine: &Machine,
    objective: &Objective,
    fusion: Fusion,
    held: &[KeysHeld],
) -> Vec<Figures> {
    let group = problem.group();
    let mut all = Vec::new();
    for queries in 1..=problem.shape.queries {
        for heads in (1..=group).filter(|heads| group.is_multiple_of(*heads)) {
            for &held in held.iter().filter(|held| fusion.takes(**held)) {
                let of_keys = |keys: u64| Schedule { fusion, queries, heads, keys, held };
                let of_all = floor(problem, machine, &of_keys(problem.shape.keys), objective);
                for schedule in (1..=problem.shape.keys).map(of_keys) {
                    let Some(account) = account(problem, machine, &schedule) else { continue };
                    let figures = figures(objective, machine, &account);
                    let least = floor(problem, machine, &schedule, objective);
                    let floors = [of_all, least, figures[0]];
                    assert!(floors.is_sorted(), "{schedule:?} {objective:?} {problem:?}: {floors:?} fall");
                    all.push(figures);
                }
            }
        }
    }
    all
}

/// Of schedules whose scores are equal, except for rounding, the other quantities decide.
#[test]
fn the_search_finds_the_best_of_all_tile_sizes() {
    let mut random = Lcg(22);
    let weights = Weights { energy: 1.0, latency: 300.0, dram_accesses: 20.0 };
    let objectives = [
        Objective::Energy,
        Objective::Latency,
        Objective::EnergyDelayProduct,
        Objective::DramAccesses,
        Objective::Weighted(weights),
        // By sums that binary fractions round, many schedules differ by rounding only.
        Objective::Weighted(Weights { energy: 0.1, latency: 0.3, dram_accesses: 0.7 }),
        Objective::Weighted(Weights { energy: 0.0, latency: 0.1, dram_accesses: 0.3 }),
    ];
    let mut decided_beyond_rounding = 0;
    for round in 0..400 {
        let problem = problem(&mut random, 20);
        let mut machine = machine(between(&mut random, 100, 6000), random.below(5) > 0);
        machine.unrolled = std::array::from_fn(|_| between(&mut random, 1, 4));
        let objective = &objectives[round % objectives.len()];
        let found = search(&problem, &machine, objective);
        let mut check = |found: Option<Account>, all: &[Figures]| {
            let least = ties::best(all, |figures| (**figures, ()));
            let found = found.map(|account| figures(objective, &machine, &account));
            let is_equal = |(one, other): (&f64, &f64)| (one - other).abs() <= 2e-9 * other;
            let are_equal = found.iter().flatten().zip(least.into_iter().flatten()).all(is_equal);
            assert!(found.is_some() == least.is_some() && are_equal, "{found:?} {least:?} {objective:?} {problem:?}");
            let exact = all.iter().min_by(|one, other| one.partial_cmp(other).expect("numbers"));
            let is_clear = |(exact, least): (&Figures, &Figures)| ties::is_clearly_less(least[1], exact[1]);
            decided_beyond_rounding += usize::from(exact.zip(least).is_some_and(is_clear));
        };
        let by_force = |fusion, held: &[KeysHeld]| brute_force(&problem, &machine, objective, fusion, held);
        let again = Fusion::ALL.into_iter().flat_map(|fusion| by_force(fusion, &KeysHeld::RECOMPUTED));
        check(found.recomputed, &again.collect::<Vec<_>>());
        for (fusion, found) in found.best_of {
            check(found, &by_force(fusion, problem.stored()));
        }
    }
    assert!(decided_beyond_rounding > 0, "no scores differ by rounding only");
}

/// Keys and values are in the place that the problem states.
#[test]
fn what_is_on_the_chip_does_not_come_from_dram_and_what_is_in_dram_does() {
    let mut random = Lcg(25);
    let machine = machine(1 << 30, true);
    let (mut on_chip, mut in_dram) = (0, 0);
    for _ in 0..400 {
        let problem = problem(&mut random, 12);
        let own = schedule(&mut random, &problem);
        for held in KeysHeld::ALL {
            let schedule = Schedule { held, ..own };
            let there = match held {
                KeysHeld::Kept => problem.keys_on_chip,
                held if held.is_recomputed() => problem.source.is_some(),
                _ => !problem.keys_on_chip,
            };
            let account = account(&problem, &machine, &schedule);
            assert_eq!(account.is_some(), there, "{held:?} of {problem:?}");
            let Some(account) = account.filter(|_| !held.is_recomputed()) else { continue };
            let come = [Tensor::Keys, Tensor::Values].map(|tensor| account.dram[tensor as usize].read);
            if problem.keys_on_chip {
                on_chip += 1;
                assert_eq!((come, account.needed_bits[1]), ([0, 0], 0));
            } else {
                in_dram += 1;
                assert!(come[0] >= problem.shape.key_elements() * problem.bits.keys);
            }
        }
    }
    assert!(on_chip > 40 && in_dram > 300, "{on_chip} {in_dram}");
}

/// One product, the softmax of a row, the other product: the data that each has on the chip at a time.
#[test]
fn what_is_not_fused_needs_room_for_the_largest_of_its_phases() {
    let mut random = Lcg(24);
    let mut largest = [0; 3];
    for _ in 0..300 {
        let problem = Problem { causal: false, window: None, ..problem(&mut random, 40) };
        let Shape { depth, value_depth, keys: all_keys, .. } = problem.shape;
        let ElementBits { activations, sums, .. } = problem.bits;
        let (queries, keys) = (between(&mut random, 1, problem.shape.queries), between(&mut random, 1, all_keys));
        let schedule = Schedule { fusion: Fusion::None, queries, heads: 1, keys, held: KeysHeld::Streamed };
        let tile = queries * keys * sums;
        let phases = [queries * depth * activations + tile, all_keys * sums, tile + queries * value_depth * sums];
        let most = *phases.iter().max().unwrap();
        assert_eq!(schedule.needed_bits(&problem)[0], most, "{schedule:?} {problem:?}");
        largest[phases.iter().position(|&phase| phase == most).unwrap()] += 1;
    }
    assert!(largest.iter().all(|&count| count > 0), "{largest:?}");
}

#[test]
fn more_room_is_never_worse_and_no_floor_is_undercut() {
    let mut random = Lcg(23);
    for _ in 0..60 {
        let problem = problem(&mut random, 40);
        for objective in [Objective::Energy, Objective::Latency] {
            let mut last = f64::INFINITY;
            for buffer in [200, 500, 1000, 2000, 5000, 20_000, 100_000] {
                let machine = machine(buffer, true);
                let found = search(&problem, &machine, &objective);
                let Some(best) = found.best(&objective, &machine) else {
                    assert!(last.is_infinite(), "what fitted in less fits in {buffer}");
                    continue;
                };
                let now = score(&objective, &machine, best);
                assert!(now <= last, "{problem:?}: {now} with {buffer} bits, {last} with fewer");
                last = now;
                floors(&problem, &machine, best);
                if let Some(unfused) = found.unfused() {
                    floors(&problem, &machine, unfused);
                    assert!(now <= score(&objective, &machine, unfused));
                }
            }
        }
    }
}

fn floors(problem: &Problem, machine: &Machine, account: &Account) {
    assert!(account.dram_bits() >= problem.compulsory_bits());
    let least = problem.unmasked_scores() * (problem.shape.depth + problem.shape.value_depth);
    assert!(account.macs >= least);
    assert!(account.latency_cycles() >= machine.ideal_cycles(least));
    let fits: u64 = account.needed_bits.iter().sum();
    assert!(fits <= machine.activations.size_bits);
}

#[test]
fn models_and_steps_beyond_all_counting_are_refused_and_never_wrap_around() {
    let huge = "name: huge\nlayers: 16777216\nwidth: 16777216\nheads: 16777216\nhead_size: 16777216\n\
                feed_forward: { width: 16777216, gated: true, experts: 16777216, active: 16777216 }\n";
    let wrong = Transformer::from_text(huge).expect_err("refused");
    assert!(wrong.to_string().contains("more than 2^48 weights"), "{wrong}");
    let bert = find_preset(transformer_presets(), "bert-base").unwrap().text;
    let hardware = find_preset(hardware_presets(), "tpu-like-df").unwrap().text;
    let step = Step::prefill(1 << 24, 1 << 24);
    let bits = ElementBits::all(64);
    let request = AttentionRequest {
        hardware: hardware.to_owned(),
        model: bert.to_owned(),
        step,
        bits,
        objective: Objective::Energy,
    };
    let wrong = AttentionProblem::new(&request).expect_err("refused");
    assert!(wrong.to_string().contains("more than 2^52 multiply-accumulates"), "{wrong}");
}

/// A floor is valid only where less of everything is better.
#[test]
fn weights_below_zero_are_refused() {
    let text = |presets, id: &str| find_preset(presets, id).unwrap().text.to_owned();
    let request = |energy: f64| AttentionRequest {
        hardware: text(hardware_presets(), "tpu-like-df"),
        model: text(transformer_presets(), "bert-base"),
        step: Step::prefill(1, 16),
        bits: ElementBits::all(8),
        objective: Objective::Weighted(Weights { energy, latency: 1.0, dram_accesses: 0.0 }),
    };
    assert!(AttentionProblem::new(&request(0.5)).is_ok());
    let wrong = AttentionProblem::new(&request(-0.5)).expect_err("refused");
    assert_eq!(wrong.0.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["settings.objective"]);
}

#[test]
fn all_that_is_wrong_with_a_model_is_told_at_once_and_each_thing_once() {
    let text = "name: x\nlayers: 0\nwidth: many\nheads: 6\nkey_heads: 4\n\
                feed_forward: { width: 8, experts: 2, active: 3 }\nspeed: 1\n";
    let wrong = Transformer::from_text(text).expect_err("refused");
    let mut paths: Vec<&str> = wrong.0.iter().map(|one| one.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["feed_forward.active", "head_size", "key_heads", "layers", "speed", "width"]);
}

/// An encoder whose input fits on the chip need not write keys and values: it computes them of the input, once for
/// every head.
#[test]
fn keys_and_values_of_an_encoder_are_computed_within_attention_where_that_is_better() {
    let core = Core::from_text(find_preset(hardware_presets(), "fusemax-like").unwrap().text).unwrap();
    let machine = Machine::of(&core).unwrap();
    let bits = ElementBits::all(16);
    let objective = Objective::DramAccesses;
    let step = Step::prefill(1, 197);
    let text = find_preset(transformer_presets(), "vit-b16").unwrap().text;
    let vit = Transformer::from_text(text).unwrap();
    let layer = schedule_layer(&vit, &step, bits, &machine, &objective).unwrap();
    let attention = layer.attention.as_ref().unwrap();
    assert_eq!(attention.best.schedule.held, KeysHeld::InputsStay);
    // The whole layer is one block: every product is computed once, and only inputs, weights and outputs cross the
    // border.
    let block = layer.block.as_ref().unwrap();
    assert_eq!(block.attention.schedule.held, KeysHeld::InputsStay);
    assert!(layer.before.is_empty() && layer.after.is_empty());
    assert_eq!(block.tiles, 1);
    assert_eq!(block.macs(), vit.weighted_macs(&step) + attention.problem.shape.macs());
    let compulsory = vit.compulsory(&step, bits);
    let input_bits = 197 * vit.width * 16;
    // The residual sum reads the input once more.
    let bytes = compulsory.weights + compulsory.input + compulsory.output;
    assert_eq!(block.dram_bits(), (8.0 * bytes) as u64 + input_bits);
    // A layer whose keys and values are stored writes them to DRAM and reads them again.
    let decoder = Transformer { causal: true, ..vit };
    let decoder = schedule_layer(&decoder, &step, bits, &machine, &objective).unwrap();
    assert!(decoder.cost().dram_bits > layer.cost().dram_bits);
    // A decoder writes them to its cache, however attention is scheduled.
    assert!(decoder.before.iter().any(|run| run.parts.iter().any(|part| part.contains("keys"))));
    // For cached tokens, only keys and values exist.
    let cached = schedule_layer(
        &Transformer::from_text(find_preset(transformer_presets(), "gpt2-small").unwrap().text).unwrap(),
        &Step::decode(1, 64),
        bits,
        &machine,
        &objective,
    );
    assert_eq!(cached.unwrap().attention.unwrap().found.recomputed, None);
}
