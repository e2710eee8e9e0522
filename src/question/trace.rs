//! Questions about traces: the places of a stack's tiles on all of its maps, and the loops of one layer,
//! step by step.

use super::{Query, QueryEngine, Reply};
use fusescape_engine::cost::{LoopTrace, MappingError};
use fusescape_engine::depth_first::{DepthFirstStrategy, NodeId, StackTrace, TileTypeId};
use fusescape_engine::explore::{LayerRequest, TemporalMapping};
use fusescape_engine::explore::{Request, Sweep};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

pub(super) type SweepKey = Rc<Request>;
pub(super) type AskedSweep = Sweep;

/// Where do the tiles of a stack of a point lie on the stack's maps?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceTiles {
    /// The design.
    pub request: Rc<Request>,
    /// The point.
    pub strategy: DepthFirstStrategy,
    /// Index of the stack in the point.
    pub stack: u32,
}

impl Query for TraceTiles {
    type Reply = Rc<StackTrace>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Rc<StackTrace>> {
        let sweep = engine.trace.of(self.request, |request| Sweep::new(request))?;
        Ok(Rc::new(sweep.trace(&self.strategy, self.stack as usize)?))
    }
}

/// How do the loops of a layer turn in the tiles of one type?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceTileLoops {
    /// The design.
    pub request: Rc<Request>,
    /// The point.
    pub strategy: DepthFirstStrategy,
    /// Index of the stack in the point.
    pub stack: u32,
    pub tile_type: TileTypeId,
    /// The layer.
    pub node: NodeId,
}

impl Query for TraceTileLoops {
    /// `None` if the layer has no loops to follow.
    type Reply = Option<Rc<LoopTrace>>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
        let sweep = engine.trace.of(self.request, |request| Sweep::new(request))?;
        let place = (self.stack as usize, self.tile_type, self.node);
        Ok(sweep.loop_trace(&self.strategy, place)?.map(Rc::new))
    }
}

/// How do the loops of a mapping of a layer turn?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceLoops {
    pub request: Rc<LayerRequest>,
    pub mapping: TemporalMapping,
}

impl Query for TraceLoops {
    /// The loops, or all errors of the mapping.
    type Reply = Result<Rc<LoopTrace>, Vec<MappingError>>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
        Ok(engine.layer(self.request)?.loop_trace(&self.mapping).map(Rc::new))
    }
}
