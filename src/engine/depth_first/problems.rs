//! Interns the mapping problems of a sweep: equal problems have one id.

use super::ids::{ProblemId, ReservedId, ShapeId, UnrollId};
use crate::hardware::{Core, Memory, Unroll};
use crate::ids::TiVec;
use crate::mapping::{LayerOnCore, LayerProblem, ample_bits};
use crate::rules::Rules;
use crate::spec::Diagnostics;
use crate::workload::{Dim, LayerShape};
use rustc_hash::FxHashMap;

/// The interned mapping problems of all points of a sweep.
#[derive(Debug, Default)]
pub struct Problems {
    /// The problems, each once.
    pub list: TiVec<ProblemId, LayerProblem>,
    /// Each problem that was checked; `None` for those without a mapping.
    known: FxHashMap<ProblemKey, Option<ProblemId>>,
    shapes: TiVec<ShapeId, LayerShape>,
    unrolls: TiVec<UnrollId, Vec<Unroll>>,
    reserved: TiVec<ReservedId, Vec<u64>>,
    reserved_ids: FxHashMap<Vec<u64>, ReservedId>,
    /// For problems that have all memories to themselves: the bits of each memory from which on its size makes no
    /// difference.
    ample: FxHashMap<ProblemKey, Vec<u64>>,
}

/// A layer with its unrolling: everything of a problem except for its tile and its memory levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LayerKey {
    shape: ShapeId,
    unroll: UnrollId,
}

/// The key of a mapping problem: keys are equal exactly where problems are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ProblemKey {
    /// Everything about the layer that does not depend on the tile.
    pub layer: LayerKey,
    /// Columns and rows of the output.
    pub tile: (u64, u64),
    /// As [`LayerShape::input_limit`].
    pub input_limit: (u64, u64),
    /// Levels of W, I and O.
    pub levels: [u8; 3],
    /// As [`LayerProblem::reserved`]; `None` where the layer has all memories to itself.
    pub reserved: Option<ReservedId>,
}

/// Whether a mapping problem can be solved, as far as a [`FeasibilityCheck`] knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feasibility {
    /// Some mapping fits.
    Mappable,
    /// Nothing fits.
    NoMapping,
    /// There is no time to find out now.
    Later,
}

/// Finds whether a problem has a mapping. It is called for each problem until it returns an answer; those that have one
/// are listed in the order of its answers.
pub type FeasibilityCheck<'a> = &'a mut dyn FnMut(&LayerProblem) -> Feasibility;

/// Why a point is not planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotPlanned {
    /// It cannot be scheduled, for these reasons.
    Impossible(Diagnostics),
    /// The check ran out of time. Its results are kept, so that the next attempt resumes there.
    Later,
}

impl From<Diagnostics> for NotPlanned {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::Impossible(diagnostics)
    }
}

impl NotPlanned {
    /// The reasons of a planner whose check always has time.
    pub fn reasons(self) -> Diagnostics {
        match self {
            Self::Impossible(diagnostics) => diagnostics,
            Self::Later => Diagnostics::default(),
        }
    }
}

impl Problems {
    /// The key of a layer, independent of the tile in `shape`.
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

    /// The loop nest of the problem: the layer's, with the sizes of the tile.
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
            reserved: key.reserved.map_or_else(Vec::new, |id| self.reserved[id].clone()),
            adds: false,
        }
    }

    /// The key of a problem beside other data, which takes `reserved` bits of each memory; 0 beyond the end of the
    /// list. A memory that has more than enough room for both counts as free, so that equal problems have one key.
    pub(super) fn beside(&mut self, (core, rules): (&Core, Rules), key: ProblemKey, reserved: &[u64]) -> ProblemKey {
        let alone = ProblemKey { reserved: None, ..key };
        if reserved.iter().all(|&bits| bits == 0) {
            return alone;
        }
        if !self.ample.contains_key(&alone) {
            let problem = self.problem(&alone);
            let layer = LayerOnCore::new(core, rules, &problem);
            self.ample.insert(alone, core.memories.keys().map(|memory| ample_bits(&layer, memory)).collect());
        }
        let counts = |((&bits, &ample), memory): ((&u64, &u64), &Memory)| {
            if memory.size_bits.saturating_sub(bits) >= ample { 0 } else { bits }
        };
        let mut reserved: Vec<u64> = reserved.iter().zip(&self.ample[&alone]).zip(&core.memories).map(counts).collect();
        while reserved.last() == Some(&0) {
            reserved.pop();
        }
        if reserved.is_empty() {
            return alone;
        }
        let id = match self.reserved_ids.get(&reserved) {
            Some(&id) => id,
            None => {
                let id = self.reserved.push_and_get_key(reserved.clone());
                self.reserved_ids.insert(reserved, id);
                id
            }
        };
        ProblemKey { reserved: Some(id), ..key }
    }

    /// A problem that has a mapping; `None` where nothing fits.
    ///
    /// # Errors
    /// If there is no time to find out.
    pub(super) fn intern(
        &mut self,
        key: ProblemKey,
        check: FeasibilityCheck<'_>,
    ) -> Result<Option<ProblemId>, NotPlanned> {
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let problem = self.problem(&key);
        let id = match check(&problem) {
            Feasibility::Mappable => Some(self.list.push_and_get_key(problem)),
            Feasibility::NoMapping => None,
            Feasibility::Later => return Err(NotPlanned::Later),
        };
        self.known.insert(key, id);
        Ok(id)
    }
}
