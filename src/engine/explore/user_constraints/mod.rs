//! Constraint documents: which mappings of the layers of a network a search may take.

mod check;
mod keep;
mod search;

pub use keep::Keep;
pub use search::ConstrainedOptimum;

use super::DesignLayer;
use crate::hardware::{ArrayDimId, Core, Unroll};
use crate::mapping::{LayerOperand, OPERANDS, UnrollingOptions, WidthLimit};
use crate::search::{
    Constraints, Evenness, LevelConstraint, LevelDemand, Limits, LoopAmount, LoopPattern, Outcome, PatternSize,
    Strategy, UnmatchedLoop, UnrolledLayer, UnrolledOutcome, UnrolledSearch, conflict, has_legal_mapping,
};
use crate::spec::{
    BoundSpec, Consequences, Diagnostics, EvenSpec, LayerConstraintsSpec, LevelConstraintsSpec, LoopBoundSpec,
    OrderSpec, read_constraints,
};
use crate::workload::{Dim, LayerKind, Network};

/// Parts that validation cannot judge while others of the document are unreadable.
const CONSEQUENCES: &Consequences = &[
    ("layers[*].layer", &["layers[=].levels"]),
    ("layers[*].levels[*].memory", &["layers[*].levels[=].operand"]),
    ("layers[*].levels[*].holds", &["layers[*].levels[=]"]),
    ("layers[*].levels[*].within", &["layers[*].levels[=]"]),
];

/// Names of operands in documents, output first: the two maps of an addition are X and Y.
const NAMES: [&[&str]; OPERANDS] = [&["O"], &["W", "X"], &["I", "Y"]];

/// Validated constraints on the layers of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstraintSet {
    layers: Vec<LayerConstraintsSpec>,
    kinds: Vec<(String, LayerKind)>,
}

/// Constraints on an unrolling.
#[derive(Debug, Clone, PartialEq)]
pub enum UnrollConstraint {
    /// Nothing is demanded; the unrolling of the layer is kept.
    Free,
    /// The whole unrolling is stated; nothing is searched.
    Stated(Vec<Unroll>),
    /// Which loops, how wide; the best of those is to be searched.
    Limited(UnrollingOptions),
}

/// The legal mappings of one layer, in time and in space.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerConstraints {
    /// On its temporal mapping.
    pub temporal: Constraints,
    /// On its unrolling.
    pub unroll: UnrollConstraint,
    /// Where the document constrains the unrolling.
    unroll_path: String,
    /// Where it states the order.
    order_path: String,
    /// Where it asks for even mappings.
    even_path: String,
    /// Where it states each demand on a level.
    level_paths: Vec<String>,
}

/// Reads constraints for the layers of a network on a core.
///
/// # Errors
/// Everything that is wrong with the text for this core and network, each with its line, path, reason and remedy.
pub fn user_constraints(text: &str, core: &Core, network: &Network) -> Result<ConstraintSet, Diagnostics> {
    read_constraints(text).validated(text, CONSEQUENCES, |spec| {
        let mut wrong = Diagnostics::default();
        check::check(&spec, core, network, &mut wrong);
        let kinds = network.computing().map(|id| (network.layer(id).name.clone(), network.layer(id).shape.kind));
        wrong.or(ConstraintSet { layers: spec.layers, kinds: kinds.collect() })
    })
}

impl ConstraintSet {
    /// The constraints on a layer: the entry with its name, else the one of its kind, else the one for all; `None` where there is none.
    pub fn of(&self, design_layer: &DesignLayer) -> Option<LayerConstraints> {
        let kind = self.kinds.iter().find(|(name, _)| *name == design_layer.layer).map_or("", |(_, kind)| kind.name());
        let find = |is_it: &dyn Fn(&LayerConstraintsSpec) -> bool| self.layers.iter().position(is_it);
        let index = find(&|entry| entry.layer.as_ref() == Some(&design_layer.layer))
            .or_else(|| find(&|entry| entry.layer.is_none() && entry.kind.as_deref() == Some(kind)))
            .or_else(|| find(&|entry| entry.layer.is_none() && entry.kind.is_none()))?;
        let (entry, path) = (self.layers.get(index)?, format!("layers[{index}]"));
        let (innermost, outermost) = patterns(&entry.order);
        let even = entry.even.map(|even| match even {
            EvenSpec::Stationary => Evenness::Stationary,
            EvenSpec::Strict => Evenness::Strict,
        });
        let mut temporal = Constraints { innermost, outermost, even, levels: Vec::new() };
        let mut level_paths = Vec::new();
        for (number, level) in entry.levels.iter().enumerate() {
            let path = format!("{path}.levels[{number}]");
            for (constraint, path) in level_constraints(level, &path, design_layer) {
                temporal.levels.push(constraint);
                level_paths.push(path);
            }
        }
        let [unroll_path, order_path, even_path] = ["unroll", "order", "even"].map(|field| format!("{path}.{field}"));
        let unroll = unroll_constraint(entry, &design_layer.core, design_layer.problem.shape.kind);
        Some(LayerConstraints { temporal, unroll, unroll_path, order_path, even_path, level_paths })
    }
}

impl LayerConstraints {
    /// Why no mapping was found with any of these unrollings: the constraints that exclude all mappings of the most
    /// promising one.
    pub fn explain_unrollings(
        &self,
        design_layer: &DesignLayer,
        unrollings: &UnrolledOutcome,
        limits: &Limits,
    ) -> Diagnostics {
        let mut wrong = Diagnostics::default();
        let options = match &self.unroll {
            UnrollConstraint::Limited(options) => options.clone(),
            UnrollConstraint::Free | UnrollConstraint::Stated(_) => UnrollingOptions::default(),
        };
        let (shape, levels) = (design_layer.problem.shape, design_layer.problem.levels);
        let layer = UnrolledLayer { core: &design_layer.core, rules: design_layer.rules, shape, levels };
        let search =
            UnrolledSearch::new(layer, &options, design_layer.objective.clone(), *limits, design_layer.strategy);
        let Some(unroll) = search.candidate(0).map(|(_, unroll)| unroll.to_vec()) else {
            let remedy = "Allow other loops, or other widths";
            wrong.add(&self.unroll_path, "The array can unroll nothing like this", remedy);
            return wrong;
        };
        let mut design_layer = design_layer.clone();
        design_layer.problem.unroll = unroll;
        if let Err(misfit) = has_legal_mapping(&self.temporal, &design_layer.on_core(), limits) {
            return self.explain_misfit(&misfit);
        }
        wrong = self.conflicts(&design_layer, limits);
        if wrong.is_empty() {
            wrong = design_layer.shortages();
        }
        if wrong.is_empty() {
            let reason = format!("No mapping was found with any of the {} unrollings", unrollings.unrollings);
            wrong.add(&self.unroll_path, reason, "Allow other unrollings, or ask for less of orders and memories");
        }
        wrong
    }

    /// Why a layer has no legal mapping: the constraints that exclude every one together.
    pub fn explain(
        &self,
        design_layer: &DesignLayer,
        outcome: &Result<Outcome, UnmatchedLoop>,
        (limits, strategy): (&Limits, Strategy),
    ) -> Diagnostics {
        let outcome = match outcome {
            Err(misfit) => return self.explain_misfit(misfit),
            Ok(outcome) => outcome,
        };
        let mut wrong = self.conflicts(design_layer, limits);
        if wrong.is_empty() {
            wrong = design_layer.shortages();
        }
        if wrong.is_empty() {
            let (reason, remedy) = match strategy {
                Strategy::Loma => (
                    "LOMA places every loop as low as it fits: no such mapping satisfies the constraints".to_owned(),
                    "Search exactly, which places loops anywhere",
                ),
                Strategy::Exact => (
                    format!("No mapping was found among {} partial ones, though there may be one", outcome.orders),
                    "Ask for less, so that more mappings are left",
                ),
            };
            wrong.add("layer", reason, remedy);
        }
        wrong
    }

    fn explain_misfit(&self, misfit: &UnmatchedLoop) -> Diagnostics {
        let dim = misfit.pattern.dim;
        let remedy = format!("Write a size that divides what is left of {dim}, `{dim} all`, or leave the loop out");
        let mut wrong = Diagnostics::default();
        wrong.add(&self.order_path, misfit.to_string(), remedy);
        wrong
    }

    /// Constraints that exclude every mapping together, though none of them does without the others; and further such
    /// sets among the remaining constraints.
    fn conflicts(&self, design_layer: &DesignLayer, limits: &Limits) -> Diagnostics {
        let mut wrong = Diagnostics::default();
        let (mut left, mut left_paths) = (self.temporal.clone(), self.level_paths.clone());
        while let Some(found) = conflict(&left, &design_layer.on_core(), limits) {
            let order = found.order.then_some(&self.order_path);
            let even = found.even.then_some(&self.even_path);
            let levels = found.levels.iter().filter_map(|level| left_paths.get(*level));
            // A demand on several operands is reported once.
            let mut paths: Vec<String> = Vec::new();
            for path in order.into_iter().chain(levels).chain(even) {
                if !paths.contains(path) {
                    paths.push(path.clone());
                }
            }
            let (reason, remedy) = match &paths[..] {
                [_] => ("No mapping satisfies this", "Leave it out, or ask for less".to_owned()),
                _ => (
                    "No mapping satisfies these together",
                    format!("Leave one of {} out, or ask for less there", paths.join(", ")),
                ),
            };
            wrong.add(paths.join(" and "), reason, remedy);
            if found.order {
                left = Constraints { levels: left.levels, even: left.even, ..Constraints::default() };
            }
            left.even = left.even.filter(|_| !found.even);
            let mut kept = left_paths.iter().map(|path| !paths.contains(path));
            left.levels.retain(|_| kept.next().unwrap_or(true));
            left_paths.retain(|path| !paths.contains(path));
        }
        wrong
    }
}

/// The innermost and the outermost loops of an order.
fn patterns(order: &[OrderSpec]) -> (Vec<LoopPattern>, Vec<LoopPattern>) {
    let pattern = |place: &OrderSpec| {
        let OrderSpec::Loop(LoopBoundSpec { dimension, bound }) = place else { return None };
        let size = match bound {
            BoundSpec::Exactly(size) => PatternSize::Exactly(*size),
            BoundSpec::All => PatternSize::All,
            _ => PatternSize::Any,
        };
        Some(LoopPattern { dim: Dim::from_name(dimension)?, size })
    };
    let rest = order.iter().position(|place| *place == OrderSpec::Rest).unwrap_or(order.len());
    let [innermost, outermost] = [&order[..rest], &order[rest..]].map(|part| part.iter().filter_map(pattern).collect());
    (innermost, outermost)
}

/// The demands of an entry on a layer's operands that the memory holds, with their paths.
fn level_constraints(
    entry: &LevelConstraintsSpec,
    path: &str,
    design_layer: &DesignLayer,
) -> Vec<(LevelConstraint, String)> {
    let problem = design_layer.on_core();
    let means = |name: &String, operand: LayerOperand| {
        has_operand(problem.shape.kind, name) && NAMES[operand].contains(&name.as_str())
    };
    let mut constraints = Vec::new();
    for (operand, view) in problem.each_operand() {
        let is_meant = entry.operands.is_empty() || entry.operands.iter().any(|name| means(name, operand));
        let level = view.memories.iter().position(|id| design_layer.core.memories[*id].name == entry.memory);
        let Some(level) = level.filter(|_| is_meant) else { continue };
        constraints.extend(
            demands(entry)
                .into_iter()
                .map(|(demand, field)| (LevelConstraint { operand, level, demand }, format!("{path}.{field}"))),
        );
    }
    constraints
}

/// The demands of an entry, with their places in it.
fn demands(entry: &LevelConstraintsSpec) -> Vec<(LevelDemand, String)> {
    let amount = |bound: &LoopBoundSpec| {
        let amount = match bound.bound {
            BoundSpec::Exactly(size) => LoopAmount::Exactly(size),
            BoundSpec::AtMost(size) => LoopAmount::AtMost(size),
            BoundSpec::AtLeast(size) => LoopAmount::AtLeast(size),
            BoundSpec::Any | BoundSpec::All => LoopAmount::All,
        };
        Some((Dim::from_name(&bound.dimension)?, amount))
    };
    let mut demands = Vec::new();
    for (index, (dim, amount)) in entry.holds.iter().filter_map(amount).enumerate() {
        demands.push((LevelDemand::Holds(dim, amount), format!("holds[{index}]")));
    }
    for (index, (dim, amount)) in entry.within.iter().filter_map(amount).enumerate() {
        demands.push((LevelDemand::Within(dim, amount), format!("within[{index}]")));
    }
    let order: Vec<Dim> = entry.order.iter().filter_map(|name| Dim::from_name(name)).collect();
    if !order.is_empty() {
        demands.push((LevelDemand::Order(order), "order".to_owned()));
    }
    demands
}

fn unroll_constraint(entry: &LayerConstraintsSpec, core: &Core, kind: LayerKind) -> UnrollConstraint {
    // Lanes divide loops among themselves.
    if entry.unroll.is_empty() || core.vector_unit_for(kind).is_some() {
        return UnrollConstraint::Free;
    }
    let options = unrolling_options(entry, core);
    let width = |(array_dim, dim): (ArrayDimId, Dim)| {
        let limit = options.limits.iter().find(|(on, of, _)| (*on, *of) == (array_dim, dim));
        match limit {
            Some((.., WidthLimit::Exactly(limit))) => Some(Unroll { array_dim, dim, limit: *limit }),
            _ => None,
        }
    };
    let loops = options.hints.iter().flat_map(|(on, dims)| dims.iter().map(|dim| (*on, *dim)));
    match loops.map(width).collect::<Option<Vec<Unroll>>>() {
        Some(stated) if options.hints.len() == core.array.len() => UnrollConstraint::Stated(stated),
        _ => UnrollConstraint::Limited(options),
    }
}

fn unrolling_options(entry: &LayerConstraintsSpec, core: &Core) -> UnrollingOptions {
    let mut options = UnrollingOptions::default();
    for unrolled in &entry.unroll {
        let on = core.array.position(|(name, _)| *name == unrolled.array_dimension);
        let (Some(on), Some(loops)) = (on, &unrolled.loops) else { continue };
        let loops: Vec<(Dim, BoundSpec)> =
            loops.iter().filter_map(|next| Some((Dim::from_name(&next.dimension)?, next.bound))).collect();
        options.loops_per_dimension = options.loops_per_dimension.max(loops.len());
        options.limits.extend(loops.iter().filter_map(|(dim, bound)| Some((on, *dim, width_limit(*bound)?))));
        options.hints.push((on, loops.into_iter().map(|(dim, _)| dim).collect::<Vec<Dim>>()));
    }
    options
}

fn width_limit(bound: BoundSpec) -> Option<WidthLimit> {
    match bound {
        BoundSpec::Exactly(width) => Some(WidthLimit::Exactly(width)),
        BoundSpec::AtMost(width) => Some(WidthLimit::AtMost(width)),
        BoundSpec::AtLeast(_) | BoundSpec::Any | BoundSpec::All => None,
    }
}

/// Whether layers of a kind have an operand of this name.
fn has_operand(kind: LayerKind, name: &str) -> bool {
    let is_addition = kind == LayerKind::Add;
    match name {
        "O" => true,
        "X" | "Y" => is_addition,
        _ => !is_addition,
    }
}
