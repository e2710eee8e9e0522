//! An architecture as Timeloop and AccelForge have it: memories and fan-outs, one inside of the other; and the parts of
//! documents that are made of it.

use crate::report::ImportReport;
use crate::timeloop::TableEnergy;
use fusescape_spec::MappedLoopSpec;

/// The operands, in the order of all lists in this file.
const OPERANDS: [&str; 3] = ["W", "I", "O"];
/// Most bits of a size.
pub const MAX_BITS: u64 = 1 << 50;

/// The contents of several files of one program.
#[derive(Debug, Clone, Default)]
pub struct Files<A, W, M> {
    pub architecture: Option<A>,
    pub workload: Option<W>,
    pub mapping: Option<M>,
    /// Energies of actions, where a file of their own states them.
    pub energies: Vec<TableEnergy>,
    /// Findings in all of them.
    pub report: ImportReport,
}

impl<A, W, M> Files<A, W, M> {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.architecture.is_none() && self.workload.is_none() && self.mapping.is_none() && self.energies.is_empty()
    }

    /// Adds what another file says; gives what there was already, by its name in `names`.
    pub fn add(&mut self, other: Self, names: [&'static str; 3]) -> Option<&'static str> {
        let twice = [
            self.architecture.is_some() && other.architecture.is_some(),
            self.workload.is_some() && other.workload.is_some(),
            self.mapping.is_some() && other.mapping.is_some(),
        ];
        self.architecture = other.architecture.or(self.architecture.take());
        self.workload = other.workload.or(self.workload.take());
        self.mapping = other.mapping.or(self.mapping.take());
        self.energies.extend(other.energies);
        self.report.join(other.report);
        names.into_iter().zip(twice).find_map(|(name, is_twice)| is_twice.then_some(name))
    }
}

/// A node of an architecture.
#[derive(Debug, Clone, PartialEq)]
pub enum NestNode<M> {
    Memory(M),
    /// Instances of all nodes inside.
    FanOut(FanOut),
}

/// Instances of all nodes inside, in a mesh.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FanOut {
    /// The node that exists so often, or the dimension.
    pub name: String,
    /// Instances along X and Y.
    pub mesh: [u64; 2],
    /// Tensors that a loop in space must reuse: a set expression of AccelForge.
    pub reuse: Option<String>,
}

/// Nodes, outermost first, with the operands that they keep, and names for the dimensions of the array.
pub struct ImportedNest<'a, M> {
    nodes: &'a [NestNode<M>],
    /// By node: the operands among W, I and O that it keeps; none for fan-outs.
    pub keeps: Vec<[bool; 3]>,
    /// By node: names of the dimensions along X and Y; `""` where there is none.
    pub dimensions: Vec<[String; 2]>,
}

impl<'a, M> ImportedNest<'a, M> {
    /// Names the dimensions.
    pub fn new(nodes: &'a [NestNode<M>], keeps: Vec<[bool; 3]>) -> Self {
        let mut used: Vec<String> = Vec::new();
        let mut named = |FanOut { name, mesh, .. }: &FanOut, axis: usize| {
            let is_only = mesh[1 - axis] == 1;
            if mesh[axis] == 1 && !(is_only && axis == 0) {
                return String::new();
            }
            let mut name = if is_only { name.clone() } else { format!("{name}_{}", ["X", "Y"][axis]) };
            while used.contains(&name) {
                name.push('_');
            }
            used.push(name.clone());
            name
        };
        let of_node = |node: &NestNode<M>| match node {
            NestNode::FanOut(fan_out) => [0, 1].map(|axis| named(fan_out, axis)),
            NestNode::Memory(_) => [String::new(), String::new()],
        };
        let dimensions = nodes.iter().map(of_node).collect();
        Self { nodes, keeps, dimensions }
    }

    /// Memories, outermost first, each with its place among the nodes and whether it keeps anything.
    fn all_memories(&self) -> impl DoubleEndedIterator<Item = (usize, &'a M, bool)> {
        self.nodes.iter().enumerate().filter_map(|(index, node)| match node {
            NestNode::Memory(memory) => Some((index, memory, self.keeps[index].contains(&true))),
            NestNode::FanOut(_) => None,
        })
    }

    /// Memories that keep an operand, outermost first, each with its node index.
    pub fn memories(&self) -> impl DoubleEndedIterator<Item = (usize, &'a M)> {
        self.all_memories().filter_map(|(index, memory, keeps)| keeps.then_some((index, memory)))
    }

    /// Memories that keep nothing.
    pub fn unused_memories(&self) -> impl Iterator<Item = &'a M> {
        self.all_memories().filter_map(|(_, memory, keeps)| (!keeps).then_some(memory))
    }

    /// Fan-outs, outermost first, each with the names of its dimensions.
    pub fn fan_outs(&self) -> impl Iterator<Item = (&'a FanOut, &[String; 2])> {
        self.nodes.iter().zip(&self.dimensions).filter_map(|(node, names)| match node {
            NestNode::FanOut(fan_out) => Some((fan_out, names)),
            NestNode::Memory(_) => None,
        })
    }

    /// Name and size of each dimension of the array; one PE where nothing fans out.
    pub fn array(&self) -> Vec<(String, u64)> {
        let all = self.fan_outs().flat_map(|(fan_out, names)| names.iter().cloned().zip(fan_out.mesh));
        let mut array: Vec<(String, u64)> = all.filter(|(name, _)| !name.is_empty()).collect();
        if array.is_empty() {
            array.push(("PE".to_owned(), 1));
        }
        array
    }

    /// The dimensions over which a memory is shared: those inside of it.
    pub fn shared_over(&self, index: usize) -> Vec<String> {
        if self.dimensions.iter().flatten().all(String::is_empty) {
            return self.array().into_iter().map(|(name, _)| name).collect();
        }
        self.dimensions[index..].iter().flatten().filter(|name| !name.is_empty()).cloned().collect()
    }

    /// Names of the operands that a memory keeps.
    pub fn operands(&self, index: usize) -> Vec<String> {
        let kept = OPERANDS.iter().zip(self.keeps[index]).filter(|(_, is_kept)| *is_kept);
        kept.map(|(name, _)| (*name).to_owned()).collect()
    }
}

/// A loop in time, and the memories that hold W, I and O while it runs.
pub fn mapped_loop(dimension: &str, size: u64, held: [&str; 3]) -> MappedLoopSpec {
    let memories = OPERANDS.iter().zip(held).map(|(name, held)| ((*name).to_owned(), held.to_owned())).collect();
    MappedLoopSpec { dimension: dimension.to_owned(), size, memories }
}
