//! The method for documents that a person wrote: the accelerator in the paper's terms, and the groups of a network's
//! layers.

use super::accelerator::{Accelerator, EnergyCosts, PeArray, RegisterFile};
use super::chain::Chain;
use super::fused::FusionMode;
use super::parameters::Parameters;
use super::walk::{ScheduleStep, schedule_chain};
use crate::hardware::{Core, InMemory, MemoryId, Movement, Operand};
use crate::workload::{LayerId, Network};

/// Limit on the layers of a sequence, twice as many as the paper fuses; the time grows with the square.
pub const MOST_LAYERS: usize = 8;

/// Bytes of a register file (Table 3, configuration 1): a [`Core`] has none like it.
pub const REGISTER_BYTES: u64 = 512;

/// Bytes of an access of the DRAM, as [`Parameters::AS_PUBLISHED`] reports it.
const DRAM_ACCESS_BITS: f64 = 16.0;

/// Limit on an energy, hundredths of a picojoule: 10 mJ.
const MOST_ENERGY: f64 = 1e12;

impl Accelerator {
    /// The accelerator in the terms of HW-Flow-Fusion: one buffer, an array of two sides with the paper's register
    /// files, and the energies of the core's own memories.
    pub fn of(core: &Core) -> Self {
        let mut sides = core.array.iter().map(|&(_, size)| size);
        let columns = sides.next().unwrap_or(1);
        // Limited, so that sums of such energies stay in range for any stated value.
        let hundredths = |picojoule: f64| (picojoule * 100.0).round().clamp(0.0, MOST_ENERGY) as u64;
        let bit = |memory: MemoryId| {
            let memory = &core.memories[memory];
            memory.word_energy_pj(Movement::ReadToLow)
                / memory.width_bits(Operand::I, Movement::ReadToLow).max(1) as f64
        };
        // The method has one energy for every multiply-accumulate: in memory, that of a macro in full use.
        let mac_pj = core.in_memory.as_ref().map_or(core.mac_energy.energy_pj, InMemory::peak_mac_pj);
        let levels = core.levels(Operand::I);
        let buffer = levels.len().checked_sub(2).map_or(0.0, |level| bit(levels[level]));
        Self {
            array: PeArray { columns, rows: sides.product() },
            buffer: core.on_chip_bytes(),
            registers: RegisterFile::of(REGISTER_BYTES),
            energy: EnergyCosts {
                mac: hundredths(mac_pj),
                buffer: hundredths(8.0 * buffer),
                dram: hundredths(DRAM_ACCESS_BITS * bit(core.top(Operand::I))),
            },
        }
    }
}

/// The groups of all computing layers, by temporal fusion within the parts of the network that are chains of layers
/// that the method can schedule (Section 4.4); every other layer is by itself. `None` where no two layers follow each
/// other in such a chain.
pub fn groups_of(network: &Network, core: &Core) -> Option<Vec<Vec<LayerId>>> {
    let accelerator = Accelerator::of(core);
    let parts = Chain::parts(network);
    if parts.iter().all(|(layers, _)| layers.len() < 2) {
        return None;
    }
    let mut groups: Vec<Vec<LayerId>> = Vec::new();
    for (layers, chain) in parts {
        let steps = schedule_chain(&chain, FusionMode::Temporal, MOST_LAYERS, &accelerator, &Parameters::AS_PUBLISHED);
        match steps {
            Some(steps) => groups.extend(steps.into_iter().map(|step| match step {
                ScheduleStep::Single(layer, _) => vec![layers[layer]],
                ScheduleStep::Fused(sequence, _) => layers[sequence].to_vec(),
            })),
            // Some single layer fits nowhere.
            None => groups.extend(layers.into_iter().map(|layer| vec![layer])),
        }
    }
    let alone = network.computing().filter(|id| !groups.iter().any(|group| group.contains(id)));
    let alone: Vec<Vec<LayerId>> = alone.map(|id| vec![id]).collect();
    groups.extend(alone);
    groups.sort_unstable();
    Some(groups)
}
