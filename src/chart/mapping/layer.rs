//! Figures and tables of one mapped layer.

use super::loop_nest::{LoopNests, NestColumn, NestLevel};
use crate::bars::{Breakdown, StackedBar};
use crate::kit::{BarCause, Column, Quantity, Table, TableCell, three_digits};
use crate::plots::{Line, LineLook, Lines, Scatter, ScatterPoint};
use fusescape_engine::cost::{Bandwidth, EnergyCause, LevelInformation, MappingError, PortBalance};
use fusescape_engine::explore::{LayerFacts, MappedLayer, TemporalMapping};
use fusescape_engine::hardware::Operand;
use fusescape_engine::search::space::{SpacePoint, Trajectory};
use fusescape_engine::workload::Dim;
use fusescape_spec::sorting::{sort_by, sort_by_key};

/// In the order of ZigZag's figures: W, I, O; the values index [`fusescape_engine::mapping::LayerOnCore::operands`].
pub const OPERAND_ORDER: [usize; 3] = [1, 2, 0];

/// The operand of the memories that stores an operand of the layer.
pub fn stored_as(facts: &LayerFacts, operand: usize) -> Operand {
    match (operand, facts.operands[operand].0.as_str()) {
        (0, _) => Operand::O,
        (1, "W") => Operand::W,
        _ => Operand::I,
    }
}

/// `OYu 13`, or `OYu 12.5` where the unrolling does not divide the loop.
fn unrolled_text((dim, width): &(Dim, f64)) -> String {
    if width.fract() == 0.0 { format!("{dim}u {width:.0}") } else { format!("{dim}u {width:.2}") }
}

/// All memories of a layer, lowest first.
pub fn memories_of(facts: &LayerFacts) -> Vec<String> {
    let mut memories: Vec<String> = Vec::new();
    // An operand's memories are in order; a memory is placed before the first memory of another operand that follows
    // it.
    for (_, names) in &facts.operands {
        let mut at = 0;
        for name in names {
            match memories.iter().position(|known| known == name) {
                Some(known) => at = known + 1,
                None => {
                    memories.insert(at, name.clone());
                    at += 1;
                }
            }
        }
    }
    memories
}

impl LoopNests {
    /// The nest of a mapping.
    pub fn new(facts: &LayerFacts, mapped: &MappedLayer) -> Self {
        let memories = memories_of(facts);
        let level = |operand: usize, (index, of): (usize, &LevelInformation)| NestLevel {
            memory: index
                .checked_sub(1)
                .and_then(|level| facts.operands[operand].1.get(level))
                .and_then(|name| memories.iter().position(|known| known == name)),
            loops: of.loops.iter().map(|next| format!("{} {}", next.dim, next.size)).collect(),
            unrolled: of.unrolled.iter().map(unrolled_text).collect(),
        };
        let column = |operand: usize| NestColumn {
            name: facts.operands[operand].0.clone(),
            operand: stored_as(facts, operand),
            levels: mapped.information.operands[operand]
                .levels
                .iter()
                .enumerate()
                .map(|of| level(operand, of))
                .collect(),
        };
        let columns = OPERAND_ORDER.map(column).to_vec();
        Self { memories, columns, overfull: Vec::new() }
    }

    /// The nest of an invalid mapping; `best` is a valid one of the same layer, with the same unrolled loops.
    pub fn invalid(facts: &LayerFacts, best: &MappedLayer, mapping: &TemporalMapping, flaws: &[MappingError]) -> Self {
        let mut nest = Self::new(facts, best);
        for (column, operand) in nest.columns.iter_mut().zip(OPERAND_ORDER) {
            let mut from = 0;
            // The MAC units have no loops.
            for (level, &end) in column.levels.iter_mut().skip(1).zip(&mapping.ends[operand]) {
                let loops = mapping.order.get(from..end.max(from)).unwrap_or_default();
                level.loops = loops.iter().map(|next| format!("{} {}", next.dim, next.size)).collect();
                from = end.max(from);
            }
        }
        let is_overfull = |name: &String| {
            flaws.iter().any(|flaw| matches!(flaw, MappingError::Overflow { memory, .. } if memory == name))
        };
        nest.overfull = (0..nest.memories.len()).filter(|&memory| is_overfull(&nest.memories[memory])).collect();
        nest
    }
}

impl Lines {
    /// The effect of every loop on the accesses (ZigZag, Fig. 7a).
    pub fn effect(facts: &LayerFacts, mapped: &MappedLayer) -> Self {
        let line = |operand: usize| {
            let information = &mapped.information.operands[operand];
            let names = &facts.operands[operand].1;
            let name = |step: &fusescape_engine::cost::LoopEffect| {
                if step.unrolled {
                    unrolled_text(&(step.dim, step.size))
                } else {
                    format!("{} {:.0}", step.dim, step.size)
                }
            };
            let macs = mapped.information.macs as f64;
            let values = std::iter::once(macs).chain(information.effect.iter().map(|step| step.accesses));
            let ends = |level: usize| information.effect.iter().filter(|step| step.level <= level).count();
            let marks = names.iter().enumerate().map(|(level, memory)| (ends(level), memory.clone())).collect();
            Line {
                name: information.name.clone(),
                look: LineLook::Operand(stored_as(facts, operand)),
                values: values.collect(),
                steps: information.effect.iter().map(name).collect(),
                marks,
            }
        };
        Self {
            quantity: Quantity::Elements,
            title: "elements accessed above the loop".to_owned(),
            step: "loops from the innermost (u: unrolled)".to_owned(),
            mark: "accesses of a memory".to_owned(),
            lines: OPERAND_ORDER.map(line).to_vec(),
        }
    }

    /// The energy of strategies loop by loop (ZigZag, Fig. 18). Those without a name are in the background.
    pub fn trajectories(trajectories: &[(Option<&str>, &Trajectory)]) -> Self {
        let named = trajectories.iter().filter(|(name, _)| name.is_some()).count();
        let mut series = 0;
        let line = |(name, of): &(Option<&str>, &Trajectory)| {
            let look = if name.is_some() {
                series += 1;
                LineLook::Series(series - 1, named)
            } else {
                LineLook::Faint
            };
            Line {
                name: name.unwrap_or("other mappings").to_owned(),
                look,
                values: std::iter::once(of.start_pj).chain(of.steps.iter().map(|step| step.memory_pj)).collect(),
                steps: Vec::new(),
                marks: Vec::new(),
            }
        };
        let mut lines: Vec<Line> = trajectories.iter().map(line).collect();
        sort_by_key(&mut lines, |line| line.look != LineLook::Faint);
        Self {
            quantity: Quantity::Energy,
            title: "energy of accesses".to_owned(),
            step: "loops assigned, from the innermost".to_owned(),
            mark: String::new(),
            lines,
        }
    }
}

impl Scatter {
    /// The mapping space of a layer (ZigZag, Fig. 17): even and uneven mappings in two colours.
    pub fn mapping_space(points: &[SpacePoint]) -> Self {
        let mut sorted: Vec<usize> = (0..points.len()).collect();
        sort_by(&mut sorted, |&a, &b| {
            let (a, b) = (&points[a], &points[b]);
            a.latency_cycles.cmp(&b.latency_cycles).then(a.energy_pj.total_cmp(&b.energy_pj))
        });
        let mut pareto = vec![false; points.len()];
        let mut least = f64::INFINITY;
        for index in sorted {
            if points[index].energy_pj < least {
                pareto[index] = true;
                least = points[index].energy_pj;
            }
        }
        let point = |(index, of): (usize, &SpacePoint)| ScatterPoint {
            label: if of.is_even { "even" } else { "uneven" }.to_owned(),
            series: usize::from(of.is_even),
            energy_pj: of.energy_pj,
            latency_cycles: of.latency_cycles as f64,
            pareto: pareto[index],
        };
        Self {
            series: vec!["uneven".to_owned(), "even".to_owned()],
            points: points.iter().enumerate().map(point).collect(),
            selected: None,
        }
    }
}

fn cause(facts: &LayerFacts, operand: usize) -> BarCause {
    match (operand, stored_as(facts, operand)) {
        (0, _) => BarCause::Operand(Operand::O),
        (_, Operand::W) => BarCause::Operand(Operand::W),
        (2, _) if stored_as(facts, 1) == Operand::I => BarCause::SecondInput,
        _ => BarCause::Operand(Operand::I),
    }
}

impl Breakdown {
    /// Energy of the accesses of every memory by operand (ZigZag, Fig. 7b), the highest memory first.
    pub fn memory_energy(facts: &LayerFacts, mapped: &MappedLayer) -> Self {
        let of = |memory: &str, operand: usize| -> f64 {
            let names = facts.operands[operand].1.iter();
            names.zip(&mapped.memory_pj[operand]).filter(|(name, _)| *name == memory).map(|(_, pj)| pj).sum()
        };
        let others = EnergyCause::seen_without_access(mapped.energy);
        let bar = |memory: &String| StackedBar {
            label: memory.clone(),
            values: OPERAND_ORDER
                .iter()
                .map(|&operand| of(memory, operand))
                .chain(others.clone().map(|_| 0.0))
                .collect(),
        };
        let other = |cause: EnergyCause| {
            let own = others.clone().map(|other| if other == cause { mapped.energy[cause] } else { 0.0 });
            let label = match cause {
                EnergyCause::Mac => "MAC units",
                _ => cause.title(),
            };
            StackedBar { label: label.to_owned(), values: OPERAND_ORDER.iter().map(|_| 0.0).chain(own).collect() }
        };
        Self {
            quantity: Quantity::Energy,
            title: "Energy".to_owned(),
            bar: "memory".to_owned(),
            causes: (OPERAND_ORDER.iter().map(|&operand| cause(facts, operand)))
                .chain(others.clone().map(BarCause::Energy))
                .collect(),
            bars: memories_of(facts).iter().rev().map(bar).chain(others.clone().map(other)).collect(),
        }
    }

    /// Stall cycles by port, and by the operand whose link is too slow; ports without stalls are left out.
    pub fn port_stalls(facts: &LayerFacts, ports: &[PortBalance]) -> Self {
        let bar = |port: &PortBalance| {
            let of = |operand: usize| {
                let links = port.links.iter().filter(|link| link.operand == facts.operands[operand].0);
                links.map(|link| link.cycles.max(0)).sum::<i64>() as f64
            };
            let parts = OPERAND_ORDER.map(of).into_iter().chain([port.sharing_cycles as f64]);
            StackedBar { label: format!("{} · {}", port.memory, port.port), values: parts.collect() }
        };
        Self {
            quantity: Quantity::Latency,
            title: "Waiting".to_owned(),
            bar: "port".to_owned(),
            causes: OPERAND_ORDER.iter().map(|&operand| cause(facts, operand)).chain([BarCause::Sharing]).collect(),
            bars: ports.iter().filter(|port| port.cycles > 0).map(bar).collect(),
        }
    }
}

/// Every link of every port with its stall or slack.
pub fn port_table(ports: &[PortBalance]) -> Table {
    let columns = vec![
        Column::words("port"),
        Column::words("link"),
        Column::numbers("transfers"),
        Column::plain("one every", "cycles"),
        Column::plain("may take", "cycles"),
        Column::plain("takes", "cycles"),
        Column::plain("waiting", "cycles"),
    ];
    let mut rows = Vec::new();
    for port in ports {
        let name = format!("{} · {}", port.memory, port.port);
        for link in &port.links {
            rows.push(vec![
                name.clone().into(),
                format!("{} {}", link.operand, link.movement.name().replace('_', " ")).into(),
                TableCell::count(link.count),
                TableCell::count(link.period),
                TableCell::count(link.allowed_cycles),
                TableCell::count(link.needed_cycles),
                waiting(link.cycles),
            ]);
        }
        let blanks = std::iter::repeat_n("".into(), 4);
        let total = [name.into(), "all together".into()].into_iter().chain(blanks).chain([waiting(port.cycles)]);
        rows.push(total.collect());
    }
    Table {
        caption: "What every port carries; the slowest port decides how long the array waits".to_owned(),
        columns,
        rows,
    }
}

/// Stall cycles of the array; in files a negative number is slack.
fn waiting(cycles: i64) -> TableCell {
    let text = if cycles > 0 { cycles.to_string() } else { format!("none, {} to spare", -cycles) };
    TableCell::number(text, cycles as f64)
}

/// The loop-information table of one operand (ZigZag, Fig. 6): one row per quantity, one column per architecture level.
pub fn information_table(facts: &LayerFacts, mapped: &MappedLayer, operand: usize) -> Table {
    let information = &mapped.information.operands[operand];
    let head = information.levels.iter().enumerate().map(|(index, _)| match index.checked_sub(1) {
        None => "MAC units".to_owned(),
        Some(level) => facts.operands[operand].1.get(level).cloned().unwrap_or_default(),
    });
    let columns = std::iter::once(Column::words("quantity")).chain(head.map(Column::numbers)).collect();
    let row = |title: &str, cell: &dyn Fn(&LevelInformation) -> TableCell| {
        std::iter::once(title.into()).chain(information.levels.iter().map(cell)).collect::<Vec<_>>()
    };
    let bytes = |text: &str, of: fn(&LevelInformation) -> f64| {
        let label = TableCell::Label { text: text.to_owned(), unit: Quantity::Bytes.base() };
        let cells = information.levels.iter().map(|level| TableCell::of(Quantity::Bytes, of(level) / 8.0));
        std::iter::once(label).chain(cells).collect::<Vec<_>>()
    };
    let loops = |loops: Vec<String>| if loops.is_empty() { TableCell::Nothing } else { loops.join(", ").into() };
    let traffic = |cell: fn(f64, f64) -> TableCell| {
        move |level: &LevelInformation| level.traffic.map_or_else(|| "".into(), |of| cell(of.down, of.up))
    };
    let bandwidth = |elements: fn(Bandwidth) -> f64, above: bool| {
        move |level: &LevelInformation| {
            let value = level.traffic.map(|of| elements(if above { of.above } else { of.unit }));
            value.map_or_else(|| "".into(), |value| TableCell::number(three_digits(value), value))
        }
    };
    let rows = vec![
        row("loops, innermost first", &|level| {
            loops(level.loops.iter().map(|next| format!("{} {}", next.dim, next.size)).collect())
        }),
        row("unrolled", &|level| loops(level.unrolled.iter().map(unrolled_text).collect())),
        row("data size in a unit, elements", &|level| whole(level.unit_size)),
        row("data size in total, elements", &|level| whole(level.total_size)),
        row("MACs that it supports, a unit", &|level| whole(level.unit_macs)),
        row("MACs that it supports, in total", &|level| whole(level.total_macs)),
        row("data reuse, total", &|level| factor(level.reuse.total)),
        row("of it temporal", &|level| factor(level.reuse.temporal)),
        row("of it spatial", &|level| factor(level.reuse.spatial)),
        row("data reuse with a FIFO", &|level| factor(level.reuse.with_fifo)),
        row("accesses from above ↓, elements", &traffic(|down, _| whole(down))),
        row("accesses towards above ↑, elements", &traffic(|_, up| whole(up))),
        row("turnaround, cycles", &|level| TableCell::count(level.turnaround_cycles)),
        row("units", &|level| whole(level.units.total)),
        row("units with different data", &|level| whole(level.units.unique)),
        row("units with the same data", &|level| factor(level.units.duplicate)),
        row("required bandwidth, a unit, elements/cycle", &bandwidth(|of| of.double_buffered, false)),
        row("required bandwidth, above, elements/cycle", &bandwidth(|of| of.double_buffered, true)),
        row("the same without double buffering, a unit", &bandwidth(|of| of.single_buffered, false)),
        row("the same without double buffering, above", &bandwidth(|of| of.single_buffered, true)),
        bytes("memory size used in a unit", |level| level.unit_bits),
        bytes("effective memory size of a unit", |level| level.effective_bits),
        row("room for so many times the data", &|level| level.roof.map_or(TableCell::Nothing, TableCell::count)),
    ];
    Table {
        caption: format!(
            "Loop information of {} ({} elements, each used {} times)",
            information.name,
            whole(information.size).text(),
            factor(information.reuse).text()
        ),
        columns,
        rows,
    }
}

fn factor(value: f64) -> TableCell {
    if value.fract() == 0.0 { whole(value) } else { TableCell::number(format!("{value:.2}"), value) }
}

fn whole(value: f64) -> TableCell {
    let is_whole = value.fract() == 0.0 && value.abs() < 9e15;
    if is_whole { TableCell::count(value as u64) } else { TableCell::number(format!("{value:.1}"), value) }
}
