//! `fusescape depth-first`: a sweep of depth-first schedules.

use super::arguments::{DepthFirst, Format, StrategyOptions, SweptDesign};
use super::documents::load;
use super::progress::TerminalBar;
use super::report::{PrintedSweep, beside_optimal};
use super::{Failure, json_text, optimal, print};
use fusescape_command::depth_first::{depth_first, sweep};
use fusescape_command::optimal::optimal_beside;
use fusescape_command::or_word;
use fusescape_command::parse::{STACKS, StackSelection};
use fusescape_engine::depth_first::FuseDepth;
use fusescape_engine::explore::{Settings, StackLimits, Sweep};
use fusescape_spec::{Diagnostics, hardware_presets, workload_presets};

/// Runs the sweep and prints it.
pub fn run(DepthFirst { sweep: options, stacks }: &DepthFirst) -> Result<(), Failure> {
    let limits = options.tried.chosen.limits();
    let fuse = match stacks {
        Some(StackSelection::Optimal) => {
            return optimal::run(&validated(options, FuseDepth::Automatic)?, limits, options.tried.format);
        }
        _ if limits != StackLimits::default() => {
            return Err("--most-layers and --most-tiles limit a search: add --stacks optimal.".into());
        }
        Some(StackSelection::By(fuse)) => fuse.clone(),
        None => FuseDepth::Automatic,
    };
    let found = depth_first(&validated(options, fuse)?, &TerminalBar::default())?;
    let report = PrintedSweep(&found);
    print(&match options.tried.format {
        Format::Table if stacks.is_none() && found.strategies.len() > 1 => {
            let optimal = optimal_beside(&found.sweep, &TerminalBar::default())?;
            report.table() + &beside_optimal(&found, optimal.as_ref())
        }
        Format::Table => report.table(),
        Format::Json => json_text(&found.json()?)?,
        Format::Csv => report.csv()?,
    })?;
    report.failure_if_empty()
}

/// A validated sweep for the options; remarks on it go to standard error.
pub fn validated(options: &SweptDesign, fuse: FuseDepth) -> Result<Sweep, Failure> {
    let sweep = match (load(&options.hardware, hardware_presets()), load(&options.workload, workload_presets())) {
        (Ok(hardware), Ok(workload)) => {
            let word = one_cut(&fuse);
            sweep(hardware, workload, settings(&options.tried, fuse)?)
                .map_err(|wrong| or_word(wrong, "settings.fuse", &word, &STACKS))?
        }
        (Err(hardware), Err(workload)) => return Err(format!("{hardware}\n{workload}").into()),
        (Err(failure), _) | (_, Err(failure)) => return Err(failure),
    };
    tell_notes(&sweep, &options.tried, "");
    Ok(sweep)
}

/// Remarks on a sweep, without those on tiles larger than maps if nobody asked for their sizes.
pub(super) fn tell_notes(sweep: &Sweep, tried: &StrategyOptions, of: &str) {
    let is_asked = tried.chosen.has_tiles();
    for note in sweep.notes().0.iter().filter(|note| is_asked || !note.path.starts_with("settings.tiles_")) {
        super::tell(&format!("note: {of}{note}"));
    }
}

/// The only name in the cuts, which may have been meant as a word.
fn one_cut(fuse: &FuseDepth) -> String {
    match fuse {
        FuseDepth::Cuts(names) if names.len() == 1 => names.concat(),
        _ => String::new(),
    }
}

/// The settings for the options, without tile sizes if none are given.
pub fn settings(tried: &StrategyOptions, fuse: FuseDepth) -> Result<Settings, Diagnostics> {
    Ok(Settings { fuse: vec![fuse], ..tried.chosen.settings()? })
}
