//! Constraint documents: which mappings of a layer a search may take.

use super::Reading;
use super::quotes::{plain_or_quoted, scalar};
use super::reader::{LocatedNode, Reader, ValueError, count};
use super::write::{braces, head, line};
use serde::{Deserialize, Serialize};

/// Limits on layers, on loops of a layer (none has as many prime factors), and on levels of all operands.
const MAX_LAYERS: usize = 2048;
const MAX_LOOPS: usize = 128;
const MAX_LEVELS: usize = 64;
const DOCUMENT: [&str; 3] = ["name", "about", "layers"];
const LAYER: [&str; 6] = ["layer", "kind", "unroll", "order", "levels", "even"];
const LEVEL: [&str; 5] = ["memory", "operand", "holds", "within", "order"];

/// A constraint document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConstraintsSpec {
    /// Its name, for people.
    pub name: String,
    /// Description and source.
    pub about: String,
    /// One entry for each set of layers, with its demands.
    pub layers: Vec<LayerConstraintsSpec>,
}

/// Constraints on the mapping of a layer, of a kind of layers, or of all others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerConstraintsSpec {
    /// Name of the layer.
    pub layer: Option<String>,
    /// Kind of the layers: `conv`.
    pub kind: Option<String>,
    /// Which loops, how wide, the array dimensions may unroll; those not named may unroll any.
    pub unroll: Vec<UnrollBoundSpec>,
    /// The order of temporal loops, innermost first.
    pub order: Vec<OrderSpec>,
    /// Demands on the loops that memory levels hold.
    pub levels: Vec<LevelConstraintsSpec>,
    /// Whether operands share the boundaries of the memories that they share.
    pub even: Option<EvenSpec>,
}

/// What even mappings are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EvenSpec {
    /// `stationary`: but for loops that only keep one of the operands stationary.
    Stationary,
    /// `strict`: operands hold the same loops in each memory that they share.
    Strict,
}

impl EvenSpec {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 2] = [Self::Stationary, Self::Strict];

    /// As documents have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stationary => "stationary",
            Self::Strict => "strict",
        }
    }
}

/// The loops that one array dimension may unroll.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnrollBoundSpec {
    /// The array dimension: `D1`.
    pub array_dimension: String,
    /// The loops that it may unroll, and how wide; `None` for any.
    pub loops: Option<Vec<LoopBoundSpec>>,
}

/// A place in the order of loops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrderSpec {
    /// `rest`: all other loops, in any order.
    Rest,
    /// `K 4`, `K any`, `K all`.
    Loop(LoopBoundSpec),
}

/// Demands on one memory, for one operand or several.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LevelConstraintsSpec {
    /// Name of the memory.
    pub memory: String,
    /// The operands, `W`, `I`, `O`, `X`, `Y`; none for all that the memory holds.
    pub operands: Vec<String>,
    /// Demands on the loops of the memory itself.
    pub holds: Vec<LoopBoundSpec>,
    /// Demands on the loops of the memory and of all below it.
    pub within: Vec<LoopBoundSpec>,
    /// The order of the memory's own loops, innermost first.
    pub order: Vec<String>,
}

/// A loop dimension with a demand on its iterations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoopBoundSpec {
    /// The loop dimension: `K`.
    pub dimension: String,
    /// The demand on its iterations.
    pub bound: BoundSpec,
}

/// A demand on the iterations of a loop dimension.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoundSpec {
    /// `K 4`
    Exactly(u64),
    /// `K <= 4`
    AtMost(u64),
    /// `K >= 4`
    AtLeast(u64),
    /// `K any`
    #[default]
    Any,
    /// `K all`
    All,
}

impl LoopBoundSpec {
    /// As documents have it.
    fn text(&self) -> String {
        let dimension = &self.dimension;
        match self.bound {
            BoundSpec::Exactly(size) => format!("{dimension} {size}"),
            BoundSpec::AtMost(size) => format!("{dimension} <= {size}"),
            BoundSpec::AtLeast(size) => format!("{dimension} >= {size}"),
            BoundSpec::Any => format!("{dimension} any"),
            BoundSpec::All => format!("{dimension} all"),
        }
    }
}

/// Reads a constraint document, as far as it can be read, with all mistakes.
///
/// Parts that could not be read are left out, so the document means something only if nothing is wrong.
/// `user_constraints` of the engine reads it and validates it for a core and a network.
pub fn read_constraints(text: &str) -> Reading<ConstraintsSpec> {
    let (root, mut reader) = Reader::open(text);
    let fields = LocatedNode::root(&root).fields(&mut reader, &DOCUMENT);
    let example = "[{ layer: conv1, order: [FX all, rest, K 4] }]";
    let layers = fields.need(&mut reader, "layers", example).map(|place| place.list(&mut reader, MAX_LAYERS));
    let spec = ConstraintsSpec {
        name: fields.name(&mut reader, "name", "My constraints"),
        about: fields.text(&mut reader, "about"),
        layers: layers.unwrap_or_default().iter().map(|place| read_layer(place, &mut reader)).collect(),
    };
    Reading::new(spec, reader.finish())
}

fn read_layer(place: &LocatedNode, reader: &mut Reader) -> LayerConstraintsSpec {
    let fields = place.fields(reader, &LAYER);
    let name = |reader: &mut Reader, field: &str| fields.get(field).and_then(|place| place.name(reader));
    let unroll = fields.get("unroll").map(|place| place.entries(reader)).unwrap_or_default();
    let order = fields.get("order").map(|place| place.list(reader, MAX_LOOPS)).unwrap_or_default();
    let levels = fields.get("levels").map(|place| place.list(reader, MAX_LEVELS)).unwrap_or_default();
    LayerConstraintsSpec {
        layer: name(reader, "layer"),
        kind: name(reader, "kind"),
        unroll: unroll.iter().map(|(array_dimension, place)| read_unrolled(array_dimension, place, reader)).collect(),
        order: order.iter().filter_map(|place| read_place(place, reader)).collect(),
        levels: levels.iter().map(|place| read_level(place, reader)).collect(),
        even: fields.get("even").and_then(|place| read_even(place, reader)),
    }
}

fn read_even(place: &LocatedNode, reader: &mut Reader) -> Option<EvenSpec> {
    let what = "`stationary` or `strict`";
    place.value(reader, what, |text| {
        let found = EvenSpec::ALL.into_iter().find(|even| even.name() == text);
        found.ok_or_else(|| ValueError::new(format!("`{text}` is not understood here"), format!("Write {what}")))
    })
}

fn read_unrolled(array_dimension: &str, place: &LocatedNode, reader: &mut Reader) -> UnrollBoundSpec {
    const FORMS: [&str; 3] = ["K 16", "K <= 16", "K any"];
    let array_dimension = array_dimension.to_owned();
    if place.is_scalar() {
        let loops = place.value(reader, "`any`, or a loop, for example `K <= 16`", |text| match text {
            "any" => Ok(None),
            _ => read_bound(text, &FORMS).map(Some),
        });
        return UnrollBoundSpec { array_dimension, loops: loops.flatten().map(|only| vec![only]) };
    }
    UnrollBoundSpec { array_dimension, loops: Some(read_bounds(place, reader, &FORMS)) }
}

fn read_place(place: &LocatedNode, reader: &mut Reader) -> Option<OrderSpec> {
    place.value(reader, "`rest`, or a loop, for example `K 4`", |text| match text {
        "rest" => Ok(OrderSpec::Rest),
        _ => read_bound(text, &["K 4", "K any", "K all", "rest"]).map(OrderSpec::Loop),
    })
}

fn read_level(place: &LocatedNode, reader: &mut Reader) -> LevelConstraintsSpec {
    const FORMS: [&str; 4] = ["K 4", "K <= 4", "K >= 4", "K all"];
    let fields = place.fields(reader, &LEVEL);
    let bounds = |reader: &mut Reader, field| {
        fields.get(field).map(|place| read_bounds(place, reader, &FORMS)).unwrap_or_default()
    };
    LevelConstraintsSpec {
        memory: fields.name(reader, "memory", "sram"),
        operands: fields.get("operand").map(|place| place.names(reader)).unwrap_or_default(),
        holds: bounds(reader, "holds"),
        within: bounds(reader, "within"),
        order: fields.get("order").map(|place| place.names(reader)).unwrap_or_default(),
    }
}

/// Bounds in a list, or a single one.
fn read_bounds(place: &LocatedNode, reader: &mut Reader, forms: &[&str]) -> Vec<LoopBoundSpec> {
    let what = format!("a loop, for example `{}`", forms[0]);
    let read = |place: &LocatedNode, reader: &mut Reader| place.value(reader, &what, |text| read_bound(text, forms));
    if place.is_scalar() {
        return read(place, reader).into_iter().collect();
    }
    place.list(reader, MAX_LOOPS).iter().filter_map(|place| read(place, reader)).collect()
}

/// Reads a bound in one of the forms that its place has.
fn read_bound(text: &str, forms: &[&str]) -> Result<LoopBoundSpec, ValueError> {
    let wrong = || {
        let forms: Vec<String> = forms.iter().map(|form| format!("`{form}`")).collect();
        let remedy = format!("Write for example {}", forms.join(" or "));
        ValueError::new(format!("`{text}` is not understood here"), remedy)
    };
    let (dimension, amount) = text.split_once(char::is_whitespace).ok_or_else(wrong)?;
    let amount = amount.trim();
    let (form, bound) = if let Some(size) = amount.strip_prefix("<=") {
        ("K <=", BoundSpec::AtMost(count(size.trim())?))
    } else if let Some(size) = amount.strip_prefix(">=") {
        ("K >=", BoundSpec::AtLeast(count(size.trim())?))
    } else {
        match amount {
            "any" => ("K any", BoundSpec::Any),
            "all" => ("K all", BoundSpec::All),
            size if size.starts_with(|c: char| c.is_ascii_digit()) => ("K ", BoundSpec::Exactly(count(size)?)),
            _ => return Err(wrong()),
        }
    };
    let is_known = forms.iter().any(|known| match bound {
        BoundSpec::Exactly(_) => known.strip_prefix(form).is_some_and(|rest| rest.starts_with(char::is_numeric)),
        _ => known.starts_with(form),
    });
    if is_known { Ok(LoopBoundSpec { dimension: dimension.to_owned(), bound }) } else { Err(wrong()) }
}

/// Writes a constraint document.
pub fn write_constraints(spec: &ConstraintsSpec) -> String {
    let mut text = head(&spec.name, &spec.about);
    line(&mut text, "layers", if spec.layers.is_empty() { "[]" } else { "" });
    for layer in &spec.layers {
        let mut fields: Vec<(&str, String)> = Vec::new();
        fields.extend(layer.layer.as_ref().map(|name| ("layer", scalar(name))));
        fields.extend(layer.kind.as_ref().map(|name| ("kind", scalar(name))));
        if !layer.unroll.is_empty() {
            let unrolled: Vec<String> = layer.unroll.iter().map(unrolled_text).collect();
            fields.push(("unroll", braces(&unrolled)));
        }
        fields.extend(layer.even.map(|even| ("even", even.name().to_owned())));
        // At least one field, so that an entry is one.
        if !layer.order.is_empty() || fields.is_empty() {
            let order = layer.order.iter().map(|place| match place {
                OrderSpec::Rest => "rest".to_owned(),
                OrderSpec::Loop(bound) => bound.text(),
            });
            fields.push(("order", format!("{} # innermost first", texts(order))));
        }
        for (index, (name, value)) in fields.iter().enumerate() {
            line(&mut text, &format!("  {} {name}", if index == 0 { "-" } else { " " }), value);
        }
        if !layer.levels.is_empty() {
            line(&mut text, "    levels", "");
            layer.levels.iter().for_each(|level| text.push_str(&format!("      - {}\n", level_text(level))));
        }
    }
    text
}

fn unrolled_text(unrolled: &UnrollBoundSpec) -> String {
    let loops = unrolled.loops.as_ref().map_or("any".to_owned(), |loops| bounds_text(loops));
    format!("{}: {loops}", scalar(&unrolled.array_dimension))
}

fn level_text(level: &LevelConstraintsSpec) -> String {
    let mut fields = vec![format!("memory: {}", scalar(&level.memory))];
    if !level.operands.is_empty() {
        fields.push(format!("operand: {}", texts(level.operands.iter().cloned())));
    }
    for (name, bounds) in [("holds", &level.holds), ("within", &level.within)] {
        if !bounds.is_empty() {
            fields.push(format!("{name}: {}", bounds_text(bounds)));
        }
    }
    if !level.order.is_empty() {
        fields.push(format!("order: {}", texts(level.order.iter().cloned())));
    }
    braces(&fields)
}

fn bounds_text(bounds: &[LoopBoundSpec]) -> String {
    texts(bounds.iter().map(LoopBoundSpec::text))
}

fn texts(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.map(|item| plain_or_quoted(&item, "<>=")).collect();
    format!("[{}]", items.join(", "))
}
