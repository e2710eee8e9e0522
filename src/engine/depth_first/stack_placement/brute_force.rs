//! Every placement of small stacks, one after the other: no state is shared, nothing is left out by a bound.

use super::{Finder, PlacedTiles, PlannerMemory, Price, StackPlanner, TileKey};
use crate::cost::Evaluator;
use crate::depth_first::copies::{CopyAction, CopyRoutes};
use crate::depth_first::ids::NodeId;
use crate::depth_first::layer_tile::{PlacedNode, TilePlanner, level_count};
use crate::depth_first::node_choices::{NodeChoices, NodePlacement, fits, inputs_memory, map_memory};
use crate::depth_first::planner::Planner;
use crate::depth_first::price::{KnownScore, Prices, PricesByLevel};
use crate::depth_first::problems::{Feasibility, NotPlanned, ProblemKey};
use crate::depth_first::residents::Residents;
use crate::depth_first::solved::{BoundsByLevel, COUNTED_MEMORIES, ProblemCost};
use crate::depth_first::strategy::{FuseDepth, StoringMode};
use crate::hardware::{Core, MemoryId, Operand};
use crate::mapping::{LayerOnCore, LayerProblem};
use crate::rules::Rules;
use crate::search::{Effort, Limits, Objective, Strategy, find_best, has_mapping};
use crate::units::Cycles;
use crate::workload::Network;
use std::collections::{BTreeSet, HashMap};

const RULES: Rules = Rules::CORRECTED;

/// Prices of whole searches.
struct Searched<'a> {
    core: &'a Core,
    objective: Objective,
    routes: CopyRoutes<'a>,
    known: HashMap<LayerProblem, Option<Price>>,
}

impl<'a> Searched<'a> {
    fn new(core: &'a Core, objective: Objective) -> Self {
        Self { core, objective, routes: CopyRoutes::new(core, RULES), known: HashMap::new() }
    }

    fn price(&self, energy_pj: f64, cycles: f64) -> Price {
        let score = self.objective.combine(energy_pj, Cycles(cycles), &|| 0.0, &|_| 0.0);
        Price(self.objective.figures(score, energy_pj, cycles))
    }

    fn whole(&mut self, problem: &LayerProblem) -> Option<Price> {
        if let Some(known) = self.known.get(problem) {
            return *known;
        }
        let layer = LayerOnCore::new(self.core, RULES, problem);
        let best = find_best(&layer, &self.objective, &Limits::default(), Strategy::Exact).best;
        let cost = best.and_then(|best| ProblemCost::new(&Evaluator::new(&layer), &best, self.counted()));
        let price = cost.map(|cost| cost.energy_and_latency()).map(|(energy, cycles)| self.price(energy, cycles));
        self.known.insert(problem.clone(), price);
        price
    }

    fn counted(&self) -> [MemoryId; COUNTED_MEMORIES] {
        [self.core.top(Operand::O); COUNTED_MEMORIES]
    }
}

impl Prices for Searched<'_> {
    fn at_least(&mut self, problem: &LayerProblem) -> Price {
        let cost = ProblemCost::lower_bound(&LayerOnCore::new(self.core, RULES, problem), self.counted());
        let (energy, cycles) = cost.energy_and_latency();
        self.price(energy, cycles)
    }

    fn by_level(&mut self, problem: &LayerProblem) -> PricesByLevel {
        let bounds = BoundsByLevel::new(&LayerOnCore::new(self.core, RULES, problem), self.counted());
        PricesByLevel {
            fixed: self.price(bounds.fixed_pj, bounds.cycles as f64),
            at: bounds.at.map(|levels| levels.map(|least| self.price(least.energy_pj, 0.0))),
        }
    }

    /// By short searches some prices at once, of others a bound.
    fn score_of(&mut self, problem: &LayerProblem, most: f64, effort: Effort) -> Result<KnownScore, NotPlanned> {
        let found = self.whole(problem).map(|price| price.0[0]);
        Ok(match found {
            Some(score) if score > most => KnownScore::AtLeast(most),
            Some(score) if effort == Effort::Short && (score as u64).is_multiple_of(2) => {
                KnownScore::AtLeast(0.97 * score)
            }
            _ => KnownScore::Exactly(found),
        })
    }

    fn fits(&mut self, problem: &LayerProblem) -> bool {
        has_mapping(&LayerOnCore::new(self.core, RULES, problem), &Limits::default(), Strategy::Exact)
    }

    fn check(&mut self, problem: &LayerProblem) -> Feasibility {
        if self.fits(problem) { Feasibility::Mappable } else { Feasibility::NoMapping }
    }

    fn of_copies(&mut self, copies: &[CopyAction]) -> Price {
        let cost = self.routes.cost(copies);
        self.price(cost.energy_pj, cost.latency.0 as f64)
    }

    fn of_hidden_copies(&mut self, copies: &[CopyAction]) -> Price {
        let cost = self.routes.cost(copies);
        self.price(cost.energy_pj, 0.0)
    }
}

/// The least price of all placements of a stack.
fn least_price(stack: &StackPlanner<'_>, memory: &mut PlannerMemory, prices: &mut Searched<'_>) -> Price {
    let mut least = Price::INFINITE;
    let mut known: HashMap<(TileKey, MemoryId), Price> = HashMap::new();
    for v_memory in stack.cache_memories(stack.mode.caches_rows()) {
        for &w_memory in stack.core.levels(Operand::W) {
            let mut price = Price::default();
            for row in &stack.y.slots {
                let columns: Vec<_> = stack.x.slots.iter().flat_map(|slot| vec![slot; slot.count as usize]).collect();
                let choices = stack.cache_memories(stack.mode.caches_columns());
                let mut of_row = Price::INFINITE;
                for number in 0..choices.len().pow(columns.len() as u32 - 1) {
                    // The digits of the number are the memories at the boundaries.
                    let memory_at =
                        |boundary: usize| choices[number / choices.len().pow(boundary as u32) % choices.len()];
                    let digits: BTreeSet<_> = (1..columns.len()).map(|boundary| memory_at(boundary - 1)).collect();
                    if stack.keeps_columns_for_several() && digits.len() > 1 {
                        continue;
                    }
                    let mut sum = Price::default();
                    for (at, column) in columns.iter().enumerate() {
                        let read = if at > 0 { memory_at(at - 1) } else { None };
                        let written = if at + 1 < columns.len() { memory_at(at) } else { None };
                        let key = stack.key_of((column.start, row.start), (column, row), v_memory, [read, written]);
                        let tile_price = *known.entry((key, w_memory)).or_insert_with(|| {
                            let PlannerMemory { layers, problems, prices: of_keys, .. } = &mut *memory;
                            let tile = stack.tile_planner(&key, w_memory, layers);
                            let find = &mut Finder { problems, known: of_keys, prices };
                            let residents = Residents::new(&tile);
                            least_from(&tile, find, 0, &residents, None)
                        });
                        sum = sum + tile_price;
                    }
                    of_row = of_row.min(sum);
                }
                price = price + of_row * row.count;
            }
            least = least.min(price);
        }
    }
    least
}

/// The least price of all placements of the nodes from one on; `last` is where the map of the node before lies.
fn least_from(
    tile: &TilePlanner<'_>,
    find: &mut Finder<'_>,
    node: usize,
    residents: &Residents<'_>,
    last: Option<MemoryId>,
) -> Price {
    if node == tile.stack.nodes.len() {
        return Price::default();
    }
    let at = NodeId::from(node);
    let mut least = Price::INFINITE;
    let choices = NodeChoices::new(tile, at, find);
    // Placements of the same inputs and output differ only in their problem.
    let mut known: HashMap<(Option<MemoryId>, Option<MemoryId>), Price> = HashMap::new();
    for choice in &choices.choices {
        if !fits(tile, residents, at, choice.placement) {
            continue;
        }
        let (inputs, map) = (inputs_memory(tile, choice.placement), map_memory(tile, choice.placement));
        let mut price = match (choice.placement, choices.key) {
            (NodePlacement::Layer { levels, .. }, Some(key)) => {
                let layer = tile.unplaced(at);
                let place = PlacedNode { node: at, residents, passed_over_bits: tile.passed_over_bits(&layer) };
                let key = ProblemKey { levels: levels.map(level_count), ..key };
                let keeps_apart = levels[0] < tile.core.levels(Operand::W).len() && tile.keeps_weights_apart();
                let mut best = Price::INFINITE;
                let mut all = vec![key.layer];
                if !keeps_apart {
                    all.extend(tile.narrower(find.problems, &key));
                }
                for layer in all {
                    let beside = tile.beside(find.problems, ProblemKey { layer, ..key }, &place);
                    let problem = find.problems.problem(&beside);
                    let found = find.prices.score_of(&problem, f64::INFINITY, Effort::Score);
                    if let Ok(KnownScore::Exactly(Some(score))) = found {
                        best = best.min(Price([score, 0.0, 0.0]));
                    }
                }
                best
            }
            _ => Price::default(),
        };
        let rest = *known.entry((inputs, map)).or_insert_with(|| {
            let mut copies = Vec::new();
            if let Some(memory) = last {
                tile.write_caches(NodeId::from(node - 1), memory, &mut copies);
            }
            tile.copy_before(at, [None, inputs, map], &|producer| residents.map_memory(producer), &mut copies);
            let mut after = Residents::at(tile, residents.amounts.clone());
            after.finish(at, map);
            find.prices.of_copies(&copies) + least_from(tile, find, node + 1, &after, map)
        });
        price = price + rest;
        least = least.min(price);
    }
    least
}

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn core(&mut self) -> String {
        let mut memory = |name: &str, bits: u64, operands: &str, shared: &str| {
            let width = 8 << self.below(3);
            let (read, write) = (1 + self.below(9), 1 + self.below(9));
            format!(
                "  - {{ name: {name}, size: {bits} bit, operands: [{operands}], width: {width} bit, read_energy: {read} pJ, \
                 write_energy: {write} pJ, shared_over: {shared} }}\n"
            )
        };
        let mut text = "name: random
array: { dimensions: { D1: 2, D2: 3 }, mac_energy: 1 pJ }
unroll: { conv: { D1: K, D2: OX }, pointwise: { D1: K, D2: OX }, add: { D1: G, D2: OX }, pooling: { D1: G, D2: OX } }
memories:
"
        .to_owned();
        text += &memory("w_reg", 64, "W", "[D1, D2]");
        text += &memory("low", 8 * (6 + 12), "I, O", "all");
        text += &memory("high", 8 * 80, "W, I, O", "all");
        text += &memory("dram", 1 << 33, "W, I, O", "all");
        let sizes = [16 << self.below(3), 64 + 8 * self.below(90), 256 + 8 * self.below(250)];
        for (at, (name, before)) in [("w_reg", 64), ("low", 144), ("high", 640)].into_iter().enumerate() {
            text = text.replace(
                &format!("name: {name}, size: {before} bit"),
                &format!("name: {name}, size: {} bit", sizes[at]),
            );
        }
        text
    }

    fn network(&mut self) -> String {
        let kernel = [1, 2, 3][self.below(3) as usize];
        let first = format!("{{ name: a, type: conv, K: 2, kernel: {kernel} x {kernel}, padding: same, from: in }}");
        let rest = match self.below(4) {
            0 => "{ name: b, type: conv, K: 4, kernel: 3 x 3, padding: same, from: a }",
            1 => "{ name: b, type: pointwise, K: 2, from: a }\n  - { name: c, type: add, from: [a, b] }",
            2 => {
                "{ name: b, type: pooling, kernel: 2 x 2, stride: 2, from: a }\n  - { name: c, type: pointwise, K: 4, from: b }"
            }
            _ => "{ name: b, type: pointwise, K: 2, from: in }\n  - { name: c, type: add, from: [a, b] }",
        };
        let (width, height) = (3 + self.below(4), 2 + self.below(4));
        format!(
            "name: random\nprecision: {{ W: 8, I: 8, O_partial: 16, O: 8 }}\nlayers:\n  - {{ name: in, type: input, K: 2, \
             size: {width} x {height} }}\n  - {first}\n  - {rest}\n"
        )
    }
}

#[test]
fn no_placement_costs_less_than_the_best() {
    let mut numbers = Numbers(11);
    // A case takes seconds.
    let oracle = std::env::var("FUSESCAPE_ORACLE_CASES").ok().and_then(|cases| cases.parse::<usize>().ok());
    let cases = oracle.map_or(4, |cases| cases.min(100));
    let (mut ran, mut fitted) = (0, 0);
    while ran < cases {
        let (core_text, network_text) = (numbers.core(), numbers.network());
        let what = format!("{core_text}{network_text}");
        let core = Core::from_text(&core_text).unwrap_or_else(|wrong| panic!("{wrong}\n{what}"));
        let network = Network::from_text(&network_text).unwrap_or_else(|wrong| panic!("{wrong}\n{what}"));
        let objective = if numbers.below(2) == 0 { Objective::Energy } else { Objective::Latency };
        let mode = StoringMode::ALL[numbers.below(3) as usize];
        let tile = (1 + numbers.below(3), 1 + numbers.below(3));
        let mut planner = Planner::new(&core, &network, RULES, Limits::default(), Strategy::Exact);
        let known = planner.stacks(&FuseDepth::Cuts(Vec::new())).unwrap().remove(0);
        let Ok(stack) = StackPlanner::new(&mut planner, known, tile, mode) else { continue };
        // Paths along a row of many tiles are too many.
        if stack.x.slots.iter().map(|slot| slot.count).sum::<u64>() > 4 {
            continue;
        }
        let mut prices = Searched::new(&core, objective);
        let least = least_price(&stack, &mut planner.memory, &mut prices);
        planner.memory.forget_prices();
        let found = PlacedTiles::new(&stack, &mut planner.memory, &mut prices).best(Price::INFINITE).unwrap();
        let found = found.map(|arrangement| arrangement.price);
        let what = || format!("{tile:?}, {mode}, {:?}\n{what}", prices.objective);
        let Some(found) = found else {
            assert!(least >= Price::INFINITE, "nothing found for {least:?}\n{}", what());
            ran += 1;
            continue;
        };
        let difference = (found.0[0] - least.0[0]).abs();
        assert!(difference <= 1e-9 * least.0[0], "{found:?} for {least:?}\n{}", what());
        (ran, fitted) = (ran + 1, fitted + 1);
    }
    assert!(fitted > cases / 2, "{fitted} of {cases} fit");
}
