//! Questions about data in motion: the places of a stack's tiles on all of its maps, and the loops of one layer as they
//! turn.

use super::{Answer, Answerer, Ask};
use fusescape_engine::cost::{LoopTurns, MappingError};
use fusescape_engine::depth_first::{DepthFirstStrategy, NodeId, StackMotion, TileTypeId};
use fusescape_engine::explore::{LayerRequest, TemporalMapping};
use fusescape_engine::explore::{Request, Sweep};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

pub(super) type Key = Rc<Request>;
pub(super) type Study = Sweep;

/// Where do the tiles of a stack of a point lie on the stack's maps?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FollowTiles {
    /// The design.
    pub request: Rc<Request>,
    /// The point.
    pub strategy: DepthFirstStrategy,
    /// Index of the stack in the point.
    pub stack: u32,
}

impl Ask for FollowTiles {
    type Reply = Rc<StackMotion>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Rc<StackMotion>> {
        let sweep = answerer.motion.of(self.request, |request| Sweep::new(request))?;
        Ok(Rc::new(sweep.motion(&self.strategy, self.stack as usize)?))
    }
}

/// How do the loops of a layer turn in the tiles of one type?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FollowTileLoops {
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

impl Ask for FollowTileLoops {
    /// `None` if the layer has no loops to follow.
    type Reply = Option<Rc<LoopTurns>>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        let sweep = answerer.motion.of(self.request, |request| Sweep::new(request))?;
        let place = (self.stack as usize, self.tile_type, self.node);
        Ok(sweep.turns(&self.strategy, place)?.map(Rc::new))
    }
}

/// How do the loops of a mapping of a layer turn?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FollowLoops {
    pub request: Rc<LayerRequest>,
    pub mapping: TemporalMapping,
}

impl Ask for FollowLoops {
    /// The loops, or all errors of the mapping.
    type Reply = Result<Rc<LoopTurns>, Vec<MappingError>>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        Ok(answerer.layer(self.request)?.turns(&self.mapping).map(Rc::new))
    }
}
