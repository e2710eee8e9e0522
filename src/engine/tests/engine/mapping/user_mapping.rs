//! Mappings made by hand: editing keeps the loops, all mistakes are reported at once, valid mappings have the right
//! costs.

use fusescape_engine::cost::{EnergyCause, LatencyCause, MappingError};
use fusescape_engine::explore::{DesignLayer, LayerRequest, MappingEdit, TemporalMapping};
use fusescape_engine::hardware::Unroll;
use fusescape_engine::mapping::TemporalLoop;
use fusescape_engine::workload::Dim;
use fusescape_test_support::requests::layer_request;

fn sizes(order: &[TemporalLoop]) -> [u64; 8] {
    let mut sizes = [1; 8];
    order.iter().for_each(|next| sizes[next.dim as usize] *= next.size);
    sizes
}

/// All edits that a person can try.
fn edits(mapping: &TemporalMapping) -> Vec<MappingEdit> {
    let places = 0..mapping.order.len() + 1;
    let loops = places.flat_map(|at| [MappingEdit::Outwards(at), MappingEdit::Split(at), MappingEdit::Join(at)]);
    let ends = (0..3).flat_map(|operand| {
        (0..mapping.ends[operand].len() + 1)
            .flat_map(move |level| [MappingEdit::Raise(operand, level), MappingEdit::Lower(operand, level)])
    });
    let count = mapping.order.len() + 1;
    let moves = (0..count).flat_map(|from| (0..count).map(move |to| MappingEdit::Move { from, to }));
    let levels = (0..3).flat_map(|operand| (0..mapping.ends[operand].len() + 1).map(move |level| (operand, level)));
    let set =
        levels.flat_map(|(operand, level)| (0..=count).map(move |after| MappingEdit::End { operand, level, after }));
    loops.chain(ends).chain(moves).chain(set).collect()
}

#[test]
fn a_dragged_loop_moves_as_by_single_steps_and_a_dragged_end_stays_where_it_is_put() {
    let design_layer = DesignLayer::new(&layer_request("eyeriss-like", "alexnet-eyeriss", None)).unwrap();
    let (facts, mapping) = (design_layer.facts(), design_layer.best().unwrap().mapping.clone());
    let count = mapping.order.len();
    assert!(count > 4);
    for (from, to) in (0..count).flat_map(|from| (0..count).map(move |to| (from, to))) {
        let steps = if from < to { (from..to).collect::<Vec<_>>() } else { (to..from).rev().collect() };
        let stepped = steps
            .iter()
            .fold(mapping.clone(), |next, &place| next.edited(&facts, MappingEdit::Outwards(place)).unwrap());
        let moved = mapping.edited(&facts, MappingEdit::Move { from, to });
        assert_eq!(moved, (from != to).then_some(stepped), "{from} to {to}");
    }
    for (operand, ends) in mapping.ends.iter().enumerate() {
        for (level, after) in (0..ends.len() - 1).flat_map(|level| (0..=count).map(move |after| (level, after))) {
            let Some(next) = mapping.edited(&facts, MappingEdit::End { operand, level, after }) else {
                assert_eq!(after, ends[level]);
                continue;
            };
            assert_eq!(next.ends[operand][level], after);
            assert!(next.ends[operand].is_sorted() && next.order == mapping.order);
        }
    }
}

#[test]
fn any_number_of_edits_keeps_the_loops_and_the_order_of_the_boundaries() {
    for (hardware, workload) in
        [("eyeriss-like", "alexnet-eyeriss"), ("meta-proto-like-df", "fsrcnn"), ("tpu-like", "resnet18")]
    {
        let design_layer =
            DesignLayer::new(&layer_request(hardware, workload, None)).unwrap_or_else(|wrong| panic!("{wrong}"));
        let (facts, best) = (design_layer.facts(), design_layer.best().unwrap_or_else(|wrong| panic!("{wrong}")));
        let (mut mapping, wanted) = (best.mapping.clone(), sizes(&best.mapping.order));
        let (mut done, mut fitting) = (0, 0);
        for step in 0..400_usize {
            let all = edits(&mapping);
            let Some(next) = mapping.edited(&facts, all[step * 7919 % all.len()]) else { continue };
            mapping = next;
            done += 1;
            assert_eq!(sizes(&mapping.order), wanted, "{hardware}: {mapping:?}");
            assert!(mapping.order.iter().all(|next| next.size > 1));
            for ends in &mapping.ends {
                assert!(ends.is_sorted() && ends.last() == Some(&mapping.order.len()), "{hardware}: {mapping:?}");
            }
            match design_layer.cost(&mapping) {
                Ok(cost) => {
                    fitting += 1;
                    // No energy is lost on the way from the engine to the account.
                    assert!(
                        cost.energy_pj() > cost.energy[EnergyCause::Mac]
                            && cost.cycles.total >= cost.cycles.computing()
                    );
                }
                Err(flaws) => {
                    assert!(
                        flaws.iter().all(|flaw| matches!(flaw, MappingError::Overflow { .. })),
                        "{hardware}: {flaws:?}"
                    );
                }
            }
        }
        assert!(done > 100 && fitting > 0, "{hardware}: {done} edits, {fitting} fit");
    }
}

#[test]
fn a_boundary_moves_only_where_that_makes_a_difference() {
    let design_layer = DesignLayer::new(&layer_request("eyeriss-like", "alexnet-eyeriss", Some("conv2"))).unwrap();
    let (facts, best) = (design_layer.facts(), design_layer.best().unwrap());
    for operand in 0..3 {
        for level in 0..best.mapping.ends[operand].len() - 1 {
            for edit in [MappingEdit::Raise(operand, level), MappingEdit::Lower(operand, level)] {
                let Some(edited) = best.mapping.edited(&facts, edit) else { continue };
                if let Ok(cost) = design_layer.cost(&edited) {
                    assert_eq!(cost.mapping.ends[operand][level], edited.ends[operand][level], "{edit:?}");
                }
            }
        }
    }
}

#[test]
fn splitting_and_joining_a_loop_changes_nothing_but_its_look() {
    let design_layer = DesignLayer::new(&layer_request("eyeriss-like", "alexnet-eyeriss", Some("conv2"))).unwrap();
    let loops = [(Dim::K, 8), (Dim::C, 2), (Dim::FX, 5), (Dim::OX, 26), (Dim::C, 24), (Dim::K, 32)];
    let mapping = TemporalMapping {
        order: loops.map(|(dim, size)| TemporalLoop { dim, size }).to_vec(),
        ends: [vec![1, 5, 6], vec![3, 6], vec![3, 5, 6]],
    };
    let (facts, whole) = (design_layer.facts(), design_layer.cost(&mapping).unwrap());
    let split = mapping.edited(&facts, MappingEdit::Split(4)).unwrap();
    assert_eq!((split.order[4].size, split.order[5].size), (2, 12));
    let cost = design_layer.cost(&split).unwrap();
    assert_eq!((cost.energy_pj(), cost.cycles), (whole.energy_pj(), whole.cycles));
    assert_eq!(split.edited(&facts, MappingEdit::Join(4)), Some(mapping));
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let design_layer = DesignLayer::new(&layer_request("eyeriss-like", "alexnet-eyeriss", Some("conv2"))).unwrap();
    let order = |loops: &[(Dim, u64)]| loops.iter().map(|&(dim, size)| TemporalLoop { dim, size }).collect::<Vec<_>>();
    let texts = |mapping: &TemporalMapping| -> Vec<String> {
        design_layer.cost(mapping).err().unwrap_or_default().iter().map(ToString::to_string).collect()
    };
    let wrong = TemporalMapping {
        order: order(&[(Dim::K, 128), (Dim::C, 48), (Dim::OX, 26), (Dim::FX, u64::MAX), (Dim::FX, 2)]),
        ends: [vec![3, 2, 5], vec![1, 4], vec![9, 9, 9]],
    };
    let found = texts(&wrong);
    let expected = [
        "The loops of K multiply to 128, but the layer has 256 of it in time",
        "The loops of FX multiply to more than can be counted; the layer has 5 of it in time",
        "Level 2 of O ends after 2 loops; possible is 3 to 5",
        "Level 2 of W must end after all 5 loops, not after 4",
        "Level 1 of I ends after 9 loops; possible is 0 to 5",
        "Level 2 of I must end after all 5 loops, not after 9",
    ];
    for text in &expected {
        assert!(found.iter().any(|other| other == text), "`{text}` is not among {found:#?}");
    }

    let too_large = TemporalMapping {
        order: order(&[(Dim::K, 256), (Dim::C, 48), (Dim::FX, 5), (Dim::OX, 26)]),
        ends: [vec![1, 4, 4], vec![3, 4], vec![2, 4, 4]],
    };
    let found = texts(&too_large);
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found[0].starts_with("`spad_W` has 448 B, but W would need 120.0 KiB"), "{}", found[0]);
    assert!(found[3].contains("`global_buffer` has 108.0 KiB, but O and I would need"), "{}", found[3]);
}

/// ZigZag, Section III-C: a port waits for its links, each alone, and for them to take turns.
#[test]
fn what_a_port_waits_is_the_sum_of_what_its_links_wait() {
    let (mut waiting, mut alone) = (0, 0);
    for (hardware, workload) in
        [("eyeriss-like", "alexnet-eyeriss"), ("tpu-like", "mobilenet-v1"), ("edge-tpu-like-df", "resnet18")]
    {
        let design_layer =
            DesignLayer::new(&layer_request(hardware, workload, None)).unwrap_or_else(|wrong| panic!("{wrong}"));
        let best = design_layer.best().unwrap_or_else(|wrong| panic!("{wrong}"));
        for port in &best.ports {
            let own: i64 = port.links.iter().map(|link| link.cycles.max(0)).sum();
            if let [only] = &port.links[..] {
                assert_eq!(port.cycles, only.cycles, "{hardware}: {port:?}");
                alone += 1;
            } else {
                assert_eq!(port.cycles.max(0), own + port.sharing_cycles, "{hardware}: {port:?}");
            }
            waiting += usize::from(port.cycles > 0);
        }
        let longest = best.ports.iter().map(|port| port.cycles).max().unwrap_or(0).max(0);
        assert_eq!(longest as u64, best.cycles.by_cause[LatencyCause::Stall], "{hardware}");
    }
    assert!(waiting > 3 && alone > 3, "{waiting} ports wait, {alone} serve one link");
}

#[test]
fn an_unrolling_of_ones_own_is_taken_where_it_lies_on_the_array() {
    let design_layer = DesignLayer::new(&layer_request("eyeriss-like", "alexnet-eyeriss", Some("conv2"))).unwrap();
    let choices = design_layer.unrollings(5);
    assert!(choices.count > 100 && choices.list.len() == 5, "{} legal unrollings", choices.count);
    assert!(choices.list.is_sorted_by(|a, b| a.bound <= b.bound));
    for choice in &choices.list {
        let asked = LayerRequest {
            unroll: Some(choice.unroll.clone()),
            ..layer_request("eyeriss-like", "alexnet-eyeriss", Some("conv2"))
        };
        let design_layer = DesignLayer::new(&asked).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert_eq!(design_layer.facts().unrolled, choice.loops);
        if let Ok(best) = design_layer.best() {
            assert!(best.energy_pj() >= choice.bound * (1.0 - 1e-9), "{choice:?}");
        }
    }

    let wide = |array_dim: usize, limit: u64| Unroll { array_dim: array_dim.into(), dim: Dim::K, limit };
    for (unroll, reason) in [
        (vec![wide(0, 4), wide(0, 4)], "More than the 12 PEs of `rows`"),
        (vec![wide(7, 2)], "lies on no dimension"),
        (vec![wide(1, 0)], "has no width"),
        (vec![wide(1, u64::MAX), wide(1, 2)], "More than the 14 PEs of `columns`"),
    ] {
        let asked =
            LayerRequest { unroll: Some(unroll), ..layer_request("eyeriss-like", "alexnet-eyeriss", Some("conv2")) };
        let wrong = DesignLayer::new(&asked).err().unwrap().to_string();
        assert!(wrong.contains(reason), "{wrong}");
    }
}
