//! A mapping: directives about targets, which are levels and meshes of the architecture.

use crate::places::{find, short, text, whole_of};
use crate::report::{ImportReport, Severity};
use fusescape_spec::reader::{LocatedNode, Reader, ValueError};

/// Limit on the directives of a mapping.
const MAX_DIRECTIVES: usize = 1024;
/// Limit on the factors of a directive.
const MAX_FACTORS: usize = 64;
/// Fields that affect Timeloop's cost and have no counterpart here.
const NOT_TAKEN: [&str; 6] = [
    "no_reuse",
    "no_temporal_reuse",
    "no_link_transfer",
    "rmw_first_update",
    "no_coalesce",
    "no_multicast_no_reduction",
];

/// One entry of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Directive {
    /// Name of a level or a mesh.
    pub target: String,
    pub kind: DirectiveKind,
    /// Place in the file.
    pub path: String,
    /// Line where it begins.
    pub line: usize,
}

/// The content of a directive.
#[derive(Debug, Clone, PartialEq)]
pub enum DirectiveKind {
    /// Loops of a level, one after another.
    Temporal(LevelLoops),
    /// Loops of a mesh, all in parallel: the first `split` of the permutation along X, the others along Y; `None`: all
    /// along X.
    Spatial(LevelLoops, Option<u64>),
    /// Data spaces that a level keeps, and those that bypass it.
    Keep(Vec<String>, Vec<String>),
}

/// Factors by dimension, and the order of the loops, innermost first, as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LevelLoops {
    /// Dimensions and their factors; 0 for the remaining iterations.
    pub factors: Vec<(String, u64)>,
    /// Names of dimensions, or a single text of letters.
    pub permutation: Vec<String>,
}

/// Reads the directives.
pub fn read(place: &LocatedNode, reader: &mut Reader, report: &mut ImportReport) -> Vec<Directive> {
    let list = place.list(reader, MAX_DIRECTIVES);
    list.iter().filter_map(|directive| read_directive(directive, reader, report)).collect()
}

fn read_directive(place: &LocatedNode, reader: &mut Reader, report: &mut ImportReport) -> Option<Directive> {
    let fields = place.entries(reader);
    let target = text(&fields, "target", reader).or_else(|| {
        place.reject(reader, ValueError::new("The directive has no `target`", "Name the level or the mesh"));
        None
    })?;
    for (name, _) in fields.iter().filter(|(name, place)| NOT_TAKEN.contains(name) && !place.is_empty()) {
        report.note(Severity::NotCounted, name, "not taken: data is reused wherever it can be", &target);
    }
    let loops = |reader: &mut Reader| LevelLoops {
        factors: find(&fields, "factors").map(|place| read_factors(place, reader)).unwrap_or_default(),
        permutation: find(&fields, "permutation").map(|place| read_permutation(place, reader)).unwrap_or_default(),
    };
    let kind = match text(&fields, "type", reader).unwrap_or_default().as_str() {
        "temporal" => DirectiveKind::Temporal(loops(reader)),
        "spatial" => {
            let loops = loops(reader);
            DirectiveKind::Spatial(loops, whole_of(&fields, "split", reader))
        }
        "datatype" | "dataspace" | "bypass" => {
            let mut names = |name: &str| find(&fields, name).map(|place| place.names(reader)).unwrap_or_default();
            DirectiveKind::Keep(names("keep"), names("bypass"))
        }
        other => {
            let reason = format!("A directive of type `{}` is not known here", short(other));
            place.reject(reader, ValueError::new(reason, "Use temporal, spatial and dataspace"));
            return None;
        }
    };
    Some(Directive { target, kind, path: place.path().to_owned(), line: place.line() })
}

/// `R=3 P=16`, `R=3,P=16`, `R3 P16`, or a list of such.
fn read_factors(place: &LocatedNode, reader: &mut Reader) -> Vec<(String, u64)> {
    let mut factors = Vec::new();
    let items = if place.is_scalar() { None } else { Some(place.list(reader, MAX_FACTORS)) };
    for place in items.iter().flatten().chain(items.is_none().then_some(place)) {
        let stated = place.value(reader, "factors of loops, for example `R=3 P=16`", |text| {
            let separators = |letter: char| letter.is_whitespace() || letter == ',';
            let closed = text.replace(" =", "=").replace("= ", "=");
            closed.split(separators).filter(|part| !part.is_empty()).map(read_factor).collect::<Result<Vec<_>, _>>()
        });
        factors.extend(stated.into_iter().flatten());
    }
    factors
}

fn read_factor(text: &str) -> Result<(String, u64), ValueError> {
    let end = text.find(|letter: char| letter == '=' || letter.is_ascii_digit()).unwrap_or(text.len());
    let (name, number) = (text[..end].trim(), text[end..].trim_start_matches('='));
    match number.parse::<u64>() {
        Ok(number) if !name.is_empty() && number <= 1 << 50 => Ok((name.to_owned(), number)),
        _ => Err(ValueError::new(
            format!("`{}` is no dimension with its factor", short(text)),
            "Write for example `P=16`; factors with a remainder and bounds such as `P<=4` are not taken",
        )),
    }
}

/// `RP`, `R,P`, or `[R, P]`.
fn read_permutation(place: &LocatedNode, reader: &mut Reader) -> Vec<String> {
    if !place.is_scalar() {
        return place.names(reader);
    }
    let text = place.text(reader).unwrap_or_default();
    let separators = |letter: char| letter.is_whitespace() || letter == ',';
    text.split(separators).filter(|part| !part.is_empty()).take(MAX_FACTORS).map(str::to_owned).collect()
}
