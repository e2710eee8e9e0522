//! Requests of the bench of many cores, natively and in the browser, which has no files: needs nothing but the engine
//! and JSON.

use fusescape_engine::ids::TiVec;
use fusescape_engine::multicore::{
    AllocationOutcome, AllocationProblem, CoreId, CoreLink, CoreTopMemory, CutLayer, LinkId, LoopCuts, NestId,
    PlacedTile, System, TileGraph, TileId, TopMemoryId,
};
use fusescape_engine::units::{Bits, BitsPerCycle, Cycles};
use fusescape_engine::workload::Dim;
use fusescape_test_support::stream::{Case, case, instance, list, renamed};
use fusescape_test_support::{nests, number, text};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::HashMap;

/// A million tiles: layers, and rows and columns into which each is cut.
pub const GRAPHS: [(&str, usize, (u64, u64)); 2] = [("of pixels", 8, (500, 250)), ("of rows", 100, (10_000, 1))];
/// Columns and rows of cores.
pub const MESHES: [(usize, usize); 2] = [(2, 2), (4, 2)];
/// A hundred thousand tiles in 20 layers: rows and columns into which each is cut.
pub const CUTS: [(&str, (u64, u64)); 2] = [("pixels", (250, 20)), ("rows", (5000, 1))];
pub const CUT_LAYERS: usize = 20;
/// Memory of a core with room for everything that can be fetched early.
pub const AMPLE_BITS: u64 = 1 << 26;

/// An allocation problem, and its optimum in the reference.
pub struct Question {
    pub name: String,
    pub instance: AllocationProblem,
    pub optimum: Option<f64>,
}

impl Question {
    /// Whether an optimum was found and proved, and equals that of the reference, if it has one.
    pub fn is_answered_by(&self, found: &AllocationOutcome) -> bool {
        found.is_proved() && self.optimum.is_none_or(|optimum| (found.bound / optimum - 1.0).abs() < 1e-12)
    }
}

/// The allocation problems of a file under `waco_units`, a list of them, or under `waco_e2e`, each of which is also
/// posed with one core per tile.
pub fn questions(file: &Value) -> Vec<Question> {
    let question = |case: &Value| Question {
        name: text(&case["instance"]["name"]),
        instance: instance(&case["instance"]),
        optimum: Some(number(&case["optimum"])),
    };
    let alone = |Question { name, mut instance, optimum }: Question| {
        instance.cycles.iter_mut().flatten().for_each(|shared| shared.truncate(1));
        Question { name, instance, optimum }
    };
    let Some(stacks) = file.get("waco_instances") else { return list(file).map(question).collect() };
    if file["input"]["p_fixed_to_1"] == true {
        return list(stacks).map(|case| alone(question(case))).collect();
    }
    let both = |case: &Value| {
        let single = alone(question(case));
        [question(case), Question { name: format!("{}, p = 1", single.name), optimum: None, ..single }]
    };
    list(stacks).flat_map(both).collect()
}

/// A chip of the reference, from the text of its file.
pub fn chip(written: &str) -> Case {
    // JSON has no infinity, and the infinite values are not used here.
    case(&renamed(&serde_json::from_str(&written.replace(":Infinity", ":0")).unwrap()))
}

/// Each tile on the core of its layer; neighbours take different times.
pub fn placed(graph: &TileGraph, cores: usize) -> TiVec<TileId, PlacedTile> {
    let place = |tile: TileId| PlacedTile {
        core: CoreId::from(graph.tiles[tile].layer.index() * 3 % cores),
        cycles: Cycles(100.0 + (tile.index() % 7) as f64),
        onchip_pj: 1.0,
        ..PlacedTile::default()
    };
    graph.tiles.keys().map(place).collect()
}

/// Convolutions one after another, each cut into so many rows and columns.
pub fn chain(layers: usize, (rows, columns): (u64, u64)) -> TiVec<NestId, CutLayer> {
    let layer = |index: usize| {
        let source = index.checked_sub(1).map(NestId::from);
        let nest = nests::convolution(source, (4, rows, columns.max(8)), 4, 1, (1, (3, 1)));
        let split = LoopCuts { in_time: vec![(Dim::OX, columns), (Dim::OY, rows)], over_cores: Vec::new() };
        CutLayer { nest, split, cores: 1 }
    };
    (0..layers).map(layer).collect()
}

/// Cores in a mesh, links between neighbours, data in rows first; DRAM at one port.
pub fn mesh(columns: usize, rows: usize, capacity_bits: u64) -> System {
    let count = columns * rows;
    let memory = |name: String, capacity_bits: u64, core: usize| CoreTopMemory {
        name,
        capacity: Bits(capacity_bits),
        read_width: Bits(128),
        write_width: Bits(128),
        read_pj: 1.0,
        write_pj: 1.0,
        cores: vec![CoreId::from(core)],
    };
    let mut memories: TiVec<TopMemoryId, CoreTopMemory> =
        (0..count).map(|core| memory(format!("memory {core}"), capacity_bits, core)).collect();
    memories.push(memory("dram".to_owned(), 1 << 50, count));
    let mut links = TiVec::new();
    let port =
        links.push_and_get_key(CoreLink { name: "port".to_owned(), bandwidth: BitsPerCycle(64.0), pj_per_cycle: 1.0 });
    let mut hops = HashMap::new();
    for core in 0..count {
        let (right, below) = ((core % columns + 1 < columns).then_some(core + 1), core + columns);
        for next in right.into_iter().chain((below < count).then_some(below)) {
            for (from, to) in [(core, next), (next, core)] {
                let link =
                    CoreLink { name: format!("{from} to {to}"), bandwidth: BitsPerCycle(64.0), pj_per_cycle: 1.0 };
                hops.insert((from, to), links.push_and_get_key(link));
            }
        }
    }
    let route = |from: usize, to: usize| {
        let (mut at, mut route) = (from, Vec::<LinkId>::new());
        while at != to {
            let next = match (at % columns).cmp(&(to % columns)) {
                std::cmp::Ordering::Less => at + 1,
                std::cmp::Ordering::Greater => at - 1,
                std::cmp::Ordering::Equal if at < to => at + columns,
                std::cmp::Ordering::Equal => at - columns,
            };
            route.push(hops[&(at, next)]);
            at = next;
        }
        route
    };
    let routes = (0..=count).map(|from| {
        let to = |to: usize| match (from, to) {
            _ if from == to => Vec::new(),
            _ if from == count || to == count => vec![port],
            _ => route(from, to),
        };
        (0..=count).map(to).collect()
    });
    let cores = (0..count).map(|core| format!("core {core}")).chain(["dram".to_owned()]);
    System {
        cores: cores.collect(),
        memory_of: (0..=count).map(|core| [TopMemoryId::from(core); 3]).collect(),
        routes: routes.collect(),
        memories,
        links,
        dram: CoreId::from(count),
    }
}

/// Ranks of tiles: those of later layers first.
pub fn deepest_first(graph: &TileGraph) -> TiVec<TileId, usize> {
    let mut deepest: Vec<TileId> = graph.tiles.keys().collect();
    deepest.sort_by_key(|&tile| Reverse((graph.tiles[tile].layer, Reverse(graph.tiles[tile].number))));
    let mut ranks = TiVec::from(vec![0; deepest.len()]);
    deepest.iter().enumerate().for_each(|(rank, &tile)| ranks[tile] = rank);
    ranks
}
