//! A problem: dimensions, data spaces and sizes, as one layer.
//!
//! The data spaces indexed by a dimension decide its role: W and I but not O is summed up (C, or FX and FY in a
//! window), W and O is K, I and O is a position or the batch, all three is a group.

use crate::places::{Entries, find, text, whole};
use crate::report::{ImportReport, Severity};
use fusescape_spec::reader::{LocatedNode, Reader, ValueError};
use fusescape_spec::{KernelSpec, LayerSpec};

/// Limit on the dimensions, data spaces and terms of a problem.
const MAX_ITEMS: usize = 64;
/// The shape that older versions have built in, as `cnn-layer`.
const CONVOLUTION: &str = "
name: cnn-layer
dimensions: [R, S, P, Q, C, K, N]
coefficients: [{ name: Wstride }, { name: Hstride }, { name: Wdilation }, { name: Hdilation }]
data_spaces:
  - { name: Weights, projection: [[[R]], [[S]], [[C]], [[K]]] }
  - { name: Inputs, projection: [[[N]], [[C]], [[R, Wdilation], [P, Wstride]], [[S, Hdilation], [Q, Hstride]]] }
  - { name: Outputs, projection: [[[N]], [[K]], [[P]], [[Q]]], read_write: true }
";

/// A problem as a layer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TimeloopProblem {
    /// Name of its shape.
    pub name: String,
    /// Its dimensions in their order.
    pub dimensions: Vec<ProblemDimension>,
    /// Names of the data spaces that are W, I and O.
    pub spaces: [String; 3],
    /// The map that the layer reads.
    pub input: LayerSpec,
    pub layer: LayerSpec,
    /// Images per batch.
    pub batch: u64,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProblemDimension {
    pub name: String,
    pub size: u64,
    /// The loop dimension; `""` for a single iteration.
    pub ours: &'static str,
    /// Whether it indexes W, I and O.
    pub indexes: [bool; 3],
}

/// A data space: the sum of terms that indexes each of its coordinates.
struct DataSpace {
    name: String,
    is_output: bool,
    coordinates: Vec<Vec<DimensionTerm>>,
}

/// A dimension with its coefficient.
struct DimensionTerm {
    dimension: usize,
    coefficient: u64,
}

/// Reads a problem; `None` if it is no layer, in which case the reader has the errors.
pub fn read(place: &LocatedNode, reader: &mut Reader, report: &mut ImportReport) -> Option<TimeloopProblem> {
    let entries = place.entries(reader);
    let Some(shape) = find(&entries, "shape") else {
        place.reject(reader, ValueError::new("The problem has no `shape`", "State its dimensions and data spaces"));
        return None;
    };
    let instance = find(&entries, "instance").unwrap_or(place).entries(reader);
    note_instance(&instance, report);
    if !shape.is_scalar() {
        return read_shape(&shape.entries(reader), shape, &instance, reader);
    }
    let (root, mut own) = Reader::open(CONVOLUTION);
    let root = LocatedNode::root(&root);
    let known = shape.name(reader)?.to_lowercase().replace('_', "-");
    if known != "cnn-layer" {
        let remedy = "Write the shape out: `dimensions` and `data_spaces`";
        shape.reject(reader, ValueError::new(format!("The shape `{known}` is not known here"), remedy));
        return None;
    }
    let fields = root.entries(&mut own);
    read_shape(&fields, shape, &instance, reader)
}

fn note_instance(instance: &Entries, report: &mut ImportReport) {
    if find(instance, "densities").is_some_and(|place| !place.is_empty()) {
        let reason = "counted as dense: zeros are computed and moved as all else";
        report.note(Severity::NotCounted, "densities", reason, "");
    }
    if ["Hpad", "Wpad"].iter().any(|name| find(instance, name).is_some()) {
        let reason = "a part of the input, as Timeloop counts it";
        report.note(Severity::Expressed, "padding", reason, "");
    }
}

fn read_shape(
    shape: &Entries,
    place: &LocatedNode,
    instance: &Entries,
    reader: &mut Reader,
) -> Option<TimeloopProblem> {
    let before = reader.count();
    let mut dimensions = Vec::new();
    let names = find(shape, "dimensions").map(|place| place.names(reader)).unwrap_or_default();
    for name in names {
        let size = match instance.iter().find(|(known, _)| *known == name) {
            Some((_, size)) => whole(size, reader).filter(|size| *size > 0),
            None => {
                let reason = format!("The instance has no size of dimension `{name}`");
                place.reject(reader, ValueError::new(reason, format!("Write for example `{name}: 16` in `instance`")));
                None
            }
        };
        dimensions.push(ProblemDimension { name, size: size.unwrap_or(1), ..ProblemDimension::default() });
    }
    let coefficients = read_coefficients(shape, instance, reader);
    let mut spaces = Vec::new();
    if let Some(stated) = find(shape, "data_spaces") {
        for space in stated.list(reader, MAX_ITEMS) {
            spaces.extend(read_space(&space, &dimensions, &coefficients, reader));
        }
    }
    if reader.count() > before {
        return None;
    }
    let name = text(shape, "name", reader).filter(|name| !name.is_empty()).unwrap_or_else(|| "layer".to_owned());
    match Roles::of(dimensions, &spaces).and_then(|roles| roles.into_problem(name)) {
        Ok(problem) => Some(problem),
        Err(reason) => {
            let remedy = "Import convolutions and products of matrices: two inputs, one output, windows of one dimension \
                          that is summed up and one that is not, at most one dimension each for groups, for output channels \
                          and for input channels";
            place.reject(reader, ValueError::new(reason, remedy));
            None
        }
    }
}

fn read_coefficients(shape: &Entries, instance: &Entries, reader: &mut Reader) -> Vec<(String, u64)> {
    let mut coefficients = Vec::new();
    let Some(stated) = find(shape, "coefficients") else { return coefficients };
    for coefficient in stated.list(reader, MAX_ITEMS) {
        let fields = coefficient.entries(reader);
        let Some(name) = text(&fields, "name", reader) else { continue };
        let own = instance.iter().find(|(known, _)| *known == name).map(|(_, place)| place);
        let value = own.or(find(&fields, "default")).map_or(Some(1), |place| whole(place, reader));
        coefficients.push((name, value.unwrap_or(1)));
    }
    coefficients
}

fn read_space(
    place: &LocatedNode,
    dimensions: &[ProblemDimension],
    coefficients: &[(String, u64)],
    reader: &mut Reader,
) -> Option<DataSpace> {
    let fields = place.entries(reader);
    let name = text(&fields, "name", reader)?;
    let is_output = find(&fields, "read_write").and_then(|place| place.text(reader));
    let is_output = is_output.is_some_and(|text| text.eq_ignore_ascii_case("true"));
    let mut coordinates = Vec::new();
    for coordinate in find(&fields, "projection")?.list(reader, MAX_ITEMS) {
        let mut terms = Vec::new();
        for product in coordinate.list(reader, MAX_ITEMS) {
            let names = product.names(reader);
            let indexes = |name: &String| dimensions.iter().position(|known| known.name == *name);
            let found: Vec<usize> = names.iter().filter_map(indexes).collect();
            let factors: Vec<u64> = names
                .iter()
                .filter_map(|name| coefficients.iter().find(|(known, _)| known == name))
                .map(|(_, value)| *value)
                .collect();
            let &[dimension] = &found[..] else {
                let reason = format!("`{}` is not one dimension with its coefficients", names.join(", "));
                let remedy = "Write for example `[P, Wstride]`, with names out of `dimensions` and `coefficients`";
                product.reject(reader, ValueError::new(reason, remedy));
                continue;
            };
            if found.len() + factors.len() < names.len() {
                let reason = format!("`{}` names what is neither a dimension nor a coefficient", names.join(", "));
                product.reject(reader, ValueError::new(reason, "State it under `coefficients`"));
            }
            let coefficient = factors.into_iter().fold(1, u64::saturating_mul);
            terms.push(DimensionTerm { dimension, coefficient });
        }
        coordinates.push(terms);
    }
    Some(DataSpace { name, is_output, coordinates })
}

/// The roles of the dimensions found so far.
#[derive(Default)]
struct Roles {
    dimensions: Vec<ProblemDimension>,
    spaces: [String; 3],
    /// Stride and dilation of columns and rows.
    steps: [(u64, u64); 2],
    /// Number of axes of the map in use.
    axes: usize,
}

const POSITIONS: [&str; 2] = ["OX", "OY"];
const KERNELS: [&str; 2] = ["FX", "FY"];

impl Roles {
    fn of(dimensions: Vec<ProblemDimension>, spaces: &[DataSpace]) -> Result<Self, String> {
        let outputs: Vec<&DataSpace> = spaces.iter().filter(|space| space.is_output).collect();
        let inputs: Vec<&DataSpace> = spaces.iter().filter(|space| !space.is_output).collect();
        let (&[output], &[first, second]) = (&outputs[..], &inputs[..]) else {
            return Err(format!("The problem has {} data spaces to read, {} to write", inputs.len(), outputs.len()));
        };
        let has_windows = |space: &DataSpace| space.coordinates.iter().any(|terms| terms.len() > 1);
        let is_weights = |space: &DataSpace| {
            let name = space.name.to_lowercase();
            name.starts_with('w') || name.contains("weight") || name.contains("filter")
        };
        let (weights, maps) = match (has_windows(first), has_windows(second)) {
            (true, true) => return Err("Both inputs of the problem have windows".to_owned()),
            (true, false) => (second, first),
            (false, true) => (first, second),
            (false, false) if is_weights(first) => (first, second),
            (false, false) => (second, first),
        };
        let mut roles = Self {
            dimensions,
            spaces: [weights, maps, output].map(|space| space.name.clone()),
            steps: [(1, 1); 2],
            ..Self::default()
        };
        for (operand, space) in [weights, maps, output].into_iter().enumerate() {
            for term in space.coordinates.iter().flatten() {
                roles.dimensions[term.dimension].indexes[operand] = true;
            }
            if operand != 1 && has_windows(space) {
                return Err(format!("`{}` has windows, which only the map that a layer reads has", space.name));
            }
        }
        for terms in &maps.coordinates {
            roles.add_window(terms)?;
        }
        for index in 0..roles.dimensions.len() {
            roles.add_dimension(index)?;
        }
        Ok(roles)
    }

    /// A coordinate with a kernel or a stride becomes an axis of the map.
    fn add_window(&mut self, terms: &[DimensionTerm]) -> Result<(), String> {
        let is_summed = |term: &&DimensionTerm| self.dimensions[term.dimension].indexes == [true, true, false];
        let is_position = |term: &&DimensionTerm| self.dimensions[term.dimension].indexes == [false, true, true];
        let (kernel, position) = (terms.iter().find(is_summed), terms.iter().find(is_position));
        let is_window = terms.len() > 1 || position.is_some_and(|position| position.coefficient > 1);
        if !is_window {
            return Ok(());
        }
        let names: Vec<&str> = terms.iter().map(|term| self.dimensions[term.dimension].name.as_str()).collect();
        let found = usize::from(kernel.is_some()) + usize::from(position.is_some());
        if found != terms.len() || self.axes == 2 {
            return Err(format!("A window over {} is none that layers have", names.join(" and ")));
        }
        let axis = self.axes;
        self.axes += 1;
        if let Some(&DimensionTerm { dimension, coefficient }) = position {
            self.steps[axis].0 = coefficient.max(1);
            self.give(dimension, POSITIONS[axis])?;
        }
        if let Some(&DimensionTerm { dimension, coefficient }) = kernel {
            self.steps[axis].1 = coefficient.max(1);
            self.give(dimension, KERNELS[axis])?;
        }
        Ok(())
    }

    fn add_dimension(&mut self, index: usize) -> Result<(), String> {
        let ProblemDimension { name, size, ours, indexes } = &self.dimensions[index];
        if !ours.is_empty() || *size == 1 {
            return Ok(());
        }
        let role = match indexes {
            [true, true, true] => "G",
            [true, false, true] => "K",
            [true, true, false] if self.is_free("C") => "C",
            [true, true, false] if self.axes < 2 => {
                self.axes += 1;
                KERNELS[self.axes - 1]
            }
            [false, true, true] if self.is_free("B") && (self.axes == 2 || matches!(name.as_str(), "N" | "B")) => "B",
            [false, true, true] if self.axes < 2 => {
                self.axes += 1;
                POSITIONS[self.axes - 1]
            }
            [true, true, false] => return Err(format!("`{name}` is a fourth dimension that is summed up")),
            [false, true, true] => return Err(format!("`{name}` is a fourth position of the map")),
            _ => return Err(format!("`{name}` indexes one data space only")),
        };
        self.give(index, role)
    }

    fn is_free(&self, role: &str) -> bool {
        self.dimensions.iter().all(|known| known.ours != role)
    }

    fn give(&mut self, index: usize, role: &'static str) -> Result<(), String> {
        if let Some(known) = self.dimensions.iter().find(|known| known.ours == role) {
            return Err(format!("`{}` and `{}` would both be {role}", known.name, self.dimensions[index].name));
        }
        if !self.dimensions[index].ours.is_empty() {
            return Err(format!("`{}` stands in two windows", self.dimensions[index].name));
        }
        self.dimensions[index].ours = role;
        Ok(())
    }

    fn into_problem(self, name: String) -> Result<TimeloopProblem, String> {
        let size = |role: &str| self.dimensions.iter().find(|known| known.ours == role).map_or(1, |known| known.size);
        let groups = size("G");
        let [columns, rows] = [0, 1].map(|axis| {
            let (stride, dilation) = self.steps[axis];
            let positions = (size(POSITIONS[axis]) - 1).saturating_mul(stride);
            positions.saturating_add((size(KERNELS[axis]) - 1).saturating_mul(dilation)).saturating_add(1)
        });
        let pair = |pick: fn((u64, u64)) -> u64| {
            let [columns, rows] = self.steps.map(pick);
            (columns != 1 || rows != 1).then_some((columns, rows))
        };
        let input = LayerSpec {
            name: "input".to_owned(),
            kind: "input".to_owned(),
            channels: Some(size("C").saturating_mul(groups)),
            size: Some((columns, rows)),
            ..LayerSpec::default()
        };
        let layer = LayerSpec {
            name: if name == "input" { "layer".to_owned() } else { name.clone() },
            kind: "conv".to_owned(),
            channels: Some(size("K").saturating_mul(groups)),
            kernel: KernelSpec::Size(size("FX"), size("FY")),
            groups: (groups > 1).then_some(groups),
            stride: pair(|(stride, _)| stride),
            dilation: pair(|(_, dilation)| dilation),
            ..LayerSpec::default()
        };
        let batch = size("B");
        Ok(TimeloopProblem { name, dimensions: self.dimensions, spaces: self.spaces, input, layer, batch })
    }
}
