//! Published figures and tables: each opens as a state, and its numbers are recomputed on demand.

use crate::app::widgets::controls::use_disclosure;
use crate::app::widgets::data_table::{table_cells, table_head};
use crate::app::widgets::save::{Save, Saved};
use crate::app::workers::ask::use_answers;
use crate::app::workers::handle::Workers;
use crate::chart::{Column, Table, TableCell};
use crate::gallery::{Claim, Entry, Finding, entries, fidelity_counts};
use crate::question::{Answer, CheckClaim, Topic};
use crate::spec::{Diagnostics, in_quotes};
use crate::state::Action;
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::prelude::*;

/// Properties of [`GalleryView`].
#[derive(Properties, PartialEq)]
pub struct GalleryViewProps {
    /// Asks workers.
    pub workers: Workers,
    /// Called with the entry that is opened.
    pub act: Callback<Action>,
}

/// A card for each entry, paper by paper.
#[component]
pub fn GalleryView(props: &GalleryViewProps) -> Html {
    let entries =
        use_memo((), |()| -> Result<Vec<Rc<Entry>>, Diagnostics> { Ok(entries()?.into_iter().map(Rc::new).collect()) });
    let entries = match &*entries {
        Ok(entries) => entries,
        Err(wrong) => return html! { <section class="card"><p>{ wrong.to_string() }</p></section> },
    };
    let mut papers: Vec<&str> = entries.iter().map(|entry| entry.paper.as_str()).collect();
    papers.dedup();
    let card = |(index, entry): (usize, &Rc<Entry>)| {
        html! {
            <EntryCard
                key={entry.id}
                index={index as u8}
                entry={Rc::clone(entry)}
                workers={props.workers.clone()}
                act={props.act.clone()}
            />
        }
    };
    html! {
        <div class="gallery" data-testid="gallery">
            <p class="hint">
                { "Figures and tables of the papers: what they say, and what this engine says. Numbers: " }
                { fidelity_counts(entries.iter().flat_map(|entry| &entry.claims)) }
                { ". Within rounding: to the printed digits. Not recomputable: the paper does not publish an input that decides. \
                   “Open” replaces the design at hand." }
            </p>
            { for papers.into_iter().map(|paper| html! {
                <section aria-label={paper.to_owned()}>
                    <h2>{ paper }</h2>
                    <div class="entries">
                        { for entries.iter().enumerate().filter(|(_, entry)| entry.paper == paper).map(card) }
                    </div>
                </section>
            }) }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct EntryCardProps {
    /// Among all entries.
    index: u8,
    entry: Rc<Entry>,
    workers: Workers,
    act: Callback<Action>,
}

/// What came out for each claim, by its index.
type Findings = BTreeMap<usize, Answer<Finding>>;

/// Checks the claims of an entry while it `is_open`; what is known stays known.
#[hook]
fn use_findings(props: &EntryCardProps, is_open: bool) -> Findings {
    let known = use_mut_ref(Findings::new);
    // What was known when it was opened is not asked for again.
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
    let answers = use_answers(&props.workers, Topic::Gallery(props.index), questions);
    for (index, &claim) in missing.iter().enumerate() {
        if let Some(answer) = answers.get(index) {
            known.borrow_mut().insert(claim, answer.clone());
        }
    }
    let known = known.borrow();
    known.clone()
}

/// An entry. Its numbers are computed while it is open and a person asked for them.
#[component]
fn EntryCard(props: &EntryCardProps) -> Html {
    let (is_open, ontoggle) = use_disclosure();
    let findings = use_findings(props, is_open);
    let entry = &props.entry;
    let id = entry.id;
    let opens = Action::entry(entry);
    let open = props.act.reform(move |_: MouseEvent| {
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
            <p>{ &entry.lesson }</p>
            <details class="twin" {ontoggle}>
                <summary>{ summary }</summary>
                if is_open {
                    if known < all {
                        <p class="hint" role="status">{ format!("{known} of {all} computed") }</p>
                    }
                    { table(entry, &findings) }
                }
            </details>
        </section>
    }
}

/// About the claim above it.
fn remark(text: &str) -> Html {
    html! { <tr class="remark"><td colspan="5">{ in_quotes(text) }</td></tr> }
}

fn table(entry: &Entry, findings: &Findings) -> Html {
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
        let mark = if claim.is_variation { "↳ " } else { "" };
        let what = TableCell::Label { text: format!("{mark}{}", claim.what), unit: claim.unit.symbol.trim() };
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
    // Remarks stand below their claims.
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
        <div class="scroll" tabindex="0" role="group" aria-label={format!("Numbers of {}", entry.title)}>
            <table class="wrapped">
                { table_head(&shown) }
                <tbody>{ for entry.claims.iter().enumerate().map(row) }</tbody>
            </table>
            <Save what={Saved::Table(table)} />
        </div>
    }
}
