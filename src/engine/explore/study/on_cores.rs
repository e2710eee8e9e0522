//! A design that is a system of cores: priced as `fusescape cores` prices it.

use super::costs::StudyCosts;
use super::evaluate::{NotFound, impossible, wrong};
use super::schedule::TiledSchedule;
use crate::multicore::{
    CoresAccount, CoresProblem, EvaluatedAllocation, StackAllocation, TileOutcome, TilePoint, TileSearch,
    TileSizeCandidate,
};
use crate::spec::Diagnostics;
use crate::system::CoreSystem;
use crate::workload::Network;

/// The best schedule of a design on its cores.
pub(super) struct OnCores {
    pub study: CoresProblem,
    pub found: EvaluatedAllocation,
    /// The tile size, where a search found it.
    pub tiles: Option<String>,
    stacks: Vec<StackAllocation>,
}

impl OnCores {
    /// The best allocation in tiles of the size that the schedule states, or else of the best size.
    pub(super) fn new(
        network: &Network,
        system: &CoreSystem,
        schedule: &TiledSchedule,
        costs: &StudyCosts,
    ) -> Result<Self, NotFound> {
        let in_tiles = |cut: Option<&TileSizeCandidate>| {
            let mut settings = schedule.settings.clone();
            if let Some(cut) = cut {
                settings.granularity = cut.granularity();
            }
            CoresProblem::of(network.clone(), system.clone(), settings)
        };
        let cut = if schedule.searches_tiles { Some(best_tiles(&in_tiles, costs)?) } else { None };
        let study = in_tiles(cut.as_ref()).map_err(wrong)?;
        let (found, stacks) = costs.with_tiles(&study, |costs| study.best(costs)).map_err(impossible)?;
        let tiles = cut.map(|_| study.settings.granularity.text());
        Ok(Self { study, found, tiles, stacks })
    }

    /// The account of its schedule.
    pub(super) fn account(&self, costs: &StudyCosts) -> Result<CoresAccount, NotFound> {
        let Self { study, found, stacks, .. } = self;
        let account = costs.with_tiles(study, |costs| study.account(costs, stacks, &found.choice, Some(found.order)));
        account.map(|(_, account)| account).map_err(impossible)
    }
}

/// The best size of tiles, by the search of `fusescape cores`; whole layers where no size has a schedule.
fn best_tiles(
    in_tiles: &dyn Fn(Option<&TileSizeCandidate>) -> Result<CoresProblem, Diagnostics>,
    costs: &StudyCosts,
) -> Result<TileSizeCandidate, NotFound> {
    let whole = in_tiles(Some(&TileSizeCandidate::default())).map_err(wrong)?;
    let search = TileSearch::by(whole.range(), whole.settings.objective, |cut| {
        let outcome = in_tiles(Some(&cut)).and_then(|study| -> Result<TileOutcome, Diagnostics> {
            let (found, stacks) = costs.with_tiles(&study, |costs| study.best(costs))?;
            Ok(study.outcome_on_all(&found, &stacks))
        });
        TilePoint { cut, outcome: outcome.map_err(|wrong| wrong.to_string()) }
    });
    Ok(search.best().map(|(cut, _)| cut.clone()).unwrap_or_default())
}
