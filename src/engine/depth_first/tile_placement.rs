//! Choosing where a tile keeps its data: the best of all placements, by a shortest path.
//!
//! The nodes of a tile run one after the other, so a placement is a path of steps, each of which places one node. What
//! later steps cost depends only on where the maps lie that are still read (the caches and the weights are given). Two
//! paths to the same places meet in one state, so that the states form a graph of as many layers as there are nodes.
//!
//! A step costs the copies before its node, and its mapping problem. The latter is at first a lower bound, then the
//! price of the problem with all memories to itself, and at last its price beside the data that is resident. The path
//! that is best by the prices known so far is searched, until all of its steps have their last price: no other path
//! costs less, as prices only rise. So few problems are searched.
//!
//! Where an unrolling leaves too little room, or moves much data, a narrower one may cost less. A step whose problem is
//! searched is joined by those with one loop of its unrolling halved.

use super::copies::CopyAction;
use super::ids::NodeId;
use super::layer_tile::{PlacedNode, TilePlanner, level_count};
use super::price::{KnownPrices, Price, Prices};
use super::problems::{LayerKey, NotPlanned, ProblemKey, Problems};
use super::residents::Residents;
use crate::hardware::{MemoryId, Operand};
use crate::ids::TiVec;
use crate::spec::Diagnostics;
use rustc_hash::FxHashMap;

/// Limit on the states before a node: with four memories, eight maps that are read later.
const MOST_STATES: usize = 1 << 16;

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

/// All placements of a tile, and what is known of their prices.
pub(super) struct TilePlacements {
    nodes: TiVec<NodeId, NodeChoices>,
    /// By node, the states before it.
    states: TiVec<NodeId, Vec<State>>,
    /// A lower bound on the price of all placements.
    bound: Price,
}

/// The choices for one node, and the lower bounds on their prices.
pub(super) struct NodeChoices {
    pub choices: Vec<Choice>,
    /// All but levels and reserved bits; `None` for inputs, and for layers that compute nothing.
    pub key: Option<ProblemKey>,
    pub may_be_narrowed: bool,
    passed_over_bits: u64,
}

pub(super) struct Choice {
    pub placement: NodePlacement,
    /// A lower bound on the price of its mapping problem.
    least: Price,
    /// Whether that is the price with all memories to itself.
    is_alone: bool,
    /// Loops of the unrolling before this one are not halved further, so that each unrolling is tried once.
    halved: usize,
}

/// What earlier nodes left: where maps lie that are read from here on.
struct State {
    steps: Vec<Step>,
    /// The least price of all ways from here to the end, and the step that it begins with.
    least: Price,
    best: usize,
}

#[derive(Clone, Copy)]
struct Step {
    choice: usize,
    /// The state that it leads to, among those of the next node.
    to: usize,
    copies: Price,
    /// The price beside the data that is resident.
    mapped: Option<Price>,
}

/// A way of finding prices.
pub(super) struct Finder<'f> {
    pub problems: &'f mut Problems,
    pub known: &'f mut KnownPrices,
    pub prices: &'f mut dyn Prices,
}

impl Finder<'_> {
    fn at_least(&mut self, key: ProblemKey) -> Price {
        self.known.at_least(self.problems, key, self.prices)
    }

    /// Whether a problem has a mapping.
    fn fits(&mut self, key: ProblemKey) -> bool {
        self.known.fits(self.problems, key, self.prices)
    }

    fn of(&mut self, key: ProblemKey) -> Result<Option<Price>, NotPlanned> {
        self.known.of(self.problems, key, self.prices)
    }

    fn of_copies(&mut self, copies: &[CopyAction]) -> Price {
        if copies.is_empty() { Price::default() } else { self.prices.of_copies(copies) }
    }
}

impl TilePlacements {
    /// All placements of a tile. No price is known but a lower bound on all: the sum of those of the nodes.
    pub fn new(tile: &TilePlanner<'_>, find: &mut Finder<'_>) -> Self {
        let has_room = Residents::new(tile).have_room();
        let mut bound = if has_room { Price::default() } else { Price::INFINITE };
        let mut nodes = TiVec::with_capacity(tile.stack.nodes.len());
        for node in tile.stack.nodes.keys() {
            let choices = NodeChoices::new(tile, node, find);
            bound = bound + choices.least(tile, node, find);
            nodes.push(choices);
        }
        Self { nodes, states: TiVec::new(), bound }
    }

    /// Finds all states and steps.
    ///
    /// # Errors
    /// So many maps that are read later that they lie in too many ways.
    fn link(&mut self, tile: &TilePlanner<'_>, find: &mut Finder<'_>) -> Result<(), Diagnostics> {
        let mut here = vec![(Residents::new(tile), None)];
        for node in tile.stack.nodes.keys() {
            here = self.push_steps(tile, node, &here, find);
            if here.len() > MOST_STATES {
                return Err(too_many_states(tile, node));
            }
        }
        self.states.push(vec![State { steps: Vec::new(), least: Price::default(), best: 0 }]);
        self.update(None);
        Ok(())
    }

    /// A lower bound on the price of all placements; infinite where nothing fits.
    pub fn least(&self) -> Price {
        self.states.first().and_then(|start| start.first()).map_or(self.bound, |start| start.least)
    }

    /// Searches the problems of the placement that is best by the prices known so far. Returns whether it is the best of
    /// all, as all of its prices were known, or nothing fits.
    ///
    /// # Errors
    /// If there is no time to find out, or there are too many placements.
    pub fn search(&mut self, tile: &TilePlanner<'_>, find: &mut Finder<'_>) -> Result<bool, NotPlanned> {
        if self.least() >= Price::INFINITE {
            return Ok(true);
        }
        if self.states.is_empty() {
            self.link(tile, find)?;
            return Ok(false);
        }
        let mut residents = Residents::new(tile);
        let mut at = 0;
        let mut last_new = None;
        for node in tile.stack.nodes.keys() {
            let best = self.states[node][at].best;
            let step = self.states[node][at].steps[best];
            if step.mapped.is_none() {
                self.search_step(tile, &residents, (node, at, best), find)?;
                last_new = Some(node);
            }
            residents.finish(node, map_memory(tile, self.nodes[node].choices[step.choice].placement));
            at = step.to;
        }
        if last_new.is_some() {
            self.update(last_new);
        }
        Ok(last_new.is_none())
    }

    /// The best placement, once it is known.
    pub fn best(&self) -> TiVec<NodeId, NodePlacement> {
        let mut at = 0;
        let place = |node: NodeId| {
            let state = &self.states[node][at];
            let step = state.steps[state.best];
            at = step.to;
            self.nodes[node].choices[step.choice].placement
        };
        self.nodes.keys().map(place).collect()
    }

    /// Adds the steps of all states before a node. Returns the resident data of those after it, with the memory of the
    /// node's map.
    fn push_steps<'t>(
        &mut self,
        tile: &'t TilePlanner<'t>,
        node: NodeId,
        here: &[(Residents<'t>, Option<MemoryId>)],
        find: &mut Finder<'_>,
    ) -> Vec<(Residents<'t>, Option<MemoryId>)> {
        let mut next: Vec<(Residents<'t>, Option<MemoryId>)> = Vec::new();
        let mut known: FxHashMap<Vec<Option<MemoryId>>, usize> = FxHashMap::default();
        let mut states = Vec::with_capacity(here.len());
        for (residents, map) in here {
            let mut copies = Vec::new();
            if let Some(memory) = map {
                tile.write_caches(NodeId::from(node.index() - 1), *memory, &mut copies);
            }
            let written = copies.len();
            let mut steps = Vec::new();
            // By the memory of the node's map, the state after it.
            let mut after: Vec<(Option<MemoryId>, usize)> = Vec::new();
            let mut price: Option<(Option<MemoryId>, Price)> = None;
            for (choice, Choice { placement, .. }) in self.nodes[node].choices.iter().enumerate() {
                if !fits(tile, residents, node, *placement) {
                    continue;
                }
                let map = map_memory(tile, *placement);
                let inputs = inputs_memory(tile, *placement);
                // Choices with the same inputs follow each other.
                let read_at = inputs.or(map);
                let copied = match price {
                    Some((at, price)) if at == read_at => price,
                    _ => {
                        copies.truncate(written);
                        let map_memory = |producer: NodeId| residents.map_memory(producer);
                        tile.copy_before(node, [None, inputs, map], &map_memory, &mut copies);
                        find.of_copies(&copies)
                    }
                };
                price = Some((read_at, copied));
                let to = match after.iter().find(|(known, _)| *known == map) {
                    Some(&(_, to)) => to,
                    None => {
                        let mut residents = residents.clone();
                        residents.finish(node, map);
                        let mut places: Vec<Option<MemoryId>> = residents.places().collect();
                        places.push(map);
                        let to = *known.entry(places).or_insert_with(|| {
                            next.push((residents, map));
                            next.len() - 1
                        });
                        after.push((map, to));
                        to
                    }
                };
                let mapped = self.nodes[node].key.is_none().then(Price::default);
                steps.push(Step { choice, to, copies: copied, mapped });
            }
            states.push(State { steps, least: Price::INFINITE, best: 0 });
        }
        self.states.push(states);
        next
    }

    /// Finds a higher price of a step, and adds the steps with narrower unrollings.
    fn search_step(
        &mut self,
        tile: &TilePlanner<'_>,
        residents: &Residents<'_>,
        (node, state, step): (NodeId, usize, usize),
        find: &mut Finder<'_>,
    ) -> Result<(), NotPlanned> {
        let Step { choice: number, to, copies, .. } = self.states[node][state].steps[step];
        let choices = &mut self.nodes[node];
        let choice = &mut choices.choices[number];
        let (NodePlacement::Layer { levels, unrolled }, Some(key)) = (choice.placement, choices.key) else {
            return Ok(());
        };
        let key = ProblemKey { levels: levels.map(level_count), layer: unrolled, ..key };
        let alone = find.of(key)?;
        if let Some(price) = alone.filter(|_| !choice.is_alone) {
            (choice.least, choice.is_alone) = (price, true);
            return Ok(());
        }
        let mut mapped = Price::INFINITE;
        let place = PlacedNode { node, residents, passed_over_bits: choices.passed_over_bits };
        let beside = tile.beside(find.problems, key, &place);
        if alone.is_some() {
            mapped = find.of(beside)?.unwrap_or(Price::INFINITE);
        }
        self.states[node][state].steps[step].mapped = Some(mapped);
        // Weights that each PE keeps are those of the whole unrolling.
        let keeps_apart = levels[0] < tile.core.levels(Operand::W).len() && tile.keeps_weights_apart();
        if choices.may_be_narrowed
            && !keeps_apart
            && (mapped < Price::INFINITE || {
                let narrowest = tile.narrowest(find.problems, beside);
                find.fits(narrowest)
            })
        {
            for (halved, layer) in tile.halved(find.problems, &key, choice.halved) {
                let least = find.at_least(ProblemKey { layer, ..key });
                if least >= mapped {
                    continue;
                }
                let placement = NodePlacement::Layer { levels, unrolled: layer };
                let known = choices.choices.iter().position(|known| known.placement == placement);
                let choice = known.unwrap_or_else(|| {
                    choices.choices.push(Choice { placement, least, is_alone: false, halved });
                    choices.choices.len() - 1
                });
                self.states[node][state].steps.push(Step { choice, to, copies, mapped: None });
            }
        }
        Ok(())
    }

    /// Finds the least prices of all states up to a node, whose prices have changed; of all without one.
    fn update(&mut self, last: Option<NodeId>) {
        let last = last.map_or(self.nodes.len(), |last| last.index() + 1);
        for node in NodeId::first(last).rev() {
            let (before, after) = self.states.raw.split_at_mut(node.index() + 1);
            let choices = &self.nodes[node].choices;
            for state in &mut before[node.index()] {
                (state.least, state.best) = (Price::INFINITE, 0);
                for (number, step) in state.steps.iter().enumerate() {
                    let mapped = step.mapped.unwrap_or(choices[step.choice].least);
                    let price = step.copies + mapped + after[0][step.to].least;
                    if price < state.least {
                        (state.least, state.best) = (price, number);
                    }
                }
            }
        }
    }
}

impl NodeChoices {
    pub fn new(tile: &TilePlanner<'_>, node: NodeId, find: &mut Finder<'_>) -> Self {
        let layer = tile.unplaced(node);
        let core = tile.core;
        let of = |placement: NodePlacement| Choice { placement, least: Price::default(), is_alone: true, halved: 0 };
        if layer.is_input {
            let levels = levels_from(tile, Operand::I, tile.least.i);
            let placement = |&level: &usize| of(NodePlacement::Input(core.levels(Operand::I)[level - 1]));
            return Self {
                choices: levels.iter().map(placement).collect(),
                key: None,
                may_be_narrowed: false,
                passed_over_bits: 0,
            };
        }
        let computes = layer.computed.0 > 0 && layer.computed.1 > 0;
        let Some((key, w_kept)) = tile.problem_of(find.problems, node, &layer).filter(|_| computes) else {
            return Self {
                choices: vec![of(NodePlacement::Idle)],
                key: None,
                may_be_narrowed: false,
                passed_over_bits: 0,
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
        let mut choices = Vec::new();
        for i in levels_from(tile, Operand::I, least.i) {
            for &o in &o {
                for &w in &w {
                    let levels = [w, i, o];
                    let least = find.at_least(ProblemKey { levels: levels.map(level_count), ..key });
                    let placement = NodePlacement::Layer { levels, unrolled: key.layer };
                    choices.push(Choice { placement, least, is_alone: false, halved: 0 });
                }
            }
        }
        let may_be_narrowed = !tile.rules.lowest_memory_may_overflow && core.vector_unit_for(kind).is_none();
        Self { choices, key: Some(key), may_be_narrowed, passed_over_bits: tile.passed_over_bits(&layer) }
    }
}

impl NodeChoices {
    /// A lower bound on the price of a node: that of its problem, of what it reads of the caches, and of what it writes to
    /// them, which other copies may hide.
    fn least(&self, tile: &TilePlanner<'_>, node: NodeId, find: &mut Finder<'_>) -> Price {
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

#[cold]
fn too_many_states(tile: &TilePlanner<'_>, node: NodeId) -> Diagnostics {
    let name = &tile.network.layer(tile.stack.nodes[node]).name;
    let mut diagnostics = Diagnostics::default();
    diagnostics.add(
        format!("layers.{name}"),
        format!("After `{name}` so many maps are still read that they lie in more than {MOST_STATES} ways"),
        "Cut the network into more stacks, or place data in the lowest memories",
    );
    diagnostics
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
