//! Gates and converters in 28 nm at 0.9 V (ZigZag 3.8.5, TECH_PARAM_28NM, and its costs of converters).

/// Supply, V.
const SUPPLY: f64 = 0.9;
/// Capacitance of a NAND gate of two inputs, pF.
const NAND_PF: f64 = 0.7e-3;
/// Capacitance of an XOR gate, pF.
const XOR_PF: f64 = 1.5 * NAND_PF;
/// Capacitance of a flip-flop, pF.
const REGISTER_PF: f64 = 3.0 * NAND_PF;
/// Capacitance that a cell adds to its word line, and to its bit line, pF.
const CELL_PF: f64 = 0.5 * NAND_PF;
/// Area of a NAND gate, um2.
const NAND_UM2: f64 = 0.614;
/// Delay of a NAND gate, ns.
const NAND_NS: f64 = 0.0478;
/// An XOR gate is so many times as large and as slow.
const XOR_TIMES: f64 = 2.4;

/// Energy of charging a capacitance in pF, pJ.
fn charge(pf: f64) -> f64 {
    pf * SUPPLY * SUPPLY
}

/// Energy of a full adder of one bit, pJ: three NAND gates and two XOR gates.
pub fn adder_pj() -> f64 {
    charge(3.0 * NAND_PF + 2.0 * XOR_PF)
}

/// Energy of a full adder one of whose inputs is 0, so that nothing carries, pJ.
pub fn half_active_adder_pj() -> f64 {
    charge(2.0 * XOR_PF)
}

/// Energy of multiplying one bit by one, pJ: half a gate, as the weight stays.
pub fn multiplier_pj() -> f64 {
    0.5 * charge(NAND_PF)
}

/// Energy of one bit of a register, pJ.
pub fn register_pj() -> f64 {
    charge(REGISTER_PF)
}

/// Energy of adding one cell's charge on a bit line, pJ.
pub fn bit_line_pj() -> f64 {
    charge(CELL_PF)
}

/// Energy of precharging the bit line that `depth` cells share, and the word line of one, pJ.
pub fn precharge_pj(depth: f64) -> f64 {
    charge(CELL_PF) + charge(CELL_PF) * depth
}

/// Area of a full adder of one bit, um2.
pub fn adder_um2() -> f64 {
    3.0 * NAND_UM2 + 2.0 * XOR_TIMES * NAND_UM2
}

/// Area of a multiplier of one bit by one, um2.
pub fn multiplier_um2() -> f64 {
    NAND_UM2
}

/// Area of one bit of a register, um2.
pub fn register_um2() -> f64 {
    6.0 * NAND_UM2
}

/// Delay of a full adder from an input to the sum, ns.
pub fn sum_ns() -> f64 {
    2.0 * XOR_TIMES * NAND_NS
}

/// Delay of a full adder from an input to the carry, ns.
pub fn carry_out_ns() -> f64 {
    (XOR_TIMES + 2.0) * NAND_NS
}

/// Delay of a full adder from carry to carry, ns.
pub fn carry_ns() -> f64 {
    2.0 * NAND_NS
}

/// Delay of a multiplier of one bit by one, ns.
pub fn multiplier_ns() -> f64 {
    NAND_NS
}

/// Area of a converter of so many bits, um2: 10^(1.206 - 0.0369 bits) 2^bits. One bit is a sense amplifier, which is neglected.
pub fn adc_um2(bits: u64) -> f64 {
    // 10^1.206 and 10^-0.0369: the page has no other use for a power of fractions.
    const SCALE: f64 = 16.069_412_530_128_773;
    const EACH: f64 = 0.918_544_074_724_686_1;
    if bits < 2 { 0.0 } else { (0..bits).fold(SCALE, |area, _| 2.0 * EACH * area) }
}

/// Delay of a converter of so many bits below `rows` cells, ns.
pub fn adc_ns(bits: u64, rows: u64) -> f64 {
    bits as f64 * (0.00653 * rows as f64 + 0.640)
}

/// Energy of a conversion to so many bits, pJ.
pub fn adc_pj(bits: u64) -> f64 {
    charge(0.1 * bits as f64 + 1e-6 * (1_u64 << (2 * bits)) as f64)
}

/// Energy of a conversion from so many bits, pJ; of one bit none, as a driver is enough. Area and delay are neglected.
pub fn dac_pj(bits: u64) -> f64 {
    if bits == 1 { 0.0 } else { charge(0.05 * bits as f64) }
}
