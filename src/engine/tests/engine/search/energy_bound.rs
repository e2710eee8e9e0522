//! The lower bounds on energy and latency are some: no mapping needs less, and most of the best need little more energy.

use super::random_problems::{Random, hardware, problem};
use fusescape_engine::cost::{Evaluator, LatencyLowerBound, LayerEnergy};
use fusescape_engine::depth_first::BoundsByLevel;
use fusescape_engine::hardware::{Core, MemoryId, Operand};
use fusescape_engine::mapping::{LayerOnCore, LayerOperand, LayerProblem, OperandView};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Objective, Proof, Strategy, find_best};
use fusescape_test_support::random::oracle_cases;

/// Numbers of problems by the bound.
#[derive(Default)]
struct Compared {
    all: u64,
    /// Those in which it is higher than what is unavoidable for each operand alone.
    raised: u64,
    /// Those in which the best mapping needs no more.
    reached: u64,
    /// Those in which the bound on latency is higher than the steps.
    beyond_steps: u64,
}

impl Compared {
    /// Compares bounds with proved optima.
    fn add(&mut self, layer: &LayerOnCore<'_>, what: &dyn Fn() -> String) {
        let evaluator = Evaluator::new(layer);
        let (bound, unavoidable) = (evaluator.lower_bound(), evaluator.unavoidable());
        let of = |objective: Objective| {
            let outcome = find_best(layer, &objective, &Limits::default(), Strategy::Exact);
            let proved = matches!(outcome.proof, Proof::Optimal | Proof::OptimalButForTies);
            let cost = outcome.best.filter(|_| proved)?.cost(layer)?;
            Some(objective.score(layer, &cost))
        };
        let Some(least) = of(Objective::Energy) else { return };
        assert!(bound.total_pj <= least * (1.0 + 1e-9), "{least} pJ, bound {}: {}", bound.total_pj, what());
        assert!(bound.total_pj >= unavoidable.total_pj * (1.0 - 1e-9), "below what is unavoidable: {}", what());
        let parts = bound.energy_pj.iter().flatten().flatten().sum::<f64>() + bound.fixed.total_pj();
        assert!((parts - bound.total_pj).abs() <= 1e-9 * bound.total_pj, "its parts are {parts} pJ: {}", what());
        assert_eq!(bound.words, unavoidable.words);
        let cycles = LatencyLowerBound::new(&evaluator).least_cycles(&bound);
        let fastest = of(Objective::Latency).unwrap_or(f64::INFINITY);
        assert!(cycles as f64 <= fastest, "{fastest} cycles, bound {cycles}: {}", what());
        self.beyond_steps += u64::from(cycles > layer.temporal_cycles());
        let dram = layer.core.top(Operand::O);
        for (objective, memory) in [
            (Objective::DramAccesses, dram),
            (Objective::MemoryAccesses(layer.core.memories[MemoryId::default()].name.clone()), MemoryId::default()),
        ] {
            let (words, least) = (words_at(layer, &bound, memory), of(objective).unwrap_or(f64::INFINITY));
            assert!(words <= least * (1.0 + 1e-9), "{least} words, bound {words}: {}", what());
        }
        self.all += 1;
        self.raised += u64::from(bound.total_pj > unavoidable.total_pj * (1.0 + 1e-9));
        self.reached += u64::from(bound.total_pj >= least * (1.0 - 1e-9));
    }
}

fn words_at(layer: &LayerOnCore<'_>, energy: &LayerEnergy, memory: MemoryId) -> f64 {
    let of = |(operand, view): (LayerOperand, &OperandView)| {
        let levels = view.memories.iter().enumerate().filter(|(_, id)| **id == memory);
        levels.map(|(level, _)| energy.words[operand][level].iter().sum::<f64>()).sum::<f64>()
    };
    layer.each_operand().map(of).sum()
}

#[test]
fn no_mapping_needs_less() {
    let mut random = Random(43);
    let (mut compared, mut by_level) = (Compared::default(), (0, 0));
    while compared.all < oracle_cases(4000) {
        let text = hardware(&mut random);
        let Ok(mut core) = Core::from_text(&text) else { continue };
        // In small memories operands have no room for each other's loops.
        let smaller = random.below(7);
        for memory in core.memories.iter_mut().filter(|memory| memory.name != "dram") {
            memory.size_bits = (memory.size_bits >> smaller).max(8);
        }
        let mut problem = problem(&mut random, &core);
        if core.vector_unit.is_none() && random.below(3) == 0 {
            problem.levels = problem.levels.map(|levels| levels - random.below(levels as u64) as usize);
        }
        if random.below(3) == 0 {
            problem.reserved = core.memories.iter().map(|memory| random.below(memory.size_bits / 2)).collect();
        }
        problem.adds = compared.all.is_multiple_of(4);
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let what = || format!("sizes by 2^{smaller}: {problem:?}\n{text}");
        compared.add(&layer, &what);
        if problem.adds {
            continue;
        }
        let all = Operand::ALL.map(|operand| core.levels(operand).len());
        let on_all_levels = LayerProblem { levels: all, reserved: Vec::new(), ..problem.clone() };
        let counted = [core.top(Operand::O), MemoryId::default()];
        let bounds = BoundsByLevel::new(&LayerOnCore::new(&core, Rules::CORRECTED, &on_all_levels), counted);
        let unavoidable = Evaluator::new(&layer).unavoidable();
        let least = bounds.of(problem.levels);
        let energy_pj = bounds.fixed_pj + least.energy_pj;
        assert!(energy_pj <= unavoidable.total_pj * (1.0 + 1e-9), "{energy_pj} by level: {}", what());
        for (memory, words) in counted.into_iter().zip(least.words) {
            let of_levels = words_at(&layer, &unavoidable, memory);
            assert!(words <= of_levels * (1.0 + 1e-9), "{words} words by level for {of_levels}: {}", what());
        }
        assert!(bounds.cycles <= LatencyLowerBound::new(&Evaluator::new(&layer)).base_cycles(), "{}", what());
        by_level.0 += 1;
        by_level.1 += u64::from(energy_pj >= unavoidable.total_pj * (1.0 - 1e-9));
    }
    assert!(by_level.1 * 4 > by_level.0, "of {} bounds by level {} are those of the levels", by_level.0, by_level.1);
    let Compared { all, raised, reached, beyond_steps } = compared;
    assert!(beyond_steps * 20 > all, "of {all} bounds on latency {beyond_steps} are higher than the steps");
    assert!(raised * 20 > all && reached * 4 > all, "of {all} bounds {raised} are raised, {reached} reached");
}

/// Weights stay in the cells of such an array while loops run that reuse them.
#[test]
fn no_mapping_needs_less_of_an_array_that_computes_in_memory() {
    let mut random = Random(44);
    let mut compared = Compared::default();
    while compared.all < oracle_cases(500) {
        let [cells, inputs, sums] = [1, 4, 2].map(|bytes| bytes << random.below(6));
        let text = format!(
            "name: macros
array:
  dimensions: {{ out: 4, in: 4, macros: 2 }}
  in_memory: {{ type: digital, columns: out, rows: in, precision: 8 x 8, input_bits: 2 bit }}
memories:
  - {{ name: cells, size: {cells} B, operands: [W], width: 8 bit, read_energy: 0 pJ, write_energy: 2 pJ, shared_over: [] }}
  - {{ name: inputs, size: {inputs} B, operands: [I], width: 32 bit, granularity: 8 bit, shared_over: [out],
      read_energy: 3 pJ, write_energy: 3 pJ }}
  - {{ name: sums, size: {sums} B, operands: [O], width: 32 bit, read_energy: 2 pJ, write_energy: 2 pJ, shared_over: [in] }}
  - {{ name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 90 pJ, write_energy: 90 pJ, shared_over: all }}
"
        );
        let core = Core::from_text(&text).unwrap();
        let problem = problem(&mut random, &core);
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        if layer.in_memory.is_some() {
            compared.add(&layer, &|| format!("{problem:?}\n{text}"));
        }
    }
    assert!(compared.raised > 50, "{} of {} are raised", compared.raised, compared.all);
}
