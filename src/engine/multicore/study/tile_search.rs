//! The search for the tile size of a network on many cores, together with the allocation of its layers: candidates in stages, each of which
//! starts from the best of those before. A candidate is a single run ([`CoresStudy::outcome`]), so that anyone may take any of them.

use super::super::costs::TileCosts;
use super::super::ids::{CoreId, NestId, StackId};
use super::super::request::{CoresRequest, Granularity, ScheduleObjective};
use super::super::tile_size::TileSize;
use super::{CoresStudy, EvaluatedAllocation, StackAllocation};
use crate::spec::Diagnostics;
use crate::units::Cycles;
use crate::workload::Dim;
use serde::{Deserialize, Serialize};

/// So many stacks, those of the most work, are given a tile size of their own.
const MOST_STACKS: usize = 4;

/// A candidate: the size of tiles, and what differs in single stacks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TileCut {
    /// Of all layers that are fused.
    pub all: TileSize,
    /// Of the layers of single stacks, by stack.
    pub stacks: Vec<(StackId, TileSize)>,
}

impl TileCut {
    /// Tiles of so many whole rows.
    pub fn rows(rows: u64) -> Self {
        Self { all: TileSize { rows: Some(rows), ..TileSize::default() }, stacks: Vec::new() }
    }

    /// How a request states it.
    pub fn granularity(&self) -> Granularity {
        match (self.all, &self.stacks[..]) {
            (TileSize { rows: Some(rows), columns: None, channels: None }, []) => Granularity::Rows(rows),
            (TileSize { rows: None, columns: None, channels: None }, []) => Granularity::LayerByLayer,
            _ => Granularity::ByHand(self.text()),
        }
    }

    /// As people write it in a request: `rows 4, columns 240; stack 2: rows 8`.
    pub fn text(&self) -> String {
        let of_stack = |(stack, size): &(StackId, TileSize)| format!("; stack {}: {}", stack.index() + 1, size.text());
        self.all.text() + &self.stacks.iter().map(of_stack).collect::<String>()
    }
}

/// The largest of the fused layers: what tiles may be cut from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TileLadder {
    /// Rows of the highest feature map.
    pub rows: u64,
    /// Columns of the widest one.
    pub columns: u64,
    /// Output channels of the layer that has most.
    pub channels: u64,
    /// Stacks of several layers, those of the most work first.
    pub stacks: Vec<StackId>,
}

/// What is varied together; a stage starts from the best of those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TileStage {
    /// Whole layers, and 1, 2, 4, 8, ... rows.
    Rows,
    /// Rows between those.
    Between,
    /// A half and a quarter of the columns.
    Columns,
    /// A half and a quarter of the output channels.
    Channels,
    /// Other rows for one stack.
    Stacks,
    /// The best rows of each stack together.
    Together,
}

impl TileStage {
    /// In the order in which they are searched.
    pub const ALL: [Self; 6] = [Self::Rows, Self::Between, Self::Columns, Self::Channels, Self::Stacks, Self::Together];
}

/// All layers on one core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SingleCore {
    /// The core.
    pub core: CoreId,
    /// Its name.
    pub name: String,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency, cycles.
    pub latency_cycles: f64,
}

/// What a network costs in tiles of one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TileOutcome {
    /// Energy of the best schedule found, pJ.
    pub energy_pj: f64,
    /// Its latency, cycles.
    pub latency_cycles: f64,
    /// Its tiles.
    pub tiles: usize,
    /// Stacks for whose steady state the allocation is proved the fastest if nothing had to travel.
    pub proved: usize,
    /// All stacks.
    pub stacks: usize,
    /// The best core that computes all layers alone; `None` where none runs all.
    pub single: Option<SingleCore>,
}

impl TileOutcome {
    /// The value of an objective, which is minimised.
    pub fn score(&self, aim: ScheduleObjective) -> f64 {
        aim.score(self.energy_pj, Cycles(self.latency_cycles))
    }
}

/// A candidate that was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TilePoint {
    /// The candidate.
    pub cut: TileCut,
    /// What it costs, or in a sentence why it has no schedule.
    pub outcome: Result<TileOutcome, String>,
}

/// A search for the tile size, as far as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TileSearch {
    ladder: TileLadder,
    aim: ScheduleObjective,
    points: Vec<TilePoint>,
}

impl TileSearch {
    /// One that has not begun.
    pub fn new(ladder: TileLadder, aim: ScheduleObjective) -> Self {
        Self { ladder, aim, points: Vec::new() }
    }

    /// All candidates that were run, in the order in which they came.
    pub fn points(&self) -> &[TilePoint] {
        &self.points
    }

    /// What is minimised.
    pub fn aim(&self) -> ScheduleObjective {
        self.aim
    }

    /// Takes a candidate that was run.
    pub fn add(&mut self, point: TilePoint) {
        self.points.push(point);
    }

    /// The best candidate, with its cost; of equal ones that which came first.
    pub fn best(&self) -> Option<(&TileCut, &TileOutcome)> {
        self.best_of(|_| true)
    }

    /// The best tile size for one core that computes all layers, and what that costs.
    pub fn best_single(&self) -> Option<(&TileCut, &SingleCore)> {
        let singles =
            self.points.iter().filter_map(|point| Some((&point.cut, point.outcome.as_ref().ok()?.single.as_ref()?)));
        let score = |single: &SingleCore| self.aim.score(single.energy_pj, Cycles(single.latency_cycles));
        singles.min_by(|a, b| score(a.1).total_cmp(&score(b.1)))
    }

    fn best_of(&self, counts: impl Fn(&TileCut) -> bool) -> Option<(&TileCut, &TileOutcome)> {
        let known = self.points.iter().filter_map(|point| Some((&point.cut, point.outcome.as_ref().ok()?)));
        known.filter(|(cut, _)| counts(cut)).min_by(|a, b| a.1.score(self.aim).total_cmp(&b.1.score(self.aim)))
    }

    /// The candidates of a stage that were not run yet.
    pub fn candidates(&self, stage: TileStage) -> Vec<TileCut> {
        let mut cuts: Vec<TileCut> = Vec::new();
        for cut in self.stage(stage) {
            let is_new = !cuts.contains(&cut) && !self.points.iter().any(|point| point.cut == cut);
            cuts.extend(is_new.then_some(cut));
        }
        cuts
    }

    fn stage(&self, stage: TileStage) -> Vec<TileCut> {
        let ladder = &self.ladder;
        if stage == TileStage::Rows {
            let rungs = (0..63).map(|power| 1 << power).take_while(|rows| *rows < ladder.rows);
            return rungs.map(TileCut::rows).chain([TileCut::default()]).collect();
        }
        let Some((best, _)) = self.best() else { return Vec::new() };
        let rows = best.all.rows;
        let sized = |size: TileSize| TileCut { all: size, stacks: best.stacks.clone() };
        match stage {
            TileStage::Rows => Vec::new(),
            TileStage::Between => {
                let around = match rows {
                    Some(rows) => vec![rows * 3 / 4, rows.saturating_mul(3) / 2],
                    None => vec![ladder.rows / 2, ladder.rows * 3 / 4],
                };
                let fits = |rows: &u64| (1..ladder.rows).contains(rows);
                around.into_iter().filter(fits).map(TileCut::rows).collect()
            }
            TileStage::Columns => {
                let heights = [rows, rows.map(|rows| rows.saturating_mul(2)).filter(|rows| *rows < ladder.rows)];
                let of = |part: u64| {
                    let columns = Some(ladder.columns.div_ceil(part));
                    heights.map(|rows| sized(TileSize { rows, columns, channels: None }))
                };
                if ladder.columns < 2 { Vec::new() } else { [2, 4].into_iter().flat_map(of).collect() }
            }
            TileStage::Channels => {
                let of = |part: u64| TileSize { channels: Some(ladder.channels.div_ceil(part)), ..best.all };
                if ladder.channels < 2 { Vec::new() } else { [2, 4].map(of).map(sized).to_vec() }
            }
            TileStage::Stacks if ladder.stacks.len() > 1 => {
                let others = |stack: &StackId| {
                    let other = |rows: Option<u64>| {
                        let size = TileSize { rows: rows.filter(|rows| *rows < ladder.rows), ..best.all };
                        TileCut { all: best.all, stacks: vec![(*stack, size)] }
                    };
                    match rows {
                        Some(rows) => {
                            vec![other(Some((rows / 2).max(1))), other(Some(rows.saturating_mul(2))), other(None)]
                        }
                        None => vec![other(Some(ladder.rows.div_ceil(2))), other(Some(ladder.rows.div_ceil(4)))],
                    }
                };
                let cuts = ladder.stacks.iter().take(MOST_STACKS).flat_map(others);
                cuts.filter(|cut| cut.stacks.iter().any(|(_, size)| *size != best.all)).collect()
            }
            TileStage::Together if !best.stacks.is_empty() => self.together(best.all).into_iter().collect(),
            TileStage::Stacks | TileStage::Together => Vec::new(),
        }
    }

    /// The best size of each stack that is better with one of its own; `None` where that is one stack at most.
    fn together(&self, all: TileSize) -> Option<TileCut> {
        let plain = self.best_of(|cut| cut.all == all && cut.stacks.is_empty())?.1.score(self.aim);
        let own = |stack: &StackId| {
            let (cut, outcome) =
                self.best_of(|cut| cut.all == all && matches!(cut.stacks[..], [(only, _)] if only == *stack))?;
            (outcome.score(self.aim) < plain).then(|| cut.stacks[0])
        };
        let mut stacks: Vec<(StackId, TileSize)> = self.ladder.stacks.iter().filter_map(own).collect();
        stacks.sort_by_key(|(stack, _)| *stack);
        (stacks.len() > 1).then_some(TileCut { all, stacks })
    }

    /// Runs all stages of a request one candidate after the other.
    ///
    /// # Errors
    /// As [`TileLadder::of`].
    pub fn run(request: &CoresRequest) -> Result<Self, Diagnostics> {
        let mut search = Self::new(TileLadder::of(request)?, request.settings.aim);
        for stage in TileStage::ALL {
            for cut in search.candidates(stage) {
                search.add(TilePoint::of(request, cut));
            }
        }
        Ok(search)
    }
}

impl TilePoint {
    /// Runs a candidate, whatever tiles the request states.
    pub fn of(request: &CoresRequest, cut: TileCut) -> Self {
        let outcome = CoresStudy::new(&request.in_tiles(&cut))
            .and_then(|study| study.outcome(&mut TileCosts::default()))
            .map_err(|wrong| wrong.0.first().map_or_else(String::new, |first| first.reason.clone()));
        Self { cut, outcome }
    }
}

impl CoresRequest {
    /// The same in tiles of this size.
    #[must_use]
    pub fn in_tiles(&self, cut: &TileCut) -> Self {
        let mut request = self.clone();
        request.settings.granularity = cut.granularity();
        request
    }
}

impl TileLadder {
    /// What tiles of a request may be, whatever it states.
    ///
    /// # Errors
    /// As [`CoresStudy::new`].
    pub fn of(request: &CoresRequest) -> Result<Self, Diagnostics> {
        // Whole layers are the fewest tiles.
        CoresStudy::new(&request.in_tiles(&TileCut::default())).map(|study| study.ladder())
    }
}

impl CoresStudy {
    /// What tiles may be, whatever the settings state.
    pub fn ladder(&self) -> TileLadder {
        let mut stacks: Vec<StackId> = self.stacks.keys().filter(|&stack| self.stacks[stack].len() > 1).collect();
        let cut = || stacks.iter().flat_map(|&stack| &self.stacks[stack]);
        let largest = |size: &dyn Fn(NestId) -> u64| cut().map(|&layer| size(layer)).max().unwrap_or(1);
        let size = |layer: NestId, dim: Dim| self.nests.nests[layer].size(dim);
        let is_row = |layer: NestId| size(layer, Dim::OY) == 1;
        let (rows, columns, channels) = (
            largest(&|layer| if is_row(layer) { size(layer, Dim::OX) } else { size(layer, Dim::OY) }),
            largest(&|layer| if is_row(layer) { 1 } else { size(layer, Dim::OX) }),
            largest(&|layer| size(layer, Dim::K).max(size(layer, Dim::G))),
        );
        let work = |stack: &StackId| -> u64 {
            let macs = |layer: &NestId| self.network.layer(self.nests.layers[*layer]).shape.iterations();
            self.stacks[*stack].iter().map(macs).sum()
        };
        stacks.sort_by_key(|stack| (std::cmp::Reverse(work(stack)), *stack));
        TileLadder { rows, columns, channels, stacks }
    }

    /// The cost of the best schedule found, beside that of the best single core.
    ///
    /// # Errors
    /// As [`Self::best`].
    pub fn outcome(&self, costs: &mut TileCosts) -> Result<TileOutcome, Diagnostics> {
        let (best, stacks) = self.best(costs)?;
        Ok(self.outcome_of(costs, &best, &stacks))
    }

    /// The cost of an allocation, beside that of the best single core.
    pub fn outcome_of(
        &self,
        costs: &mut TileCosts,
        found: &EvaluatedAllocation,
        stacks: &[StackAllocation],
    ) -> TileOutcome {
        TileOutcome { single: self.outcome_alone(costs), ..self.outcome_on_all(found, stacks) }
    }

    /// The cost of an allocation; nothing is said of a single core.
    pub fn outcome_on_all(&self, found: &EvaluatedAllocation, stacks: &[StackAllocation]) -> TileOutcome {
        TileOutcome {
            energy_pj: found.energy_pj,
            latency_cycles: found.latency_cycles,
            tiles: self.count_tiles(&found.choice),
            proved: stacks.iter().filter(|stack| stack.found.is_proved()).count(),
            stacks: stacks.len(),
            single: None,
        }
    }

    /// The cost of the best core that computes all layers alone; `None` where no core runs all, or none has a schedule.
    pub fn outcome_alone(&self, costs: &mut TileCosts) -> Option<SingleCore> {
        let (core, found) = self.best_alone(costs)?;
        Some(SingleCore {
            core,
            name: self.system.cores[core].name.clone(),
            energy_pj: found.energy_pj,
            latency_cycles: found.latency_cycles,
        })
    }

    /// The best core for all layers alone, with its cost; `None` where no core runs all, or none has a schedule.
    fn best_alone(&self, costs: &mut TileCosts) -> Option<(CoreId, EvaluatedAllocation)> {
        let aim = self.settings.aim;
        let alone = self.alone();
        let known = alone.into_iter().filter_map(|(core, choice)| {
            let found = self.evaluate(costs, &[], &choice, None).ok()?;
            Some((core, found))
        });
        known.min_by(|a, b| a.1.score(aim).total_cmp(&b.1.score(aim)))
    }

    /// Peak multiply-accumulates of all cores in a cycle.
    pub fn peak_macs_per_cycle(&self) -> u64 {
        self.system.pe_count()
    }

    /// Share of what all arrays could multiply in so many cycles that the network needs.
    pub fn mac_use(&self, latency_cycles: f64) -> f64 {
        self.network.macs() as f64 / (latency_cycles * self.peak_macs_per_cycle() as f64).max(1.0)
    }
}
