//! A core, one layer and its mapping as Timeloop's files, fully specified.

use super::levels::{NoLevels, TimeloopLevel, levels};
use crate::left_out::note_left_out;
use crate::report::{ImportReport, Severity};
use fusescape_engine::explore::{DesignLayer, TemporalMapping};
use fusescape_engine::hardware::{ArrayDimId, DoubleBuffering, Memory};
use fusescape_engine::mapping::{LayerOnCore, LayerOperand, OperandView, Relevance, TemporalLoop};
use fusescape_engine::workload::{Dim, LayerKind, LayerShape};
use fusescape_spec::Diagnostics;
use std::fmt::Write;

/// Timeloop's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeloopFiles {
    /// Memories, meshes and the multipliers.
    pub architecture: String,
    /// The layer.
    pub problem: String,
    /// All loops, and the data that each level keeps.
    pub mapping: String,
    /// Accelergy's table of energies.
    pub energies: String,
    /// Properties that the files express otherwise, or not at all.
    pub report: ImportReport,
}

/// Loop dimensions and their letters in a problem.
const LETTERS: [(Dim, char); 8] = [
    (Dim::B, 'N'),
    (Dim::G, 'G'),
    (Dim::K, 'M'),
    (Dim::C, 'C'),
    (Dim::OX, 'P'),
    (Dim::OY, 'Q'),
    (Dim::FX, 'R'),
    (Dim::FY, 'S'),
];

/// The reason why a mapping cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotExpressible {
    /// For any mapping, or because levels cross.
    Levels(NoLevels),
    /// The layer or its unrolling, for any order of loops.
    Layer(Diagnostics),
    /// In these levels, loops of one dimension are separated by loops of others.
    Mixed(Vec<TimeloopLevel>),
}

impl NotExpressible {
    /// Diagnostics for a mapping written by hand.
    pub fn into_diagnostics(self, design_layer: &DesignLayer) -> Diagnostics {
        match self {
            Self::Levels(levels) => levels.into_diagnostics(&design_layer.on_core()),
            Self::Layer(wrong) => wrong,
            Self::Mixed(levels) => {
                let mut wrong = Diagnostics::default();
                for level in levels {
                    let name = &design_layer.core.memories[level.memory].name;
                    let reason = format!(
                        "`{name}` has several loops of one dimension with others between, and a level of Timeloop one"
                    );
                    let remedy = format!("Let loops of one dimension in `{name}` stand side by side in the mapping");
                    wrong.add("mapping", reason, remedy);
                }
                wrong
            }
        }
    }
}

/// Writes a mapped layer.
///
/// # Errors
/// Anything that Timeloop cannot express: layers without products, memories that are not nested, partial loops.
pub fn write(design_layer: &DesignLayer, mapping: &TemporalMapping) -> Result<TimeloopFiles, Diagnostics> {
    compose(design_layer, mapping).map_err(|unsayable| unsayable.into_diagnostics(design_layer))
}

/// Writes a mapped layer, or returns a reason that a search can act on.
pub fn compose(design_layer: &DesignLayer, mapping: &TemporalMapping) -> Result<TimeloopFiles, NotExpressible> {
    let problem = design_layer.on_core();
    let mut report = ImportReport {
        title: format!("{} on {}", design_layer.layer, design_layer.core.name),
        ..ImportReport::default()
    };
    let mut wrong = Diagnostics::default();
    if problem.shape.kind.is_for_vector_unit() {
        let reason = "Timeloop computes products of two inputs, which this layer has not";
        wrong.add("layer", reason, "Choose a convolution, a fully connected layer or a product of matrices");
    }
    if problem.spatial.loops.iter().any(|unrolled| unrolled.average.fract() != 0.0) {
        let reason =
            "A loop is unrolled over a number of PEs that does not divide it, which Timeloop does not unroll evenly";
        wrong.add("unroll", reason, "State an unrolling in the mapping whose sizes divide the loops");
    }
    wrong.or(()).map_err(NotExpressible::Layer)?;
    let levels = levels(&problem, mapping, &mut report).map_err(NotExpressible::Levels)?;
    let names = UniqueNames::of(&problem, &levels, &mut report);
    let file = FileWriter { design_layer, problem, levels, names };
    let loops = file.loops(mapping, &mut report).map_err(NotExpressible::Mixed)?;
    let written = TimeloopFiles {
        architecture: file.architecture(&mut report),
        problem: file.problem(),
        mapping: file.mapping(&loops),
        energies: file.energies(),
        report: ImportReport::default(),
    };
    file.note_rest(&mut report);
    note_left_out(&design_layer.core, "Timeloop's", &mut report);
    report.result = format!("{} levels, {} loops", file.levels.len(), mapping.order.len());
    Ok(TimeloopFiles { report, ..written })
}

/// Unique names in Timeloop's alphabet: letters, digits and `_`.
struct UniqueNames {
    core: String,
    /// One per level.
    levels: Vec<String>,
    /// One per dimension of the array.
    meshes: Vec<String>,
    compute: String,
}

impl UniqueNames {
    fn of(problem: &LayerOnCore<'_>, levels: &[TimeloopLevel], report: &mut ImportReport) -> Self {
        let core = problem.core;
        let mut used: Vec<String> = Vec::new();
        let mut name = |ours: &str| {
            let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
            let mut name: String = ours.chars().map(plain).collect();
            while used.contains(&name) || name.is_empty() {
                name.push('_');
            }
            if name != ours {
                report.note(Severity::Expressed, "name", "letters, digits and _ only, and each name once", ours);
            }
            used.push(name.clone());
            name
        };
        let level = |level: &TimeloopLevel| {
            let own = &core.memories[level.memory].name;
            let part = level.operands.first().filter(|_| level.is_part);
            part.map_or_else(|| own.clone(), |operand| format!("{own}_{}", problem.operand_name(*operand)))
        };
        let stated: Vec<String> = levels.iter().map(level).collect();
        let taken =
            |compute: &&str| stated.iter().chain(core.array.iter().map(|(name, _)| name)).all(|known| known != compute);
        let compute = ["mac", "mac_unit"].iter().find(|name| taken(name)).unwrap_or(&"mac_units");
        Self {
            compute: name(compute),
            levels: stated.iter().map(|stated| name(stated)).collect(),
            meshes: core.array.iter().map(|(stated, _)| name(stated)).collect(),
            core: name(&core.name),
        }
    }
}

struct FileWriter<'a> {
    design_layer: &'a DesignLayer,
    problem: LayerOnCore<'a>,
    /// Innermost first.
    levels: Vec<TimeloopLevel>,
    names: UniqueNames,
}

/// A node of the architecture.
#[derive(Clone, Copy)]
enum ArchitecturePart {
    Level(usize),
    Mesh(ArrayDimId),
}

/// The size of an access of a level.
struct Word {
    element_bits: u64,
    /// Whole elements.
    bits: u64,
}

impl FileWriter<'_> {
    /// Levels and meshes, outermost first: a mesh is outside of all levels that have one instance per instance of the
    /// mesh.
    fn parts(&self) -> Vec<ArchitecturePart> {
        let core = &self.design_layer.core;
        let mut parts = Vec::new();
        let mut left: Vec<ArrayDimId> = core.array.keys().collect();
        for (index, level) in self.levels.iter().enumerate().rev() {
            let shared = level.shared;
            parts.extend(left.iter().filter(|dim| !shared.contains(**dim)).map(|dim| ArchitecturePart::Mesh(*dim)));
            left.retain(|dim| shared.contains(*dim));
            parts.push(ArchitecturePart::Level(index));
        }
        parts.extend(left.into_iter().map(ArchitecturePart::Mesh));
        parts
    }

    fn memory(&self, level: &TimeloopLevel) -> &Memory {
        &self.design_layer.core.memories[level.memory]
    }

    fn word(&self, level: &TimeloopLevel) -> Word {
        let is_lowest = |operand: LayerOperand| self.problem.operands[operand].memories.first() == Some(&level.memory);
        let bits = |operand: &LayerOperand| {
            let (partial, finished) = self.problem.operands[*operand].precision;
            if is_lowest(*operand) { partial } else { finished }
        };
        let element_bits = level.operands.iter().map(bits).max().unwrap_or(1).max(1);
        let width = self.memory(level).read_width_bits;
        Word { element_bits, bits: (width / element_bits).max(1) * element_bits }
    }

    fn architecture(&self, report: &mut ImportReport) -> String {
        let mut text =
            format!("architecture:\n  version: 0.4\n  nodes:\n  - !Container\n    name: {}\n", self.names.core);
        let outermost = self.levels.len() - 1;
        for part in self.parts() {
            match part {
                ArchitecturePart::Mesh(dim) => {
                    let (name, size) = (&self.names.meshes[dim.index()], self.design_layer.core.array[dim].1);
                    let _ = write!(text, "  - !Container\n    name: {name}\n    spatial: {{meshX: {size}}}\n");
                }
                ArchitecturePart::Level(index) => self.write_level(&mut text, index, index == outermost, report),
            }
        }
        let precision = self.problem.shape.precision;
        let _ = write!(
            text,
            "  - !Component\n    name: {}\n    class: intmac\n    attributes: {{multiplier_width: {}, adder_width: {}}}\n",
            self.names.compute,
            precision.w.max(precision.i),
            precision.o_partial
        );
        text
    }

    fn write_level(&self, text: &mut String, index: usize, is_outermost: bool, report: &mut ImportReport) {
        let level = &self.levels[index];
        let (memory, Word { element_bits, bits }) = (self.memory(level), self.word(level));
        let elements = |width: u64| width as f64 / element_bits as f64;
        let class = if is_outermost { "DRAM" } else { "SRAM" };
        let _ = write!(
            text,
            "  - !Component\n    name: {}\n    class: {class}\n    attributes:\n      depth: {}\n      width: {bits}\n      \
             datawidth: {element_bits}\n      read_bandwidth: {}\n      write_bandwidth: {}\n{}",
            self.names.levels[index],
            (memory.size_bits / bits).max(1),
            elements(memory.read_width_bits),
            elements(memory.write_width_bits),
            if memory.double_buffered == DoubleBuffering::Always { "      multiple_buffering: 2\n" } else { "" }
        );
        let mut note = |what: &str, reason: &str| report.note(Severity::Expressed, what, reason, &memory.name);
        if bits != memory.read_width_bits {
            note("width", "an access of Timeloop has whole elements; bandwidth and energy of an element stay");
        }
        if memory.size_bits % bits != 0 {
            note("size", "cut down to whole accesses");
        }
        if [memory.read_granularity_bits, memory.write_granularity_bits].iter().any(|bits| *bits != element_bits) {
            note("granularity", "in Timeloop an access costs as much as the elements that it moves");
        }
        if level.operands.len() > 1 {
            let of = |operand: &LayerOperand| self.problem.operands[*operand].precision;
            if level.operands.iter().any(|operand| of(operand) != (element_bits, element_bits)) {
                note("precision", "a memory of Timeloop has one size of elements: the largest of those that it keeps");
            }
        }
        if memory.ports.iter().any(|port| port.width_bits.is_some()) || memory.ports.len() != 2 {
            note("ports", "one side reads and one writes, each as wide as the memory");
        }
    }

    fn problem(&self) -> String {
        let shape: &LayerShape = &self.problem.shape;
        let (letters, sizes): (Vec<String>, Vec<String>) =
            LETTERS.iter().map(|(dim, letter)| (letter.to_string(), format!("{letter}: {}", shape.size(*dim)))).unzip();
        // Each of two matrices may depend on the image.
        let images = if shape.kind == LayerKind::MatMul { "[[N]], " } else { "" };
        let (stride, dilation) = (shape.stride, shape.dilation);
        format!(
            "problem:\n  version: 0.4\n  shape:\n    name: {}\n    dimensions: [{}]\n    coefficients:\n    \
             - {{name: Wstride, default: 1}}\n    - {{name: Hstride, default: 1}}\n    - {{name: Wdilation, default: 1}}\n    \
             - {{name: Hdilation, default: 1}}\n    data_spaces:\n    \
             - {{name: Weights, projection: [{images}[[G]], [[C]], [[M]], [[R]], [[S]]]}}\n    \
             - name: Inputs\n      projection: [[[N]], [[G]], [[C]], [[R, Wdilation], [P, Wstride]], [[S, Hdilation], [Q, Hstride]]]\n    \
             - {{name: Outputs, projection: [[[N]], [[G]], [[M]], [[P]], [[Q]]], read_write: true}}\n  \
             instance: {{{}, Wstride: {}, Hstride: {}, Wdilation: {}, Hdilation: {}}}\n",
            fusescape_spec::scalar(&self.design_layer.layer),
            letters.join(", "),
            sizes.join(", "),
            stride.0,
            stride.1,
            dilation.0,
            dilation.1
        )
    }

    /// By level: its loops, innermost first, each dimension once.
    fn loops(
        &self,
        mapping: &TemporalMapping,
        report: &mut ImportReport,
    ) -> Result<Vec<Vec<(Dim, u64)>>, Vec<TimeloopLevel>> {
        let mut mixed = Vec::new();
        let mut first = 0;
        let mut all = Vec::new();
        for (index, level) in self.levels.iter().enumerate() {
            let end = level.end.max(first);
            let stated: Vec<(Dim, u64)> = mapping.order[first..end].iter().map(|next| (next.dim, next.size)).collect();
            let start = std::mem::replace(&mut first, end);
            let is_same = |joined: &Vec<(Dim, u64)>| {
                let mut waiting =
                    self.problem.each_operand().filter(|(id, view)| self.waits(*id, view, index, start, mapping));
                waiting.all(|(_, view)| standing(view, joined) == standing(view, &stated))
            };
            let name = &self.memory(level).name;
            let outer: Vec<(Dim, u64)> = stated.iter().rev().copied().collect();
            let mut outwards = joined(&outer);
            outwards.reverse();
            match [joined(&stated), outwards].into_iter().find(is_same) {
                Some(loops) => {
                    if joined_neighbours(&stated) != loops {
                        let reason = "loops of one dimension are one loop of a level in Timeloop: their order within it changes, and \
                                      nothing that moves";
                        report.note(Severity::Expressed, "mapping", reason, name);
                    }
                    all.push(loops);
                }
                None => mixed.push(level.clone()),
            }
        }
        if mixed.is_empty() { Ok(all) } else { Err(mixed) }
    }

    /// Whether an operand stays in the level below when the loops of a level begin, so that their order matters for it.
    fn waits(
        &self,
        operand: LayerOperand,
        view: &OperandView,
        level: usize,
        start: usize,
        mapping: &TemporalMapping,
    ) -> bool {
        let inside = self.levels[..level].iter().rev().find(|level| level.operands.contains(&operand));
        let is_irrelevant = |next: &TemporalLoop| view.relevance[next.dim as usize] == Relevance::Irrelevant;
        inside.is_some_and(|inside| mapping.order[inside.end.min(start)..start].iter().all(is_irrelevant))
    }

    fn mapping(&self, loops: &[Vec<(Dim, u64)>]) -> String {
        let mut text = "mapping:\n".to_owned();
        for part in self.parts() {
            match part {
                ArchitecturePart::Mesh(dim) => {
                    let here = self.problem.spatial.loops.iter().filter(|unrolled| unrolled.array_dim == dim);
                    let unrolled: Vec<(Dim, u64)> = here.map(|unrolled| (unrolled.dim, unrolled.peak)).collect();
                    write_loops(&mut text, &self.names.meshes[dim.index()], "spatial", &unrolled);
                    let _ = writeln!(text, "    split: {}", LETTERS.len());
                }
                ArchitecturePart::Level(index) => {
                    let kept = |space: &&(LayerOperand, &str)| self.levels[index].operands.contains(&space.0);
                    let (keep, bypass): (Vec<_>, Vec<_>) = SPACES.iter().partition(kept);
                    let names = |spaces: Vec<&(LayerOperand, &'static str)>| {
                        spaces.into_iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
                    };
                    let name = &self.names.levels[index];
                    let _ = writeln!(
                        text,
                        "  - target: {name}\n    type: dataspace\n    keep: [{}]\n    bypass: [{}]",
                        names(keep),
                        names(bypass)
                    );
                    write_loops(&mut text, name, "temporal", &loops[index]);
                }
            }
        }
        text
    }

    fn energies(&self) -> String {
        let mut text = "ERT:\n  version: '0.4'\n  tables:\n".to_owned();
        let mut instances = 1_u64;
        let table = |text: &mut String, name: &str, instances: u64, actions: &[(&str, f64)]| {
            let _ = write!(text, "    - name: {}_top_level.{name}[1..{instances}]\n      actions:\n", self.names.core);
            for (action, energy) in actions {
                let _ = writeln!(text, "        - {{name: {action}, arguments: {{}}, energy: {energy}}}");
            }
        };
        for part in self.parts() {
            match part {
                ArchitecturePart::Mesh(dim) => {
                    instances = instances.saturating_mul(self.design_layer.core.array[dim].1)
                }
                ArchitecturePart::Level(index) => {
                    let level = &self.levels[index];
                    let (memory, bits) = (self.memory(level), self.word(level).bits as f64 / level.copies as f64);
                    let read = memory.read_energy_pj * bits / memory.read_width_bits as f64;
                    let write = memory.write_energy_pj * bits / memory.write_width_bits as f64;
                    let actions = [("read", read), ("write", write), ("update", write), ("leak", 0.0)];
                    table(&mut text, &self.names.levels[index], instances, &actions);
                }
            }
        }
        let compute = self.design_layer.facts().mac_pj;
        table(&mut text, &self.names.compute, instances, &[("compute", compute), ("leak", 0.0)]);
        text
    }

    /// Reports the properties that the files do not express.
    fn note_rest(&self, report: &mut ImportReport) {
        let core = &self.design_layer.core;
        if core.pe_area_um2.is_some() || core.memories.iter().any(|memory| memory.area_um2.is_some()) {
            report.note(Severity::NotCounted, "area", "not written: Accelergy has a table of its own for it", "");
        }
        if core.array.keys().any(|dim| core.systolic.contains(dim)) {
            report.note(
                Severity::NotCounted,
                "systolic",
                "Timeloop has no time in which an array fills and drains",
                "",
            );
        }
        let shape = &self.problem.shape;
        let spans = |windows: u64, kernel: u64, stride: u64, dilation: u64| {
            (windows - 1) * stride + (kernel - 1) * dilation + 1
        };
        let columns = spans(shape.size(Dim::OX), shape.size(Dim::FX), shape.stride.0, shape.dilation.0);
        let rows = spans(shape.size(Dim::OY), shape.size(Dim::FY), shape.stride.1, shape.dilation.1);
        if shape.input_limit.0 < columns || shape.input_limit.1 < rows {
            report.note(
                Severity::Expressed,
                "padding",
                "Timeloop reads it as a part of the input",
                &self.design_layer.layer,
            );
        }
    }
}

/// Loops with all factors of a dimension merged at the place of its first one.
fn joined(loops: &[(Dim, u64)]) -> Vec<(Dim, u64)> {
    let mut all: Vec<(Dim, u64)> = Vec::new();
    for &(dim, size) in loops {
        match all.iter_mut().find(|(known, _)| *known == dim) {
            Some((_, product)) => *product *= size,
            None => all.push((dim, size)),
        }
    }
    all
}

/// Loops with neighbouring factors of a dimension merged.
fn joined_neighbours(loops: &[(Dim, u64)]) -> Vec<(Dim, u64)> {
    loops.chunk_by(|one, other| one.0 == other.0).flat_map(joined).collect()
}

/// The iterations of each dimension in the innermost loops of a level during which an operand stays in the level below.
fn standing(operand: &OperandView, loops: &[(Dim, u64)]) -> [u64; 8] {
    let mut sizes = [1; 8];
    for &(dim, size) in loops.iter().take_while(|(dim, _)| operand.relevance[*dim as usize] == Relevance::Irrelevant) {
        sizes[dim as usize] *= size;
    }
    sizes
}

/// Names of the data spaces of a problem.
const SPACES: [(LayerOperand, &str); 3] =
    [(LayerOperand::First, "Weights"), (LayerOperand::Second, "Inputs"), (LayerOperand::Output, "Outputs")];

/// Writes loops, innermost first, followed by all other dimensions with a factor of 1.
fn write_loops(text: &mut String, target: &str, kind: &str, loops: &[(Dim, u64)]) {
    let letter = |dim: Dim| LETTERS.iter().find(|(known, _)| *known == dim).map_or('?', |(_, letter)| *letter);
    let rest = LETTERS.iter().filter(|(dim, _)| loops.iter().all(|(known, _)| known != dim)).map(|(dim, _)| (*dim, 1));
    let all: Vec<(char, u64)> = loops.iter().copied().chain(rest).map(|(dim, size)| (letter(dim), size)).collect();
    let factors: Vec<String> = all.iter().map(|(letter, size)| format!("{letter}={size}")).collect();
    let order: Vec<String> = all.iter().map(|(letter, _)| letter.to_string()).collect();
    let _ = writeln!(
        text,
        "  - target: {target}\n    type: {kind}\n    factors: [{}]\n    permutation: [{}]",
        factors.join(", "),
        order.join(", ")
    );
}
