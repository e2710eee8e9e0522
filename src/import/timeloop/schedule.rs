//! A mapping applied to its architecture: the places of loops, and the data that each level keeps.

use super::architecture::{MemoryNode, TimeloopArchitecture};
use super::mapping::{Directive, DirectiveKind, LevelLoops};
use super::problem::TimeloopProblem;
use crate::nest::NestNode;
use fusescape_spec::{Diagnostic, Diagnostics};

/// A factor of a dimension, iterated in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLoop {
    /// Index of the dimension in the problem.
    pub dimension: usize,
    /// Iterations.
    pub size: u64,
    /// Node index of the memory.
    pub node: usize,
}

/// A factor of a dimension, unrolled over a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpaceLoop {
    /// Index of the dimension in the problem.
    pub dimension: usize,
    /// Instances.
    pub size: u64,
    /// Node index of the mesh.
    pub node: usize,
    /// 0 along X, 1 along Y.
    pub axis: usize,
}

/// Loops and kept operands by node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TimeloopSchedule {
    /// Loops in time of more than one iteration, innermost first.
    pub time: Vec<TimeLoop>,
    /// Loops in space of more than one instance.
    pub space: Vec<SpaceLoop>,
    /// For each node, whether it keeps W, I and O; never for meshes.
    pub keeps: Vec<[bool; 3]>,
}

/// The loops of one directive with more than one iteration: dimension and factor, innermost first.
type Ordered = Vec<(usize, u64)>;

/// Assigns directives to nodes.
///
/// # Errors
/// Targets, dimensions and data spaces that do not exist, and factors that do not multiply to the sizes.
pub fn place(
    architecture: &TimeloopArchitecture,
    problem: &TimeloopProblem,
    directives: &[Directive],
) -> Result<TimeloopSchedule, Diagnostics> {
    let mut placing = TimeloopPlacement {
        architecture,
        problem,
        remainders: remainders(problem, directives),
        time: vec![Vec::new(); architecture.nodes.len()],
        schedule: TimeloopSchedule {
            keeps: architecture.nodes.iter().map(|node| [matches!(node, NestNode::Memory(_)); 3]).collect(),
            ..TimeloopSchedule::default()
        },
        diagnostics: Diagnostics::default(),
    };
    directives.iter().for_each(|directive| placing.take(directive));
    placing.finish()
}

struct TimeloopPlacement<'a> {
    architecture: &'a TimeloopArchitecture,
    problem: &'a TimeloopProblem,
    /// By dimension: the value of a factor of 0.
    remainders: Vec<u64>,
    time: Vec<Ordered>,
    schedule: TimeloopSchedule,
    diagnostics: Diagnostics,
}

/// The iterations of each dimension left by all other factors.
fn remainders(problem: &TimeloopProblem, directives: &[Directive]) -> Vec<u64> {
    let stated = |name: &str| {
        let factors = directives.iter().flat_map(|directive| match &directive.kind {
            DirectiveKind::Temporal(loops) | DirectiveKind::Spatial(loops, _) => loops.factors.as_slice(),
            DirectiveKind::Keep(..) => &[],
        });
        let all = factors.filter(|(known, factor)| known == name && *factor > 0);
        all.fold(1_u64, |all, (_, factor)| all.saturating_mul(*factor))
    };
    problem.dimensions.iter().map(|dimension| (dimension.size / stated(&dimension.name).max(1)).max(1)).collect()
}

impl TimeloopPlacement<'_> {
    fn take(&mut self, directive: &Directive) {
        match &directive.kind {
            DirectiveKind::Temporal(loops) => {
                let ordered = self.ordered(loops, directive);
                match self.memory(&directive.target) {
                    Some(node) => self.time[node] = ordered,
                    None if self.mesh(&directive.target).is_some() && ordered.is_empty() => {}
                    None => self.no_target(directive),
                }
            }
            DirectiveKind::Spatial(loops, split) => {
                let all = self.all_ordered(loops, directive);
                let split = split.map_or(usize::MAX, |split| usize::try_from(split).unwrap_or(usize::MAX));
                let is_unrolled = |(_, (_, size)): &(usize, (usize, u64))| *size > 1;
                let unrolled: Vec<_> = all.into_iter().enumerate().filter(is_unrolled).collect();
                match self.mesh(&directive.target) {
                    Some(node) => self.schedule.space.extend(unrolled.into_iter().map(|(place, (dimension, size))| {
                        SpaceLoop { dimension, size, node, axis: usize::from(place >= split) }
                    })),
                    None if unrolled.is_empty() => {}
                    None => self.no_target(directive),
                }
            }
            DirectiveKind::Keep(keep, bypass) => self.keep(keep, bypass, directive),
        }
    }

    fn keep(&mut self, keep: &[String], bypass: &[String], directive: &Directive) {
        let node = self.memory(&directive.target);
        if node.is_none() && self.mesh(&directive.target).is_none() {
            return self.no_target(directive);
        }
        for (names, is_kept) in [(keep, true), (bypass, false)] {
            for name in names {
                let operand = self.problem.spaces.iter().position(|space| space == name);
                match (operand, node) {
                    (Some(operand), Some(node)) => self.schedule.keeps[node][operand] = is_kept,
                    (Some(_), None) => {}
                    (None, _) => {
                        let remedy = format!("The data spaces are {}", self.problem.spaces.join(", "));
                        self.reject(directive, format!("The problem has no data space `{name}`"), remedy);
                    }
                }
            }
        }
    }

    /// The loops with more than one iteration, innermost first.
    fn ordered(&mut self, loops: &LevelLoops, directive: &Directive) -> Ordered {
        self.all_ordered(loops, directive).into_iter().filter(|(_, size)| *size > 1).collect()
    }

    /// All dimensions, innermost first: those missing in the permutation follow.
    fn all_ordered(&mut self, loops: &LevelLoops, directive: &Directive) -> Ordered {
        let position = |name: &str| self.problem.dimensions.iter().position(|known| known.name == name);
        let names: Vec<String> = match &loops.permutation[..] {
            [letters] if position(letters).is_none() => letters.chars().map(String::from).collect(),
            names => names.to_vec(),
        };
        let mut order: Vec<usize> = Vec::new();
        let factors = loops.factors.iter().map(|(name, _)| name);
        let unknown: Vec<&String> = names.iter().chain(factors).filter(|name| position(name).is_none()).collect();
        order.extend(names.iter().filter_map(|name| position(name)));
        order.extend(0..self.problem.dimensions.len());
        let mut seen = vec![false; self.problem.dimensions.len()];
        order.retain(|&dimension| !std::mem::replace(&mut seen[dimension], true));
        let factor = |dimension: usize| {
            let name = &self.problem.dimensions[dimension].name;
            let stated = loops.factors.iter().rev().find(|(known, _)| known == name).map_or(1, |(_, factor)| *factor);
            if stated == 0 { self.remainders[dimension] } else { stated }
        };
        let ordered = order.into_iter().map(|dimension| (dimension, factor(dimension))).collect();
        if let Some(name) = unknown.first() {
            let known: Vec<&str> = self.problem.dimensions.iter().map(|known| known.name.as_str()).collect();
            let reason = format!("The problem has no dimension `{name}`");
            self.reject(directive, reason, format!("Its dimensions are {}", known.join(", ")));
        }
        ordered
    }

    fn memory(&self, target: &str) -> Option<usize> {
        let is_it = |node: &NestNode<MemoryNode>| matches!(node, NestNode::Memory(memory) if memory.name == target);
        self.architecture.nodes.iter().position(is_it)
    }

    /// The mesh of a node, of the front end's placeholder for it, or the one below a memory.
    fn mesh(&self, target: &str) -> Option<usize> {
        let nodes = &self.architecture.nodes;
        let placed = target.strip_prefix("inter_").and_then(|name| name.strip_suffix("_spatial"));
        let is_named = |name: &str| name == target || Some(name) == placed;
        let is_it = |node: &NestNode<MemoryNode>| matches!(node, NestNode::FanOut(mesh) if is_named(&mesh.name));
        let below = || {
            let memory = self.memory(target)?;
            nodes.get(memory + 1).filter(|node| matches!(node, NestNode::FanOut(_))).map(|_| memory + 1)
        };
        nodes.iter().position(is_it).or_else(below)
    }

    fn no_target(&mut self, directive: &Directive) {
        let names = self.architecture.nodes.iter().map(|node| match node {
            NestNode::Memory(memory) => memory.name.as_str(),
            NestNode::FanOut(mesh) => mesh.name.as_str(),
        });
        let remedy = format!("Its memories and meshes are {}", names.collect::<Vec<_>>().join(", "));
        let spatial = if matches!(directive.kind, DirectiveKind::Spatial(..)) { " with several instances" } else { "" };
        self.reject(directive, format!("The architecture has no `{}`{spatial}", directive.target), remedy);
    }

    fn reject(&mut self, directive: &Directive, reason: String, remedy: String) {
        let line = Some(directive.line);
        self.diagnostics.0.push(Diagnostic { path: directive.path.clone(), line, reason, remedy, fix: None });
    }

    fn finish(mut self) -> Result<TimeloopSchedule, Diagnostics> {
        for (node, loops) in self.time.iter().enumerate().rev() {
            let placed = loops.iter().map(|&(dimension, size)| TimeLoop { dimension, size, node });
            self.schedule.time.extend(placed);
        }
        for (index, dimension) in self.problem.dimensions.iter().enumerate() {
            let time = self.schedule.time.iter().filter(|one| one.dimension == index).map(|one| one.size);
            let space = self.schedule.space.iter().filter(|one| one.dimension == index).map(|one| one.size);
            let product = time.chain(space).fold(1, u64::saturating_mul);
            if product != dimension.size {
                let reason =
                    format!("The factors of {} multiply to {product}, not to {}", dimension.name, dimension.size);
                let remedy = format!("Let them multiply to {}; factors with a remainder are not taken", dimension.size);
                self.diagnostics.add("mapping", reason, remedy);
            }
        }
        for (index, node) in self.architecture.nodes.iter().enumerate() {
            let NestNode::FanOut(mesh) = node else { continue };
            for (axis, name) in ["X", "Y"].into_iter().enumerate() {
                let here = self.schedule.space.iter().filter(|one| one.node == index && one.axis == axis);
                let width = here.fold(1, |all: u64, one| all.saturating_mul(one.size));
                if width > mesh.mesh[axis] {
                    let reason = format!("`{}` unrolls {width} along {name}, where {} are", mesh.name, mesh.mesh[axis]);
                    let remedy = "Make the factors smaller, or let `split` send some of them the other way";
                    self.diagnostics.add("mapping", reason, remedy);
                }
            }
        }
        self.diagnostics.or(self.schedule)
    }
}
