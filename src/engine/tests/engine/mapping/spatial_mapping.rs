//! Loops unrolled over the array: properties for all sizes of several loops on one array dimension, of one loop on
//! several, and of rules that differ there.

use fusescape_engine::hardware::{ArrayDimId, Unroll};
use fusescape_engine::mapping::{LayerOnCore, LayerProblem, SpatialMapping};
use fusescape_engine::rules::Rules;
use fusescape_engine::workload::{Dim, LayerShape};
use fusescape_test_support::random::{Lcg, all_levels, random_core, random_shape};

/// ZigZag's rule for a loop on several array dimensions, and nothing else of ZigZag.
const FIRST_TAKES_REST: Rules = Rules { unroll_rest_on_first_dimension: true, ..Rules::CORRECTED };

const ALL_RULES: [Rules; 5] =
    [Rules::CORRECTED, Rules::DEFINES_2022, Rules::ZIGZAG_3_8, Rules::ZIGZAG_3_9, FIRST_TAKES_REST];

/// Some loops of any size, each several times on any array dimension, in any order.
fn random_unrolling(random: &mut Lcg) -> (LayerShape, Vec<Unroll>) {
    let dims = [Dim::K, Dim::C, Dim::OX];
    let mut shape = random_shape(random);
    for dim in dims {
        shape.sizes[dim as usize] = 1 + random.below(200);
    }
    let part = |random: &mut Lcg| Unroll {
        array_dim: ArrayDimId::from(random.below(3) as usize),
        dim: random.of(&dims),
        limit: random.of(&[1, 2, 3, 4, 4, 5, 7, 16]),
    };
    let count = 1 + random.below(5);
    (shape, (0..count).map(|_| part(random)).collect())
}

fn for_all(mut check: impl FnMut(&LayerShape, &[Unroll], &Rules, &SpatialMapping)) {
    let mut random = Lcg(17);
    for _ in 0..2000 {
        let (shape, unroll) = random_unrolling(&mut random);
        for rules in &ALL_RULES {
            check(&shape, &unroll, rules, &SpatialMapping::new(&shape, &unroll, rules));
        }
    }
}

fn parts_of(unroll: &[Unroll], dim: Dim) -> Vec<Unroll> {
    unroll.iter().copied().filter(|part| part.dim == dim).collect()
}

#[test]
fn what_becomes_of_a_loop_does_not_depend_on_the_loops_beside_it() {
    let mut mixed = 0;
    for_all(|shape, unroll, rules, together| {
        for dim in Dim::ALL {
            let own = parts_of(unroll, dim);
            mixed += usize::from(own.len() > 1 && own.len() < unroll.len());
            let alone = SpatialMapping::new(shape, &own, rules);
            let loops: Vec<_> = together.loops.iter().copied().filter(|part| part.dim == dim).collect();
            assert_eq!(loops, alone.loops, "{dim} of {unroll:?}, {:?}", shape.sizes);
            let [all, one] = [together, &alone].map(|mapping| mapping.temporal_sizes[dim as usize]);
            assert_eq!(all, one, "steps of {dim} of {unroll:?}, {:?}", shape.sizes);
        }
    });
    assert!(mixed > 2000, "{mixed} loops of several parts stand beside others");
}

#[test]
fn all_steps_together_cover_the_loop_on_no_more_pes_than_there_are() {
    for_all(|shape, unroll, rules, mapping| {
        for dim in Dim::ALL {
            let own = parts_of(unroll, dim);
            let found = || mapping.loops.iter().filter(|part| part.dim == dim);
            let width: f64 = found().map(|part| part.average).product();
            let (steps, size) = (mapping.temporal_sizes[dim as usize] as f64, shape.size(dim) as f64);
            let what = || format!("{width} x {steps} of {size}: {dim} of {unroll:?}");
            assert!(width * steps >= size * (1.0 - 1e-12), "{}", what());
            if *rules == Rules::CORRECTED {
                assert!((width * steps - size).abs() <= 1e-12 * size, "{}", what());
                assert!(found().all(|part| part.average > 1.0), "one PE unrolls nothing: {}", what());
            }
            let [peak, limit] =
                [found().map(|part| part.peak).product::<u64>(), own.iter().map(|part| part.limit).product()];
            assert!(peak <= limit, "{}", what());
        }
    });
}

/// ZigZag: of the widest parts of a loop the first is narrowed until it divides, all others count in full.
#[test]
fn the_first_of_the_widest_parts_takes_the_rest() {
    let mut narrowed = 0;
    for_all(|shape, unroll, rules, mapping| {
        if !rules.unroll_rest_on_first_dimension {
            return;
        }
        for dim in Dim::ALL {
            // Parts of 1 may be left out of the list; it is then not known which ones remain.
            let own: Vec<u64> = parts_of(unroll, dim).iter().map(|part| part.limit.min(shape.size(dim))).collect();
            let found: Vec<f64> =
                mapping.loops.iter().filter(|part| part.dim == dim).map(|part| part.average).collect();
            if own.len() < 2 || found.len() != own.len() {
                continue;
            }
            let widest = own.iter().max().unwrap();
            let first = own.iter().position(|width| width == widest).unwrap();
            for (at, (&found, &width)) in found.iter().zip(&own).enumerate() {
                let is_full = found == width as f64;
                assert!(is_full || at == first && found < width as f64, "part {at} of {dim}: {found}, {unroll:?}");
                narrowed += usize::from(!is_full);
            }
        }
    });
    assert!(narrowed > 500, "{narrowed} parts were narrowed");
}

/// Numbers of steps are rounded up from quotients of averages only where the rule needs it: for 17 over 3 such a
/// quotient gives 7, not 6.
#[test]
fn a_loop_on_one_array_dimension_knows_no_rest() {
    let mut random = Lcg(19);
    let core = random_core(&mut random);
    for _ in 0..2000 {
        let (mut shape, mut unroll) = random_unrolling(&mut random);
        shape.sizes[Dim::OX as usize] = 1 + random.below(2000);
        unroll.dedup_by_key(|part| part.dim);
        if Dim::ALL.iter().any(|&dim| parts_of(&unroll, dim).len() > 1) {
            continue;
        }
        let problem = LayerProblem::new(shape, all_levels(&core), unroll);
        let spatial = |rules: Rules| LayerOnCore::new(&core, rules, &problem).spatial;
        assert_eq!(spatial(FIRST_TAKES_REST), spatial(Rules::CORRECTED), "{problem:?}");
    }
}

#[test]
fn a_loop_of_one_step_is_never_unrolled() {
    let mut random = Lcg(23);
    for _ in 0..500 {
        let (mut shape, unroll) = random_unrolling(&mut random);
        shape.sizes[Dim::C as usize] = 1;
        for rules in &ALL_RULES {
            let mapping = SpatialMapping::new(&shape, &unroll, rules);
            assert!(mapping.loops.iter().all(|part| part.dim != Dim::C), "{unroll:?}: {:?}", mapping.loops);
        }
    }
}
