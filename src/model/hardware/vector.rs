//! The vector unit of a core: lanes that compute element by element.

use super::array::{ArrayDimId, Unroll};
use super::check::check_energy;
use super::memory::{Memory, MemoryId};
use super::operand::Operand;
use crate::ids::TiVec;
use crate::spec::{Diagnostics, LANES, VectorUnitSpec};
use crate::workload::{Dim, LayerShape, Operation, Operations};

/// Limit on the lanes of a vector unit.
const MAX_LANES: u64 = 1 << 20;
/// Limit on the cycles of an operation.
const MAX_CYCLES: u64 = 1 << 10;

/// The cost of an operation on one lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperationCost {
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Cycles in which the lane does nothing else.
    pub cycles: u64,
}

/// Costs where a document states nothing else: 45 nm, 16 bit; the exponential function as six multiply-accumulates in sequence (FuseMax,
/// MICRO 2024; the figures of its public artifact).
const PUBLISHED: [(Operation, OperationCost); 5] = [
    (Operation::Add, OperationCost { energy_pj: 8.3395, cycles: 1 }),
    (Operation::Max, OperationCost { energy_pj: 0.028036, cycles: 1 }),
    (Operation::Multiply, OperationCost { energy_pj: 17.1645, cycles: 1 }),
    (Operation::Divide, OperationCost { energy_pj: 36.251153, cycles: 1 }),
    (Operation::Exp, OperationCost { energy_pj: 6.0 * 17.1645, cycles: 6 }),
];

/// Lanes beside the array. They read their operands from [`Self::memory`] and the memories above, through registers of
/// their own.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorUnit {
    /// Its one dimension: the lanes.
    pub array: TiVec<ArrayDimId, (String, u64)>,
    /// The memory that feeds it.
    pub memory: MemoryId,
    costs: [OperationCost; Operation::ALL.len()],
    /// Number of memories of the core, the first ones, that are its own.
    pub(super) registers: usize,
    passes: [Passed; 3],
}

/// The memories that an operand passes on its way to the lanes.
#[derive(Debug, Clone, PartialEq)]
struct Passed {
    /// All of them, lowest first.
    memories: Vec<MemoryId>,
    /// Number of these that are registers of the lanes.
    registers: usize,
    /// The lowest level of the core that is one of them, counted from the core's lowest.
    lowest: usize,
}

impl VectorUnit {
    /// Validates it. `memories` are all of the core, its registers first; `levels` those of the array.
    pub(super) fn new(
        spec: &VectorUnitSpec,
        memories: &TiVec<MemoryId, Memory>,
        levels: &[Vec<MemoryId>; 3],
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let before = diagnostics.0.len();
        if spec.lanes == 0 || spec.lanes > MAX_LANES {
            let reason = format!("A vector unit of {} lanes", spec.lanes);
            diagnostics.add("vector_unit.lanes", reason, format!("Write 1 to {MAX_LANES}"));
        }
        let registers = spec.registers.len();
        let fed_by = memories.iter_enumerated().skip(registers).find(|(_, memory)| memory.name == spec.memory);
        let names: Vec<&str> = memories.iter().skip(registers).map(|memory| memory.name.as_str()).collect();
        match fed_by {
            None => {
                let reason = format!("There is no memory `{}`", spec.memory);
                diagnostics.add_unknown("vector_unit.memory", reason, &spec.memory, &names);
            }
            Some((id, memory)) => {
                let holds = |operand: Operand| levels[operand as usize].contains(&id);
                if !holds(Operand::I) || !holds(Operand::O) || memory.instances != 1 {
                    diagnostics.add(
                        "vector_unit.memory",
                        format!(
                            "`{}` cannot feed the lanes: it does not hold both I and O, or exists several times",
                            memory.name
                        ),
                        "Name a memory that holds I and O and is shared over the whole array",
                    );
                }
            }
        }
        if !spec.registers.iter().any(|memory| memory.operands.iter().any(|word| word == "O")) {
            diagnostics.add(
                "vector_unit.registers",
                "The lanes have no registers for what they add up",
                "Add a memory that holds O, for example \
                 `{ name: lane-registers, size: 512 bit, operands: [I, O], width: 16 bit, read_energy: 2.19 pJ, \
                 write_energy: 1.91 pJ, shared_over: [] }`",
            );
        }
        let costs = read_costs(spec, diagnostics);
        let (memory, _) = fed_by.filter(|_| diagnostics.0.len() == before)?;
        let passes = Operand::ALL.map(|operand| {
            let levels = &levels[operand as usize];
            let top = levels.len().saturating_sub(1);
            // Layers of a vector unit have no weights: these stay where they are.
            let lowest = match operand {
                Operand::W => top,
                Operand::I | Operand::O => levels.iter().position(|&id| id == memory).unwrap_or(top),
            };
            let is_own = |id: &MemoryId| operand != Operand::W && memories[*id].operands.contains(&operand);
            let own: Vec<MemoryId> = memories.keys().take(registers).filter(is_own).collect();
            Passed { registers: own.len(), memories: [&own[..], &levels[lowest..]].concat(), lowest }
        });
        Some(Self { array: [(LANES.to_owned(), spec.lanes)].into_iter().collect(), memory, costs, registers, passes })
    }

    /// Number of lanes: the product of the unit's dimensions.
    pub fn lanes(&self) -> u64 {
        self.array.iter().map(|(_, lanes)| lanes).product()
    }

    /// All figures in which two units may differ, except for those of their memories: equal numbers, equal units.
    pub fn figures(&self) -> Vec<u64> {
        let costs = self.costs.iter().flat_map(|cost| [cost.energy_pj.to_bits(), cost.cycles]);
        [self.lanes(), self.memory.index() as u64].into_iter().chain(costs).collect()
    }

    /// The energy and the cycles of an operation on one lane.
    pub fn cost(&self, operation: Operation) -> OperationCost {
        self.costs[operation as usize]
    }

    /// Energy of these operations, pJ.
    pub fn energy_pj(&self, operations: &Operations) -> f64 {
        operations.each().map(|(operation, count)| count as f64 * self.cost(operation).energy_pj).sum()
    }

    /// Cycles that these operations take a lane: at least one.
    pub fn cycles(&self, operations: &Operations) -> u64 {
        operations.each().map(|(operation, count)| count * self.cost(operation).cycles).sum::<u64>().max(1)
    }

    /// The memories that an operand passes, lowest first, if it may use so many levels of the core.
    pub fn levels(&self, operand: Operand, of_core: usize) -> &[MemoryId] {
        let Passed { memories, registers, lowest } = &self.passes[operand as usize];
        &memories[..registers + of_core.max(lowest + 1) - lowest]
    }

    /// Whether a memory is one of the unit's own.
    #[inline]
    pub fn is_register(&self, memory: MemoryId) -> bool {
        memory.index() < self.registers
    }

    /// The least number of levels of the core that an operand uses.
    pub fn least_levels(&self, operand: Operand) -> usize {
        self.passes[operand as usize].lowest + 1
    }

    /// Loops over the lanes that leave the fewest steps: of those that compute different outputs, as lanes do not add
    /// up each other's results. Of several ways the one that takes channels first.
    pub fn unroll(&self, shape: &LayerShape) -> Vec<Unroll> {
        let mut fewest = FewestSteps { shape, known: Vec::new() };
        let mut left = self.lanes();
        let mut unroll = Vec::new();
        for (at, &dim) in OVER_LANES.iter().enumerate() {
            let limit = fewest.choose(at, left).1;
            if limit > 1 {
                unroll.push(Unroll { array_dim: ArrayDimId::default(), dim, limit });
            }
            left /= limit;
        }
        unroll
    }
}

/// Loops that lanes may divide among themselves.
const OVER_LANES: [Dim; 5] = [Dim::K, Dim::G, Dim::OX, Dim::OY, Dim::B];

/// The fewest steps of the loops from a place in [`OVER_LANES`] on, by the lanes that are left.
struct FewestSteps<'a> {
    shape: &'a LayerShape,
    known: Vec<((usize, u64), (u64, u64))>,
}

impl FewestSteps<'_> {
    /// The steps, and the lanes that the first of these loops takes for them.
    fn choose(&mut self, at: usize, lanes: u64) -> (u64, u64) {
        let Some(&dim) = OVER_LANES.get(at) else { return (1, 1) };
        if let Some((_, known)) = self.known.iter().find(|(of, _)| *of == (at, lanes)) {
            return *known;
        }
        let size = self.shape.size(dim);
        let mut best = (u64::MAX, 1);
        let mut width = size.min(lanes);
        while width > 0 {
            let steps = size.div_ceil(width);
            // The narrowest with as many steps.
            let narrowest = size.div_ceil(steps);
            let all = steps.saturating_mul(self.choose(at + 1, lanes / narrowest).0);
            if all < best.0 {
                best = (all, narrowest);
            }
            width = narrowest - 1;
        }
        self.known.push(((at, lanes), best));
        best
    }
}

fn read_costs(spec: &VectorUnitSpec, diagnostics: &mut Diagnostics) -> [OperationCost; Operation::ALL.len()] {
    let mut costs = PUBLISHED.map(|(_, cost)| cost);
    for stated in &spec.operations {
        let path = format!("vector_unit.operations.{}", stated.name);
        let Some(operation) = Operation::from_name(&stated.name) else {
            let reason = format!("There is no operation `{}`", stated.name);
            diagnostics.add_unknown(path, reason, &stated.name, &Operation::ALL.map(Operation::name));
            continue;
        };
        let cost = &mut costs[operation as usize];
        if let Some(energy_pj) = stated.energy_pj {
            check_energy(&format!("{path}.energy"), energy_pj, diagnostics);
            cost.energy_pj = energy_pj;
        }
        if let Some(cycles) = stated.cycles {
            if cycles == 0 || cycles > MAX_CYCLES {
                let reason = format!("`{}` takes a lane {cycles} cycles", stated.name);
                diagnostics.add(format!("{path}.cycles"), reason, format!("Write 1 to {MAX_CYCLES}"));
            }
            cost.cycles = cycles;
        }
    }
    costs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{LayerKind, Operations, Precision};

    fn unit(lanes: u64) -> VectorUnit {
        VectorUnit {
            array: [(LANES.to_owned(), lanes)].into_iter().collect(),
            memory: MemoryId::default(),
            costs: PUBLISHED.map(|(_, cost)| cost),
            registers: 0,
            passes: [(); 3].map(|()| Passed { memories: Vec::new(), registers: 0, lowest: 0 }),
        }
    }

    /// Every way to divide lanes.
    fn fewest_steps(sizes: &[u64], lanes: u64) -> u64 {
        let Some((&size, rest)) = sizes.split_first() else { return 1 };
        (1..=lanes).map(|width| size.div_ceil(width) * fewest_steps(rest, lanes / width)).min().unwrap_or(u64::MAX)
    }

    #[test]
    fn lanes_are_divided_so_that_the_fewest_steps_remain() {
        for sizes in
            [[1, 1, 7, 1, 1], [3, 5, 7, 2, 1], [16, 1, 9, 9, 1], [1, 6, 10, 1, 3], [64, 2, 1, 1, 1], [2, 2, 2, 2, 2]]
        {
            for lanes in [1, 2, 7, 16, 24] {
                let mut shape = LayerShape {
                    kind: LayerKind::Elementwise,
                    sizes: [1; 8],
                    dim_order: LayerKind::Elementwise.dim_order(),
                    stride: (1, 1),
                    dilation: (1, 1),
                    input_limit: (64, 64),
                    untouched: (0, 0),
                    precision: Precision { w: 0, i: 8, o_partial: 16, o: 8 },
                    sparsity: None,
                    operations: Operations::one(Operation::Exp),
                };
                OVER_LANES.iter().zip(sizes).for_each(|(&dim, size)| shape.sizes[dim as usize] = size);
                let unroll = unit(lanes).unroll(&shape);
                let used: u64 = unroll.iter().map(|part| part.limit).product();
                let width = |dim: Dim| unroll.iter().find(|part| part.dim == dim).map_or(1, |part| part.limit);
                let steps: u64 = OVER_LANES.iter().map(|&dim| shape.size(dim).div_ceil(width(dim))).product();
                assert!(used <= lanes, "{sizes:?} on {lanes}: {unroll:?}");
                assert_eq!(steps, fewest_steps(&sizes, lanes), "{sizes:?} on {lanes}: {unroll:?}");
            }
        }
    }
}
