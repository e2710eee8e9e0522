//! Random cores and mapping problems.

use fusescape_engine::hardware::{Core, DoubleBuffering, MemoryId, Operand, Unroll};
use fusescape_engine::mapping::LayerProblem;
use fusescape_engine::workload::{Dim, LayerKind, LayerShape, Network, Operation, Operations, Precision};

/// Numbers that look random and are the same everywhere (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// A core of up to four memories below DRAM, shared by any operands, with any ports; one in four has a vector unit,
/// with one or two registers and any operations, which one of the memories feeds.
pub fn hardware(random: &mut Random) -> String {
    let mut text = format!(
        "name: random\narray: {{ dimensions: {{ D1: {}, D2: {} }}, mac_energy: 1 pJ }}\nmemories:\n",
        1 + random.below(4),
        1 + random.below(3)
    );
    for number in 0..1 + random.below(4) {
        let operands = random.pick(&["[W]", "[I]", "[O]", "[W, I]", "[I, O]", "[O, W]", "[W, I, O]", "[O, I, W]"]);
        text += &memory(random, &format!("m{number}"), operands);
    }
    text += &memory(random, "dram", "[W, I, O]");
    if random.below(4) > 0 {
        return text;
    }
    let feeds = |id: &MemoryId| {
        let core = Core::from_text(&text).ok();
        core.is_some_and(|core| {
            let memory = &core.memories[*id];
            memory.instances == 1 && [Operand::I, Operand::O].iter().all(|operand| memory.operands.contains(operand))
        })
    };
    let count = text.matches("- name:").count();
    let feeding: Vec<MemoryId> = (0..count).map(MemoryId::from).filter(feeds).collect();
    let Some(feeding) = feeding.get(random.below(feeding.len().max(1) as u64) as usize) else { return text };
    let name = if feeding.index() + 1 == count { "dram".to_owned() } else { format!("m{feeding}") };
    let mut costs = || format!("{{ energy: {} pJ, cycles: {} }}", 1 + random.below(9), 1 + random.below(4));
    let operations: Vec<String> =
        Operation::ALL.iter().map(|operation| format!("{}: {}", operation.name(), costs())).collect();
    let lanes = 1 + random.below(6);
    text += &format!(
        "vector_unit:\n  lanes: {lanes}\n  memory: {name}\n  operations: {{ {} }}\n  registers:\n",
        operations.join(", ")
    );
    for (name, operands) in
        [("v0", random.pick(&["[O]", "[I, O]", "[O, I]"])), ("v1", random.pick(&["", "[I]", "[O, I]"]))]
    {
        if !operands.is_empty() {
            let register = memory(random, name, operands);
            let shared_over = if name == "v0" { "[]" } else { random.pick(&["[]", "[lanes]"]) };
            for line in register.lines() {
                let stated = line.trim_start().starts_with("shared_over");
                let line = if stated { format!("    shared_over: {shared_over}") } else { line.to_owned() };
                text += &format!("  {line}\n");
            }
        }
    }
    text
}

fn memory(random: &mut Random, name: &str, operands: &str) -> String {
    let dram = name == "dram";
    let width = 8 << random.below(4);
    let granularity = if random.below(2) == 0 { width } else { 8 };
    let size = if dram { 4096 } else { 2_u64 << random.below(9) };
    let shared_over = if dram { "all" } else { random.pick(&["all", "all", "[]", "[D1]", "[D2]"]) };
    let energy = if dram { 50 } else { 1 + random.below(12) };
    let mut text = format!(
        "  - name: {name}\n    size: {size} B\n    operands: {operands}\n    width: {width} bit\n    \
         granularity: {granularity} bit\n    read_energy: {energy} pJ\n    write_energy: {} pJ\n    shared_over: {shared_over}\n",
        energy + random.below(3)
    );
    if random.below(3) == 0 {
        let served = operands.trim_matches(['[', ']']).split(", ").flat_map(|operand| {
            let movements: &[&str] = match (operand, dram) {
                ("O", false) => &["read_to_low", "write_from_low", "read_to_high", "write_from_high"],
                ("O", true) => &["read_to_low", "write_from_low"],
                (_, false) => &["read_to_low", "write_from_high"],
                (_, true) => &["read_to_low"],
            };
            movements.iter().map(move |movement| format!("{operand}.{movement}"))
        });
        text += &format!("    ports: {{ rw: [{}] }}\n", served.collect::<Vec<_>>().join(", "));
    }
    text + &random_timing(&mut |most| random.below(most), width)
        .iter()
        .map(|field| format!("    {field}\n"))
        .collect::<String>()
}

/// Optional fields of a memory: bursts, a latency, no room for the next data beside the present.
pub fn random_timing(below: &mut dyn FnMut(u64) -> u64, width: u64) -> Vec<String> {
    let mut fields = Vec::new();
    if below(5) == 0 {
        fields.push(format!("burst: {} bit", width + 8 * below(2 * width / 8)));
    }
    if below(5) == 0 {
        fields.push(format!("latency: {} cycles", 1 + below(9)));
    }
    if below(5) == 0 {
        fields.push("double_buffered: never".to_owned());
    }
    fields
}

pub fn problem(random: &mut Random, core: &Core) -> LayerProblem {
    use Dim::{B, C, FX, FY, G, K, OX, OY};
    let on_lanes = core.vector_unit.as_ref();
    let kind = match on_lanes {
        Some(_) => random.pick(&[
            LayerKind::Reduction,
            LayerKind::Elementwise,
            LayerKind::Pairwise,
            LayerKind::Pooling,
            LayerKind::Add,
        ]),
        None => random.pick(&[
            LayerKind::Conv,
            LayerKind::Conv,
            LayerKind::Conv,
            LayerKind::Pointwise,
            LayerKind::Depthwise,
            LayerKind::Pooling,
            LayerKind::FullyConnected,
            LayerKind::MatMul,
            LayerKind::Add,
        ]),
    };
    let dims: &[Dim] = match kind {
        LayerKind::Conv => &[B, K, C, OY, OX, FY, FX],
        LayerKind::Pointwise => &[B, K, C, OY, OX],
        LayerKind::Depthwise | LayerKind::Pooling => &[B, G, OY, OX, FY, FX],
        LayerKind::FullyConnected => &[B, K, C],
        LayerKind::MatMul => &[B, G, K, C, OX],
        LayerKind::Reduction => &[B, G, C, OY, OX],
        LayerKind::Pairwise => &[B, G, K, OY, OX],
        _ => &[B, G, OY, OX],
    };
    let mut sizes = [1; 8];
    for _ in 0..2 + random.below(5) {
        sizes[random.pick(dims) as usize] *= random.pick(&[2, 2, 2, 3, 5]);
    }
    let is_elementwise = kind == LayerKind::Add || kind.needs_vector_unit();
    let stride = if is_elementwise { (1, 1) } else { (1 + random.below(2), 1 + random.below(2)) };
    let span = |outputs: Dim, kernel: Dim, stride: u64| (sizes[outputs as usize] - 1) * stride + sizes[kernel as usize];
    let cut = random.below(2);
    let input_limit = ((span(OX, FX, stride.0) - cut).max(1), (span(OY, FY, stride.1) - cut).max(1));
    let o = random.pick(&[4, 8]);
    let precision = Precision {
        w: if kind == LayerKind::Pooling || kind.needs_vector_unit() { 0 } else { random.pick(&[4, 8]) },
        i: random.pick(&[4, 8]),
        o_partial: o * (1 + random.below(2)),
        o,
    };
    let unroll = core
        .array
        .keys()
        .filter_map(|array_dim| {
            let limit = core.array[array_dim].1;
            (random.below(4) > 0).then(|| Unroll { array_dim, dim: random.pick(dims), limit })
        })
        .collect();
    let operations = match on_lanes {
        Some(_) => random_operations(random),
        None => Operations::default(),
    };
    let dim_order = Dim::ALL;
    let shape = LayerShape {
        kind,
        dim_order,
        sizes,
        stride,
        dilation: (1, 1),
        input_limit,
        untouched: (0, 0),
        precision,
        sparsity: None,
        operations,
    };
    let levels = fusescape_engine::hardware::Operand::ALL.map(|operand| core.levels(operand).len());
    LayerProblem::new(shape, levels, on_lanes.map_or(unroll, |unit| unit.unroll(&shape)))
}

/// Some memories are double-buffered by design, and some never, by their sizes.
pub fn double_buffers(core: &mut Core) {
    for memory in core.memories.iter_mut().filter(|memory| memory.name != "dram") {
        memory.double_buffered = match memory.size_bits.trailing_zeros() % 3 {
            0 => DoubleBuffering::WhereItFits,
            1 => DoubleBuffering::Never,
            _ => DoubleBuffering::Always,
        };
    }
}

/// Some operations, as a document states them.
fn random_operations(random: &mut Random) -> Operations {
    let counts: Vec<String> =
        Operation::ALL.iter().map(|operation| format!("{}: {}", operation.name(), random.below(3))).collect();
    let text = format!(
        "name: one\nlayers:\n  - {{ name: in, type: input, K: 1, size: 1 x 1 }}\n  \
         - {{ name: a, type: pooling, kernel: 1 x 1, operations: {{ {} }} }}",
        counts.join(", ")
    );
    Network::from_text(&text).unwrap().layer(1.into()).shape.operations
}
