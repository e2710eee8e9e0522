//! All allocations of a small case, and the genetic search among them.

use crate::Report;
use fusescape_engine::ids::{TiSlice, TiVec};
use fusescape_engine::multicore::{
    CoreId, Evolution, Genes, NestId, PlacedTile, SchedulingProblem, SchedulingRules, TileId, TilePriority, evolve,
    schedule,
};
use fusescape_engine::units::Cycles;
use fusescape_test_support::stream::{case, integers, list};
use fusescape_test_support::{number, reference, stream_cases};
use serde_json::{Value, json};

/// Energy and latency of every allocation; the search reaches those that no other dominates.
pub fn search() -> Report {
    let mut report = Report::new();
    for name in stream_cases("ga") {
        report.cases += 1;
        let file = reference(&format!("stream/ga/{name}.json"));
        let mut result = file["ct_graph"].clone();
        result["scheduling_order"] = file["scheduling_order"].clone();
        let case = case(&json!({ "input": file["input"], "hardware": file["hardware"], "result": result }));
        let groups: Vec<Vec<usize>> = list(&file["layer_groups"]).map(integers).collect();
        let mut judge = |allocation: &TiSlice<NestId, CoreId>| {
            let placed: TiVec<TileId, PlacedTile> = case
                .graph
                .tiles
                .iter()
                .zip(list(&file["ct_graph"]["cts"]))
                .map(|(tile, ct)| {
                    let (layer, group) = (tile.layer.index(), tile.group.index());
                    let gene = NestId::from(groups.iter().position(|known| *known == [layer, group]).unwrap());
                    let is_it = |row: &&Value| {
                        integers(&json!([row["layer"], row["group"], row["core"]]))
                            == [layer, group, allocation[gene].index()]
                            && row["nb_real_predecessors"] == ct["nb_real_predecessors"]
                    };
                    let row = list(&file["core_costs"]).find(is_it).unwrap();
                    PlacedTile {
                        core: allocation[gene],
                        cycles: Cycles(number(&row["latency_total1"]).trunc()),
                        onchip_pj: number(&row["energy_total"]),
                        ..PlacedTile::default()
                    }
                })
                .collect();
            let found = schedule(SchedulingProblem {
                graph: &case.graph,
                system: &case.system,
                placed: &placed,
                order: TilePriority::Ranks(&case.rank),
                prefetched: &[],
                rules: SchedulingRules::STREAM_2024,
            });
            found.map(|found| (found.energy.total_pj(), found.latency.0)).unwrap()
        };
        let cores =
            |value: &Value| -> TiVec<NestId, CoreId> { integers(value).into_iter().map(CoreId::from).collect() };
        for theirs in list(&file["all_allocations"]) {
            let (energy, latency) = judge(&cores(&theirs["allocation"]));
            report.close(energy, number(&theirs["energy"]), 1e-6, || format!("{name}: {}", theirs["allocation"]));
            report.same(&latency, &number(&theirs["latency"]), || format!("{name}: {}", theirs["allocation"]));
        }
        let genes = Genes {
            choices: list(&file["valid_allocations"])
                .map(|cores| integers(cores).into_iter().map(CoreId::from).collect())
                .collect(),
        };
        let evolution = Evolution { individuals: 32, generations: 40, seed: 1 };
        let found = evolve(&genes, evolution, &mut judge);
        assert_eq!(found, evolve(&genes, evolution, &mut judge), "the same seed finds the same");
        let mut ours: Vec<TiVec<NestId, CoreId>> = found.into_iter().map(|one| one.0).collect();
        let mut theirs: Vec<TiVec<NestId, CoreId>> =
            list(&file["pareto_front"]).map(|one| cores(&one["allocation"])).collect();
        ours.sort();
        theirs.sort();
        report.same(&ours, &theirs, || format!("{name}: front"));
    }
    report
}
