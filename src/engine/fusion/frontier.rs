//! The frontier of a group that grows from its last operator to its first: the state that adding an operator needs, and the buffer of the
//! group.

use super::graph::{FeatureMap, OperatorGraph};
use super::ids::{MapId, OperatorId};
use super::isoa::MapPrice;
use super::setting::Throughput;
use crate::ids::IdBitSet;

/// Limit on the partial decisions; a wider group is left to [`Group`](super::Group).
const MOST_PARTIALS: usize = 1 << 10;

/// How the outputs of a group are cut into tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tiling {
    /// Whole columns, and so many tiles from top to bottom.
    Rows(u64),
    /// Four by four (Algorithm 3).
    Quarters,
}

impl Tiling {
    /// As many tiles as possible.
    pub const SMALLEST: Self = Self::Rows(u64::MAX);

    /// Columns and rows of an output's tile.
    pub fn of_output(self, map: FeatureMap, throughput: Throughput) -> (u64, u64) {
        match self {
            Self::Rows(tiles) => (map.columns, map.rows.div_ceil(tiles.max(1)).max(throughput.rows.min(map.rows))),
            Self::Quarters => (map.columns.div_ceil(4), map.rows.div_ceil(4)),
        }
    }
}

/// The objective by which decisions on ISOA are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// The buffer of one pixel, and among equal ones of the tile, as the paper decides.
    Pixel,
    /// The buffer of the tile, a lower bound over all decisions. It never shrinks as a group grows.
    Tile,
}

/// Maps that a group reads from outside, and the partial decisions on ISOA that may yet be part of the best.
///
/// As operators are added from last to first, the extents of an operator's output follow from the operators that are in
/// the group already: they include all its readers that run until the group is done. So only the maps that come from
/// outside can change.
#[derive(Debug, Clone, Default)]
pub(super) struct Frontier {
    external: Vec<External>,
    partials: Vec<PartialDecisions>,
    /// Whether it is too wide, so that decisions are not known.
    is_wide: bool,
}

/// A map from outside: columns and rows that one pixel and a tile of the outputs need.
#[derive(Debug, Clone, Copy)]
struct External {
    map: MapId,
    /// Its bit in decisions.
    bit: u64,
    pixel: (u64, u64),
    tile: (u64, u64),
}

/// Decisions on all operators: the maps from outside of which a reader is invoked in advance, and the price without those maps.
#[derive(Debug, Clone, Copy)]
struct PartialDecisions {
    blocked: u64,
    price: MapPrice,
}

/// The context in which groups grow: the network, the operators that have run once the group has, the tiling, and the objective.
#[derive(Clone, Copy)]
pub(super) struct Growth<'a> {
    pub graph: &'a OperatorGraph,
    pub done: &'a IdBitSet<OperatorId>,
    pub throughput: Throughput,
    pub tiling: Tiling,
    pub goal: Goal,
}

impl Growth<'_> {
    /// Whether an operator's output leaves the group: an operator outside reads it, or it is an output of the network.
    pub fn is_output(&self, id: OperatorId) -> bool {
        let consumers = self.graph.consumers(id);
        consumers.is_empty() || !consumers.iter().all(|&consumer| self.done.contains(consumer))
    }

    /// The elements that a map needs in full, and those for a few channels at a time.
    fn prices(&self, map: MapId, pixel: (u64, u64), tile: (u64, u64)) -> (MapPrice, MapPrice) {
        let channels = self.graph.map(map).channels;
        let few = self.throughput.channels.clamp(1, channels);
        let (pixel, tile) = (pixel.0 * pixel.1, tile.0 * tile.1);
        match self.goal {
            Goal::Pixel => ((channels * pixel, channels * tile), (few * pixel, few * tile)),
            Goal::Tile => ((channels * tile, 0), (few * tile, 0)),
        }
    }
}

impl Frontier {
    /// The frontier of a group without operators.
    pub fn start() -> Self {
        Self { external: Vec::new(), partials: vec![PartialDecisions { blocked: 0, price: (0, 0) }], is_wide: false }
    }

    /// Forgets all operators.
    pub fn clear(&mut self) {
        self.external.clear();
        self.partials.clear();
        self.partials.push(PartialDecisions { blocked: 0, price: (0, 0) });
        self.is_wide = false;
    }

    /// Maps from outside.
    pub fn external_inputs(&self) -> impl Iterator<Item = MapId> + '_ {
        self.external.iter().map(|external| external.map)
    }

    /// One more operator, whose output no other but those of the group reads until it is done. The result is written to `grown`.
    pub fn grow(&self, growth: &Growth, id: OperatorId, grown: &mut Self) {
        let (graph, operator) = (growth.graph, &growth.graph.operators()[id]);
        grown.external.clear();
        let (mut pixel, mut tile, mut own) = ((0, 0), (0, 0), 0);
        let mut taken = 0;
        for external in &self.external {
            if external.map == id.output() {
                (pixel, tile, own) = (external.pixel, external.tile, external.bit);
            } else {
                taken |= external.bit;
                grown.external.push(*external);
            }
        }
        if growth.is_output(id) {
            (pixel, tile) =
                (larger(pixel, (1, 1)), larger(tile, growth.tiling.of_output(operator.output, growth.throughput)));
        }
        let window = |of: (u64, u64), whole: FeatureMap| {
            let along = |outputs: u64, stride: u64, kernel: u64, whole: u64| {
                outputs.saturating_sub(1).saturating_mul(stride).saturating_add(kernel).min(whole)
            };
            let ((stride_x, stride_y), (kernel_x, kernel_y)) = (operator.stride, operator.kernel);
            (along(of.0, stride_x, kernel_x, whole.columns), along(of.1, stride_y, kernel_y, whole.rows))
        };
        grown.is_wide = self.is_wide;
        let mut read = 0;
        for &map in &operator.inputs {
            let whole = graph.map(map);
            let (pixel, tile) = (window(pixel, whole), window(tile, whole));
            if let Some(known) = grown.external.iter_mut().find(|external| external.map == map) {
                (known.pixel, known.tile) = (larger(known.pixel, pixel), larger(known.tile, tile));
                read |= known.bit;
            } else {
                // The lowest bit that no map from outside has; none is left beyond 64 of them.
                let bit = 1_u64.checked_shl(taken.trailing_ones()).unwrap_or(0);
                grown.is_wide |= bit == 0;
                taken |= bit;
                read |= bit;
                grown.external.push(External { map, bit, pixel, tile });
            }
        }
        grown.partials.clear();
        if grown.is_wide {
            return;
        }
        let (whole, few) = growth.prices(id.output(), pixel, tile);
        for partial in &self.partials {
            let blocked = partial.blocked & !own;
            keep(&mut grown.partials, PartialDecisions { blocked, price: sum(partial.price, whole) });
            if partial.blocked & own == 0 && few < whole {
                let price = sum(partial.price, few);
                keep(&mut grown.partials, PartialDecisions { blocked: blocked | read, price });
            }
        }
        grown.is_wide = grown.partials.len() > MOST_PARTIALS;
    }

    /// The least price of all decisions, with the maps from outside; nothing if the group is too wide.
    pub fn price(&self, growth: &Growth) -> Option<MapPrice> {
        let price = |partial: &PartialDecisions| {
            self.external.iter().fold(partial.price, |price, external| {
                let (whole, few) = growth.prices(external.map, external.pixel, external.tile);
                sum(price, if partial.blocked & external.bit == 0 { few } else { whole })
            })
        };
        self.partials.iter().map(price).min().filter(|_| !self.is_wide)
    }
}

/// Keeps a decision unless there is one that is as cheap and blocks no other map; removes those that it makes
/// unnecessary.
fn keep(partials: &mut Vec<PartialDecisions>, new: PartialDecisions) {
    // Dominance: every continuation of `other` is one of `one`, which blocks no further map, at no higher price.
    let covers = |one: &PartialDecisions, other: &PartialDecisions| {
        one.blocked & !other.blocked == 0 && one.price <= other.price
    };
    if partials.iter().any(|known| covers(known, &new)) {
        return;
    }
    partials.retain(|known| !covers(&new, known));
    partials.push(new);
}

fn sum(a: MapPrice, b: MapPrice) -> MapPrice {
    (a.0 + b.0, a.1 + b.1)
}

fn larger(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0.max(b.0), a.1.max(b.1))
}
