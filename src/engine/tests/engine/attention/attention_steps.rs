//! Attention step by step, alone and in a block: all steps together are the account; every query meets every key that
//! it sees, once.

use super::attention_blocks::{Case, schedules};
use super::attention_schedules::{machine, problem, schedule};
use fusescape_engine::attention::{
    AttentionSteps, Busy, ElementBits, Fusion, KeysHeld, MOST_STEPS, Moved, Place, Problem, Run, Schedule, Shape,
    Stage, StepWork, Tensor, follow, follow_block,
};
use fusescape_test_support::random::Lcg;
use fusescape_test_support::sample::sample_or_all;

/// Random small problems with their schedules, of every kind and residence, and the steps of these.
fn followed(seed: u64, count: usize) -> Vec<(Problem, Schedule, AttentionSteps)> {
    let mut random = Lcg(seed);
    let all: Vec<_> = (0..count)
        .map(|at| {
            let problem = problem(&mut random, 12);
            let schedule = schedule(&mut random, &problem);
            let machine = machine(1 << 30, at % 5 > 0);
            let steps = follow(&problem, &machine, &schedule).expect("there is room");
            (problem, schedule, steps)
        })
        .collect();
    for fusion in Fusion::ALL {
        for held in KeysHeld::ALL.into_iter().filter(|held| fusion.takes(*held)) {
            assert!(all.iter().any(|(_, schedule, _)| (schedule.fusion, schedule.held) == (fusion, held)));
        }
    }
    all
}

/// Traffic across the border of the chip, by tensor.
fn dram(work: &StepWork) -> [Moved; 8] {
    let mut moved = [Moved::default(); 8];
    for flow in &work.flows {
        let of = &mut moved[flow.tensor as usize];
        of.read += if flow.from == Place::Dram { flow.read_bits } else { 0 };
        of.written += if flow.to == Place::Dram { flow.written_bits } else { 0 };
    }
    moved
}

#[test]
fn all_steps_together_are_the_account() {
    for (problem, schedule, steps) in followed(81, sample_or_all(600, 3000)) {
        let account = &steps.account;
        let mut moved = dram(&steps.once);
        let (mut macs, mut weight_macs, mut operations) = (0, 0, [0; 5]);
        // By phase: cycles of the array and of the lanes.
        let mut busy = [(0, 0); 3];
        let mut energy = steps.once.energy;
        for number in 0..steps.count() {
            let (step, work) = (steps.step(number).unwrap(), steps.work(number).unwrap());
            let repeats = problem.repeats();
            assert_eq!(steps.times(&step), repeats);
            for (sum, of) in moved.iter_mut().zip(dram(work)) {
                *sum = Moved { read: sum.read + repeats * of.read, written: sum.written + repeats * of.written };
            }
            macs += repeats * work.macs;
            weight_macs += repeats * work.weight_macs;
            operations.iter_mut().zip(work.operations).for_each(|(sum, of)| *sum += repeats * of);
            energy.iter_mut().zip(work.energy).for_each(|(sum, of)| *sum += repeats as f64 * of);
            let phase = match (schedule.fusion, step.stage) {
                (Fusion::None, Stage::Softmax) => 1,
                (Fusion::None, Stage::Values) => 2,
                _ => 0,
            };
            busy[phase].0 += repeats * work.busy.array;
            busy[phase].1 += repeats * work.busy.lanes;
            // Flows, MACs, registers and lanes together take all the energy.
            let flows: f64 = work.flow_energy.iter().sum();
            assert!((flows - work.energy[0] - work.energy[1]).abs() <= 1e-9 * flows);
            let of_lanes: u64 = work.lanes.iter().map(|(_, lane)| lane.operations).sum();
            assert_eq!(of_lanes, work.lane_operations());
        }
        let what = format!("{schedule:?} {problem:?}");
        assert_eq!(moved, account.dram, "{what}");
        assert_eq!((macs, weight_macs, operations), (account.macs, account.weight_macs, account.operations), "{what}");
        let of_account = account.phases.map(|Busy { array, lanes, .. }| (array, lanes));
        assert_eq!(busy, of_account, "{what}");
        for (sum, of) in energy.iter().zip(account.energy) {
            assert!((sum - of).abs() <= 1e-9 * of, "{what}: {energy:?} and {:?}", account.energy);
        }
    }
}

#[test]
fn all_steps_of_a_block_are_its_account() {
    let mut random = Lcg(83);
    // Blocks: with queries, with parts, with weights of keys that are loaded for every tile, in more than one pass;
    // with keys and values on the chip.
    let (mut blocks, mut kinds) = (0, [0; 5]);
    for _ in 0..sample_or_all(15, 60) {
        let case = Case::random(&mut random, 9000).in_some_store(&mut random);
        for schedule in schedules(&case, &case.problem) {
            let Some(block) = case.blocks().account(&schedule) else { continue };
            blocks += 1;
            let steps = follow_block(&case.blocks(), &schedule).expect("there is room");
            assert_eq!(steps.block.as_ref(), Some(&block));
            assert_eq!((steps.account, block.schedule()), (block.attention, schedule));
            let what = format!("{schedule:?} {:?}", case.problem);
            let (mut moved, mut macs) = (dram(&steps.once), steps.once.macs);
            let mut energy = steps.once.energy;
            // For queries, attention and the parts after it: MACs, cycles of the array and of the lanes.
            let mut stages = [[0; 3]; 3];
            for number in 0..steps.count() {
                let (step, work) = (steps.step(number).unwrap(), steps.work(number).unwrap());
                let found = steps.number_at(step.pass, step.tile, step.keys.0, step.stage, step.head_tile);
                assert_eq!(found, Some(number), "{step:?} {what}");
                let times = steps.times(&step);
                for (sum, of) in moved.iter_mut().zip(dram(work)) {
                    *sum = Moved { read: sum.read + times * of.read, written: sum.written + times * of.written };
                }
                macs += times * work.macs;
                energy.iter_mut().zip(work.energy).for_each(|(sum, of)| *sum += times as f64 * of);
                let stage = match step.stage {
                    Stage::Queries => 0,
                    Stage::Behind => 2,
                    _ => 1,
                };
                let of = [work.macs, work.busy.array, work.busy.lanes];
                stages[stage].iter_mut().zip(of).for_each(|(sum, of)| *sum += times * of);
                let flows: f64 = work.flow_energy.iter().sum();
                assert!((flows - work.energy[0] - work.energy[1]).abs() <= 1e-9 * flows, "{what}");
                kinds[2] += usize::from(step.stage == Stage::Weights);
            }
            // Bits of DRAM, by tensor as counted by groups of equal steps, and MACs.
            let both = moved.iter().fold((0, 0), |(read, written), of| (read + of.read, written + of.written));
            assert_eq!(both, (block.dram.read, block.dram.written), "{what}");
            let by_tensor = Tensor::ALL.map(|tensor| steps.dram_bits(tensor));
            assert_eq!(by_tensor, moved.map(|of| of.read + of.written), "{what}");
            assert_eq!(macs, block.macs(), "{what}");
            // Queries and results that stay do not cross the border of the chip; the rows behind attention are output, too.
            assert!(!schedule.has_queries || moved[Tensor::Queries as usize] == Moved::default(), "{what}");
            // Cycles, stage by stage.
            let of_run = |run: &Option<Run>| {
                run.as_ref().map_or([0; 3], |Run { macs, busy, .. }| [*macs, busy.array, busy.lanes])
            };
            let own = &block.attention;
            let of_attention = [own.macs, own.phases[0].array, own.phases[0].lanes];
            assert_eq!(stages, [of_run(&block.queries), of_attention, of_run(&block.parts)], "{what}");
            // Energy by cause; that of the memories on the chip with all reads and writes there.
            for (sum, of) in energy.iter().zip(block.energy) {
                assert!((sum - of).abs() <= 1e-9 * of, "{what}: {energy:?} and {:?}", block.energy);
            }
            kinds[0] += usize::from(schedule.has_queries);
            kinds[1] += usize::from(schedule.parts > 0);
            kinds[3] += usize::from(steps.passes.len() > 1);
            kinds[4] += usize::from(case.problem.keys_on_chip);
        }
    }
    assert!(blocks > 10_000 && kinds.iter().all(|count| *count > 100), "{blocks} {kinds:?}");
}

#[test]
fn every_query_meets_every_key_that_it_sees_once_and_every_place_is_found_again() {
    for (problem, schedule, steps) in followed(82, 1500) {
        let (group, queries, keys) = (problem.group(), problem.shape.queries, problem.shape.keys);
        let mut met = vec![[0_u32; 2]; (group * queries * keys) as usize];
        for number in 0..steps.count() {
            let step = steps.step(number).unwrap();
            let found = steps.number_at(0, step.tile, step.keys.0, step.stage, step.head_tile);
            assert_eq!(found, Some(number), "{step:?} {schedule:?}");
            let tile = steps.tiles[step.tile];
            assert!(step.visit < step.visits && step.keys.0 < step.keys.1 && step.keys.1 - tile.key <= tile.keys);
            let of_products: &[usize] = match step.stage {
                Stage::All => &[0, 1],
                Stage::Scores => &[0],
                Stage::Softmax => &[],
                Stage::Values => &[1],
                Stage::Queries | Stage::Weights | Stage::Behind => panic!("{step:?} without a block"),
            };
            for head in step.head_tile * schedule.heads..(step.head_tile + 1) * schedule.heads {
                for query in tile.query..tile.query + tile.size {
                    for key in step.keys.0..step.keys.1 {
                        let at = ((head * queries + query) * keys + key) as usize;
                        of_products.iter().for_each(|product| met[at][*product] += 1);
                    }
                }
            }
        }
        assert_eq!(steps.step(steps.count()), None);
        for query in 0..queries {
            let seen = problem.first_key(query)..problem.keys_until(query + 1);
            for (head, key) in (0..group).flat_map(|head| (0..keys).map(move |key| (head, key))) {
                let times = met[((head * queries + query) * keys + key) as usize];
                let most = if seen.contains(&key) { times } else { [times[0].min(1), times[1].min(1)] };
                assert!(times == most && (!seen.contains(&key) || times == [1, 1]), "{query} {key} {schedule:?}");
            }
        }
    }
}

#[test]
fn keys_that_stay_come_once_and_keys_that_stream_come_for_every_tile_of_queries() {
    let shape = Shape::of_sequence(1, 1, 4, 12);
    let problem =
        Problem { shape, causal: false, window: None, bits: ElementBits::all(8), source: None, keys_on_chip: false };
    let machine = machine(1 << 20, true);
    let keys_come = |held: KeysHeld| -> Vec<u64> {
        let schedule = Schedule { fusion: Fusion::QueriesStay, queries: 6, heads: 1, keys: 4, held };
        let steps = follow(&problem, &machine, &schedule).unwrap();
        let of_step = |number| dram(steps.work(number).unwrap())[Tensor::Keys as usize].read / (4 * 8);
        (0..steps.count()).map(of_step).collect()
    };
    assert_eq!(keys_come(KeysHeld::Streamed), [4, 4, 4, 4, 4, 4]);
    assert_eq!(keys_come(KeysHeld::Resident), [4, 4, 4, 0, 0, 0]);
}

#[test]
fn what_does_not_fit_or_never_ends_is_refused_with_a_remedy() {
    let mut problem = problem(&mut Lcg(3), 9);
    problem.shape = Shape::of_sequence(1, 1, 2, 1 << 11);
    (problem.causal, problem.window) = (false, None);
    let schedule = Schedule { fusion: Fusion::QueriesStay, queries: 1, heads: 1, keys: 1, held: KeysHeld::Streamed };
    let wrong = follow(&problem, &machine(1 << 20, true), &schedule).expect_err("4 Mi steps");
    assert!(wrong.to_string().contains(&MOST_STEPS.to_string()), "{wrong}");
    let large = Schedule { queries: 1 << 11, keys: 1 << 11, ..schedule };
    let wrong = follow(&problem, &machine(1 << 20, true), &large).expect_err("too large");
    assert!(wrong.to_string().contains("does not fit"), "{wrong}");
}
