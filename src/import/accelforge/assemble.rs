//! Files of AccelForge as documents: hardware, a network, and the mapping of its layers.

use super::AccelforgeInput;
use super::architecture::{AccelforgeMemory, Architecture, MemoryAction};
use super::expression;
use super::layers::{EinsumLayer, EinsumNetwork, network};
use super::mapping::{MappingNode, Path};
use super::schedule::{self, Unplaced};
use super::sets::{self, OperandSet};
use crate::documents::{Documents, NO_LIMIT_ACCESSES, NO_LIMIT_BITS, shared_port};
use crate::nest::{FanOut, ImportedNest, MAX_BITS, NestNode};
use crate::report::{ImportReport, Severity};
use fusescape_spec::{
    ArraySpec, DensitySpec, Diagnostics, HardwareSpec, LayerMappingSpec, MappingSpec, MemorySpec, UnrollSpec,
    WorkloadSpec,
};

/// Bits of an access of a memory without a speed limit.
const NO_LIMIT_ACCESS: u64 = 16;
/// Computations per second where nothing limits them.
const NO_LIMIT_CLOCK: f64 = 1e9;
/// Factor from J to pJ, and from m² to um².
const PICO: f64 = 1e12;
/// Energy beyond that of any action, J per bit: a file with larger values uses units of its own.
const MOST_ENERGY: f64 = 1e-6;

/// Makes documents; the report gets remarks for the user.
///
/// # Errors
/// Einsums that are no layers, and inconsistencies: a mapping without an architecture, memories that do not exist.
pub fn assemble(files: &AccelforgeInput, report: &mut ImportReport) -> Result<Documents, Diagnostics> {
    let mut wrong = Diagnostics::default();
    let AccelforgeInput { architecture, workload, mapping, .. } = files;
    if mapping.is_some() && (architecture.is_none() || workload.is_none()) {
        let reason = "A mapping of AccelForge says how a workload is computed on an architecture";
        wrong.add("mapping", reason, "Import it together with both");
    }
    let network = workload.as_ref().and_then(|workload| match network(workload, report) {
        Ok(network) => Some(network),
        Err(mistakes) => {
            wrong.0.extend(mistakes.0);
            None
        }
    });
    wrong.or(())?;
    let (stage, layers) = match architecture {
        Some(architecture) => {
            let stage = AccelforgeLowering::new(architecture, network.as_ref(), mapping.as_deref(), report);
            let layers = stage.layers(mapping.as_deref().unwrap_or_default(), report)?;
            (Some(stage), layers)
        }
        None => (None, Vec::new()),
    };
    Ok(Documents {
        hardware: stage.as_ref().map(|stage| stage.hardware(&layers, report)),
        mapping: (!layers.is_empty()).then(|| MappingSpec {
            name: "mapping".to_owned(),
            about: "Imported from a mapping of AccelForge.".to_owned(),
            layers,
        }),
        workload: network.map(|network| WorkloadSpec {
            name: "workload".to_owned(),
            about: "Imported from a workload of AccelForge.".to_owned(),
            batch: network.batch,
            precision: network.precision,
            density: DensitySpec::default(),
            layers: network.layers,
        }),
    })
}

/// An architecture with what is kept where.
struct AccelforgeLowering<'a> {
    architecture: &'a Architecture,
    roles: &'a [EinsumLayer],
    nest: ImportedNest<'a, AccelforgeMemory>,
    /// Factor from energies of the file to pJ.
    energy_unit: f64,
}

impl<'a> AccelforgeLowering<'a> {
    fn new(
        architecture: &'a Architecture,
        network: Option<&'a EinsumNetwork>,
        mapping: Option<&[Path]>,
        report: &mut ImportReport,
    ) -> Self {
        let roles = network.map_or(&[][..], |network| &network.roles);
        let keeps = match mapping {
            Some(mapping) => kept_by_mapping(architecture, mapping, roles),
            None => kept_by_sets(architecture, roles, report),
        };
        let nest = ImportedNest::new(&architecture.nodes, keeps);
        Self { architecture, roles, nest, energy_unit: energy_unit(architecture, report) }
    }

    /// The mappings of all layers that can be expressed.
    fn layers(&self, paths: &[Path], report: &mut ImportReport) -> Result<Vec<LayerMappingSpec>, Diagnostics> {
        let memories: Vec<&str> = self.nest.memories().map(|(_, memory)| memory.name.as_str()).collect();
        let mut layers: Vec<LayerMappingSpec> = Vec::new();
        let mut wrong = Diagnostics::default();
        for path in paths {
            let Some(role) = self.roles.iter().find(|role| role.einsum == path.einsum && role.has_weights) else {
                let reason = "not taken: it is no product of the workload that has a place on the array";
                report.note(Severity::Expressed, "mapping", reason, &path.einsum);
                continue;
            };
            let schedule = match schedule::place(path, role, &memories) {
                Ok(schedule) => schedule,
                Err(Unplaced::Fused(reason)) => {
                    let reason = format!("not taken, as a mapping document says each layer by itself: {reason}");
                    report.note(Severity::NotCounted, "mapping", &reason, &path.einsum);
                    continue;
                }
                Err(Unplaced::Wrong(mistakes)) => {
                    wrong.0.extend(mistakes.0);
                    continue;
                }
            };
            let unroll = schedule.space.iter().filter_map(|(stated, ours, size)| {
                let named: Vec<_> =
                    self.nest.fan_outs().filter(|(fan_out, _)| fan_out.name == *stated || stated.is_empty()).collect();
                let Some((fan_out, [dimension, _])) = named.first().filter(|_| named.len() == 1 || !stated.is_empty())
                else {
                    let names: Vec<&str> = self.nest.fan_outs().map(|(fan_out, _)| fan_out.name.as_str()).collect();
                    let reason = format!("The architecture has no fan-out `{stated}`");
                    wrong.0.push(path.wrong(reason, format!("Its fan-outs are {}", names.join(", "))));
                    return None;
                };
                if *size > fan_out.mesh[0] {
                    let reason =
                        format!("`{}` unrolls {size} along `{stated}`, where {} are", path.einsum, fan_out.mesh[0]);
                    wrong.0.push(path.wrong(reason, "Choose a larger `tile_shape`".to_owned()));
                }
                let (array_dimension, loop_dimension) = (dimension.clone(), (*ours).to_owned());
                Some(UnrollSpec { array_dimension, loop_dimension, limit: Some(*size) })
            });
            let unroll = Some(unroll.collect());
            if layers.iter().any(|layer| layer.layer == path.einsum) {
                let reason = format!("`{}` is computed twice", path.einsum);
                wrong.0.push(path.wrong(reason, "Keep one of the two".to_owned()));
            }
            layers.push(LayerMappingSpec { layer: path.einsum.clone(), unroll, loops: schedule.time });
        }
        wrong.or(layers)
    }

    fn hardware(&self, layers: &[LayerMappingSpec], report: &mut ImportReport) -> HardwareSpec {
        let compute = &self.architecture.compute;
        let clock = compute.action.throughput.unwrap_or(NO_LIMIT_CLOCK);
        let reason = match compute.action.throughput {
            Some(_) => format!("as long as one computation takes: {:.3e} s", 1.0 / clock),
            None => format!("{:.3e} s, as nothing says how long a computation takes", 1.0 / clock),
        };
        report.note(Severity::Assumed, "cycle", &reason, &compute.name);
        for memory in self.nest.unused_memories() {
            report.note(Severity::Merged, "memory", "it keeps no data of a layer", &memory.name);
        }
        let unroll = match layers.first() {
            Some(layer) => layer.unroll.clone().unwrap_or_default(),
            None => self.unroll(report),
        };
        let unroll = if unroll.is_empty() {
            Vec::new()
        } else {
            ["conv", "matmul"].map(|kind| (kind.to_owned(), unroll.clone())).to_vec()
        };
        let area = |area: Option<f64>| area.map(|area| scaled(area, PICO)).filter(|area| *area > 0.0);
        HardwareSpec {
            name: "architecture".to_owned(),
            about: "Imported from an architecture of AccelForge.".to_owned(),
            memories: self.nest.memories().rev().map(|place| self.memory(place, clock, report)).collect(),
            unroll,
            array: ArraySpec {
                dimensions: self.nest.array(),
                mac_energy_pj: scaled(compute.action.energy.unwrap_or(0.0), self.energy_unit),
                pe_area_um2: area(compute.area),
                ..ArraySpec::default()
            },
            ..HardwareSpec::default()
        }
    }

    fn memory(&self, (index, node): (usize, &AccelforgeMemory), clock: f64, report: &mut ImportReport) -> MemorySpec {
        let operands = self.nest.operands(index);
        let [read, write] = [&node.read, &node.write].map(|action| self.side(action, clock, &node.name, report));
        let is_limited = node.read.throughput.is_some() && node.write.throughput.is_some();
        MemorySpec {
            name: node.name.clone(),
            size_bits: self.size(node, report),
            ports: if is_limited && !node.has_two_ports { vec![shared_port(&operands)] } else { Vec::new() },
            operands,
            read_width_bits: read.bits,
            write_width_bits: write.bits,
            // Actions may be fractional, so that one bit is the granularity.
            read_granularity_bits: 1,
            write_granularity_bits: 1,
            read_energy_pj: read.energy_pj,
            write_energy_pj: write.energy_pj,
            area_um2: node.area.map(|area| scaled(area, PICO)).filter(|area| *area > 0.0),
            shared_over: self.nest.shared_over(index),
            latency_cycles: 1,
            ..MemorySpec::default()
        }
    }

    fn side(&self, action: &MemoryAction, clock: f64, name: &str, report: &mut ImportReport) -> PortSide {
        let bits = match action.throughput {
            Some(throughput) => (throughput * action.bits / clock).round().clamp(1.0, MAX_BITS as f64) as u64,
            None => {
                let bits = NO_LIMIT_ACCESS * NO_LIMIT_ACCESSES;
                let reason =
                    format!("not limited in AccelForge: {bits} bit a cycle here, and the energy is that of so many");
                report.note(Severity::Assumed, "throughput", &reason, name);
                bits
            }
        };
        PortSide { bits, energy_pj: scaled(action.energy.unwrap_or(0.0), self.energy_unit) / action.bits * bits as f64 }
    }

    fn size(&self, node: &AccelforgeMemory, report: &mut ImportReport) -> u64 {
        let names = &self.architecture.names;
        let bits = |name: &str| {
            let tensor = name.strip_suffix(".bits_per_value")?;
            let role = self.roles.first();
            let operand = ["weight", "input", "output"].iter().position(|known| *known == tensor);
            let operand = operand.or_else(|| role?.tensors.iter().position(|known| known == tensor));
            Some(role.zip(operand).map_or(8.0, |(role, operand)| role.bits[operand] as f64))
        };
        let known = |name: &str| {
            names.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value).or_else(|| bits(name))
        };
        let size = node.size.as_ref().and_then(|text| expression::value(text, &known)).unwrap_or(f64::INFINITY);
        if size.is_finite() {
            return size.round().clamp(1.0, MAX_BITS as f64) as u64;
        }
        report.note(Severity::Assumed, "size", "not limited in AccelForge: 1024 GiB here", &node.name);
        NO_LIMIT_BITS
    }

    /// The unrolling without a mapping: the loops that reuse the tensors which a fan-out must reuse.
    fn unroll(&self, report: &mut ImportReport) -> Vec<UnrollSpec> {
        let unroll = |(fan_out, [dimension, _]): (&FanOut, &[String; 2])| {
            let reused = fan_out.reuse.as_deref().and_then(|text| sets::value(text, &|_| None)).unwrap_or(0);
            let loop_dimension = match reused {
                0b100 => "C",
                0b001 => "OX",
                _ => "K",
            };
            let reason = format!("`{loop_dimension}`, as no mapping says what it unrolls");
            report.note(Severity::Assumed, "unroll", &reason, dimension);
            UnrollSpec { array_dimension: dimension.clone(), loop_dimension: loop_dimension.to_owned(), limit: None }
        };
        self.nest.fan_outs().filter(|(fan_out, _)| fan_out.mesh[0] > 1).map(unroll).collect()
    }
}

/// Bits per cycle of one side of a memory, and the energy of that.
struct PortSide {
    bits: u64,
    energy_pj: f64,
}

/// A number in another unit, rounded to 15 digits: 2e-9 m² are 2000 um², not 2000.0000000000002.
fn scaled(value: f64, unit: f64) -> f64 {
    let product = value * unit;
    format!("{product:.14e}").parse().unwrap_or(product)
}

/// Factor from energies of the file to pJ: they are in J, unless that would be absurd.
fn energy_unit(architecture: &Architecture, report: &mut ImportReport) -> f64 {
    let per_bit = |action: &MemoryAction| action.energy.unwrap_or(0.0) / action.bits;
    let of_node = |node: &NestNode<AccelforgeMemory>| match node {
        NestNode::Memory(memory) => per_bit(&memory.read).max(per_bit(&memory.write)),
        NestNode::FanOut(_) => 0.0,
    };
    let most = architecture.nodes.iter().map(of_node).fold(per_bit(&architecture.compute.action), f64::max);
    if most <= MOST_ENERGY {
        return PICO;
    }
    let reason = format!("{most} J an action is no energy of a chip: an energy of 1 in the file is 1 pJ here");
    report.note(Severity::Assumed, "energy", &reason, "");
    1.0
}

/// The operands that each node keeps by the storages of a mapping. The outermost memory keeps everything.
fn kept_by_mapping(architecture: &Architecture, mapping: &[Path], roles: &[EinsumLayer]) -> Vec<[bool; 3]> {
    let stores = |path: &Path, name: &str| {
        let role = roles.iter().find(|role| role.einsum == path.einsum);
        let stored = |tensor: &String| {
            path.steps
                .iter()
                .any(|step| matches!(step, MappingNode::Storage(memory, all) if memory == name && all.contains(tensor)))
        };
        role.map_or(0, |role| {
            (0..3).filter(|operand| stored(&role.tensors[*operand])).map(|operand| 1 << operand).sum()
        })
    };
    kept(architecture, |memory| mapping.iter().map(|path| stores(path, &memory.name)).fold(0, |all, some| all | some))
}

/// The operands that each node keeps, or may keep, by its set expressions. The outermost memory keeps everything.
fn kept_by_sets(architecture: &Architecture, roles: &[EinsumLayer], report: &mut ImportReport) -> Vec<[bool; 3]> {
    let mut above: Vec<(String, OperandSet)> = Vec::new();
    kept(architecture, |memory| {
        let name = |name: &str| {
            let of_memory = above.iter().find(|(known, _)| known == name).map(|(_, keeps)| *keeps);
            of_memory
                .or_else(|| roles.first()?.tensors.iter().position(|known| known == name).map(|operand| 1 << operand))
        };
        let mut keeps = if memory.keeps.is_empty() { sets::ALL } else { 0 };
        for text in &memory.keeps {
            match sets::value(text, &name) {
                Some(set) => keeps |= set,
                None => {
                    let reason = format!("`{}` is not understood: it keeps everything", crate::places::short(text));
                    report.note(Severity::Assumed, "tensors", &reason, &memory.name);
                    keeps = sets::ALL;
                }
            }
        }
        above.push((memory.name.clone(), keeps));
        keeps
    })
}

fn kept(architecture: &Architecture, mut of: impl FnMut(&AccelforgeMemory) -> OperandSet) -> Vec<[bool; 3]> {
    let mut is_outermost = true;
    let mut keeps = |node: &NestNode<AccelforgeMemory>| {
        let set = match node {
            NestNode::Memory(memory) => of(memory) | if std::mem::take(&mut is_outermost) { sets::ALL } else { 0 },
            NestNode::FanOut(_) => 0,
        };
        [0, 1, 2].map(|operand| set & (1 << operand) > 0)
    };
    architecture.nodes.iter().map(&mut keeps).collect()
}
