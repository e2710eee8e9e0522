//! Explanations of the numbers of a schedule: in its facts, and in the tables of its figures.

use crate::app::widgets::figures::figure::CellExplanations;
use crate::app::widgets::words::explain::{ExplainableNumber, Number};
use crate::chart::{CoreTimeline, moved_reasons};
use crate::explain::{CorePart, CoresNumber, ExplainedNumber, TileFigure};
use crate::multicore::{CoreId, CoresAccount, CoresPart, LinkId, TileId, TopMemoryId, TransferReason};
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// A question about a number of a schedule; `None` if it has no such number.
pub fn asked(account: &Arc<CoresAccount>, number: CoresNumber) -> Option<ExplainableNumber> {
    Some(ExplainableNumber::Of(Rc::new(Arc::clone(account)), ExplainedNumber::Cores(number)))
}

/// A number of a schedule that unfolds.
pub fn number(account: &Arc<CoresAccount>, number: CoresNumber, text: String) -> Html {
    html! { <Number asked={asked(account, number)} {text} /> }
}

/// Explanations of a table whose first column is text.
fn rows(account: &Arc<CoresAccount>, rows: impl Iterator<Item = Vec<Option<CoresNumber>>>) -> CellExplanations {
    let cell = |number: Option<CoresNumber>| number.and_then(|number| asked(account, number));
    let row = |numbers: Vec<Option<CoresNumber>>| std::iter::once(None).chain(numbers.into_iter().map(cell)).collect();
    Some(Rc::new(rows.map(row).collect()))
}

/// Explanations for [`core_time`](crate::chart::core_time).
pub fn time_numbers(account: &Arc<CoresAccount>) -> CellExplanations {
    let row = |core: CoreId| CorePart::all().map(|part| Some(CoresNumber::Time(core, part))).collect();
    rows(account, account.cores.keys().map(row))
}

/// Explanations for [`system_energy`](crate::chart::system_energy).
pub fn energy_numbers(account: &Arc<CoresAccount>) -> CellExplanations {
    let reasons = moved_reasons(account);
    let row = |part: CoresPart| {
        let all = Some(CoresNumber::of_part(part));
        let (on_chip, carrier) = match part {
            CoresPart::Cores => (all, None),
            CoresPart::Carrier(carrier) => (None, Some(carrier)),
        };
        let by_reason = reasons.iter().map(|reason| Some(CoresNumber::MovedFor(carrier?, *reason)));
        std::iter::once(on_chip).chain(by_reason).chain([all]).collect()
    };
    rows(account, CoresPart::ALL.into_iter().map(row))
}

/// Explanations for [`link_table`](crate::chart::link_table).
pub fn link_numbers(account: &Arc<CoresAccount>) -> CellExplanations {
    let row = |link: LinkId| {
        let carried = TransferReason::ALL.map(|reason| Some(CoresNumber::LinkCarries(link, reason)));
        let time = [None, Some(CoresNumber::LinkBusy(link)), Some(CoresNumber::LinkShare(link))];
        time.into_iter().chain(carried).collect()
    };
    rows(account, account.links.keys().map(row))
}

/// Explanations for [`memory_table`](crate::chart::memory_table).
pub fn memory_numbers(account: &Arc<CoresAccount>) -> CellExplanations {
    let row =
        |memory: TopMemoryId| vec![None, Some(CoresNumber::MemoryPeak(memory)), Some(CoresNumber::MemoryShare(memory))];
    rows(account, account.memories.keys().map(row))
}

/// Explanations for the table of a timeline, if it lists tiles.
pub fn tile_numbers(account: &Arc<CoresAccount>, chart: &CoreTimeline) -> CellExplanations {
    let row = |tile: TileId| {
        let of = |figure| Some(CoresNumber::Tile(tile, figure));
        let times = [TileFigure::Begin, TileFigure::End, TileFigure::Takes].map(of);
        [None, None].into_iter().chain(times).chain([None, of(TileFigure::Brought)]).collect()
    };
    rows(account, chart.listed()?.into_iter().map(row))
}
