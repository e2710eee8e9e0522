//! The tool's files as types of the engine. A bench in the browser includes this, so that files are read elsewhere.

use crate::{integer, number, text, texts};
use fusescape_engine::hardware::Operand;
use fusescape_engine::ids::TiVec;
use fusescape_engine::multicore::{
    AllocationProblem, CoreId, CoreLink, CoreTopMemory, Edge, GroupId, IterationTile, LinkId, NestId, Offchip,
    PlacedTile, System, TensorId, Tile, TileGraph, TileId, TileNumber, TileTensor, TopMemoryId,
};
use fusescape_engine::units::{Bits, BitsPerCycle, Cycles};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

pub fn operand(name: &str) -> Operand {
    match name {
        // In 2023, sums of two feature maps read X and Y; X takes the place of weights.
        "I2" | "W" | "X" => Operand::W,
        "I1" | "I" | "Y" => Operand::I,
        "O" => Operand::O,
        other => panic!("{other} is no operand"),
    }
}

pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list")).iter()
}

pub fn integers(value: &Value) -> Vec<usize> {
    list(value).map(|item| integer(item) as usize).collect()
}

/// Layer, tile, operand.
pub type TensorName = (usize, usize, Operand);

pub fn tensor_name(value: &Value) -> TensorName {
    (integer(&value[0]) as usize, integer(&value[1]) as usize, operand(value[2].as_str().unwrap()))
}

/// The tool's input, and the input of its scheduler.
pub struct Case {
    pub graph: TileGraph,
    pub system: System,
    pub placed: TiVec<TileId, PlacedTile>,
    pub rank: TiVec<TileId, usize>,
    pub prefetched: Vec<Operand>,
    pub tensor_names: TiVec<TensorId, TensorName>,
    /// Number of each core in the file.
    pub core_ids: TiVec<CoreId, u64>,
}

pub fn case(file: &Value) -> Case {
    let result = &file["result"];
    let (system, core_ids) = system(&file["hardware"]);
    let tensor_names: TiVec<TensorId, TensorName> =
        list(&result["tensors"]).map(|tensor| tensor_name(&tensor["id"])).collect();
    let tensor_of: HashMap<TensorName, TensorId> =
        tensor_names.iter_enumerated().map(|(index, name)| (*name, index)).collect();
    let mut tile_of = HashMap::new();
    let (mut tiles, mut placed) = (TiVec::new(), TiVec::new());
    for ct in list(&result["cts"]) {
        let (layer, number_of) = (integer(&ct["layer"]) as usize, integer(&ct["sub"]) as usize);
        tile_of.insert((layer, number_of), tiles.next_key());
        let of = |operand: &str| ct["operand_tensors"].get(operand).map(|name| tensor_of[&tensor_name(name)]);
        tiles.push(Tile {
            layer: NestId::from(layer),
            number: TileNumber::from(number_of),
            group: GroupId::from(integer(&ct["group"]) as usize),
            tensors: [of("W"), of("I"), of("O")],
            constants: texts(&ct["constant_operands"]).iter().map(|name| operand(name)).collect(),
            is_final: ct["produces_final_output"].as_bool().unwrap(),
        });
        let bits = &ct["offchip_bw"];
        let offchip = |key: &str| BitsPerCycle(bits.get(key).map_or(0.0, number));
        placed.push(PlacedTile {
            core: core_ids.position(|id| *id == integer(&ct["core"])).unwrap(),
            cycles: Cycles(number(&ct["runtime"])),
            onchip_pj: number(&ct["onchip_energy"]),
            offchip_pj: number(&ct["offchip_energy"]),
            too_large: texts(&ct["too_large_operands"]).iter().map(|name| operand(name)).collect(),
            offchip: Offchip { to: offchip("to_offchip"), from: offchip("from_offchip") },
        });
    }
    let outputs: BTreeSet<TensorId> =
        tiles.iter().filter_map(|tile: &Tile| tile.tensors[Operand::O as usize]).collect();
    let tensors = list(&result["tensors"]).zip(tensor_names.keys()).map(|(tensor, id)| TileTensor {
        bits: Bits(integer(&tensor["bits"])),
        // A tensor computed by another layer has none as an input.
        uses: tensor["base_priority"].as_u64().unwrap_or(0),
        is_output: outputs.contains(&id),
    });
    let edges = list(&result["edges"]).map(|edge| {
        let tile = |layer: usize| tile_of[&(integer(&edge[layer]) as usize, integer(&edge[layer + 1]) as usize)];
        Edge { from: tile(0), to: tile(2), operand: edge[4].as_str().map(operand) }
    });
    let graph = TileGraph::new(tiles, tensors.collect(), edges.collect());
    let mut rank = TiVec::from(vec![usize::MAX; graph.tiles.len()]);
    for (place, tile) in list(&result["scheduling_order"]).enumerate() {
        rank[tile_of[&(integer(&tile[0]) as usize, integer(&tile[1]) as usize)]] = place;
    }
    let prefetched = file["input"].get("prefetch").filter(|operands| !operands.is_null());
    let prefetched = prefetched.map_or(Vec::new(), |names| texts(names).iter().map(|name| operand(name)).collect());
    Case { graph, system, placed, rank, prefetched, tensor_names, core_ids }
}

/// The system, and the number of each core in the file.
fn system(hardware: &Value) -> (System, TiVec<CoreId, u64>) {
    let ids: TiVec<CoreId, u64> = list(&hardware["cores"]).map(|core| integer(&core["id"])).collect();
    let place = |id: u64| ids.position(|other| *other == id).unwrap();
    let mut memories: TiVec<TopMemoryId, CoreTopMemory> = TiVec::new();
    let mut memory_of = TiVec::new();
    for (core, facts) in ids.keys().zip(list(&hardware["cores"])) {
        let mut of = [TopMemoryId::from(usize::MAX); 3];
        for memory in list(&facts["top_memories"]) {
            let name = text(&memory["name"]);
            let sharers: Vec<CoreId> =
                integers(&memory["shared_with"]).into_iter().map(|id| place(id as u64)).collect();
            let known =
                memories.position(|known| known.name == name && known.cores.iter().any(|core| sharers.contains(core)));
            let index = known.unwrap_or_else(|| {
                memories.push_and_get_key(CoreTopMemory {
                    name: name.clone(),
                    capacity: Bits(integer(&memory["size_bits"])),
                    read_width: Bits(integer(&memory["read_bw"])),
                    write_width: Bits(integer(&memory["write_bw"])),
                    read_pj: number(&memory["read_energy"]),
                    write_pj: number(&memory["write_energy"]),
                    cores: Vec::new(),
                })
            });
            memories[index].cores.push(core);
            texts(&memory["operands"]).iter().for_each(|name| of[operand(name) as usize] = index);
        }
        memory_of.push(of);
    }
    let links: TiVec<LinkId, CoreLink> = list(&hardware["links"])
        .map(|link| CoreLink {
            name: text(&link["id"].to_string().into()),
            bandwidth: BitsPerCycle(number(&link["bandwidth_bits_per_cycle"])),
            pj_per_cycle: number(&link["unit_energy_cost"]),
        })
        .collect();
    let mut link_of = HashMap::new();
    for (index, link) in links.keys().zip(list(&hardware["links"])) {
        for edge in list(&link["used_by_edges"]) {
            link_of.insert((place(integer(&edge[0])), place(integer(&edge[1]))), index);
        }
    }
    let mut routes: TiVec<CoreId, TiVec<CoreId, Vec<LinkId>>> =
        ids.iter().map(|_| vec![Vec::new(); ids.len()].into()).collect();
    for (pair, hops) in hardware["routes"].as_object().unwrap() {
        let (from, to) = pair.split_once("->").unwrap();
        let hops: Vec<CoreId> = integers(hops).into_iter().map(|id| place(id as u64)).collect();
        let links = hops.windows(2).map(|hop| link_of[&(hop[0], hop[1])]).collect();
        routes[place(from.parse().unwrap())][place(to.parse().unwrap())] = links;
    }
    let dram = place(integer(&hardware["offchip_core_id"]));
    let cores = list(&hardware["cores"]).map(|core| text(&core["name"])).collect();
    (System { cores, memory_of, memories, links, routes, dram }, ids)
}

/// A file of the scheduler of June 2023 with the field names of the others.
pub fn renamed(file: &Value) -> Value {
    let mut cores = file["hw_cores"].clone();
    for core in cores.as_array_mut().unwrap() {
        core["name"] = core["id"].to_string().into();
    }
    let links = list(&file["links"]).enumerate().map(|(id, link)| {
        json!({
            "id": id,
            "bandwidth_bits_per_cycle": link["bandwidth"],
            "unit_energy_cost": link["unit_energy_cost"],
            "used_by_edges": link["edges"],
        })
    });
    // Equal tensors of a layer are merged.
    let mut firsts: HashMap<String, &Value> = HashMap::new();
    let first: HashMap<String, &Value> = list(&file["tensors"])
        .map(|tensor| {
            let key = format!("{}{}{}", tensor["id"][0], tensor["id"][2], tensor["ranges"]);
            (tensor["id"].to_string(), *firsts.entry(key).or_insert(&tensor["id"]))
        })
        .collect();
    let cts = list(&file["graph_cts_in_order"]).map(|ct| {
        let is_it = |row: &&Value| row["layer"] == ct["layer"] && row["core"] == ct["core"];
        let costs = list(&file["cost_table"]).find(is_it).unwrap();
        assert_eq!(number(&costs["offchip_energy_pJ"]), 0.0);
        let mut ct = ct.clone();
        ct["group"] = 0.into();
        ct["offchip_energy"] = 0.into();
        ct["too_large_operands"] = costs["too_large_operands"].clone();
        for (_, tensor) in ct["operand_tensors"].as_object_mut().unwrap() {
            *tensor = first[&tensor.to_string()].clone();
        }
        ct
    });
    json!({
        "input": { "prefetch": file["prefetch"] },
        "hardware": {
            "cores": cores,
            "links": links.collect::<Vec<_>>(),
            "routes": file["routes"],
            "offchip_core_id": file["offchip_core_id"],
        },
        "result": {
            "cts": cts.collect::<Vec<_>>(),
            "tensors": file["tensors"],
            "edges": file["edges"],
            "scheduling_order": [],
        },
    })
}

/// The input of the allocation of a steady state.
pub fn instance(file: &Value) -> AllocationProblem {
    let (nodes, cores) = (integers(&file["nodes"]), integers(&file["cores"]));
    let place = |node: usize| IterationTile::from(nodes.iter().position(|other| *other == node).unwrap());
    let cycles = |node: &usize| {
        let on = |core: &usize| {
            let shared = |shared: usize| {
                let key = format!("{node},{core},{shared}");
                let is_allowed = file["allowed"].get(&key).is_some_and(|allowed| integer(allowed) == 1);
                is_allowed.then(|| number(&file["latency"][&key]))
            };
            (1..=cores.len()).map(shared).collect()
        };
        cores.iter().map(on).collect()
    };
    let weights = |node: &usize| integer(&file["weights"][node.to_string()]);
    AllocationProblem {
        cores: cores.len(),
        iterations: integer(&file["N"]),
        cycles: nodes.iter().map(cycles).collect(),
        order: list(&file["dependencies"]).map(integers).map(|pair| (place(pair[0]), place(pair[1]))).collect(),
        groups: list(&file["groups"]).map(|group| integers(group).into_iter().map(place).collect()).collect(),
        weights: nodes.iter().map(weights).collect(),
        capacity: cores.iter().map(|core| integer(&file["capacity"][core.to_string()])).collect(),
    }
}
