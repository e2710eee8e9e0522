//! Tables: the twins of figures, and others.

use super::explain::Number;
use super::figure::Numbers;
use super::save::SaveTable;
use crate::chart::Table;
use web_sys::Element;
use yew::prelude::*;

/// Tables with more cells than this are built only when they are shown.
const MOST_CELLS_KEPT: usize = 1500;

/// What a [`Twin`] needs.
#[derive(Properties, PartialEq)]
pub struct TwinProps {
    /// On the switch.
    #[prop_or(AttrValue::Static("table"))]
    pub label: AttrValue,
    /// Number of cells.
    pub cells: usize,
    /// Makes the table.
    pub table: Callback<(), Html>,
}

/// A disclosure with a table. Small tables are there even while it is closed.
#[component]
pub fn Twin(props: &TwinProps) -> Html {
    let is_open = use_state_eq(|| false);
    let ontoggle = {
        let is_open = is_open.clone();
        Callback::from(move |event: Event| {
            if let Some(details) = super::controls::target::<Element>(&event) {
                is_open.set(details.has_attribute("open"));
            }
        })
    };
    html! {
        <details class="twin" {ontoggle}>
            <summary>{ &props.label }</summary>
            if *is_open || props.cells <= MOST_CELLS_KEPT {
                <div class="scroll" tabindex={is_open.then_some("0")} role="group" aria-label={props.label.clone()}>
                    { props.table.emit(()) }
                </div>
            }
        </details>
    }
}

/// What a [`DataTable`] needs.
#[derive(Properties, PartialEq)]
pub struct DataTableProps {
    /// The table.
    pub table: Table,
    /// What explains its cells.
    #[prop_or_default]
    pub numbers: Numbers,
}

/// The table twin of a figure.
#[component]
pub fn DataTable(props: &DataTableProps) -> Html {
    let cells = props.table.rows.len() * props.table.columns.len();
    let (table, numbers) = (props.table.clone(), props.numbers.clone());
    html! { <Twin {cells} table={Callback::from(move |()| explained_table(&table, &numbers))} /> }
}

/// A table as it is, which can be saved.
pub fn plain_table(table: &Table) -> Html {
    explained_table(table, &None)
}

/// A table whose numbers unfold.
pub fn explained_table(table: &Table, numbers: &Numbers) -> Html {
    let class = |index: usize| table.columns.get(index).filter(|column| column.numeric).map(|_| "number");
    let cell = |row: usize, (index, text): (usize, &String)| {
        let asked = numbers.as_ref().and_then(|numbers| numbers.get(row)?.get(index)?.clone());
        let text = match asked.filter(|_| text.chars().any(|letter| letter.is_ascii_digit())) {
            Some(asked) => html! { <Number asked={asked} text={text.clone()} /> },
            None => html! { { text } },
        };
        match index {
            0 => html! { <th scope="row" class={class(0)}>{ text }</th> },
            _ => html! { <td class={class(index)}>{ text }</td> },
        }
    };
    html! {
        <>
        <table>
            <caption>{ &table.caption }</caption>
            <thead>
                <tr>
                    { for table.columns.iter().enumerate().map(|(index, column)| html! {
                        <th scope="col" class={class(index)}>{ &column.title }</th>
                    }) }
                </tr>
            </thead>
            <tbody>
                { for table.rows.iter().enumerate().map(|(index, row)| html! {
                    <tr>{ for row.iter().enumerate().map(|of| cell(index, of)) }</tr>
                }) }
            </tbody>
        </table>
        <SaveTable />
        </>
    }
}
