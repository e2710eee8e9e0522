//! Small random cores and layers, the same on every machine.

use fusescape_engine::hardware::{Core, Operand};
use fusescape_engine::workload::{LayerShape, Network};

/// A linear congruential generator, so that the cases are the same on every machine.
pub struct Lcg(pub u64);

impl Lcg {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// An index of a list; of an empty one 0.
    pub fn index(&mut self, count: usize) -> usize {
        self.below(count.max(1) as u64) as usize
    }

    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Registers for some operands, shared over some array dimensions; a buffer; a DRAM.
pub fn random_core(random: &mut Lcg) -> Core {
    let array = format!("{{ D1: {}, D2: {}, D3: {} }}", 2 + random.below(5), 2 + random.below(3), 1 + random.below(3));
    let mut memories = String::new();
    for (operand, width) in [("W", 8), ("I", 8), ("O", 16)] {
        if random.below(3) > 0 {
            let shared = random.of(&["[]", "[D1]", "[D2, D3]", "[D3]"]);
            let size = width * (1 + random.below(12));
            let width = width * random.of(&[1, 2, 4]);
            memories += &format!(
                "  - {{ name: r{operand}, size: {size} bit, operands: [{operand}], width: {width} bit, granularity: 8 bit, \
                 read_energy: {} pJ, write_energy: {} pJ, shared_over: {shared} }}\n",
                0.01 * (1 + random.below(5)) as f64,
                0.01 * (1 + random.below(5)) as f64,
            );
        }
    }
    let text = format!(
        "name: random
array: {{ dimensions: {array}, mac_energy: 0.04 pJ }}
memories:
{memories}  - {{ name: buffer, size: {} B, operands: {}, width: {} bit, granularity: 8 bit, read_energy: 2 pJ, write_energy: 3 pJ, \
         shared_over: all }}
  - {{ name: dram, size: 1 MiB, operands: [W, I, O], width: 64 bit, granularity: 8 bit, read_energy: 70 pJ, write_energy: 75 pJ, \
         shared_over: all }}
",
        random.of(&[16, 64, 256]),
        random.of(&["[W, I, O]", "[I, O]"]),
        random.of(&[32, 64, 128]),
    );
    Core::from_text(&text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"))
}

pub fn random_shape(random: &mut Lcg) -> LayerShape {
    let network = Network::from_text(&format!(
        "name: one
layers:
  - {{ name: map, type: input, K: {}, size: {} x {} }}
  - {{ name: a, type: conv, K: {}, kernel: {} x {}, stride: {}, padding: {} }}",
        random.of(&[1, 2, 3, 4]),
        random.of(&[5, 6, 8]),
        random.of(&[3, 4]),
        random.of(&[1, 3, 4, 6]),
        random.of(&[1, 3]),
        random.of(&[1, 2]),
        random.of(&[1, 2]),
        random.of(&["none", "same"]),
    ))
    .unwrap();
    network.layer(1.into()).shape
}

pub fn all_levels(core: &Core) -> [usize; 3] {
    Operand::ALL.map(|operand| core.levels(operand).len())
}

/// Number of cases for an oracle: `sample`, or that in `FUSESCAPE_ORACLE_CASES` (`make oracle`).
pub fn oracle_cases(sample: u64) -> u64 {
    let cases = std::env::var("FUSESCAPE_ORACLE_CASES");
    cases.map_or(sample, |cases| cases.parse().expect("FUSESCAPE_ORACLE_CASES is a number"))
}
