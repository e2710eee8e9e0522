//! One design: its documents, its schedule, its quantities.

use super::axis::Part;
use super::document::Study;
use super::front::ParetoFront;
use super::quantity::Quantity;
use crate::depth_first::{DepthFirstStrategy, NotPlanned, PointTotals, StoringMode};
use crate::explore::{CostStore, PointSummary, SharedCosts, Survey, Sweep, best_point};
use crate::hardware::Core;
use crate::spec::Diagnostics;
use crate::workload::Network;
use serde::{Deserialize, Serialize};
use std::ops::Deref;
use std::sync::Arc;

/// What became of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Status {
    /// Its quantities are known, and keep to the constraints.
    Found,
    /// It breaks a constraint; quantities are known as far as that took.
    Outside,
    /// By its lower bounds, the front beats it: it was not searched.
    Beaten,
    /// It cannot be scheduled.
    Impossible,
    /// Its documents make no sense together.
    Wrong,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Found, Self::Outside, Self::Beaten, Self::Impossible, Self::Wrong];

    /// As results have it.
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

/// What is recorded of a design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DesignRow {
    /// Its number: of its combination of values, or of its sample.
    pub design: u64,
    /// Which value each axis has.
    pub coordinates: Vec<u32>,
    /// What became of it.
    pub status: Status,
    /// The study's quantities, in their order; `None` where one is not known.
    pub values: Vec<Option<f64>>,
    /// The best of its schedules, where there are several and one was found.
    pub schedule: Option<(StoringMode, (u64, u64))>,
    /// Why it is not found; else empty.
    pub reason: String,
}

/// Bounds are added up in another order than costs: so much of them is rounding.
const ROUNDING: f64 = 1e-9;

/// Networks that are kept.
const MOST_NETWORKS: usize = 64;

/// Evaluates designs of one study, one after the other, and remembers what they share. It borrows the study or shares it.
pub struct Evaluator<S> {
    study: S,
    store: CostStore,
    /// The last core, by the coordinates that it depends on.
    core: Option<(Vec<u32>, Result<Core, Diagnostics>)>,
    networks: Vec<(Vec<u32>, Result<Network, Diagnostics>)>,
}

impl<S: Deref<Target = Study> + Clone> Evaluator<S> {
    /// An evaluator that knows what all others with these costs know.
    pub fn new(study: S, costs: Arc<SharedCosts>) -> Self {
        Self { study, store: CostStore::sharing(costs), core: None, networks: Vec::new() }
    }

    /// What becomes of a design. Where the study skips what is beaten, `front` is the front to beat.
    pub fn evaluate(&mut self, design: u64, front: &ParetoFront) -> DesignRow {
        let coordinates = self.study.sampled(design);
        let values = vec![None; self.study.quantities.len()];
        let mut row =
            DesignRow { design, coordinates, status: Status::Wrong, values, schedule: None, reason: String::new() };
        if let Err((status, reason)) = self.fill(&mut row, front) {
            row.status = status;
            row.reason = reason;
        }
        row
    }

    fn fill(&mut self, row: &mut DesignRow, front: &ParetoFront) -> Result<(), (Status, String)> {
        let study = self.study.clone();
        let (core, network) = self.documents(&row.coordinates)?;
        for (value, quantity) in row.values.iter_mut().zip(&study.quantities) {
            *value = quantity.of_core(&core);
        }
        check(&study, &row.values)?;
        let settings = study.settings(&row.coordinates).map_err(|wrong| (Status::Wrong, wrong.to_string()))?;
        let has_several = settings.strategies().len() > 1;
        let sweep = Sweep::of(core, network, settings);
        let sweep = sweep.map_err(|wrong| (Status::Wrong, wrong.to_string()))?;
        let mut survey = Survey::new(sweep);
        let best = self.best_schedule(&mut survey, front)?;
        let core = &survey.sweep().core;
        for (value, quantity) in row.values.iter_mut().zip(&study.quantities) {
            *value = quantity.of_point(core, &best.totals);
        }
        row.schedule = has_several.then_some((best.strategy.mode, best.strategy.tile));
        check(&study, &row.values)?;
        row.status = Status::Found;
        Ok(())
    }

    /// The best schedule of a design by the objective of its settings.
    fn best_schedule(&mut self, survey: &mut Survey, front: &ParetoFront) -> Result<Best, (Status, String)> {
        let study = self.study.clone();
        let count = survey.strategies().len();
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
                true => survey.totals_unless(&mut self.store, point, is_hopeless),
                false => survey.totals(&mut self.store, point, &mut || true).map(Some),
            };
            match totals {
                Ok(Some(totals)) => found.push((survey.summarize(point, &totals), totals)),
                Ok(None) => {}
                Err(NotPlanned::Impossible(wrong)) => reasons = reasons.or(Some(wrong)),
                Err(NotPlanned::Later) => {}
            }
        }
        if let Some(why) = why {
            return Err(why);
        }
        let summaries: Vec<PointSummary> = found.iter().map(|(summary, _)| summary.clone()).collect();
        let best = best_point(&summaries).map(|best| best.point);
        let totals = found.into_iter().find(|(summary, _)| Some(summary.point) == best);
        match totals.zip(best.and_then(|best| survey.strategies().get(best).cloned())) {
            Some(((_, totals), strategy)) => Ok(Best { strategy, totals }),
            None => Err((Status::Impossible, reasons.unwrap_or_default().to_string())),
        }
    }

    fn documents(&mut self, coordinates: &[u32]) -> Result<(Core, Network), (Status, String)> {
        let study = self.study.clone();
        let of = |part: Part| study.coordinates_of(part, coordinates);
        let key = of(Part::Hardware);
        if self.core.as_ref().is_none_or(|(known, _)| *known != key) {
            let core = study.document(Part::Hardware, coordinates).and_then(|text| Core::from_text(&text));
            self.core = Some((key, core));
        }
        let key = of(Part::Network);
        if !self.networks.iter().any(|(known, _)| *known == key) {
            if self.networks.len() >= MOST_NETWORKS {
                self.networks.clear();
            }
            let network = study.document(Part::Network, coordinates).and_then(|text| Network::from_text(&text));
            self.networks.push((key.clone(), network));
        }
        let network = self.networks.iter().find(|(known, _)| *known == key).map(|(_, network)| network);
        match (&self.core, network) {
            (Some((_, Ok(core))), Some(Ok(network))) => Ok((core.clone(), network.clone())),
            (core, network) => {
                let core = core.as_ref().and_then(|(_, core)| core.as_ref().err()).cloned().unwrap_or_default();
                let network = network.and_then(|network| network.as_ref().err()).cloned().unwrap_or_default();
                let mut wrong = core.under("hardware");
                wrong.0.extend(network.under("network").0);
                Err((Status::Wrong, wrong.to_string()))
            }
        }
    }
}

struct Best {
    strategy: DepthFirstStrategy,
    totals: PointTotals,
}

/// The first constraint that known values break.
fn check(study: &Study, values: &[Option<f64>]) -> Result<(), (Status, String)> {
    for constraint in &study.constraints {
        let value = study.quantities.iter().position(|quantity| *quantity == constraint.quantity);
        if let Some(value) = value.and_then(|index| values[index]).filter(|value| !constraint.holds(*value)) {
            return Err((Status::Outside, outside(constraint.quantity, value, constraint.is_most, constraint.bound)));
        }
    }
    Ok(())
}

fn outside(quantity: Quantity, value: f64, is_most: bool, bound: f64) -> String {
    let sign = if is_most { ">" } else { "<" };
    format!("{} = {value} {sign} {bound}", quantity.column())
}

/// Why a design with these lower bounds need not be searched, if so.
fn hopeless(study: &Study, core: &Core, least: &PointTotals, front: &ParetoFront) -> Option<(Status, String)> {
    let bound = |quantity: Quantity| quantity.bound(core, least).map(|bound| bound * (1.0 - ROUNDING));
    for constraint in study.constraints.iter().filter(|constraint| constraint.is_most) {
        if let Some(bound) = bound(constraint.quantity).filter(|bound| !constraint.holds(*bound)) {
            let reason = format!("at least {}", outside(constraint.quantity, bound, true, constraint.bound));
            return Some((Status::Outside, reason));
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
        (Status::Beaten, known.join(", "))
    })
}

impl Study {
    /// The coordinates that a part of a design depends on.
    fn coordinates_of(&self, part: Part, coordinates: &[u32]) -> Vec<u32> {
        let axes = self.axes.iter().zip(coordinates);
        let own = axes.filter(|(axis, _)| axis.targets.iter().any(|target| target.part == part));
        own.map(|(_, &at)| at).collect()
    }

    /// The objectives of a row, of which less is better; `None` unless it keeps to all constraints and has all of them.
    pub fn objectives_of(&self, row: &DesignRow) -> Option<Vec<f64>> {
        if row.status != Status::Found {
            return None;
        }
        let value = |objective: &Quantity| {
            let index = self.quantities.iter().position(|quantity| quantity == objective)?;
            row.values.get(index).copied().flatten().map(|value| if objective.is_gain() { -value } else { value })
        };
        self.objectives.iter().map(value).collect()
    }
}
