//! Choosing where a tile keeps its data: the best of all placements, by a shortest path.
//!
//! The nodes of a tile run one after the other, so a placement is a path of steps, each of which places one node. What
//! later steps cost depends only on where the maps lie that are still read (the caches and the weights are given). Two
//! paths to the same places meet in one state.
//!
//! A step costs the copies before its node, and its mapping problem. The price of the latter rises: from lower bounds
//! to what a short search tells of the problem with all memories to itself ([`NodeChoices`]), then beside the data that
//! is resident, and at last to its price. The path that is best by the prices known so far, found by A*, is searched,
//! until all of its steps have their last price: no other path costs less. So few states are reached, and few problems
//! are searched to the end.

use super::ids::NodeId;
use super::layer_tile::TilePlanner;
use super::node_choices::{
    ChoiceBeside, Finder, NodeChoices, NodePlacement, TileChoices, fits, inputs_memory, map_memory,
};
use super::price::Price;
use super::problems::NotPlanned;
use super::residents::{ResidentAmounts, Residents};
use crate::hardware::MemoryId;
use crate::ids::TiVec;
use crate::search::Effort;
use crate::spec::Diagnostics;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Limit on the states of a tile that are reached.
const MOST_STATES: usize = 1 << 16;

/// All placements of a tile, as far as they have been looked at.
pub(super) struct TilePlacements {
    states: Vec<State>,
    /// The number of each state, by its node and where the maps lie that are still read, the last one in the end.
    known: FxHashMap<(NodeId, Vec<Option<MemoryId>>), usize>,
    /// The steps of the path that is best so far: a state and one of its steps for each node.
    path: Vec<(usize, usize)>,
    /// The changes of the choices when it was found.
    changes: usize,
    /// A lower bound on the price of all placements.
    least: Price,
}

/// What earlier nodes left, before a node is placed.
struct State {
    node: NodeId,
    amounts: ResidentAmounts,
    /// Where the map of the node before lies.
    map: Option<MemoryId>,
    /// The ways to place the node, once the state is reached.
    steps: Vec<Step>,
    is_reached: bool,
}

struct Step {
    choice: usize,
    to: usize,
    copies: Price,
    beside: ChoiceBeside,
}

impl Step {
    /// The price of its problem, or a lower bound.
    fn mapped(&self, choices: &NodeChoices) -> Price {
        match self.beside.searched {
            Some(Effort::Score) => self.beside.least,
            _ => self.beside.least.max(choices.choices[self.choice].least),
        }
    }
}

impl TilePlacements {
    /// All placements of a tile. No price is known but a lower bound on all: the sum of those of the nodes.
    pub fn new(tile: &TilePlanner<'_>, choices: &TileChoices, find: &mut Finder<'_>) -> Self {
        let residents = Residents::new(tile);
        let of_node = |sum: Price, (node, of): (NodeId, &NodeChoices)| sum + of.least(tile, node, find);
        let least = match residents.have_room() {
            true => choices.iter_enumerated().fold(Price::default(), of_node),
            false => Price::INFINITE,
        };
        Self {
            states: vec![State::new(NodeId::from(0), residents.amounts, None)],
            known: FxHashMap::default(),
            path: Vec::new(),
            changes: 0,
            least,
        }
    }

    /// A lower bound on the price of all placements; infinite where nothing fits.
    pub fn least(&self) -> Price {
        self.least
    }

    /// Searches the problems of the placement that is best by the prices known so far. Returns whether all of them had
    /// been searched as far as that, or nothing fits: by whole searches, it is then the best of all.
    ///
    /// # Errors
    /// If there is no time to find out, or there are too many placements.
    pub fn search(
        &mut self,
        tile: &TilePlanner<'_>,
        choices: &mut TileChoices,
        effort: Effort,
        find: &mut Finder<'_>,
    ) -> Result<bool, NotPlanned> {
        if self.path.is_empty() || self.changes != changes(choices) {
            // Prices of choices may have risen in other tiles.
            self.find_path(tile, choices, find)?;
        }
        let mut are_known = true;
        for place in 0..self.path.len() {
            let (state, step) = self.path[place];
            if self.states[state].steps[step].beside.searched < Some(effort) {
                are_known = false;
                self.search_step(tile, choices, (state, step), effort, find)?;
            }
        }
        if !are_known {
            self.find_path(tile, choices, find)?;
        }
        Ok(are_known)
    }

    /// The placement that is best by the prices known so far, once a search has found it.
    pub fn best(&self, choices: &TileChoices) -> TiVec<NodeId, NodePlacement> {
        let placement = |&(state, step): &(usize, usize)| {
            let State { node, steps, .. } = &self.states[state];
            choices[*node].placement(steps[step].choice, steps[step].beside.best)
        };
        self.path.iter().map(placement).collect()
    }

    /// Finds the path that is best by the prices known so far, by A*. What is to come costs no less than the least of
    /// each node.
    fn find_path(
        &mut self,
        tile: &TilePlanner<'_>,
        choices: &TileChoices,
        find: &mut Finder<'_>,
    ) -> Result<(), NotPlanned> {
        self.path.clear();
        self.changes = changes(choices);
        if self.least >= Price::INFINITE {
            return Ok(());
        }
        let mut to_go = vec![Price::default()];
        for of_node in choices.iter().rev() {
            let least = of_node.choices.iter().map(|choice| choice.least).min().unwrap_or(Price::INFINITE);
            to_go.push(to_go[to_go.len() - 1] + least);
        }
        to_go.reverse();
        // By state, the least price of the ways to it, and the state and the step that these end with.
        let mut reached: Vec<Option<(Price, (usize, usize))>> = vec![None; self.states.len()];
        reached[0] = Some((Price::default(), (0, 0)));
        let mut open = BinaryHeap::from([Reverse((to_go[0], Reverse(0), 0))]);
        self.least = Price::INFINITE;
        let mut best: Vec<(usize, Price, usize)> = Vec::new();
        while let Some(Reverse((estimate, Reverse(node), at))) = open.pop() {
            let Some((price, _)) = reached[at] else { continue };
            if price + to_go[node] < estimate {
                continue;
            }
            if node == choices.len() {
                self.least = price;
                let mut at = at;
                while at > 0 {
                    let Some((_, from)) = reached[at] else { break };
                    self.path.push(from);
                    at = from.0;
                }
                self.path.reverse();
                return Ok(());
            }
            self.look_at(tile, choices, at, find)?;
            reached.resize(self.states.len(), None);
            // Of the steps to one state the cheapest is enough.
            let of_node = &choices[NodeId::from(node)];
            best.clear();
            for (number, step) in self.states[at].steps.iter().enumerate() {
                let price = step.copies + step.mapped(of_node);
                match best.iter_mut().find(|(to, ..)| *to == step.to) {
                    Some(known) if known.1 <= price => {}
                    Some(known) => (known.1, known.2) = (price, number),
                    None => best.push((step.to, price, number)),
                }
            }
            for &(to, added, number) in &best {
                let price = price + added;
                if price < reached[to].map_or(Price::INFINITE, |(known, _)| known) {
                    reached[to] = Some((price, (at, number)));
                    open.push(Reverse((price + to_go[node + 1], Reverse(node + 1), to)));
                }
            }
        }
        Ok(())
    }

    /// Finds the steps of a state.
    fn look_at(
        &mut self,
        tile: &TilePlanner<'_>,
        choices: &TileChoices,
        at: usize,
        find: &mut Finder<'_>,
    ) -> Result<(), NotPlanned> {
        let State { node, map, is_reached, .. } = self.states[at];
        if is_reached {
            return Ok(());
        }
        let of_node = &choices[node];
        let residents = Residents::at(tile, std::mem::take(&mut self.states[at].amounts));
        let mut steps = Vec::with_capacity(of_node.choices.len());
        let mut copies = Vec::new();
        if let Some(memory) = map {
            tile.write_caches(NodeId::from(node.index() - 1), memory, &mut copies);
        }
        let written = copies.len();
        // By the memory of the node's map, the state after it.
        let mut after: Vec<(Option<MemoryId>, usize)> = Vec::new();
        let mut price: Option<(Option<MemoryId>, Price)> = None;
        for (number, choice) in of_node.choices.iter().enumerate() {
            if !fits(tile, &residents, node, choice.placement) {
                continue;
            }
            let map = map_memory(tile, choice.placement);
            let inputs = inputs_memory(tile, choice.placement);
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
                    let to = self.state_after(tile, (node, &residents), map);
                    after.push((map, to));
                    to
                }
            };
            steps.push(Step { choice: number, to, copies: copied, beside: of_node.nothing_searched() });
        }
        let state = &mut self.states[at];
        (state.amounts, state.steps, state.is_reached) = (residents.amounts, steps, true);
        if self.states.len() > MOST_STATES {
            return Err(too_many_states(tile, node).into());
        }
        Ok(())
    }

    /// The state after a node, whose map lies in this memory.
    fn state_after(
        &mut self,
        tile: &TilePlanner<'_>,
        (node, residents): (NodeId, &Residents<'_>),
        map: Option<MemoryId>,
    ) -> usize {
        let mut after = Residents::at(tile, residents.amounts.clone());
        after.finish(node, map);
        let next = NodeId::from(node.index() + 1);
        let places = after.places().chain([map]).collect();
        let Self { states, known, .. } = self;
        *known.entry((next, places)).or_insert_with(|| {
            states.push(State::new(next, after.amounts, map));
            states.len() - 1
        })
    }

    /// Searches the problem of a step as far as that, or until its price rises.
    fn search_step(
        &mut self,
        tile: &TilePlanner<'_>,
        choices: &mut TileChoices,
        (state, step): (usize, usize),
        effort: Effort,
        find: &mut Finder<'_>,
    ) -> Result<(), NotPlanned> {
        let State { node, steps, amounts, .. } = &mut self.states[state];
        let (node, step) = (*node, &mut steps[step]);
        let choices = &mut choices[node];
        if choices.raise(tile, step.choice, find)? {
            return Ok(());
        }
        let residents = Residents::at(tile, std::mem::take(amounts));
        let raised = choices.raise_beside(tile, &mut step.beside, (step.choice, effort), (node, &residents), find);
        *amounts = residents.amounts;
        raised.map(|_| ())
    }
}

fn changes(choices: &TileChoices) -> usize {
    choices.iter().map(|of_node| of_node.changes).sum()
}

impl State {
    fn new(node: NodeId, amounts: ResidentAmounts, map: Option<MemoryId>) -> Self {
        Self { node, amounts, map, steps: Vec::new(), is_reached: false }
    }
}

#[cold]
fn too_many_states(tile: &TilePlanner<'_>, node: NodeId) -> Diagnostics {
    let name = &tile.network.layer(tile.stack.nodes[node]).name;
    let mut diagnostics = Diagnostics::default();
    diagnostics.add(
        format!("layers.{name}"),
        format!("After `{name}` maps lie in more than {MOST_STATES} ways"),
        "Cut the network into more stacks, or place data in the lowest memories",
    );
    diagnostics
}
