//! State-space blocks against a block that is computed element by element, with all operations and accesses counted.

use fusescape_engine::attention::{
    ElementBits, Held, Machine, Part, Sequences, StateMoves, Step, TransformerWork, generate, run_of, schedule_layer,
    state_space_bits, state_space_parts,
};
use fusescape_engine::hardware::Core;
use fusescape_engine::search::Objective;
use fusescape_engine::transformer::{Norm, StateSpace, Transformer};
use fusescape_engine::workload::Operation;
use fusescape_spec::{find_preset, hardware_presets, transformer_presets};
use fusescape_test_support::random::Lcg;

const BITS: ElementBits = ElementBits { activations: 8, keys: 4, sums: 32, weights: 2 };

/// A block with weights, which counts its operations.
struct Block {
    sizes: StateSpace,
    width: usize,
    input: Vec<Vec<f64>>,
    taps: Vec<Vec<f64>>,
    selection: Vec<Vec<f64>>,
    step: Vec<Vec<f64>>,
    a: Vec<Vec<f64>>,
    skip: Vec<f64>,
    output: Vec<Vec<f64>>,
    macs: u64,
    operations: [u64; 5],
}

/// The state of a sequence: data of its earlier tokens.
#[derive(Clone)]
struct Kept {
    states: Vec<Vec<f64>>,
    inputs: Vec<Vec<f64>>,
}

impl Block {
    fn new(sizes: StateSpace, width: u64, random: &mut Lcg) -> Self {
        let mut matrix = |rows: u64, columns: u64| -> Vec<Vec<f64>> {
            (0..rows).map(|_| (0..columns).map(|_| random.below(2001) as f64 / 1000.0 - 1.0).collect()).collect()
        };
        let StateSpace { channels, states, rank, kernel } = sizes;
        Self {
            sizes,
            width: width as usize,
            input: matrix(2 * channels, width),
            taps: matrix(channels, kernel),
            selection: matrix(rank + 2 * states, channels),
            step: matrix(channels, rank),
            a: matrix(channels, states),
            skip: matrix(1, channels).remove(0),
            output: matrix(width, channels),
            macs: 0,
            operations: [0; 5],
        }
    }

    /// A new sequence has no state.
    fn nothing(&self) -> Kept {
        let StateSpace { channels, states, kernel, .. } = self.sizes;
        let zeros = |rows: u64, columns: u64| vec![vec![0.0; columns as usize]; rows as usize];
        Kept { states: zeros(channels, states), inputs: zeros(kernel - 1, channels) }
    }

    fn did(&mut self, operation: Operation, count: u64) {
        self.operations[operation as usize] += count;
    }

    fn product(&mut self, matrix: fn(&Self) -> &Vec<Vec<f64>>, row: &[f64]) -> Vec<f64> {
        let of = |weights: &Vec<f64>| weights.iter().zip(row).map(|(weight, value)| weight * value).sum();
        let result: Vec<f64> = matrix(self).iter().map(of).collect();
        self.macs += (matrix(self).len() * row.len()) as u64;
        result
    }

    fn silu(&mut self, value: f64) -> f64 {
        self.did(Operation::Exp, 1);
        self.did(Operation::Add, 1);
        self.did(Operation::Divide, 1);
        self.did(Operation::Multiply, 1);
        value * (1.0 / (1.0 + (-value).exp()))
    }

    /// Computes one token; returns the channels of its output.
    fn token(&mut self, token: &[f64], kept: &mut Kept) -> Vec<f64> {
        let StateSpace { channels, states, rank, .. } = self.sizes;
        let [channels, states, rank] = [channels, states, rank].map(|size| size as usize);
        let row = self.product(|block| &block.input, token);
        let (raw, z) = row.split_at(channels);
        kept.inputs.push(raw.to_vec());
        let mut x = vec![0.0; channels];
        for (channel, x) in x.iter_mut().enumerate() {
            let mut sum = 0.0;
            for (tap, inputs) in kept.inputs.iter().enumerate() {
                sum += self.taps[channel][tap] * inputs[channel];
            }
            let taps = kept.inputs.len() as u64;
            self.did(Operation::Multiply, taps);
            self.did(Operation::Add, taps);
            *x = self.silu(sum);
        }
        kept.inputs.remove(0);
        let selected = self.product(|block| &block.selection, &x);
        let (low, b, c) = (&selected[..rank], &selected[rank..rank + states], &selected[rank + states..]);
        let dt = self.product(|block| &block.step, low);
        let mut gated = vec![0.0; channels];
        for channel in 0..channels {
            // Softplus: a logarithm of 1 and an exponential function.
            let dt = (1.0 + dt[channel].exp()).ln();
            self.did(Operation::Exp, 2);
            self.did(Operation::Add, 1);
            let dt_x = dt * x[channel];
            self.did(Operation::Multiply, 1);
            let mut y = 0.0;
            for state in 0..states {
                let h = &mut kept.states[channel][state];
                *h = (dt * self.a[channel][state]).exp() * *h + dt_x * b[state];
                y += c[state] * *h;
                self.did(Operation::Exp, 1);
                self.did(Operation::Multiply, 4);
                self.did(Operation::Add, 2);
            }
            y += self.skip[channel] * x[channel];
            self.did(Operation::Multiply, 2);
            self.did(Operation::Add, 1);
            gated[channel] = y * self.silu(z[channel]);
        }
        let result = self.product(|block| &block.output, &gated);
        self.did(Operation::Add, self.width as u64);
        result.iter().zip(token).map(|(result, token)| result + token).collect()
    }
}

fn sizes(random: &mut Lcg) -> StateSpace {
    StateSpace {
        channels: 1 + random.below(5),
        states: 1 + random.below(4),
        rank: 1 + random.below(3),
        kernel: 1 + random.below(4),
    }
}

#[test]
fn a_block_computes_and_keeps_what_one_does_element_by_element() {
    let mut random = Lcg(31);
    for _ in 0..60 {
        let (sizes, width, tokens) = (sizes(&mut random), 1 + random.below(5), 1 + random.below(6));
        let mut block = Block::new(sizes, width, &mut random);
        let prompt: Vec<Vec<f64>> =
            (0..tokens).map(|_| (0..width).map(|_| random.below(2001) as f64 / 1000.0 - 1.0).collect()).collect();
        let mut kept = block.nothing();
        let whole: Vec<Vec<f64>> = prompt.iter().map(|token| block.token(token, &mut kept)).collect();
        let parts = state_space_parts(&sizes, width, Norm::None);
        let macs: u64 = parts.iter().filter_map(Part::product).map(|product| product.macs(tokens)).sum();
        assert_eq!(macs, block.macs);
        let mut operations = [0; 5];
        let (mut state_bits, mut lane_weights) = (0, 0);
        for part in &parts {
            let Part::Lanes(step) = part else { continue };
            state_bits += step.state_bits(&BITS);
            lane_weights += step.weights();
            for step in step.steps(tokens) {
                for (operation, count) in step.operations {
                    operations[*operation as usize] += step.iterations * count;
                }
            }
        }
        assert_eq!(operations, block.operations, "{sizes:?}");
        let elements = |rows: &[Vec<f64>]| rows.iter().map(Vec::len).sum::<usize>() as u64;
        assert_eq!(state_bits, elements(&kept.states) * BITS.sums + elements(&kept.inputs) * BITS.activations);
        assert_eq!(state_space_bits(&sizes, &BITS), state_bits);
        assert_eq!(sizes.lane_weights(), lane_weights);
        assert_eq!(lane_weights, elements(&block.taps) + elements(&block.a));
        // Later tokens need nothing of earlier ones but the kept state.
        for cut in 0..tokens as usize {
            let mut first = block.nothing();
            prompt[..cut].iter().for_each(|token| drop(block.token(token, &mut first)));
            let mut copy = first.clone();
            let rest: Vec<Vec<f64>> = prompt[cut..].iter().map(|token| block.token(token, &mut copy)).collect();
            assert_eq!(rest, whole[cut..]);
        }
    }
}

#[test]
fn states_come_and_go_as_a_walk_over_all_tokens_says() {
    let mut random = Lcg(32);
    for _ in 0..500 {
        let (batch, tokens, cached) = (1 + random.below(4), 1 + random.below(7), random.below(2));
        let step = Step { cached, ..Step::prefill(batch, tokens) };
        let tile = 1 + random.below(batch * tokens);
        for stays in [true, false] {
            let (mut read, mut written) = (0, 0);
            let mut on_chip = None;
            for at in 0..batch * tokens {
                let (sequence, token) = (at / tokens, at % tokens);
                if at % tile == 0 && !stays && on_chip.take().is_some() {
                    written += 1;
                }
                if on_chip != Some(sequence) {
                    written += u64::from(on_chip.is_some());
                    // A new sequence has no state; all others have one from before, or from an earlier step.
                    read += u64::from(token > 0 || cached > 0);
                    on_chip = Some(sequence);
                }
            }
            written += 1;
            let ours = StateMoves::of(&step, tile, stays);
            assert_eq!((ours.read, ours.written), (read, written), "{step:?} in tiles of {tile}, {stays}");
        }
    }
}

fn fusemax_like() -> Machine {
    Machine::of(&Core::from_text(find_preset(hardware_presets(), "fusemax-like").unwrap().text).unwrap()).unwrap()
}

fn preset(name: &str) -> Transformer {
    Transformer::from_text(find_preset(transformer_presets(), name).unwrap().text)
        .unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// In one run, with everything on the chip, a block has only the compulsory traffic.
#[test]
fn a_block_that_fits_moves_what_is_compulsory_and_no_schedule_less() {
    let machine = fusemax_like();
    let model = preset("mamba-130m");
    for step in [Step::prefill(1, 512), Step::prefill(3, 200), Step::decode(1, 512), Step::decode(16, 4096)] {
        let bits = ElementBits::all(16);
        let layer = schedule_layer(&model, &step, bits, &machine, &Objective::Energy).unwrap();
        assert!(layer.attention.is_none() && layer.after.is_empty());
        let moved: u64 = layer.before.iter().map(|run| run.dram_bits()).sum();
        let least = model.compulsory(&step, bits);
        assert!(moved as f64 >= 8.0 * least.total(), "{moved} bits, at least {least:?}");
        let chain = &model.parts()[0];
        let all = Held { weights: true, states: true };
        let whole = run_of(chain, &(0..chain.len()), (&step, 1), all, &bits, &machine).unwrap();
        // The residual sum reads the input once more.
        assert_eq!(whole.dram_bits() as f64, 8.0 * (least.total() + least.input));
        assert_eq!(whole.macs, model.weighted_macs(&step));
        let tokens = step.batch * step.tokens;
        assert_eq!(whole.macs, tokens * (768 * 2 * 1536 + 1536 * (48 + 2 * 16) + 48 * 1536 + 1536 * 768));
    }
}

#[test]
fn weights_are_those_of_the_published_sizes() {
    // With embeddings of 50,280 words, Table 12 of the paper says 130 million and 2.8 billion.
    for (name, words, parameters) in [("mamba-130m", 50_280 * 768, 130e6), ("mamba-2.8b", 50_280 * 2560, 2.8e9)] {
        let model = preset(name);
        let all = (model.layers * model.weights() + words) as f64;
        assert!((all / parameters - 1.0).abs() < 0.02, "{name}: {all}");
    }
}

#[test]
fn a_token_costs_the_same_however_many_came_before_it() {
    let machine = fusemax_like();
    let model = preset("mamba-130m");
    let bits = ElementBits::all(16);
    let of = |prompt, batch| {
        let sequences = Sequences { batch, prompt, chunk: None, generated: 100 };
        generate(&model, &sequences, bits, &machine, &Objective::Latency).unwrap()
    };
    let (short, long) = (of(16, 1), of(8192, 1));
    assert_eq!(short.typical(), long.typical());
    assert!(short.tokens.iter().all(|(_, cost)| cost == &short.tokens[0].1));
    assert!(long.prefill.latency_cycles > short.prefill.latency_cycles);
    // For every sequence and layer, 16 states and 3 inputs of 1,536 channels.
    assert_eq!(long.cache_bytes, (24 * 1536 * (16 + 3) * 2) as f64);
    assert_eq!(of(16, 4).cache_bytes, 4.0 * long.cache_bytes);
}

#[test]
fn a_scan_goes_token_by_token_on_lanes() {
    let machine = fusemax_like();
    let sizes = StateSpace { channels: 3, states: 1, rank: 1, kernel: 1 };
    let chain = state_space_parts(&sizes, 2, Norm::None);
    let scan = chain.iter().position(|part| part.name() == "selective scan").unwrap();
    let all = Held { weights: true, states: true };
    let cycles = |tokens| {
        let step = Step::prefill(1, tokens);
        run_of(&chain, &(scan..scan + 1), (&step, tokens), all, &BITS, &machine).unwrap().busy.lanes
    };
    // Three channels do not fill the lanes, and a second token cannot use the idle ones.
    assert_eq!(cycles(8), 8 * cycles(1));
}

#[test]
fn a_core_without_lanes_is_refused_with_a_remedy_that_helps() {
    let core = Core::from_text(find_preset(hardware_presets(), "tpu-like-df").unwrap().text).unwrap();
    let machine = Machine::of(&core).unwrap();
    let layer = |machine: &Machine| {
        let bits = ElementBits::all(16);
        schedule_layer(&preset("mamba-130m"), &Step::prefill(1, 8), bits, machine, &Objective::Energy)
    };
    let wrong = layer(&machine).expect_err("it has no lanes");
    assert_eq!(wrong.0[0].path, "hardware.vector_unit");
    assert!(wrong.0[0].remedy.contains("`fusemax-like`"));
    assert!(layer(&fusemax_like()).is_ok());
}
