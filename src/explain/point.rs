//! Numbers of a point: its cost by stack, tile and layer, down to single accesses.

use super::formula::{Explained, How, NumberUnit};
use super::numbers::{
    Amount, Counted, ENERGY_UNIT, LayerTileIndex, PointNumber, Scope, layer_at, memory_name, tile_at,
};
use super::parts::{NO_MACS, copy_cycles, copy_energy, copy_words, explain_access};
use super::sizes::{explain_computed, explain_data, explain_tiles, explain_tiles_of, explain_window};
use super::sources::{COPIES, ENERGY, LATENCY, SINGLE_LAYER, STACKS, SUM};
use super::{ExplainedNumber, parts};
use fusescape_chart::Quantity;
use fusescape_engine::cost::{AccessCause, EnergyCause, LatencyCause};
use fusescape_engine::depth_first::{LayerTileAccount, PointAccount, StackAccount, TileTypeAccount};
use std::borrow::Cow;

/// Explains a number of a point; `None` if the account has no such number.
pub fn explain_point(account: &PointAccount, number: PointNumber) -> Option<Explained> {
    let layer = |place: LayerTileIndex| layer_at(account, place);
    match number {
        PointNumber::Of(place, amount) => explain_amount(account, place, amount),
        PointNumber::EnergyDelay => {
            let terms = [Amount::Energy, Amount::Cycles].map(|amount| folded(account, Scope::Point, amount, None));
            let unit = NumberUnit::Of(Quantity::EnergyDelay);
            Some(Explained::computed("energy-delay product", unit, How::Product, terms.into_iter().flatten().collect()))
        }
        PointNumber::MacUse => {
            let terms = [Amount::IdealCycles, Amount::Cycles];
            let terms = terms.map(|amount| folded(account, Scope::Point, amount, None));
            let terms = terms.into_iter().flatten().collect();
            Some(
                Explained::computed("MAC use", NumberUnit::Share, How::Quotient, terms).noted(
                    "The share of its time in which the array would be full: what remains is idle PEs and waiting.",
                ),
            )
        }
        PointNumber::Tiles(stack) => explain_tiles(account, stack),
        PointNumber::TilesOf(stack, tile) => explain_tiles_of(account.stacks.get(stack)?, tile),
        PointNumber::Computed(place, axis) => explain_computed(account, place, axis),
        PointNumber::Needed(place, axis) => explain_window(layer(place)?, axis),
        PointNumber::Size(place, data) => explain_data(layer(place)?, place, data),
        PointNumber::PesUsed(place) => {
            let cost = layer(place)?.cost.as_ref()?;
            let unrolled = cost.unrolled.iter();
            let terms =
                unrolled.map(|(dim, width)| Explained::given(format!("{dim} unrolled"), *width, NumberUnit::Count("")));
            let working = Explained::computed("PEs at work", NumberUnit::Count(""), How::Product, terms.collect())
                .noted("The widths of the unrolled loops; an average where the unrolling does not divide its loop.");
            let all = Explained::given("PEs", account.pe_count as f64, NumberUnit::Count(""));
            Some(
                Explained::computed("PEs used", NumberUnit::Share, How::Quotient, vec![working, all])
                    .after(SINGLE_LAYER),
            )
        }
        PointNumber::Access(place, index, counted) => {
            let access = layer(place)?.cost.as_ref()?.accesses.get(index)?;
            Some(explain_access(access, counted, memory_name(account, access.memory)))
        }
        PointNumber::CopyEnergy(place, index) => copy_energy(account, layer(place)?.copies.actions.get(index)?),
        PointNumber::CopyCycles(place, index) => copy_cycles(account, layer(place)?.copies.actions.get(index)?),
    }
}

/// An amount in a scope, explained on request.
fn folded(account: &PointAccount, place: Scope, amount: Amount, name: Option<String>) -> Option<Explained> {
    let value = amount_at(account, place, amount)?;
    let name = name.map_or_else(|| amount.name(account), Cow::Owned);
    Some(Explained::folded(name, value, amount.unit(), ExplainedNumber::Point(PointNumber::Of(place, amount))))
}

/// An amount in a scope.
fn amount_at(account: &PointAccount, place: Scope, amount: Amount) -> Option<f64> {
    if let (Scope::Point, Amount::At(counted, memory, cause)) = (place, amount) {
        let memory = account.memories.get(memory)?;
        let of = match counted {
            Counted::Words => memory.words,
            Counted::Elements => memory.elements,
            Counted::Energy => memory.energy_pj,
        };
        return Some(cause.map_or_else(|| of.total(), |cause| of[cause]));
    }
    match place {
        Scope::Point => match amount {
            Amount::Energy => Some(account.energy_pj),
            Amount::Cycles => Some(account.latency_cycles as f64),
            Amount::Macs => Some(account.macs as f64),
            Amount::EnergyOf(cause) => Some(account.energy[cause]),
            Amount::CyclesOf(cause) => Some(account.latency[cause] as f64),
            Amount::IdealCycles => Some(account.latency.ideal_cycles),
            Amount::IdleCycles => Some(account.latency.idle_pe_cycles()),
            _ => (0..account.stacks.len()).map(|stack| amount_at(account, Scope::Stack(stack), amount)).sum(),
        },
        Scope::Stack(index) => {
            let stack = account.stacks.get(index)?;
            match amount {
                Amount::Energy => Some(stack.energy_pj),
                Amount::Cycles => Some(stack.latency_cycles as f64),
                _ => (stack.tile_types.iter_enumerated())
                    .map(|(tile, facts)| {
                        let of_one = amount_at(account, Scope::Tile(index, tile.index()), amount)?;
                        Some(facts.count as f64 * of_one)
                    })
                    .sum(),
            }
        }
        Scope::Tile(stack, tile) => {
            let tile_type = tile_at(account, stack, tile)?;
            match amount {
                Amount::Energy => Some(tile_type.energy_pj),
                Amount::Cycles => Some(tile_type.latency_cycles as f64),
                _ => Some(tile_type.layers.iter().map(|layer| of_layer(layer, amount)).sum()),
            }
        }
        Scope::Layer(place) => Some(of_layer(layer_at(account, place)?, amount)),
    }
}

/// The parts of a sum, cause by cause; empty if it is none.
fn parts_of(amount: Amount) -> Vec<Amount> {
    let copy = EnergyCause::Access(AccessCause::Copy);
    match amount {
        Amount::Energy => EnergyCause::ALL.map(Amount::EnergyOf).into(),
        Amount::MappedEnergy => {
            EnergyCause::ALL.into_iter().filter(|cause| *cause != copy).map(Amount::EnergyOf).collect()
        }
        Amount::Cycles => LatencyCause::ALL.map(Amount::CyclesOf).into(),
        Amount::MappedCycles => LatencyCause::of_layer().map(Amount::CyclesOf).collect(),
        Amount::Waiting => LatencyCause::waiting().map(Amount::CyclesOf).collect(),
        Amount::EnergyOf(_) | Amount::CyclesOf(_) | Amount::At(..) | Amount::Macs => Vec::new(),
        Amount::IdealCycles | Amount::IdleCycles => Vec::new(),
    }
}

fn of_layer(layer: &LayerTileAccount, amount: Amount) -> f64 {
    let energy = layer.cost.as_ref().map(|cost| cost.energy).unwrap_or_default();
    let latency = layer.cost.as_ref().map(|cost| cost.latency).unwrap_or_default();
    match amount {
        Amount::Energy | Amount::MappedEnergy | Amount::Cycles | Amount::MappedCycles | Amount::Waiting => {
            parts_of(amount).into_iter().map(|part| of_layer(layer, part)).sum()
        }
        // The mapped layer has no copies.
        Amount::EnergyOf(EnergyCause::Access(AccessCause::Copy)) => layer.copies.energy_pj,
        Amount::EnergyOf(cause) => energy[cause],
        Amount::CyclesOf(LatencyCause::Copy) => layer.copies.latency_cycles as f64,
        Amount::CyclesOf(cause) => latency[cause] as f64,
        Amount::IdealCycles => latency.ideal_cycles,
        Amount::IdleCycles => latency.idle_pe_cycles(),
        Amount::Macs => layer.macs as f64,
        Amount::At(counted, memory, cause) => parts::at_memory(layer, counted, memory, cause),
    }
}

/// The sum in a scope: by its parts, and by the parts of the scope.
fn explain_amount(account: &PointAccount, place: Scope, amount: Amount) -> Option<Explained> {
    let value = amount_at(account, place, amount)?;
    let mut explained = Explained::given(amount.name(account), value, amount.unit());
    let terms = |amounts: &[Amount]| -> Vec<Explained> {
        let all = amounts.iter().filter_map(|part| folded(account, place, *part, None));
        all.filter(|term| term.value != 0.0).collect()
    };
    // If all terms are of one kind, they are distinguished by their memory.
    let by_memory = |cause: Option<AccessCause>| -> Vec<Explained> {
        let memories = account.memories.iter_enumerated();
        let all = memories.filter_map(|(index, memory)| {
            folded(account, place, Amount::At(Counted::Energy, index, cause), Some(memory.name.clone()))
        });
        all.filter(|term| term.value != 0.0).collect()
    };
    let by_cause = |explained: Explained| explained.or("by cause", How::Sum, terms(&parts_of(amount)));
    explained = match amount {
        Amount::Energy => {
            let others: Vec<Amount> = EnergyCause::without_access().map(Amount::EnergyOf).collect();
            let memories = by_memory(None).into_iter().chain(terms(&others)).collect();
            by_cause(explained).or("by memory", How::Sum, memories).after(SUM)
        }
        Amount::MappedEnergy | Amount::MappedCycles => by_cause(explained).after(SINGLE_LAYER),
        Amount::Cycles => {
            by_cause(explained).noted("Layers, tiles and copies follow each other; nothing overlaps.").after(SUM)
        }
        Amount::IdleCycles => {
            let parts = [Amount::CyclesOf(LatencyCause::Computing), Amount::IdealCycles];
            explained.or("", How::Difference, terms(&parts)).after(SINGLE_LAYER)
        }
        Amount::Waiting => by_cause(explained).after(LATENCY),
        Amount::At(counted, memory, None) => {
            let causes = AccessCause::ALL.into_iter().filter_map(|cause| {
                folded(account, place, Amount::At(counted, memory, Some(cause)), Some(cause.plural().to_owned()))
            });
            explained.or("by cause", How::Sum, nonzero(causes.map(Some))).after(ENERGY)
        }
        Amount::EnergyOf(EnergyCause::Access(cause)) if !matches!(place, Scope::Layer(_)) => {
            explained.or("by memory", How::Sum, by_memory(Some(cause))).after(SUM)
        }
        _ => explained.after(SUM),
    };
    if value == 0.0 {
        return Some(explained.noted("There is none."));
    }
    Some(match place {
        Scope::Point => match account.stacks.as_slice() {
            [only] => by_tile(account, explained, 0, only, amount),
            stacks => {
                let stack = |index: usize| {
                    let name = format!("stack {}", index + 1);
                    folded(account, Scope::Stack(index), amount, Some(name))
                };
                explained.or("by stack", How::Sum, nonzero((0..stacks.len()).map(stack))).noted_if(amount, account)
            }
        },
        Scope::Stack(index) => by_tile(account, explained, index, account.stacks.get(index)?, amount).after(STACKS),
        Scope::Tile(stack, tile) => {
            let layers = tile_at(account, stack, tile)?.layers.iter().enumerate();
            let layer = |(index, layer): (usize, &LayerTileAccount)| {
                folded(account, Scope::Layer([stack, tile, index]), amount, Some(layer.layer.clone()))
            };
            explained.or("by layer", How::Sum, nonzero(layers.map(layer)))
        }
        Scope::Layer(place) => explain_leaf(account, explained, place, amount)?,
    })
}

impl Explained {
    /// Adds the share of recomputation, which no formula of a single stack shows.
    fn noted_if(self, amount: Amount, account: &PointAccount) -> Self {
        if amount == Amount::Macs { super::sizes::with_recomputed(self, account) } else { self }
    }
}

fn nonzero(terms: impl Iterator<Item = Option<Explained>>) -> Vec<Explained> {
    terms.flatten().filter(|term| term.value != 0.0).collect()
}

/// A stack's sum: over tile types, times the number of tiles of each.
fn by_tile(
    account: &PointAccount,
    explained: Explained,
    index: usize,
    stack: &StackAccount,
    amount: Amount,
) -> Explained {
    let term = |(tile, tile_type): (usize, &TileTypeAccount)| {
        let one = folded(account, Scope::Tile(index, tile), amount, Some("one tile".to_owned()))?;
        let subject = ExplainedNumber::Point(PointNumber::TilesOf(index, tile));
        let count = Explained::folded("tiles", tile_type.count as f64, NumberUnit::Count(""), subject);
        let (x, y) = tile_type.size;
        let name = format!("type {} ({x} × {y})", tile + 1);
        Some(Explained::computed(name, amount.unit(), How::Product, vec![count, one]))
    };
    let explained = explained.or("by tile type", How::Sum, nonzero(stack.tile_types.iter().enumerate().map(term)));
    if account.stacks.len() == 1 { explained.noted_if(amount, account) } else { explained }
}

fn is_on_vector_unit(layer: &fusescape_engine::depth_first::LayerTileAccount) -> bool {
    layer.cost.as_ref().is_some_and(|cost| cost.energy[EnergyCause::Vector] > 0.0)
}

/// The parts of a single layer-tile's amount.
fn explain_leaf(
    account: &PointAccount,
    explained: Explained,
    place: LayerTileIndex,
    amount: Amount,
) -> Option<Explained> {
    let layer = layer_at(account, place)?;
    Some(match amount {
        Amount::Macs => parts::loop_product(explained, &layer.shape).after(SINGLE_LAYER),
        Amount::EnergyOf(EnergyCause::Mac) if is_on_vector_unit(layer) => explained.noted(NO_MACS),
        Amount::EnergyOf(EnergyCause::Mac) => {
            let macs = folded(account, Scope::Layer(place), Amount::Macs, None)?;
            // With computing in memory, the energy depends on the share of the array in use.
            let all = layer.cost.as_ref().map_or(0.0, |cost| cost.energy[EnergyCause::Mac]);
            let each = match layer.shape.mac_pj(&account.mac_energy) {
                0.0 => all / macs.value.max(1.0),
                stated => stated,
            };
            let each = Explained::given("energy of one", each, ENERGY_UNIT);
            explained.or("", How::Product, vec![macs, each]).after(ENERGY)
        }
        Amount::EnergyOf(EnergyCause::Vector) => {
            let pj = layer.cost.as_ref().map_or(0.0, |cost| cost.energy[EnergyCause::Vector]);
            parts::vector_operations(explained, &layer.shape, pj).after(ENERGY)
        }
        Amount::EnergyOf(EnergyCause::Access(cause @ (AccessCause::Activation | AccessCause::Weight))) => {
            let accesses = parts::accesses_of(layer, place, Counted::Energy, cause);
            explained.or("by access", How::Sum, accesses).after(ENERGY)
        }
        Amount::EnergyOf(EnergyCause::Access(AccessCause::Copy)) => {
            let actions = layer.copies.actions.iter().enumerate();
            let term = |(index, action): (usize, &fusescape_engine::depth_first::CopyActionAccount)| {
                let name = format!("{} of {}", action.kind.name(), action.layer);
                let subject = ExplainedNumber::Point(PointNumber::CopyEnergy(place, index));
                Explained::folded(name, action.energy_pj, ENERGY_UNIT, subject)
            };
            explained.or("by action", How::Sum, actions.map(term).collect()).after(COPIES)
        }
        Amount::CyclesOf(LatencyCause::Copy) => parts::copies_wait(explained, &layer.copies, place),
        Amount::CyclesOf(cause) => {
            let Some(cost) = &layer.cost else { return Some(explained) };
            match cause {
                LatencyCause::Computing => parts::loops_in_time(explained, &cost.loops),
                LatencyCause::Stall => parts::stall(explained, cost.slowest_port.as_ref()),
                LatencyCause::Loading => explained.noted(parts::LOADING),
                LatencyCause::Offloading => explained.noted(parts::OFFLOADING),
                LatencyCause::Copy => explained,
            }
            .after(LATENCY)
        }
        Amount::IdealCycles => {
            let macs = folded(account, Scope::Layer(place), Amount::Macs, None)?;
            let pes = Explained::given("PEs", account.pe_count as f64, NumberUnit::Count(""));
            let on_lanes = layer.cost.as_ref().is_some_and(|cost| parts::is_on_lanes(&layer.shape, &cost.energy));
            parts::ideal_cycles(explained, macs, pes, on_lanes).after(LATENCY)
        }
        Amount::IdleCycles => explained.after(LATENCY),
        Amount::At(counted, memory, Some(cause)) => {
            let terms = match cause {
                AccessCause::Copy => copy_words(layer, counted, memory),
                AccessCause::Activation | AccessCause::Weight => {
                    parts::accesses_at(layer, place, counted, memory, cause)
                }
            };
            explained.or("by access", How::Sum, terms).after(ENERGY)
        }
        Amount::At(_, _, None) | Amount::Energy | Amount::MappedEnergy => explained,
        Amount::Cycles | Amount::MappedCycles | Amount::Waiting => explained,
    })
}
