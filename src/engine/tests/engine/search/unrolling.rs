//! The enumeration of unrollings against brute force, and the joint search against trying every unrolling.

use fusescape_engine::hardware::{ArrayDimId, Core, Unroll};
use fusescape_engine::ids::{TiVec, ti_vec};
use fusescape_engine::job::{Job, Worker};
use fusescape_engine::mapping::{
    LayerOnCore, LayerProblem, SpatialMapping, UnrollingCoverage, UnrollingOptions, unrollings,
};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{
    Limits, Objective, Outcome, Proof, Strategy, UnrolledLayer, UnrolledOutcome, UnrolledSearch, explain_infeasible,
    find_best,
};
use fusescape_engine::workload::{Dim, LayerKind, LayerShape, Network, Precision};
use fusescape_spec::{find_preset, hardware_presets, workload_presets};
use fusescape_test_support::random::{Lcg, all_levels, random_core, random_shape};
use std::collections::{BTreeMap, BTreeSet};

/// The best unrolling and mapping by `objective`; among equals the one of least latency, then of least energy.
///
/// After each unrolling, `proceed` gets the number of those done and the most that there may be. Where it returns
/// `false`, the search stops, and its proof covers the rest.
fn find_best_unrolled(
    layer: UnrolledLayer<'_>,
    options: &UnrollingOptions,
    objective: &Objective,
    limits: &Limits,
    strategy: Strategy,
    mut proceed: impl FnMut(usize, usize) -> bool,
) -> UnrolledOutcome {
    let mut search = UnrolledSearch::new(layer, options, objective.clone(), *limits, strategy);
    let mut index = 0;
    while index < search.end() {
        let Some(outcome) = search.solve(index) else { break };
        search.offer(index, &outcome);
        index += 1;
        if !proceed(index, search.end()) {
            break;
        }
    }
    search.outcome()
}

/// The average width of every loop over the array dimensions that the same memories share.
fn sizes(core: &Core, shape: &LayerShape, unroll: &[Unroll]) -> BTreeMap<(Vec<bool>, Dim), u64> {
    let mut sizes: BTreeMap<(Vec<bool>, Dim), f64> = BTreeMap::new();
    for unrolled in SpatialMapping::new(shape, unroll, &Rules::CORRECTED).loops {
        let sharing: Vec<bool> = core.memories.iter().map(|m| m.shared_over.contains(unrolled.array_dim)).collect();
        *sizes.entry((sharing, unrolled.dim)).or_insert(1.0) *= unrolled.average;
    }
    sizes
        .into_iter()
        .map(|(key, size)| (key, (size * 1e6).round() as u64))
        .filter(|(_, size)| *size > 1_000_000)
        .collect()
}

/// Every width of every loop on every array dimension.
fn brute_force(core: &Core, shape: &LayerShape) -> Vec<Vec<Unroll>> {
    let mut all = vec![(Vec::new(), ti_vec![1; core.array.len()])];
    for (array_dim, (_, size)) in core.array.iter_enumerated() {
        for dim in Dim::ALL {
            let wider = |(unroll, used): &(Vec<Unroll>, TiVec<ArrayDimId, u64>)| {
                let room = size / used[array_dim];
                (1..=room.min(shape.size(dim)))
                    .map(|limit| {
                        let (mut unroll, mut used) = (unroll.clone(), used.clone());
                        if limit > 1 {
                            unroll.push(Unroll { array_dim, dim, limit });
                        }
                        used[array_dim] *= limit;
                        (unroll, used)
                    })
                    .collect::<Vec<_>>()
            };
            all = all.iter().flat_map(wider).collect();
        }
    }
    all.into_iter().map(|(unroll, _)| unroll).collect()
}

fn without_limits() -> UnrollingOptions {
    UnrollingOptions { loops_per_dimension: 8, ..UnrollingOptions::default() }
}

#[test]
fn every_unrolling_that_the_memories_can_serve_is_found_once() {
    let mut random = Lcg(7);
    let (mut most, mut refused) = (0, 0);
    for _ in 0..20 {
        let (core, shape) = (random_core(&mut random), random_shape(&mut random));
        let found = unrollings(&core, &Rules::CORRECTED, &shape, all_levels(&core), &without_limits());
        let ours: Vec<_> = found.list.iter().map(|unrolling| sizes(&core, &shape, &unrolling.unroll)).collect();
        let ours_once: BTreeSet<_> = ours.iter().cloned().collect();
        assert_eq!(ours.len(), ours_once.len(), "{found:?}");
        for unrolling in &found.list {
            let problem = LayerProblem::new(shape, all_levels(&core), unrolling.unroll.clone());
            let problem = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
            assert!(ports_suffice(&problem), "{unrolling:?} of {shape:?} on {core:?}");
        }
        let mut possible = BTreeSet::new();
        for unroll in brute_force(&core, &shape) {
            let key = sizes(&core, &shape, &unroll);
            let problem = LayerProblem::new(shape, all_levels(&core), unroll.clone());
            let problem = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
            if explain_infeasible(&problem).is_empty() && ports_suffice(&problem) {
                assert!(ours_once.contains(&key), "missing {unroll:?} of {shape:?} on {core:?}");
            } else {
                refused += 1;
            }
            possible.insert(key);
        }
        assert!(ours_once.is_subset(&possible), "{core:?} {shape:?}");
        assert_eq!(found.legal, found.list.len() as u64 + found.equivalent);
        assert!(found.list.is_sorted_by_key(|unrolling| unrolling.steps));
        most = most.max(found.list.len());
    }
    assert!(most > 50 && refused > 500, "{most} {refused}");
}

#[test]
fn no_dimension_of_the_array_has_more_loops_than_allowed() {
    let core = Core::from_text(
        "name: line
array: { dimensions: { D1: 12 }, mac_energy: 1 pJ }
memories:
  - { name: dram, size: 1 MiB, operands: [W, I, O], width: 4096 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all }
",
    )
    .unwrap();
    let network = Network::from_text(
        "name: one
layers: [{ name: in, type: input, K: 3, size: 3 x 4 }, { name: a, type: conv, K: 5, kernel: 1 x 1 }]",
    );
    let shape = network.unwrap().layer(1.into()).shape;
    let key = |unroll: &[Unroll]| sizes(&core, &shape, unroll);
    let all = brute_force(&core, &shape);
    for loops_per_dimension in 1..=4 {
        let options = UnrollingOptions { loops_per_dimension, ..UnrollingOptions::default() };
        let found = unrollings(&core, &Rules::CORRECTED, &shape, all_levels(&core), &options);
        let found: BTreeSet<_> = found.list.iter().map(|unrolling| key(&unrolling.unroll)).collect();
        let allowed = all.iter().filter(|unroll| unroll.len() <= loops_per_dimension).map(|unroll| key(unroll));
        assert_eq!(found, allowed.collect(), "{loops_per_dimension}");
        // Of the widest alone, each of the others is no wider than one in any loop.
        let widest = UnrollingOptions { coverage: UnrollingCoverage::Maximal, ..options };
        let widest = unrollings(&core, &Rules::CORRECTED, &shape, all_levels(&core), &widest);
        let widest: Vec<_> = widest.list.iter().map(|unrolling| key(&unrolling.unroll)).collect();
        for narrow in &found {
            let is_within = |wide: &BTreeMap<_, u64>| narrow.iter().all(|(dim, width)| wide.get(dim) >= Some(width));
            assert!(widest.iter().any(is_within), "{loops_per_dimension}: nothing is as wide as {narrow:?}");
        }
    }
}

/// An addition reads both maps through the ports of inputs. By a rule of the tools it reads one of them through those
/// of weights.
#[test]
fn the_ports_that_an_addition_reads_by_decide_how_far_it_unrolls() {
    let memory = |operand: &str, width: u64| {
        format!(
            "  - {{ name: m{operand}, size: 1 KiB, operands: [{operand}], read_width: {width} bit, write_width: 64 bit, \
             read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all }}\n"
        )
    };
    let network = Network::from_text(
        "name: one
precision: { W: 8, I: 8, O_partial: 8, O: 8 }
layers:
  - { name: in, type: input, K: 8, size: 1 x 1 }
  - { name: a, type: conv, K: 8, kernel: 1 x 1 }
  - { name: b, type: add, from: [in, a] }",
    )
    .unwrap();
    let shape = network.layer(2.into()).shape;
    for (of_weights, of_inputs) in [(8, 64), (64, 16), (32, 32)] {
        let core = Core::from_text(&format!(
            "name: line\narray: {{ dimensions: {{ D1: 8 }}, mac_energy: 1 pJ }}\nmemories:\n{}{}{}  - {{ name: dram, size: 1 MiB, \
             operands: [W, I, O], width: 64 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all }}\n",
            memory("W", of_weights),
            memory("I", of_inputs),
            memory("O", 64)
        ))
        .unwrap();
        let widest = |rules: Rules| {
            let found = unrollings(&core, &rules, &shape, all_levels(&core), &without_limits());
            let width = |unroll: &[Unroll]| unroll.iter().map(|part| part.limit).product::<u64>();
            found.list.iter().map(|unrolling| width(&unrolling.unroll)).max()
        };
        assert_eq!(widest(Rules::CORRECTED), Some(of_inputs / 16), "two elements of each channel");
        let by_weights = Rules { additions_read_weight_memories: true, ..Rules::CORRECTED };
        assert_eq!(widest(by_weights), Some(of_weights.min(of_inputs) / 8), "one element at each port");
    }
}

/// Whether each port of a lowest memory has the bandwidth for one cycle of the array, by the account of the cost model.
fn ports_suffice(problem: &LayerOnCore<'_>) -> bool {
    problem.core.memories.iter_enumerated().all(|(id, memory)| {
        memory.ports.iter().all(|port| {
            let mut bits = [0, 0];
            for (index, view) in problem.operands.iter().enumerate() {
                let is_output = index == 0;
                let serves = port.serves.iter().any(|(operand, movement)| {
                    *operand == view.stored_as && movement.is_low() && movement.is_read() != is_output
                });
                if view.memories[0] == id && serves {
                    let peak = |dim: Dim| -> u64 {
                        let peaks = view.unrolled[0].iter().filter(|(unrolled, ..)| *unrolled == dim);
                        peaks.map(|(_, _, peak)| *peak).product::<u64>().min(problem.shape.size(dim))
                    };
                    let mut extents = problem.shape;
                    extents.sizes = Dim::ALL.map(peak);
                    let precision = if is_output { view.precision.0 } else { view.precision.1 };
                    bits[usize::from(is_output)] += extents.elements(view.stored_as) * precision;
                }
            }
            bits[0] <= memory.read_width_bits && bits[1] <= memory.write_width_bits
        })
    })
}

#[test]
fn the_joint_search_finds_what_trying_every_unrolling_finds() {
    let mut random = Lcg(11);
    let limits = Limits { lpf_limit: 4, ..Limits::default() };
    let (mut searched, mut skipped) = (0, 0);
    for round in 0..16 {
        let (core, shape) = (random_core(&mut random), random_shape(&mut random));
        let objective = [
            Objective::Energy,
            Objective::Latency,
            Objective::EnergyDelayProduct,
            Objective::DramAccesses,
            Objective::MemoryAccesses("buffer".to_owned()),
        ][round % 5]
            .clone();
        let rules = [Rules::CORRECTED, Rules::DEFINES_2022, Rules::CORRECTED, Rules::ZIGZAG_3_8][round % 4];
        let layer = UnrolledLayer { core: &core, rules, shape, levels: all_levels(&core) };
        let options = UnrollingOptions { loops_per_dimension: 2, ..UnrollingOptions::default() };
        let limits = Limits { lpf_limit: 6, ..limits };
        let outcome = find_best_unrolled(layer, &options, &objective, &limits, Strategy::Loma, |_, _| true);
        let mut least = f64::INFINITY;
        let search = UnrolledSearch::new(layer, &options, objective.clone(), limits, Strategy::Loma);
        for index in 0..search.unrollings() {
            let (bound, unroll) = search.candidate(index).unwrap();
            let problem = layer.with(unroll);
            if let Some(best) = find_best(&problem, &objective, &limits, Strategy::Loma).best {
                let score = objective.score(&problem, &best.cost(&problem).unwrap());
                assert!(score >= bound * (1.0 - 1e-9), "{bound} {score} {unroll:?} {shape:?} {core:?}");
                least = least.min(score);
            }
        }
        assert_eq!(outcome.best.map_or(f64::INFINITY, |best| best.score), least, "{objective:?}");
        (searched, skipped) = (searched + outcome.searched, skipped + outcome.skipped);
    }
    assert!(searched > 100 && skipped > 100, "{searched} searched, {skipped} skipped");
}

#[test]
fn with_exact_searches_the_best_unrolling_is_proved_too() {
    let mut random = Lcg(13);
    let mut proofs = [0, 0];
    for _ in 0..6 {
        let (core, shape) = (random_core(&mut random), random_shape(&mut random));
        let layer = UnrolledLayer { core: &core, rules: Rules::CORRECTED, shape, levels: all_levels(&core) };
        let options = UnrollingOptions { loops_per_dimension: 2, ..UnrollingOptions::default() };
        let (objective, limits) = (Objective::Energy, Limits::default());
        let stopped = find_best_unrolled(layer, &options, &objective, &limits, Strategy::Exact, |_, _| false);
        let outcome = find_best_unrolled(layer, &options, &objective, &limits, Strategy::Exact, |_, _| true);
        let Some(best) = outcome.best else { continue };
        let mut search = UnrolledSearch::new(layer, &options, objective.clone(), limits, Strategy::Exact);
        let mut ties = false;
        for index in 0..outcome.searched {
            let outcome = search.solve(index).unwrap();
            ties |= outcome.proof == Proof::OptimalButForTies;
            search.offer(index, &outcome);
        }
        assert_eq!(outcome.proof, if ties { Proof::OptimalButForTies } else { Proof::Optimal });
        assert_eq!(search.end(), outcome.searched);
        proofs[usize::from(ties)] += 1;
        if let Some(first) = stopped.best {
            let gap = match stopped.proof {
                Proof::Gap(gap) => gap,
                Proof::Optimal | Proof::OptimalButForTies => 0.0,
                Proof::None => panic!("every unrolling has a bound"),
            };
            assert!(best.score >= first.score * (1.0 - gap) * (1.0 - 1e-9), "{} {} {gap}", best.score, first.score);
        }
    }
}

/// Unrollings that differ only in names of loops are searched once, and the best scores the same.
#[test]
fn of_unrollings_that_are_alike_one_is_enough() {
    let mut random = Lcg(17);
    let mut left_out = 0;
    for round in 0..12 {
        let (core, shape) = (random_core(&mut random), random_shape(&mut random));
        let layer = UnrolledLayer { core: &core, rules: Rules::CORRECTED, shape, levels: all_levels(&core) };
        let options = UnrollingOptions { loops_per_dimension: 2, ..UnrollingOptions::default() };
        let (objective, limits) =
            ([Objective::Energy, Objective::EnergyDelayProduct][round % 2].clone(), Limits::default());
        let new = || UnrolledSearch::new(layer, &options, objective.clone(), limits, Strategy::Exact);
        let find = |problem: &LayerOnCore<'_>| find_best(problem, &objective, &limits, Strategy::Exact);
        let [all, few] = [new(), new().without_alike()].map(|mut search| {
            let mut bench = (layer, &find as &(dyn Fn(&LayerOnCore<'_>) -> Outcome + Sync));
            while let Some(task) = search.next(Worker { number: 0, of: 1 }) {
                let done = UnrolledSearch::run(&mut bench, &task, &mut || true).unwrap();
                search.take(task, done);
            }
            search.outcome()
        });
        let score =
            |outcome: &UnrolledOutcome| outcome.best.as_ref().map(|best| (best.score, best.solution.latency_cycles));
        match (score(&all), score(&few)) {
            (Some((all, all_cycles)), Some((few, few_cycles))) => {
                assert!((all - few).abs() <= 1e-9 * all, "{few} instead of {all}: {shape:?} {core:?}");
                assert_eq!(all_cycles, few_cycles, "{shape:?} {core:?}");
            }
            (all, few) => assert_eq!(all, few),
        }
        left_out += all.unrollings - few.unrollings;
    }
    assert!(left_out > 0, "none is left out");
}

#[test]
fn workers_that_take_slices_in_any_order_agree() {
    let mut random = Lcg(3);
    let limits = Limits { lpf_limit: 4, ..Limits::default() };
    let mut ruled_out = 0;
    for round in 0..21 {
        let objective = [Objective::Energy, Objective::Latency, Objective::EnergyDelayProduct][round % 3].clone();
        let (core, shape) = (random_core(&mut random), random_shape(&mut random));
        let layer = UnrolledLayer { core: &core, rules: Rules::CORRECTED, shape, levels: all_levels(&core) };
        let new =
            || UnrolledSearch::new(layer, &UnrollingOptions::default(), objective.clone(), limits, Strategy::Loma);
        let alone =
            find_best_unrolled(layer, &UnrollingOptions::default(), &objective, &limits, Strategy::Loma, |_, _| true);
        let mut together = new();
        let mut open: Vec<usize> = (0..together.unrollings()).collect();
        while !open.is_empty() {
            let index = open.swap_remove(random.below(open.len() as u64) as usize);
            if index < together.end() {
                let outcome = together.solve(index).unwrap();
                together.offer(index, &outcome);
            }
        }
        assert_eq!(together.outcome().best, alone.best);
        // As a job: in whatever order tasks come back, or come back undone, the same unrollings are searched.
        let mut by_jobs = [1, 3].map(|workers| {
            let mut job = new();
            let find = |problem: &LayerOnCore<'_>| find_best(problem, &objective, &limits, Strategy::Loma);
            let (mut bench, mut out) = ((layer, &find as &(dyn Fn(&LayerOnCore<'_>) -> Outcome + Sync)), Vec::new());
            loop {
                while out.len() < workers
                    && let Some(task) = job.next(Worker { number: out.len(), of: workers })
                {
                    out.push(task);
                }
                if out.is_empty() {
                    break;
                }
                let task = out.swap_remove(random.below(out.len() as u64) as usize);
                if random.below(3) == 0 {
                    job.put_back(task);
                } else {
                    let done = UnrolledSearch::run(&mut bench, &task, &mut || true).unwrap();
                    job.take(task, done);
                }
            }
            job.outcome()
        });
        assert_eq!(by_jobs[0], by_jobs[1]);
        assert_eq!(by_jobs[0].best.take(), alone.best);
        assert_eq!(by_jobs[0].proof, alone.proof);
        assert_eq!(by_jobs[0].searched + by_jobs[0].skipped, by_jobs[0].unrollings);
        ruled_out += usize::from(by_jobs[0].searched < alone.searched);
    }
    assert!(ruled_out > 0, "no bound rules out an unrolling before it is searched");
}

#[test]
fn a_search_that_is_stopped_says_what_it_has() {
    let core = Core::from_text(find_preset(hardware_presets(), "eyeriss-like").unwrap().text).unwrap();
    let network = Network::from_text(find_preset(workload_presets(), "alexnet-eyeriss").unwrap().text).unwrap();
    let shape = network.layer(network.ids().next_back().unwrap()).shape;
    let layer = UnrolledLayer { core: &core, rules: Rules::CORRECTED, shape, levels: all_levels(&core) };
    let limits = Limits { lpf_limit: 4, ..Limits::default() };
    let (options, objective) = (UnrollingOptions::default(), Objective::Latency);
    let outcome = find_best_unrolled(layer, &options, &objective, &limits, Strategy::Loma, |done, _| done < 3);
    assert_eq!(outcome.searched, 3);
    assert!(outcome.unrollings > 1000 && outcome.searched + outcome.skipped <= outcome.unrollings);
    assert_eq!(outcome.proof, Proof::None, "LOMA proves nothing");
}

#[test]
fn hints_say_which_loops_an_array_dimension_may_unroll() {
    let core = Core::from_text(find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text).unwrap();
    let shape = LayerShape {
        dim_order: LayerKind::Conv.dim_order(),
        kind: LayerKind::Conv,
        sizes: [1, 1, 64, 64, 56, 56, 3, 3],
        stride: (1, 1),
        dilation: (1, 1),
        input_limit: (56, 56),
        untouched: (0, 0),
        precision: Precision { w: 8, i: 8, o_partial: 16, o: 8 },
        sparsity: None,
        operations: Default::default(),
    };
    let hints = vec![(0, vec![Dim::K]), (1, vec![Dim::C]), (2, vec![Dim::OX]), (3, vec![Dim::OY])];
    let hints: Vec<(ArrayDimId, Vec<Dim>)> =
        hints.into_iter().map(|(index, dims)| (ArrayDimId::from(index), dims)).collect();
    let options =
        UnrollingOptions { hints: hints.clone(), coverage: UnrollingCoverage::Maximal, ..UnrollingOptions::default() };
    let found = unrollings(&core, &Rules::CORRECTED, &shape, all_levels(&core), &options);
    let limits: Vec<Vec<u64>> =
        found.list.iter().map(|unrolling| unrolling.unroll.iter().map(|unroll| unroll.limit).collect()).collect();
    assert_eq!(limits, [[32, 2, 4, 4]]);
    let all = UnrollingOptions { coverage: UnrollingCoverage::All, ..options };
    for unrolling in unrollings(&core, &Rules::CORRECTED, &shape, all_levels(&core), &all).list {
        for unroll in unrolling.unroll {
            assert!(hints[unroll.array_dim.index()].1.contains(&unroll.dim));
        }
    }
}
