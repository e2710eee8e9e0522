//! HW-Flow-Fusion's sequences on documents: the choices, their needs on the chip, and the effects of more or less
//! hardware.

use fusescape_engine::explore::{
    LayersCost, NetworkChains, Request, Resource, Sequence, SequenceCosts, SequenceFinding, SequencePartitions,
    SequenceQuestion, SequenceRequirements, Settings, Sharing, Sweep, chosen_sequences, find_sequences,
};
use fusescape_engine::interlayer::{Chain, FusionMode, MOST_LAYERS, groups_of};
use fusescape_engine::search::Objective;
use fusescape_engine::workload::LayerId;
use fusescape_spec::{find_preset, hardware_presets, workload_presets};

const NETWORKS: [&str; 5] = ["vgg16-e", "resnet18-main-path", "resnet18", "fsrcnn", "resnet50"];
const HARDWARE: [&str; 4] = ["meta-proto-like-df", "tpu-like", "eyeriss-like", "ascend-like-df"];

fn sweep(hardware: &str, workload: &str) -> Sweep {
    let text = |presets, id| find_preset(presets, id).unwrap().text.to_owned();
    let request = Request {
        hardware: text(hardware_presets(), hardware),
        workload: text(workload_presets(), workload),
        settings: Settings::default(),
    };
    assert_eq!(request.settings.objective, Objective::Energy);
    Sweep::new(&request).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn all_sweeps() -> impl Iterator<Item = Sweep> {
    NETWORKS.into_iter().flat_map(|network| HARDWARE.map(|hardware| sweep(hardware, network)))
}

fn find(sweep: &Sweep, question: SequenceQuestion) -> SequenceFinding {
    find_sequences(sweep, question).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn chains(sweep: &Sweep) -> NetworkChains {
    let SequenceFinding::Chains(chains) = find(sweep, SequenceQuestion::Chains) else { panic!() };
    chains
}

fn costs(sweep: &Sweep, sequence: Sequence) -> SequenceCosts {
    let SequenceFinding::Costs(costs) = find(sweep, SequenceQuestion::Costs(sequence)) else { panic!() };
    *costs
}

fn needs(sweep: &Sweep, sequence: Sequence) -> SequenceRequirements {
    let SequenceFinding::Needs(needs) = find(sweep, SequenceQuestion::Needs(sequence)) else { panic!() };
    needs
}

fn partitions(sweep: &Sweep, sequence: Sequence) -> Option<SequencePartitions> {
    let SequenceFinding::Partitions(partitions) = find(sweep, SequenceQuestion::Partitions(sequence)) else { panic!() };
    partitions
}

/// Sums over some layers or all of them: one by one, temporal, spatial; and the cycles if every PE computed in each.
fn runs(sweep: &Sweep, of: Option<Sequence>, resource: Resource, step: i32) -> ([Option<LayersCost>; 3], u64) {
    let question = SequenceQuestion::Resources(of, resource, step);
    let SequenceFinding::Resources(found) = find(sweep, question) else { panic!() };
    (found.runs, found.ideal_cycles)
}

#[test]
fn temporal_fusion_chooses_the_groups_that_the_comparison_of_methods_shows() {
    for sweep in all_sweeps() {
        let chains = chains(&sweep);
        let costs: Vec<SequenceCosts> = chains.legal.iter().rev().map(|&sequence| costs(&sweep, sequence)).collect();
        let parts = Chain::parts(&sweep.network);
        let mut chosen: Vec<Vec<LayerId>> = chosen_sequences(&chains, &costs, Sharing::Temporal)
            .into_iter()
            .map(|(sequence, _)| parts[sequence.chain as usize].0[sequence.layers()].to_vec())
            .collect();
        chosen.sort_unstable();
        let groups = groups_of(&sweep.network, &sweep.core).unwrap();
        let fused: Vec<Vec<LayerId>> = groups.into_iter().filter(|group| group.len() > 1).collect();
        assert_eq!(chosen, fused, "{} on {}", sweep.network.name, sweep.core.name);
    }
}

#[test]
fn the_freer_choice_is_never_worse_and_none_is_worse_than_single_layers() {
    let mut differing = 0;
    for sweep in all_sweeps() {
        let chains = chains(&sweep);
        let costs: Vec<SequenceCosts> = chains.legal.iter().map(|&sequence| costs(&sweep, sequence)).collect();
        let Some(apart) = chains.total(&[], &[]) else { continue };
        let energy = |sharing: Sharing| {
            let chosen = chosen_sequences(&chains, &costs, sharing);
            assert!(chosen.iter().all(|(_, mode)| sharing.modes().contains(mode)));
            let total = chains.total(&costs, &chosen).unwrap();
            // Fusion does not change the work.
            assert_eq!(total.cost.macs, apart.cost.macs);
            total.energy.total()
        };
        let [temporal, spatial, either] = Sharing::ALL.map(energy);
        assert!(temporal.max(spatial) <= apart.energy.total());
        assert!(either <= temporal.min(spatial));
        differing += u32::from(temporal != spatial);
        // All layers one by one are those of the whole network.
        assert_eq!(runs(&sweep, None, Resource::Array, 0).0[0], Some(apart));
    }
    assert!(differing > 0);
}

#[test]
fn a_sequence_on_the_design_itself_costs_what_it_costs() {
    for sweep in all_sweeps() {
        let chains = chains(&sweep);
        for &sequence in &chains.legal {
            let (found, ideal) = runs(&sweep, Some(sequence), Resource::Buffer, 0);
            let costs = costs(&sweep, sequence);
            let fused = |mode: FusionMode| costs.in_mode(mode).map(|fused| fused.run);
            let single = LayersCost::sum(chains.singles(sequence).iter().copied());
            assert_eq!(found, [single, fused(FusionMode::Temporal), fused(FusionMode::Spatial)]);
            assert!(found.iter().flatten().all(|run| run.latency_cycles >= ideal && run.cost.compute_cycles >= ideal));
        }
        // A sequence of one layer costs the same as the layer.
        let last = chains.chains.len() - 1;
        let alone = Sequence { chain: last as u32, first: 0, end: 1 };
        assert_eq!(runs(&sweep, Some(alone), Resource::Registers, 0).0[0], chains.chains[last].singles[0]);
    }
}

#[test]
fn storage_grows_with_every_layer_and_saves_what_lies_between() {
    for sweep in all_sweeps() {
        for (index, chain) in chains(&sweep).chains.iter().enumerate() {
            for first in 0..chain.layers.len() {
                let sequence = Sequence { chain: index as u32, first: first as u32, end: first as u32 + 1 };
                let found = needs(&sweep, sequence).by_count;
                assert_eq!(found.len(), (chain.layers.len() - first).min(MOST_LAYERS));
                assert_eq!((found[0].apart_bytes, found[0].storage.reuse), (found[0].together_bytes, 0));
                for pair in found.windows(2) {
                    let [fewer, more] = pair else { panic!() };
                    assert!(more.storage.total() >= fewer.storage.total(), "{} {}", fewer.last, more.last);
                    let saved =
                        |need: &fusescape_engine::explore::ResourceRequirement| need.apart_bytes - need.together_bytes;
                    assert!(saved(more) > saved(fewer));
                }
                // Every weight is read; unfused, every map between two layers is written and read again.
                for need in &found {
                    let volume = |sizes: [u64; 3]| sizes.iter().product::<u64>();
                    let kernels = need.layers.iter().filter_map(|layer| layer.kernel);
                    let weights: u64 = kernels.map(|sizes| sizes.iter().product::<u64>()).sum();
                    let [first, last] = [&need.layers[0], &need.layers[need.layers.len() - 1]];
                    assert_eq!(
                        need.together_bytes,
                        weights + volume(first.input) + volume(last.output),
                        "{}",
                        need.last
                    );
                    let between = need.layers.windows(2).map(|pair| volume(pair[0].output) + volume(pair[1].input));
                    assert_eq!(need.apart_bytes - need.together_bytes, between.sum::<u64>(), "{}", need.last);
                }
                // A tile of the whole map has no next tile in its row: no data waits for it.
                for need in &found {
                    assert!(need.reuse.windows(2).all(|pair| pair[0].side * 2 == pair[1].side));
                    assert_eq!(need.reuse[0].ours, need.storage.reuse);
                }
            }
        }
    }
}

#[test]
fn the_first_layers_of_vgg_need_what_figure_12_says() {
    let sweep = sweep("meta-proto-like-df", "vgg16-e");
    let found = needs(&sweep, Sequence { chain: 0, first: 0, end: 7 });
    // Read off in kB of 16 bits.
    let kilobytes: Vec<String> =
        found.by_count.iter().take(7).map(|need| format!("{:.3e}", 2.0 * need.storage.total() as f64 / 1e3)).collect();
    let expected = [3.6, 132.0, 133.0, 315.0, 679.0, 694.0, 1392.0];
    for (found, expected) in found.by_count.iter().zip(expected) {
        let found = 2.0 * found.storage.total() as f64 / 1024.0;
        assert!((found / expected - 1.0).abs() < 0.03, "{found} for {expected} in {kilobytes:?}");
    }
    // The savings of the reuse buffers grow with every layer (Fig. 13).
    let share = |count: usize| {
        let reuse = &found.by_count[count - 1].reuse[3];
        assert_eq!(reuse.side, 8);
        reuse.besides as f64 / (reuse.ours + reuse.besides) as f64
    };
    let shares: Vec<f64> = (2..=7).map(share).collect();
    assert!(shares.is_sorted() && shares[0] > 0.03 && shares[5] > 0.15, "{shares:?}");
}

#[test]
fn partitions_are_pruned_step_by_step_and_the_best_is_what_spatial_fusion_takes() {
    let mut seen = 0;
    for sweep in all_sweeps() {
        for sequence in chains(&sweep).legal {
            let Some(found) = partitions(&sweep, sequence) else {
                assert_eq!(costs(&sweep, sequence).in_mode(FusionMode::Spatial), None);
                continue;
            };
            seen += 1;
            let listed = found.costs.len() as f64;
            assert!(found.considered >= found.wide_enough && found.wide_enough >= found.placed as f64);
            assert!(found.placed as f64 >= listed && listed >= 1.0);
            let costs = costs(&sweep, sequence);
            let spatial = costs.in_mode(FusionMode::Spatial).unwrap();
            assert_eq!((found.tile, &found.costs[0].arrays), (spatial.schedule.tile, &spatial.schedule.arrays));
            assert_eq!(found.costs[0].run, spatial.run);
            let cycles = |index: usize| found.costs[index].run.cost.compute_cycles;
            assert!((1..found.costs.len()).all(|index| cycles(index - 1) <= cycles(index)));
        }
    }
    assert!(seen > 50);
}

#[test]
fn what_does_not_exist_is_refused() {
    let resnet = sweep("tpu-like", "vgg16-e");
    for (chain, first, end) in [(9, 0, 2), (0, 2, 2), (0, 3, 1), (0, 20, 25), (0, 0, 21), (u32::MAX, u32::MAX, 0)] {
        let sequence = Sequence { chain, first, end };
        for question in [
            SequenceQuestion::Costs(sequence),
            SequenceQuestion::Needs(sequence),
            SequenceQuestion::Partitions(sequence),
            SequenceQuestion::Resources(Some(sequence), Resource::Array, i32::MIN),
        ] {
            let refused = find_sequences(&resnet, question).unwrap_err().to_string();
            assert!(refused.contains("follow each other"), "{refused}");
        }
    }
    // No layer follows another one that the method supports.
    let alexnet = sweep("tpu-like", "alexnet-eyeriss");
    let refused = find_sequences(&alexnet, SequenceQuestion::Chains).unwrap_err().to_string();
    assert!(refused.contains("HW-Flow-Fusion fuses convolutions"), "{refused}");
}
