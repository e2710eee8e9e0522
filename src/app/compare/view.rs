//! Two designs side by side: A, the pinned one, and B, the current one.

use super::cores::CompareCores;
use super::design_table::DesignTableCard;
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use crate::app::widgets::figures::data_table::{explained_table, plain_table};
use crate::app::widgets::figures::figure::{Drawn, Figure};
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::sweep::grid::ratios;
use crate::app::widgets::words::explain::ExplainableNumber;
use crate::app::widgets::words::term::termed;
use crate::app::workers::results::{Status, SweepResults};
use crate::chart::{Column, Paired, Quantity, Table, TableCell, comparisons, strategy_title, whole_costs};
use crate::depth_first::PointAccount;
use crate::explain::{Amount, Counted, PointNumber, Scope};
use crate::hardware::Core;
use crate::spec::Difference;
use crate::state::{Action, Design, Pinned, cores_differences, design_differences};
use crate::workload::Network;
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// The view, as the page shows it.
pub fn view(state: Rc<PageState>, session: &Session) -> Html {
    let (opened, is_wrong) = (session.opened, session.status(&state) == "rejected");
    html! { <CompareView {state} {opened} {is_wrong} /> }
}

#[derive(Properties, PartialEq)]
pub struct CompareViewProps {
    pub state: Rc<PageState>,
    /// The opened point of B.
    pub opened: Option<u32>,
    /// Whether B has errors.
    pub is_wrong: bool,
}

/// The differences between A and B, in documents and in results.
#[component]
pub fn CompareView(props: &CompareViewProps) -> Html {
    let act = use_act();
    let state = &props.state;
    let Some(pinned) = &state.chosen.pinned else {
        return html! {
            <div data-testid="compare-view">
                <Invitation />
                { table_of_designs(props) }
            </div>
        };
    };
    // If B has errors, the results on the page are those of an earlier design.
    let b = props.opened.filter(|_| !props.is_wrong).and_then(|point| state.results.accounts.get(&point)).cloned();
    let a = state.pinned_results.as_ref().and_then(|kept| kept.account.clone());
    let found = design_differences(&pinned.design, &state.chosen.design);
    let cores = cores_differences(&pinned.cores, &Pinned::cores_of(&state.chosen.cores));
    // A change of these choices discards the numbers on many cores.
    let of_cores = format!("{}\n{}", pinned.cores.allocation, state.chosen.cores.allocation);
    let is_equal = found.is_empty() && cores.is_empty();
    let documents = html! { <Documents found={[found, cores].concat()} /> };
    let sides = match (&state.pinned_results, a.clone(), b.clone()) {
        (Some(kept), Some(a), Some(b)) => html! {
            <>
                if is_equal && a.strategy == b.strategy {
                    <section class="card">
                        <p class="hint">
                            { "A and B are the same. Edit the design, or open another of its points: that becomes B." }
                        </p>
                    </section>
                }
                if let Some(stopped) = stopped(kept.results.status, state.results.status) {
                    <section class="card"><p class="hint" role="status">{ stopped }</p></section>
                }
                <Costs {a} {b}>{ documents }</Costs>
                <Ratios a={Rc::clone(&kept.results)} state={Rc::clone(state)} />
            </>
        },
        (kept, a, _) => {
            let missing = match (kept, a) {
                _ if props.is_wrong => missing("B", Status::Rejected),
                (None, _) if pinned.design.request().is_err() => missing("A", Status::Rejected),
                (None, _) => missing("A", Status::Running),
                (Some(kept), None) => missing("A", kept.results.status),
                // The account is computed after its point.
                _ if !state.is_current() || props.opened.is_some() => missing("B", Status::Running),
                _ => missing("B", state.results.status),
            };
            html! { <><section class="card"><p class="hint" role="status">{ missing }</p></section>{ documents }</> }
        }
    };
    html! {
        <div data-testid="compare-view">
            <section class="card" aria-label="A and B">
                <div class="answer sides">
                    { side("A, pinned", &pinned.design, a.as_deref()) }
                    { side("B, at hand", &state.chosen.design, b.as_deref()) }
                </div>
                <div class="row">
                    { button(&act, Action::Swap, "Swap A and B", "swap") }
                    { button(&act, Action::Pin, "Pin B as A", "pin") }
                    { button(&act, Action::Unpin, "Forget A", "unpin") }
                </div>
            </section>
            { sides }
            <CompareCores key={of_cores} chosen={Rc::clone(&state.chosen)} />
            { table_of_designs(props) }
        </div>
    }
}

/// The table of designs, whether or not one is pinned.
fn table_of_designs(CompareViewProps { state, .. }: &CompareViewProps) -> Html {
    html! { <DesignTableCard chosen={Rc::clone(&state.chosen)} /> }
}

/// A remark where a sweep was stopped, so that its best point is not the best of all.
fn stopped(a: Status, b: Status) -> Option<&'static str> {
    match (a, b) {
        (Status::Stopped, _) => Some("The sweep of design A was stopped: its best is that of the points known so far."),
        (_, Status::Stopped) => Some("The sweep of design B was stopped: its best is that of the points known so far."),
        _ => None,
    }
}

/// The reason why there is nothing to compare yet.
fn missing(design: &'static str, status: Status) -> String {
    match status {
        Status::Stopped if design == "A" => "The sweep of design A was stopped before its point was known. \
                                             Swap A and B, and continue it in the landscape."
            .to_owned(),
        Status::Stopped => "The sweep of design B was stopped. Continue it in the landscape.".to_owned(),
        Status::Rejected => format!(
            "Design {design} has errors, so it has no numbers, and there is nothing to compare with. {}",
            if design == "A" { "Swap A and B to mend it." } else { "Mend it in the cards of the design." }
        ),
        Status::Done => {
            format!("Design {design} cannot be scheduled, so there is nothing to compare with.")
        }
        Status::Idle | Status::Running => format!("Working out design {design} …"),
    }
}

fn button(act: &Callback<Action>, action: Action, title: &'static str, testid: &'static str) -> Html {
    let onclick = act.reform(move |_: MouseEvent| action.clone());
    html! { <button type="button" {onclick} data-testid={testid}>{ title }</button> }
}

/// Instructions while no design is pinned.
#[component]
fn Invitation() -> Html {
    let act = use_act();
    html! {
        <section class="card">
            <h2>{ "Compare two designs" }</h2>
            <p>
                { termed(
                    "Pin the design at hand as A. Then edit hardware, network or schedule, or open another [point] of the \
                     [landscape]: that is B. Here stands what differs between them, and what comes of it.",
                ) }
            </p>
            <div class="row">{ button(&act, Action::Pin, "Pin this design as A", "pin") }</div>
        </section>
    }
}

/// One side in a few words.
fn side(title: &'static str, design: &Design, account: Option<&PointAccount>) -> Html {
    let network = Network::from_text(&design.workload.text).map(|network| network.name);
    let core = Core::from_text(&design.hardware.text).map(|core| core.name);
    let name = match (network, core) {
        (Ok(network), Ok(core)) => format!("{network} on {core}"),
        _ => "a design with errors".to_owned(),
    };
    html! {
        <div class="kpi">
            <span>{ title }</span>
            <b class="name">{ name }</b>
            <span>{ account.map_or_else(|| "…".to_owned(), |account| strategy_title(&account.strategy)) }</span>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct DocumentsProps {
    found: Vec<Difference>,
}

/// Differences between the documents and the schedules.
#[component]
fn Documents(props: &DocumentsProps) -> Html {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "–".to_owned());
    let rows = props
        .found
        .iter()
        .map(|Difference { path, a, b }| [path.clone(), text(a), text(b)].map(TableCell::from).into());
    let table = Table {
        caption: "Differences of A and B".to_owned(),
        columns: vec![Column::words("where"), Column::words("A"), Column::words("B")],
        rows: rows.collect(),
    };
    let count = match props.found.len() {
        0 => "Nothing differs between the documents".to_owned(),
        1 => "One value differs".to_owned(),
        count => format!("{count} values differ"),
    };
    html! {
        <section class="card" data-testid="differences">
            <h2>{ count }</h2>
            if !props.found.is_empty() {
                <div class="scroll low differences wide-table" tabindex="0" role="group" aria-label="What differs">
                    { plain_table(table) }
                </div>
            }
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct CostsProps {
    a: Arc<PointAccount>,
    b: Arc<PointAccount>,
    /// Content between the totals and the parts.
    children: Html,
}

/// Costs of both, in total and part by part.
#[component]
fn Costs(props: &CostsProps) -> Html {
    let (a, b) = (&*props.a, &*props.b);
    let figures = comparisons(a, b);
    let table = Rc::new(whole_costs(a, b));
    let asked = |account: &Arc<PointAccount>, title: &str| {
        let at = |amount: Amount| PointNumber::Of(Scope::Point, amount);
        let dram = account.memories.last_key().unwrap_or_default();
        let number = match title {
            _ if title == Quantity::Energy.title() => at(Amount::Energy),
            _ if title == Quantity::Latency.title() => at(Amount::Cycles),
            _ if title == Quantity::EnergyDelay.title() => PointNumber::EnergyDelay,
            _ if title == Quantity::DramAccesses.title() => at(Amount::At(Counted::Words, dram, None)),
            _ if title == Quantity::Macs.title() => at(Amount::Macs),
            _ => return None,
        };
        Some(ExplainableNumber::Point(Arc::clone(account), number))
    };
    let title = |row: &[TableCell]| row.first().map_or("", TableCell::text).to_owned();
    let rows = table.rows.iter().map(|row| vec![None, asked(&props.a, &title(row)), asked(&props.b, &title(row))]);
    let numbers = Some(Rc::new(rows.collect()));
    let (left, right): (Vec<_>, Vec<_>) = figures.into_iter().enumerate().partition(|(index, _)| index % 2 == 0);
    let column = |figures: Vec<(usize, Paired)>| {
        html! {
            <div class="column">
                { for figures.into_iter().map(|(index, chart)| html! {
                    <section class="card" key={index}>
                        <Figure title="" chart={Drawn::new(chart)} testid={TESTIDS.get(index).copied().unwrap_or("paired")} />
                    </section>
                }) }
            </div>
        }
    };
    html! {
        <>
            <section class="card" data-testid="whole-costs">
                <div class="scroll wide-table" tabindex="0" role="group" aria-label="What A and B cost">
                    { explained_table(table, &numbers) }
                </div>
            </section>
            { props.children.clone() }
            <div class="two">{ column(left) }{ column(right) }</div>
        </>
    }
}

/// Test ids of the figures of [`comparisons`].
const TESTIDS: [&str; 6] = [
    "paired-energy-by-memory",
    "paired-energy-by-cause",
    "paired-latency-by-cause",
    "paired-accesses",
    "paired-energy-by-layer",
    "paired-latency-by-layer",
];

#[derive(Properties, PartialEq)]
struct RatiosProps {
    a: Rc<SweepResults>,
    state: Rc<PageState>,
}

/// Ratios of B to A over all tile sizes.
#[component]
fn Ratios(props: &RatiosProps) -> Html {
    let metric = props.state.chosen.view.metric;
    let maps = ratios(&props.a, &props.state.results, metric);
    html! {
        <section class="card" data-testid="ratios">
            <h2>{ format!("{}: B divided by A over all tile sizes", metric.title()) }</h2>
            if maps.is_empty() {
                <p class="hint">{ "The two sweep different tile sizes, so their landscapes cannot be divided cell by cell." }</p>
            } else {
                <p class="hint">{ "Below 1, teal: B costs less. Above 1, brown: B costs more." }</p>
                <div class={classes!("maps", format!("maps-{}", maps.len()))}>
                    { for maps.into_iter().enumerate().map(|(index, chart)| html! {
                        <div key={index}>
                            <Figure title="" chart={Drawn::new(chart)} testid="ratio" />
                        </div>
                    }) }
                </div>
            }
        </section>
    }
}
