//! Where the tiles of a stack lie on all of its maps.

use super::{Answer, Answerer, Ask};
use crate::depth_first::{DepthFirstStrategy, StackMotion};
use crate::explore::{Request, Sweep};
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
    /// Which of its stacks.
    pub stack: u32,
}

impl Ask for FollowTiles {
    type Reply = Rc<StackMotion>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Rc<StackMotion>> {
        let sweep = answerer.motion.of(self.request, |request| Sweep::new(request))?;
        Ok(Rc::new(sweep.motion(&self.strategy, self.stack as usize)?))
    }
}
