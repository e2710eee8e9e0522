//! Numbers of tiles, sizes computed and needed by layer-tiles, and amounts of data.

use super::ExplainedNumber;
use super::formula::{Explained, How, NumberUnit};
use super::numbers::{Data, LayerTileIndex, PointNumber, SizeAxis, layer_at};
use super::sources::{BACK, TILES};
use fusescape_chart::Quantity;
use fusescape_engine::depth_first::{LayerTileAccount, PointAccount, StackAccount, TileRun, TileTypeId};
use fusescape_engine::hardware::Operand;
use fusescape_engine::workload::Dim;

const PLAIN: NumberUnit = NumberUnit::Count("");
const BYTES: NumberUnit = NumberUnit::Of(Quantity::Bytes);

/// Tiles of a stack: columns of tiles times rows of tiles.
pub(super) fn explain_tiles(account: &PointAccount, index: usize) -> Option<Explained> {
    let stack = account.stacks.get(index)?;
    let along = |axis: SizeAxis| {
        let sizes = axis.of((&stack.map.columns, &stack.map.rows)).iter().map(|run| run.size);
        let map =
            Explained::given(format!("{} of the last map", axis.name()), axis.of(stack.output_size) as f64, PLAIN);
        let tile = Explained::given("tile size", sizes.max().unwrap_or(1) as f64, PLAIN);
        Explained::computed(format!("{} of tiles", axis.name()), PLAIN, How::QuotientUp, vec![map, tile])
    };
    let mut terms: Vec<Explained> = Vec::new();
    for (tile, facts) in stack.tile_types.iter().enumerate() {
        let subject = ExplainedNumber::Point(PointNumber::TilesOf(index, tile));
        terms.push(Explained::folded(format!("type {}", tile + 1), facts.count as f64, PLAIN, subject));
    }
    Some(
        Explained::given("tiles", stack.tile_count as f64, PLAIN)
            .or("", How::Product, vec![along(SizeAxis::Columns), along(SizeAxis::Rows)])
            .or("by tile type", How::Sum, terms)
            .noted("What the division leaves over makes the first tile of a row or column smaller.")
            .after(TILES),
    )
}

/// Tiles of one type, over all their places on the map.
pub(super) fn explain_tiles_of(stack: &StackAccount, tile: usize) -> Option<Explained> {
    let tile_type = stack.tile_types.get(TileTypeId::from(tile))?;
    let mut terms = Vec::new();
    for (row, types) in stack.map.rows.iter().zip(&stack.map.types) {
        for (column, _) in stack.map.columns.iter().zip(types).filter(|(_, other)| other.index() == tile) {
            let name = format!("from ({}, {}) on", column.start, row.start);
            let along = |name: &'static str, run: &TileRun| Explained::given(name, run.count as f64, PLAIN);
            let terms_here = vec![along("columns of tiles", column), along("rows of tiles", row)];
            terms.push(Explained::computed(name, PLAIN, How::Product, terms_here));
        }
    }
    Some(
        Explained::given(format!("tiles of type {}", tile + 1), tile_type.count as f64, PLAIN)
            .or("", How::Sum, terms)
            .noted(
                "Tiles are of one type where they have the same size, the same border and the same neighbours to \
                 exchange overlap with; only the first tile takes its weights from the highest memory.",
            )
            .after(TILES),
    )
}

/// The reason why a layer needs another number of columns or rows of a producer than its window has.
const THROUGH_VIEW: &str = "The window lies on a view, which shows this producer scaled, or in a part of it.";

/// The size computed by a layer-tile: the size that its reader needs, minus the part in the reader's cache.
pub(super) fn explain_computed(account: &PointAccount, place: LayerTileIndex, axis: SizeAxis) -> Option<Explained> {
    let [stack, tile, node] = place;
    let tile_type = account.stacks.get(stack)?.tile_types.get(TileTypeId::from(tile))?;
    let layer = layer_at(account, place)?;
    let value = axis.of((layer.output.0, layer.output.1)) as f64;
    let verb = if layer.kind.is_some() { "computed" } else { "fetched" };
    let explained = Explained::given(format!("{} {verb}", axis.name()), value, PLAIN).after(BACK);
    let readers = tile_type.layers.iter().enumerate();
    let reads = readers.flat_map(|(reader, other)| {
        let inputs = other.inputs_from.iter().enumerate().filter(|(_, from)| from.index() == node);
        inputs.map(move |(input, _)| (reader, other, input))
    });
    let from = |(reader, other, input): (usize, &LayerTileAccount, usize)| {
        let needed = other.inputs.get(input).map_or(0, |&(x, y, _)| axis.of((x, y)));
        let cached = other.cached.get(input).map_or(0, |&cached| axis.of(cached));
        let name = format!("needed by {}", other.layer);
        let needed = if needed == axis.of(other.window) {
            let subject = ExplainedNumber::Point(PointNumber::Needed([stack, tile, reader], axis));
            Explained::folded(name, needed as f64, PLAIN, subject)
        } else {
            Explained::given(name, needed as f64, PLAIN).noted(THROUGH_VIEW)
        };
        let cached = Explained::given("cached by the neighbour", cached as f64, PLAIN);
        Explained::computed(format!("for {}", other.layer), PLAIN, How::Difference, vec![needed, cached])
    };
    let wanted: Vec<Explained> = reads.map(from).collect();
    Some(match wanted.as_slice() {
        [] => explained
            .noted("The layer is the stack's last: its tile is the one that the schedule asks for.")
            .after(TILES),
        [only] => Explained { formulas: only.formulas.clone(), ..explained }
            .noted("What the layer that reads it needs, less what an earlier tile left in a cache."),
        // Tiles are intervals: one that is as long as the union of all is that union.
        all if all.iter().any(|one| one.value == value) => explained
            .or("", How::Largest, wanted)
            .noted("Several layers read it; the outermost edges of what they need are combined (Fig. 8)."),
        _ => explained.noted(format!(
            "Several layers read it; the outermost edges of what they need are combined (Fig. 8): {}.",
            wanted.iter().map(|one| format!("{} {}", one.value_text(), one.name)).collect::<Vec<_>>().join(", ")
        )),
    })
}

/// Columns or rows of its inputs that a layer-tile needs.
pub(super) fn explain_window(layer: &LayerTileAccount, axis: SizeAxis) -> Option<Explained> {
    layer.inputs.first()?;
    let needed = axis.of(layer.window);
    let (outputs, kernel) = axis.loops();
    let (outputs, kernel) = (layer.shape.size(outputs), layer.shape.size(kernel));
    let (stride, dilation) = (axis.of(layer.shape.stride), axis.of(layer.shape.dilation));
    let steps = |name: &'static str, count: u64, size_name: &'static str, size: u64| {
        let terms = vec![
            Explained::given(name, count.saturating_sub(1) as f64, PLAIN),
            Explained::given(size_name, size as f64, PLAIN),
        ];
        Explained::computed(format!("{name} × {size_name}"), PLAIN, How::Product, terms)
    };
    let mut terms = vec![
        steps("outputs − 1", outputs, "stride", stride),
        steps("kernel − 1", kernel, "dilation", dilation),
        Explained::given("1", 1.0, PLAIN),
    ];
    terms.retain(|term| term.value != 0.0);
    let explained = Explained::given(format!("{} needed", axis.name()), needed as f64, PLAIN).after(BACK);
    if layer.cost.is_none() {
        return Some(explained.noted("Nothing is computed in this tile."));
    }
    let span = Explained::computed("spanned by the window", PLAIN, How::Sum, terms);
    let beyond = span.value - needed as f64;
    Some(if beyond == 0.0 {
        Explained { formulas: span.formulas, ..explained }
    } else {
        let beyond = Explained::given("not there", beyond, PLAIN)
            .noted("Beyond the border of the map, which is padding, or between windows that do not meet.");
        explained.or("", How::Difference, vec![span, beyond])
    })
}

/// An amount of data: elements times their width.
pub(super) fn explain_data(layer: &LayerTileAccount, place: LayerTileIndex, data: Data) -> Option<Explained> {
    let shape = &layer.shape;
    let given = |name: &'static str, value: u64| Explained::given(name, value as f64, PLAIN);
    let width = |bits: u64| Explained::given("bytes an element", bits as f64 / 8.0, PLAIN);
    let batch = |mut terms: Vec<Explained>| {
        if shape.size(Dim::B) > 1 {
            terms.push(given("images", shape.size(Dim::B)));
        }
        terms
    };
    let side = |axis: SizeAxis| {
        let subject = ExplainedNumber::Point(PointNumber::Computed(place, axis));
        Explained::folded(axis.name(), axis.of((layer.output.0, layer.output.1)) as f64, PLAIN, subject)
    };
    let needs = |axis: SizeAxis, (x, y): (u64, u64)| {
        if (x, y) != layer.window {
            return Explained::given(axis.name(), axis.of((x, y)) as f64, PLAIN).noted(THROUGH_VIEW);
        }
        let subject = ExplainedNumber::Point(PointNumber::Needed(place, axis));
        Explained::folded(axis.name(), axis.of((x, y)) as f64, PLAIN, subject)
    };
    let of_input = |(index, &(x, y, channels)): (usize, &(u64, u64, u64))| {
        let (cached_x, cached_y) = layer.cached.get(index).copied().unwrap_or_default();
        let mut terms = match data {
            Data::HCached => vec![given("cached columns", cached_x), needs(SizeAxis::Rows, (x, y))],
            Data::VCached => {
                let others = vec![needs(SizeAxis::Columns, (x, y)), given("cached columns", cached_x)];
                let others = Explained::computed("other columns", PLAIN, How::Difference, others);
                vec![others, given("cached rows", cached_y)]
            }
            Data::Operand(_) => vec![needs(SizeAxis::Columns, (x, y)), needs(SizeAxis::Rows, (x, y))],
        };
        terms.extend([given("channels", channels), width(shape.precision.i)]);
        Explained::computed(format!("input {}", index + 1), BYTES, How::Product, batch(terms))
    };
    let (name, bits) = match data {
        Data::Operand(Operand::W) => ("weights", layer.bits.w),
        Data::Operand(Operand::I) => ("inputs", layer.bits.i),
        Data::Operand(Operand::O) => ("outputs", layer.bits.o),
        Data::HCached => ("columns from the horizontal cache", layer.bits.h_cached),
        Data::VCached => ("rows from the vertical cache", layer.bits.v_cached),
    };
    let explained = Explained::given(name, bits as f64 / 8.0, BYTES).after(BACK);
    Some(match data {
        Data::Operand(Operand::W) if bits == 0 => explained.noted("The layer has no weights."),
        Data::Operand(Operand::W) => {
            let loops = [Dim::G, Dim::K, Dim::C, Dim::FY, Dim::FX].into_iter().filter(|&dim| shape.size(dim) > 1);
            let mut terms: Vec<Explained> = loops.map(|dim| given(dim.name(), shape.size(dim))).collect();
            if shape.kind == fusescape_engine::workload::LayerKind::MatMul {
                terms = batch(terms);
            }
            terms.push(width(shape.precision.w));
            explained.or("", How::Product, terms)
        }
        Data::Operand(Operand::O) => {
            let terms = vec![
                side(SizeAxis::Columns),
                side(SizeAxis::Rows),
                given("channels", layer.output.2),
                width(shape.precision.o),
            ];
            explained.or("", How::Product, batch(terms))
        }
        _ => explained.or("", How::Sum, layer.inputs.iter().enumerate().map(of_input).collect()),
    })
}

/// Multiply-accumulates of a point, with the share of recomputation.
pub(super) fn with_recomputed(explained: Explained, account: &PointAccount) -> Explained {
    let least = account.network_macs as f64;
    let again = Explained::given("computed again", explained.value - least, NumberUnit::Of(Quantity::Macs))
        .noted("Where tiles overlap and the overlap is not cached, each of them computes it.");
    let once = Explained::given("each output once", least, NumberUnit::Of(Quantity::Macs));
    if again.value == 0.0 { explained } else { explained.or("with recomputation", How::Sum, vec![once, again]) }
}
