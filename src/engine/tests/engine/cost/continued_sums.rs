//! A product in two halves of its depth, of which the second adds to the sums of the first, is the product whose
//! outermost loop takes one half after the other.

use super::layer_by_elements::{is_close, random_layer, random_mapping};
use crate::search::random_problems::Random;
use fusescape_engine::cost::{Evaluator, LayerCost};
use fusescape_engine::mapping::{LayerOnCore, LayerProblem, Relevance, TemporalLoop};
use fusescape_engine::rules::Rules;
use fusescape_engine::workload::{Dim, LayerKind};
use fusescape_test_support::random::oracle_cases;

/// Words, elements and energy of every movement, and the energy of all.
fn figures(cost: &LayerCost) -> Vec<f64> {
    let tables = [&cost.energy.elements, &cost.energy.words, &cost.energy.energy_pj];
    tables.iter().flat_map(|table| table.iter().flatten().flatten().copied()).chain([cost.energy_pj()]).collect()
}

#[test]
fn both_halves_of_a_product_cost_what_the_whole_costs() {
    let mut random = Random(2026);
    let (mut left, mut reading) = (oracle_cases(200), 0);
    while left > 0 {
        let Some((text, core, half)) = random_layer(&mut random) else { continue };
        let has_depth = [LayerKind::Conv, LayerKind::Pointwise, LayerKind::FullyConnected, LayerKind::MatMul];
        if !has_depth.contains(&half.shape.kind) {
            continue;
        }
        let depth = Dim::C as usize;
        let mut whole = half.clone();
        whole.shape.sizes[depth] *= 2;
        // Sums that go on to the second half are partial ones.
        let mut first = half.clone();
        first.shape.precision.o = first.shape.precision.o_partial;
        let second = LayerProblem { adds: true, ..half };
        let [whole, first, second] =
            [&whole, &first, &second].map(|problem| LayerOnCore::new(&core, Rules::CORRECTED, problem));
        let is_split = whole.spatial.loops == second.spatial.loops
            && whole.spatial.temporal_sizes[depth] == 2 * second.spatial.temporal_sizes[depth];
        if !is_split {
            continue;
        }
        let (order, allocation) = random_mapping(&mut random, &second);
        // Outputs that no loop replaces would stay below, where the second half begins.
        let (outputs, ends) = (&whole.operands[0], &allocation.ends[0]);
        let replaces = |next: &TemporalLoop| outputs.relevance[next.dim as usize] != Relevance::Irrelevant;
        let inner = &ends[..outputs.memories.len() - 1];
        if !inner.iter().all(|&end| order[usize::from(end)..].iter().any(replaces)) {
            continue;
        }
        let (mut outside, mut of_whole) = (order.clone(), allocation);
        outside.push(TemporalLoop { dim: Dim::C, size: 2 });
        for (operand, view) in whole.each_operand() {
            of_whole.ends[operand][view.memories.len() - 1] += 1;
        }
        let Some(whole) = Evaluator::new(&whole).evaluate(&outside, &of_whole) else { continue };
        let halves = [&first, &second].map(|half| Evaluator::new(half).evaluate(&order, &allocation).unwrap());
        let [one, other] = halves.each_ref().map(figures);
        for ((one, other), both) in one.iter().zip(&other).zip(figures(&whole)) {
            assert!(is_close(one + other, both), "{one} + {other}, not {both}: {order:?} {allocation:?} {text}");
        }
        left -= 1;
        reading += usize::from(other != one);
    }
    assert!(reading > 0, "sums come down again");
}
