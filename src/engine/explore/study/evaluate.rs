//! One design: its documents, its schedule, its quantities.

use super::axis::PathRoot;
use super::costs::StudyCosts;
use super::document::DesignSpace;
use super::front::ParetoFront;
use super::on_cores::OnCores;
use super::quantity::DesignQuantity;
use super::schedule::{DesignSchedule, TiledSchedule};
use crate::depth_first::{DepthFirstStrategy, NotPlanned, PointTotals, StoringMode};
use crate::explore::{CostStore, IncrementalSweep, PointSummary, Settings, Sweep, best_strategy};
use crate::hardware::Core;
use crate::spec::Diagnostics;
use crate::system::CoreSystem;
use crate::tolerance::REL_TOLERANCE;
use crate::workload::Network;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The outcome of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DesignStatus {
    /// Its quantities are known, and keep to the constraints.
    Found,
    /// It breaks a constraint; quantities are known up to that one.
    Outside,
    /// The front dominates its lower bounds: it was not searched.
    Beaten,
    /// It cannot be scheduled.
    Impossible,
    /// Its documents make no sense together.
    Wrong,
}

impl DesignStatus {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 5] = [Self::Found, Self::Outside, Self::Beaten, Self::Impossible, Self::Wrong];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Outside => "outside",
            Self::Beaten => "beaten",
            Self::Impossible => "impossible",
            Self::Wrong => "wrong",
        }
    }
}

/// The record of a design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DesignRow {
    /// Its number: of its combination of values, or of its sample.
    pub design: u64,
    /// Which value each axis has.
    pub coordinates: Vec<u32>,
    /// The outcome of the design.
    pub status: DesignStatus,
    /// The study's quantities, in their order; `None` where one is not known.
    pub values: Vec<Option<f64>>,
    /// The best of its schedules, where there are several and one was found.
    pub schedule: Option<(StoringMode, (u64, u64))>,
    /// The best size of tiles on many cores, where one was searched and found.
    pub tiles: Option<String>,
    /// Why it is not found; else empty.
    pub reason: String,
}

/// Networks that are kept.
const MOST_NETWORKS: usize = 64;

/// The outcome of a design that is not found, and why.
pub(super) type NotFound = (DesignStatus, String);

/// Documents and settings make no sense together.
pub(super) fn wrong(found: Diagnostics) -> NotFound {
    (DesignStatus::Wrong, found.to_string())
}

/// There is no schedule.
pub(super) fn impossible(found: Diagnostics) -> NotFound {
    (DesignStatus::Impossible, found.to_string())
}

/// A document by the coordinates that it depends on, or its mistakes.
type CachedDocument<T> = (Vec<u32>, Result<T, Diagnostics>);

/// Evaluates designs of one study, one after the other, and keeps the data that they share.
pub struct DesignEvaluator {
    study: Arc<DesignSpace>,
    costs: Arc<StudyCosts>,
    store: CostStore,
    /// The last core, or the last system.
    core: Option<CachedDocument<Core>>,
    system: Option<CachedDocument<CoreSystem>>,
    networks: Vec<CachedDocument<Network>>,
}

impl DesignEvaluator {
    /// An evaluator that shares its costs with all others that have these.
    pub fn new(study: Arc<DesignSpace>, costs: Arc<StudyCosts>) -> Self {
        let store = CostStore::sharing(Arc::clone(&costs.layers));
        Self { study, costs, store, core: None, system: None, networks: Vec::new() }
    }

    /// The outcome of a design. Where the study skips beaten designs, `front` is the front to beat.
    pub fn evaluate(&mut self, design: u64, front: &ParetoFront) -> DesignRow {
        let mut row = DesignRow {
            design,
            coordinates: self.study.sampled(design),
            status: DesignStatus::Wrong,
            values: vec![None; self.study.quantities.len()],
            schedule: None,
            tiles: None,
            reason: String::new(),
        };
        if let Err((status, reason)) = self.fill(&mut row, front) {
            row.status = status;
            row.reason = reason;
        }
        row
    }

    fn fill(&mut self, row: &mut DesignRow, front: &ParetoFront) -> Result<(), NotFound> {
        match self.study.schedule(&row.coordinates).map_err(wrong)? {
            DesignSchedule::DepthFirst(settings) => self.fill_depth_first(row, settings, front)?,
            DesignSchedule::OnCores(schedule) => self.fill_on_cores(row, &schedule)?,
        }
        row.status = DesignStatus::Found;
        Ok(())
    }

    fn fill_depth_first(
        &mut self,
        row: &mut DesignRow,
        settings: Settings,
        front: &ParetoFront,
    ) -> Result<(), NotFound> {
        let study = self.study.clone();
        let (core, network) = self.core_and_network(&row.coordinates)?;
        study.fill(row, |quantity| quantity.of_core(&core))?;
        let has_several = settings.strategies().len() > 1;
        let mut incremental = IncrementalSweep::new(Sweep::of(core, network, settings).map_err(wrong)?);
        let best = self.best_schedule(&mut incremental, front)?;
        row.schedule = has_several.then_some((best.strategy.mode, best.strategy.tile));
        study.fill(row, |quantity| quantity.of_point(&incremental.sweep().core, &best.totals))
    }

    fn fill_on_cores(&mut self, row: &mut DesignRow, schedule: &TiledSchedule) -> Result<(), NotFound> {
        let study = self.study.clone();
        let costs = Arc::clone(&self.costs);
        let (system, network) = self.system_and_network(&row.coordinates)?;
        study.fill(row, |quantity| quantity.of_system(system))?;
        let best = OnCores::new(network, system, schedule, &costs)?;
        let needs_account = study.quantities.iter().any(|quantity| quantity.needs_account());
        let account = needs_account.then(|| best.account(&costs)).transpose()?;
        row.tiles.clone_from(&best.tiles);
        study.fill(row, |quantity| quantity.on_cores(&best.study, &best.found, account.as_ref()))
    }

    /// The best schedule of a design by the objective of its settings.
    fn best_schedule(&mut self, incremental: &mut IncrementalSweep, front: &ParetoFront) -> Result<Best, NotFound> {
        let study = self.study.clone();
        let count = incremental.strategies().len();
        let mut found: Vec<(PointSummary, PointTotals)> = Vec::new();
        let mut reasons: Option<Diagnostics> = None;
        // Bounds are those of one schedule; of several any may be the best.
        let mut why = None;
        for point in 0..count {
            let is_hopeless = &mut |core: &Core, least: &PointTotals| {
                why = hopeless(&study, core, least, front);
                why.is_some()
            };
            let totals = match study.spec.skips_beaten && count == 1 {
                true => incremental.totals_unless(&mut self.store, point, is_hopeless),
                false => incremental.totals(&mut self.store, point, &mut || true).map(Some),
            };
            match totals {
                Ok(Some(totals)) => found.push((incremental.summarize(point, &totals), totals)),
                Ok(None) => {}
                Err(NotPlanned::Impossible(wrong)) => reasons = reasons.or(Some(wrong)),
                Err(NotPlanned::Later) => {}
            }
        }
        if let Some(why) = why {
            return Err(why);
        }
        let summaries: Vec<PointSummary> = found.iter().map(|(summary, _)| summary.clone()).collect();
        let best =
            best_strategy(&incremental.sweep().settings, incremental.strategies(), &summaries).map(|best| best.point);
        let totals = found.into_iter().find(|(summary, _)| Some(summary.point) == best);
        match totals.zip(best.and_then(|best| incremental.strategies().get(best).cloned())) {
            Some(((_, totals), strategy)) => Ok(Best { strategy, totals }),
            None => Err(impossible(reasons.unwrap_or_default())),
        }
    }

    /// Both read from the documents in which the axes have their values.
    fn core_and_network(&mut self, coordinates: &[u32]) -> Result<(Core, Network), NotFound> {
        let study = self.study.clone();
        let key = study.coordinates_of(&[PathRoot::Hardware], coordinates);
        if self.core.as_ref().is_none_or(|(known, _)| *known != key) {
            let core = study.document(PathRoot::Hardware, coordinates).and_then(|text| Core::from_text(&text));
            self.core = Some((key, core.map_err(|wrong| wrong.under("hardware"))));
        }
        self.find_network(coordinates);
        let (core, network) = both(self.core.as_ref(), self.networks.last())?;
        Ok((core.clone(), network.clone()))
    }

    /// As [`Self::core_and_network`], for many cores.
    fn system_and_network(&mut self, coordinates: &[u32]) -> Result<(&CoreSystem, &Network), NotFound> {
        let study = self.study.clone();
        let key = study.coordinates_of(&[PathRoot::Hardware, PathRoot::System], coordinates);
        if self.system.as_ref().is_none_or(|(known, _)| *known != key) {
            self.system = Some((key, study.system(coordinates)));
        }
        self.find_network(coordinates);
        both(self.system.as_ref(), self.networks.last())
    }

    /// Makes the network of a design the last one that is known.
    fn find_network(&mut self, coordinates: &[u32]) {
        let key = self.study.coordinates_of(&[PathRoot::Network], coordinates);
        if let Some(place) = self.networks.iter().position(|(known, _)| *known == key) {
            let last = self.networks.len() - 1;
            self.networks.swap(place, last);
            return;
        }
        if self.networks.len() >= MOST_NETWORKS {
            self.networks.clear();
        }
        let network = self.study.document(PathRoot::Network, coordinates).and_then(|text| Network::from_text(&text));
        self.networks.push((key, network.map_err(|wrong| wrong.under("network"))));
    }
}

/// Two documents of a design, or all that is wrong with them.
fn both<'k, A, B>(
    one: Option<&'k CachedDocument<A>>,
    other: Option<&'k CachedDocument<B>>,
) -> Result<(&'k A, &'k B), NotFound> {
    match (one, other) {
        (Some((_, Ok(one))), Some((_, Ok(other)))) => Ok((one, other)),
        (one, other) => {
            let one = one.and_then(|(_, one)| one.as_ref().err()).cloned().unwrap_or_default();
            let other = other.and_then(|(_, other)| other.as_ref().err()).cloned().unwrap_or_default();
            Err(wrong(Diagnostics([one.0, other.0].concat())))
        }
    }
}

struct Best {
    strategy: DepthFirstStrategy,
    totals: PointTotals,
}

fn outside(quantity: DesignQuantity, value: f64, is_most: bool, bound: f64) -> String {
    let sign = if is_most { ">" } else { "<" };
    format!("{} = {value} {sign} {bound}", quantity.column())
}

/// Why a design with these lower bounds need not be searched, if so.
fn hopeless(study: &DesignSpace, core: &Core, least: &PointTotals, front: &ParetoFront) -> Option<NotFound> {
    let bound = |quantity: DesignQuantity| quantity.bound(core, least).map(|bound| bound * (1.0 - REL_TOLERANCE));
    for constraint in study.constraints.iter().filter(|constraint| constraint.is_most) {
        if let Some(bound) = bound(constraint.quantity).filter(|bound| !constraint.holds(*bound)) {
            let reason = format!("at least {}", outside(constraint.quantity, bound, true, constraint.bound));
            return Some((DesignStatus::Outside, reason));
        }
    }
    let bounds = study.objectives.iter().map(|quantity| match quantity.is_gain() {
        true => f64::NEG_INFINITY,
        false => bound(*quantity).unwrap_or(f64::NEG_INFINITY),
    });
    let bounds: Vec<f64> = bounds.collect();
    front.dominates(&bounds).then(|| {
        let known = study.objectives.iter().zip(&bounds).filter(|(_, bound)| bound.is_finite());
        let known: Vec<String> = known.map(|(quantity, bound)| format!("{} >= {bound}", quantity.column())).collect();
        (DesignStatus::Beaten, known.join(", "))
    })
}

impl DesignSpace {
    /// The coordinates that parts of a design depend on.
    fn coordinates_of(&self, parts: &[PathRoot], coordinates: &[u32]) -> Vec<u32> {
        let axes = self.axes.iter().zip(coordinates);
        let own = axes.filter(|(axis, _)| axis.targets.iter().any(|target| parts.contains(&target.part)));
        own.map(|(_, &at)| at).collect()
    }

    /// Read from the document in which the axes have their values.
    fn system(&self, coordinates: &[u32]) -> Result<CoreSystem, Diagnostics> {
        let beside = match self.has(PathRoot::Hardware) {
            true => self.document(PathRoot::Hardware, coordinates)?,
            false => String::new(),
        };
        CoreSystem::with_hardware(&self.document(PathRoot::System, coordinates)?, &beside)
    }

    /// Sets the quantities of a row.
    ///
    /// # Errors
    /// The first constraint that they break.
    fn fill(&self, row: &mut DesignRow, value: impl Fn(DesignQuantity) -> Option<f64>) -> Result<(), NotFound> {
        for (known, quantity) in row.values.iter_mut().zip(&self.quantities) {
            *known = value(*quantity);
        }
        for constraint in &self.constraints {
            let value = self.quantities.iter().position(|quantity| *quantity == constraint.quantity);
            let value = value.and_then(|index| row.values[index]);
            if let Some(value) = value.filter(|value| !constraint.holds(*value)) {
                let why = outside(constraint.quantity, value, constraint.is_most, constraint.bound);
                return Err((DesignStatus::Outside, why));
            }
        }
        Ok(())
    }

    /// The objectives of a row, of which less is better; `None` unless it keeps to all constraints and has all of them.
    pub fn objectives_of(&self, row: &DesignRow) -> Option<Vec<f64>> {
        if row.status != DesignStatus::Found {
            return None;
        }
        let value = |objective: &DesignQuantity| {
            let index = self.quantities.iter().position(|quantity| quantity == objective)?;
            row.values.get(index).copied().flatten().map(|value| if objective.is_gain() { -value } else { value })
        };
        self.objectives.iter().map(value).collect()
    }
}
