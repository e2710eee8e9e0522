//! The choices for one node of a tile: where it keeps its data, and its unrolling. What they cost with all memories to
//! themselves is the same whatever is resident, so tiles that differ in their caches alone share it.
//!
//! Where an unrolling leaves too little room, or moves much data, a narrower one may cost less. So as soon as the price
//! of a whole unrolling rises, those with one loop halved, once or repeatedly, are choices, too, as far as they may cost
//! less.

use super::copies::CopyAction;
use super::ids::NodeId;
use super::layer_tile::{PlacedNode, TilePlanner, level_count};
use super::price::{KnownPrices, Price, Prices, PricesByLevel};
use super::problems::{LayerKey, NotPlanned, ProblemKey, Problems};
use super::residents::Residents;
use crate::hardware::{MemoryId, Operand};
use crate::ids::TiVec;

/// Where a node keeps its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodePlacement {
    /// It computes nothing in this tile.
    Idle,
    /// Where an input of the stack is fetched to.
    Input(MemoryId),
    /// The levels of W, I and O of a layer, and its unrolling.
    Layer { levels: [usize; 3], unrolled: LayerKey },
}

/// The choices for all nodes of a tile.
pub(super) type TileChoices = TiVec<NodeId, NodeChoices>;

/// The choices for one node, and the lower bounds on their prices. Narrower unrollings join them.
pub(super) struct NodeChoices {
    pub choices: Vec<Choice>,
    /// All but levels and reserved bits; `None` for inputs, and for layers that compute nothing.
    pub key: Option<ProblemKey>,
    /// Narrower unrollings, and the lower bounds on their prices.
    narrower: Vec<(LayerKey, PricesByLevel)>,
    passed_over_bits: u64,
    /// How often prices have risen, or choices have been added.
    pub changes: usize,
}

pub(super) struct Choice {
    pub placement: NodePlacement,
    /// The number of the same choice with the whole unrolling.
    pub whole: usize,
    /// A lower bound on the price of its mapping problem.
    pub least: Price,
    /// How it was found.
    known: Known,
}

/// What is known of a problem that has all memories to itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// A quick bound.
    Bound,
    /// A better one.
    CloseBound,
    /// What a short search finds.
    Searched,
}

/// A way of finding prices.
pub(super) struct Finder<'f> {
    pub problems: &'f mut Problems,
    pub known: &'f mut KnownPrices,
    pub prices: &'f mut dyn Prices,
}

impl Finder<'_> {
    fn by_level(&mut self, key: ProblemKey) -> PricesByLevel {
        self.known.by_level(self.problems, key, self.prices)
    }

    fn at_least(&mut self, key: ProblemKey) -> Price {
        self.known.at_least(self.problems, key, self.prices)
    }

    /// Whether a problem has a mapping if a single PE computes it.
    pub fn fits_on_one_pe(&mut self, tile: &TilePlanner<'_>, key: ProblemKey) -> bool {
        let narrowest = tile.narrowest(self.problems, key);
        self.known.fits(self.problems, narrowest, self.prices)
    }

    /// A lower bound on the price of a problem by a short search, as far as it is not above `most`; infinite where
    /// nothing fits.
    pub fn search_shortly(&mut self, key: ProblemKey, most: Price) -> Result<Price, NotPlanned> {
        Ok(self.known.of_shortly(self.problems, key, self.prices, most)?.unwrap_or(Price::INFINITE))
    }

    /// The price of a problem; infinite where nothing fits.
    pub fn search(&mut self, key: ProblemKey) -> Result<Price, NotPlanned> {
        Ok(self.known.of(self.problems, key, self.prices)?.unwrap_or(Price::INFINITE))
    }

    pub fn of_copies(&mut self, copies: &[CopyAction]) -> Price {
        if copies.is_empty() { Price::default() } else { self.prices.of_copies(copies) }
    }
}

impl NodeChoices {
    pub fn new(tile: &TilePlanner<'_>, node: NodeId, find: &mut Finder<'_>) -> Self {
        let layer = tile.unplaced(node);
        let core = tile.core;
        let of = |whole: usize, placement: NodePlacement| Choice {
            placement,
            whole,
            least: Price::default(),
            known: Known::Searched,
        };
        if layer.is_input {
            let levels = levels_from(tile, Operand::I, tile.least.i);
            let placement = |(number, &level): (usize, &usize)| {
                of(number, NodePlacement::Input(core.levels(Operand::I)[level - 1]))
            };
            return Self {
                choices: levels.iter().enumerate().map(placement).collect(),
                key: None,
                narrower: Vec::new(),
                passed_over_bits: 0,
                changes: 0,
            };
        }
        let computes = layer.computed.0 > 0 && layer.computed.1 > 0;
        let Some((key, w_kept)) = tile.problem_of(find.problems, node, &layer).filter(|_| computes) else {
            return Self {
                choices: vec![of(0, NodePlacement::Idle)],
                key: None,
                narrower: Vec::new(),
                passed_over_bits: 0,
                changes: 0,
            };
        };
        let kind = tile.network.layer(layer.layer).shape.kind;
        let all = Operand::ALL.map(|operand| core.levels(operand).len());
        let least = tile.least.reaching(core, kind);
        let w = if w_kept < all[0] { vec![w_kept, all[0]] } else { vec![w_kept] };
        let o = match node == tile.stack.output() {
            true => vec![all[2]],
            false => levels_from(tile, Operand::O, least.o),
        };
        let every_level = ProblemKey { levels: all.map(level_count), ..key };
        let by_level = find.by_level(every_level);
        let mut choices = Vec::new();
        for i in levels_from(tile, Operand::I, least.i) {
            for &o in &o {
                for &w in &w {
                    let levels = [w, i, o];
                    let placement = NodePlacement::Layer { levels, unrolled: key.layer };
                    let least = by_level.of(levels);
                    choices.push(Choice { placement, whole: choices.len(), least, known: Known::Bound });
                }
            }
        }
        let may_be_narrowed = !tile.rules.lowest_memory_may_overflow && core.vector_unit_for(kind).is_none();
        let layers = if may_be_narrowed { tile.narrower(find.problems, &key) } else { Vec::new() };
        let narrower = layers.into_iter().map(|layer| (layer, find.by_level(ProblemKey { layer, ..every_level })));
        let narrower = narrower.collect();
        let mut of_node =
            Self { choices, key: Some(key), narrower, passed_over_bits: tile.passed_over_bits(&layer), changes: 0 };
        for whole in 0..of_node.choices.len() {
            of_node.add_narrower(tile, whole, of_node.choices[whole].least);
        }
        of_node
    }

    /// The problem of a choice with all memories to itself.
    pub fn key_of(&self, choice: &Choice) -> Option<ProblemKey> {
        let NodePlacement::Layer { levels, unrolled } = choice.placement else { return None };
        self.key.map(|key| ProblemKey { levels: levels.map(level_count), layer: unrolled, ..key })
    }

    /// A node that is being placed.
    pub fn placed<'r, 'a>(&self, node: NodeId, residents: &'r Residents<'a>) -> PlacedNode<'r, 'a> {
        PlacedNode { node, residents, passed_over_bits: self.passed_over_bits }
    }

    /// Finds the price of a choice with all memories to itself, as far as a short search does, or until it rises. Returns
    /// whether it does.
    ///
    /// # Errors
    /// If there is no time to find out.
    pub fn raise(&mut self, tile: &TilePlanner<'_>, number: usize, find: &mut Finder<'_>) -> Result<bool, NotPlanned> {
        while self.choices[number].known != Known::Searched {
            let choice = &self.choices[number];
            let Some(key) = self.key_of(choice) else { return Ok(false) };
            let whole = &self.choices[choice.whole];
            let (found, known) = match choice.known {
                Known::Bound => (find.at_least(key), Known::CloseBound),
                // A narrower unrolling has to beat the whole one.
                _ if choice.whole != number && whole.known == Known::Searched => {
                    (find.search_shortly(key, whole.least)?, Known::Searched)
                }
                _ => (find.search_shortly(key, Price::INFINITE)?, Known::Searched),
            };
            let least = choice.least;
            let choice = &mut self.choices[number];
            (choice.least, choice.known) = (least.max(found), known);
            let price = choice.least;
            if price < Price::INFINITE || find.fits_on_one_pe(tile, key) {
                self.add_narrower(tile, number, price);
            }
            if price > least {
                self.changes += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds the narrower unrollings that may cost less than this price of a choice.
    pub fn add_narrower(&mut self, tile: &TilePlanner<'_>, number: usize, price: Price) {
        let Choice { placement, whole, .. } = self.choices[number];
        let NodePlacement::Layer { levels, .. } = placement else { return };
        // Weights that each PE keeps are those of the whole unrolling.
        let keeps_apart = levels[0] < tile.core.levels(Operand::W).len() && tile.keeps_weights_apart();
        if keeps_apart || whole != number {
            return;
        }
        for (unrolled, by_level) in &self.narrower {
            let least = by_level.of(levels);
            let placement = NodePlacement::Layer { levels, unrolled: *unrolled };
            if least < price && self.choices.iter().all(|known| known.placement != placement) {
                self.choices.push(Choice { placement, whole, least, known: Known::Bound });
                self.changes += 1;
            }
        }
    }

    /// A lower bound on the price of a node: that of its problem, of what it reads of the caches, and of what it writes to
    /// them, which other copies may hide.
    pub fn least(&self, tile: &TilePlanner<'_>, node: NodeId, find: &mut Finder<'_>) -> Price {
        let mut least = Price::INFINITE;
        let mut copies = Vec::new();
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for choice in &self.choices {
            let mut price = choice.least;
            if let Some(inputs) = inputs_memory(tile, choice.placement) {
                price = price
                    + price_at(&mut reads, inputs, || {
                        copies.clear();
                        tile.collect_inputs(node, inputs, &|_| None, &mut copies);
                        find.of_copies(&copies)
                    });
            }
            if let Some(map) = map_memory(tile, choice.placement).filter(|_| node != tile.stack.output()) {
                price = price
                    + price_at(&mut writes, map, || {
                        copies.clear();
                        tile.write_caches(node, map, &mut copies);
                        if copies.is_empty() { Price::default() } else { find.prices.of_hidden_copies(&copies) }
                    });
            }
            least = least.min(price);
        }
        least
    }
}

/// The price at a memory, found once.
fn price_at(known: &mut Vec<(MemoryId, Price)>, memory: MemoryId, find: impl FnOnce() -> Price) -> Price {
    if let Some((_, price)) = known.iter().find(|(at, _)| *at == memory) {
        return *price;
    }
    let price = find();
    known.push((memory, price));
    price
}

/// Where the map of a node lies.
pub(super) fn map_memory(tile: &TilePlanner<'_>, placement: NodePlacement) -> Option<MemoryId> {
    match placement {
        NodePlacement::Idle => None,
        NodePlacement::Input(memory) => Some(memory),
        NodePlacement::Layer { levels, .. } => Some(tile.core.levels(Operand::O)[levels[2] - 1]),
    }
}

/// The memory that a layer takes its inputs from.
pub(super) fn inputs_memory(tile: &TilePlanner<'_>, placement: NodePlacement) -> Option<MemoryId> {
    match placement {
        NodePlacement::Idle | NodePlacement::Input(_) => None,
        NodePlacement::Layer { levels, .. } => Some(tile.core.levels(Operand::I)[levels[1] - 1]),
    }
}

/// Whether inputs and output of a node have room beside the data that is resident.
pub(super) fn fits(tile: &TilePlanner<'_>, residents: &Residents<'_>, node: NodeId, placement: NodePlacement) -> bool {
    let core = tile.core;
    let has_room = |operand: Operand, memory: MemoryId, bits: u64, inputs: MemoryId, takes_kept: bool| {
        let beside = || residents.beside(node, memory, inputs, takes_kept).total();
        memory == core.top(operand) || bits + beside() <= core.memories[memory].size_bits
    };
    match placement {
        NodePlacement::Idle => true,
        NodePlacement::Input(memory) => has_room(Operand::I, memory, tile.map_bits(node), memory, true),
        NodePlacement::Layer { levels, .. } => {
            let takes_kept = levels[0] < core.levels(Operand::W).len();
            let [_, inputs, output] = Operand::ALL.map(|operand| core.levels(operand)[levels[operand as usize] - 1]);
            let input_bits = tile.input_bits(node);
            let beside = if output == inputs { input_bits } else { 0 };
            has_room(Operand::I, inputs, input_bits, inputs, takes_kept)
                && (node == tile.stack.output()
                    || has_room(Operand::O, output, tile.map_bits(node) + beside, inputs, takes_kept))
        }
    }
}

/// Numbers of levels, from `least` on, whose highest memory is one instance, or the highest of all.
fn levels_from(tile: &TilePlanner<'_>, operand: Operand, least: usize) -> Vec<usize> {
    let all = tile.core.levels(operand);
    let is_one = |level: usize| level == all.len() || tile.core.memories[all[level - 1]].instances == 1;
    (least..=all.len()).filter(|&level| is_one(level)).collect()
}
