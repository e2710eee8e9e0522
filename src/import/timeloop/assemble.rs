//! Files of Timeloop as documents: hardware, one layer, and its mapping.

use super::architecture::{MemoryNode, TimeloopArchitecture};
use super::energies::TableEnergy;
use super::problem::TimeloopProblem;
use super::schedule::{self, SpaceLoop, TimeLoop, TimeloopSchedule};
use super::{ImportReport, Severity, TimeloopInput};
use crate::documents::{Documents, NO_LIMIT_ACCESSES, NO_LIMIT_BITS, shared_port};
use crate::nest::{ImportedNest, MAX_BITS, NestNode, mapped_loop};
use fusescape_spec::{
    ArraySpec, DensitySpec, Diagnostics, DoubleBuffering, HardwareSpec, LayerMappingSpec, MappingSpec, MemorySpec,
    PrecisionSpec, UnrollSpec, WorkloadSpec,
};

/// Names of data spaces where no problem states their roles.
const USUAL_SPACES: [&str; 3] = ["weights", "inputs", "outputs"];

/// Makes documents; the report gets remarks for the user.
///
/// # Errors
/// Inconsistencies: a mapping without its architecture or problem, targets that do not exist.
pub fn assemble(files: &TimeloopInput, report: &mut ImportReport) -> Result<Documents, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let TimeloopInput { architecture, workload: problem, mapping, energies, .. } = files;
    if mapping.is_some() && (architecture.is_none() || problem.is_none()) {
        let reason = "A mapping of Timeloop says which loops of a problem lie where in an architecture";
        diagnostics.add("mapping", reason, "Import it together with both");
    }
    if !energies.is_empty() && architecture.is_none() {
        let reason = "A table of energies alone describes no accelerator";
        diagnostics.add("ERT", reason, "Import it together with its architecture");
    }
    let schedule = match (architecture, problem, mapping) {
        (Some(architecture), Some(problem), Some(directives)) => {
            match schedule::place(architecture, problem, directives) {
                Ok(schedule) => Some(schedule),
                Err(wrong) => {
                    diagnostics.0.extend(wrong.0);
                    None
                }
            }
        }
        _ => None,
    };
    diagnostics.or(())?;
    let stage = architecture
        .as_ref()
        .map(|architecture| TimeloopLowering::new(architecture, problem.as_ref(), schedule, report));
    let precision = stage.as_ref().map(|stage| stage.precision(report)).unwrap_or_default();
    Ok(Documents {
        hardware: stage.as_ref().map(|stage| stage.hardware(energies, report)),
        workload: problem.as_ref().map(|problem| workload(problem, precision)),
        mapping: stage.as_ref().zip(problem.as_ref()).and_then(|(stage, problem)| stage.mapping(problem)),
    })
}

fn workload(problem: &TimeloopProblem, precision: PrecisionSpec) -> WorkloadSpec {
    WorkloadSpec {
        name: problem.name.clone(),
        about: format!("Imported from the Timeloop problem `{}`.", problem.name),
        batch: problem.batch,
        density: DensitySpec::default(),
        precision,
        layers: vec![problem.input.clone(), problem.layer.clone()],
    }
}

/// An architecture with what is kept where, and with what is mapped on it.
struct TimeloopLowering<'a> {
    architecture: &'a TimeloopArchitecture,
    problem: Option<&'a TimeloopProblem>,
    schedule: Option<TimeloopSchedule>,
    nest: ImportedNest<'a, MemoryNode>,
}

impl<'a> TimeloopLowering<'a> {
    fn new(
        architecture: &'a TimeloopArchitecture,
        problem: Option<&'a TimeloopProblem>,
        schedule: Option<TimeloopSchedule>,
        report: &mut ImportReport,
    ) -> Self {
        let keeps = match &schedule {
            Some(schedule) => schedule.keeps.clone(),
            None => kept_by_constraints(architecture, problem, report),
        };
        Self { architecture, problem, schedule, nest: ImportedNest::new(&architecture.nodes, keeps) }
    }

    /// Bits of elements: those of the innermost memory that keeps a data space; for finished outputs those of the
    /// outermost.
    fn precision(&self, report: &mut ImportReport) -> PrecisionSpec {
        let bits = |operand: usize| self.nest.memories().filter(move |(index, _)| self.nest.keeps[*index][operand]);
        let innermost = |operand: usize| bits(operand).next_back().map(|(_, memory)| memory.element_bits);
        let partial = innermost(2);
        let finished = bits(2).next().map(|(_, memory)| memory.element_bits).min(partial);
        for (index, memory) in self.nest.memories() {
            let differs = |operand: usize| {
                let here = Some(memory.element_bits);
                self.nest.keeps[index][operand] && here != innermost(operand) && (operand < 2 || here != finished)
            };
            if (0..3).any(differs) {
                let reason =
                    "a layer has one precision in all memories, that of the innermost; outputs have a second one";
                report.note(Severity::Expressed, "datawidth", reason, &memory.name);
            }
        }
        PrecisionSpec { w: innermost(0), i: innermost(1), o_partial: partial, o: finished }
    }

    fn hardware(&self, energies: &[TableEnergy], report: &mut ImportReport) -> HardwareSpec {
        if energies.is_empty() {
            let reason = "no table of energies is among the files, so all energies are 0: import `timeloop-model.ERT.yaml` \
                          together with them";
            report.note(Severity::NotCounted, "energy", reason, "");
        }
        for memory in self.nest.unused_memories() {
            report.note(Severity::Merged, "memory", "it keeps no data", &memory.name);
        }
        let compute = &self.architecture.compute;
        let mac_energy_pj = energy_of(energies, compute, "compute").unwrap_or(0.0);
        let leaks = energies.iter().filter(|energy| energy.action == "leak" && energy.energy_pj > 0.0);
        for energy in leaks {
            report.note(Severity::NotCounted, "leak", "energy of memories that do nothing", &energy.component);
        }
        let unroll = self.unroll();
        HardwareSpec {
            name: self.architecture.name.clone(),
            about: format!("Imported from the Timeloop architecture `{}`.", self.architecture.name),
            memories: self.nest.memories().rev().map(|place| self.memory(place, energies, report)).collect(),
            unroll: if unroll.is_empty() { Vec::new() } else { vec![("conv".to_owned(), unroll)] },
            array: ArraySpec { dimensions: self.nest.array(), mac_energy_pj, ..ArraySpec::default() },
            ..HardwareSpec::default()
        }
    }

    fn memory(
        &self,
        (index, node): (usize, &MemoryNode),
        energies: &[TableEnergy],
        report: &mut ImportReport,
    ) -> MemorySpec {
        if node.size_bits.is_none() {
            report.note(Severity::Assumed, "size", "not limited in Timeloop: 1024 GiB here", &node.name);
        }
        let operands = self.nest.operands(index);
        let read = self.side(node, node.shared_elements.or(node.read_elements), report);
        let write = self.side(node, node.shared_elements.or(node.write_elements), report);
        let energy = |actions: &[&str]| actions.iter().find_map(|action| energy_of(energies, &node.name, action));
        let (read_pj, write_pj) = (energy(&["read"]), energy(&["write", "update", "fill"]));
        if !energies.is_empty() && (read_pj.is_none() || write_pj.is_none()) {
            let reason = "the table says nothing of reading or writing it: 0";
            report.note(Severity::NotCounted, "energy", reason, &node.name);
        }
        if let (Some(write), Some(update)) = (write_pj, energy(&["update"]))
            && write != update
        {
            report.note(Severity::Assumed, "update", "costs as much as to write", &node.name);
        }
        // The energy in a table is that of an access, here it is that of the bits moved per cycle.
        let per_word = |energy: Option<f64>, bits: u64| energy.unwrap_or(0.0) * bits as f64 / node.width_bits as f64;
        MemorySpec {
            name: node.name.clone(),
            size_bits: node.size_bits.unwrap_or(NO_LIMIT_BITS),
            ports: if node.shared_elements.is_some() { vec![shared_port(&operands)] } else { Vec::new() },
            operands,
            read_width_bits: read,
            write_width_bits: write,
            read_granularity_bits: node.element_bits.min(read),
            write_granularity_bits: node.element_bits.min(write),
            read_energy_pj: per_word(read_pj, read),
            write_energy_pj: per_word(write_pj, write),
            shared_over: self.nest.shared_over(index),
            latency_cycles: 1,
            double_buffered: if node.is_double_buffered {
                DoubleBuffering::Always
            } else {
                DoubleBuffering::WhereItFits
            },
            ..MemorySpec::default()
        }
    }

    /// Bits that one side moves per cycle.
    fn side(&self, node: &MemoryNode, elements: Option<f64>, report: &mut ImportReport) -> u64 {
        if let Some(elements) = elements {
            return (elements * node.element_bits as f64).round().clamp(1.0, MAX_BITS as f64) as u64;
        }
        let reason = format!(
            "not limited in Timeloop: {NO_LIMIT_ACCESSES} accesses a cycle here, and the energy is that of so many"
        );
        report.note(Severity::Assumed, "bandwidth", &reason, &node.name);
        node.width_bits.saturating_mul(NO_LIMIT_ACCESSES).min(MAX_BITS)
    }

    /// The unrolling of the layer on the array.
    fn unroll(&self) -> Vec<UnrollSpec> {
        let (Some(schedule), Some(problem)) = (&self.schedule, self.problem) else { return Vec::new() };
        let unrolled = |one: &SpaceLoop| UnrollSpec {
            array_dimension: self.nest.dimensions[one.node][one.axis].clone(),
            loop_dimension: problem.dimensions[one.dimension].ours.to_owned(),
            limit: Some(one.size),
        };
        schedule.space.iter().map(unrolled).collect()
    }

    fn mapping(&self, problem: &TimeloopProblem) -> Option<MappingSpec> {
        let schedule = self.schedule.as_ref()?;
        let held: [Vec<&str>; 3] = std::array::from_fn(|operand| self.held(operand, problem, &schedule.time));
        let loops = schedule.time.iter().enumerate().map(|(place, one)| {
            let held = [0, 1, 2].map(|operand: usize| held[operand][place]);
            mapped_loop(problem.dimensions[one.dimension].ours, one.size, held)
        });
        Some(MappingSpec {
            name: format!("{} on {}", problem.name, self.architecture.name),
            about: "Imported from a Timeloop mapping.".to_owned(),
            layers: vec![LayerMappingSpec {
                layer: problem.layer.name.clone(),
                unroll: Some(self.unroll()),
                loops: loops.collect(),
            }],
        })
    }

    /// The memory that holds each loop for an operand. A loop that does not index the operand is held by the memory of
    /// the loops inside of it: while it runs, nothing moves across the boundary above them.
    fn held(&self, operand: usize, problem: &TimeloopProblem, time: &[TimeLoop]) -> Vec<&'a str> {
        let kept: Vec<(usize, &MemoryNode)> =
            self.nest.memories().rev().filter(|(index, _)| self.nest.keeps[*index][operand]).collect();
        let mut level = 0;
        let hold = |one: &TimeLoop| {
            if problem.dimensions[one.dimension].indexes[operand] {
                let above = kept.iter().position(|(index, _)| *index <= one.node);
                level = above.unwrap_or(kept.len().saturating_sub(1)).max(level);
            }
            kept.get(level).map_or("", |(_, memory)| memory.name.as_str())
        };
        time.iter().map(hold).collect()
    }
}

/// The operands that each node keeps without a mapping: those that its constraints keep, or all that they do not
/// bypass.
fn kept_by_constraints(
    architecture: &TimeloopArchitecture,
    problem: Option<&TimeloopProblem>,
    report: &mut ImportReport,
) -> Vec<[bool; 3]> {
    let is_space = |name: &str, operand: usize| match problem {
        Some(problem) => problem.spaces[operand] == name,
        None => USUAL_SPACES[operand] == name.to_lowercase(),
    };
    let outermost = architecture.nodes.iter().position(|node| matches!(node, NestNode::Memory(_)));
    let keeps = |(index, node): (usize, &NestNode<MemoryNode>)| {
        let NestNode::Memory(memory) = node else { return [false; 3] };
        let named = |names: &[String], operand: usize| names.iter().any(|name| is_space(name, operand));
        let is_kept = |operand: usize| {
            let is_open = memory.keep.is_empty() && !named(&memory.bypass, operand);
            Some(index) == outermost || is_open || named(&memory.keep, operand)
        };
        std::array::from_fn(is_kept)
    };
    if architecture.nodes.iter().any(|node| matches!(node, NestNode::Memory(memory) if !memory.keep.is_empty())) {
        let reason = "without a mapping memories hold what their constraints keep, and nothing else";
        report.note(Severity::Assumed, "operands", reason, "");
    }
    architecture.nodes.iter().enumerate().map(keeps).collect()
}

fn energy_of(energies: &[TableEnergy], component: &str, action: &str) -> Option<f64> {
    let is_it = |energy: &&TableEnergy| energy.component == component && energy.action == action;
    energies.iter().rev().find(is_it).map(|energy| energy.energy_pj)
}
