//! Attention in a block with the parts around it: against all possible blocks, and against a walk over tiles, heads and
//! keys.

use super::attention_layers::{BITS, model};
use super::attention_schedules::machine;
use fusescape_engine::attention::{
    Account, Block, BlockProblem, BlockSchedule, Busy, Fusion, Held, KeyStore, KeysHeld, Machine, Part, Problem,
    RowTraffic, Run, Schedule, Step, StepCost, TokenTile, TransformerWork, best_runs, run_of, schedule_layer, search,
};
use fusescape_engine::hardware::Core;
use fusescape_engine::search::{Objective, Weights};
use fusescape_engine::transformer::Transformer;
use fusescape_engine::units::Cycles;
use fusescape_spec::{find_preset, hardware_presets, transformer_presets};
use fusescape_test_support::random::Lcg;
use fusescape_test_support::sample::sample_or_all;

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

/// The parts that a machine computes.
fn counted(parts: &[Part], machine: &Machine) -> Vec<Part> {
    parts.iter().filter(|part| machine.lanes.is_some() || !matches!(part, Part::Lanes(_))).copied().collect()
}

/// All tiles of tokens: every part of a sequence, every number of tiles of whole sequences.
fn tiles(step: &Step) -> Vec<TokenTile> {
    let parts = (1..step.tokens).map(|queries| TokenTile { sequences: 1, queries });
    let whole = (1..=step.batch).filter(|size| *size == step.batch.div_ceil(step.batch.div_ceil(*size)));
    parts.chain(whole.map(|sequences| TokenTile { sequences, queries: step.tokens })).collect()
}

/// All schedules of blocks of a case, with this problem for attention.
pub fn schedules(case: &Case, problem: &Problem) -> Vec<BlockSchedule> {
    let Case { step, chain, queries, .. } = case;
    let group = problem.shape.heads / problem.shape.key_heads;
    let mut all = Vec::new();
    let flags = [false, true];
    for tile in tiles(step) {
        for (fusion, held) in Fusion::ALL.into_iter().flat_map(|fusion| KeysHeld::ALL.map(|held| (fusion, held))) {
            if held.is_recomputed() && problem.source.is_none() {
                continue;
            }
            for has_queries in flags.into_iter().filter(|has| !has || !queries.is_empty()) {
                for parts in usize::from(!has_queries)..=chain.len() {
                    for (weights_before_stay, weights_behind_stay) in
                        flags.map(|one| flags.map(|two| (one, two))).concat()
                    {
                        let is_same = weights_before_stay && !has_queries && !held.is_recomputed();
                        if is_same || weights_behind_stay && parts == 0 {
                            continue;
                        }
                        for heads in (1..=group).filter(|heads| group.is_multiple_of(*heads)) {
                            for keys in 1..=problem.shape.keys {
                                let attention = Schedule { fusion, queries: tile.queries, heads, keys, held };
                                all.push(BlockSchedule {
                                    tile,
                                    has_queries,
                                    parts,
                                    weights_before_stay,
                                    weights_behind_stay,
                                    attention,
                                });
                            }
                        }
                    }
                }
            }
        }
    }
    all
}

pub struct Case {
    model: Transformer,
    step: Step,
    machine: Machine,
    pub problem: Problem,
    /// The parts that compute its queries.
    queries: Vec<Part>,
    /// The parts that follow attention.
    chain: Vec<Part>,
}

impl Case {
    /// A random layer of a transformer whose attention is legal.
    pub fn random(random: &mut Lcg, room: u64) -> Self {
        loop {
            let model = Transformer { state_space: None, ..model(random) };
            let machine = machine(40 + random.below(room), random.below(4) > 0);
            let step = Step { cached: random.below(2) * 3, ..Step::prefill(1 + random.below(3), 1 + random.below(5)) };
            let Some(problem) = model.attention(&step, BITS).filter(|problem| problem.check().is_ok()) else {
                continue;
            };
            let chain = counted(&model.parts()[1], &machine);
            let queries = counted(&model.parts_of_queries().unwrap_or_default(), &machine);
            return Self { model, step, machine, problem, queries, chain };
        }
    }

    /// With keys and values in a random place of those that they can have; on the chip they have room of their own.
    pub fn in_some_store(self, random: &mut Lcg) -> Self {
        let stores: Vec<KeyStore> = KeyStore::of(&self.model, &self.step).collect();
        Self { problem: random.of(&stores).attention(&self.problem), ..self }
    }

    pub fn blocks(&self) -> BlockProblem<'_> {
        let Self { problem, queries, chain, step, machine, .. } = self;
        BlockProblem { queries, attention: problem, chain, step, machine }
    }
}

#[test]
fn the_best_layer_is_the_best_of_all_with_and_without_blocks() {
    let mut random = Lcg(31);
    let weighted = Objective::Weighted(Weights { energy: 1.0, latency: 3.0, dram_accesses: 40.0 });
    let objectives = [Objective::Energy, Objective::Latency, Objective::DramAccesses, weighted];
    let (mut with, mut without, mut kinds, mut of_store) = ([0; 4], 0, [0; 4], [0; 3]);
    for round in 0..sample_or_all(48, 120) {
        let case = Case::random(&mut random, 6000);
        let objective = &objectives[round % 4];
        let Case { model, step, machine, .. } = &case;
        let Ok(layer) = schedule_layer(model, step, BITS, machine, objective) else { continue };
        let layers = model.layers;
        let of_layer = |cost: &StepCost| {
            let cost = (cost.energy_pj() / layers as f64, cost.latency_cycles / layers, cost.dram_bits / layers);
            score(cost, objective, machine)
        };
        let mut least_of_all = f64::INFINITY;
        assert!(layer.stores.iter().map(|(store, _)| *store).eq(KeyStore::of(model, step)));
        for &(store, cost) in &layer.stores {
            let least = case.least_with(store, objective);
            assert_eq!(cost.is_some(), least.is_some(), "{store:?}");
            let Some((least, cost)) = least.zip(cost) else { continue };
            let found = of_layer(&cost);
            assert!((found - least).abs() <= least * 1e-9, "{found}, but {least}: {store:?} of {}", model.name);
            least_of_all = least_of_all.min(found);
        }
        assert_eq!(of_layer(&layer.cost()), least_of_all);
        of_store[KeyStore::ALL.iter().position(|store| *store == layer.keys_in.0).unwrap()] += 1;
        let Some(block) = &layer.block else {
            without += 1;
            continue;
        };
        with[round % 4] += 1;
        let is_recomputed = block.attention.schedule.held.is_recomputed();
        kinds[usize::from(block.queries.is_some()) + 2 * usize::from(is_recomputed)] += 1;
    }
    assert!(
        with.iter().all(|count| *count > sample_or_all(3, 10)) && without > sample_or_all(0, 2),
        "{with:?} {without}"
    );
    // Schedules that compute keys again also compute queries of the same inputs.
    assert!([0, 1, 3].iter().all(|&kind| kinds[kind] > sample_or_all(1, 5)), "{kinds:?}");
    assert!(of_store.iter().all(|count| *count > sample_or_all(1, 5)), "{of_store:?}");
}

impl Case {
    /// The least score of all schedules of a layer with keys and values in this place; `None` where they, or a part, do
    /// not fit.
    fn least_with(&self, store: KeyStore, objective: &Objective) -> Option<f64> {
        let Self { model, step, .. } = self;
        let of_token = step.batch * model.attention(step, BITS)?.shape.key_heads * BITS.keys;
        let of_token = match model.latent {
            Some(latent) => step.batch * (latent.rank + latent.rotary) * BITS.keys,
            None => of_token * 2 * model.depth,
        };
        // For other layers, only the tokens in the window are cached; for this one, all that its tokens see.
        let all = step.cached + step.tokens;
        let cached = all.min(model.window.unwrap_or(all));
        let seen = all.min(model.window.map_or(all, |window| window + step.tokens - 1));
        let room = match store {
            KeyStore::Dram => 0,
            KeyStore::Layer => seen * of_token,
            KeyStore::Cache => ((model.layers - 1) * cached + seen.max(cached)) * of_token,
        };
        let machine = &self.machine.with_less_room(room)?;
        let problem = &match store {
            KeyStore::Dram => self.problem,
            _ => Problem { keys_on_chip: true, source: None, ..self.problem },
        };
        let chain = &self.chain;
        let kept = |parts: &[Part]| match store {
            KeyStore::Dram if model.keys_of_latents().is_some() => parts.to_vec(),
            KeyStore::Dram => model.keeping_keys(parts.to_vec(), false, true),
            KeyStore::Layer => model.keeping_keys(parts.to_vec(), true, model.causal),
            KeyStore::Cache => model.keeping_keys(parts.to_vec(), true, false),
        };

        // The parts before and after attention, and attention alone, with any treatment of its keys.
        let runs = |parts: &[Part]| {
            let runs = best_runs(&counted(parts, machine), step, &BITS, machine, objective)?;
            Some(together(runs.iter().map(of_run)))
        };
        let after = runs(&model.parts()[1])?;
        let mut stored = runs(&kept(&model.parts()[0]))?;
        if let Some(product) = model.keys_of_latents() {
            let step = Step { tokens: problem.shape.keys, ..*step };
            let keys = best_runs(&[Part::Product(product)], &step, &BITS, machine, objective)?;
            stored = together([stored, together(keys.iter().map(of_run))]);
        }
        let keys = model.parts_of_keys().and_then(|parts| runs(&kept(&parts)));
        let before = |has_queries: bool, is_recomputed: bool| match (has_queries, is_recomputed) {
            (false, false) => Some(stored),
            (false, true) if model.causal => Some(stored),
            (false, true) => runs(&model.parts_of_queries()?),
            // A decoder caches its keys and values.
            (true, true) if !model.causal => Some((0.0, 0, 0)),
            (true, _) => keys,
        };
        let mut least = f64::INFINITY;
        let found = search(problem, machine, objective);
        let stored_best = found.best_of.iter().filter_map(|(_, best)| best.as_ref());
        for best in stored_best.chain(&found.recomputed) {
            let Some(before) = before(false, best.schedule.held.is_recomputed()) else { continue };
            least = least.min(score(together([before, of_attention(best), after]), objective, machine));
        }
        // All blocks.
        let rests: Vec<Option<Cost>> =
            (0..=chain.len()).map(|parts| rest_of(chain, parts, step, machine, objective)).collect();
        let blocks = BlockProblem { queries: &self.queries, attention: problem, chain, step, machine };
        for schedule in schedules(self, problem) {
            let Some(block) = blocks.account(&schedule) else { continue };
            let before = before(schedule.has_queries, schedule.attention.held.is_recomputed());
            let Some((before, rest)) = before.zip(rests[schedule.parts]) else { continue };
            least = least.min(score(together([before, of_block(&block), rest]), objective, machine));
        }
        least.is_finite().then_some(least)
    }
}

/// The least cost of the parts from `from` on, by trying all ways to divide them into runs.
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
    let (mut blocks, mut kept) = (0, 0);
    for _ in 0..sample_or_all(20, 90) {
        let case = Case::random(&mut random, 9000).in_some_store(&mut random);
        let Case { machine, problem, .. } = &case;
        for schedule in schedules(&case, problem) {
            let Some(block) = case.blocks().account(&schedule) else { continue };
            blocks += 1;
            kept += usize::from(problem.keys_on_chip);
            let walked = walk(&case, &schedule);
            assert_eq!((block.dram.read, block.dram.written), (walked.read, walked.written), "{schedule:?}");
            assert_eq!(block.tiles, walked.tiles, "{schedule:?}");
            // Room needed on the chip, including that for collected queries and results.
            let [own, keys] = schedule.attention.needed_bits(problem);
            let of_heads = |depth: u64| schedule.tile.tokens() * problem.shape.heads * depth * BITS.activations;
            let queries =
                of_heads(problem.shape.depth) - schedule.attention.rows() * problem.shape.depth * BITS.activations;
            let collected = if schedule.has_queries { queries } else { 0 };
            let results = if schedule.parts > 0 { of_heads(problem.shape.value_depth) } else { 0 };
            assert!(block.needed_bits[0] >= own + collected + results, "{schedule:?}");
            assert!(block.needed_bits[1] >= keys);
            let room = machine.activations.size_bits;
            assert!(block.needed_bits[0] + block.needed_bits[1] <= room, "{schedule:?}");

            // Busy cycles are those of attention and the parts, less those of data that no longer crosses the border.
            let all = |of: fn(&Busy) -> u64| block.phases.iter().map(of).sum::<u64>();
            let stages = |of: fn(&Busy) -> u64| -> Vec<u64> {
                let runs = block.runs().map(|run| of(&run.busy));
                runs.chain([of(&block.attention.phases[0])]).collect()
            };
            let apart = |of: fn(&Busy) -> u64| stages(of).iter().sum::<u64>();
            let same: [fn(&Busy) -> u64; 4] =
                [|busy| busy.array, |busy| busy.lanes, |busy| busy.activations, |busy| busy.keys];
            assert!(same.iter().all(|of| all(*of) == apart(*of)), "{schedule:?}");
            assert!(all(|busy| busy.dram) <= apart(|busy| busy.dram), "{schedule:?}");
            let longest = same.iter().map(|of| all(*of)).max().unwrap();
            assert!(block.latency_cycles() >= longest, "{schedule:?}");
            let (tiles, most) = (block.tiles, block.runs().count() as u64);
            assert_eq!(
                block.phases.len() as u64,
                if tiles > most { 2 * most + 1 } else { most + tiles },
                "{schedule:?}"
            );
            // The array works slot by slot: in each slot, on tiles of different stages.
            if tiles == 1 {
                let stages: Vec<u64> = block.phases.iter().map(|phase| phase.array).collect();
                let (queries, parts) = (block.queries.as_ref(), block.parts.as_ref());
                let each = queries.map(|run| run.busy.array).into_iter().chain([block.attention.phases[0].array]);
                assert_eq!(stages, each.chain(parts.map(|run| run.busy.array)).collect::<Vec<_>>(), "{schedule:?}");
            }
        }
    }
    assert!(
        blocks > sample_or_all(4000, 20_000) && kept > sample_or_all(200, 2000),
        "{blocks}, {kept} of them with keys and values on the chip"
    );
}

struct Walked {
    read: u64,
    written: u64,
    tiles: u64,
}

/// Counts costs tile by tile, sequence by sequence, head by head, tile of keys by tile of keys.
fn walk(case: &Case, schedule: &BlockSchedule) -> Walked {
    let Case { step, machine, problem, chain, queries, .. } = case;
    let (shape, attention) = (&problem.shape, &schedule.attention);
    let group = shape.heads / shape.key_heads;
    let mut walked = Walked { read: 0, written: 0, tiles: 0 };
    let columns = machine.unrolled[2];
    let behind = RowTraffic::of(chain, &(0..schedule.parts), columns);
    let before = RowTraffic::of(queries, &(0..queries.len()), columns).filter(|_| schedule.has_queries);
    let weights_of = |parts: &[Part], tokens: u64| -> u64 {
        let of = |part: &Part| match part {
            Part::Product(product) => product.used_weights(tokens).round() as u64,
            Part::Lanes(step) => step.weights(),
            Part::Keep(_) => 0,
        };
        parts.iter().map(of).sum::<u64>() * BITS.weights
    };
    let (inputs_stay, is_recomputed) = (attention.held == KeysHeld::InputsStay, attention.held.is_recomputed());
    let channels = problem.source.map_or(0, |source| source.channels);
    let of_head = channels * (shape.depth + shape.value_depth) * BITS.weights;
    let all_tokens = step.batch * step.tokens;
    if schedule.weights_behind_stay {
        walked.read += weights_of(&chain[..schedule.parts], all_tokens);
    }
    if schedule.weights_before_stay {
        walked.read += if schedule.has_queries { weights_of(queries, all_tokens) } else { 0 };
        walked.read += if is_recomputed { shape.key_heads * of_head } else { 0 };
    }
    // Pieces of sequences, tile by tile: the first query, and the number of queries.
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
        if let Some(row) = before {
            walked.read += if schedule.weights_before_stay { 0 } else { weights_of(queries, tokens) };
            // Inputs that stay are on the chip already.
            walked.read += tokens * (row.read - if inputs_stay { channels } else { 0 }) * BITS.activations;
        }
        if is_recomputed && !schedule.weights_before_stay {
            // The weights of a head stay for all sequences of a tile, unless the sequences are computed one after the
            // other.
            let turns = if inputs_stay { tile.len() as u64 } else { 1 };
            walked.read += turns * shape.key_heads * of_head;
        }
        for &(start, size) in tile {
            if inputs_stay && start == 0 {
                walked.read += shape.keys * channels * BITS.activations;
            }
            let seen = |key: u64| (start..start + size).any(|query| sees(problem, query, key));
            let first = (0..shape.keys).find(|key| seen(*key)).unwrap();
            let last = (0..shape.keys).rfind(|key| seen(*key)).unwrap();
            let keys = last + 1 - first;
            for _heads in 0..shape.key_heads * (group / attention.heads) {
                if !schedule.has_queries {
                    walked.read += size * attention.heads * shape.depth * BITS.activations;
                }
                if attention.held == KeysHeld::Recomputed {
                    // Keys and values are computed together, or each in its own pass.
                    let passes = if attention.fusion == Fusion::QueriesStay { 1 } else { 2 };
                    walked.read += passes * keys * channels * BITS.activations;
                }
                if attention.held == KeysHeld::Streamed {
                    for (at, depth) in pair.iter().enumerate() {
                        // Values in keys are loaded once more when rows of scores are finished and the first tile has
                        // been replaced.
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
        let results = shape.heads * shape.value_depth;
        match behind {
            // Of the data that the parts read, the results of attention are on the chip already.
            Some(row) => {
                walked.read +=
                    if schedule.weights_behind_stay { 0 } else { weights_of(&chain[..schedule.parts], tokens) };
                walked.read += tokens * (row.read - results) * BITS.activations;
                walked.written += tokens * row.written * BITS.activations;
            }
            None => walked.written += tokens * results * BITS.activations,
        }
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

/// In every model the part that follows attention reads its results alone, and attention reads the queries alone, so
/// that blocks are searched.
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
            let queries = model.parts_of_queries().unwrap_or_default();
            assert_eq!(queries.is_empty(), model.latent.is_some(), "{}", preset.id);
            let machine = machine.as_ref().unwrap();
            let blocks = BlockProblem { queries: &queries, attention: &problem, chain: &chain, step: &step, machine };
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
