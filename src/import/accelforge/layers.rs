//! Einsums as layers of a network.
//!
//! A product of two tensors is a layer with weights; the tensors that a rank variable indexes decide which loop
//! dimension it is. Weights and output: K. Not the output (summed up): C. Input and output: a position or the batch.
//! All three: G. Several variables of one kind form one loop dimension. An index with several terms is a window. A
//! tensor written by one Einsum and read by another is a map between two layers; if both index it differently, a view
//! is inserted.

use super::sets;
use super::workload::{Einsum, RankTerm, TensorAccess, Workload};
use crate::report::{ImportReport, Severity};
use fusescape_spec::{Diagnostic, Diagnostics, KernelSpec, LayerSpec, PaddingSpec, PrecisionSpec};

/// Remedy for an Einsum that is no layer.
const REMEDY: &str = "Import products of two tensors: convolutions and products of matrices; \
                      write others as several of these, or leave them out";
const POSITIONS: [&str; 2] = ["OX", "OY"];
const KERNELS: [&str; 2] = ["FX", "FY"];

/// An Einsum as a layer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EinsumLayer {
    /// Name of the Einsum.
    pub einsum: String,
    /// Names of the tensors that are W, I and O.
    pub tensors: [String; 3],
    /// Rank variables: name, size and loop dimension; `""` for a single iteration.
    pub variables: Vec<(String, u64, &'static str)>,
    /// Bits of W, I and O.
    pub bits: [u64; 3],
    /// Whether the layer has weights, and so runs on the array.
    pub has_weights: bool,
}

/// The layers of a workload.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EinsumNetwork {
    /// Images per batch.
    pub batch: u64,
    /// Bits of layers that state none.
    pub precision: PrecisionSpec,
    /// In topological order.
    pub layers: Vec<LayerSpec>,
    /// The Einsum of each of them.
    pub roles: Vec<EinsumLayer>,
}

/// The axis of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TensorAxis {
    Channel,
    Column,
    Row,
    Batch,
}

/// A tensor as a feature map.
#[derive(Debug, Clone, Default, PartialEq)]
struct TensorMap {
    /// Name of the layer that computes it.
    layer: String,
    /// Number of channels, columns, rows.
    size: [u64; 3],
    /// The axis of each of its ranks, sorted by rank.
    ranks: Vec<(String, TensorAxis)>,
}

/// Makes layers of all Einsums.
///
/// # Errors
/// Einsums that are no layers, and tensors that are read before they are written.
pub fn network(workload: &Workload, report: &mut ImportReport) -> Result<EinsumNetwork, Diagnostics> {
    let mut making = Making { workload, batch: batch(workload), ..Making::new(workload) };
    for einsum in &workload.einsums {
        if let Err(reason) = making.take(einsum, report) {
            let (path, line, remedy) = (einsum.path.clone(), Some(einsum.line), REMEDY.to_owned());
            let reason = format!("`{}` is no layer: {reason}", einsum.name);
            making.wrong.0.push(Diagnostic { path, line, reason, remedy, fix: None });
        }
    }
    let Making { network, batch, wrong, .. } = making;
    wrong.or(EinsumNetwork { batch, ..network })
}

/// The variable of the batch, recognised by its name, as nothing else distinguishes it from a position.
fn batch_of(einsum: &Einsum) -> Option<&(String, u64)> {
    let is_batch = |(name, _): &&(String, u64)| matches!(name.as_str(), "b" | "n" | "batch");
    let is_shared =
        |(name, _): &&(String, u64)| einsum.output.has(name) && einsum.inputs.iter().any(|input| input.has(name));
    einsum.variables.iter().filter(is_batch).find(is_shared)
}

/// The size of the batch, if all products agree on it: else batch variables count as positions.
fn batch(workload: &Workload) -> u64 {
    let products = workload.einsums.iter().filter(|einsum| einsum.inputs.len() == 2);
    let mut sizes = products.map(|einsum| batch_of(einsum).map_or(1, |(_, size)| *size));
    let first = sizes.next().unwrap_or(1);
    if sizes.all(|size| size == first) { first } else { 1 }
}

struct Making<'a> {
    workload: &'a Workload,
    network: EinsumNetwork,
    batch: u64,
    /// Computed tensors.
    maps: Vec<(String, TensorMap)>,
    /// Tensors from outside, as the layers that stand for them.
    inputs: Vec<(String, TensorMap)>,
    /// Tensors that are copies of others: name, and name of the original.
    copies: Vec<(String, String)>,
    wrong: Diagnostics,
}

impl<'a> Making<'a> {
    fn new(workload: &'a Workload) -> Self {
        let (network, wrong) = (EinsumNetwork::default(), Diagnostics::default());
        Self { workload, network, batch: 1, maps: Vec::new(), inputs: Vec::new(), copies: Vec::new(), wrong }
    }

    fn take(&mut self, einsum: &Einsum, report: &mut ImportReport) -> Result<(), String> {
        if self.maps.iter().any(|(known, _)| *known == einsum.output.tensor) {
            return Err(format!("`{}` is written a second time", einsum.output.tensor));
        }
        if self.network.layers.iter().any(|layer| layer.name == einsum.name) {
            return Err("another one has its name".to_owned());
        }
        for input in &einsum.inputs {
            let is_written = |other: &&Einsum| other.output.tensor == input.tensor && !other.is_copy;
            let is_known = self.map_of(&input.tensor).is_some();
            if self.workload.einsums.iter().any(|other| is_written(&other)) && !is_known && self.wrong.is_empty() {
                return Err(format!("`{}` is written by a later one", input.tensor));
            }
        }
        match &einsum.inputs[..] {
            [input] if einsum.is_copy => {
                report.note(
                    Severity::Merged,
                    "copy",
                    "a tensor by another name, which costs nothing here",
                    &einsum.name,
                );
                let source = self.source_of(&input.tensor).to_owned();
                self.copies.push((einsum.output.tensor.clone(), source));
                Ok(())
            }
            [input] => self.take_single(einsum, input, report),
            [first, second] => {
                let (weights, input) = self.sides(einsum, first, second)?;
                self.take_product(einsum, weights, input, report)
            }
            inputs => Err(format!("it reads {} tensors", inputs.len())),
        }
    }

    /// The original of a tensor, following copies.
    fn source_of<'s>(&'s self, tensor: &'s str) -> &'s str {
        self.copies.iter().find(|(copy, _)| copy == tensor).map_or(tensor, |(_, source)| source)
    }

    fn map_of(&self, tensor: &str) -> Option<&TensorMap> {
        let source = self.source_of(tensor);
        self.maps.iter().find(|(known, _)| known == source).map(|(_, map)| map)
    }

    /// The weights and the input among two tensors.
    fn sides<'e>(
        &self,
        einsum: &Einsum,
        first: &'e TensorAccess,
        second: &'e TensorAccess,
    ) -> Result<(&'e TensorAccess, &'e TensorAccess), String> {
        let named = |role: &str, access: &TensorAccess| {
            einsum.renames.iter().any(|(name, source)| name == role && *source == access.tensor)
        };
        let has_windows = |access: &TensorAccess| access.windows().next().is_some();
        let looks_trained = |access: &TensorAccess| access.tensor.to_lowercase().starts_with('w');
        let is_first_input = match [first, second].map(has_windows) {
            [true, true] => return Err("both of its inputs have windows".to_owned()),
            [true, false] => true,
            [false, true] => false,
            _ if named("input", first) || named("weight", second) => true,
            _ if named("input", second) || named("weight", first) => false,
            _ => match [first, second].map(|access| self.map_of(&access.tensor).is_some()) {
                [false, true] => false,
                [true, _] => true,
                [false, false] => !looks_trained(first),
            },
        };
        Ok(if is_first_input { (second, first) } else { (first, second) })
    }

    fn take_product(
        &mut self,
        einsum: &Einsum,
        weights: &TensorAccess,
        input: &TensorAccess,
        report: &mut ImportReport,
    ) -> Result<(), String> {
        let batch = batch_of(einsum).filter(|_| self.batch > 1).map(|(name, _)| name.as_str());
        let weights_map = self.map_of(&weights.tensor).cloned();
        let is_elementwise = einsum.variables.iter().all(|(name, _)| input.has(name) && einsum.output.has(name));
        if einsum.adds || is_elementwise && weights_map.is_some() {
            return self.take_pair(einsum, weights, input, report);
        }
        let shape = ProductLoops::of(einsum, weights, input, batch)?;
        let has_windows = input.windows().next().is_some();
        if weights_map.is_some() && has_windows {
            return Err(format!("`{}`, the weights of its windows, is computed", weights.tensor));
        }
        let needed = shape.input(input);
        let bits = self.bits(einsum, [weights, input, &einsum.output]);
        let (from, padding) = self.connect(einsum, &input.tensor, &needed, &shape, report);
        let mut from = vec![from];
        let is_matmul = weights_map.is_some() || batch.is_some_and(|batch| weights.has(batch));
        let groups = shape.size("G");
        from.extend(weights_map.map(|map| map.layer));
        let channels = shape.size("K").checked_mul(groups).ok_or("it is too large to count")?;
        let layer = LayerSpec {
            name: einsum.name.clone(),
            kind: if is_matmul { "matmul" } else { "conv" }.to_owned(),
            from,
            channels: Some(channels),
            kernel: if is_matmul { KernelSpec::Unstated } else { KernelSpec::Size(shape.size("FX"), shape.size("FY")) },
            groups: (groups > 1).then_some(groups),
            stride: pair(shape.steps.map(|(stride, _)| stride)),
            dilation: pair(shape.steps.map(|(_, dilation)| dilation)),
            padding,
            ..LayerSpec::default()
        };
        let [columns, rows] = POSITIONS.map(|position| shape.size(position));
        let output = TensorMap { size: [channels, columns, rows], ..shape.map(&einsum.output) };
        self.add(einsum, layer, output, bits);
        let tensors = [weights, input, &einsum.output].map(|access| access.tensor.clone());
        let variables =
            shape.variables.into_iter().map(|variable| (variable.name, variable.size, variable.ours)).collect();
        self.network.roles.push(EinsumLayer {
            einsum: einsum.name.clone(),
            tensors,
            variables,
            bits,
            has_weights: true,
        });
        Ok(())
    }

    /// An elementwise operation on two maps of one shape.
    fn take_pair(
        &mut self,
        einsum: &Einsum,
        second: &TensorAccess,
        first: &TensorAccess,
        report: &mut ImportReport,
    ) -> Result<(), String> {
        let maps = [first, second].map(|access| self.map_of(&access.tensor).cloned());
        let [Some(one), Some(other)] = maps else {
            return Err("it takes tensors element by element, of which one is computed by no layer".to_owned());
        };
        let is_whole = |access: &TensorAccess| einsum.variables.iter().all(|(name, _)| access.has(name));
        if one.size != other.size || !is_whole(first) || !is_whole(second) || !is_whole(&einsum.output) {
            return Err("it takes tensors of different shapes element by element".to_owned());
        }
        let operation = if einsum.adds { "add" } else { "multiply" };
        let ranks = output_ranks(einsum, &one, first)?;
        self.add_lanes(
            einsum,
            "pairwise",
            vec![one.layer.clone(), other.layer],
            operation,
            TensorMap { ranks, ..one },
            None,
            report,
        );
        Ok(())
    }

    /// A function of the elements of one tensor, or a reduction over the channels of each position.
    fn take_single(&mut self, einsum: &Einsum, input: &TensorAccess, report: &mut ImportReport) -> Result<(), String> {
        if input.windows().next().is_some() {
            return Err("it has windows and no weights; pooling is not taken".to_owned());
        }
        let Some(map) = self.map_of(&input.tensor).cloned() else {
            return Err(
                "it computes with a tensor that no layer computes; leave it out and read what it writes".to_owned()
            );
        };
        if einsum.variables.iter().any(|(name, _)| !input.has(name)) {
            return Err("it repeats what it reads".to_owned());
        }
        let summed: Vec<&(String, u64)> =
            einsum.variables.iter().filter(|(name, _)| !einsum.output.has(name)).collect();
        let axis = |name: &str| axis_of(&map, input, name);
        if summed.iter().any(|(name, size)| *size > 1 && axis(name) != Some(TensorAxis::Channel)) {
            return Err("it sums over positions".to_owned());
        }
        let is_channel =
            |(name, _): &&(String, u64)| axis(name) == Some(TensorAxis::Channel) && einsum.output.has(name);
        let kept = einsum.variables.iter().filter(is_channel).map(|(_, size)| *size).product::<u64>();
        let ranks = output_ranks(einsum, &map, input)?;
        let (kind, groups) = if summed.is_empty() { ("elementwise", None) } else { ("reduction", Some(kept)) };
        let channels = groups.unwrap_or(map.size[0]);
        let output = TensorMap { size: [channels, map.size[1], map.size[2]], ranks, ..TensorMap::default() };
        self.add_lanes(
            einsum,
            kind,
            vec![map.layer.clone()],
            "add",
            output,
            groups.filter(|groups| *groups > 1),
            report,
        );
        Ok(())
    }

    /// Adds a layer of the vector unit.
    #[allow(clippy::too_many_arguments)]
    fn add_lanes(
        &mut self,
        einsum: &Einsum,
        kind: &str,
        from: Vec<String>,
        operation: &str,
        output: TensorMap,
        groups: Option<u64>,
        report: &mut ImportReport,
    ) {
        let reason = format!("one operation (`{operation}`) an element on a vector unit: without one it is left out");
        report.note(Severity::Expressed, kind, &reason, &einsum.name);
        let (name, kind) = (einsum.name.clone(), kind.to_owned());
        let operations = vec![(operation.to_owned(), 1)];
        let layer = LayerSpec { name, kind, from, groups, operations, ..LayerSpec::default() };
        let first = &einsum.inputs[0];
        let bits = self.bits(einsum, [first, first, &einsum.output]);
        self.add(einsum, layer, output, bits);
    }

    fn add(&mut self, einsum: &Einsum, mut layer: LayerSpec, output: TensorMap, [w, i, o]: [u64; 3]) {
        let precision = PrecisionSpec { w: Some(w), i: Some(i), o_partial: Some(o), o: Some(o) };
        if self.network.roles.is_empty() && self.network.precision == PrecisionSpec::default() {
            self.network.precision = precision;
        } else if self.network.precision != precision {
            layer.precision = precision;
        }
        let output = TensorMap { layer: layer.name.clone(), ..output };
        self.maps.push((einsum.output.tensor.clone(), output));
        self.network.layers.push(layer);
    }

    /// Bits of the values of W, I and O.
    fn bits(&self, einsum: &Einsum, accesses: [&TensorAccess; 3]) -> [u64; 3] {
        let name = |name: &str| {
            let bit = |index: usize| if accesses[index].tensor == name { 1 << index } else { 0 };
            let is_tensor = (0..3).map(bit).fold(0, |all, bit| all | bit);
            (is_tensor > 0).then_some(is_tensor)
        };
        let is_intermediate = |access: &TensorAccess| {
            let mut all = self.workload.einsums.iter();
            let is_written = all.clone().any(|other| other.output.tensor == access.tensor);
            is_written && all.any(|other| other.inputs.iter().any(|input| input.tensor == access.tensor))
        };
        let of = |index: usize| {
            let covers = |text: &str| match text {
                "Other" => Some(true),
                "Intermediates" => Some(is_intermediate(accesses[index])),
                text => sets::value(text, &name).map(|set| set & (1 << index) > 0),
            };
            let stated =
                || einsum.bits.iter().filter(|(text, _)| text != "Other").find(|(text, _)| covers(text) == Some(true));
            let other = || einsum.bits.iter().find(|(text, _)| text == "Other");
            accesses[index].bits.or_else(|| stated().or_else(other).map(|(_, bits)| *bits)).unwrap_or(8)
        };
        [of(0), of(1), of(2)]
    }

    /// The layer that a product reads, and the padding around its input: a view if the map differs from the one
    /// computed.
    fn connect(
        &mut self,
        einsum: &Einsum,
        tensor: &str,
        needed: &TensorMap,
        shape: &ProductLoops,
        report: &mut ImportReport,
    ) -> (String, PaddingSpec) {
        let count = |size: [u64; 3]| size.into_iter().fold(1, u64::saturating_mul);
        let Some(map) = self.map_of(tensor).cloned() else { return (self.input(tensor, needed), PaddingSpec::None) };
        let [columns, rows] = [1, 2].map(|axis| needed.size[axis].checked_sub(map.size[axis]));
        let unread = [1, 2].map(|axis| map.size[axis].saturating_sub(needed.size[axis]));
        let fits = unread.into_iter().zip(shape.steps).all(|(unread, (stride, _))| unread < stride);
        if map.ranks == needed.ranks && map.size[0] == needed.size[0] && fits {
            let padding = match (columns.unwrap_or(0), rows.unwrap_or(0)) {
                (0, 0) => PaddingSpec::None,
                (columns, rows) => {
                    let reason = "what a window reads beyond the tensor is zeros, which AccelForge skips";
                    report.note(Severity::Expressed, "padding", reason, &einsum.name);
                    PaddingSpec::Sides(0, columns, 0, rows)
                }
            };
            return (map.layer, padding);
        }
        if count(map.size) == count(needed.size) {
            let name = self.new_name(&format!("{tensor}_for_{}", einsum.name));
            let [channels, columns, rows] = needed.size;
            let reason = "a view, as the tensor is read in another arrangement than it is written";
            report.note(Severity::Expressed, "view", reason, &einsum.name);
            let (channels, size) = (Some(channels), Some((columns, rows)));
            let (from, kind) = (vec![map.layer], "view".to_owned());
            self.network.layers.push(LayerSpec {
                name: name.clone(),
                kind,
                from,
                channels,
                size,
                ..LayerSpec::default()
            });
            return (name, PaddingSpec::None);
        }
        let reason = format!("reads another part of `{tensor}` than was written: from outside of the network");
        report.note(Severity::Expressed, "input", &reason, &einsum.name);
        (self.input(tensor, needed), PaddingSpec::None)
    }

    /// The layer that stands for a tensor from outside.
    fn input(&mut self, tensor: &str, needed: &TensorMap) -> String {
        let source = self.source_of(tensor).to_owned();
        let is_it = |(name, map): &&(String, TensorMap)| {
            *name == source && map.size == needed.size && map.ranks == needed.ranks
        };
        if let Some((_, map)) = self.inputs.iter().find(is_it) {
            return map.layer.clone();
        }
        let layer = self.new_name(&source);
        let [channels, columns, rows] = needed.size;
        let (name, kind) = (layer.clone(), "input".to_owned());
        let (channels, size) = (Some(channels), Some((columns, rows)));
        self.network.layers.push(LayerSpec { name, kind, channels, size, ..LayerSpec::default() });
        self.inputs.push((source, TensorMap { layer: layer.clone(), ..needed.clone() }));
        layer
    }

    /// A free name for a tensor from outside or a view; Einsums keep their names.
    fn new_name(&self, name: &str) -> String {
        let mut name = name.to_owned();
        let is_layer = |name: &str| self.network.layers.iter().any(|layer| layer.name == name);
        while is_layer(&name) || self.workload.einsums.iter().any(|einsum| einsum.name == name) {
            name.push('_');
        }
        name
    }
}

/// The axis of a map along which a variable runs.
fn axis_of(map: &TensorMap, access: &TensorAccess, variable: &str) -> Option<TensorAxis> {
    let (rank, _) = access.ranks.iter().find(|(_, terms)| terms.iter().any(|term| term.variable == variable))?;
    map.ranks.iter().find(|(known, _)| known == rank).map(|(_, axis)| *axis)
}

/// The axes of the ranks of an output whose variables run along a map.
fn output_ranks(einsum: &Einsum, map: &TensorMap, input: &TensorAccess) -> Result<Vec<(String, TensorAxis)>, String> {
    let mut ranks = Vec::new();
    for (rank, terms) in &einsum.output.ranks {
        let [RankTerm { variable, coefficient: 1 }] = &terms[..] else {
            return Err("its output has windows".to_owned());
        };
        if einsum.size(variable) == 1 {
            continue;
        }
        let axis = axis_of(map, input, variable).ok_or("its output has ranks that its input has not")?;
        ranks.push((rank.clone(), axis));
    }
    ranks.sort();
    Ok(ranks)
}

fn pair([columns, rows]: [u64; 2]) -> Option<(u64, u64)> {
    (columns != 1 || rows != 1).then_some((columns, rows))
}

/// A rank variable of a product.
struct RankVariable {
    name: String,
    size: u64,
    ours: &'static str,
}

struct ProductLoops {
    variables: Vec<RankVariable>,
    /// Stride and dilation of columns and rows.
    steps: [(u64, u64); 2],
    /// For each rank of the input, the axis of its window.
    windows: Vec<(String, usize)>,
}

impl ProductLoops {
    fn of(einsum: &Einsum, weights: &TensorAccess, input: &TensorAccess, batch: Option<&str>) -> Result<Self, String> {
        if [weights, &einsum.output].iter().any(|access| access.windows().next().is_some()) {
            return Err("weights or output have windows, which only the map that a layer reads has".to_owned());
        }
        let variables =
            einsum.variables.iter().map(|(name, size)| RankVariable { name: name.clone(), size: *size, ours: "" });
        let mut shape = Self { variables: variables.collect(), steps: [(1, 1); 2], windows: Vec::new() };
        let indexes = |name: &str| [weights, input, &einsum.output].map(|access| access.has(name));
        for (rank, terms) in input.windows() {
            shape.add_window(rank, terms, &indexes)?;
        }
        // Positions in the order of the output, so that all layers agree on the axes of a map.
        let mut positions: Vec<String> = Vec::new();
        for (_, terms) in &einsum.output.ranks {
            positions.extend(terms.iter().map(|term| term.variable.clone()));
        }
        let mut axis = shape.windows.len();
        let mut plain: Vec<(String, &'static str)> = Vec::new();
        for variable in positions {
            let is_batch = Some(variable.as_str()) == batch;
            let is_free =
                shape.variables.iter().any(|known| known.name == variable && known.ours.is_empty() && known.size > 1);
            if indexes(&variable) != [false, true, true] || is_batch || !is_free {
                continue;
            }
            let Some(position) = POSITIONS.get(axis).or(POSITIONS.last().filter(|_| shape.windows.is_empty())) else {
                return Err(format!("`{variable}` is a third position beside its windows"));
            };
            plain.push((variable, position));
            axis += 1;
        }
        for variable in shape.variables.iter_mut().filter(|variable| variable.ours.is_empty() && variable.size > 1) {
            let is_batch = Some(variable.name.as_str()) == batch;
            variable.ours = match indexes(&variable.name) {
                [_, true, true] if is_batch => "B",
                [true, true, true] => "G",
                [true, false, true] => "K",
                [true, true, false] => "C",
                [false, true, true] => {
                    plain.iter().find(|(name, _)| *name == variable.name).map_or("OY", |(_, ours)| ours)
                }
                _ => return Err(format!("`{}` indexes one tensor only", variable.name)),
            };
        }
        Ok(shape)
    }

    /// An index with a kernel or a stride becomes an axis of the map.
    fn add_window(
        &mut self,
        rank: &str,
        terms: &[RankTerm],
        indexes: &dyn Fn(&str) -> [bool; 3],
    ) -> Result<(), String> {
        let of = |is: [bool; 3]| terms.iter().find(|term| indexes(&term.variable) == is);
        let (kernel, position) = (of([true, true, false]), of([false, true, true]));
        let found = usize::from(kernel.is_some()) + usize::from(position.is_some());
        let axis = self.windows.len();
        if found != terms.len() || axis == 2 {
            let names: Vec<&str> = terms.iter().map(|term| term.variable.as_str()).collect();
            return Err(format!("a window over {} is none that layers have", names.join(" and ")));
        }
        self.windows.push((rank.to_owned(), axis));
        for (term, ours, is_position) in [(position, POSITIONS[axis], true), (kernel, KERNELS[axis], false)] {
            let Some(RankTerm { variable, coefficient }) = term else { continue };
            let step = &mut self.steps[axis];
            *(if is_position { &mut step.0 } else { &mut step.1 }) = *coefficient;
            let Some(known) = self.variables.iter_mut().find(|known| known.name == *variable) else { continue };
            if !known.ours.is_empty() {
                return Err(format!("`{variable}` stands in two windows"));
            }
            known.ours = if known.size > 1 { ours } else { "" };
        }
        Ok(())
    }

    /// Iterations of a loop dimension.
    fn size(&self, ours: &str) -> u64 {
        let sizes = self.variables.iter().filter(|variable| variable.ours == ours).map(|variable| variable.size);
        sizes.fold(1, u64::saturating_mul)
    }

    /// The map that the product reads, by the sizes of its loops.
    fn input(&self, input: &TensorAccess) -> TensorMap {
        let [columns, rows] = [0, 1].map(|axis| {
            let (stride, dilation) = self.steps[axis];
            let positions = (self.size(POSITIONS[axis]) - 1).saturating_mul(stride);
            positions.saturating_add((self.size(KERNELS[axis]) - 1).saturating_mul(dilation)).saturating_add(1)
        });
        TensorMap { size: [self.size("C").saturating_mul(self.size("G")), columns, rows], ..self.map(input) }
    }

    /// The axes of the ranks of a tensor.
    fn map(&self, access: &TensorAccess) -> TensorMap {
        let axis = |rank: &str, terms: &[RankTerm]| {
            let window = self.windows.iter().find(|(known, _)| known == rank).map(|(_, axis)| *axis);
            let ours = terms.first().and_then(|term| self.variables.iter().find(|known| known.name == term.variable));
            match (window, ours.map_or("", |known| known.ours)) {
                (Some(0), _) | (None, "OX") => Some(TensorAxis::Column),
                (Some(_), _) | (None, "OY") => Some(TensorAxis::Row),
                (None, "B") => Some(TensorAxis::Batch),
                // With one element it may be any axis.
                (None, "") => None,
                (None, _) => Some(TensorAxis::Channel),
            }
        };
        let ranks = access.ranks.iter().filter_map(|(rank, terms)| Some((rank.clone(), axis(rank, terms)?)));
        let mut ranks: Vec<(String, TensorAxis)> = ranks.collect();
        ranks.sort();
        TensorMap { ranks, ..TensorMap::default() }
    }
}
