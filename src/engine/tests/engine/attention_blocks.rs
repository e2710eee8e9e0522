//! Attention in a block with what follows it: against all blocks there are, and against a walk over tiles, heads and keys.

use crate::attention_layers::{BITS, model};
use crate::attention_schedules::machine;
use fusescape_engine::attention::{
    Account, Block, BlockProblem, BlockSchedule, Busy, Fusion, Held, KeysHeld, Machine, Part, Problem, RowTraffic, Run,
    Schedule, Step, TokenTile, Transformer, best_runs, run_of, schedule_layer,
};
use fusescape_engine::hardware::Core;
use fusescape_engine::search::{Objective, Weights};
use fusescape_engine::units::Cycles;
use fusescape_spec::{find_preset, hardware_presets, transformer_presets};
use fusescape_test_support::random::Lcg;

/// Energy, cycles and bits of DRAM.
type Cost = (f64, u64, u64);

fn of_run(run: &Run) -> Cost {
    (run.energy_pj(), run.busy.cycles(), run.dram_bits())
}

fn of_attention(account: &Account) -> Cost {
    (account.energy_pj(), account.latency_cycles(), account.dram_bits())
}

fn of_block(block: &Block) -> Cost {
    (block.energy_pj(), block.latency_cycles(), block.dram_bits())
}

fn together(costs: impl IntoIterator<Item = Cost>) -> Cost {
    costs.into_iter().fold((0.0, 0, 0), |all, next| (all.0 + next.0, all.1 + next.1, all.2 + next.2))
}

fn score((energy, cycles, bits): Cost, objective: &Objective, machine: &Machine) -> f64 {
    let words = || bits as f64 / machine.dram.read_width as f64;
    objective.combine(energy, Cycles(cycles as f64), &words, &|_| words())
}

/// The parts that follow attention on a machine.
fn chain(model: &Transformer, machine: &Machine) -> Vec<Part> {
    let [_, after] = model.parts();
    after.into_iter().filter(|part| machine.lanes.is_some() || part.product().is_some()).collect()
}

/// All tiles of tokens: every part of a sequence, every number of tiles of whole sequences.
fn tiles(step: &Step) -> Vec<TokenTile> {
    let parts = (1..step.tokens).map(|queries| TokenTile { sequences: 1, queries });
    let whole = (1..=step.batch).filter(|size| *size == step.batch.div_ceil(step.batch.div_ceil(*size)));
    parts.chain(whole.map(|sequences| TokenTile { sequences, queries: step.tokens })).collect()
}

/// All schedules of blocks with some of the parts of a chain.
fn schedules(problem: &Problem, step: &Step, parts: usize) -> Vec<BlockSchedule> {
    let group = problem.shape.heads / problem.shape.key_heads;
    let mut all = Vec::new();
    for tile in tiles(step) {
        for (parts, weights_stay) in (1..=parts).flat_map(|parts| [(parts, true), (parts, false)]) {
            for fusion in Fusion::ALL {
                for held in KeysHeld::ALL {
                    for heads in (1..=group).filter(|heads| group.is_multiple_of(*heads)) {
                        for keys in 1..=problem.shape.keys {
                            let attention = Schedule { fusion, queries: tile.queries, heads, keys, held };
                            all.push(BlockSchedule { tile, parts, weights_stay, attention });
                        }
                    }
                }
            }
        }
    }
    all
}

struct Case {
    model: Transformer,
    step: Step,
    machine: Machine,
    problem: Problem,
    chain: Vec<Part>,
}

impl Case {
    /// A random layer of a transformer whose attention is legal.
    fn random(random: &mut Lcg, room: u64) -> Self {
        loop {
            let model = Transformer { state_space: None, ..model(random) };
            let machine = machine(40 + random.below(room), random.below(4) > 0);
            let step = Step { cached: random.below(2) * 3, ..Step::prefill(1 + random.below(3), 1 + random.below(5)) };
            let Some(problem) = model.attention(&step, BITS).filter(|problem| problem.check().is_ok()) else {
                continue;
            };
            let chain = chain(&model, &machine);
            return Self { model, step, machine, problem, chain };
        }
    }

    fn blocks(&self) -> BlockProblem<'_> {
        BlockProblem { attention: &self.problem, chain: &self.chain, step: &self.step, machine: &self.machine }
    }
}

#[test]
fn the_best_layer_is_the_best_of_all_with_and_without_blocks() {
    let mut random = Lcg(31);
    let weighted = Objective::Weighted(Weights { energy: 1.0, latency: 3.0, dram_accesses: 40.0 });
    let objectives = [Objective::Energy, Objective::Latency, Objective::DramAccesses, weighted];
    let (mut with, mut without) = ([0; 4], [0; 4]);
    for round in 0..120 {
        let case = Case::random(&mut random, 6000);
        let objective = &objectives[round % 4];
        let Case { model, step, machine, problem, chain } = &case;
        let Ok(layer) = schedule_layer(model, step, BITS, machine, objective) else { continue };
        let cost = layer.cost();
        let found = (cost.energy_pj(), cost.latency_cycles, cost.dram_bits);
        let layers = model.layers;
        let found = score((found.0 / layers as f64, found.1 / layers, found.2 / layers), objective, machine);

        // Attention by itself, however it comes by its keys.
        let own = layer.attention.as_ref().unwrap();
        let after = best_runs(chain, step, &BITS, machine, objective).unwrap();
        let runs = |runs: &[Run]| together(runs.iter().map(of_run));
        let before_stored = {
            let parts: Vec<Part> = model.parts()[0]
                .iter()
                .filter(|part| machine.lanes.is_some() || part.product().is_some())
                .copied()
                .collect();
            let mut all = best_runs(&parts, step, &BITS, machine, objective).unwrap();
            if let Some(product) = model.keys_of_latents() {
                let step = Step { tokens: problem.shape.keys, ..*step };
                all.extend(best_runs(&[Part::Product(product)], &step, &BITS, machine, objective).unwrap());
            }
            all
        };
        let mut least = own
            .found
            .best_of
            .iter()
            .filter_map(|(_, best)| best.as_ref())
            .map(|best| score(together([runs(&before_stored), of_attention(best), runs(&after)]), objective, machine))
            .fold(f64::INFINITY, f64::min);
        if layer.block.is_none() {
            least = least.min(score(
                together([runs(&layer.before), of_attention(&own.best), runs(&after)]),
                objective,
                machine,
            ));
        }
        // All blocks.
        for schedule in schedules(problem, step, chain.len()) {
            let Some(block) = case.blocks().account(&schedule) else { continue };
            let rest = rest_of(chain, schedule.parts, step, machine, objective);
            let Some(rest) = rest else { continue };
            least = least.min(score(together([runs(&before_stored), of_block(&block), rest]), objective, machine));
        }
        assert!((found - least).abs() <= least * 1e-9, "{found}, but {least}: {case}", case = case.model.name);
        let count = if layer.block.is_some() { &mut with } else { &mut without };
        count[round % 4] += 1;
    }
    assert!(with.iter().all(|count| *count > 10) && without.iter().sum::<i32>() > 10, "{with:?} {without:?}");
}

/// What the parts from one on cost, at best, by trying all ways to divide them into runs.
fn rest_of(chain: &[Part], from: usize, step: &Step, machine: &Machine, objective: &Objective) -> Option<Cost> {
    let tokens = step.batch * step.tokens;
    let mut best: Vec<Option<Cost>> = vec![None; chain.len() + 1];
    best[from] = Some((0.0, 0, 0));
    for end in from + 1..=chain.len() {
        for start in from..end {
            let Some(before) = best[start] else { continue };
            for tile in (1..=tokens).filter(|tile| *tile == tokens.div_ceil(tokens.div_ceil(*tile))) {
                for held in Held::ALL {
                    let Some(run) = run_of(chain, &(start..end), (step, tile), held, &BITS, machine) else { continue };
                    let cost = together([before, of_run(&run)]);
                    if best[end].is_none_or(|best| score(cost, objective, machine) < score(best, objective, machine)) {
                        best[end] = Some(cost);
                    }
                }
            }
        }
    }
    best[chain.len()]
}

#[test]
fn a_block_moves_what_a_walk_over_its_tiles_moves() {
    let mut random = Lcg(77);
    let mut blocks = 0;
    for _ in 0..60 {
        let case = Case::random(&mut random, 9000);
        let Case { step, machine, problem, chain, .. } = &case;
        for schedule in schedules(problem, step, chain.len()) {
            let Some(block) = case.blocks().account(&schedule) else { continue };
            blocks += 1;
            let walked = walk(&case, &schedule);
            assert_eq!((block.dram.read, block.dram.written), (walked.read, walked.written), "{schedule:?}");
            assert_eq!(block.tiles, walked.tiles, "{schedule:?}");
            // What is needed on the chip, with the room of results that are collected.
            let [own, keys] = schedule.attention.needed_bits(problem);
            let tokens = schedule.tile.tokens();
            assert!(
                block.needed_bits[0]
                    >= own + tokens * problem.shape.heads * problem.shape.value_depth * BITS.activations
            );
            assert!(block.needed_bits[1] >= keys);
            let room = machine.activations.size_bits;
            assert!(block.needed_bits[0] + block.needed_bits[1] <= room, "{schedule:?}");

            // All of it is busy as long as attention and the parts are, less what the results took.
            let [filling, beside, draining] = block.phases;
            let all = |of: fn(&Busy) -> u64| of(&filling) + of(&beside) + of(&draining);
            let apart = |of: fn(&Busy) -> u64| of(&block.attention.phases[0]) + of(&block.run.busy);
            let same: [fn(&Busy) -> u64; 4] =
                [|busy| busy.array, |busy| busy.lanes, |busy| busy.activations, |busy| busy.keys];
            assert!(same.iter().all(|of| all(*of) == apart(*of)), "{schedule:?}");
            assert!(all(|busy| busy.dram) <= apart(|busy| busy.dram), "{schedule:?}");
            let longest = same.iter().map(|of| all(*of)).max().unwrap();
            assert!(block.latency_cycles() >= longest, "{schedule:?}");
            if block.tiles == 1 {
                // With one tile nothing runs side by side.
                assert_eq!(beside, Busy::default(), "{schedule:?}");
            }
        }
    }
    assert!(blocks > 20_000, "{blocks}");
}

struct Walked {
    read: u64,
    written: u64,
    tiles: u64,
}

/// Tile by tile, sequence by sequence, head by head, tile of keys by tile of keys.
fn walk(case: &Case, schedule: &BlockSchedule) -> Walked {
    let Case { step, machine, problem, chain, .. } = case;
    let (shape, attention) = (&problem.shape, &schedule.attention);
    let group = shape.heads / shape.key_heads;
    let mut walked = Walked { read: 0, written: 0, tiles: 0 };
    let row = RowTraffic::of(chain, &(0..schedule.parts), machine.unrolled[2]).unwrap();
    let parts = &chain[..schedule.parts];
    let weights_of = |tokens: u64| -> u64 {
        let of = |part: &Part| match part {
            Part::Product(product) => product.used_weights(tokens).round() as u64,
            Part::Lanes(step) => step.weights(),
        };
        parts.iter().map(of).sum::<u64>() * BITS.weights
    };
    if schedule.weights_stay {
        walked.read += weights_of(step.batch * step.tokens);
    }
    // Pieces of sequences, tile by tile.
    let mut tiles: Vec<Vec<(u64, u64)>> = Vec::new();
    if schedule.tile.queries < step.tokens {
        for _ in 0..step.batch {
            for start in (0..step.tokens).step_by(schedule.tile.queries as usize) {
                tiles.push(vec![(start, schedule.tile.queries.min(step.tokens - start))]);
            }
        }
    } else {
        let sequences: Vec<(u64, u64)> = (0..step.batch).map(|_| (0, step.tokens)).collect();
        tiles.extend(sequences.chunks(schedule.tile.sequences as usize).map(<[_]>::to_vec));
    }
    let pair: Vec<u64> = if shape.values_in_keys { vec![shape.depth] } else { vec![shape.depth, shape.value_depth] };
    if attention.held == KeysHeld::Resident {
        walked.read += shape.batch * shape.key_heads * shape.keys * pair.iter().sum::<u64>() * BITS.keys;
    }
    for tile in &tiles {
        walked.tiles += 1;
        let tokens: u64 = tile.iter().map(|(_, size)| size).sum();
        for &(start, size) in tile {
            for _key_head in 0..shape.key_heads {
                for _heads in 0..group / attention.heads {
                    walked.read += size * attention.heads * shape.depth * BITS.activations;
                    if attention.held == KeysHeld::Streamed {
                        let seen = |key: u64| (start..start + size).any(|query| sees(problem, query, key));
                        let first = (0..shape.keys).find(|key| seen(*key)).unwrap();
                        let last = (0..shape.keys).rfind(|key| seen(*key)).unwrap();
                        let keys = last + 1 - first;
                        for (at, depth) in pair.iter().enumerate() {
                            // Values in keys come once more when rows of scores are done and the first tile has gone.
                            let again = shape.values_in_keys
                                && at == 0
                                && attention.fusion != Fusion::QueriesStay
                                && keys > attention.keys;
                            let more = if again { keys * shape.value_depth } else { 0 };
                            walked.read += (keys * depth + more) * BITS.keys;
                        }
                    }
                }
            }
        }
        if !schedule.weights_stay {
            walked.read += weights_of(tokens);
        }
        // Of what the parts read, the results of attention are there.
        walked.read += tokens * (row.read - shape.heads * shape.value_depth) * BITS.activations;
        walked.written += tokens * row.written * BITS.activations;
    }
    walked
}

/// Whether a query sees a key: under a causal mask the last query sees the last key.
fn sees(problem: &Problem, query: u64, key: u64) -> bool {
    if !problem.causal {
        return true;
    }
    let own = query + problem.shape.keys - problem.shape.queries;
    key <= own && problem.window.is_none_or(|window| key + window > own)
}

/// What follows attention in every model reads just its results, so that blocks are looked for.
#[test]
fn every_model_may_have_blocks() {
    let mut models = 0;
    for preset in transformer_presets() {
        let model = Transformer::from_text(preset.text).unwrap();
        let machine =
            Machine::of(&Core::from_text(find_preset(hardware_presets(), "fusemax-like").unwrap().text).unwrap());
        for step in [Step::prefill(2, 64), Step { batch: 2, ..Step::prefill(1, 1) }] {
            let Some(problem) = model.attention(&step, BITS) else { continue };
            let [_, chain] = model.parts();
            let machine = machine.as_ref().unwrap();
            let blocks = BlockProblem { attention: &problem, chain: &chain, step: &step, machine };
            assert!(blocks.is_joined(), "{}", preset.id);
            models += 1;
        }
    }
    assert_eq!(models, 2 * 8);
}

#[test]
fn more_room_is_never_worse() {
    let mut random = Lcg(5);
    for _ in 0..12 {
        let case = Case::random(&mut random, 1);
        let mut before: Option<f64> = None;
        for room in (200..9000).step_by(400) {
            let machine = machine(room, true);
            let Ok(layer) = schedule_layer(&case.model, &case.step, BITS, &machine, &Objective::Energy) else {
                assert!(before.is_none(), "it had fitted before");
                continue;
            };
            let energy = layer.cost().energy_pj();
            assert!(before.is_none_or(|before| energy <= before * (1.0 + 1e-12)), "{room}: {energy} after {before:?}");
            before = Some(energy);
        }
    }
}
