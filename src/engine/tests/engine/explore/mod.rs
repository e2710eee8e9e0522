//! Studies of a design.

mod bad_input;
mod designs;
mod incremental_sweep;
mod optimal_stacks;
mod system_designs;

use fusescape_engine::depth_first::PointAccount;
use fusescape_engine::explore::{Sweep, SweepPlan, solve_all};

/// The accounts of all points of a plan.
pub fn accounts(sweep: &Sweep, plan: &SweepPlan) -> Vec<PointAccount> {
    let solutions = solve_all(sweep, plan, |_| {});
    let mut assembler = sweep.assembler(plan);
    let account = |point| assembler.assemble(point, &|problem| solutions[problem].as_ref()).unwrap();
    plan.points.iter().map(|point| point.as_ref().unwrap_or_else(|wrong| panic!("{wrong}"))).map(account).collect()
}
