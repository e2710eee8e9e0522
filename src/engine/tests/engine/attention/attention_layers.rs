//! The parts around attention in a layer, against a simulation of every channel of every token, and brute force over
//! all runs.

use fusescape_engine::attention::{
    Added, ElementBits, Held, LayerSchedule, Machine, Part, RowTraffic, Sequences, Step, StepCost, TokenStep,
    TokenWork, TransformerWork, best_runs, generate, run_of, schedule_layer, score,
};
use fusescape_engine::hardware::Core;
use fusescape_engine::search::Objective;
use fusescape_engine::transformer::{Activation, Latent, Norm, StateSpace, Transformer};
use fusescape_engine::units::Cycles;
use fusescape_spec::{find_preset, hardware_presets, transformer_presets};
use fusescape_test_support::random::Lcg;
use fusescape_test_support::sample::sample_or_all;
use std::collections::{BTreeMap, BTreeSet};

pub const BITS: ElementBits = ElementBits { activations: 8, keys: 4, sums: 16, weights: 2 };

/// A core with 4 x 2 PEs, `buffer` bits on the chip for everything, and 3 lanes or none.
fn machine(buffer: u64, has_lanes: bool) -> Machine {
    let unit = "vector_unit:\n  lanes: 3\n  memory: buffer\n  registers:\n    - { name: r, size: 64 bit, operands: [I, O], \
                width: 8 bit, read_energy: 0.1 pJ, write_energy: 0.1 pJ, shared_over: [] }\n";
    let text = format!(
        "name: small\narray:\n  dimensions: {{ D1: 4, D2: 2 }}\n  mac_energy: 0.5 pJ\n\
         unroll:\n  pointwise: {{ D1: K, D2: C }}\nmemories:\n\
         \x20 - {{ name: buffer, size: {buffer} bit, operands: [W, I, O], width: 32 bit, read_energy: 2 pJ, \
         write_energy: 3 pJ, shared_over: all }}\n\
         \x20 - {{ name: dram, size: 1 GiB, operands: [W, I, O], width: 8 bit, read_energy: 50 pJ, \
         write_energy: 60 pJ, shared_over: all }}\n{}",
        if has_lanes { unit } else { "" }
    );
    Machine::of(&Core::from_text(&text).unwrap_or_else(|wrong| panic!("{wrong}"))).unwrap()
}

pub fn model(random: &mut Lcg) -> Transformer {
    let latent = (random.below(3) == 0).then(|| Latent {
        rank: 1 + random.below(4),
        rotary: 1 + random.below(3),
        absorbed: random.below(2) == 0,
    });
    let key_heads = 1 + random.below(2);
    let group = if latent.is_some() { 1 } else { 1 + random.below(2) };
    let causal = random.below(2) == 0;
    Transformer {
        name: "random".to_owned(),
        layers: 1 + random.below(3),
        width: 1 + random.below(5),
        heads: key_heads * group,
        key_heads,
        depth: 1 + random.below(3),
        hidden: 1 + random.below(6),
        gated: random.below(2) == 0,
        experts: (1, 1),
        shared: random.below(2),
        latent,
        causal,
        window: (causal && random.below(2) == 0).then(|| 1 + random.below(5)),
        norm: random.of(&Norm::NAMES).0,
        post_norm: random.below(2) == 0,
        activation: random.of(&Activation::NAMES).0,
        rotary: random.below(2) == 0,
        state_space: (random.below(4) == 0).then(|| StateSpace {
            channels: 1 + random.below(4),
            states: 1 + random.below(3),
            rank: 1 + random.below(3),
            kernel: 1 + random.below(4),
        }),
    }
}

/// A channel of a map: 0 is the input of the chain, then follow the results of the parts.
type Channel = (usize, u64);

/// The inputs and outputs of every part, channel by channel: each channel of a result is a new one, or an unchanged old
/// one.
struct Chain {
    parts: Vec<Part>,
    /// The channels of each map, by where they were computed.
    maps: Vec<Vec<Channel>>,
    kept: Option<usize>,
}

/// Stands for the input of the layer, which is always in DRAM.
const INPUT: usize = usize::MAX;

impl Chain {
    fn new(parts: &[Part]) -> Self {
        let width = match &parts[0] {
            Part::Product(product) if product.reads_apart => product.reduction * (product.experts.1 + product.shared),
            Part::Product(product) => product.reduction,
            Part::Lanes(step) => step.channels,
            Part::Keep(keys) => keys.before + keys.channels,
        };
        let mut maps: Vec<Vec<Channel>> = vec![(0..width).map(|at| (0, at)).collect()];
        let mut kept = None;
        for (at, part) in parts.iter().enumerate() {
            let old = &maps[at];
            let new = |channels: u64| (0..channels).map(move |channel| (at + 1, channel));
            let map: Vec<Channel> = match part {
                Part::Product(product) => {
                    let times = product.experts.1 + product.shared;
                    let computed = product.columns * if product.writes_apart { times } else { 1 };
                    let read = product.reduction * if product.reads_apart { times } else { 1 };
                    assert_eq!(old.len() as u64, read + product.passes, "{parts:?}");
                    let rest = if product.keeps { &old[..] } else { &old[read as usize..] };
                    new(computed).chain(rest.iter().copied()).collect()
                }
                Part::Lanes(TokenStep { work: TokenWork::Convolution { behind, .. }, channels, .. }) => {
                    assert_eq!(old.len() as u64, channels + behind, "{parts:?}");
                    new(*channels).chain(old[*channels as usize..].iter().copied()).collect()
                }
                Part::Lanes(step @ TokenStep { work: TokenWork::Scan { .. }, channels, .. }) => {
                    assert_eq!(old.len() as u64, step.reads(), "{parts:?}");
                    new(*channels).collect()
                }
                Part::Lanes(TokenStep { work: TokenWork::Rotary { before, behind }, channels, .. }) => {
                    assert_eq!(old.len() as u64, before + channels + behind, "{parts:?}");
                    let [front, back] = [&old[..*before as usize], &old[(before + channels) as usize..]];
                    front.iter().copied().chain(new(*channels)).chain(back.iter().copied()).collect()
                }
                Part::Lanes(step) => new(step.channels).collect(),
                Part::Keep(keys) => {
                    assert_eq!(old.len() as u64, keys.before + keys.channels, "{parts:?}");
                    old[..keys.before as usize].to_vec()
                }
            };
            if let Part::Lanes(TokenStep { is_kept: true, .. }) = part {
                kept = Some(at + 1);
            }
            maps.push(map);
        }
        Self { parts: parts.to_vec(), maps, kept }
    }

    /// The channels of a token that a part reads.
    fn reads(&self, at: usize) -> BTreeSet<Channel> {
        let map = &self.maps[at];
        let mut read: BTreeSet<Channel> = match &self.parts[at] {
            Part::Product(product) => map[..map.len() - product.passes as usize].iter().copied().collect(),
            Part::Lanes(TokenStep { work: TokenWork::Rotary { before, behind }, .. }) => {
                map[*before as usize..map.len() - *behind as usize].iter().copied().collect()
            }
            Part::Lanes(TokenStep { work: TokenWork::Convolution { behind, .. }, .. }) => {
                map[..map.len() - *behind as usize].iter().copied().collect()
            }
            Part::Lanes(_) => map.iter().copied().collect(),
            Part::Keep(keys) => map[keys.before as usize..].iter().copied().collect(),
        };
        if let Part::Lanes(step) = &self.parts[at] {
            match step.work {
                TokenWork::Residual(Added::Input) => read.extend((0..step.channels).map(|at| (INPUT, at))),
                TokenWork::Residual(Added::Kept) => read.extend(&self.maps[self.kept.expect("something is kept")]),
                TokenWork::Rotary { .. }
                | TokenWork::Norm(_)
                | TokenWork::Activation(..)
                | TokenWork::Convolution { .. }
                | TokenWork::Scan { .. } => {}
            }
        }
        read
    }

    /// One token through a run: channels read from DRAM, written to it, and the most on the chip at a time.
    fn run(&self, run: std::ops::Range<usize>, dram: &mut BTreeSet<Channel>, columns: u64) -> (u64, u64, u64) {
        let (mut chip, mut read, mut written, mut most) = (BTreeSet::new(), 0, 0, 0);
        for at in run.clone() {
            // The results of the product before went directly to their place.
            if let Some([Part::Product(product), Part::Keep(_)]) = self.parts.get(at.max(run.start + 1) - 1..=at)
                && product.passes == 0
            {
                continue;
            }
            for channel in self.reads(at) {
                if !chip.contains(&channel) {
                    assert!(channel.0 == INPUT || dram.contains(&channel), "{channel:?} is nowhere");
                    read += 1;
                    chip.insert(channel);
                }
            }
            let computed: Vec<Channel> =
                self.maps[at + 1].iter().copied().filter(|channel| channel.0 == at + 1).collect();
            // Lanes write results in place; a product needs room for its results: at the end of a run for few of them,
            // of one expert.
            let is_left_by_columns = match &self.parts[at..run.end] {
                [Part::Product(product), Part::Keep(_)] => product.passes == 0,
                _ => false,
            };
            let is_last = at + 1 == run.end || is_left_by_columns;
            let beside = match &self.parts[at] {
                Part::Lanes(_) | Part::Keep(_) => 0,
                Part::Product(product) if is_last => columns.min(product.columns),
                Part::Product(_) => computed.len() as u64,
            };
            let is_read_in = |channel: &Channel, parts: std::ops::Range<usize>| {
                let mut parts = parts;
                parts.any(|later| self.reads(later).contains(channel))
            };
            let passes = |channel: &Channel| self.maps[run.end].contains(channel);
            let is_overwritten = |channel: &Channel| {
                matches!(self.parts[at], Part::Lanes(_))
                    && !is_read_in(channel, at + 1..run.end)
                    && self.reads(at).contains(channel)
            };
            // Channels that later parts of the run read in their state before this part need room beside the results
            // that this part computes in place.
            let in_place = if beside == 0 { computed.len() as u64 } else { 0 };
            let overwritten = chip.iter().filter(|channel| is_overwritten(channel)).count() as u64;
            most = most.max(chip.len() as u64 + beside + in_place.saturating_sub(overwritten));
            chip.extend(computed.iter().copied());
            // Channels that no part of the run needs any more are freed; unchanged channels stay with their row until
            // the run ends.
            for &channel in &computed {
                let is_left = is_read_in(&channel, run.end..self.parts.len());
                if (is_left || self.maps[self.parts.len()].contains(&channel)) && dram.insert(channel) {
                    written += 1;
                }
            }
            chip.retain(|channel| is_read_in(channel, at + 1..run.end) || (passes(channel) && !is_last));
        }
        (read, written, most)
    }
}

/// The parts around attention, with keys and values that go to DRAM, and that stay on the chip.
fn chains(model: &Transformer) -> Vec<Vec<Part>> {
    let has_keys = model.state_space.is_none() && model.keys_of_latents().is_none();
    let before = model.parts()[0].clone();
    let places = [(false, true), (true, false), (true, true)];
    let keeping = places.map(|(on_chip, in_dram)| model.keeping_keys(before.clone(), on_chip, in_dram));
    let all = model.parts().into_iter().chain(keeping.into_iter().filter(|_| has_keys));
    all.filter(|parts| !parts.is_empty()).collect()
}

/// All ways to cut so many parts into runs.
fn partitions(parts: usize) -> Vec<Vec<std::ops::Range<usize>>> {
    (0..1_u32 << (parts - 1))
        .map(|cuts| {
            let ends: Vec<usize> = (1..=parts).filter(|end| *end == parts || cuts >> (end - 1) & 1 == 1).collect();
            let starts = std::iter::once(0).chain(ends.iter().copied());
            starts.zip(&ends).map(|(start, end)| start..*end).collect()
        })
        .collect()
}

#[test]
fn runs_move_what_a_simulation_does_channel_by_channel() {
    let mut random = Lcg(24);
    for _ in 0..sample_or_all(60, 300) {
        let model = model(&mut random);
        for parts in chains(&model) {
            let chain = Chain::new(&parts);
            for runs in partitions(parts.len()) {
                let columns = 1 + random.below(4);
                let mut dram: BTreeSet<Channel> = chain.maps[0].iter().copied().collect();
                for run in runs {
                    let ours = RowTraffic::of(&parts, &run, columns).unwrap();
                    let (read, written, most) = chain.run(run.clone(), &mut dram, columns);
                    assert_eq!((ours.read, ours.written), (read, written), "{run:?} of {parts:?}");
                    assert_eq!(ours.kept, most, "{run:?} of {parts:?}");
                }
                assert!(chain.maps[parts.len()].iter().all(|channel| dram.contains(channel)), "the result is in DRAM");
            }
        }
    }
}

#[test]
fn the_best_runs_are_the_best_of_all_partitions_and_tiles() {
    let mut random = Lcg(25);
    for round in 0..150 {
        let model = model(&mut random);
        let machine = machine(40 + random.below(1500), round % 4 > 0);
        let objective = if round % 2 == 0 { Objective::Energy } else { Objective::Latency };
        let step = Step { cached: random.below(2), ..Step::prefill(1 + random.below(2), 1 + random.below(4)) };
        let tokens = step.batch * step.tokens;
        for parts in chains(&model) {
            let mut least: Option<f64> = None;
            let mut of_run = BTreeMap::new();
            for runs in partitions(parts.len()) {
                let scores = runs.into_iter().map(|run| {
                    *of_run.entry((run.start, run.end)).or_insert_with(|| {
                        // The smallest tiles of every number of tiles.
                        let tiles = (1..=tokens).filter(|tile| *tile == tokens.div_ceil(tokens.div_ceil(*tile)));
                        let priced = tiles.flat_map(|tile| Held::ALL.map(|held| (tile, held)));
                        let priced = priced.filter_map(|(tile, held)| {
                            let run = run_of(&parts, &run, (&step, tile), held, &BITS, &machine)?;
                            let words = || run.dram_bits() as f64 / machine.dram.read_width as f64;
                            let cycles = Cycles(run.busy.cycles() as f64);
                            Some(objective.combine(run.energy_pj(), cycles, &words, &|_| words()))
                        });
                        priced.min_by(f64::total_cmp)
                    })
                });
                let score: Option<f64> = scores.sum();
                least = [least, score].into_iter().flatten().min_by(f64::total_cmp);
            }
            let found = best_runs(&parts, &step, &BITS, &machine, &objective);
            let found = found.map(|runs| {
                let of = |run: &fusescape_engine::attention::Run| match objective {
                    Objective::Energy => run.energy_pj(),
                    _ => run.busy.cycles() as f64,
                };
                runs.iter().map(of).sum::<f64>()
            });
            match (found, least) {
                (Some(found), Some(least)) => {
                    assert!(found <= least * (1.0 + 1e-12), "{found}, best {least}: {parts:?}")
                }
                (found, least) => assert_eq!(found, least, "{parts:?}"),
            }
        }
    }
}

#[test]
fn lanes_do_what_the_formulas_say() {
    let model = Transformer::from_text(
        "name: x\nlayers: 1\nwidth: 10\nheads: 4\nkey_heads: 2\nhead_size: 6\nnorm: rms\nrotary: true\n\
         feed_forward: { width: 20, gated: true }\n",
    )
    .unwrap();
    let operations = |model: &Transformer| -> u64 {
        let parts = model.parts();
        let steps = parts.iter().flatten().filter_map(|part| match part {
            Part::Lanes(step) => Some(step.operations(3)),
            Part::Product(_) | Part::Keep(_) => None,
        });
        steps.sum()
    };
    // For each token: two norms (10 squares, an inverse root, 10 times the root and the gain), 36 rotated channels (two
    // products each), 20 hidden channels (SiLU: a sum, a product, a quotient, an exponential; the gate), two sums.
    assert_eq!(operations(&model), 3 * (2 * (10 + 1 + 20) + 72 + 20 * 5 + 2 * 10));
    // Layer normalisation first subtracts the mean; GELU has one product more.
    let other = Transformer { norm: Norm::Layer, activation: Activation::Gelu, rotary: false, ..model };
    assert_eq!(operations(&other), 3 * (2 * (10 + 10 + 10 + 1 + 20) + 20 * 6 + 2 * 10));
}

#[test]
fn lanes_read_the_maps_that_they_join_and_write_one() {
    for (work, maps) in [
        (TokenWork::Residual(Added::Input), &[2][..]),
        (TokenWork::Activation(Activation::Relu, false), &[1]),
        (TokenWork::Activation(Activation::None, true), &[2]),
        (TokenWork::Activation(Activation::Silu, true), &[1, 2]),
        (TokenWork::Rotary { before: 4, behind: 9 }, &[1]),
    ] {
        let steps = TokenStep { work, channels: 5, is_kept: false }.steps(7);
        assert_eq!(steps.len(), maps.len(), "{work:?}");
        for (step, maps) in steps.iter().zip(maps) {
            assert_eq!((step.iterations, step.reads, step.writes), (35, maps * 35, 35), "{} of {work:?}", step.name);
        }
    }
}

/// A core may be told to use fewer PEs than it has along a dimension.
#[test]
fn attention_unrolls_no_further_than_the_document_says() {
    let core = |k: &str, c: &str| {
        let text = format!(
            "name: small\narray: {{ dimensions: {{ D1: 8, D2: 4 }}, mac_energy: 1 pJ }}\nunroll:\n  \
             matmul: {{ D1: {k}, D2: {c} }}\nmemories:\n  - {{ name: buffer, size: 1 KiB, operands: [W, I, O], width: 32 bit, \
             read_energy: 2 pJ, write_energy: 3 pJ, shared_over: all }}\n  - {{ name: dram, size: 1 GiB, operands: [W, I, O], \
             width: 8 bit, read_energy: 50 pJ, write_energy: 60 pJ, shared_over: all }}\n"
        );
        Machine::of(&Core::from_text(&text).unwrap_or_else(|wrong| panic!("{wrong}"))).unwrap()
    };
    assert_eq!(core("K", "C").unrolled, [1, 4, 8]);
    assert_eq!(core("K 2", "C 3").unrolled, [1, 3, 2]);
    assert_eq!(core("[K 2, OX 4]", "C 1").unrolled, [4, 1, 2]);
}

#[test]
fn without_lanes_what_they_would_compute_is_listed_and_nothing_of_it_priced() {
    let gpt = Transformer::from_text(find_preset(transformer_presets(), "gpt2-small").unwrap().text).unwrap();
    let step = Step::prefill(1, 64);
    let layer = |hardware: &str| {
        let core = Core::from_text(find_preset(hardware_presets(), hardware).unwrap().text).unwrap();
        let machine = Machine::of(&core).unwrap();
        schedule_layer(&gpt, &step, ElementBits::all(8), &machine, &Objective::Energy).unwrap()
    };
    let with = layer("fusemax-like");
    assert!(with.uncounted.is_empty());
    assert!(with.before[0].busy.lanes > 0, "the norm is priced");
    let without = layer("tpu-like-df");
    let names: Vec<&str> = without.uncounted.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["softmax", "norm", "residual sum", "activation"]);
    assert_eq!(without.uncounted[2].1, 2 * 64 * 768);
    assert!(without.before.iter().chain(&without.after).all(|run| run.busy.lanes == 0));
    assert!(without.after.iter().flat_map(|run| &run.parts).all(|part| part != "activation"));
}

#[test]
fn kinds_that_are_as_good_are_told_to_be() {
    let core = Core::from_text(find_preset(hardware_presets(), "tpu-like-df").unwrap().text).unwrap();
    let machine = Machine::of(&core).unwrap();
    let gpt = Transformer::from_text(find_preset(transformer_presets(), "gpt2-small").unwrap().text).unwrap();
    // For cached tokens, keys and values are not computed again.
    let step = Step { cached: 64, ..Step::prefill(1, 64) };
    let layer = schedule_layer(&gpt, &step, ElementBits::all(8), &machine, &Objective::Energy).unwrap();
    let attention = layer.attention.unwrap();
    let least = score(&Objective::Energy, &machine, &attention.best);
    for (fusion, account) in &attention.found.best_of {
        let score = account.as_ref().map(|account| score(&Objective::Energy, &machine, account));
        let is_equal = score.is_some_and(|score| (score - least).abs() <= 1e-12 * least);
        let is_told = *fusion == attention.best.schedule.fusion || attention.tied.contains(fusion);
        assert_eq!(is_told, is_equal, "{fusion:?}: {score:?}, least {least}");
    }
}

#[test]
fn under_a_sliding_window_a_step_reads_no_more_of_the_cache_than_the_window() {
    let core = Core::from_text(find_preset(hardware_presets(), "fusemax-like").unwrap().text).unwrap();
    let machine = Machine::of(&core).unwrap();
    let llama = Transformer::from_text(find_preset(transformer_presets(), "llama-3-8b").unwrap().text).unwrap();
    let sliding = Transformer { window: Some(1024), ..llama.clone() };
    let dram = |model: &Transformer, cached: u64| {
        let bits = ElementBits::all(16);
        let layer = schedule_layer(model, &Step::decode(1, cached), bits, &machine, &Objective::Energy).unwrap();
        let attention = layer.attention.unwrap();
        assert_eq!(attention.best.macs, attention.problem.unmasked_scores() * 2 * model.depth);
        (
            attention.problem.shape.keys,
            attention.best.dram_bits(),
            model.compulsory(&Step::decode(1, cached), bits).cache_read,
        )
    };
    assert_eq!(dram(&sliding, 8000), dram(&sliding, 1023));
    assert_eq!(dram(&sliding, 8000), dram(&llama, 1023));
    assert_eq!(dram(&sliding, 8000).0, 1024);
    assert_eq!(sliding.cache_bytes(1, 8000, ElementBits::all(16)), llama.cache_bytes(1, 1024, ElementBits::all(16)));
}

/// DeepSeek-V2-Lite, by its public configuration: the cached channels of a token, and the products of its attention.
#[test]
fn latents_are_cached_once_and_absorbed_or_made_keys_and_values_of() {
    let text = find_preset(transformer_presets(), "deepseek-v2-lite").unwrap().text;
    let absorbed = Transformer::from_text(text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let latent = absorbed.latent.expect("it has latents");
    let expanded = Transformer { latent: Some(Latent { absorbed: false, ..latent }), ..absorbed.clone() };
    assert_eq!(absorbed.weights(), expanded.weights(), "the same matrices");
    // 512 channels and 64 that are rotated, in 26 layers.
    assert_eq!(absorbed.cache_bytes(1, 1000, ElementBits::all(16)), 26.0 * 576.0 * 1000.0 * 2.0);
    let core = Core::from_text(find_preset(hardware_presets(), "fusemax-like").unwrap().text).unwrap();
    let machine = Machine::of(&core).unwrap();
    let step = Step::decode(1, 4095);
    let layer =
        |model: &Transformer| schedule_layer(model, &step, ElementBits::all(16), &machine, &Objective::Energy).unwrap();
    let [ours, theirs] = [layer(&absorbed), layer(&expanded)];
    let of = |layer: &LayerSchedule| layer.attention.clone().unwrap();
    assert_eq!(of(&ours).best.macs, 16 * 4096 * (576 + 512));
    assert_eq!(of(&theirs).best.macs, 16 * 4096 * (192 + 128));
    // One key of 576 elements for each token and all heads, and no value in addition; queries in, results out.
    assert_eq!(of(&ours).problem.compulsory_bits(), 16 * (4096 * 576 + 16 * (576 + 512)));
    assert_eq!(of(&ours).best.dram_bits(), of(&ours).problem.compulsory_bits());
    // Else keys and values of all tokens are computed in every step.
    assert!(theirs.before.iter().any(|run| run.macs == 4096 * 512 * 2 * 16 * 128));
    assert!(theirs.cost().energy_pj() > ours.cost().energy_pj());
    // Reading a prompt, latents cost more multiply-accumulates than the keys and values that come out of them.
    let prompt = Step::prefill(1, 2048);
    let macs = |model: &Transformer| {
        let scores = model.attention(&prompt, ElementBits::all(16)).unwrap();
        model.weighted_macs(&prompt) + scores.unmasked_scores() * (scores.shape.depth + scores.shape.value_depth)
    };
    assert!(macs(&absorbed) > macs(&expanded));
}

#[test]
fn a_token_of_an_encoder_sees_all_tokens_and_one_of_a_decoder_none_that_follow() {
    let core = Core::from_text(find_preset(hardware_presets(), "fusemax-like").unwrap().text).unwrap();
    let machine = Machine::of(&core).unwrap();
    let gpt = Transformer::from_text(find_preset(transformer_presets(), "gpt2-small").unwrap().text).unwrap();
    for causal in [false, true] {
        let model = Transformer { causal, ..gpt.clone() };
        let pairs = (0..37).flat_map(|query| (0..37).map(move |key| (query, key)));
        let seen = pairs.filter(|(query, key)| !causal || key <= query).count() as u64;
        let step = Step::prefill(2, 37);
        let layer = schedule_layer(&model, &step, ElementBits::all(8), &machine, &Objective::Energy).unwrap();
        let attention = layer.attention.unwrap();
        let scores = 2 * model.heads * seen;
        assert_eq!(attention.problem.unmasked_scores(), scores);
        // Tiles of a decoder may compute masked scores.
        let macs = scores * 2 * model.depth;
        let computed = attention.best.macs;
        assert!(if causal { computed >= macs } else { computed == macs }, "{computed}");
    }
}

#[test]
fn a_prompt_in_chunks_is_its_steps_one_after_the_other() {
    let core = Core::from_text(find_preset(hardware_presets(), "fusemax-like").unwrap().text).unwrap();
    let machine = Machine::of(&core).unwrap();
    let gpt = Transformer::from_text(find_preset(transformer_presets(), "gpt2-small").unwrap().text).unwrap();
    let bits = ElementBits::all(8);
    let cost = |step: Step| schedule_layer(&gpt, &step, bits, &machine, &Objective::Energy).unwrap().cost();
    let of = |chunk| {
        let sequences = Sequences { batch: 2, prompt: 100, chunk, generated: 3 };
        generate(&gpt, &sequences, bits, &machine, &Objective::Energy)
    };
    let whole = of(None).unwrap();
    assert_eq!(whole.prefill, cost(Step::prefill(2, 100)));
    assert_eq!(of(Some(1000)).unwrap().prefill, whole.prefill);
    let chunked = of(Some(40)).unwrap();
    let steps = [(40, 0), (40, 40), (20, 80)].map(|(tokens, cached)| cost(Step { cached, ..Step::prefill(2, tokens) }));
    let sum = |of: fn(&StepCost) -> u64| steps.iter().map(of).sum::<u64>();
    assert_eq!(chunked.prefill.latency_cycles, sum(|step| step.latency_cycles));
    assert_eq!(chunked.prefill.dram_bits, sum(|step| step.dram_bits));
    // Every chunk reads the weights again; the costs of the generated tokens are the same.
    assert!(chunked.prefill.weight_bits > whole.prefill.weight_bits);
    assert_eq!((&chunked.tokens, chunked.cache_bytes), (&whole.tokens, whole.cache_bytes));
    let cached: Vec<u64> = whole.tokens.iter().map(|(cached, _)| *cached).collect();
    assert_eq!(cached, [100, 101, 102]);
    assert_eq!(whole.typical(), Some(&cost(Step::decode(2, 101))));
    // One byte per weight, for every layer.
    assert_eq!(whole.weight_bytes, (gpt.layers * gpt.weights()) as f64);
    assert_eq!(whole.chip_bytes, (16 << 20) as f64, "as the document says");
    // At least one token is generated: the one after the prompt.
    let tokens = |generated| {
        let sequences = Sequences { batch: 2, prompt: 100, chunk: None, generated };
        generate(&gpt, &sequences, bits, &machine, &Objective::Energy).unwrap().tokens
    };
    assert_eq!(tokens(0), tokens(1));
    assert_eq!(tokens(1), [(100, cost(Step::decode(2, 100)))]);
    assert!(of(Some(0)).is_err());
}
