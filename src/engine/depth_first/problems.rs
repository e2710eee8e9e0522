//! The different mapping problems of a sweep, each known by a few small numbers.

use super::ids::{ProblemId, ShapeId, UnrollId};
use crate::hardware::Unroll;
use crate::ids::TiVec;
use crate::mapping::LayerProblem;
use crate::spec::Diagnostics;
use crate::workload::{Dim, LayerShape};
use rustc_hash::FxHashMap;

/// The different problems seen so far, shared by all points of a sweep.
#[derive(Debug, Default)]
pub struct Problems {
    /// The problems, each once.
    pub list: TiVec<ProblemId, LayerProblem>,
    /// Each problem asked for; `None` for those without a mapping.
    known: FxHashMap<ProblemKey, Option<ProblemId>>,
    shapes: TiVec<ShapeId, LayerShape>,
    unrolls: TiVec<UnrollId, Vec<Unroll>>,
}

/// A layer of which any part may be computed: all of a problem but its tile and its memory levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LayerKey {
    shape: ShapeId,
    unroll: UnrollId,
}

/// Equal keys are equal problems, and the other way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ProblemKey {
    /// The layer.
    pub layer: LayerKey,
    /// Columns and rows of the output.
    pub tile: (u64, u64),
    /// As [`LayerShape::input_limit`].
    pub input_limit: (u64, u64),
    /// Levels of W, I and O.
    pub levels: [u8; 3],
}

/// Whether a mapping problem can be solved, as far as its judge knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Some mapping fits.
    Mappable,
    /// Nothing fits.
    NoMapping,
    /// There is no time to find out now.
    Later,
}

/// Says whether a problem has a mapping. It is asked for each problem until it knows; those that have one are listed in the
/// order of its answers.
pub type Judge<'a> = &'a mut dyn FnMut(&LayerProblem) -> Verdict;

/// Why a point is not planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotPlanned {
    /// It cannot be scheduled, for these reasons.
    Impossible(Diagnostics),
    /// The judge had no time. What was found out is kept, so that the next attempt goes on there.
    Later,
}

impl From<Diagnostics> for NotPlanned {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::Impossible(diagnostics)
    }
}

impl NotPlanned {
    /// The reasons of a planner whose judge always knows.
    pub fn reasons(self) -> Diagnostics {
        match self {
            Self::Impossible(diagnostics) => diagnostics,
            Self::Later => Diagnostics::default(),
        }
    }
}

impl Problems {
    /// The key of a layer, whatever the tile in `shape`.
    pub(super) fn layer(&mut self, shape: &LayerShape, unroll: &[Unroll]) -> LayerKey {
        let mut shape = *shape;
        shape.sizes[Dim::OX as usize] = 1;
        shape.sizes[Dim::OY as usize] = 1;
        shape.input_limit = (u64::MAX, u64::MAX);
        let known = self.shapes.position(|known| *known == shape);
        let shape = known.unwrap_or_else(|| self.shapes.push_and_get_key(shape));
        LayerKey { shape, unroll: self.unroll(unroll) }
    }

    /// The key of this layer with another unrolling.
    pub(super) fn with_unroll(&mut self, layer: LayerKey, unroll: &[Unroll]) -> LayerKey {
        LayerKey { unroll: self.unroll(unroll), ..layer }
    }

    fn unroll(&mut self, unroll: &[Unroll]) -> UnrollId {
        let known = self.unrolls.position(|known| known == unroll);
        known.unwrap_or_else(|| self.unrolls.push_and_get_key(unroll.to_vec()))
    }

    /// The shape of a problem.
    pub(super) fn shape(&self, key: &ProblemKey) -> LayerShape {
        let mut shape = self.shapes[key.layer.shape];
        shape.sizes[Dim::OX as usize] = key.tile.0;
        shape.sizes[Dim::OY as usize] = key.tile.1;
        shape.input_limit = key.input_limit;
        shape
    }

    pub(super) fn unroll_of(&self, layer: LayerKey) -> &[Unroll] {
        &self.unrolls[layer.unroll]
    }

    /// The problem behind a key.
    pub(super) fn problem(&self, key: &ProblemKey) -> LayerProblem {
        LayerProblem {
            shape: self.shape(key),
            levels: key.levels.map(usize::from),
            unroll: self.unroll_of(key.layer).to_vec(),
        }
    }

    /// A problem that has a mapping; `None` where nothing fits.
    ///
    /// # Errors
    /// If there is no time to find out.
    pub(super) fn intern(&mut self, key: ProblemKey, judge: Judge<'_>) -> Result<Option<ProblemId>, NotPlanned> {
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let problem = self.problem(&key);
        let id = match judge(&problem) {
            Verdict::Mappable => Some(self.list.push_and_get_key(problem)),
            Verdict::NoMapping => None,
            Verdict::Later => return Err(NotPlanned::Later),
        };
        self.known.insert(key, id);
        Ok(id)
    }
}
