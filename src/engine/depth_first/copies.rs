//! Data copy actions and their cost (DeFiNES, Section III, step 4).

use super::account::CopyKind;
use crate::hardware::{Core, MemoryId, Movement, Operand, PortId};
use crate::rules::Rules;
use crate::sorting::sort_few_by_key;
use crate::units::{Bits, BitsPerCycle, Cycles};
use crate::workload::LayerId;
use rustc_hash::FxHashMap;

/// One data copy action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CopyAction {
    /// Why the data is copied.
    pub kind: CopyKind,
    /// The layer whose data it is.
    pub layer: LayerId,
    /// Bits that are copied.
    pub bits: Bits,
    /// The source: memory, and as which operand it holds the data.
    pub source: (MemoryId, Operand),
    /// The destination: memory, and as which operand it takes the data.
    pub destination: (MemoryId, Operand),
}

/// A hop of a data copy action: from one memory to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hop {
    /// Memory that is read, as which operand, by which movement.
    pub from: (MemoryId, Operand, Movement),
    /// Memory that is written.
    pub to: (MemoryId, Operand, Movement),
    /// Duration: that of the slower side, after the latency of the memory that is read.
    pub cycles: Cycles,
    /// The part of these that is the latency of the memory that is read.
    pub answer: Cycles,
    /// Energy of reading, pJ.
    pub read_pj: f64,
    /// Energy of writing, pJ.
    pub write_pj: f64,
    /// Full-width words read.
    pub read_words: f64,
    /// Full-width words written.
    pub write_words: f64,
}

/// The routes of data copy actions between memories, each found once.
///
/// Within one operand's chain a copy goes straight up or down; between operands up to the lowest memory that both share
/// above source and destination, and down from there.
pub struct CopyRoutes<'a> {
    core: &'a Core,
    rules: Rules,
    known: FxHashMap<[(MemoryId, Operand); 2], Vec<CopyStep>>,
    busy: Vec<PortUse>,
}

/// A memory read and the next one written, with their ports.
#[derive(Debug, Clone, Copy)]
struct CopyStep {
    from: CopyEnd,
    to: CopyEnd,
    ports: [Option<PortId>; 2],
    /// Cycles until the first word arrives.
    answer: Cycles,
}

/// An interval in which a port serves a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PortUse {
    port: (MemoryId, Option<PortId>),
    start: Cycles,
    end: Cycles,
}

impl PortUse {
    fn length(&self) -> Cycles {
        self.end - self.start
    }
}

/// Cost of data copy actions that start together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CopyCost {
    /// Energy of all hops of all copies, pJ.
    pub energy_pj: f64,
    /// Cycles until the last copy is done; a port serves its copies one after the other.
    pub latency: Cycles,
}

impl<'a> CopyRoutes<'a> {
    /// The routes of a core.
    pub fn new(core: &'a Core, rules: Rules) -> Self {
        Self { core, rules, known: FxHashMap::default(), busy: Vec::new() }
    }

    fn steps(&mut self, action: &CopyAction) -> &[CopyStep] {
        let (core, rules) = (self.core, self.rules);
        self.known.entry([action.source, action.destination]).or_insert_with(|| {
            let port = |(memory, operand, movement): CopyEnd| core.memories[memory].port(operand, movement);
            let answer = |(memory, ..): CopyEnd| match rules.memory_latency_hidden {
                true => Cycles(0),
                false => Cycles(core.memories[memory].extra_latency()),
            };
            let step = |(from, to): (CopyEnd, CopyEnd)| CopyStep {
                from,
                to,
                ports: [port(from), port(to)],
                answer: answer(from),
            };
            way(core, action.source, action.destination).into_iter().map(step).collect()
        })
    }

    /// The moves from memory to memory of which a copy consists, in their order.
    pub fn hops(&mut self, action: &CopyAction) -> impl Iterator<Item = Hop> {
        let (core, rules, bits) = (self.core, self.rules, action.bits);
        self.steps(action).iter().map(move |step| hop((core, &rules), step, bits))
    }

    /// Energy of one copy, pJ.
    pub fn energy_pj(&mut self, action: &CopyAction) -> f64 {
        self.hops(action).map(|hop| hop.read_pj + hop.write_pj).sum()
    }

    /// The cost of a list of copies. They start together; a port serves its copies one after the other.
    pub fn cost(&mut self, actions: &[CopyAction]) -> CopyCost {
        let energy_pj = actions.iter().map(|action| self.energy_pj(action)).sum();
        let mut busy = self.port_uses(actions);
        let latency = by_port(&mut busy).map(done).max().unwrap_or_default();
        self.busy = busy;
        CopyCost { energy_pj, latency }
    }

    /// The port that is done last with a list of copies; `None` where nothing moves.
    pub fn last_port(&mut self, actions: &[CopyAction]) -> Option<BusyPort> {
        let mut busy = self.port_uses(actions);
        // Of ports that are done at the same time, the one that begins first explains the latency best.
        let last = by_port(&mut busy).max_by_key(|uses| (done(uses), std::cmp::Reverse(first_and_last(uses).0)));
        let last = last.map(|uses| {
            let (start, end) = first_and_last(uses);
            let lengths = uses.iter().map(PortUse::length);
            BusyPort { memory: uses[0].port.0, start, end, uses: lengths.collect() }
        });
        self.busy = busy;
        last
    }

    fn port_uses(&mut self, actions: &[CopyAction]) -> Vec<PortUse> {
        let mut busy = std::mem::take(&mut self.busy);
        busy.clear();
        let core = self.core;
        for action in actions {
            let mut now = Cycles(0);
            for step in self.steps(action) {
                let cycles = hop_cycles(core, step, action.bits);
                let ends = [(step.from, now), (step.to, now + step.answer)];
                for ((end, start), port) in ends.into_iter().zip(step.ports) {
                    busy.push(PortUse { port: (end.0, port), start, end: start + cycles });
                }
                now += step.answer + cycles;
            }
        }
        busy
    }
}

/// Cycles in which both ports of a step work.
fn hop_cycles(core: &Core, step: &CopyStep, bits: Bits) -> Cycles {
    let cycles = |(memory, operand, movement): CopyEnd| {
        let memory = &core.memories[memory];
        Bits(memory.in_bursts(bits.0 as f64) as u64).cycles_at(BitsPerCycle(memory.width_bits(operand, movement)))
    };
    cycles(step.from).max(cycles(step.to))
}

fn hop((core, rules): (&Core, &Rules), step: &CopyStep, bits: Bits) -> Hop {
    let (reader, writer) = (&core.memories[step.from.0], &core.memories[step.to.0]);
    let read_words = reader.words(bits.0 as f64, step.from.1, step.from.2, rules);
    let write_words = writer.words(bits.0 as f64, step.to.1, step.to.2, rules);
    Hop {
        from: step.from,
        to: step.to,
        cycles: step.answer + hop_cycles(core, step, bits),
        answer: step.answer,
        read_pj: read_words * reader.read_energy_pj,
        write_pj: write_words * writer.write_energy_pj,
        read_words,
        write_words,
    }
}

/// A port and the copies that it serves.
#[derive(Debug, Clone, PartialEq)]
pub struct BusyPort {
    /// The memory that the port belongs to.
    pub memory: MemoryId,
    /// When the first of them reaches it.
    pub start: Cycles,
    /// When the last of them would be done if it had the port to itself.
    pub end: Cycles,
    /// Cycles that each use of the port takes.
    pub uses: Vec<Cycles>,
}

/// The uses of each port, in the order of time.
fn by_port(busy: &mut [PortUse]) -> impl Iterator<Item = &[PortUse]> {
    sort_few_by_key(busy, |port| *port);
    busy.chunk_by(|a, b| a.port == b.port)
}

/// The begin of the first use of one port, and the end of the last one without conflicts.
fn first_and_last(uses: &[PortUse]) -> (Cycles, Cycles) {
    let start = uses.iter().map(|port| port.start).min().unwrap_or_default();
    (start, uses.iter().map(|port| port.end).max().unwrap_or_default())
}

/// When a port is done: it serves one copy after the other.
fn done(uses: &[PortUse]) -> Cycles {
    let (start, end) = first_and_last(uses);
    end.max(start + uses.iter().map(PortUse::length).sum::<Cycles>())
}

type CopyEnd = (MemoryId, Operand, Movement);

fn way(core: &Core, source: (MemoryId, Operand), destination: (MemoryId, Operand)) -> Vec<(CopyEnd, CopyEnd)> {
    let ((from, from_as), (to, to_as)) = (source, destination);
    let shared = |operand: Operand, memory: MemoryId| core.level_of(operand, memory);
    let (up_as, down_as, turn) =
        if shared(from_as, to).is_some() && from_as != to_as && is_above(core, from_as, to, from) {
            (from_as, from_as, to)
        } else if shared(to_as, from).is_some() && is_above(core, to_as, from, to) {
            (to_as, to_as, from)
        } else if from_as == to_as {
            (from_as, from_as, to)
        } else if is_above(core, from_as, from, to) {
            (from_as, from_as, from)
        } else {
            let turn = core
                .levels(from_as)
                .iter()
                .copied()
                .find(|&memory| is_above(core, from_as, memory, from) && is_above(core, to_as, memory, to));
            (from_as, to_as, turn.unwrap_or_else(|| core.top(from_as)))
        };
    let mut way = Vec::new();
    let ups = chain(core, up_as, from, turn);
    way.extend(
        ups.windows(2).map(|pair| ((pair[0], up_as, Movement::ReadToHigh), (pair[1], up_as, Movement::WriteFromLow))),
    );
    let mut downs = chain(core, down_as, to, turn);
    downs.reverse();
    way.extend(
        downs
            .windows(2)
            .map(|pair| ((pair[0], down_as, Movement::ReadToLow), (pair[1], down_as, Movement::WriteFromHigh))),
    );
    way
}

/// Whether `high` is `low` or above it for `operand`.
fn is_above(core: &Core, operand: Operand, high: MemoryId, low: MemoryId) -> bool {
    match (core.level_of(operand, high), core.level_of(operand, low)) {
        (Some(high), Some(low)) => high >= low,
        _ => false,
    }
}

/// The memories of an operand from `low` up to `high`.
fn chain(core: &Core, operand: Operand, low: MemoryId, high: MemoryId) -> Vec<MemoryId> {
    let levels = core.levels(operand);
    match (core.level_of(operand, low), core.level_of(operand, high)) {
        (Some(low), Some(high)) if low <= high => levels[low..=high].to_vec(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{CopyAction, CopyRoutes};
    use crate::depth_first::CopyKind;
    use crate::hardware::{Core, Operand};
    use crate::rules::Rules;
    use crate::spec::{find_preset, hardware_presets};
    use crate::units::Bits;
    use crate::workload::LayerId;

    fn core() -> Core {
        Core::from_text(find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text).unwrap()
    }

    /// A copy between memories of the Meta-prototype-like DF core, by name.
    fn copy(core: &Core, bits: Bits, from: (&str, Operand), to: (&str, Operand)) -> CopyAction {
        let find = |name: &str| core.memories.position(|memory| memory.name == name).unwrap();
        let (source, destination) = ((find(from.0), from.1), (find(to.0), to.1));
        CopyAction { kind: CopyKind::InputFromOutput, layer: LayerId::default(), bits, source, destination }
    }

    #[test]
    fn a_copy_passes_every_memory_between_its_ends() {
        let core = core();
        for (from, to, way) in [
            (("dram", Operand::I), ("sram_64KB", Operand::I), &["sram_1MB_A", "sram_64KB"][..]),
            (("sram_64KB", Operand::O), ("dram", Operand::O), &["sram_1MB_A", "dram"]),
            (("sram_64KB", Operand::O), ("sram_1MB_A", Operand::I), &["sram_1MB_A"]),
            (("sram_1MB_A", Operand::O), ("sram_64KB", Operand::I), &["sram_64KB"]),
            (("sram_64KB", Operand::O), ("sram_64KB", Operand::I), &[]),
        ] {
            let mut routes = CopyRoutes::new(&core, Rules::CORRECTED);
            let names: Vec<&str> = routes
                .hops(&copy(&core, Bits(64), from, to))
                .map(|hop| core.memories[hop.to.0].name.as_str())
                .collect();
            assert_eq!(names, way, "{from:?} to {to:?}");
        }
    }

    #[test]
    fn copies_wait_for_each_other_only_at_a_port_they_share() {
        let core = core();
        let down = || copy(&core, Bits(5120), ("sram_1MB_A", Operand::I), ("sram_64KB", Operand::I));
        let up = copy(&core, Bits(5120), ("sram_64KB", Operand::O), ("sram_1MB_A", Operand::O));
        let latency_cycles = |actions: &[CopyAction]| CopyRoutes::new(&core, Rules::CORRECTED).cost(actions).latency.0;
        // 5,120 bit pass the narrower side, 512 bit a cycle, in 10 cycles.
        assert_eq!(latency_cycles(&[down()]), 10);
        assert_eq!(latency_cycles(&[down(), down()]), 20);
        assert_eq!(latency_cycles(&[down(), up]), 10);
        assert_eq!(latency_cycles(&[]), 0);
    }
}
