//! Storage, traffic and reuse buffers of fused layers, layer by layer (HW-Flow-Fusion, Sections 4.2 and 5.1).

use super::formula::{Explained, How, NumberUnit};
use super::sources::{FUSION_BUFFER, REUSE_BUFFER, VOLUME};
use fusescape_chart::Quantity;
use fusescape_engine::explore::{LayerRequirement, ResourceRequirement, SequenceRequirements};

const PLAIN: NumberUnit = NumberUnit::Count("");
const BYTES: NumberUnit = NumberUnit::Of(Quantity::Bytes);
const MAP: [&str; 3] = ["columns", "rows", "maps"];
const WORD: &str = "A word is a byte.";

fn product<const N: usize>(name: impl Into<String>, names: [&'static str; N], sizes: [u64; N]) -> Explained {
    let terms = names.into_iter().zip(sizes).map(|(name, size)| Explained::given(name, size as f64, PLAIN));
    Explained::computed(name.into(), BYTES, How::Product, terms.collect())
}

fn sum(name: &'static str, bytes: u64, terms: Vec<Explained>) -> Explained {
    let shown = Explained::given(name, bytes as f64, BYTES);
    if terms.is_empty() { shown.noted("None of these layers has any.") } else { shown.or("by layer", How::Sum, terms) }
}

fn weights(layer: &LayerRequirement) -> Option<Explained> {
    let names = ["columns of the kernel", "rows of the kernel", "input maps", "output maps"];
    Some(product(&layer.name, names, layer.kernel?))
}

/// The sum of the weights of layers, over the kernels of each.
fn all_weights(name: &'static str, layers: &[LayerRequirement], bytes: u64) -> Explained {
    sum(name, bytes, layers.iter().filter_map(weights).collect()).noted("Pooling has no weights.")
}

/// Explanations of the table of [`storage_bars`](fusescape_chart::storage_bars), row by row; its first column is text.
pub fn explain_storage(needs: &SequenceRequirements) -> Vec<Vec<Option<Explained>>> {
    let row = |need: &ResourceRequirement| {
        let (layers, storage) = (&need.layers, &need.storage);
        let tiles = layers.iter().map(|layer| product(&layer.name, MAP, layer.input_tile));
        let inputs = sum("input tiles", storage.inputs, tiles.collect())
            .noted("What every layer reads for one pixel of the last layer, padding included (eq. 4).");
        let outputs = Explained::given("output tile", storage.outputs as f64, BYTES);
        let maps = layers.last().map(|last| product("one pixel", MAP, [1, 1, last.output[2]]));
        let outputs =
            outputs.or("", How::Sum, maps.into_iter().collect()).noted("One pixel of the last layer, all maps.");
        let waiting = layers.iter().filter_map(|layer| Some(waiting(layer.name.clone(), layer.reuse?)));
        let reuse = sum("reuse buffers", storage.reuse, waiting.collect()).noted(FIRST).after(REUSE_BUFFER);
        let weights = all_weights("weights", layers, storage.weights);
        let parts = [inputs.after(FUSION_BUFFER), weights.after(FUSION_BUFFER), outputs.after(FUSION_BUFFER), reuse];
        let all = Explained::given("least storage", storage.total() as f64, BYTES);
        let all = all.or("", How::Sum, parts.to_vec()).noted(WORD).after(FUSION_BUFFER);
        std::iter::once(None).chain(parts.map(Some)).chain([Some(all)]).collect()
    };
    needs.by_count.iter().map(row).collect()
}

/// Explanations of the table of [`traffic_bars`](fusescape_chart::traffic_bars), row by row; its first two columns are
/// text.
pub fn explain_traffic(needs: &SequenceRequirements) -> Vec<Vec<Option<Explained>>> {
    let row = |need: &ResourceRequirement| {
        let layers = &need.layers;
        let input = |layer: &LayerRequirement| product(format!("input of {}", layer.name), MAP, layer.input);
        let output = |layer: &LayerRequirement| product(format!("output of {}", layer.name), MAP, layer.output);
        let kernels = || layers.iter().filter_map(weights).collect::<Vec<_>>();
        let bytes = kernels().iter().map(|term| term.value as u64).sum();
        let weights = || all_weights("all weights", layers, bytes);
        let maps = layers.iter().flat_map(|layer| [input(layer), output(layer)]);
        let apart = Explained::given("single layers", need.apart_bytes as f64, BYTES)
            .or("", How::Sum, std::iter::once(weights()).chain(maps).collect())
            .noted(format!("Every layer moves its input, its weights and its output once. {WORD}"));
        let ends = [layers.first().map(input), layers.last().map(output)].into_iter().flatten();
        let together = Explained::given("fused", need.together_bytes as f64, BYTES)
            .or("", How::Sum, std::iter::once(weights()).chain(ends).collect())
            .noted(format!("Maps between fused layers stay on the chip. {WORD}"));
        [apart, together].map(|explained| vec![None, None, Some(explained.after(VOLUME))])
    };
    needs.by_count.iter().flat_map(row).collect()
}

/// Explanations of the table of [`reuse_bars`](fusescape_chart::reuse_bars) for tiles of one side; its first two
/// columns are text.
pub fn explain_reuse(needs: &SequenceRequirements, side: u64) -> Vec<Vec<Option<Explained>>> {
    let row = |need: &ResourceRequirement| {
        let Some(reuse) = need.reuse.iter().rfind(|reuse| reuse.side <= side) else { return [Vec::new(), Vec::new()] };
        let below = || need.layers.iter().skip(1).zip(&reuse.factors);
        let ours = below().map(|(layer, factors)| waiting(layer.name.clone(), factors[0]));
        let ours = sum("HW-Flow-Fusion", reuse.ours, ours.collect()).noted(FIRST).after(REUSE_BUFFER);
        let names = ["rows that only the next tile adds", "columns that it shares", "maps"];
        let besides = below().map(|(layer, factors)| product(layer.name.clone(), names, factors[1]));
        let besides = sum("what the next tile reads again", reuse.besides, besides.collect())
            .noted("HW-Flow-Fusion keeps it in the tile's own buffer.")
            .after(OVERHEAD);
        let theirs = Explained::given("Alwani et al.", (reuse.ours + reuse.besides) as f64, BYTES)
            .or("", How::Sum, vec![ours.clone(), besides])
            .after(OVERHEAD);
        [theirs, ours].map(|explained| vec![None, None, Some(explained)])
    };
    needs.by_count.iter().skip(1).flat_map(row).collect()
}

const FIRST: &str = "What waits until the next row of tiles. The first layer fetches its halo again and keeps nothing.";
const OVERHEAD: &str = "HW-Flow-Fusion, eq. 9: the reuse model of Alwani et al.";

fn waiting(name: String, factors: [u64; 3]) -> Explained {
    product(name, ["columns that the tile does not cover", "rows that tiles share", "maps"], factors)
}
