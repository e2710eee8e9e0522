//! Transformers on several cores, against a walk over every core and every element that is sent.

use fusescape_engine::attention::{
    Account, Cascade, Cause, Cores, ElementBits, Fusion, KeyStore, Machine, Part, Split, SplitCost, Step, Store,
    Tensor, TransformerWork, attend, best_runs, schedule_layer, search, split_step,
};
use fusescape_engine::hardware::Core;
use fusescape_engine::search::Objective;
use fusescape_engine::transformer::{Activation, Norm, Transformer};
use fusescape_engine::workload::Operation;
use fusescape_spec::{find_preset, hardware_presets, transformer_presets};
use fusescape_test_support::random::Lcg;
use fusescape_test_support::sample::sample_or_all;

const BITS: ElementBits = ElementBits { activations: 8, keys: 4, sums: 16, weights: 2 };

fn machine(hardware: &str) -> Machine {
    let text = find_preset(hardware_presets(), hardware).unwrap().text;
    Machine::of(&Core::from_text(text).unwrap()).unwrap()
}

fn preset(model: &str) -> Transformer {
    Transformer::from_text(find_preset(transformer_presets(), model).unwrap().text).unwrap()
}

fn model(random: &mut Lcg) -> Transformer {
    let key_heads = random.of(&[1, 2, 4]);
    let causal = random.below(2) == 0;
    Transformer {
        name: "random".to_owned(),
        layers: 1 + random.below(4),
        width: 1 + random.below(9),
        heads: key_heads * random.of(&[1, 2, 3]),
        key_heads,
        depth: 1 + random.below(5),
        hidden: 4 + random.below(9),
        gated: random.below(2) == 0,
        experts: (1, 1),
        shared: 0,
        latent: None,
        causal,
        window: (causal && random.below(3) == 0).then(|| 1 + random.below(9)),
        norm: random.of(&Norm::NAMES).0,
        post_norm: random.below(2) == 0,
        activation: random.of(&Activation::NAMES).0,
        rotary: random.below(2) == 0,
        state_space: None,
    }
}

/// Rows that are sent around a ring, element by element.
#[derive(Default)]
struct Sent {
    bits: u64,
    cycles: u64,
    /// For each turn, the rows of the largest part and of all parts.
    turns: Vec<(u64, u64)>,
}

/// Every core has numbers of all rows; around the ring each row becomes their sum at one core, and the sums are
/// distributed. The parts of rows that a core sends in a turn are those that it received in the turn before.
fn all_reduce(cores: usize, rows: usize, row_bits: u64, link_bits: u64) -> [Sent; 2] {
    let own = |core: usize, row: usize| (1 + core * 7 + row * 3) as u64;
    let mut held: Vec<Vec<u64>> = (0..cores).map(|core| (0..rows).map(|row| own(core, row)).collect()).collect();
    let size = rows.div_ceil(cores);
    let part = |index: usize| (index * size).min(rows)..((index + 1) * size).min(rows);
    let mut sent = [Sent::default(), Sent::default()];
    for (hands_out, sent) in sent.iter_mut().enumerate() {
        for turn in 0..cores - 1 {
            let of = |core: usize| part((core + cores * 2 + hands_out - turn) % cores);
            let on_their_way: Vec<Vec<u64>> = (0..cores).map(|core| held[core][of(core)].to_vec()).collect();
            for (core, values) in on_their_way.iter().enumerate() {
                for (place, value) in of(core).zip(values) {
                    let to = &mut held[(core + 1) % cores][place];
                    *to = if hands_out == 1 { *value } else { *to + value };
                }
            }
            let sizes: Vec<u64> = on_their_way.iter().map(|values| values.len() as u64).collect();
            let largest = sizes.iter().copied().max().unwrap();
            sent.turns.push((largest, sizes.iter().sum()));
            sent.bits += sizes.iter().sum::<u64>() * row_bits;
            sent.cycles += (largest * row_bits).div_ceil(link_bits);
        }
    }
    for held in &held {
        for (row, value) in held.iter().enumerate() {
            assert_eq!(*value, (0..cores).map(|core| own(core, row)).sum::<u64>(), "{cores} cores, {rows} rows");
        }
    }
    sent
}

/// Counts of one core, or of all of them.
#[derive(Default, Clone, Copy)]
struct Count {
    cycles: u64,
    energy: f64,
    link_bits: u64,
    dram_bits: u64,
    macs: u64,
}

/// Operations of lanes for each row that arrives, with elements read and written.
type PerRow = (Vec<(Operation, u64)>, u64, u64);

/// The costs of sending, and of the steps of lanes on the rows that arrive. Steps of lanes follow each other.
fn charge(count: &mut Count, machine: &Machine, sent: &Sent, arrives: &[PerRow], row_bits: u64) {
    charge_between(&machine.activations, count, machine, sent, arrives, row_bits);
}

/// The same between memories of this kind.
fn charge_between(store: &Store, count: &mut Count, machine: &Machine, sent: &Sent, arrives: &[PerRow], row_bits: u64) {
    count.cycles += sent.cycles;
    count.link_bits += sent.bits;
    let (mut read, mut written) = (sent.bits, sent.bits);
    let lanes = machine.lanes.as_ref();
    for &(largest, all) in &sent.turns {
        for (operations, reads, writes) in arrives.iter().filter(|_| lanes.is_some()) {
            // `times` elements for each row.
            let times = operations[0].1;
            let each: u64 = operations[1..].iter().map(|(op, n)| n * lanes.unwrap().cost(*op).cycles).sum();
            count.cycles += (largest * times).div_ceil(lanes.unwrap().lanes()) * each;
            let energy: f64 = operations[1..].iter().map(|(op, n)| *n as f64 * machine.operation_pj(*op)).sum();
            count.energy += energy * (all * times) as f64;
            read += all * reads * row_bits;
            written += all * writes * row_bits;
        }
    }
    count.energy += store.energy_pj(read, written);
}

/// A step on several cores: every core alone, with its keys and values in this place; `None` where they do not fit.
fn walk(
    store: KeyStore,
    model: &Transformer,
    step: &Step,
    machine: &Machine,
    cores: &Cores,
    split: &Split,
    objective: &Objective,
) -> Option<Count> {
    let shared = machine.sharing_dram(split.of_layer());
    let bound = |all: u64, parts: u64, part: u64| {
        // The first parts have one element more.
        let (size, larger) = (all / parts, all % parts);
        part * size + part.min(larger)
    };
    let mut slowest = 0;
    let mut all = Count::default();
    for of_sequences in 0..split.sequences {
        let batch =
            bound(step.batch, split.sequences, of_sequences + 1) - bound(step.batch, split.sequences, of_sequences);
        for of_queries in 0..split.queries {
            let (first, end) =
                (bound(step.tokens, split.queries, of_queries), bound(step.tokens, split.queries, of_queries + 1));
            let others = if model.causal { first } else { step.tokens - (end - first) };
            let own = Step { batch, tokens: end - first, cached: step.cached + others, sees_itself: true };
            let group = group(store, model, &own, &shared, cores, split, objective)?;
            slowest = slowest.max(group.cycles);
            all.energy += group.energy;
            all.link_bits += group.link_bits;
            all.dram_bits += group.dram_bits;
            all.macs += group.macs;
        }
    }
    Some(Count { cycles: slowest, ..all })
}

fn group(
    store: KeyStore,
    model: &Transformer,
    step: &Step,
    machine: &Machine,
    cores: &Cores,
    split: &Split,
    objective: &Objective,
) -> Option<Count> {
    let of_weights = split.heads * split.keys;
    let part = |parts: u64| Transformer {
        heads: model.heads / parts,
        key_heads: (model.key_heads / parts).max(1),
        hidden: model.hidden.div_ceil(parts),
        // The layers of the largest group.
        layers: model.layers.div_ceil(split.layers),
        ..model.clone()
    };
    let mut count = Count::default();
    let mut of_attention = 0;
    let add = |count: &mut Count, cycles: u64, energy: f64, dram_bits: u64, macs: u64| {
        count.cycles += cycles;
        for _core in 0..of_weights {
            count.energy += energy;
            count.dram_bits += dram_bits;
            count.macs += macs;
        }
    };
    // With a cache on the chip, the room is smaller: by the largest part of the keys of all layers, and by the computed
    // keys.
    let of_token = step.batch * 2 * part(split.heads).key_heads * model.depth * BITS.keys;
    let seen = (step.cached + step.tokens).min(model.window.unwrap_or(u64::MAX));
    let taken = of_token * (part(1).layers * seen.div_ceil(split.keys) + step.tokens);
    let left = machine.with_less_room(if store == KeyStore::Cache && split.keys > 1 { taken } else { 0 })?;
    if split.keys == 1 {
        let layer = schedule_layer(&part(of_weights), step, BITS, machine, objective).unwrap();
        let cost = layer.stores.iter().find(|(other, _)| *other == store)?.1?;
        let layers = layer.layers;
        add(
            &mut count,
            cost.latency_cycles / layers,
            cost.energy_pj() / layers as f64,
            cost.dram_bits / layers,
            cost.macs / layers,
        );
    } else {
        let own = part(of_weights);
        let [before, after] = own.parts();
        // Keys and values have a precision of their own.
        let on_chip = store == KeyStore::Cache;
        let before = own.keeping_keys(before, on_chip, !on_chip);
        for mut chain in [before, after] {
            chain.retain(|part| machine.lanes.is_some() || !matches!(part, Part::Lanes(_)));
            for run in best_runs(&chain, step, &BITS, &left, objective)? {
                add(&mut count, run.busy.cycles(), run.energy_pj(), run.dram_bits(), run.macs);
            }
        }
    }
    let problem = part(split.heads).attention(step, BITS).unwrap();
    let rows = problem.shape.batch * problem.shape.heads * problem.shape.queries;
    let value = problem.shape.value_depth;
    for of_keys in (0..split.keys).filter(|_| split.keys > 1) {
        let (size, larger) = (problem.shape.keys / split.keys, problem.shape.keys % split.keys);
        let mut part = problem;
        part.shape.keys = size + u64::from(of_keys < larger);
        (part.causal, part.window, part.source) = (false, None, None);
        part.keys_on_chip = store == KeyStore::Cache;
        let mut best: Account = *search(&part, &left, objective).best(objective, &left)?;
        // Each core writes its part of the merged results.
        let output = best.dram[Tensor::Output as usize].written;
        let kept = output.div_ceil(split.keys);
        best.dram[Tensor::Output as usize].written = kept;
        best.energy[Cause::Dram as usize] -= machine.dram.energy_pj(0, output - kept);
        let of = |tensors: &[Tensor]| {
            let moved = tensors.iter().map(|tensor| best.dram[*tensor as usize]);
            moved.fold((0, 0), |(read, written), moved| (read + moved.read, written + moved.written))
        };
        let (last, read, written) = match best.schedule.fusion {
            Fusion::None => (2, of(&[Tensor::Scores]).0 / 2 + of(&[Tensor::Values]).0, kept),
            _ => (0, of(&Tensor::ALL).0, of(&Tensor::ALL).1),
        };
        best.phases[last].dram = machine.dram.cycles(read, written);
        of_attention = of_attention.max(best.latency_cycles());
        for _core in 0..split.heads {
            count.energy += best.energy_pj();
            count.dram_bits += best.dram_bits();
            count.macs += best.macs;
        }
    }
    count.cycles += of_attention;
    let link = cores.link_bits;
    let times = |count: &mut Count, cycles_once: u64, groups: u64, before: Count| {
        // Groups work at the same time.
        count.link_bits = before.link_bits + (count.link_bits - before.link_bits) * groups;
        count.energy = before.energy + (count.energy - before.energy) * groups as f64;
        count.cycles = before.cycles + cycles_once;
    };
    if split.keys > 1 {
        let before = count;
        let [_, queries] =
            all_reduce(split.keys as usize, (rows * problem.shape.depth) as usize, BITS.activations, link);
        charge(&mut count, machine, &queries, &[], 0);
        if store == KeyStore::Cache {
            let new = step.batch * step.tokens * 2 * problem.shape.key_heads * model.depth;
            let [_, keys] = all_reduce(split.keys as usize, new as usize, BITS.keys, link);
            if problem.shape.key_heads > 1 {
                charge_between(machine.weight_store(), &mut count, machine, &keys, &[], 0);
            }
        }
        let row_bits = (value + 2) * BITS.sums;
        let [merged, _] = all_reduce(split.keys as usize, rows as usize, row_bits, link);
        use Operation::{Add, Divide, Exp, Max, Multiply};
        // The first number is the number of elements of a row.
        let steps = [
            (vec![(Max, 1), (Max, 1)], 2, 1),
            (vec![(Max, 2), (Add, 1), (Exp, 1)], 3, 2),
            (vec![(Max, 1), (Multiply, 2), (Add, 1)], 4, 1),
            (vec![(Max, 2), (Divide, 1)], 3, 2),
            (vec![(Max, value), (Multiply, 2), (Add, 1)], 2 * value + 2, value),
        ];
        charge(&mut count, machine, &merged, &steps, BITS.sums);
        let once = count.cycles - before.cycles;
        times(&mut count, once, split.heads, before);
    }
    if of_weights > 1 {
        for _sum in 0..2 {
            let elements = step.batch * step.tokens * model.width;
            let [add, hand_out] = all_reduce(of_weights as usize, elements as usize, BITS.sums, link);
            charge(&mut count, machine, &add, &[(vec![(Operation::Max, 1), (Operation::Add, 1)], 2, 1)], BITS.sums);
            charge(&mut count, machine, &hand_out, &[], 0);
        }
    }
    Some(count)
}

fn assert_is(cost: &SplitCost, walked: &Count, model: &Transformer, cores: &Cores) {
    let layers = model.layers;
    let text = cost.split.text();
    assert_eq!(cost.latency_cycles, walked.cycles * layers, "{text}");
    assert_eq!(cost.link_bits, walked.link_bits * layers, "{text}");
    assert_eq!(cost.dram_bits, walked.dram_bits * layers, "{text}");
    assert_eq!(cost.macs, walked.macs * layers, "{text}");
    let energy = (walked.energy + walked.link_bits as f64 * cores.link_pj) * layers as f64;
    assert!((cost.energy_pj() - energy).abs() <= 1e-9 * energy, "{text}: {} {energy}", cost.energy_pj());
}

/// For random models, every division of all dimensions costs what a walk over its cores adds up to.
#[test]
fn a_step_on_several_cores_is_what_every_core_computes_and_sends() {
    let mut random = Lcg(7);
    let machines = [machine("fusemax-like"), machine("tpu-like-df")];
    let (mut compared, mut of_kind, mut of_store) = (0, [0_usize; 5], [0; 3]);
    for _ in 0..sample_or_all(15, 40) {
        let model = model(&mut random);
        let batch = 1 + random.below(4);
        let step = match random.below(2) {
            0 => Step::prefill(batch, 1 + random.below(9)),
            _ if model.causal => Step::decode(batch, 4 + random.below(20)),
            _ => Step::prefill(batch, 5 + random.below(9)),
        };
        let machine = &machines[random.below(2) as usize];
        let cores = Cores { count: random.of(&[1, 2, 4, 6]), link_bits: random.of(&[7, 64]), link_pj: 0.5 };
        let objective = random.of(&[0, 1]);
        let objective = [Objective::Energy, Objective::Latency][objective].clone();
        for split in Split::all(cores.count) {
            let Ok(cost) = split_step(&model, &step, BITS, (machine, &cores), &split, &objective) else { continue };
            let walked = |store| walk(store, &model, &step, machine, &cores, &split, &objective);
            assert_is(&cost, &walked(cost.keys_in).expect("it has room"), &model, &cores);
            compared += 1;
            let at = KeyStore::ALL.iter().position(|store| *store == cost.keys_in).unwrap();
            of_store[at] += 1;
            // Cores that read each other's keys and values have them in DRAM, or, where keys are divided, in a cache.
            for store in KeyStore::of(&model, &step) {
                let is_own =
                    store == KeyStore::Dram || split.queries == 1 && (split.keys == 1 || store == KeyStore::Cache);
                let Some(other) = walked(store).filter(|_| is_own) else { continue };
                let of_links = other.link_bits as f64 * cores.link_pj;
                let [ours, other] = match objective {
                    Objective::Energy => [cost.energy_pj(), (other.energy + of_links) * model.layers as f64],
                    _ => [cost.latency_cycles as f64, (other.cycles * model.layers) as f64],
                };
                assert!(ours <= other * (1.0 + 1e-12), "{store:?} is better: {ours} {other}");
            }
            for (count, (_, parts)) in of_kind.iter_mut().zip(split.parts()) {
                *count += usize::from(parts > 1);
            }
        }
    }
    assert!(
        compared > sample_or_all(45, 120) && of_kind.iter().all(|count| *count > sample_or_all(4, 10)),
        "{compared}, {of_kind:?}"
    );
    assert!(of_store.iter().all(|count| *count > sample_or_all(1, 5)), "{of_store:?}");
}

/// GPT-2 small, one byte per key: 12 layers of 1,536 bytes for each of 1,024 tokens are more than the 16 MiB of a core,
/// and fit on two.
#[test]
fn a_cache_that_is_too_large_for_one_core_is_spread_over_several() {
    let (machine, bits, gpt) = (machine("fusemax-like"), ElementBits::all(8), preset("gpt2-small"));
    let cores = Cores { count: 4, link_bits: 1024, link_pj: 0.1 };
    let step = Step::decode(1, 1023);
    let cost =
        |split: Split| split_step(&gpt, &step, bits, (&machine, &cores), &split, &Objective::DramAccesses).unwrap();
    let whole = cost(Split::ONE);
    assert_eq!(whole.keys_in, KeyStore::Dram);
    let cache = 12 * 1536 * 1024;
    assert!(8 * cache > machine.weight_store().size_bits && 4 * cache < machine.weight_store().size_bits);
    for split in [
        Split { heads: 2, ..Split::ONE },
        Split { keys: 2, ..Split::ONE },
        Split { layers: 2, ..Split::ONE },
        Split { heads: 2, keys: 2, ..Split::ONE },
    ] {
        let spread = cost(split);
        assert_eq!(spread.keys_in, KeyStore::Cache, "{}", split.text());
        // The cache is not loaded; for each token, each core reads and writes a little more.
        assert!(whole.dram_bits - spread.dram_bits >= 8 * cache * 99 / 100, "{}", split.text());
    }
    // In a pipeline each core keeps its layers' caches for two steps at a time, which do not fit: so they are in DRAM.
    let pipeline = Split { layers: 2, ..Split::ONE };
    let [narrow, wide] = [1, 2].map(|times| {
        let mut machine = machine.clone();
        // With such a slow DRAM, it is the bottleneck.
        machine.dram.read_width /= 16;
        machine.activations.size_bits *= times;
        split_step(&gpt, &step, bits, (&machine, &cores), &pipeline, &Objective::DramAccesses).unwrap()
    });
    assert_eq!([narrow.keys_in, wide.keys_in], [KeyStore::Cache; 2]);
    assert_eq!(narrow.dram_bits, wide.dram_bits, "a step by itself");
    assert!(narrow.interval_cycles > wide.interval_cycles, "{} {}", narrow.interval_cycles, wide.interval_cycles);
    // With two sequences each core has one of them, with its whole cache, which is too large.
    let split = Split { sequences: 2, ..Split::ONE };
    let two =
        split_step(&gpt, &Step { batch: 2, ..step }, bits, (&machine, &cores), &split, &Objective::Energy).unwrap();
    assert_eq!(two.keys_in, KeyStore::Dram, "a sequence has a whole cache");
    // Twice as many tokens are too many for two cores, and fit on four.
    let longer = Step::decode(1, 2047);
    let keys_in = |split| {
        let cost = split_step(&gpt, &longer, bits, (&machine, &cores), &split, &Objective::DramAccesses);
        cost.unwrap().keys_in
    };
    assert_eq!(keys_in(Split { heads: 2, ..Split::ONE }), KeyStore::Dram);
    assert_eq!(keys_in(Split { heads: 4, ..Split::ONE }), KeyStore::Cache);
}

/// The division into one core costs the same as the core alone.
#[test]
fn on_one_core_all_models_cost_what_they_cost() {
    let machine = machine("fusemax-like");
    let cores = Cores { count: 1, link_bits: 64, link_pj: 1.0 };
    let mut compared = 0;
    for preset in transformer_presets() {
        let model = Transformer::from_text(preset.text).unwrap();
        let steps = [Some(Step::prefill(2, 64)), model.causal.then(|| Step::decode(3, 100))];
        for step in steps.into_iter().flatten() {
            let bits = ElementBits::all(8);
            let whole = schedule_layer(&model, &step, bits, &machine, &Objective::Energy).unwrap().cost();
            let cost = split_step(&model, &step, bits, (&machine, &cores), &Split::ONE, &Objective::Energy).unwrap();
            assert_eq!(
                (cost.latency_cycles, cost.dram_bits, cost.macs),
                (whole.latency_cycles, whole.dram_bits, whole.macs)
            );
            assert_eq!((cost.link_bits, cost.interval_cycles), (0, whole.latency_cycles));
            for (own, whole) in cost.energy.iter().zip(whole.energy) {
                assert!((own - whole).abs() <= 1e-12 * whole, "{own} {whole}");
            }
            compared += 1;
        }
    }
    assert!(compared >= 15, "{compared}");
}

/// Merged partial results are a plain softmax over all keys.
#[test]
fn partial_softmaxes_merge_to_the_whole_one() {
    let mut random = Lcg(11);
    let mut number = || random.below(2000) as f64 / 500.0 - 2.0;
    for parts in [2_usize, 3, 5] {
        for size in [1_usize, 4, 7] {
            let mut row = |length: usize| (0..length).map(|_| number()).collect::<Vec<f64>>();
            let query = row(6);
            let keys: Vec<Vec<f64>> = (0..parts * size).map(|_| row(6)).collect();
            let values: Vec<Vec<f64>> = (0..parts * size).map(|_| row(4)).collect();
            let whole = attend(Cascade::ThreePass, &query, &keys, &values, size);
            let score = |key: &Vec<f64>| query.iter().zip(key).map(|(q, k)| q * k).sum::<f64>();
            let mut merged: Option<(f64, f64, Vec<f64>)> = None;
            for part in 0..parts {
                let own = part * size..(part + 1) * size;
                let maximum = keys[own.clone()].iter().map(score).fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = keys[own.clone()].iter().map(|key| (score(key) - maximum).exp()).sum();
                let result = attend(Cascade::OnePass, &query, &keys[own.clone()], &values[own], 2);
                merged = Some(match merged {
                    None => (maximum, sum, result),
                    Some((other, other_sum, other_result)) => {
                        let most = maximum.max(other);
                        let (one, two) = (other_sum * (other - most).exp(), sum * (maximum - most).exp());
                        let both = other_result.iter().zip(&result);
                        let share = [one / (one + two), two / (one + two)];
                        (most, one + two, both.map(|(a, b)| share[0] * a + share[1] * b).collect())
                    }
                });
            }
            for (merged, whole) in merged.unwrap().2.iter().zip(&whole) {
                assert!((merged - whole).abs() <= 1e-12 * whole.abs().max(1.0));
            }
        }
    }
}

/// Steps of neighbouring tokens together see every key that the whole step sees, and division of heads and sequences
/// does not change the work.
#[test]
fn divided_work_is_all_work() {
    let (machine, bits) = (machine("fusemax-like"), ElementBits::all(8));
    let cores = |count| Cores { count, link_bits: 1024, link_pj: 0.1 };
    for name in ["bert-base", "vit-b16"] {
        let model = preset(name);
        let step = Step::prefill(4, 60);
        let cost = |split: Split| {
            split_step(&model, &step, bits, (&machine, &cores(split.cores())), &split, &Objective::Latency).unwrap()
        };
        let whole = cost(Split::ONE);
        for split in Split::all(4).into_iter().chain(Split::all(2)) {
            let divided = cost(split);
            assert!(divided.macs >= whole.macs, "{}", split.text());
            assert!(divided.latency_cycles * split.cores() >= whole.latency_cycles / 2, "{}", split.text());
            // Keys and values can be computed again of inputs only on a core that has all of them.
            if divided.macs != whole.macs {
                let again = |cost: &SplitCost| cost.macs;
                assert!(again(&divided) > again(&whole));
            }
            assert!(divided.interval_cycles <= divided.latency_cycles * split.cores());
            let is_sent = split.heads * split.keys > 1;
            assert_eq!(divided.link_bits > 0, is_sent, "{}", split.text());
        }
    }
    // Keys of sixteen heads, of which each core keeps its part.
    let model = preset("llama-3-8b");
    let step = Step::decode(1, 4095);
    let cache = |split: Split| {
        split_step(&model, &step, bits, (&machine, &cores(16)), &split, &Objective::Latency).unwrap().cache_bytes
    };
    let whole = cache(Split::ONE);
    assert_eq!(whole, model.cache_bytes(1, 4096, bits));
    assert_eq!(cache(Split { heads: 8, ..Split::ONE }), whole / 8.0);
    // Eight heads of keys cannot be divided among sixteen cores, but keys can.
    assert_eq!(cache(Split { heads: 16, ..Split::ONE }), whole / 8.0);
    assert_eq!(cache(Split { heads: 8, keys: 2, ..Split::ONE }), whole / 16.0);
    assert_eq!(cache(Split { layers: 16, ..Split::ONE }), whole / 16.0);
}

#[test]
fn what_cannot_be_divided_is_refused_with_reason_and_remedy() {
    let machine = machine("fusemax-like");
    let refused = |model: &str, step: Step, split: Split| {
        let cores = Cores { count: 8, link_bits: 64, link_pj: 1.0 };
        let wrong =
            split_step(&preset(model), &step, ElementBits::all(8), (&machine, &cores), &split, &Objective::Energy);
        let wrong = wrong.unwrap_err();
        assert!(wrong.0.iter().all(|one| !one.reason.is_empty() && !one.remedy.is_empty()));
        wrong.0.iter().map(|one| one.path.clone()).collect::<Vec<_>>()
    };
    let prompt = Step::prefill(1, 32);
    assert_eq!(refused("bert-base", prompt, Split { heads: 8, ..Split::ONE }), ["split.heads"]);
    assert_eq!(refused("bert-base", prompt, Split { sequences: 2, ..Split::ONE }), ["split.sequences"]);
    assert_eq!(refused("gpt2-small", Step::decode(1, 9), Split { queries: 2, ..Split::ONE }), ["split.queries"]);
    assert_eq!(refused("gpt2-small", prompt, Split { keys: 2, ..Split::ONE }), ["split.keys"]);
    assert_eq!(
        refused("mamba-130m", prompt, Split { heads: 2, queries: 2, ..Split::ONE }),
        ["split.heads", "split.queries"]
    );
    assert_eq!(refused("bert-base", prompt, Split { layers: 16, ..Split::ONE }), ["split", "split.layers"]);
    assert_eq!(refused("bert-base", prompt, Split { keys: 0, ..Split::ONE }), ["split"]);
    let cores = Cores { count: 65, link_bits: 0, link_pj: f64::NAN };
    let wrong = split_step(
        &preset("bert-base"),
        &prompt,
        ElementBits::all(8),
        (&machine, &cores),
        &Split::ONE,
        &Objective::Energy,
    );
    assert_eq!(wrong.unwrap_err().0.len(), 3);
}
