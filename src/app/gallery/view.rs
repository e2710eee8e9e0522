//! Published figures and tables: each opens as a state, and its numbers are recomputed on request.

use super::closeness::{closeness, legend};
use super::thumbnail::thumbnail;
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use crate::app::widgets::figures::data_table::{table_cells, table_head};
use crate::app::widgets::figures::figure::{Drawn, Figure};
use crate::app::widgets::figures::save::{FileContent, Save};
use crate::app::widgets::forms::controls::{ChoiceOption, Select, use_disclosure};
use crate::app::widgets::page::figure_context::OfNoDesign;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::term::termed;
use crate::app::workers::ask::use_answers;
use crate::chart::{Column, PublishedNumber, PublishedNumbers, Table, TableCell};
use crate::gallery::{Claim, Entry, Fidelity, Finding, entries, fidelity_counts};
use crate::question::{Channel, CheckClaim, Reply};
use crate::spec::{Diagnostics, in_quotes};
use crate::state::Action;
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::prelude::*;

/// The view, as the page shows it.
pub fn view(_: Rc<PageState>, _: &Session) -> Html {
    html! { <OfNoDesign><GalleryView /></OfNoDesign> }
}

/// One card per entry, paper by paper.
#[component]
pub fn GalleryView() -> Html {
    let entries =
        use_memo((), |()| -> Result<Vec<Rc<Entry>>, Diagnostics> { Ok(entries()?.into_iter().map(Rc::new).collect()) });
    let (paper, numbers) = (use_state_eq(String::new), use_state_eq(String::new));
    let entries = match &*entries {
        Ok(entries) => entries,
        Err(wrong) => return html! { <section class="card"><p>{ wrong.to_string() }</p></section> },
    };
    let mut papers: Vec<&str> = entries.iter().map(|entry| entry.paper.as_str()).collect();
    papers.dedup();
    let is_shown = |entry: &Entry| {
        let has = |fidelity: Fidelity| entry.claims.iter().any(|claim| claim.fidelity == fidelity);
        (paper.is_empty() || *paper == entry.paper) && fidelity_called(&numbers).is_none_or(has)
    };
    let shown = || entries.iter().enumerate().filter(|(_, entry)| is_shown(entry));
    let card = |(index, entry): (usize, &Rc<Entry>)| {
        html! {
            <EntryCard
                key={entry.id}
                index={index as u8}
                entry={Rc::clone(entry)}
            />
        }
    };
    let section = |name: &&str| {
        let cards: Vec<Html> = shown().filter(|(_, entry)| entry.paper == *name).map(card).collect();
        if cards.is_empty() {
            return html! {};
        }
        html! {
            <section key={(*name).to_owned()} aria-label={(*name).to_owned()}>
                <h2>{ *name }</h2>
                <div class="entries">{ for cards }</div>
            </section>
        }
    };
    let (count, all) = (shown().count(), entries.len());
    html! {
        <div class="gallery" data-testid="gallery">
            <p class="hint">
                { "Figures and tables of the papers: what they say, and what this engine says. Numbers: " }
                { fidelity_counts(entries.iter().flat_map(|entry| &entry.claims)) }
                { ". Within rounding: to the printed digits. Not recomputable: the paper does not publish an input that decides. \
                   “Open” replaces the design at hand. " }
                { termed(
                    "Words of the papers: [fuse depth] · [overlap storing mode] · [uneven mapping|even, uneven mapping] · [stall] · \
                     [fused operator-group] · [reuse buffer] · [computation tile|computation tile (CT)] · [steady state] · [WACO] · [pass]",
                ) }
            </p>
            <div class="filters">
                <Select
                    label="Paper"
                    choices={choices("all papers", papers.iter().copied())}
                    value={(*paper).clone()}
                    onchange={setter(&paper)}
                    testid="gallery-paper"
                />
                <Select
                    label="With a number that"
                    choices={choices("is of any kind", Fidelity::ALL.map(Fidelity::predicate).into_iter())}
                    value={(*numbers).clone()}
                    onchange={setter(&numbers)}
                    testid="gallery-numbers"
                />
                <p class="hint" role="status">{ format!("{count} of {all} entries") }</p>
                { legend() }
            </div>
            { for papers.iter().map(section) }
            if count == 0 {
                <p class="hint">{ "No entry has both. Choose all papers, or numbers of any kind." }</p>
            }
        </div>
    }
}

/// The values of a filter; the first one keeps all.
fn choices<'a>(all: &'static str, names: impl Iterator<Item = &'a str>) -> Vec<ChoiceOption> {
    let each = names.map(|name| ChoiceOption::new(name.to_owned(), name.to_owned()));
    std::iter::once(ChoiceOption::new("", all)).chain(each).collect()
}

fn setter(state: &UseStateHandle<String>) -> Callback<String> {
    let setter = state.setter();
    Callback::from(move |value| setter.set(value))
}

fn fidelity_called(predicate: &str) -> Option<Fidelity> {
    Fidelity::ALL.into_iter().find(|fidelity| fidelity.predicate() == predicate)
}

#[derive(Properties, PartialEq)]
struct EntryCardProps {
    /// Index among all entries.
    index: u8,
    entry: Rc<Entry>,
}

/// Our number for each claim, by the index of the claim.
type ClaimFindings = BTreeMap<usize, Reply<Finding>>;

/// Checks the claims of an entry while it `is_open`; results are kept.
#[hook]
fn use_findings(props: &EntryCardProps, is_open: bool) -> ClaimFindings {
    let known = use_mut_ref(ClaimFindings::new);
    // Claims with results are not asked again when the entry is opened again.
    let missing = {
        let (known, count) = (Rc::clone(&known), props.entry.claims.len());
        use_memo(is_open, move |&is_open| {
            let known = known.borrow();
            let is_missing = |index: &usize| !matches!(known.get(index), Some(Ok(_)));
            (0..count).filter(|index| is_open && is_missing(index)).collect::<Vec<_>>()
        })
    };
    let question = |&claim: &usize| CheckClaim { entry: props.entry.id.to_owned(), claim: claim as u32 };
    let questions = missing.iter().map(question).collect();
    let answers = use_answers(Channel::Gallery(props.index), questions);
    for (index, &claim) in missing.iter().enumerate() {
        if let Some(answer) = answers.get(index) {
            known.borrow_mut().insert(claim, answer.clone());
        }
    }
    let known = known.borrow();
    known.clone()
}

/// An entry. Its numbers are computed once a person asks for them, while it is open.
#[component]
fn EntryCard(props: &EntryCardProps) -> Html {
    let act = use_act();
    let (is_open, ontoggle) = use_disclosure();
    let findings = use_findings(props, is_open);
    let entry = &props.entry;
    let id = entry.id;
    let opens = Action::entry(entry);
    let open = act.reform(move |_: MouseEvent| {
        if let Some(window) = web_sys::window() {
            window.scroll_to_with_x_and_y(0.0, 0.0);
        }
        opens.clone()
    });
    let (known, all) = (findings.len(), entry.claims.len());
    let status = if known == all { "done" } else { "running" };
    let summary = format!("Numbers, published and ours: {}", fidelity_counts(entry.claims.iter()));
    html! {
        <section class="card" data-testid={format!("entry-{id}")} data-status={status}>
            <div class="entry-head">
                <h3><button type="button" class="link" onclick={open.clone()}>{ &entry.title }</button></h3>
                <button type="button" onclick={open} aria-label={format!("Open: {}", entry.title)} data-testid={format!("open-{id}")}>
                    { "Open" }
                </button>
            </div>
            <p class="hint">{ format!("{}, {}", entry.paper, entry.place) }</p>
            { thumbnail(&entry.claims) }
            <p>{ &entry.lesson }</p>
            { closeness(&entry.claims) }
            <details class="twin" {ontoggle}>
                <summary>{ summary }</summary>
                if is_open {
                    if known < all {
                        <p class="hint" role="status">{ format!("{known} of {all} computed") }</p>
                    }
                    <Figure title="" chart={Drawn::new(figure(entry, &findings))} testid="published-and-ours" />
                    { table(entry, &findings) }
                }
            </details>
        </section>
    }
}

/// The numbers of the paper, and ours so far.
fn figure(entry: &Entry, findings: &ClaimFindings) -> PublishedNumbers {
    let number = |(index, claim): (usize, &Claim)| {
        let ours = match findings.get(&index) {
            Some(Ok(found)) => Some(found.ours),
            _ => None,
        };
        PublishedNumber {
            label: format!("{}{}", mark(claim), claim.what),
            unit: claim.unit.symbol.trim(),
            published: (claim.published.least, claim.published.most),
            published_text: claim.published_text(),
            ours,
            ours_text: ours.map_or_else(String::new, |ours| claim.text_of_ours(ours)),
        }
    };
    let numbers = entry.claims.iter().enumerate().map(number).collect();
    PublishedNumbers::new(format!("{}, {}", entry.paper, entry.place), numbers)
}

/// A prefix for the claim above under another rule or assumption.
fn mark(claim: &Claim) -> &'static str {
    if claim.is_variation { "↳ " } else { "" }
}

/// A remark about the claim above it.
fn remark(text: &str) -> Html {
    html! { <tr class="remark"><td colspan="5">{ in_quotes(text) }</td></tr> }
}

fn table(entry: &Entry, findings: &ClaimFindings) -> Html {
    let cells = |(index, claim): (usize, &Claim)| {
        let (ours, deviation, remark) = match findings.get(&index) {
            None => ("…".into(), "".into(), ""),
            Some(Ok(found)) => {
                let departure = TableCell::number(found.departure_text(claim), 100.0 * found.departure);
                (TableCell::number(claim.text_of_ours(found.ours), found.ours), departure, "")
            }
            Some(Err(refusal)) => (TableCell::Nothing, "".into(), refusal.reason()),
        };
        let remarks: Vec<&str> = [remark, &claim.why].into_iter().filter(|text| !text.is_empty()).collect();
        let what = TableCell::Label { text: format!("{}{}", mark(claim), claim.what), unit: claim.unit.symbol.trim() };
        let published = TableCell::number(claim.published_text(), claim.published.nearest(0.0));
        vec![what, published, ours, deviation, claim.fidelity.name().into(), remarks.join(" ").into()]
    };
    let table = Rc::new(Table {
        caption: format!("{}, {}", entry.paper, entry.place),
        columns: vec![
            Column::words("claim"),
            Column::numbers("published"),
            Column::numbers("ours"),
            Column::measured("deviation", "%"),
            Column::words("fidelity"),
            Column::words("remark"),
        ],
        rows: entry.claims.iter().enumerate().map(cells).collect(),
    });
    // Remarks are rows below their claims.
    let mut shown = (*table).clone();
    shown.columns.truncate(5);
    shown.rows.iter_mut().for_each(|row| row.truncate(5));
    let row = |(index, claim): (usize, &Claim)| {
        html! {
            <>
                <tr>{ table_cells(&shown, index, &|_| None) }</tr>
                if let Some(Err(refusal)) = findings.get(&index) { { remark(refusal.reason()) } }
                if !claim.why.is_empty() { { remark(&claim.why) } }
            </>
        }
    };
    html! {
        <div class="scroll" tabindex="0" role="group" aria-label={format!("Numbers of {}", entry.title)} data-testid="claims">
            <table class="wrapped">
                { table_head(&shown) }
                <tbody>{ for entry.claims.iter().enumerate().map(row) }</tbody>
            </table>
            <Save what={FileContent::Table(table)} />
        </div>
    }
}
