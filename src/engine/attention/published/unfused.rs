//! Unfused attention: three phases, one after the other, each through DRAM.

use super::machine::BYTES;
use super::{AccessTotals, Array, Machine, Replay, Rules, Shape, StepCycles, energy_of, softmax};

/// Bytes for each element of Q, K, V or AV in one product, where the mapper moves each only once.
pub const COMPULSORY: u64 = 2 * BYTES;

/// Replays unfused attention. `operand_bytes`: k of NOTES 6.
pub fn replay(operand_bytes: u64, shape: &Shape, machine: &Machine, rules: &Rules) -> Replay {
    let scores = shape.scores() as f64;
    let elements = shape.query_elements() as f64;
    let side = machine.side as f64;
    // Cycles of both products: the array is full.
    let product = scores * shape.depth as f64 / machine.pes() as f64;
    let product_bytes = BYTES as f64 * scores + operand_bytes as f64 * elements;
    let softmax_bytes = (2 * BYTES) as f64 * scores;
    let step = |name| StepCycles { name, array: Array::TwoD, cycles: product, used: 1.0 };
    let softmax_steps = softmax::steps(shape, machine, rules);
    let softmax_cycles: f64 = softmax_steps.iter().map(|step| step.cycles).sum();
    let phase = |cycles, bytes| machine.seconds(cycles).max(machine.dram_seconds(bytes));

    let registers = {
        let outputs = scores / machine.pes() as f64;
        (6.0 * product - outputs - elements / side, 6.0 * product + outputs - elements / side)
    };
    let pes = machine.pes() as f64;
    // In each cycle the mapper's nests read rows of Q, K, V and AV from the buffer, and write one of AV; scores bypass
    // it.
    let mut accesses = AccessTotals {
        buffer_reads: 4.0 * product * side - elements,
        buffer_writes: product * side + 3.0 * elements,
        registers_2d: registers,
        all_registers: [(registers.0 * pes, registers.1 * pes), (0.0, 0.0)],
        ..AccessTotals::default()
    };
    for pass in &softmax::passes(shape, machine, false) {
        accesses.add(Array::OneD, pass);
    }
    let dram = vec![("Q, K", product_bytes), ("scores", softmax_bytes), ("V, AV", product_bytes)];
    let dram_bytes = 2.0 * product_bytes + softmax_bytes;
    Replay {
        tiles: None,
        spilled: 0.0,
        steps: [&[step("QK")], &softmax_steps[..], &[step("AV")]].concat(),
        latency_s: phase(product, product_bytes) + phase(softmax_cycles, softmax_bytes) + phase(product, product_bytes),
        energy: energy_of(machine, rules, dram_bytes, &accesses, &softmax::operations(shape)),
        dram,
        accesses,
        clock_hz: machine.clock_hz,
    }
}
