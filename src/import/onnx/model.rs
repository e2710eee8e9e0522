//! The part of an ONNX model that decides the cost: the graph, and shapes instead of weights.
//!
//! Field numbers are those of `onnx.proto` (ONNX 1.18, Apache-2.0).

use super::proto::{Fault, FieldContent, ProtoReader};
use super::triangle::{self, Triangle};
use crate::source::ByteSource;

/// Limit on the length of names and texts.
const MAX_TEXT: usize = 4096;
/// Limit on the numbers kept of a tensor or an attribute: shapes, axes, paddings.
const MAX_NUMBERS: usize = 1024;
/// Limit on the dimensions of a tensor.
const MAX_RANK: usize = 16;
/// Limit on the nodes, and on the named tensors of one kind. A document holds 4096 layers; most nodes add none.
const MAX_ITEMS: usize = 1 << 17;

/// The parts of a model that matter here.
#[derive(Debug, Clone, Default)]
pub struct OnnxModel {
    /// `pytorch 2.5`.
    pub producer: String,
    /// Name of the graph.
    pub name: String,
    /// Topologically sorted in a valid model.
    pub nodes: Vec<OnnxNode>,
    /// Older models also list their weights.
    pub inputs: Vec<Info>,
    pub outputs: Vec<Info>,
    /// Shapes of intermediate tensors, if stated.
    pub infos: Vec<Info>,
    /// Trained or other constant tensors.
    pub constants: Vec<OnnxTensor>,
}

/// One operation.
#[derive(Debug, Clone, Default)]
pub struct OnnxNode {
    /// `Conv`.
    pub op: String,
    /// The operator set; empty for ONNX itself.
    pub domain: String,
    /// Often empty.
    pub name: String,
    /// Names of the tensors that it reads; empty for an omitted optional one.
    pub inputs: Vec<String>,
    /// Names of the tensors that it writes.
    pub outputs: Vec<String>,
    pub attributes: Vec<(String, Attribute)>,
}

/// A value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    Int(i64),
    Float(f32),
    Text(String),
    Ints(Vec<i64>),
    Floats(Vec<f32>),
    Tensor(OnnxTensor),
}

/// A tensor without its elements, except for a few numbers of which shapes are made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OnnxTensor {
    /// Empty for tensors in attributes.
    pub name: String,
    pub dims: Vec<u64>,
    /// Element type, as numbered by ONNX.
    pub data_type: u64,
    /// Its elements, if they are few integers.
    pub ints: Option<Vec<i64>>,
    /// Its elements, if they are few fractions.
    pub floats: Option<Vec<f32>>,
    /// Set if it is a causal mask.
    pub mask: Option<Triangle>,
}

/// Name and shape of a tensor.
#[derive(Debug, Clone, Default)]
pub struct Info {
    pub name: String,
    /// Element type, as numbered by ONNX.
    pub data_type: u64,
    /// Shape, if stated.
    pub dims: Option<Vec<Extent>>,
}

/// One dimension of a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// A fixed size.
    Known(u64),
    /// Left open by the file, with a name or an empty one: set when the model is run.
    Symbol(String),
}

impl Extent {
    /// The name of an open dimension.
    pub fn symbol(&self) -> Option<&str> {
        match self {
            Self::Symbol(name) if !name.is_empty() => Some(name),
            _ => None,
        }
    }
}

impl OnnxNode {
    /// An attribute that is an integer.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            Attribute::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// An attribute that is a list of integers.
    pub fn ints(&self, name: &str) -> Option<&[i64]> {
        match self.attribute(name)? {
            Attribute::Ints(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// An attribute that is a list of fractions.
    pub fn floats(&self, name: &str) -> Option<&[f32]> {
        match self.attribute(name)? {
            Attribute::Floats(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// An attribute that is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.attribute(name)? {
            Attribute::Text(text) => Some(text),
            _ => None,
        }
    }

    /// An attribute of any kind.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// Reads a model.
///
/// # Errors
/// The place of the first error, and the reason.
pub fn read(source: &mut dyn ByteSource) -> Result<OnnxModel, Fault> {
    let mut wire = ProtoReader::new(source);
    let mut model = OnnxModel::default();
    let mut version = String::new();
    let mut has_graph = false;
    let end = wire.len();
    while let Some((number, content)) = wire.field(end)? {
        match (number, content) {
            (2, FieldContent::Until(until)) => model.producer = wire.text(until, MAX_TEXT)?,
            (3, FieldContent::Until(until)) => version = wire.text(until, MAX_TEXT)?,
            (7, FieldContent::Until(until)) => {
                has_graph = true;
                read_graph(&mut wire, until, &mut model)?;
            }
            (_, FieldContent::Until(until)) => wire.go_to(until),
            _ => {}
        }
    }
    if !has_graph {
        wire.go_to(0);
        return wire.fault("there is no graph in it");
    }
    model.producer = format!("{} {version}", model.producer).trim().to_owned();
    Ok(model)
}

fn read_graph(wire: &mut ProtoReader, end: u64, model: &mut OnnxModel) -> Result<(), Fault> {
    while let Some((number, content)) = wire.field(end)? {
        let FieldContent::Until(until) = content else { continue };
        match number {
            1 => add(wire, until, &mut model.nodes, "nodes", read_node)?,
            2 => model.name = wire.text(until, MAX_TEXT)?,
            5 => add(wire, until, &mut model.constants, "constants", read_tensor)?,
            11 => add(wire, until, &mut model.inputs, "inputs", read_info)?,
            12 => add(wire, until, &mut model.outputs, "outputs", read_info)?,
            13 => add(wire, until, &mut model.infos, "shapes in between", read_info)?,
            15 => {
                if let Some(tensor) = read_sparse(wire, until)? {
                    add(wire, until, &mut model.constants, "constants", |_, _| Ok(tensor))?;
                }
            }
            _ => wire.go_to(until),
        }
    }
    Ok(())
}

/// Reads one item of a list of the graph; too many are an error.
fn add<T>(
    wire: &mut ProtoReader,
    until: u64,
    into: &mut Vec<T>,
    what: &str,
    read: impl FnOnce(&mut ProtoReader, u64) -> Result<T, Fault>,
) -> Result<(), Fault> {
    if into.len() == MAX_ITEMS {
        return wire.too_much(format!("there are more than {MAX_ITEMS} {what}"));
    }
    let item = read(wire, until)?;
    wire.push(into, item)
}

fn read_node(wire: &mut ProtoReader, end: u64) -> Result<OnnxNode, Fault> {
    let mut node = OnnxNode::default();
    while let Some((number, content)) = wire.field(end)? {
        let FieldContent::Until(until) = content else { continue };
        match number {
            1 | 2 => {
                let name = wire.text(until, MAX_TEXT)?;
                wire.push(if number == 1 { &mut node.inputs } else { &mut node.outputs }, name)?;
            }
            3 => node.name = wire.text(until, MAX_TEXT)?,
            4 => node.op = wire.text(until, MAX_TEXT)?,
            5 => {
                if let Some(attribute) = read_attribute(wire, until)? {
                    wire.push(&mut node.attributes, attribute)?;
                }
            }
            7 => node.domain = wire.text(until, MAX_TEXT)?,
            _ => wire.go_to(until),
        }
    }
    Ok(node)
}

fn read_attribute(wire: &mut ProtoReader, end: u64) -> Result<Option<(String, Attribute)>, Fault> {
    let (mut name, mut value) = (String::new(), None);
    let (mut ints, mut floats) = (Vec::new(), Vec::new());
    while let Some((number, content)) = wire.field(end)? {
        match (number, content) {
            (1, FieldContent::Until(until)) => name = wire.text(until, MAX_TEXT)?,
            (2, FieldContent::Fixed32(bits)) => value = Some(Attribute::Float(f32::from_bits(bits))),
            (3, FieldContent::Number(number)) => value = Some(Attribute::Int(number as i64)),
            (4, FieldContent::Until(until)) => value = read_short_text(wire, until)?.map(Attribute::Text),
            (5, FieldContent::Until(until)) => value = Some(Attribute::Tensor(read_tensor(wire, until)?)),
            (7, FieldContent::Fixed32(bits)) if floats.len() < MAX_NUMBERS => {
                wire.push(&mut floats, f32::from_bits(bits))?
            }
            (7, FieldContent::Until(until)) => floats = read_floats(wire, until)?,
            (8, content) => wire.numbers(content, &mut ints, MAX_NUMBERS)?,
            (_, FieldContent::Until(until)) => wire.go_to(until),
            _ => {}
        }
    }
    if !ints.is_empty() {
        value = Some(Attribute::Ints(ints.into_iter().map(|number| number as i64).collect()));
    } else if !floats.is_empty() {
        value = Some(Attribute::Floats(floats));
    }
    Ok(value.map(|value| (name, value)))
}

/// A text; `None` if it is long, such as embedded code or data.
fn read_short_text(wire: &mut ProtoReader, until: u64) -> Result<Option<String>, Fault> {
    match wire.text(until, MAX_TEXT) {
        Ok(text) => Ok(Some(text)),
        Err(_) => {
            wire.go_to(until);
            Ok(None)
        }
    }
}

/// Packed fractions; empty if they are many.
fn read_floats(wire: &mut ProtoReader, until: u64) -> Result<Vec<f32>, Fault> {
    let Ok(bytes) = wire.bytes(until, 4 * MAX_NUMBERS) else {
        wire.go_to(until);
        return Ok(Vec::new());
    };
    Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

/// The values of a sparse tensor, with the dense shape.
fn read_sparse(wire: &mut ProtoReader, end: u64) -> Result<Option<OnnxTensor>, Fault> {
    let (mut tensor, mut dims) = (None, Vec::new());
    while let Some((number, content)) = wire.field(end)? {
        match (number, content) {
            (1, FieldContent::Until(until)) => tensor = Some(read_tensor(wire, until)?),
            (3, content) => wire.numbers(content, &mut dims, MAX_RANK)?,
            (_, FieldContent::Until(until)) => wire.go_to(until),
            _ => {}
        }
    }
    Ok(tensor.map(|tensor| OnnxTensor { dims, ints: None, floats: None, ..tensor }))
}

fn read_tensor(wire: &mut ProtoReader, end: u64) -> Result<OnnxTensor, Fault> {
    let mut tensor = OnnxTensor::default();
    let (mut ints, mut floats, mut raw) = (Vec::new(), Vec::new(), None);
    while let Some((number, content)) = wire.field(end)? {
        match (number, content) {
            (1, content) => wire.numbers(content, &mut tensor.dims, MAX_RANK + 1)?,
            (2, FieldContent::Number(number)) => tensor.data_type = number,
            (4, FieldContent::Until(until)) => floats = read_floats(wire, until)?,
            (4, FieldContent::Fixed32(bits)) if floats.len() < MAX_NUMBERS => {
                wire.push(&mut floats, f32::from_bits(bits))?
            }
            // The numbers of a tensor with many elements are weights, which are skipped.
            (5 | 7, FieldContent::Until(until)) if too_long(&tensor) => wire.go_to(until),
            (5 | 7, content) => wire.numbers(content, &mut ints, MAX_NUMBERS)?,
            (8, FieldContent::Until(until)) => tensor.name = wire.text(until, MAX_TEXT)?,
            (9, FieldContent::Until(until)) => {
                let start = until - wire.left(until);
                // An error in truncated data is reported where the data is needed.
                tensor.mask = triangle::read(wire, until, &tensor.dims).ok().flatten();
                wire.go_to(start);
                raw = wire.bytes(until, 8 * MAX_NUMBERS).ok();
                wire.go_to(until);
            }
            (_, FieldContent::Until(until)) => wire.go_to(until),
            _ => {}
        }
    }
    if tensor.dims.len() > MAX_RANK {
        return wire.fault(format!("a tensor has more than {MAX_RANK} dimensions"));
    }
    if !too_long(&tensor) {
        keep_numbers(&mut tensor, ints, floats, raw.unwrap_or_default());
    }
    Ok(tensor)
}

/// Whether a tensor has too many elements to be a shape.
fn too_long(tensor: &OnnxTensor) -> bool {
    tensor.dims.iter().try_fold(1u64, |all, dim| all.checked_mul(*dim)).is_none_or(|all| all > MAX_NUMBERS as u64)
}

fn keep_numbers(tensor: &mut OnnxTensor, ints: Vec<u64>, floats: Vec<f32>, raw: Vec<u8>) {
    let elements = tensor.dims.iter().product::<u64>() as usize;
    let ints: Vec<i64> = match tensor.data_type {
        types::INT64 if ints.is_empty() => {
            raw.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect()
        }
        types::INT32 if ints.is_empty() => {
            raw.as_chunks::<4>().0.iter().map(|bytes| i64::from(i32::from_le_bytes(*bytes))).collect()
        }
        types::BOOL if ints.is_empty() => raw.iter().map(|byte| i64::from(*byte)).collect(),
        types::INT64 | types::INT32 | types::BOOL => ints.into_iter().map(|number| number as i64).collect(),
        _ => Vec::new(),
    };
    let floats: Vec<f32> = match tensor.data_type {
        types::FLOAT if floats.is_empty() => {
            raw.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
        }
        types::FLOAT => floats,
        _ => Vec::new(),
    };
    let is_int = matches!(tensor.data_type, types::INT64 | types::INT32 | types::BOOL);
    tensor.ints = (is_int && ints.len() == elements).then_some(ints);
    tensor.floats = (tensor.data_type == types::FLOAT && floats.len() == elements).then_some(floats);
}

fn read_info(wire: &mut ProtoReader, end: u64) -> Result<Info, Fault> {
    let mut info = Info::default();
    while let Some((number, content)) = wire.field(end)? {
        match (number, content) {
            (1, FieldContent::Until(until)) => info.name = wire.text(until, MAX_TEXT)?,
            (2, FieldContent::Until(until)) => read_type(wire, until, &mut info)?,
            (_, FieldContent::Until(until)) => wire.go_to(until),
            _ => {}
        }
    }
    Ok(info)
}

/// `TypeProto`, and in it `TypeProto.OnnxTensor`, the only type read.
fn read_type(wire: &mut ProtoReader, end: u64, info: &mut Info) -> Result<(), Fault> {
    while let Some((number, content)) = wire.field(end)? {
        match (number, content) {
            (1, FieldContent::Until(until)) => {
                while let Some((number, content)) = wire.field(until)? {
                    match (number, content) {
                        (1, FieldContent::Number(number)) => info.data_type = number,
                        (2, FieldContent::Until(until)) => info.dims = Some(read_shape(wire, until)?),
                        (_, FieldContent::Until(until)) => wire.go_to(until),
                        _ => {}
                    }
                }
            }
            (_, FieldContent::Until(until)) => wire.go_to(until),
            _ => {}
        }
    }
    Ok(())
}

fn read_shape(wire: &mut ProtoReader, end: u64) -> Result<Vec<Extent>, Fault> {
    let mut dims = Vec::new();
    while let Some((number, content)) = wire.field(end)? {
        let FieldContent::Until(until) = content else { continue };
        if number != 1 || dims.len() > MAX_RANK {
            wire.go_to(until);
            continue;
        }
        let mut extent = Extent::Symbol(String::new());
        while let Some((number, content)) = wire.field(until)? {
            match (number, content) {
                (1, FieldContent::Number(number)) if number as i64 > 0 => extent = Extent::Known(number),
                (2, FieldContent::Until(until)) => extent = Extent::Symbol(wire.text(until, MAX_TEXT)?),
                (_, FieldContent::Until(until)) => wire.go_to(until),
                _ => {}
            }
        }
        wire.push(&mut dims, extent)?;
    }
    Ok(dims)
}

/// ONNX' numbers of element types.
pub mod types {
    /// 32 bit floating point.
    pub const FLOAT: u64 = 1;
    /// 8 bit whole numbers without sign.
    pub const UINT8: u64 = 2;
    /// 32 bit whole numbers.
    pub const INT32: u64 = 6;
    /// 64 bit whole numbers.
    pub const INT64: u64 = 7;
    /// Truth values.
    pub const BOOL: u64 = 9;

    /// Bits of an element type that is computed with as stored: integers of 2 to 16 bits, floats of 4 or 8.
    pub fn bits(data_type: u64) -> Option<u64> {
        match data_type {
            2 | 3 => Some(8),
            4 | 5 => Some(16),
            // Floats of 8 and 4 bits are computed with as stored, too.
            17..=20 => Some(8),
            21..=23 => Some(4),
            25 | 26 => Some(2),
            _ => None,
        }
    }

    /// Bits of a floating-point element type.
    pub fn fraction_bits(data_type: u64) -> Option<u64> {
        match data_type {
            1 => Some(32),
            10 | 16 => Some(16),
            11 => Some(64),
            _ => None,
        }
    }

    /// Name of a floating-point element type.
    pub fn fraction(data_type: u64) -> Option<&'static str> {
        match data_type {
            1 => Some("32 bit floating point"),
            10 => Some("16 bit floating point"),
            11 => Some("64 bit floating point"),
            16 => Some("bfloat16"),
            _ => None,
        }
    }
}
