//! The granularity of computation tiles, the cores that may compute them, and the layers of each stack.

use super::costs::unrolled_loops;
use super::ids::{NestId, StackId};
use super::nest::LoopNest;
use super::network::NetworkNests;
use super::request::{CoresSettings, StackRule, TileGranularity};
use super::tile_size::{SIZES, TileSize};
use super::tiling::LoopCuts;
use crate::hardware::Operand;
use crate::ids::{TiSlice, TiVec, ti_vec};
use crate::spec::{Diagnostics, closest};
use crate::system::{ComputeCore, CoreId, CoreSystem};
use crate::workload::{Dim, Layer, Network};
use rustc_hash::FxHashMap;
use std::num::IntErrorKind;

/// The cuts of a layer into tiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerCuts {
    /// Loops cut into tiles that run one after the other, each with its number of parts.
    pub in_time: Vec<(Dim, u64)>,
    /// The loop along which cores share it, if any.
    pub share: Option<Dim>,
    /// Limit on the cores that share it, at least 1: no part is narrower than the unrolling of any core's array.
    pub most_shared: usize,
    /// Limit on the cores that share it where a person chooses them, at least 1.
    pub most_by_hand: usize,
    /// The cores that run it.
    pub able: Vec<CoreId>,
}

impl LayerCuts {
    /// The most tiles that it may have.
    pub fn tiles(&self, cores: u64) -> u64 {
        self.in_time.iter().map(|cut| cut.1).fold(cores.min(self.most_shared as u64), u64::saturating_mul)
    }

    /// The cuts of the layer where `shared` cores share it.
    pub fn split(&self, shared: usize) -> LoopCuts {
        let over_cores = self.share.filter(|_| shared > 1).map(|dim| vec![(dim, shared as u64)]).unwrap_or_default();
        LoopCuts { in_time: self.in_time.clone(), over_cores }
    }

    /// The cuts of each layer of a network, from the sizes of tiles that the settings state.
    pub fn of_all(
        network: &Network,
        nests: &NetworkNests,
        system: &CoreSystem,
        stacks: &TiSlice<StackId, Vec<NestId>>,
        settings: &CoresSettings,
        diagnostics: &mut Diagnostics,
    ) -> TiVec<NestId, Self> {
        let granularity = &settings.granularity;
        let by_hand = match granularity {
            TileGranularity::ByHand(text) => read_cuts(text, network, nests, stacks, diagnostics),
            _ => TiVec::new(),
        };
        let mut all = TiVec::new();
        // Types of layers, the first layer of each, and the number of others.
        let mut nobody_runs: Vec<(&str, &str, usize)> = Vec::new();
        for (index, &id) in nests.layers.iter_enumerated() {
            let layer = network.layer(id);
            let is_alone = stacks.iter().any(|stack| stack[..] == [index]);
            let in_time = match granularity {
                TileGranularity::LayerByLayer => Vec::new(),
                // A layer that is fused with no other is not cut.
                _ if is_alone => Vec::new(),
                TileGranularity::Rows(rows) => {
                    TileSize { rows: Some(*rows), ..TileSize::default() }.pieces(&layer.shape)
                }
                TileGranularity::ByHand(_) => by_hand[index].clone(),
            };
            let kind = layer.shape.kind;
            let able: Vec<CoreId> = system.cores.keys().filter(|&core| system.cores[core].runs(kind)).collect();
            if able.is_empty() {
                match nobody_runs.iter_mut().find(|(known, ..)| *known == kind.name()) {
                    Some((.., more)) => *more += 1,
                    None => nobody_runs.push((kind.name(), &layer.name, 0)),
                }
            }
            let CoreSharing { share, most, by_hand } = CoreSharing::new(layer, &in_time, &able, system, settings);
            all.push(Self { in_time, share, most_shared: most, most_by_hand: by_hand, able });
        }
        for (kind, first, more) in nobody_runs {
            let those = if more == 0 { format!("`{first}`") } else { format!("`{first}` and {more} more") };
            let reason = format!("No core can run {those} (type {kind})");
            diagnostics.add("system.cores", reason, format!("Add {kind} to the `runs` of one"));
        }
        all
    }
}

/// The loop along which cores share a layer, and their largest number.
struct CoreSharing {
    share: Option<Dim>,
    /// Limit on the cores: no part is narrower than the unrolling of an array.
    most: usize,
    /// Limit on the cores where a person chooses them.
    by_hand: usize,
}

impl CoreSharing {
    /// Groups or output channels, and columns where these are too few for the arrays (each core then needs all of the weights).
    fn new(
        layer: &Layer,
        in_time: &[(Dim, u64)],
        able: &[CoreId],
        system: &CoreSystem,
        settings: &CoresSettings,
    ) -> Self {
        let rules = settings.scheduler.tiling();
        let channels = if layer.shape.size(Dim::G) > 1 { Dim::G } else { Dim::K };
        for share in [channels, Dim::OX] {
            let cut: u64 = in_time.iter().filter(|cut| cut.0 == share).map(|cut| cut.1).product();
            let size = layer.shape.size(share) / cut.max(1);
            let width = |&core: &CoreId| {
                let unrolled = unrolled_loops(layer, &system.cores[core].core, settings);
                let limits = unrolled.iter().filter(|unroll| unroll.dim == share).map(|unroll| unroll.limit);
                limits.product::<u64>().min(size)
            };
            let most_of = |parts: u64| parts.min(able.len() as u64).max(1) as usize;
            let most = most_of(size / able.iter().map(width).max().unwrap_or(1).max(1));
            let by_hand = if rules.shares_channels { most_of(size) } else { most };
            if by_hand > 1 {
                return Self { share: Some(share), most, by_hand };
            }
        }
        Self { share: None, most: 1, by_hand: 1 }
    }
}

/// Path of mistakes in cuts, and the form of a cut.
const CUTS: &str = "settings.tiles";
const EXAMPLE: &str = "Write for example `OY 14, OX 2; conv1: K 4`, or `rows 4, columns 60; stack 2: rows 8`";

/// Cuts as written: loops into pieces, and tiles of a size.
#[derive(Debug, Clone, Default)]
struct WrittenCuts {
    pieces: Vec<(Dim, u64)>,
    size: TileSize,
}

impl WrittenCuts {
    /// The number of pieces of each loop of a layer: never more than a loop has steps.
    fn of(&self, layer: &Layer, nest: &LoopNest) -> Vec<(Dim, u64)> {
        let clipped = self.pieces.iter().map(|&(dim, pieces)| (dim, pieces.min(nest.size(dim))));
        let mut cuts: Vec<(Dim, u64)> = clipped.filter(|cut| cut.1 > 1).collect();
        for cut in self.size.pieces(&layer.shape) {
            if !cuts.iter().any(|known| known.0 == cut.0) {
                cuts.push(cut);
            }
        }
        cuts
    }

    /// Takes a cut: a loop and a number of pieces, or a size.
    fn read(&mut self, cut: &str, diagnostics: &mut Diagnostics) {
        let mut words = cut.split_whitespace();
        let (name, count) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let which = SIZES.iter().position(|size| *size == name);
        match (Dim::from_name(name), which, count.parse::<u64>()) {
            // All of it.
            _ if cut == "whole" => {}
            (Some(dim @ (Dim::C | Dim::FX | Dim::FY)), ..) => diagnostics.add(
                CUTS,
                format!("{dim} adds up to one output, so that its pieces would wait for each other"),
                "Cut B, G, K, OY or OX",
            ),
            (Some(dim), _, Ok(pieces)) if pieces > 0 && !self.pieces.iter().any(|known| known.0 == dim) => {
                self.pieces.push((dim, pieces));
            }
            (None, Some(which), Ok(size)) if size > 0 && self.size.size_mut(which) == Some(&mut None) => {
                self.size.size_mut(which).into_iter().for_each(|known| *known = Some(size));
            }
            (Some(_), ..) | (_, Some(_), _) if count.parse::<u64>().is_ok() => {
                diagnostics.add(CUTS, format!("`{cut}` cuts {name} twice, or into nothing"), EXAMPLE);
            }
            (Some(_), _, Err(wrong)) | (_, Some(_), Err(wrong)) if *wrong.kind() == IntErrorKind::PosOverflow => {
                diagnostics.add(
                    CUTS,
                    format!("`{count}` pieces of {name} are too many"),
                    "Larger than every layer: write a smaller number, or `whole`",
                );
            }
            _ => diagnostics.add(CUTS, format!("`{cut}` is not a loop and a number of pieces"), EXAMPLE),
        }
    }
}

/// Reads [`TileGranularity::ByHand`]: cuts of all layers, of the layers of a stack, and of single ones.
fn read_cuts(
    text: &str,
    network: &Network,
    nests: &NetworkNests,
    stacks: &TiSlice<StackId, Vec<NestId>>,
    diagnostics: &mut Diagnostics,
) -> TiVec<NestId, Vec<(Dim, u64)>> {
    let layers = by_name(nests);
    let mut of_all = WrittenCuts::default();
    let mut of_stack: FxHashMap<NestId, WrittenCuts> = FxHashMap::default();
    let mut of_one: FxHashMap<NestId, WrittenCuts> = FxHashMap::default();
    if text.trim().is_empty() {
        diagnostics.add(CUTS, "The pieces of loops are missing", format!("{EXAMPLE}, or choose whole layers"));
    }
    for part in text.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty()) {
        if diagnostics.is_full() {
            break;
        }
        let (name, cuts) = part.split_once(':').map_or((None, part), |(name, cuts)| (Some(name.trim()), cuts));
        let mut read = WrittenCuts::default();
        for cut in cuts.split(',').map(str::trim).filter(|cut| !cut.is_empty()) {
            if diagnostics.is_full() {
                break;
            }
            read.read(cut, diagnostics);
        }
        let Some(name) = name else {
            of_all = read;
            continue;
        };
        match (layers.get(name), stack_named(name, stacks)) {
            (Some(&layer), _) => drop(of_one.insert(layer, read)),
            (None, Some(stack)) => of_stack.extend(stack.iter().map(|&layer| (layer, read.clone()))),
            (None, None) => complain_unknown(CUTS, name, nests, diagnostics),
        }
    }
    let cuts = |index: NestId| {
        let written = of_one.get(&index).or_else(|| of_stack.get(&index)).unwrap_or(&of_all);
        written.of(network.layer(nests.layers[index]), &nests.nests[index])
    };
    nests.nests.keys().map(cuts).collect()
}

/// The stack that people call `stack 3`, counted from 1; a layer of that name takes precedence.
fn stack_named<'s>(name: &str, stacks: &'s TiSlice<StackId, Vec<NestId>>) -> Option<&'s Vec<NestId>> {
    let number: usize = name.strip_prefix("stack ")?.trim().parse().ok()?;
    stacks.get(StackId::from(number.checked_sub(1)?))
}

/// The layers that are computed; of equal names the first.
fn by_name(nests: &NetworkNests) -> FxHashMap<&str, NestId> {
    nests.nests.iter_enumerated().rev().map(|(index, nest)| (nest.name.as_str(), index)).collect()
}

/// Notes that no layer that is computed has this name.
fn complain_unknown(path: &str, name: &str, nests: &NetworkNests, diagnostics: &mut Diagnostics) {
    let known = nests.nests.iter().map(|nest| nest.name.as_str());
    let remedy = closest(name, known)
        .map_or_else(|| "Use the name of a layer".to_owned(), |meant| format!("Did you mean `{meant}`?"));
    diagnostics.add(path, format!("The network computes no layer `{name}`"), remedy);
}

/// The layer stacks.
pub fn stacks(
    nests: &NetworkNests,
    system: &CoreSystem,
    rule: &StackRule,
    diagnostics: &mut Diagnostics,
) -> TiVec<StackId, Vec<NestId>> {
    let layers = || nests.nests.keys();
    match rule {
        StackRule::EachLayer => layers().map(|layer| vec![layer]).collect(),
        StackRule::One => ti_vec![layers().collect()],
        StackRule::Automatic => automatic(nests, system),
        StackRule::After(names) => {
            let mut ends: TiVec<NestId, bool> = layers().map(|_| false).collect();
            let layers = by_name(nests);
            for name in names {
                match layers.get(name.as_str()) {
                    Some(&layer) => ends[layer] = true,
                    None if diagnostics.is_full() => break,
                    None => complain_unknown("settings.stacks", name, nests, diagnostics),
                }
            }
            let (mut stacks, last_layer) = (ti_vec![Vec::new()], ends.last_key());
            for (layer, is_end) in ends.into_iter_enumerated() {
                if let Some(last) = stacks.last_mut() {
                    last.push(layer);
                }
                if is_end && Some(layer) != last_layer {
                    stacks.push(Vec::new());
                }
            }
            stacks
        }
    }
}

/// A stack grows as long as the weights of its layers fit on the chip. The tool makes one stack so, and one of each layer after it.
fn automatic(nests: &NetworkNests, system: &CoreSystem) -> TiVec<StackId, Vec<NestId>> {
    let capacity = |core: &ComputeCore| {
        let memory = &core.core.memories[core.top(Operand::W)];
        memory.size_bits.saturating_mul(memory.instances)
    };
    let capacity = system.cores.iter().map(capacity).fold(0, u64::saturating_add);
    let mut stacks: TiVec<StackId, Vec<NestId>> = TiVec::new();
    let mut used = 0_u64;
    for (layer, nest) in nests.nests.iter_enumerated() {
        let constant = nest.inputs.iter().find(|input| input.operand == Operand::W && input.source.is_none());
        let bits =
            constant.map_or(0, |weights| weights.axes.iter().map(|axis| axis.size).product::<u64>() * weights.bits);
        used = used.saturating_add(bits);
        match stacks.last_mut() {
            Some(stack) if used <= capacity => stack.push(layer),
            _ => {
                stacks.push(vec![layer]);
                used = bits;
            }
        }
    }
    stacks
}
