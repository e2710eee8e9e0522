//! A core as the attention model uses it: DRAM, the highest memories on the chip, the registers of the PEs, an array
//! for products, lanes for all other operations.

use crate::hardware::{Core, MacEnergy, Memory, MemoryId, Movement, Operand, Unroll, VectorUnit};
use crate::spec::Diagnostics;
use crate::workload::{Dim, LayerKind, Operation, Precision};

/// A memory: energy per bit, and bits per cycle.
#[derive(Debug, Clone, PartialEq)]
pub struct Store {
    /// Its name in the document.
    pub name: String,
    /// Capacity, bits.
    pub size_bits: u64,
    /// Energy of reading a bit, pJ.
    pub read_pj: f64,
    /// Energy of writing a bit, pJ.
    pub write_pj: f64,
    /// Bits read in a cycle.
    pub read_width: u64,
    /// Bits written in a cycle.
    pub write_width: u64,
    /// Whether reading and writing take turns.
    pub one_port: bool,
}

impl Store {
    fn new(memory: &Memory, operand: Operand) -> Self {
        let (read, write) = (Movement::ReadToLow, Movement::WriteFromLow);
        // Inputs and weights are read, outputs written; a memory that holds no outputs is written from above.
        let writes = |operand: Operand| {
            if memory.operands.contains(&Operand::O) { (Operand::O, write) } else { (operand, Movement::WriteFromHigh) }
        };
        let (written, by) = writes(operand);
        Self {
            name: memory.name.clone(),
            size_bits: memory.size_bits,
            read_pj: memory.read_energy_pj / memory.read_width_bits as f64,
            write_pj: memory.write_energy_pj / memory.write_width_bits as f64,
            read_width: memory.width_bits(operand, read),
            write_width: memory.width_bits(written, by),
            one_port: memory.port(operand, read) == memory.port(written, by),
        }
    }

    /// Cycles that reading and writing so many bits takes.
    pub fn cycles(&self, read_bits: u64, write_bits: u64) -> u64 {
        let (read, write) = (read_bits.div_ceil(self.read_width), write_bits.div_ceil(self.write_width));
        if self.one_port { read + write } else { read.max(write) }
    }

    /// Energy of reading and writing so many bits, pJ.
    pub fn energy_pj(&self, read_bits: u64, write_bits: u64) -> f64 {
        read_bits as f64 * self.read_pj + write_bits as f64 * self.write_pj
    }
}

/// A core as the attention model uses it.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// The core's name in its document.
    pub name: String,
    /// The memory off the chip.
    pub dram: Store,
    /// The highest memory on the chip for queries, scores and results.
    pub activations: Store,
    /// The highest memory on the chip for keys, values and weights; `None` if it is the same.
    pub weights: Option<Store>,
    /// Rows of the first factor, depth, and columns of the second that the array takes at once.
    pub unrolled: [u64; 3],
    /// PEs.
    pub pes: u64,
    /// The unit that computes element by element, if there is one.
    pub lanes: Option<VectorUnit>,
    /// Clock frequency, MHz; `None` where none is stated.
    pub clock_mhz: Option<f64>,
    mac_energy: MacEnergy,
    /// For W, I, O: accesses of the lowest memory in the array for each multiply-accumulate, and energies of a bit read and written.
    registers: [Option<(f64, f64, f64)>; 3],
}

impl Machine {
    /// Takes the figures of a core.
    ///
    /// # Errors
    ///
    /// A core without a memory on the chip for inputs and outputs together, or for weights, that the whole array shares.
    pub fn of(core: &Core) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let top = core.top(Operand::I);
        let holds =
            |memory: &Memory, operands: &[Operand]| operands.iter().all(|operand| memory.operands.contains(operand));
        let highest = |operands: &[Operand]| {
            let below_top = core.memories.iter_enumerated().rev().find(|(id, memory)| {
                *id != top && memory.instances == 1 && holds(memory, operands) && !is_register(core, *id)
            });
            below_top.map(|(id, _)| id)
        };
        if !holds(&core.memories[top], &Operand::ALL) {
            let reason = format!(
                "`{}` does not hold W, I and O, and all three come from the same DRAM here",
                core.memories[top].name
            );
            diagnostics.add("hardware.memories", reason, "Let the highest memory hold W, I and O");
        }
        let activations = highest(&[Operand::I, Operand::O]);
        if activations.is_none() {
            let reason =
                "No memory on the chip that the whole array shares holds I and O: scores cannot stay on the chip";
            diagnostics.add(
                "hardware.memories",
                reason,
                "Add a memory below the highest with `operands: [I, O]` and `shared_over: all`",
            );
        }
        // Keys and values are held where weights are; a core whose weights bypass its buffers holds them with the
        // activations or not at all.
        let weights = highest(&[Operand::W]);
        if weights.is_none() {
            let reason = "No memory on the chip that the whole array shares holds W: keys and values have no place";
            diagnostics.add("hardware.memories", reason, "Add W to the `operands` of a memory with `shared_over: all`");
        }
        let (Some(activations), Some(weights)) = (activations, weights) else { return Err(diagnostics) };
        diagnostics.or(())?;
        let store = |id: MemoryId, operand| Store::new(&core.memories[id], operand);
        Ok(Self {
            name: core.name.clone(),
            dram: store(top, Operand::I),
            activations: store(activations, Operand::I),
            weights: (weights != activations).then(|| store(weights, Operand::W)),
            unrolled: unrolled(core),
            pes: core.pe_count(),
            lanes: core.vector_unit.clone(),
            clock_mhz: core.clock_mhz,
            mac_energy: core.mac_energy.clone(),
            registers: Operand::ALL.map(|operand| {
                let id = *core.levels(operand).iter().find(|id| !is_register(core, **id))?;
                let memory = &core.memories[id];
                let in_array = memory.instances > 1 && id != activations && id != weights;
                in_array.then(|| {
                    let share = memory.instances as f64 / core.pe_count() as f64;
                    let bit = |energy: f64, width: u64| energy / width as f64;
                    let read = bit(memory.read_energy_pj, memory.read_width_bits);
                    (share, read, bit(memory.write_energy_pj, memory.write_width_bits))
                })
            }),
        })
    }

    /// The core as one of so many that work at the same time: each has its part of the bits per cycle of DRAM, rounded
    /// down.
    #[must_use]
    pub fn sharing_dram(&self, cores: u64) -> Self {
        let part = |width: u64| (width / cores.max(1)).max(1);
        let (read_width, write_width) = (part(self.dram.read_width), part(self.dram.write_width));
        Self { dram: Store { read_width, write_width, ..self.dram.clone() }, ..self.clone() }
    }

    /// The core with so many bits less for keys, values and weights; `None` if there are not so many.
    pub fn with_less_room(&self, bits: u64) -> Option<Self> {
        let less = |store: &Store| Some(Store { size_bits: store.size_bits.checked_sub(bits)?, ..store.clone() });
        let mut machine = self.clone();
        match &self.weights {
            Some(weights) => machine.weights = Some(less(weights)?),
            None => machine.activations = less(&self.activations)?,
        }
        Some(machine)
    }

    /// The memory of keys, values and weights.
    pub const fn weight_store(&self) -> &Store {
        match &self.weights {
            Some(store) => store,
            None => &self.activations,
        }
    }

    /// Energy of a multiply-accumulate with `w` bits of a key or weight and `i` bits of a query or score, pJ.
    pub fn mac_pj(&self, w: u64, i: u64) -> f64 {
        self.mac_energy.at(&Precision { w, i, o_partial: 0, o: 0 })
    }

    /// Energy of the registers for a multiply-accumulate, pJ: both factors are read, the sum is read and written.
    pub fn register_pj(&self, w: u64, i: u64, o: u64) -> f64 {
        let [of_w, of_i, of_o] = self.registers;
        let read = |registers: Option<(f64, f64, f64)>, bits: u64| {
            registers.map_or(0.0, |(share, read, _)| share * read * bits as f64)
        };
        let sum = of_o.map_or(0.0, |(share, read, write)| share * (read + write) * o as f64);
        read(of_w, w) + read(of_i, i) + sum
    }

    /// Energy of an operation of a lane, pJ; 0 without lanes.
    pub fn operation_pj(&self, operation: Operation) -> f64 {
        self.lanes.as_ref().map_or(0.0, |lanes| lanes.cost(operation).energy_pj)
    }

    /// The fewest cycles of so many multiply-accumulates.
    pub const fn ideal_cycles(&self, macs: u64) -> u64 {
        macs.div_ceil(self.pes)
    }
}

fn is_register(core: &Core, id: MemoryId) -> bool {
    core.vector_unit.as_ref().is_some_and(|unit| unit.is_register(id))
}

/// The sizes of a product that the array computes at once: rows are the columns of a map (queries), the depth its
/// channels.
fn unrolled(core: &Core) -> [u64; 3] {
    let mut sizes = [1; 3];
    for &Unroll { array_dim, dim, limit } in core.unroll(LayerKind::MatMul) {
        let of = match dim {
            Dim::OX | Dim::OY | Dim::B => 0,
            Dim::C => 1,
            Dim::K => 2,
            _ => continue,
        };
        sizes[of] *= limit.min(core.array[array_dim].1);
    }
    sizes
}
