//! Which designs are looked at, and in which order: tasks of some hundred designs, each the same wherever it runs.

use super::document::{DesignSpace, StudyRequest};
use super::evaluate::{DesignEvaluator, DesignRow};
use super::front::ParetoFront;
use crate::job::{Job, Progress, RemoteJob, Worker, share};
use crate::spec::{Diagnostics, SamplingSpec};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Designs of a task: at least so many, at most so many, and about so many tasks in between.
const TASK_DESIGNS: Range<u64> = 256..4096;
const TASKS: u64 = 512;
/// Designs that a worker is given at a time.
const MOST_TOGETHER: usize = 256;
/// Points of one Sobol sequence; those beyond belong to a sequence that is scrambled otherwise.
const SOBOL_POINTS: u64 = 1 << 16;
/// A front is refined from this part of all designs that may be looked at.
const COARSE_PART: u64 = 4;

/// A part of a study: its designs are evaluated together, and against one front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignTask {
    /// Its place among the tasks of the study, from 0.
    pub number: u64,
    /// Its designs, by their numbers.
    pub designs: Vec<u64>,
}

/// The course of a study: one task after the other. The designs of a task, and the front that they have to beat, depend
/// on the rows of earlier tasks and on nothing else; so a course may be interrupted after any task and be resumed from
/// the rows. As a [`Job`] it hands out designs of the task at hand, and the next task once all rows of that are known.
pub struct DesignSampler {
    study: Arc<DesignSpace>,
    /// The front of all rows so far; empty unless the study needs it.
    front: ParetoFront,
    next: u64,
    tasks: Range<u64>,
    refinement: Option<Refinement>,
    /// The current task.
    task: Option<DesignTask>,
    /// Its designs that no worker has, the last first.
    waiting: Vec<u64>,
    /// Its rows that are known.
    rows: BTreeMap<u64, DesignRow>,
    /// Designs of all tasks that have ended.
    ended: u64,
}

/// Some designs of a task, with the front that they have to beat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DesignBatch {
    /// Their numbers.
    pub designs: Vec<u64>,
    /// The front; empty unless the study needs it.
    pub front: ParetoFront,
}

/// State of the refinement around a front.
struct Refinement {
    /// Difference between the coordinates of neighbours, by axis.
    strides: Vec<u32>,
    seen: BTreeSet<u64>,
    waiting: Vec<u64>,
}

impl DesignSpace {
    /// Which value each axis has in a design, by the design's number.
    pub fn sampled(&self, design: u64) -> Vec<u32> {
        let SamplingSpec::Sobol(_) = self.spec.sampling else { return self.coordinates(design) };
        let (sequence, index) = (design / SOBOL_POINTS, (design % SOBOL_POINTS) as u32);
        let seed = self.spec.seed.wrapping_add(sequence.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let seed = (seed ^ (seed >> 32)) as u32;
        let coordinate = |(dimension, values): (usize, usize)| {
            let share = f64::from(sobol_burley::sample(index, dimension as u32, seed));
            ((share * values as f64) as u32).min(values as u32 - 1)
        };
        self.axes.iter().map(|axis| axis.values.len()).enumerate().map(coordinate).collect()
    }

    /// Number of designs of a task; the last may have fewer.
    pub fn task_designs(&self) -> u64 {
        (self.designs() / TASKS).clamp(TASK_DESIGNS.start, TASK_DESIGNS.end)
    }

    /// Number of tasks; in a study that refines a front it depends on the results.
    pub fn tasks(&self) -> Option<u64> {
        let known = !matches!(self.spec.sampling, SamplingSpec::Refine(_));
        known.then(|| self.designs().div_ceil(self.task_designs()))
    }

    /// The tasks of shard number `shard` of `shards`, counted from 1: neighbours, which share most solutions. `None` where a study
    /// cannot be divided, as it refines a front.
    pub fn shard(&self, shard: u64, shards: u64) -> Option<Range<u64>> {
        let tasks = self.tasks()?;
        let start = |shard: u64| (u128::from(tasks) * u128::from(shard) / u128::from(shards.max(1))) as u64;
        Some(start(shard.saturating_sub(1))..start(shard))
    }
}

impl DesignSampler {
    /// The whole study.
    pub fn new(study: Arc<DesignSpace>) -> Self {
        let tasks = 0..study.tasks().unwrap_or(u64::MAX);
        Self::of_tasks(study, tasks)
    }

    /// Some tasks of a study, such as those of a shard; they have to beat their own front.
    pub fn of_tasks(study: Arc<DesignSpace>, tasks: Range<u64>) -> Self {
        let refinement = matches!(study.spec.sampling, SamplingSpec::Refine(_)).then(|| Refinement::new(&study));
        Self {
            study,
            front: ParetoFront::default(),
            next: tasks.start,
            tasks,
            refinement,
            task: None,
            waiting: Vec::new(),
            rows: BTreeMap::new(),
            ended: 0,
        }
    }

    /// Some designs of a study as its only task; they have no front to beat.
    pub fn of_designs(study: Arc<DesignSpace>, designs: Vec<u64>) -> Self {
        let waiting = designs.iter().rev().copied().collect();
        let task = Some(DesignTask { number: 0, designs });
        Self { refinement: None, task, waiting, ..Self::of_tasks(study, 0..0) }
    }

    /// The current task, which is the next one where there is none; `None` at the end.
    pub fn task(&mut self) -> Option<&DesignTask> {
        if self.task.is_none() {
            self.task = self.next_task();
            self.waiting = self.task.iter().flat_map(|task| task.designs.iter().rev().copied()).collect();
        }
        self.task.as_ref()
    }

    fn next_task(&mut self) -> Option<DesignTask> {
        if self.next >= self.tasks.end {
            return None;
        }
        let size = self.study.task_designs();
        let designs: Vec<u64> = match &mut self.refinement {
            None => {
                let start = self.next * size;
                (start..(start + size).min(self.study.designs())).collect()
            }
            Some(refinement) => refinement.next(&self.study, &self.front, size as usize),
        };
        if designs.is_empty() {
            return None;
        }
        self.next += 1;
        Some(DesignTask { number: self.next - 1, designs })
    }

    /// Takes rows of the current task that are known from elsewhere, such as a saved file, before workers have any of
    /// its designs.
    pub fn know(&mut self, rows: impl IntoIterator<Item = DesignRow>) {
        self.rows.extend(rows.into_iter().map(|row| (row.design, row)));
        self.waiting.retain(|design| !self.rows.contains_key(design));
    }

    /// The current task with its rows in the order of its designs, if all are known; then there is no current task any
    /// more.
    pub fn completed(&mut self) -> Option<(DesignTask, Vec<DesignRow>)> {
        let task = self.task.take_if(|task| task.designs.len() == self.rows.len())?;
        let mut known = std::mem::take(&mut self.rows);
        let rows: Vec<DesignRow> = task.designs.iter().filter_map(|design| known.remove(design)).collect();
        self.ended += rows.len() as u64;
        if self.refinement.is_some() || self.study.spec.skips_beaten {
            for row in &rows {
                if let Some(objectives) = self.study.objectives_of(row) {
                    self.front.add(row.design, &objectives);
                }
            }
        }
        Some((task, rows))
    }

    /// Designs that will be looked at; where a front is refined, at the most.
    fn designs(&self) -> u64 {
        let (size, designs) = (self.study.task_designs(), self.study.designs());
        match &self.refinement {
            Some(_) => designs,
            None if self.tasks.is_empty() => self.task.as_ref().map_or(0, |task| task.designs.len() as u64),
            None => {
                self.tasks.end.saturating_mul(size).min(designs) - self.tasks.start.saturating_mul(size).min(designs)
            }
        }
    }
}

impl Job for DesignSampler {
    type Bench = DesignEvaluator;
    type Task = DesignBatch;
    type Done = Vec<DesignRow>;

    fn run(
        evaluator: &mut DesignEvaluator,
        task: &DesignBatch,
        has_time: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<DesignRow>, Diagnostics> {
        let first = task.designs.first();
        let designs = task.designs.iter().take_while(|design| Some(*design) == first || has_time());
        Ok(designs.map(|&design| evaluator.evaluate(design, &task.front)).collect())
    }

    /// A driver that wants the rows of a task takes them by [`Self::completed`] before it asks for the next one.
    fn next(&mut self, worker: Worker) -> Option<DesignBatch> {
        self.completed();
        self.task()?;
        let rest = self.waiting.len().checked_sub(share(self.waiting.len(), worker.of, MOST_TOGETHER))?;
        let mut designs = self.waiting.split_off(rest);
        designs.reverse();
        Some(DesignBatch { designs, front: self.front.clone() })
    }

    fn take(&mut self, mut task: DesignBatch, rows: Vec<DesignRow>) {
        task.designs.drain(..rows.len().min(task.designs.len()));
        self.put_back(task);
        self.rows.extend(rows.into_iter().map(|row| (row.design, row)));
    }

    fn put_back(&mut self, task: DesignBatch) {
        self.waiting.extend(task.designs.iter().rev());
    }

    fn progress(&self) -> Progress {
        let done = (self.ended as usize).saturating_add(self.rows.len());
        let all = usize::try_from(self.designs()).unwrap_or(usize::MAX).max(done);
        Progress { done, all, unit: "designs", are_alike: true }
    }
}

impl RemoteJob for DesignSampler {
    type Request = StudyRequest;

    fn open(request: &StudyRequest, _: Option<DesignEvaluator>) -> Result<DesignEvaluator, Diagnostics> {
        Ok(DesignEvaluator::new(Arc::new(DesignSpace::new(request.clone())?), Arc::default()))
    }
}

impl Refinement {
    /// The coarse grid.
    fn new(study: &DesignSpace) -> Self {
        let most = (study.designs() / COARSE_PART).max(1);
        let values: Vec<u64> = study.axes.iter().map(|axis| axis.values.len() as u64).collect();
        let mut strides = vec![1_u32; values.len()];
        let steps = |axis: usize, stride: u32| values[axis].div_ceil(u64::from(stride));
        let coarse = |strides: &[u32]| {
            let count = |all: u128, (axis, &stride): (usize, &u32)| all.saturating_mul(u128::from(steps(axis, stride)));
            strides.iter().enumerate().fold(1_u128, count)
        };
        while coarse(&strides) > u128::from(most) {
            // The axis with the most values that are left; among equals the first.
            let widest = (0..values.len()).rev().max_by_key(|&axis| steps(axis, strides[axis]));
            match widest {
                Some(axis) if steps(axis, strides[axis]) > 1 => strides[axis] *= 2,
                _ => break,
            }
        }
        let count = coarse(&strides) as u64;
        let waiting: Vec<u64> = (0..count)
            .map(|mut index| {
                let mut coordinates = vec![0; values.len()];
                for axis in (0..values.len()).rev() {
                    let steps = steps(axis, strides[axis]);
                    coordinates[axis] = (index % steps) as u32 * strides[axis];
                    index /= steps;
                }
                study.combination(&coordinates)
            })
            .collect();
        Self { strides, seen: waiting.iter().copied().collect(), waiting }
    }

    fn next(&mut self, study: &DesignSpace, front: &ParetoFront, most: usize) -> Vec<u64> {
        while self.waiting.is_empty() {
            self.add_neighbours(study, front);
            if !self.waiting.is_empty() {
                break;
            }
            if self.strides.iter().all(|&stride| stride == 1) {
                return Vec::new();
            }
            self.strides.iter_mut().for_each(|stride| *stride = (*stride / 2).max(1));
        }
        let rest = self.waiting.split_off(most.min(self.waiting.len()));
        std::mem::replace(&mut self.waiting, rest)
    }

    /// Designs that differ from one on the front by one stride along one axis, in the order of their numbers.
    fn add_neighbours(&mut self, study: &DesignSpace, front: &ParetoFront) {
        let budget = (study.designs() as usize).saturating_sub(self.seen.len());
        let mut new = BTreeSet::new();
        for design in front.rows() {
            let coordinates = study.coordinates(design);
            for (axis, &stride) in self.strides.iter().enumerate() {
                let last = study.axes[axis].values.len() as u32 - 1;
                let at = coordinates[axis];
                for moved in [at.saturating_sub(stride), at.saturating_add(stride).min(last)] {
                    let mut coordinates = coordinates.clone();
                    coordinates[axis] = moved;
                    let design = study.combination(&coordinates);
                    if !self.seen.contains(&design) {
                        new.insert(design);
                    }
                }
            }
        }
        self.waiting = new.into_iter().take(budget).collect();
        self.seen.extend(&self.waiting);
    }
}
