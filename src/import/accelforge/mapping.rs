//! A mapping: the tree of loops and storages (LoopTree) as one list of steps per Einsum.

use super::expression::{self, Names};
use crate::places::{find, text};
use crate::report::{ImportReport, Severity};
use fusescape_spec::Diagnostic;
use fusescape_spec::reader::{LocatedNode, Reader, ValueError};

/// Limit on the nodes of a list, the steps above a computation, and the steps of all lists together.
const MAX_NODES: usize = 256;
const MAX_STEPS: usize = 1 << 16;

/// The steps above a computation, outermost first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Path {
    /// Name of the Einsum.
    pub einsum: String,
    /// Loops and storages.
    pub steps: Vec<MappingNode>,
    /// Number of steps shared with other Einsums, up to the last split.
    pub shared: usize,
    /// Place in the file.
    pub path: String,
    /// Line where it begins.
    pub line: usize,
}

impl Path {
    /// Something that is wrong with it.
    pub fn wrong(&self, reason: String, remedy: String) -> Diagnostic {
        Diagnostic { path: self.path.clone(), line: Some(self.line), reason, remedy, fix: None }
    }
}

/// A loop or a storage.
#[derive(Debug, Clone, PartialEq)]
pub enum MappingNode {
    /// A memory that holds tiles of these tensors.
    Storage(String, Vec<String>),
    Loop(TileLoop),
}

/// A loop over tiles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TileLoop {
    /// The rank variable that it iterates over.
    pub variable: String,
    /// Iterations of the variable in one tile.
    pub tile: u64,
    /// The dimension over which it is unrolled in space; `None` for a loop in time.
    pub space: Option<String>,
}

/// Reads a mapping.
pub fn read(place: &LocatedNode, names: &Names, reader: &mut Reader, report: &mut ImportReport) -> Vec<Path> {
    let mut walk = MappingWalk { paths: Vec::new(), names, steps: 0 };
    walk.read_nodes(place, &mut Vec::new(), 0, reader, report);
    if walk.paths.is_empty() && reader.count() == 0 {
        let remedy = "End each branch with `!Compute` and its `einsum`";
        place.reject(reader, ValueError::new("The mapping computes nothing", remedy));
    }
    walk.paths
}

struct MappingWalk<'a> {
    paths: Vec<Path>,
    names: &'a Names,
    /// Number of steps of all paths so far.
    steps: usize,
}

impl MappingWalk<'_> {
    /// Reads a list of nested nodes.
    fn read_nodes(
        &mut self,
        place: &LocatedNode,
        above: &mut Vec<MappingNode>,
        shared: usize,
        reader: &mut Reader,
        report: &mut ImportReport,
    ) {
        let fields = place.entries(reader);
        let Some(nodes) = find(&fields, "nodes") else {
            let remedy = "List loops and storages under `nodes`, from the outermost";
            place.reject(reader, ValueError::new("This part of the mapping has no `nodes`", remedy));
            return;
        };
        let before = above.len();
        for node in nodes.list(reader, MAX_NODES) {
            let fields = node.entries(reader);
            let has = |name: &str| find(&fields, name).is_some_and(|place| !place.is_empty());
            let kind = match node.tag() {
                Some(tag) => tag,
                None if has("einsum") => "Compute",
                None if has("rank_variable") => "Temporal",
                None if has("tensors") => "Storage",
                None if has("nodes") => "Sequential",
                None => "",
            };
            match kind {
                "Compute" => self.compute(&node, above, shared, reader),
                "Temporal" | "Spatial" => above.extend(self.tile_loop(&node, reader).map(MappingNode::Loop)),
                "Storage" => {
                    let tensors = find(&fields, "tensors").map(|place| place.names(reader)).unwrap_or_default();
                    above
                        .extend(text(&fields, "component", reader).map(|memory| MappingNode::Storage(memory, tensors)));
                }
                "Nested" => self.read_nodes(&node, &mut above.clone(), shared, reader, report),
                "Sequential" => self.split(&node, above, shared, reader, report),
                "Toll" | "Reservation" | "TextBox" => {
                    report.note(
                        Severity::Merged,
                        kind,
                        "says nothing about what moves where",
                        &format!("line {}", node.line()),
                    );
                }
                other => {
                    let reason =
                        format!("`{}` is no part of a mapping that is known here", crate::places::short(other));
                    let remedy = "Use Storage, Temporal, Spatial, Sequential, Nested and Compute";
                    node.reject(reader, ValueError::new(reason, remedy));
                }
            }
            if self.steps.saturating_add(above.len()) > MAX_STEPS {
                node.reject(
                    reader,
                    ValueError::new("The mapping has too many loops and storages", "Import it in parts"),
                );
                break;
            }
        }
        above.truncate(before);
    }

    /// Branches that are computed one after another.
    fn split(
        &mut self,
        place: &LocatedNode,
        above: &mut Vec<MappingNode>,
        shared: usize,
        reader: &mut Reader,
        report: &mut ImportReport,
    ) {
        let fields = place.entries(reader);
        let Some(branches) = find(&fields, "nodes") else { return };
        let branches = branches.list(reader, MAX_NODES);
        let shared = if branches.len() > 1 { above.len() } else { shared };
        for branch in branches {
            if branch.has("nodes") {
                self.read_nodes(&branch, above, shared, reader, report);
            } else if branch.has("einsum") {
                self.compute(&branch, above, shared, reader);
            } else {
                let remedy = "Write each branch as `!Nested` with its `nodes`";
                branch.reject(reader, ValueError::new("This branch computes nothing", remedy));
            }
        }
    }

    fn compute(&mut self, place: &LocatedNode, above: &[MappingNode], shared: usize, reader: &mut Reader) {
        let fields = place.entries(reader);
        let Some(einsum) = text(&fields, "einsum", reader) else {
            place.reject(
                reader,
                ValueError::new("Nothing says what is computed here", "Write for example `einsum: Matmul`"),
            );
            return;
        };
        self.steps = self.steps.saturating_add(above.len() + 1);
        if self.steps <= MAX_STEPS {
            let (path, line) = (place.path().to_owned(), place.line());
            self.paths.push(Path { einsum, steps: above.to_vec(), shared, path, line });
        }
    }

    fn tile_loop(&self, place: &LocatedNode, reader: &mut Reader) -> Option<TileLoop> {
        let fields = place.entries(reader);
        let missing = |name: &str, reader: &mut Reader| {
            let remedy = "Write for example `{ rank_variable: m, tile_shape: 1 }`";
            place.reject(reader, ValueError::new(format!("This loop has no `{name}`"), remedy));
        };
        if let Some(first) = find(&fields, "initial_tile_shape").filter(|place| !place.is_empty()) {
            let remedy = "Leave `initial_tile_shape` out";
            first.reject(reader, ValueError::new("A first tile of another shape has no counterpart here", remedy));
            return None;
        }
        let Some(variables) = find(&fields, "rank_variable").map(|place| place.names(reader)) else {
            missing("rank_variable", reader);
            return None;
        };
        let (Ok([variable]), Some(tile)) = (<[String; 1]>::try_from(variables), find(&fields, "tile_shape")) else {
            missing("tile_shape", reader);
            return None;
        };
        let tile = expression::whole(tile, self.names, reader)?;
        let dimension = find(&fields, "name").filter(|place| !place.is_empty()).and_then(|place| place.name(reader));
        let space = match place.tag() {
            Some("Spatial") => Some(dimension.unwrap_or_default()),
            Some(_) => None,
            None => dimension,
        };
        Some(TileLoop { variable, tile, space })
    }
}
