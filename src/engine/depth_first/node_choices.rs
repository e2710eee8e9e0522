//! The choices for one node of a tile: where it keeps its data, and its unrolling. What they cost with all memories to
//! themselves is the same whatever is resident, so tiles that differ in their caches alone share it.
//!
//! Where an unrolling leaves too little room, or moves much data, a narrower one may cost less: one with a loop halved,
//! once or repeatedly. So each layer takes the best of its unrollings.

use super::copies::CopyAction;
use super::ids::NodeId;
use super::layer_tile::{PlacedNode, TilePlanner, level_count};
use super::price::{KnownPrices, Price, Prices, PricesByLevel};
use super::problems::{LayerKey, NotPlanned, ProblemKey, Problems};
use super::residents::Residents;
use crate::hardware::{MemoryId, Operand};
use crate::ids::TiVec;
use crate::search::Effort;

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

/// The choices for one node, and the lower bounds on their prices.
pub(super) struct NodeChoices {
    pub choices: Vec<Choice>,
    /// All but levels and reserved bits; `None` for inputs, and for layers that compute nothing.
    pub key: Option<ProblemKey>,
    passed_over_bits: u64,
    /// How often prices have risen.
    pub changes: usize,
}

/// A place for the data of a node, with each unrolling that it may have.
pub(super) struct Choice {
    /// With the whole unrolling.
    pub placement: NodePlacement,
    /// A lower bound on the price of its mapping problem, whatever is resident.
    pub least: Price,
    /// The whole unrolling, then narrower ones; none for inputs, and for layers that compute nothing.
    unrollings: Vec<Unrolling>,
}

/// What is known of a choice beside the data that is resident.
#[derive(Clone, Default)]
pub(super) struct ChoiceBeside {
    /// A lower bound on the price of its mapping problem.
    pub least: Price,
    /// The unrolling that has this price.
    pub best: usize,
    /// How far that was searched.
    pub searched: Option<Effort>,
    by_unrolling: Vec<Beside>,
}

#[derive(Clone, Copy, Default)]
struct Beside {
    key: Option<ProblemKey>,
    least: Price,
    searched: Option<Effort>,
}

/// What is known of the mapping problem of an unrolling that has all memories to itself.
#[derive(Clone, Copy)]
struct Unrolling {
    layer: LayerKey,
    /// A lower bound on its price.
    least: Price,
    /// How it was found.
    known: Known,
}

/// Ways to find a lower bound on the price of a problem.
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

    /// The price of a problem, as far as it is not above `most`, or a lower bound by a short search; infinite where
    /// nothing fits.
    pub fn search(&mut self, key: ProblemKey, within: (Price, Effort)) -> Result<Price, NotPlanned> {
        self.known.of(self.problems, key, self.prices, within)
    }

    pub fn of_copies(&mut self, copies: &[CopyAction]) -> Price {
        if copies.is_empty() { Price::default() } else { self.prices.of_copies(copies) }
    }
}

impl NodeChoices {
    pub fn new(tile: &TilePlanner<'_>, node: NodeId, find: &mut Finder<'_>) -> Self {
        let layer = tile.unplaced(node);
        let core = tile.core;
        let none = |choices: Vec<NodePlacement>| {
            let of = |placement: NodePlacement| Choice::new(placement, Vec::new());
            Self { choices: choices.into_iter().map(of).collect(), key: None, passed_over_bits: 0, changes: 0 }
        };
        if layer.is_input {
            let levels = levels_from(tile, Operand::I, tile.least.i).into_iter();
            return none(levels.map(|level| NodePlacement::Input(core.levels(Operand::I)[level - 1])).collect());
        }
        let computes = layer.computed.0 > 0 && layer.computed.1 > 0;
        let Some((key, w_kept)) = tile.problem_of(find.problems, node, &layer).filter(|_| computes) else {
            return none(vec![NodePlacement::Idle]);
        };
        let kind = tile.network.layer(layer.layer).shape.kind;
        let all = Operand::ALL.map(|operand| core.levels(operand).len());
        let least = tile.least.reaching(core, kind);
        let w = if w_kept < all[0] { vec![w_kept, all[0]] } else { vec![w_kept] };
        let o = match node == tile.stack.output() {
            true => vec![all[2]],
            false => levels_from(tile, Operand::O, least.o),
        };
        let may_be_narrowed = !tile.rules.lowest_memory_may_overflow && core.vector_unit_for(kind).is_none();
        let narrower = if may_be_narrowed { tile.narrower(find.problems, &key) } else { Vec::new() };
        let every_level = ProblemKey { levels: all.map(level_count), ..key };
        let layers: Vec<(LayerKey, PricesByLevel)> = std::iter::once(key.layer)
            .chain(narrower)
            .map(|layer| (layer, find.by_level(ProblemKey { layer, ..every_level })))
            .collect();
        let mut choices = Vec::new();
        for i in levels_from(tile, Operand::I, least.i) {
            for &o in &o {
                for &w in &w {
                    let levels = [w, i, o];
                    // Weights that each PE keeps are those of the whole unrolling.
                    let keeps_apart = w < all[0] && tile.keeps_weights_apart();
                    let unrolling = |(layer, by_level): &(LayerKey, PricesByLevel)| Unrolling {
                        layer: *layer,
                        least: by_level.of(levels),
                        known: Known::Bound,
                    };
                    let layers = layers.iter().take(if keeps_apart { 1 } else { usize::MAX });
                    let placement = NodePlacement::Layer { levels, unrolled: key.layer };
                    choices.push(Choice::new(placement, layers.map(unrolling).collect()));
                }
            }
        }
        Self { choices, key: Some(key), passed_over_bits: tile.passed_over_bits(&layer), changes: 0 }
    }

    /// A choice whose problem, if it has one, has not been searched.
    pub fn nothing_searched(&self) -> ChoiceBeside {
        ChoiceBeside { searched: self.key.is_none().then_some(Effort::Score), ..ChoiceBeside::default() }
    }

    /// A node that is being placed.
    fn placed<'r, 'a>(&self, node: NodeId, residents: &'r Residents<'a>) -> PlacedNode<'r, 'a> {
        PlacedNode { node, residents, passed_over_bits: self.passed_over_bits }
    }

    /// The problem of an unrolling with all memories to itself.
    fn key_of(&self, choice: &Choice, layer: LayerKey) -> Option<ProblemKey> {
        let NodePlacement::Layer { levels, .. } = choice.placement else { return None };
        self.key.map(|key| ProblemKey { levels: levels.map(level_count), layer, ..key })
    }

    /// Finds the price of a choice with all memories to itself, as far as short searches do, or until it rises. Returns
    /// whether it does.
    ///
    /// # Errors
    /// If there is no time to find out.
    pub fn raise(&mut self, tile: &TilePlanner<'_>, number: usize, find: &mut Finder<'_>) -> Result<bool, NotPlanned> {
        let before = self.choices[number].least;
        loop {
            let choice = &self.choices[number];
            let unrollings = &choice.unrollings;
            let best = (0..unrollings.len()).min_by_key(|&place| unrollings[place].least);
            let Some(place) = best.filter(|&place| unrollings[place].known != Known::Searched) else {
                return Ok(false);
            };
            let Unrolling { layer, least, known } = unrollings[place];
            let Some(key) = self.key_of(choice, layer) else { return Ok(false) };
            let (found, known) = match known {
                Known::Bound => (find.at_least(key), Known::CloseBound),
                // Narrower unrollings have to beat the whole one.
                _ if place > 0 && unrollings[0].known == Known::Searched => {
                    (find.search(key, (unrollings[0].least, Effort::Short))?, Known::Searched)
                }
                _ => (find.search(key, (Price::INFINITE, Effort::Short))?, Known::Searched),
            };
            let fits_nowhere = place == 0 && found >= Price::INFINITE && !find.fits_on_one_pe(tile, key);
            let choice = &mut self.choices[number];
            choice.unrollings[place] = Unrolling { layer, least: least.max(found), known };
            if fits_nowhere {
                choice.unrollings.truncate(1);
            }
            choice.find_least();
            if choice.least > before {
                self.changes += 1;
                return Ok(true);
            }
        }
    }

    /// Finds the price of a choice beside the data that is resident, as far as searches of this effort do, or until it
    /// rises. Returns whether it does.
    ///
    /// # Errors
    /// If there is no time to find out.
    pub fn raise_beside(
        &self,
        tile: &TilePlanner<'_>,
        known: &mut ChoiceBeside,
        (number, effort): (usize, Effort),
        (node, residents): (NodeId, &Residents<'_>),
        find: &mut Finder<'_>,
    ) -> Result<bool, NotPlanned> {
        let choice = &self.choices[number];
        let place = self.placed(node, residents);
        known.by_unrolling.resize(choice.unrollings.len(), Beside::default());
        let before = known.least;
        loop {
            let least = |number: usize| known.by_unrolling[number].least.max(choice.unrollings[number].least);
            let Some(best) = (0..choice.unrollings.len()).min_by_key(|&number| least(number)) else { return Ok(false) };
            (known.least, known.best) = (known.least.max(least(best)), best);
            if known.least > before {
                return Ok(true);
            }
            let Beside { key, searched, .. } = known.by_unrolling[best];
            if searched >= Some(effort) {
                known.searched = Some(effort);
                return Ok(false);
            }
            // It has to beat those that were searched.
            let finished = known.by_unrolling.iter().filter(|other| other.searched == Some(Effort::Score));
            let most = finished.map(|other| other.least).min().unwrap_or(Price::INFINITE);
            let key = match key {
                Some(key) => key,
                None => {
                    let Some(key) = self.key_of(choice, choice.unrollings[best].layer) else { return Ok(false) };
                    tile.beside(find.problems, key, &place)
                }
            };
            let searched = if searched.is_none() { Effort::Short } else { Effort::Score };
            let found = find.search(key, (most, searched))?;
            // One that does not beat them is none.
            let is_beaten = searched == Effort::Score && found.0[0] >= most.0[0];
            let least = if is_beaten { Price::INFINITE } else { found };
            known.by_unrolling[best] = Beside { key: Some(key), least, searched: Some(searched) };
            if best == 0 && found >= Price::INFINITE && !find.fits_on_one_pe(tile, key) {
                known.by_unrolling.iter_mut().for_each(|beside| beside.least = Price::INFINITE);
            }
        }
    }

    /// The placement of a choice with one of its unrollings.
    pub fn placement(&self, number: usize, unrolling: usize) -> NodePlacement {
        let choice = &self.choices[number];
        match (choice.placement, choice.unrollings.get(unrolling)) {
            (NodePlacement::Layer { levels, .. }, Some(unrolling)) => {
                NodePlacement::Layer { levels, unrolled: unrolling.layer }
            }
            (placement, _) => placement,
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

impl Choice {
    fn new(placement: NodePlacement, unrollings: Vec<Unrolling>) -> Self {
        let mut choice = Self { placement, least: Price::default(), unrollings };
        choice.find_least();
        choice
    }

    fn find_least(&mut self) {
        self.least = self.unrollings.iter().map(|unrolling| unrolling.least).min().unwrap_or_default();
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
