//! Schedules of attention against an element-by-element simulation, brute force over all tile sizes, and what no schedule can undercut.

use fusescape_engine::attention::{
    Account, Cascade, ElementBits, Fusion, KeysHeld, Machine, Problem, Schedule, Shape, Step, Tensor, Transformer,
    account, attend, floor, score, search,
};
use fusescape_engine::explore::{AttentionRequest, AttentionStudy};
use fusescape_engine::hardware::Core;
use fusescape_engine::search::Objective;
use fusescape_spec::{find_preset, hardware_presets, transformer_presets};
use fusescape_test_support::random::Lcg;
use std::collections::BTreeSet;

/// A core with 4 x 2 PEs, `buffer` bits on the chip for everything, and lanes.
fn machine(buffer: u64, lanes: bool) -> Machine {
    let unit = "vector_unit:\n  lanes: 3\n  memory: buffer\n  registers:\n    - { name: r, size: 64 bit, operands: [I, O], \
                width: 8 bit, read_energy: 0.1 pJ, write_energy: 0.1 pJ, shared_over: [] }\n";
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

fn problem(random: &mut Lcg, most: u64) -> Problem {
    let key_heads = between(random, 1, 2);
    let queries = between(random, 1, most);
    let causal = random.below(2) == 0;
    let keys = if causal { queries + between(random, 0, 3) } else { between(random, 1, most) };
    // Every key is seen by some query.
    let window = (causal && random.below(2) == 0).then(|| between(random, 1, keys));
    let keys = window.map_or(keys, |window| keys.min(window + queries - 1));
    let depth = between(random, 1, 4);
    let values_in_keys = random.below(4) == 0;
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
        bits: ElementBits { activations: 8, keys: 4, sums: 16, weights: 8 },
    }
}

fn schedule(random: &mut Lcg, problem: &Problem) -> Schedule {
    let group = problem.group();
    let divisors: Vec<u64> = (1..=group).filter(|heads| group.is_multiple_of(*heads)).collect();
    let fusion = random.of(&Fusion::ALL);
    let stays = fusion != Fusion::KeysStay && random.below(2) == 0;
    Schedule {
        fusion,
        queries: between(random, 1, problem.shape.queries),
        heads: random.of(&divisors),
        keys: between(random, 1, problem.shape.keys),
        held: if stays { KeysHeld::Resident } else { KeysHeld::Streamed },
    }
}

/// What a schedule does, element by element: every element that crosses the border of the chip is moved by itself.
struct Simulation<'a> {
    problem: &'a Problem,
    schedule: &'a Schedule,
    queries: Vec<Vec<f64>>,
    keys: Vec<Vec<f64>>,
    values: Vec<Vec<f64>>,
    read: [u64; 6],
    written: [u64; 6],
    macs: u64,
    outputs: Vec<Option<Vec<f64>>>,
}

impl<'a> Simulation<'a> {
    /// One head of keys: its queries stand one head after the other.
    fn new(problem: &'a Problem, schedule: &'a Schedule, random: &mut Lcg) -> Self {
        let mut rows = |count: u64, depth: u64| -> Vec<Vec<f64>> {
            (0..count).map(|_| (0..depth).map(|_| random.below(4001) as f64 / 1000.0 - 2.0).collect()).collect()
        };
        let shape = &problem.shape;
        let all = problem.group() * shape.queries;
        let keys = rows(shape.keys, shape.depth);
        let values = if shape.values_in_keys {
            keys.iter().map(|key| key[..shape.value_depth as usize].to_vec()).collect()
        } else {
            rows(shape.keys, shape.value_depth)
        };
        Self {
            problem,
            schedule,
            queries: rows(all, shape.depth),
            keys,
            values,
            read: [0; 6],
            written: [0; 6],
            macs: 0,
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

    /// The tiles of queries: of some heads, from a query to another.
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

    /// Elements of a value that are read: none where the key brings them, which it does where both products run together.
    fn value_depth(&self) -> u64 {
        let come_along = self.problem.shape.values_in_keys && self.schedule.fusion != Fusion::None;
        if come_along { 0 } else { self.problem.shape.value_depth }
    }

    fn run(&mut self) {
        let shape = self.problem.shape;
        let value_depth = self.value_depth();
        let streamed = self.schedule.held == KeysHeld::Streamed;
        let keys_stay = self.schedule.fusion == Fusion::KeysStay;
        // Unfused, keys and values that are one stay one after the other.
        let unfused = self.schedule.fusion == Fusion::None && shape.values_in_keys;
        if keys_stay {
            self.read[Tensor::Keys as usize] += shape.keys * shape.depth;
            self.read[Tensor::Values as usize] += shape.keys * value_depth;
        }
        let mut stay: BTreeSet<u64> = BTreeSet::new();
        for (heads, queries) in self.tiles() {
            let (first, last) = (self.sees(queries.start).start, self.sees(queries.end - 1).end);
            let rows: Vec<u64> =
                heads.flat_map(|head| queries.clone().map(move |query| head * shape.queries + query)).collect();
            if !streamed {
                // What no query from here on sees makes room for what is new.
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
                            // Out before the softmax, in for it, out after it, in for the values.
                            self.written[Tensor::Scores as usize] += 2;
                            self.read[Tensor::Scores as usize] += 2;
                        }
                    }
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

    /// The softmax as the books write it.
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
            Tensor::Queries | Tensor::Output => problem.bits.activations,
            Tensor::Keys | Tensor::Values => problem.bits.keys,
            Tensor::Scores | Tensor::Running => problem.bits.sums,
        };
        for tensor in Tensor::ALL {
            let moved = ours.dram[tensor as usize];
            let times = problem.repeats() * bits(tensor);
            let simulated = (simulation.read[tensor as usize] * times, simulation.written[tensor as usize] * times);
            assert_eq!((moved.read, moved.written), simulated, "{tensor:?} of {schedule:?} for {problem:?}");
        }
        assert_eq!(ours.macs, simulation.macs * problem.repeats(), "{schedule:?} for {problem:?}");
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

/// The best of all tile sizes whatsoever.
fn brute_force(problem: &Problem, machine: &Machine, objective: &Objective, fusion: Fusion) -> Option<f64> {
    let group = problem.group();
    let mut best: Option<f64> = None;
    for queries in 1..=problem.shape.queries {
        for keys in 1..=problem.shape.keys {
            for heads in (1..=group).filter(|heads| group.is_multiple_of(*heads)) {
                for held in [KeysHeld::Streamed, KeysHeld::Resident] {
                    if (fusion, held) == (Fusion::KeysStay, KeysHeld::Resident) {
                        // Queries stay, then.
                        continue;
                    }
                    let schedule = Schedule { fusion, queries, heads, keys, held };
                    let Some(account) = account(problem, machine, &schedule) else { continue };
                    let score = score(objective, machine, &account);
                    let least = floor(problem, machine, &schedule, objective);
                    assert!(least <= score, "{schedule:?} {objective:?} {problem:?}: {score} is below {least}");
                    best = Some(best.map_or(score, |best| best.min(score)));
                }
            }
        }
    }
    best
}

#[test]
fn the_search_finds_the_best_of_all_tile_sizes() {
    let mut random = Lcg(22);
    let objectives = [Objective::Energy, Objective::Latency, Objective::EnergyDelayProduct, Objective::DramAccesses];
    for round in 0..400 {
        let problem = problem(&mut random, 20);
        let machine = machine(between(&mut random, 100, 6000), random.below(5) > 0);
        let objective = &objectives[round % 4];
        for (fusion, found) in search(&problem, &machine, objective).best_of {
            let found = found.map(|account| score(objective, &machine, &account));
            let best = brute_force(&problem, &machine, objective, fusion);
            match (found, best) {
                (Some(found), Some(best)) => {
                    assert!(
                        found <= best * (1.0 + 1e-12),
                        "{fusion:?} {objective:?} {problem:?}: {found}, best {best}"
                    );
                }
                (found, best) => assert_eq!(found, best, "{fusion:?} {problem:?}"),
            }
        }
    }
}

/// One product, the softmax of a row, the other product: what each holds at a time.
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
    let wrong = AttentionStudy::new(&request).expect_err("refused");
    assert!(wrong.to_string().contains("more than 2^52 multiply-accumulates"), "{wrong}");
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
