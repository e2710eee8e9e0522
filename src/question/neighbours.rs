//! What changes from a point to one of its neighbours.

use super::{Answer, Answerer, Ask};
use crate::depth_first::{DepthFirstStrategy, PointAccount, PointChange};
use crate::explore::{Neighbour, Request, account_of_strategy};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

pub(super) type Key = (Rc<Request>, DepthFirstStrategy);
pub(super) type Study = PointAccount;

/// What changes from a point to a neighbour?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareNeighbour {
    /// The design.
    pub request: Rc<Request>,
    /// The point.
    pub from: DepthFirstStrategy,
    /// The neighbour.
    pub to: Neighbour,
}

impl Ask for CompareNeighbour {
    /// Refused where one of the two cannot be scheduled.
    type Reply = Rc<PointChange>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Rc<PointChange>> {
        let Answerer { neighbours, costs, .. } = answerer;
        let key = (Rc::clone(&self.request), self.from);
        let from = neighbours.of(key, |(request, from)| account_of_strategy(request, from, costs))?;
        let to = account_of_strategy(&self.request, &self.to.strategy, costs)?;
        Ok(Rc::new(PointChange::between(from, &to)))
    }
}
