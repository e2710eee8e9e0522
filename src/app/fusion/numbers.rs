//! Explanations of the numbers of methods and of sequences: in their facts, and in the tables of their figures.

use crate::app::widgets::figures::figure::CellExplanations;
use crate::app::widgets::words::explain::{ExplainableNumber, Number};
use crate::chart::SequenceQuantity;
use crate::cost::{AccessCause, EnergyCause, EnergySplit};
use crate::explain::{
    ExplainedNumber, ExplainedSequences, FusionNumber, RunPart, RunPlace, SequenceCells, SequenceNumber, StackAmount,
};
use crate::explore::{FusionComparison, FusionMethod, Sequence};
use crate::interlayer::FusionMode;
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// A question about a number of methods.
pub fn asked(fusions: &Arc<FusionComparison>, number: FusionNumber) -> ExplainableNumber {
    ExplainableNumber::Of(Rc::new(Arc::clone(fusions)), ExplainedNumber::Fusion(number))
}

/// A number of methods that unfolds.
pub fn number(fusions: &Arc<FusionComparison>, number: FusionNumber, text: String) -> Html {
    html! { <Number asked={asked(fusions, number)} {text} /> }
}

/// The methods with a result.
fn known(fusions: &FusionComparison) -> impl Iterator<Item = FusionMethod> {
    fusions.results.iter().filter(|(_, result)| result.is_ok()).map(|(method, _)| *method)
}

/// Explanations for [`fusion_table`](crate::chart::fusion_table), row by row; its first column is text.
pub fn method_rows(fusions: &Arc<FusionComparison>) -> impl Iterator<Item = Vec<Option<ExplainableNumber>>> {
    fusions.results.iter().map(|(method, result)| {
        let of = |amount| FusionNumber::Of(*method, None, amount);
        let numbers = [
            FusionNumber::Groups(*method),
            FusionNumber::Stacks(*method),
            of(StackAmount::Energy),
            of(StackAmount::Cycles),
            of(StackAmount::DramWords),
            FusionNumber::OptimusBytes(*method),
        ];
        let cells = numbers.into_iter().filter(|_| result.is_ok()).map(|number| Some(asked(fusions, number)));
        std::iter::once(None).chain(cells).collect()
    })
}

/// Explanations of the table of methods.
pub fn method_numbers(fusions: &Arc<FusionComparison>) -> CellExplanations {
    Some(Rc::new(method_rows(fusions).collect()))
}

/// Explanations of a row of a figure: one column per part, then their sum.
fn part_row(
    fusions: &Arc<FusionComparison>,
    method: FusionMethod,
    parts: &[StackAmount],
    total: StackAmount,
) -> Vec<Option<ExplainableNumber>> {
    let amounts = parts.iter().copied().chain([total]);
    let cells = amounts.map(|amount| Some(asked(fusions, FusionNumber::Of(method, None, amount))));
    std::iter::once(None).chain(cells).collect()
}

/// Explanations of a figure of methods, one row per method.
fn part_numbers(fusions: &Arc<FusionComparison>, parts: &[StackAmount], total: StackAmount) -> CellExplanations {
    Some(Rc::new(known(fusions).map(|method| part_row(fusions, method, parts, total)).collect()))
}

/// Explanations of a figure of one method on arrays, one row per array with a result.
fn array_part_numbers(
    arrays: &[Arc<FusionComparison>],
    method: FusionMethod,
    parts: &[StackAmount],
    total: StackAmount,
) -> CellExplanations {
    let says = arrays.iter().filter(|fusions| known(fusions).any(|other| other == method));
    Some(Rc::new(says.map(|fusions| part_row(fusions, method, parts, total)).collect()))
}

/// Energy by cause of the methods with a result.
fn splits(fusions: &FusionComparison) -> impl Iterator<Item = (FusionMethod, EnergySplit)> {
    let results = fusions.results.iter();
    results.filter_map(|(method, result)| Some((*method, result.as_ref().ok()?.stacks.energy())))
}

/// The columns of a figure of these.
fn seen(splits: impl Iterator<Item = (FusionMethod, EnergySplit)>) -> Vec<StackAmount> {
    let causes = EnergyCause::seen_in(splits.map(|(_, split)| split));
    causes.into_iter().map(StackAmount::EnergyOf).collect()
}

/// Explanations for [`dataflow_energy`](crate::chart::dataflow_energy).
pub fn array_energy_numbers(arrays: &[Arc<FusionComparison>], method: FusionMethod) -> CellExplanations {
    let splits = arrays.iter().flat_map(|fusions| splits(fusions).filter(|(other, _)| *other == method));
    array_part_numbers(arrays, method, &seen(splits), StackAmount::Energy)
}

/// Explanations for [`dataflow_latency`](crate::chart::dataflow_latency).
pub fn array_latency_numbers(arrays: &[Arc<FusionComparison>], method: FusionMethod) -> CellExplanations {
    let parts: Vec<StackAmount> = StackAmount::latency_parts().collect();
    array_part_numbers(arrays, method, &parts, StackAmount::Cycles)
}

/// Explanations for [`fusion_dram`](crate::chart::fusion_dram).
pub fn dram_numbers(fusions: &Arc<FusionComparison>) -> CellExplanations {
    part_numbers(fusions, &AccessCause::ALL.map(StackAmount::DramWordsOf), StackAmount::DramWords)
}

/// Explanations for [`fusion_energy`](crate::chart::fusion_energy).
pub fn energy_numbers(fusions: &Arc<FusionComparison>) -> CellExplanations {
    part_numbers(fusions, &seen(splits(fusions)), StackAmount::Energy)
}

/// Explanations for [`fusion_latency`](crate::chart::fusion_latency).
pub fn latency_numbers(fusions: &Arc<FusionComparison>) -> CellExplanations {
    let parts: Vec<StackAmount> = StackAmount::latency_parts().collect();
    part_numbers(fusions, &parts, StackAmount::Cycles)
}

/// A question about a number of sequences.
pub fn asked_of(sequences: &Rc<ExplainedSequences>, number: SequenceNumber) -> ExplainableNumber {
    ExplainableNumber::Of(Rc::clone(sequences) as _, ExplainedNumber::Sequences(number))
}

/// Explanations of a table of other items of the sequences' report.
pub fn listed_numbers((sequences, cells): (ExplainedSequences, SequenceCells)) -> CellExplanations {
    let sequences = Rc::new(sequences);
    let row =
        |row: Vec<Option<SequenceNumber>>| row.into_iter().map(|cell| Some(asked_of(&sequences, cell?))).collect();
    Some(Rc::new(cells.into_iter().map(row).collect()))
}

/// The ways in which a sequence runs, in the order of figures.
fn ways(sequence: Sequence) -> [RunPlace; 3] {
    let [temporal, spatial] = FusionMode::ALL.map(|mode| RunPlace::Fused(sequence, mode));
    [RunPlace::Apart(sequence), temporal, spatial]
}

/// Explanations for [`sequence_table`](crate::chart::sequence_table).
pub fn sequence_numbers(sequences: &Rc<ExplainedSequences>) -> CellExplanations {
    let row = |sequence: Sequence| {
        let of = |place, part| Some(asked_of(sequences, SequenceNumber::Of(place, part)));
        let quantities = SequenceQuantity::ALL.into_iter();
        let costs = quantities.flat_map(|quantity| ways(sequence).map(|way| of(way, RunPart::Total(quantity))));
        let [_, temporal, spatial] = ways(sequence);
        let ratios = [None, of(temporal, RunPart::Ctc), of(spatial, RunPart::Ctc)];
        [None, None].into_iter().chain(costs).chain(ratios).collect()
    };
    Some(Rc::new(sequences.costs.iter().map(|costs| row(costs.sequence)).collect()))
}

/// Explanations of the bars of some sequences: one row per bar, one column per part, then their sum.
pub fn bar_numbers(
    sequences: &Rc<ExplainedSequences>,
    shown: &[Sequence],
    parts: Vec<RunPart>,
    total: RunPart,
) -> CellExplanations {
    let row = |place: RunPlace| {
        let parts = parts.iter().copied().chain([total]);
        let cells = parts.map(|part| Some(asked_of(sequences, SequenceNumber::Of(place, part))));
        [None, None].into_iter().chain(cells).collect()
    };
    Some(Rc::new(shown.iter().flat_map(|sequence| ways(*sequence)).map(row).collect()))
}
