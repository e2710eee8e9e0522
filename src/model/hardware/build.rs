//! From a raw hardware document to a [`Core`], collecting everything that is wrong with it.

use super::array::{ArrayDimId, ArrayDims, ArraySizes, Unroll, WideUnroll};
use super::check::{MAX_SIZE, check_area, check_bits, check_energy, check_leakage};
use super::core::Core;
use super::estimate::Estimate;
use super::in_memory::InMemory;
use super::mac::MacEnergy;
use super::memory::{DEFAULT_PORTS, Memory, MemoryId, Movement, Port, PortId};
use super::operand::Operand;
use super::vector::VectorUnit;
use crate::ids::{TiSlice, TiVec};
use crate::spec::{Diagnostics, Fix, HardwareSpec, LANES, MemorySpec, PortSpec, UnrollSpec, closest};
use crate::workload::{Dim, LayerKind};

/// Limit on the array dimensions; sets of them are kept as bits.
const MAX_ARRAY_DIMENSIONS: usize = 16;
/// Limit on the memory levels of an operand; tables of levels have this fixed size.
pub const MAX_LEVELS: usize = 8;
/// The slowest and the fastest clock, MHz.
const CLOCK_MHZ: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

impl Core {
    /// Validates a document.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its path in the document, the reason and a remedy.
    pub fn new(spec: &HardwareSpec) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        check_array(spec, &mut diagnostics);
        check_clock(spec, &mut diagnostics);
        let mac_energy = MacEnergy::new(&spec.array, &mut diagnostics);
        let array = TiVec::from(spec.array.dimensions.clone());
        let systolic = array_dims("array.systolic", &spec.array.systolic, &spec.array.dimensions, &mut diagnostics);
        let unrolls = build_unrolls(spec, &mut diagnostics);
        let of_kind = |(name, stated): &(String, Vec<UnrollSpec>)| {
            let wide = wide_unrolls(spec.array.dimensions.iter(), stated).into_iter();
            LayerKind::from_name(name).map(|kind| wide.map(move |wide| (kind, wide)))
        };
        let wide_unrolls = spec.unroll.iter().filter_map(of_kind).flatten().collect();
        let registers = Registers::of(spec);
        let lanes = spec.vector_unit.as_ref().map(|unit| [(LANES.to_owned(), unit.lanes)]);
        let of_unit = spec.vector_unit.iter().flat_map(|unit| &unit.registers).map(|memory| (memory, lanes.as_ref()));
        let described: Vec<_> = of_unit.chain(spec.memories.iter().map(|memory| (memory, None))).collect();
        let mut memories: TiVec<MemoryId, Memory> = TiVec::with_capacity(described.len());
        for (id, &(memory, lanes)) in described.iter().enumerate() {
            let array = lanes.map_or(&spec.array.dimensions[..], |lanes| lanes);
            let path = registers.path(MemoryId::from(id));
            memories.push(build_memory(&path, memory, array, &mut diagnostics));
        }
        let named: Vec<_> = described
            .iter()
            .enumerate()
            .map(|(id, (memory, _))| (registers.path(MemoryId::from(id)), &*memory.name))
            .collect();
        diagnostics.add_namesakes("memories", &named);
        let of_array = || memories.keys().skip(registers.0);
        let levels = Operand::ALL
            .map(|operand| of_array().filter(|&id| memories[id].operands.contains(&operand)).collect::<Vec<_>>());
        check_hierarchy(&memories, &levels, registers, &spec.array.dimensions, &mut diagnostics);
        let vector_unit =
            spec.vector_unit.as_ref().and_then(|unit| VectorUnit::new(unit, &memories, &levels, &mut diagnostics));
        let cells = levels[Operand::W as usize].first().map(|&id| (registers.path(id), &memories[id]));
        let in_memory = InMemory::new(&spec.array, cells, &mut diagnostics);
        let clock_mhz = spec.clock_mhz.or_else(|| in_memory.as_ref().map(|array| 1e3 / array.period_ns()));
        diagnostics.or(Self {
            name: spec.name.clone(),
            dataflow: spec.dataflow.clone(),
            array,
            systolic,
            mac_energy,
            in_memory,
            pe_area_um2: spec.array.pe_area_um2,
            clock_mhz,
            array_leakage_mw: spec.array.leakage_mw,
            memories,
            vector_unit,
            levels,
            unrolls,
            wide_unrolls,
        })
    }

    /// The loops that are unrolled wider than the array, for a layer of this kind that states nothing itself.
    pub fn wide_unrolls(&self, kind: LayerKind) -> impl Iterator<Item = &WideUnroll> {
        self.wide_unrolls.iter().filter(move |(of, _)| *of == kind).map(|(_, wide)| wide)
    }

    /// The loops that a layer's own spatial mapping unrolls wider than the array.
    pub fn wide_unrolls_stated(&self, stated: &[UnrollSpec]) -> Vec<WideUnroll> {
        wide_unrolls(self.array.iter(), stated)
    }

    /// A layer's own spatial mapping, as its document states it for hardware of this core's dataflow.
    ///
    /// Array dimensions that this core does not have are left out.
    pub fn unroll_stated(&self, stated: &[UnrollSpec]) -> Vec<Unroll> {
        unroll_over(&self.array, stated)
    }
}

fn wide_unrolls<'a>(array: impl Iterator<Item = &'a (String, u64)>, stated: &[UnrollSpec]) -> Vec<WideUnroll> {
    let of_dimension = |(name, size): &(String, u64)| {
        let is_wide = |one: &UnrollSpec| {
            let limit = one.limit.filter(|limit| one.array_dimension == *name && limit > size)?;
            let (array_dimension, loop_dimension) = (name.clone(), one.loop_dimension.clone());
            Some(WideUnroll { array_dimension, size: *size, loop_dimension, limit })
        };
        stated.iter().filter_map(is_wide).collect::<Vec<_>>()
    };
    array.flat_map(of_dimension).collect()
}

/// A spatial mapping as a document states it. Dimensions that the array does not have are left out.
pub fn unroll_over(array: &ArraySizes, stated: &[UnrollSpec]) -> Vec<Unroll> {
    let unroll = |stated_one: &UnrollSpec| {
        let array_dim = array.position(|(name, _)| *name == stated_one.array_dimension)?;
        let dim = Dim::from_name(&stated_one.loop_dimension)?;
        Some(Unroll { array_dim, dim, limit: limit(stated_one, stated, array[array_dim].1) })
    };
    stated.iter().filter_map(unroll).collect()
}

fn check_array(spec: &HardwareSpec, diagnostics: &mut Diagnostics) {
    let dimensions = &spec.array.dimensions;
    if dimensions.is_empty() || dimensions.len() > MAX_ARRAY_DIMENSIONS {
        diagnostics.add(
            "array.dimensions",
            format!("The PE array has {} dimensions", dimensions.len()),
            format!("Give it 1 to {MAX_ARRAY_DIMENSIONS}, for example `{{ D1: 32, D2: 2 }}`"),
        );
    }
    for (index, (name, size)) in dimensions.iter().enumerate() {
        if *size == 0 || *size > MAX_SIZE {
            diagnostics.add(
                format!("array.dimensions.{name}"),
                format!("The size {size} is not between 1 and {MAX_SIZE}"),
                "State how many PEs lie along this dimension",
            );
        }
        if dimensions[..index].iter().any(|(other, _)| other == name) {
            diagnostics.add(format!("array.dimensions.{name}"), "This dimension is stated twice", "Rename one of them");
        }
    }
    if dimensions.iter().try_fold(1u64, |all, (_, size)| all.checked_mul(*size)).is_none_or(|all| all > MAX_SIZE) {
        diagnostics.add("array.dimensions", "The array has too many PEs to count", "Make its dimensions smaller");
    }
    check_area("array.pe_area", spec.array.pe_area_um2, diagnostics);
    check_leakage("array.leakage", spec.array.leakage_mw, diagnostics);
}

fn check_clock(spec: &HardwareSpec, diagnostics: &mut Diagnostics) {
    let registers = spec.vector_unit.iter().flat_map(|unit| &unit.registers);
    let leaks = spec.array.leakage_mw > 0.0 || spec.memories.iter().chain(registers).any(|one| one.leakage_mw > 0.0);
    match spec.clock_mhz {
        None if leaks && spec.array.in_memory.is_none() => diagnostics.add(
            "clock",
            "A leakage is stated, but no clock, so that nobody knows how long a cycle leaks",
            "State it, for example `clock: 200 MHz`",
        ),
        Some(mhz) if !CLOCK_MHZ.contains(&mhz) => {
            diagnostics.add("clock", format!("No core runs at {mhz} MHz"), "Write 0.001 kHz to 1000 GHz");
        }
        _ => {}
    }
}

/// A transfer moves words, so that a burst that is less than one means nothing.
fn check_burst(path: &str, name: &str, memory: &MemorySpec, diagnostics: &mut Diagnostics) {
    let Some(bits) = memory.burst_bits else { return };
    let widest = memory.read_width_bits.max(memory.write_width_bits);
    let path = format!("{path}.burst");
    if bits > 0 && bits < widest {
        let reason = format!("A burst of {bits} bit is less than one access of {name}, which has {widest} bit");
        diagnostics.add(path, reason, format!("Write at least {widest} bit, or leave it out"));
    } else {
        let remedy = "Write the bits of one transfer, for example `512 bit`, or leave it out";
        check_bits(path, &format!("{name} has a burst"), bits, remedy, diagnostics);
    }
}

fn build_unrolls(spec: &HardwareSpec, diagnostics: &mut Diagnostics) -> Vec<(LayerKind, Vec<Unroll>)> {
    let mut unrolls = Vec::new();
    for (kind_name, stated) in &spec.unroll {
        let path = format!("unroll.{kind_name}");
        let Some(kind) = LayerKind::from_name(kind_name) else {
            let reason = format!("There is no layer type `{kind_name}`");
            let names = LayerKind::ALL.map(LayerKind::name);
            let meant = closest(kind_name, names).map(|meant| Fix::Rename(meant.to_owned()));
            diagnostics.add_unknown(path, reason, kind_name, &names);
            if let Some(last) = diagnostics.0.last_mut() {
                last.fix = meant;
            }
            continue;
        };
        unrolls.push((kind, check_unroll(&path, stated, &spec.array.dimensions, diagnostics)));
    }
    unrolls
}

fn check_unroll(
    path: &str,
    stated: &[UnrollSpec],
    array: &[(String, u64)],
    diagnostics: &mut Diagnostics,
) -> Vec<Unroll> {
    let mut unroll = Vec::new();
    for one in stated {
        let UnrollSpec { array_dimension, loop_dimension, limit } = one;
        let path = format!("{path}.{array_dimension}");
        let array_dim = array.iter().position(|(name, _)| name == array_dimension);
        // An array without dimensions is reported elsewhere.
        if array_dim.is_none() && !array.is_empty() {
            let names: Vec<&str> = array.iter().map(|(name, _)| name.as_str()).collect();
            diagnostics.add(
                &path,
                format!("The array has no dimension `{array_dimension}`"),
                format!("Use one of {}", names.join(", ")),
            );
        }
        let dim = Dim::from_name(loop_dimension);
        if dim.is_none() {
            diagnostics.add(
                &path,
                format!("There is no loop dimension `{loop_dimension}`"),
                format!("Use one of {}", Dim::ALL.map(Dim::name).join(", ")),
            );
        }
        if *limit == Some(0) {
            diagnostics.add(&path, "The loop is limited to 0 PEs", "Write at least 1, or leave the number out");
        }
        if let (Some(place), Some(dim)) = (array_dim, dim) {
            let limit = self::limit(one, stated, array[place].1);
            unroll.push(Unroll { array_dim: place.into(), dim, limit });
        }
    }
    for (name, size) in array {
        check_shared_dimension(&format!("{path}.{name}"), name, *size, stated, diagnostics);
    }
    unroll
}

/// The width of a loop over an array dimension of `size` PEs: as stated, else the part that the others on the same
/// dimension leave.
fn limit(of: &UnrollSpec, stated: &[UnrollSpec], size: u64) -> u64 {
    let others = stated.iter().filter(|other| other.array_dimension == of.array_dimension);
    let taken = others.filter_map(|other| other.limit).fold(1, |all: u64, limit| all.saturating_mul(limit.max(1)));
    of.limit.unwrap_or((size / taken).max(1)).min(size)
}

/// Loops that share an array dimension must fit it together.
pub fn check_shared_dimension(path: &str, name: &str, size: u64, stated: &[UnrollSpec], diagnostics: &mut Diagnostics) {
    let sharing: Vec<&UnrollSpec> = stated.iter().filter(|unroll| unroll.array_dimension == name).collect();
    if sharing.len() < 2 {
        return;
    }
    if sharing.iter().filter(|unroll| unroll.limit.is_none()).count() > 1 {
        diagnostics.add(
            path,
            format!("{} loops share `{name}`, and more than one does not say how much of it it takes", sharing.len()),
            "State the number of PEs of all but one, for example `[FY 5, OY 2]`",
        );
    }
    let taken = sharing.iter().filter_map(|unroll| unroll.limit).fold(1, u64::saturating_mul);
    if taken > size {
        diagnostics.add(
            path,
            format!("The loops that share `{name}` need {taken} PEs along it, which has {size}"),
            "Make their numbers smaller, so that their product fits",
        );
    }
}

fn build_memory(path: &str, memory: &MemorySpec, array: &[(String, u64)], diagnostics: &mut Diagnostics) -> Memory {
    let name = if memory.name.is_empty() { path.to_owned() } else { format!("`{}`", memory.name) };
    if memory.name.is_empty() {
        diagnostics.add(format!("{path}.name"), "This memory has no name", "Give it one, for example `lb`");
    }
    for (field, value) in [
        ("size", memory.size_bits),
        ("read_width", memory.read_width_bits),
        ("write_width", memory.write_width_bits),
        ("read_granularity", memory.read_granularity_bits),
        ("write_granularity", memory.write_granularity_bits),
    ] {
        let what = format!("{name} has a {}", field.replace('_', " "));
        let remedy = "Write a positive number with a unit, for example `64 bit` or `32 KiB`";
        check_bits(format!("{path}.{field}"), &what, value, remedy, diagnostics);
    }
    for (side, granularity, width) in [
        ("read", memory.read_granularity_bits, memory.read_width_bits),
        ("write", memory.write_granularity_bits, memory.write_width_bits),
    ] {
        if granularity > width && width > 0 {
            diagnostics.add(
                format!("{path}.{side}_granularity"),
                format!("{name} can {side} no less than {granularity} bit, but a word has only {width} bit"),
                "Make the granularity at most the width",
            );
        }
    }
    check_energy(&format!("{path}.read_energy"), memory.read_energy_pj, diagnostics);
    check_energy(&format!("{path}.write_energy"), memory.write_energy_pj, diagnostics);
    check_area(&format!("{path}.area"), memory.area_um2, diagnostics);
    check_leakage(&format!("{path}.leakage"), memory.leakage_mw, diagnostics);
    check_burst(path, &name, memory, diagnostics);
    let estimate = Estimate::new(path, &name, memory, diagnostics);
    if memory.latency_cycles > MAX_SIZE {
        diagnostics.add(
            format!("{path}.latency"),
            format!("{name} takes {} cycles to answer, which is too many", memory.latency_cycles),
            format!("Write at most {MAX_SIZE} cycles from a request to its first word, for example `1 cycle`"),
        );
    }
    let operands = build_operands(path, &name, memory, diagnostics);
    let (shared_over, instances) = build_sharing(path, memory, array, diagnostics);
    let mut built = Memory {
        name: memory.name.clone(),
        size_bits: memory.size_bits,
        ports: build_ports(path, &name, memory, &operands, diagnostics),
        operands,
        read_width_bits: memory.read_width_bits,
        write_width_bits: memory.write_width_bits,
        read_granularity_bits: memory.read_granularity_bits,
        write_granularity_bits: memory.write_granularity_bits,
        read_energy_pj: memory.read_energy_pj,
        write_energy_pj: memory.write_energy_pj,
        area_um2: memory.area_um2,
        shared_over,
        instances,
        latency_cycles: memory.latency_cycles,
        burst_bits: memory.burst_bits,
        double_buffered: memory.double_buffered,
        leakage_mw: memory.leakage_mw,
        estimate: None,
    };
    if let Some((estimate, figures)) = estimate {
        built.fill(estimate, figures);
    }
    built
}

fn build_operands(path: &str, name: &str, memory: &MemorySpec, diagnostics: &mut Diagnostics) -> Vec<Operand> {
    let path = format!("{path}.operands");
    let mut operands = Vec::new();
    for word in &memory.operands {
        match operand_from_name(word) {
            Some(operand) if operands.contains(&operand) => {
                diagnostics.add(&path, format!("{name} lists {word} twice"), "Keep one");
            }
            Some(operand) => operands.push(operand),
            None => diagnostics.add(&path, format!("There is no operand `{word}`"), "Use W, I and O"),
        }
    }
    if memory.operands.is_empty() {
        diagnostics.add(&path, format!("{name} holds nothing"), "List what it holds, for example `[I, O]`");
    }
    operands
}

fn operand_from_name(word: &str) -> Option<Operand> {
    Operand::ALL.into_iter().find(|operand| operand.to_string() == word)
}

fn build_sharing(
    path: &str,
    memory: &MemorySpec,
    array: &[(String, u64)],
    diagnostics: &mut Diagnostics,
) -> (ArrayDims, u64) {
    let shared = array_dims(&format!("{path}.shared_over"), &memory.shared_over, array, diagnostics);
    let instances = array
        .iter()
        .take(MAX_ARRAY_DIMENSIONS)
        .enumerate()
        .filter(|(index, _)| !shared.contains(ArrayDimId::from(*index)))
        .fold(1u64, |all, (_, (_, size))| all.saturating_mul(*size));
    (shared, instances)
}

/// The dimensions of the array that are named at `path`.
fn array_dims(path: &str, names: &[String], array: &[(String, u64)], diagnostics: &mut Diagnostics) -> ArrayDims {
    let mut dims = ArrayDims::default();
    for word in names {
        match array.iter().take(MAX_ARRAY_DIMENSIONS).position(|(name, _)| name == word) {
            Some(index) => dims = dims.with(ArrayDimId::from(index)),
            None => diagnostics.add(
                path,
                format!("The array has no dimension `{word}`"),
                "Use the names in `array.dimensions`, or `all`",
            ),
        }
    }
    dims
}

/// Movements that happen at a memory of `operand`; at its top only those to and from below.
pub fn movements(operand: Operand) -> &'static [Movement] {
    match operand {
        Operand::W | Operand::I => &[Movement::ReadToLow, Movement::WriteFromHigh],
        Operand::O => &Movement::ALL,
    }
}

fn build_ports(
    path: &str,
    name: &str,
    memory: &MemorySpec,
    operands: &[Operand],
    diagnostics: &mut Diagnostics,
) -> TiVec<PortId, Port> {
    if memory.ports.is_empty() {
        return DEFAULT_PORTS
            .map(|(name, reads)| Port {
                name: name.to_owned(),
                serves: operands
                    .iter()
                    .flat_map(|&operand| movements(operand).iter().map(move |&movement| (operand, movement)))
                    .filter(|(_, movement)| movement.is_read() == reads)
                    .collect(),
                width_bits: None,
                granularity_bits: None,
            })
            .into_iter()
            .collect();
    }
    let mut ports: TiVec<PortId, Port> = TiVec::new();
    for (index, port) in memory.ports.iter().enumerate() {
        let path = format!("{path}.ports[{index}]");
        if ports.iter().any(|other| other.name == port.name) {
            diagnostics.add(&path, format!("{name} has two ports `{}`", port.name), "Rename one of them");
        }
        let serves = build_services(&path, name, port, operands, &ports.raw, diagnostics);
        check_port_width(&path, name, port, diagnostics);
        let PortSpec { width_bits, granularity_bits, .. } = *port;
        ports.push(Port { name: port.name.clone(), serves, width_bits, granularity_bits });
    }
    ports
}

fn check_port_width(path: &str, name: &str, port: &PortSpec, diagnostics: &mut Diagnostics) {
    for (field, bits) in [("width", port.width_bits), ("granularity", port.granularity_bits)] {
        let what = format!("Port `{}` of {name} has a {field}", port.name);
        let remedy =
            "Write a positive number with a unit, for example `64 bit`, or leave it out for that of the memory";
        check_bits(format!("{path}.{field}"), &what, bits.unwrap_or(1), remedy, diagnostics);
    }
    if let (Some(width), Some(granularity)) = (port.width_bits, port.granularity_bits)
        && granularity > width
        && width > 0
    {
        diagnostics.add(
            format!("{path}.granularity"),
            format!("Port `{}` of {name} moves no less than {granularity} bit, but has only {width} bit", port.name),
            "Make the granularity at most the width",
        );
    }
}

fn build_services(
    path: &str,
    name: &str,
    port: &PortSpec,
    operands: &[Operand],
    earlier: &[Port],
    diagnostics: &mut Diagnostics,
) -> Vec<(Operand, Movement)> {
    let mut serves = Vec::new();
    for word in &port.serves {
        let service = word.split_once('.').and_then(|(operand, movement)| {
            let movement = Movement::ALL.into_iter().find(|candidate| candidate.name() == movement)?;
            Some((operand_from_name(operand)?, movement))
        });
        match service {
            None => {
                let all: Vec<String> =
                    operands.iter().flat_map(|&o| movements(o).iter().map(move |m| format!("{o}.{m}"))).collect();
                let all: Vec<&str> = all.iter().map(String::as_str).collect();
                diagnostics.add_unknown(path, format!("A port cannot serve `{word}`"), word, &all);
            }
            Some((operand, _)) if !operands.contains(&operand) => diagnostics.add(
                path,
                format!("The port serves {operand}, which {name} does not hold"),
                format!("Add {operand} to its operands, or take it off the port"),
            ),
            Some(service)
                if serves.contains(&service) || earlier.iter().any(|other| other.serves.contains(&service)) =>
            {
                diagnostics.add(path, format!("{word} is served twice"), "Leave it to one port");
            }
            Some(service) => serves.push(service),
        }
    }
    serves
}

/// Number of a core's memories, the first ones, that are registers of its vector unit.
#[derive(Debug, Clone, Copy)]
struct Registers(usize);

impl Registers {
    fn of(spec: &HardwareSpec) -> Self {
        Self(spec.vector_unit.as_ref().map_or(0, |unit| unit.registers.len()))
    }

    /// The path of a memory in the document.
    fn path(self, id: MemoryId) -> String {
        match id.index().checked_sub(self.0) {
            Some(index) => format!("memories[{index}]"),
            None => format!("vector_unit.registers[{id}]"),
        }
    }
}

fn check_served(
    memory: &Memory,
    path: String,
    (operand, movement): (Operand, Movement),
    diagnostics: &mut Diagnostics,
) {
    if memory.port(operand, movement).is_none() {
        let reason = format!("No port of `{}` serves {operand}.{movement}", memory.name);
        diagnostics.add(path + ".ports", reason, "Add it to one of the ports");
    }
}

fn check_hierarchy(
    memories: &TiSlice<MemoryId, Memory>,
    levels: &[Vec<MemoryId>; 3],
    registers: Registers,
    array: &[(String, u64)],
    diagnostics: &mut Diagnostics,
) {
    for (operand, levels) in Operand::ALL.into_iter().zip(levels) {
        if levels.len() > MAX_LEVELS {
            diagnostics.add(
                "memories",
                format!("{operand} passes {} memories, more than {MAX_LEVELS}", levels.len()),
                format!("Take {operand} off some of them"),
            );
        }
        if levels.is_empty() {
            diagnostics.add("memories", format!("No memory holds {operand}"), format!("Add {operand} to one of them"));
        }
        for pair in levels.windows(2) {
            let (low, high) = (&memories[pair[0]], &memories[pair[1]]);
            if !low.shared_over.is_subset(high.shared_over) {
                diagnostics.add(
                    format!("{}.shared_over", registers.path(pair[1])),
                    format!(
                        "`{}` is shared over fewer array dimensions than `{}`, which lies below it for {operand}",
                        high.name, low.name
                    ),
                    "Let it be shared over at least the same, or list the memories from the lowest to the highest",
                );
            }
        }
        for (level, &id) in levels.iter().enumerate() {
            for &movement in movements(operand) {
                let across_top = level + 1 == levels.len() && !movement.is_low();
                if !across_top {
                    check_served(&memories[id], registers.path(id), (operand, movement), diagnostics);
                }
            }
        }
    }
    for (id, memory) in memories.iter_enumerated().take(registers.0) {
        for &operand in &memory.operands {
            for &movement in movements(operand) {
                check_served(memory, registers.path(id), (operand, movement), diagnostics);
            }
        }
    }
    let [_, i_top, o_top] = levels.each_ref().map(|levels| levels.last());
    if let (Some(&i_top), Some(&o_top)) = (i_top, o_top) {
        if i_top != o_top {
            diagnostics.add(
                "memories",
                format!(
                    "The highest memory of I is `{}`, that of O is `{}`: layers could not hand features on",
                    memories[i_top].name, memories[o_top].name
                ),
                "Let one memory, the DRAM, be the highest of both",
            );
        } else if memories[i_top].instances != 1 {
            diagnostics.add(
                format!("{}.shared_over", registers.path(i_top)),
                format!("The highest memory `{}` exists {} times", memories[i_top].name, memories[i_top].instances),
                format!(
                    "Share it over all array dimensions: {}",
                    array.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
                ),
            );
        }
    }
}
