//! The table of designs: every chosen accelerator with every chosen network, each pair with its best schedule.

use super::design_cells::{Cells, DesignPair, use_cells};
use super::design_choice::DesignChoice;
use crate::app::widgets::figures::figure::{Drawn, Figure};
use crate::app::widgets::figures::save::{FileContent, Save};
use crate::app::widgets::forms::controls::segments;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::term::termed;
use crate::chart::{ComparedDesign, Quantity, designs_matrix, designs_table, three_digits};
use crate::explore::OptimalStacks;
use crate::sorting::sort_by;
use crate::state::{Action, Half, HierarchyObjective, State, TableDocument, TableField};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DesignTableProps {
    pub chosen: Rc<State>,
}

/// The column that sorts the rows, and whether the largest value comes first. Column 0 holds the accelerators' names,
/// the others the networks.
type SortOrder = Option<(usize, bool)>;

/// The choice of documents, the table so far, and its figure.
#[component]
pub fn DesignTableCard(props: &DesignTableProps) -> Html {
    let (chosen, act) = (&props.chosen, &use_act());
    let cells = use_cells(chosen);
    let order = use_state_eq(|| SortOrder::None);
    let networks = chosen.table_documents(Half::Workload);
    let shown =
        ShownPairs { rows: sorted(chosen.table_documents(Half::Hardware), &networks, &cells, *order), networks, cells };
    let minimise = act.reform(|objective| Action::Table(TableField::Objective(objective)));
    html! {
        <section class="card" data-testid="design-table" data-status={shown.cells.status()}>
            <h2>{ "A table of designs" }</h2>
            <p class="hint">
                { termed(
                    "Every accelerator with every network, each pair with its best schedule: [stacks|stack], \
                     [tile sizes|tile size] and [modes|overlap storing mode] chosen jointly. Tile sizes suit the \
                     network; all else is as in the card Schedule.",
                ) }
            </p>
            <DesignChoice chosen={Rc::clone(chosen)} half={Half::Hardware} />
            <DesignChoice chosen={Rc::clone(chosen)} half={Half::Workload} />
            <div class="row start">
                { segments("What is minimised and shown", &OBJECTIVES, chosen.table.objective, minimise) }
                { controls(&shown.cells) }
            </div>
            { shown.table(quantity(chosen), *order, &order.setter(), act) }
            { shown.reasons() }
            { shown.figure(quantity(chosen)) }
        </section>
    }
}

/// Objectives, with short names.
const OBJECTIVES: [(HierarchyObjective, &str); 3] = [
    (HierarchyObjective::Energy, "Energy"),
    (HierarchyObjective::Latency, "Latency"),
    (HierarchyObjective::EnergyDelayProduct, "EDP"),
];

fn quantity(chosen: &State) -> Quantity {
    Quantity::of_objective(&chosen.table.objective.objective())
}

/// The rows sorted by a column; rows without a value come last.
fn sorted(
    mut rows: Vec<TableDocument>,
    networks: &[TableDocument],
    cells: &Cells,
    order: SortOrder,
) -> Vec<TableDocument> {
    let Some((column, is_descending)) = order else { return rows };
    let turned = |ordering: std::cmp::Ordering| if is_descending { ordering.reverse() } else { ordering };
    match column.checked_sub(1).map(|column| networks.get(column)) {
        None => sort_by(&mut rows, |a, b| turned(a.name.cmp(&b.name))),
        Some(None) => {}
        Some(Some(network)) => {
            let score = |hardware: &TableDocument| Some(cells.best(find(cells, hardware, network)?)?.ok()?.score);
            sort_by(&mut rows, |a, b| match (score(a), score(b)) {
                (Some(a), Some(b)) => turned(a.total_cmp(&b)),
                (a, b) => b.is_some().cmp(&a.is_some()),
            });
        }
    }
    rows
}

fn find<'c>(cells: &'c Cells, hardware: &TableDocument, network: &TableDocument) -> Option<&'c DesignPair> {
    cells.pairs.iter().find(|pair| pair.hardware.id == hardware.id && pair.network.id == network.id)
}

/// A button that starts or stops the work, and its progress.
fn controls(cells: &Cells) -> Html {
    let all = cells.pairs.len();
    match cells.status() {
        "done" => html! {},
        "running" => html! {
            <>
                <button type="button" onclick={cells.switch(false)} data-testid="design-table-stop">{ "Stop" }</button>
                <progress max={all.to_string()} value={cells.done().to_string()} aria-label="Pairs done"></progress>
                <small role="status">{ format!("{} of {all} pairs", cells.done().floor()) }</small>
            </>
        },
        status => html! {
            <button type="button" onclick={cells.switch(true)} data-testid="design-table-start">
                { if status == "stopped" { "Go on" } else { "Work them out" } }
            </button>
        },
    }
}

/// The shown table: sorted rows, columns, and results so far.
struct ShownPairs {
    rows: Vec<TableDocument>,
    networks: Vec<TableDocument>,
    cells: Cells,
}

impl ShownPairs {
    /// All pairs with their results so far, network by network, in the order of the rows.
    fn designs(&self) -> Vec<ComparedDesign> {
        let design = |hardware: &TableDocument, network: &TableDocument| ComparedDesign {
            hardware: hardware.name.clone(),
            workload: network.name.clone(),
            best: find(&self.cells, hardware, network)
                .and_then(|pair| self.cells.best(pair))
                .map(|best| best.map(|best| (*best).clone())),
        };
        let pairs = self.networks.iter().flat_map(|network| self.rows.iter().map(move |core| (core, network)));
        pairs.map(|(core, network)| design(core, network)).collect()
    }

    /// The smallest score of a network, if any is known.
    fn least(&self, network: &TableDocument) -> Option<f64> {
        let pairs = self.cells.pairs.iter().filter(|pair| pair.network.id == network.id);
        pairs.filter_map(|pair| Some(self.cells.best(pair)?.ok()?.score)).min_by(f64::total_cmp)
    }

    fn table(
        &self,
        quantity: Quantity,
        order: SortOrder,
        on: &UseStateSetter<SortOrder>,
        act: &Callback<Action>,
    ) -> Html {
        let head = std::iter::once("hardware").chain(self.networks.iter().map(|network| network.name.as_str()));
        let row = |hardware: &TableDocument| {
            html! {
                <tr key={hardware.id.clone()}>
                    <th scope="row">{ &hardware.name }</th>
                    { for self.networks.iter().map(|network| self.cell(hardware, network, quantity, act)) }
                </tr>
            }
        };
        html! {
            <div class="scroll wide-table" tabindex="0" role="group" aria-label="Designs" data-testid="design-cells">
                <table class="designs">
                    <caption>{ format!("{} of the best schedule; a click on a number opens the design", quantity.title()) }</caption>
                    <thead>
                        <tr>{ for head.enumerate().map(|(column, title)| heading(column, title, order, on)) }</tr>
                    </thead>
                    <tbody>{ for self.rows.iter().map(row) }</tbody>
                </table>
                <Save what={FileContent::Table(Rc::new(designs_table(&self.designs())))} />
            </div>
        }
    }

    fn cell(
        &self,
        hardware: &TableDocument,
        network: &TableDocument,
        quantity: Quantity,
        act: &Callback<Action>,
    ) -> Html {
        let Some(pair) = find(&self.cells, hardware, network) else { return html! { <td></td> } };
        let best = match self.cells.best(pair) {
            None if self.cells.is_at(pair) => return html! { <td class="number" aria-busy="true">{ "working …" }</td> },
            None => return html! { <td class="number">{ "–" }</td> },
            Some(Err(_)) => return html! { <td class="number">{ "impossible" }</td> },
            Some(Ok(best)) => best,
        };
        let factor = self.least(network).map_or(1.0, |least| best.score / least);
        let beside = if factor > 1.0 { format!("{}×", three_digits(factor)) } else { "best".to_owned() };
        let text = quantity.text(best.score);
        let label = format!("{text}, {beside}: open {} on {}", network.name, hardware.name);
        let onclick = {
            let (hardware, network) = (hardware.clone(), network.clone());
            act.reform(move |_: MouseEvent| Action::OpenFromTable {
                hardware: Box::new(hardware.clone()),
                network: Box::new(network.clone()),
            })
        };
        html! {
            <td class={classes!("number", (factor <= 1.0).then_some("least"))}>
                <button type="button" class="link" aria-label={label} title={costs(&best)} {onclick}>{ text }</button>
                <small>{ beside }</small>
            </td>
        }
    }

    /// Reasons why pairs have no schedule.
    fn reasons(&self) -> Html {
        let reason = |pair: &DesignPair| {
            let why = self.cells.best(pair)?.err()?;
            Some(html! { <li>{ format!("{} on {}: {why}", pair.network.name, pair.hardware.name) }</li> })
        };
        let reasons: Vec<Html> = self.cells.pairs.iter().filter_map(reason).collect();
        html! {
            if !reasons.is_empty() {
                <ul class="banner" role="note" data-testid="design-reasons">{ for reasons }</ul>
            }
        }
    }

    fn figure(&self, quantity: Quantity) -> Html {
        let designs = self.designs();
        if !designs.iter().any(|design| design.optimum().is_some()) {
            return html! {};
        }
        let names = |documents: &[TableDocument]| documents.iter().map(|known| known.name.clone()).collect::<Vec<_>>();
        let (rows, columns) = (names(&self.rows), names(&self.networks));
        let matrix = designs_matrix(quantity, (&rows, &columns), &designs, |best| best.score);
        html! { <Figure title="" chart={Drawn::new(matrix)} testid="design-matrix" /> }
    }
}

/// Energy, latency and stacks of a schedule on one line.
fn costs(best: &OptimalStacks) -> String {
    let (energy, latency) = (best.energy_pj, best.latency_cycles as f64);
    let stacks = best.runs.len();
    format!("{}, {}, stacks: {stacks}", Quantity::Energy.text(energy), Quantity::Latency.text(latency))
}

/// The head of a column, which sorts by it: first ascending, then descending.
fn heading(column: usize, title: &str, order: SortOrder, on: &UseStateSetter<SortOrder>) -> Html {
    let sorted = order.filter(|(by, _)| *by == column).map(|(_, is_descending)| is_descending);
    let (sort, arrow) = match sorted {
        None => (None, ""),
        Some(false) => (Some("ascending"), " ↑"),
        Some(true) => (Some("descending"), " ↓"),
    };
    let onclick = {
        let on = on.clone();
        Callback::from(move |_: MouseEvent| on.set(Some((column, sorted == Some(false)))))
    };
    html! {
        <th scope="col" class={(column > 0).then_some("number")} aria-sort={sort}>
            <button type="button" class="link" {onclick} title="Sort by this column">
                { title }<span aria-hidden="true">{ arrow }</span>
            </button>
        </th>
    }
}
