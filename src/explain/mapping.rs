//! Numbers of one mapped layer: its cost (ZigZag, Section III).

use super::ExplainedNumber;
use super::formula::{Explained, How, NumberUnit};
use super::loops::Of;
use super::numbers::{CYCLES, Counted, ENERGY_UNIT};
use super::parts::{
    LOADING, NO_MACS, OFFLOADING, explain_access, ideal_cycles, is_on_lanes, loop_product, loops_in_time, port_terms,
    vector_operations,
};
use super::sources::{ENERGY, LATENCY};
use fusescape_chart::Quantity;
use fusescape_engine::cost::{Access, AccessCause, EnergyCause, LatencyCause};
use fusescape_engine::explore::{LayerFacts, MappedLayer};

/// A number of a mapped layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerNumber {
    /// Total energy.
    Energy,
    /// Energy of one cause.
    EnergyOf(EnergyCause),
    /// Energy of an operand at one of its memory levels.
    MemoryEnergy(usize, usize),
    /// Latency.
    Cycles,
    /// Cycles of computing.
    Temporal,
    /// Cycles of computing if all PEs worked.
    Ideal,
    /// Cycles of stalls at ports.
    Stall,
    /// Cycles that one port makes the array wait; negative for slack.
    Port(usize),
    /// Share of the PEs that are busy, over the whole time.
    Use,
    /// Share of the PEs in the unrolling.
    SpaceUse,
    /// Share of the time in which they are busy.
    TimeUse,
    /// Multiply-accumulates.
    Macs,
    /// An amount of one access.
    Access(usize, Counted),
    /// An entry of the loop-information table: of an operand at an architecture level.
    Level(usize, usize, LevelFigure),
}

/// A row of the loop-information table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelFigure {
    UnitSize,
    TotalSize,
    UnitMacs,
    TotalMacs,
    Reuse,
    TemporalReuse,
    SpatialReuse,
    FifoReuse,
    Down,
    Up,
    Turnaround,
    Units,
    UniqueUnits,
    DuplicateUnits,
    Bandwidth,
    BandwidthAbove,
    SingleBandwidth,
    SingleBandwidthAbove,
    UnitBytes,
    EffectiveBytes,
    Roof,
}

impl LevelFigure {
    /// In the order of the table's rows; its first two rows list loops.
    pub const ROWS: [Self; 21] = [
        Self::UnitSize,
        Self::TotalSize,
        Self::UnitMacs,
        Self::TotalMacs,
        Self::Reuse,
        Self::TemporalReuse,
        Self::SpatialReuse,
        Self::FifoReuse,
        Self::Down,
        Self::Up,
        Self::Turnaround,
        Self::Units,
        Self::UniqueUnits,
        Self::DuplicateUnits,
        Self::Bandwidth,
        Self::BandwidthAbove,
        Self::SingleBandwidth,
        Self::SingleBandwidthAbove,
        Self::UnitBytes,
        Self::EffectiveBytes,
        Self::Roof,
    ];
}

const PLAIN: NumberUnit = NumberUnit::Count("");
const OVERLAP: &str = " As the rules have it, what passes while the layer computes is taken off on average.";

fn access_energy((index, access): (usize, &Access)) -> Explained {
    let name = access.movement.name().replace('_', " ");
    let subject = ExplainedNumber::Layer(LayerNumber::Access(index, Counted::Energy));
    Explained::folded(name, access.energy_pj(), ENERGY_UNIT, subject)
}

/// Explains a number of a mapped layer; `None` if it has no such number.
pub fn explain_layer(facts: &LayerFacts, mapped: &MappedLayer, number: LayerNumber) -> Option<Explained> {
    let of = Of { facts, mapped };
    let (cycles, pes) = (&mapped.cycles, Explained::given("PEs", facts.pe_count as f64, PLAIN));
    let share = |name: &'static str, over: LayerNumber, under: LayerNumber| {
        let terms = [of.folded(over), of.folded(under)].into_iter().flatten().collect();
        Explained::computed(name, NumberUnit::Share, How::Quotient, terms)
    };
    let given = |name: &'static str, value: f64, unit: NumberUnit| Explained::given(name, value, unit);
    Some(match number {
        LayerNumber::Energy => {
            let others = EnergyCause::without_access();
            let mut terms: Vec<Explained> =
                others.filter_map(|cause| of.folded(LayerNumber::EnergyOf(cause))).collect();
            for operand in 0..mapped.memory_pj.len() {
                let levels = 0..mapped.memory_pj[operand].len();
                terms.extend(levels.filter_map(|level| of.folded(LayerNumber::MemoryEnergy(operand, level))));
            }
            terms.retain(|term| term.value != 0.0);
            given("energy", mapped.energy_pj(), ENERGY_UNIT).or("", How::Sum, terms).after(ENERGY)
        }
        LayerNumber::EnergyOf(cause) => {
            let explained = given(cause.plural(), mapped.energy[cause], ENERGY_UNIT);
            match cause {
                EnergyCause::Access(cause) => {
                    let accesses = mapped.accesses.iter().enumerate();
                    let of_cause = accesses.filter(|(_, access)| AccessCause::of_operand(access.stored_as) == cause);
                    explained.or("by access", How::Sum, of_cause.map(access_energy).collect())
                }
                EnergyCause::Vector => vector_operations(explained, &facts.shape, mapped.energy[cause]),
                EnergyCause::Mac if mapped.energy[EnergyCause::Vector] > 0.0 => explained.noted(NO_MACS),
                EnergyCause::Mac => {
                    let macs = of.folded(LayerNumber::Macs)?;
                    let each = given("energy of one", facts.mac_pj, ENERGY_UNIT);
                    explained.or("", How::Product, vec![macs, each])
                }
            }
            .after(ENERGY)
        }
        LayerNumber::MemoryEnergy(operand, level) => {
            let value = *mapped.memory_pj.get(operand)?.get(level)?;
            let here = |(_, access): &(usize, &Access)| of.is(access, operand, level);
            let terms = mapped.accesses.iter().enumerate().filter(here).map(access_energy).collect();
            let (name, memories) = facts.operands.get(operand)?;
            let name = format!("{name} of {}", memories.get(level)?);
            Explained::given(name, value, ENERGY_UNIT).or("", How::Sum, terms).after(ENERGY)
        }
        LayerNumber::Cycles => {
            let waiting = |cause: LatencyCause, value: f64, note: &'static str| {
                let overlap = if cycles.overlaps { OVERLAP } else { "" };
                given(cause.plural(), value, CYCLES).noted(format!("{note}{overlap}")).after(LATENCY)
            };
            let parts = [
                of.folded(LayerNumber::Temporal)?,
                of.folded(LayerNumber::Stall)?,
                waiting(LatencyCause::Loading, cycles.loading, LOADING),
                waiting(LatencyCause::Offloading, cycles.offloading, OFFLOADING),
            ];
            let terms: Vec<Explained> = parts.into_iter().filter(|term| term.value != 0.0).collect();
            let how = if cycles.overlaps { How::SumUp } else { How::Sum };
            given("latency", cycles.total as f64, CYCLES).or("", how, terms).after(LATENCY)
        }
        LayerNumber::Temporal => {
            let explained = given("computing", cycles.computing() as f64, CYCLES);
            loops_in_time(explained, &mapped.mapping.order).after(LATENCY)
        }
        LayerNumber::Ideal => {
            let explained = given("computing with all PEs", cycles.by_cause.ideal_cycles, CYCLES);
            let on_lanes = is_on_lanes(&facts.shape, &mapped.energy);
            ideal_cycles(explained, of.folded(LayerNumber::Macs)?, pes, on_lanes).after(LATENCY)
        }
        LayerNumber::Stall => {
            let ports = (0..mapped.ports.len()).filter_map(|port| of.folded(LayerNumber::Port(port)));
            let mut terms: Vec<Explained> = ports.filter(|port| port.value > 0.0).collect();
            if terms.is_empty() {
                terms.push(given("no port", 0.0, CYCLES));
            }
            let explained =
                given("stalls", cycles.by_cause[LatencyCause::Stall] as f64, CYCLES).or("by port", How::Largest, terms);
            explained.noted(stalls_left_out(mapped)).after(LATENCY)
        }
        LayerNumber::Port(index) => {
            let port = mapped.ports.get(index)?;
            let name = format!("{} of {}", port.port, port.memory);
            Explained::given(name, port.cycles as f64, CYCLES).or("", How::Sum, port_terms(port)).after(LATENCY)
        }
        LayerNumber::Use => {
            let terms = [LayerNumber::SpaceUse, LayerNumber::TimeUse].map(|part| of.folded(part));
            Explained::computed("PEs at work", NumberUnit::Share, How::Product, terms.into_iter().flatten().collect())
        }
        LayerNumber::SpaceUse => share("in space", LayerNumber::Ideal, LayerNumber::Temporal)
            .noted("The loops that are unrolled may be narrower than the array."),
        LayerNumber::TimeUse => share("in time", LayerNumber::Temporal, LayerNumber::Cycles)
            .noted("The array waits for its memories the rest of the time."),
        LayerNumber::Macs => {
            let explained =
                given("multiply-accumulates", mapped.information.macs as f64, NumberUnit::Of(Quantity::Macs));
            loop_product(explained, &facts.shape)
        }
        LayerNumber::Access(index, counted) => {
            let access = mapped.accesses.get(index)?;
            let operand = facts.operands.iter().find(|(name, _)| *name == access.operand)?;
            explain_access(access, counted, operand.1.get(access.level)?)
        }
        LayerNumber::Level(operand, level, figure) => of.level(operand, level, figure)?,
    })
}

/// All stalls that the stall of the slowest port leaves out, each with an upper bound.
fn stalls_left_out(mapped: &MappedLayer) -> String {
    let mut stalls: Vec<i64> = mapped.ports.iter().map(|port| port.cycles).filter(|cycles| *cycles > 0).collect();
    stalls.sort_unstable();
    stalls.pop();
    let mut note = "The slowest port decides, as all stall at the same time".to_owned();
    if !stalls.is_empty() {
        note += &format!("; if no two did, stalls were {} cycles longer", stalls.iter().sum::<i64>());
    }
    let answers = mapped.cycles.stalls_not_asked_ahead.saturating_sub(mapped.cycles.by_cause[LatencyCause::Stall]);
    if answers > 0 {
        note += &format!(
            ". Memories are asked ahead of time; if each transfer waited for the answer, stalls were {answers} cycles longer"
        );
    }
    let links = mapped.ports.iter().flat_map(|port| &port.links);
    let once: u64 = links.filter(|link| link.count == 1).map(|link| link.needed_cycles).sum();
    if once > 0 {
        note += &format!(
            ". Links that are used once stall nobody: of their {once} cycles only loading and offloading count"
        );
    }
    note + "."
}
