//! `fusescape report`: one design as Markdown.

use super::arguments::StateOptions;
use super::progress::TerminalBar;
use super::state::chosen;
use super::{Failure, print};
use fusescape_command::Watch;
use fusescape_engine::depth_first::FuseDepth;
use fusescape_engine::explore::{CostStore, PointSummary, Request, Survey, Sweep, best_point, coarse_to_fine};
use fusescape_report::{DesignFindings, report};
use fusescape_spec::Diagnostics;
use rayon::prelude::*;

/// Sweeps as the page does, and prints the report of the opened point, else of the best.
pub fn run(options: &StateOptions, site: &str) -> Result<(), Failure> {
    let state = chosen(options)?;
    let requests = state.design.request()?;
    let bar = TerminalBar::default();
    let [swept, references]: [Swept; 2] = match &requests[..] {
        [own, references] => [Swept::new(own, &bar)?, Swept::new(references, &bar)?],
        _ => return Err("There is nothing to sweep.".into()),
    };
    let opened = state.view.point.as_ref().and_then(|point| {
        let place = |swept: &Swept| swept.sweep.settings.strategies().iter().position(|other| other == point);
        place(&swept).map(|index| (&swept, index)).or_else(|| place(&references).map(|index| (&references, index)))
    });
    let best = best_point(&swept.points).map(|best| best.point);
    let (of, point) = match opened.or(best.map(|point| (&swept, point))) {
        Some(found) => found,
        None => return Err(swept.why.to_string().into()),
    };
    let account = Survey::new(of.sweep.clone()).account(&mut CostStore::default(), point)?;
    let summary = of.sweep.summarize(point, &account);
    let reference = |fuse: &FuseDepth| {
        let strategies = references.sweep.settings.strategies();
        let index = strategies.iter().position(|strategy| strategy.fuse == *fuse)?;
        references.points.iter().find(|summary| summary.point == index)
    };
    let found = DesignFindings {
        account: &account,
        summary: &summary,
        is_best: std::ptr::eq(of, &swept) && best == Some(point),
        points: (swept.count, swept.points.len()),
        references: [reference(&FuseDepth::SingleLayer), reference(&FuseDepth::LayerByLayer)],
        notes: &swept.sweep.notes(),
    };
    print(&report(&state, &found, site))
}

/// A sweep, and what its points cost.
struct Swept {
    sweep: Sweep,
    /// Number of points.
    count: usize,
    /// Those that can be scheduled, in order.
    points: Vec<PointSummary>,
    /// Why one of the others cannot be.
    why: Diagnostics,
}

impl Swept {
    fn new(request: &Request, watch: &dyn Watch) -> Result<Self, Diagnostics> {
        let sweep = Sweep::new(request)?;
        let count = sweep.settings.strategies().len();
        watch.begin(count, "points");
        let lanes = coarse_to_fine(&sweep.settings, rayon::current_num_threads());
        let costs = lanes.into_par_iter().flat_map_iter(|lane| {
            let (mut survey, mut store) = (Survey::new(sweep.clone()), CostStore::default());
            let cost = move |point: u32| {
                let cost = survey.point(&mut store, point as usize, &mut || watch.goes_on());
                watch.advance(1);
                cost
            };
            lane.into_iter().map(cost).collect::<Vec<_>>()
        });
        let (mut points, mut why) = (Vec::new(), Diagnostics::default());
        for cost in costs.collect::<Vec<_>>() {
            match cost {
                Ok(summary) => points.push(summary),
                Err(reasons) => why = reasons.reasons(),
            }
        }
        watch.end();
        points.sort_by_key(|summary| summary.point);
        Ok(Self { count, sweep, points, why })
    }
}
