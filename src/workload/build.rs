//! From a raw workload document to a [`Network`]: sizes are inferred from the inputs towards the output.

use super::layer::{Dim, LayerKind, LayerShape, LoopSizes, Padding, Precision};
use super::network::{Layer, LayerId, Network};
use crate::hardware::MAX_SIZE;
use crate::spec::{Diagnostics, KernelSpec, LayerSpec, PaddingSpec, UnrollSpec, WorkloadSpec, closest};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Largest size of one loop dimension, stride or the like; no network comes near it.
const MAX_EXTENT: u64 = 1 << 24;
/// Largest dilation.
const MAX_DILATION: u64 = 1 << 10;

impl Network {
    /// Validates a document and infers every size that follows from others.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its path in the document, the reason and a remedy.
    pub fn new(spec: &WorkloadSpec) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let kinds = check_layers(spec, &mut diagnostics);
        let inputs = resolve_inputs(spec, &kinds, &mut diagnostics);
        check_cycles(spec, &inputs, &mut diagnostics);
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        let order = topological_order(&inputs);
        let mut position = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            position[old] = new;
        }
        let sorted_inputs: Vec<Vec<LayerId>> =
            order.iter().map(|&old| inputs[old].iter().map(|&input| position[input]).collect()).collect();
        let mut layers: Vec<Option<Layer>> = Vec::with_capacity(order.len());
        for (&old, inputs) in order.iter().zip(&sorted_inputs) {
            // A layer whose input could not be sized is not judged itself: its problem is its input's.
            let producers: Option<Vec<&Layer>> = inputs.iter().map(|&input| layers[input].as_ref()).collect();
            let layer = producers.and_then(|producers| {
                Sizing { spec, layer: &spec.layers[old], kind: kinds[old]?, path: format!("layers[{old}]"), producers }
                    .build(&mut diagnostics)
            });
            layers.push(layer);
        }
        let layers = layers.into_iter().flatten().collect();
        diagnostics.or(()).map(|()| Self::from_sorted(spec.name.clone(), layers, &sorted_inputs))
    }
}

fn check_layers(spec: &WorkloadSpec, diagnostics: &mut Diagnostics) -> Vec<Option<LayerKind>> {
    if spec.batch == 0 {
        diagnostics.add("batch", "The batch is 0", "Write 1 or more");
    }
    let mut kinds = Vec::new();
    for (index, layer) in spec.layers.iter().enumerate() {
        let path = format!("layers[{index}]");
        if layer.name.is_empty() {
            diagnostics.add(format!("{path}.name"), "This layer has no name", "Give it one, for example `conv1`");
        } else if spec.layers[..index].iter().any(|other| other.name == layer.name) {
            diagnostics.add(
                format!("{path}.name"),
                format!("Two layers are called `{}`", layer.name),
                "Rename one of them",
            );
        }
        let kind = LayerKind::from_name(&layer.kind);
        if kind.is_none() {
            let reason = format!("There is no layer type `{}`", layer.kind);
            diagnostics.add_unknown(format!("{path}.type"), reason, &layer.kind, &LayerKind::ALL.map(LayerKind::name));
        }
        kinds.push(kind);
        check_unrolls(&path, layer, diagnostics);
    }
    if !kinds.is_empty() && !kinds.contains(&Some(LayerKind::Input)) {
        diagnostics.add(
            "layers",
            "The network has no input",
            "Add a layer such as `{ name: image, type: input, K: 3, size: 224 x 224 }`",
        );
    }
    if !kinds.iter().any(|kind| *kind != Some(LayerKind::Input)) {
        diagnostics.add("layers", "The network computes nothing", "Add at least one layer that is not an input");
    }
    kinds
}

/// A layer's own spatial mapping; its array dimensions are those of whichever core it meets.
fn check_unrolls(path: &str, layer: &LayerSpec, diagnostics: &mut Diagnostics) {
    for (dataflow, unroll) in &layer.unroll {
        for UnrollSpec { array_dimension, loop_dimension, limit } in unroll {
            let path = format!("{path}.unroll.{dataflow}.{array_dimension}");
            if Dim::from_name(loop_dimension).is_none() {
                diagnostics.add(
                    path,
                    format!("There is no loop dimension `{loop_dimension}`"),
                    format!("Use one of {}", Dim::ALL.map(Dim::name).join(", ")),
                );
            } else if *limit == Some(0) {
                diagnostics.add(path, "The loop is limited to 0 PEs", "Write at least 1, or leave the number out");
            }
        }
    }
}

fn resolve_inputs(
    spec: &WorkloadSpec,
    kinds: &[Option<LayerKind>],
    diagnostics: &mut Diagnostics,
) -> Vec<Vec<LayerId>> {
    let by_name: HashMap<&str, usize> =
        spec.layers.iter().enumerate().rev().map(|(index, layer)| (layer.name.as_str(), index)).collect();
    let mut all = Vec::new();
    for (index, layer) in spec.layers.iter().enumerate() {
        let path = format!("layers[{index}].from");
        let mut inputs = Vec::new();
        for name in &layer.from {
            match by_name.get(name.as_str()) {
                Some(&input) => inputs.push(input),
                None => {
                    let reason = format!("There is no layer `{name}`");
                    // Looking for the closest name takes its time: not for the thousandth mistake.
                    let likely = (diagnostics.0.len() < 100).then(|| closest(name, by_name.keys().copied())).flatten();
                    match likely {
                        Some(meant) => diagnostics.add_unknown(&path, reason, name, &[meant]),
                        None => diagnostics.add(&path, reason, "Use the name of a layer"),
                    }
                }
            }
        }
        let Some(kind) = kinds[index] else {
            all.push(inputs);
            continue;
        };
        if layer.from.is_empty() && kind != LayerKind::Input && index > 0 {
            inputs.push(index - 1);
        }
        let (wanted, example) = match kind {
            LayerKind::Input => (0..=0, "Leave `from` out: an input reads nothing"),
            LayerKind::View => (1..=usize::MAX, "Name the layers whose outputs it shows"),
            LayerKind::Add => (2..=2, "Name two layers, for example `from: [conv1, conv2]`"),
            LayerKind::Depthwise => {
                (1..=2, "Name the layer whose output it reads, and the one whose output are its weights, if any")
            }
            LayerKind::MatMul => {
                (1..=2, "Name the layer whose rows it reads, and the one whose output is the other matrix, if any")
            }
            _ => (1..=1, "Name the one layer whose output it reads"),
        };
        if !wanted.contains(&inputs.len()) && layer.from.iter().all(|name| by_name.contains_key(name.as_str())) {
            diagnostics.add(
                &path,
                format!(
                    "`{}` ({}) reads {} feature maps instead of {}",
                    layer.name,
                    kind.name(),
                    inputs.len(),
                    match wanted.end() - wanted.start() {
                        0 => wanted.start().to_string(),
                        1 => format!("{} or {}", wanted.start(), wanted.end()),
                        _ => format!("{} or more", wanted.start()),
                    }
                ),
                example,
            );
        }
        all.push(inputs);
    }
    all
}

fn check_cycles(spec: &WorkloadSpec, inputs: &[Vec<LayerId>], diagnostics: &mut Diagnostics) {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<_> = inputs.iter().map(|_| graph.add_node(())).collect();
    for (consumer, producers) in inputs.iter().enumerate() {
        for &producer in producers {
            graph.add_edge(nodes[producer], nodes[consumer], ());
        }
    }
    // Not Tarjan's algorithm: petgraph's recurses as deep as the network.
    for component in kosaraju_scc(&graph) {
        let first = component[0];
        if component.len() > 1 || graph.contains_edge(first, first) {
            let mut members: Vec<usize> = component.iter().map(|node| node.index()).collect();
            members.sort_unstable();
            let names: Vec<&str> = members.iter().map(|&index| spec.layers[index].name.as_str()).collect();
            diagnostics.add(
                format!("layers[{}].from", members[0]),
                format!("These layers wait for each other in a circle: {}", names.join(", ")),
                "Let one of them read another layer",
            );
        }
    }
}

/// Topological order in which a layer comes as early as its place in the document allows.
fn topological_order(inputs: &[Vec<LayerId>]) -> Vec<LayerId> {
    let mut missing: Vec<usize> = inputs.iter().map(Vec::len).collect();
    let mut consumers = vec![Vec::new(); inputs.len()];
    for (consumer, producers) in inputs.iter().enumerate() {
        for &producer in producers {
            consumers[producer].push(consumer);
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> = (0..inputs.len()).filter(|&id| missing[id] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(inputs.len());
    while let Some(Reverse(id)) = ready.pop() {
        order.push(id);
        for &consumer in &consumers[id] {
            missing[consumer] -= 1;
            if missing[consumer] == 0 {
                ready.push(Reverse(consumer));
            }
        }
    }
    order
}

/// Columns and rows, and channels, of a layer's output.
fn output_map(layer: &Layer) -> ((u64, u64), u64) {
    let shape = &layer.shape;
    ((shape.size(Dim::OX), shape.size(Dim::OY)), shape.output_channels())
}

/// Infers the sizes of one layer from those of its producers.
struct Sizing<'a> {
    spec: &'a WorkloadSpec,
    layer: &'a LayerSpec,
    kind: LayerKind,
    path: String,
    producers: Vec<&'a Layer>,
}

impl Sizing<'_> {
    fn build(&self, diagnostics: &mut Diagnostics) -> Option<Layer> {
        let before = diagnostics.0.len();
        let (input_size, input_channels) = self.input(diagnostics);
        let (kernel, padding) = self.window(input_size);
        let stride = self.layer.stride.unwrap_or((1, 1));
        let dilation = self.layer.dilation.unwrap_or((1, 1));
        for (field, (x, y)) in [("kernel", kernel), ("stride", stride), ("dilation", dilation)] {
            let most = if field == "dilation" { MAX_DILATION } else { MAX_EXTENT };
            if x == 0 || y == 0 || x > most || y > most {
                self.complain(
                    diagnostics,
                    field,
                    format!("A {field} of {x} x {y} is impossible"),
                    format!("Write 1 to {most}"),
                );
            }
        }
        for (sides, kernel, dilation) in [
            (padding.left.max(padding.right), kernel.0, dilation.0),
            (padding.top.max(padding.bottom), kernel.1, dilation.1),
        ] {
            let window = dilation.saturating_mul(kernel.saturating_sub(1)).saturating_add(1);
            if sides >= window && sides > 0 {
                self.complain(
                    diagnostics,
                    "padding",
                    format!("With a padding of {sides} some outputs of `{}` see nothing but zeros", self.layer.name),
                    format!("Write less than the kernel spans, at most {}", window - 1),
                );
            }
        }
        if diagnostics.0.len() > before {
            return None;
        }
        let output_size = if self.has_own_map() {
            input_size
        } else {
            (
                self.outputs(
                    input_size.0,
                    padding.left + padding.right,
                    kernel.0,
                    stride.0,
                    dilation.0,
                    "columns",
                    diagnostics,
                )?,
                self.outputs(
                    input_size.1,
                    padding.top + padding.bottom,
                    kernel.1,
                    stride.1,
                    dilation.1,
                    "rows",
                    diagnostics,
                )?,
            )
        };
        for (size, padding, kernel, stride, dilation, outputs) in [
            (input_size.0, padding.left, kernel.0, stride.0, dilation.0, output_size.0),
            (input_size.1, padding.top, kernel.1, stride.1, dilation.1, output_size.1),
        ] {
            if let Some(output) = self.blind_output(size, padding, kernel, stride, dilation, outputs) {
                self.complain(
                    diagnostics,
                    "dilation",
                    format!("All taps of output {output} of `{}` fall into the padding", self.layer.name),
                    "Make the dilation or the padding smaller".into(),
                );
            }
        }
        let sizes = self.sizes(input_channels, output_size, kernel, diagnostics)?;
        let shape = LayerShape {
            kind: self.kind,
            sizes,
            dim_order: self.kind.dim_order(),
            stride,
            dilation,
            input_limit: input_size,
            precision: self.precision(diagnostics),
        };
        self.check_products(&shape, diagnostics);
        (diagnostics.0.len() == before).then(|| Layer {
            name: self.layer.name.clone(),
            shape,
            padding,
            input_size,
            unroll: self.layer.unroll.clone(),
        })
    }

    /// The first output column (or row) whose taps all fall into the padding, which only dilation can cause.
    fn blind_output(
        &self,
        size: u64,
        padding: u64,
        kernel: u64,
        stride: u64,
        dilation: u64,
        outputs: u64,
    ) -> Option<u64> {
        let sees = |output: &u64| {
            let at = output * stride;
            let skipped = padding.saturating_sub(at).next_multiple_of(dilation);
            skipped <= dilation * (kernel - 1) && at + skipped - padding < size
        };
        if dilation > 1 && padding > 0 { (0..outputs).find(|output| !sees(output)) } else { None }
    }

    fn complain(&self, diagnostics: &mut Diagnostics, field: &str, reason: String, remedy: String) {
        diagnostics.add(format!("{}.{field}", self.path), reason, remedy);
    }

    /// Columns, rows and channels of the input map.
    fn input(&self, diagnostics: &mut Diagnostics) -> ((u64, u64), u64) {
        let name = &self.layer.name;
        if self.has_own_map() {
            let what = self.kind.name();
            let size = self.layer.size.unwrap_or((0, 0));
            if size.0 == 0 || size.1 == 0 || size.0 > MAX_EXTENT || size.1 > MAX_EXTENT {
                let reason = format!("The {what} `{name}` has no feature map: {} x {}", size.0, size.1);
                self.complain(
                    diagnostics,
                    "size",
                    reason,
                    "Write columns x rows, for example `size: 224 x 224`".into(),
                );
            }
            if self.layer.channels.is_none() {
                let reason = format!("The {what} `{name}` does not say how many channels it has");
                self.complain(diagnostics, "K", reason, "Write for example `K: 3`".into());
            }
            return (size, 1);
        }
        // Weights that a layer computes are no feature map.
        let count = if self.kind == LayerKind::Add { 2 } else { 1 };
        let maps: Vec<((u64, u64), u64)> =
            self.producers.iter().take(count).map(|producer| output_map(producer)).collect();
        let size = maps.iter().fold((u64::MAX, u64::MAX), |all, (size, _)| (all.0.min(size.0), all.1.min(size.1)));
        let channels = maps.iter().map(|(_, channels)| *channels).max().unwrap_or(1);
        if !self.layer.crop && maps.iter().any(|map| *map != maps[0]) {
            let text: Vec<String> = self
                .producers
                .iter()
                .zip(&maps)
                .map(|(producer, ((x, y), c))| format!("`{}` is {c} x {x} x {y}", producer.name))
                .collect();
            self.complain(
                diagnostics,
                "from",
                format!("`{name}` adds maps of different sizes: {} (channels x columns x rows)", text.join(", ")),
                "Make them equal, or write `crop: true` to cut the larger down".into(),
            );
        }
        (size, channels)
    }

    /// Whether its feature map follows from no other.
    fn has_own_map(&self) -> bool {
        matches!(self.kind, LayerKind::Input | LayerKind::View)
    }

    /// A depthwise layer may read its kernels from another layer, one number for each tap; each image would have its own.
    fn check_computed_kernels(&self, taps: u64, diagnostics: &mut Diagnostics) {
        let (Some(weights), LayerKind::Depthwise) = (self.producers.get(1), self.kind) else { return };
        let ((columns, rows), channels) = output_map(weights);
        let elements = columns.saturating_mul(rows).saturating_mul(channels);
        if elements != taps {
            let reason =
                format!("`{}` has {elements} elements, the kernels of `{}` {taps}", weights.name, self.layer.name);
            self.complain(
                diagnostics,
                "from",
                reason,
                "Read a layer with as many elements, such as one for each channel".into(),
            );
        }
        if self.spec.batch > 1 {
            let reason = format!(
                "Each of {} images has its own weights for `{}`, which is not modelled",
                self.spec.batch, self.layer.name
            );
            self.complain(diagnostics, "from", reason, "Write `batch: 1`, or name one layer only".into());
        }
    }

    /// Output channels of a product with another layer's output: the matrix has as many elements as that has.
    fn columns_of_matrix(&self, input_channels: u64, groups: u64, diagnostics: &mut Diagnostics) -> Option<u64> {
        let matrix = self.producers.get(1)?;
        let ((columns, rows), channels) = output_map(matrix);
        let elements = u128::from(columns) * u128::from(rows) * u128::from(channels);
        // For each group C x K elements, and C of every group together are the input channels.
        let k =
            (elements * u128::from(groups)).checked_div(u128::from(input_channels)).and_then(|k| u64::try_from(k).ok());
        let stated = self.layer.channels;
        let (Some(k), true) = (k, (elements * u128::from(groups)).is_multiple_of(u128::from(input_channels).max(1)))
        else {
            let reason = format!(
                "`{}` has {elements} elements, which {groups} matrices with {input_channels} rows in all cannot have",
                matrix.name
            );
            self.complain(diagnostics, "from", reason, "Read another layer, or change `groups`".into());
            return None;
        };
        if stated.is_some_and(|stated| stated != k) {
            let reason = format!("`{}` has elements for {k} output channels, K says otherwise", matrix.name);
            self.complain(diagnostics, "K", reason, format!("Leave K out, or write `K: {k}`"));
        }
        Some(k)
    }

    fn window(&self, input: (u64, u64)) -> ((u64, u64), Padding) {
        let kernel = match (self.layer.kernel, self.kind) {
            (KernelSpec::Size(x, y), _) => (x, y),
            (KernelSpec::Global, _) | (KernelSpec::Unstated, LayerKind::FullyConnected) => input,
            (KernelSpec::Unstated, _) => (1, 1),
        };
        let (stride, dilation) = (self.layer.stride.unwrap_or((1, 1)), self.layer.dilation.unwrap_or((1, 1)));
        let same = |size: u64, kernel: u64, stride: u64, dilation: u64| {
            let window = dilation.saturating_mul(kernel.saturating_sub(1)).saturating_add(1);
            let total = ((size.div_ceil(stride.max(1)).max(1) - 1).saturating_mul(stride).saturating_add(window))
                .saturating_sub(size);
            (total / 2, total - total / 2)
        };
        let padding = match self.layer.padding {
            PaddingSpec::None => Padding::default(),
            PaddingSpec::Sides(left, right, top, bottom) => Padding { left, right, top, bottom },
            PaddingSpec::Same => {
                let (left, right) = same(input.0, kernel.0, stride.0, dilation.0);
                let (top, bottom) = same(input.1, kernel.1, stride.1, dilation.1);
                Padding { left, right, top, bottom }
            }
        };
        (kernel, padding)
    }

    #[allow(clippy::too_many_arguments)]
    fn outputs(
        &self,
        input: u64,
        padding: u64,
        kernel: u64,
        stride: u64,
        dilation: u64,
        what: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<u64> {
        let window = dilation.checked_mul(kernel - 1).and_then(|span| span.checked_add(1)).unwrap_or(u64::MAX);
        let padded = input.saturating_add(padding);
        if window > padded {
            self.complain(
                diagnostics,
                "kernel",
                format!(
                    "The kernel of `{}` spans {window} {what}, its input has only {padded} with padding",
                    self.layer.name
                ),
                "Make the kernel or the dilation smaller, or add padding".into(),
            );
            return None;
        }
        Some((padded - window) / stride + 1)
    }

    fn sizes(
        &self,
        input_channels: u64,
        output: (u64, u64),
        kernel: (u64, u64),
        diagnostics: &mut Diagnostics,
    ) -> Option<LoopSizes> {
        let before = diagnostics.0.len();
        let name = &self.layer.name;
        let stated = self.layer.channels;
        if stated == Some(0) || stated.is_some_and(|k| k > MAX_EXTENT) {
            let reason = format!("`{name}` has {} channels", stated.unwrap_or(0));
            self.complain(diagnostics, "K", reason, "Write 1 or more".into());
        }
        let groups = self.layer.groups.unwrap_or(1);
        let mut sizes: LoopSizes = [1; 8];
        let mut set = |dim: Dim, size: u64| sizes[dim as usize] = size;
        set(Dim::B, self.spec.batch);
        set(Dim::OX, output.0);
        set(Dim::OY, output.1);
        set(Dim::FX, kernel.0);
        set(Dim::FY, kernel.1);
        match self.kind {
            LayerKind::Input | LayerKind::View => {
                set(Dim::K, stated.unwrap_or(1));
                set(Dim::FX, 1);
                set(Dim::FY, 1);
            }
            kind if kind.is_channelwise() => {
                let channels = if self.layer.crop { stated.unwrap_or(input_channels) } else { input_channels };
                if stated.is_some_and(|stated| stated != channels) {
                    self.complain(
                        diagnostics,
                        "K",
                        format!("`{name}` ({}) keeps its {input_channels} channels, K says otherwise", kind.name()),
                        format!("Leave K out, or write `K: {input_channels}`"),
                    );
                }
                set(Dim::G, channels);
                self.check_computed_kernels(channels.saturating_mul(kernel.0).saturating_mul(kernel.1), diagnostics);
            }
            _ => {
                let matrix = self.producers.len() > 1;
                let k = if matrix {
                    self.columns_of_matrix(input_channels, groups, diagnostics)?
                } else {
                    stated.unwrap_or(0)
                };
                if stated.is_none() && !matrix {
                    let reason = format!("`{name}` does not say how many output channels it has");
                    self.complain(diagnostics, "K", reason, "Write for example `K: 64`".into());
                }
                if groups == 0 || !input_channels.is_multiple_of(groups.max(1)) || !k.is_multiple_of(groups.max(1)) {
                    self.complain(
                        diagnostics,
                        "groups",
                        format!("{groups} groups divide neither or only one of {input_channels} input and {k} output channels"),
                        "Choose a number of groups that divides both".into(),
                    );
                    return None;
                }
                set(Dim::G, groups);
                set(Dim::K, k / groups);
                set(Dim::C, input_channels / groups);
            }
        }
        (diagnostics.0.len() == before).then_some(sizes)
    }

    fn precision(&self, diagnostics: &mut Diagnostics) -> Precision {
        let (own, all) = (&self.layer.precision, &self.spec.precision);
        let o = own.o.or(all.o).unwrap_or(8);
        let i = own.i.or(all.i).unwrap_or(8);
        let precision = Precision {
            w: match self.kind {
                LayerKind::Pooling | LayerKind::Add => 0,
                // These are features.
                LayerKind::MatMul | LayerKind::Depthwise if self.producers.len() > 1 => own.w.unwrap_or(i),
                _ => own.w.or(all.w).unwrap_or(8),
            },
            i,
            o_partial: own.o_partial.or(all.o_partial).unwrap_or(2 * o),
            o,
        };
        for (operand, bits) in [("W", precision.w), ("I", precision.i), ("O_partial", precision.o_partial), ("O", o)] {
            if bits > 1024 || bits == 0 && operand != "W" {
                let reason = format!("{operand} of `{}` has {bits} bits per element", self.layer.name);
                self.complain(diagnostics, "precision", reason, "Write 1 to 1024".into());
            }
        }
        if precision.o_partial < precision.o {
            let reason = format!(
                "Partial sums of `{}` have {} bits, fewer than the {} of finished outputs",
                self.layer.name, precision.o_partial, precision.o
            );
            self.complain(diagnostics, "precision", reason, "Make O_partial at least O".into());
        }
        precision
    }

    fn check_products(&self, shape: &LayerShape, diagnostics: &mut Diagnostics) {
        let bits = shape.precision.i.max(shape.precision.w).max(shape.precision.o_partial).max(shape.precision.o);
        let product = shape.sizes.iter().try_fold(bits, |all, size| all.checked_mul(*size));
        let input = self
            .spec
            .batch
            .checked_mul(shape.input_channels())
            .and_then(|all| all.checked_mul(shape.input_limit.0))
            .and_then(|all| all.checked_mul(shape.input_limit.1))
            .and_then(|all| all.checked_mul(bits));
        if product.is_none_or(|all| all > MAX_SIZE) || input.is_none_or(|all| all > MAX_SIZE) {
            diagnostics.add(
                &self.path,
                format!("`{}` is too large to count: its operations times bits exceed 2^50", self.layer.name),
                "Make its map, kernel, channels or the batch smaller",
            );
        }
    }
}
