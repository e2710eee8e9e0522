//! Tables: the twins of figures, and other tables.

use super::figure::CellExplanations;
use super::save::{FileContent, Save};
use crate::app::widgets::words::explain::Number;
use crate::chart::{Column, Table, TableCell};
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

/// Tables with more cells than this are built only when they are shown.
const MOST_CELLS_KEPT: usize = 1500;

#[derive(Properties, PartialEq)]
pub struct TwinProps {
    /// Text of the button that unfolds it.
    #[prop_or(AttrValue::Static("table"))]
    pub label: AttrValue,
    pub cells: usize,
    /// Builds the table, once it is shown.
    pub table: Callback<(), Html>,
}

/// A table that unfolds. Small tables are in the page even while it is closed.
#[component]
pub fn Twin(props: &TwinProps) -> Html {
    let is_open = use_state_eq(|| false);
    let ontoggle = {
        let is_open = is_open.clone();
        Callback::from(move |event: Event| {
            if let Some(details) = crate::app::widgets::forms::controls::target::<Element>(&event) {
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

#[derive(Properties, PartialEq)]
pub struct DataTableProps {
    pub table: Rc<Table>,
    /// Explanations of its cells.
    #[prop_or_default]
    pub numbers: CellExplanations,
}

/// The table twin of a figure.
#[component]
pub fn DataTable(props: &DataTableProps) -> Html {
    let cells = props.table.rows.len() * props.table.columns.len();
    let (table, numbers) = (Rc::clone(&props.table), props.numbers.clone());
    html! { <Twin {cells} table={Callback::from(move |()| explained_table(Rc::clone(&table), &numbers))} /> }
}

/// A table whose numbers do not unfold; it can be saved.
pub fn plain_table(table: Table) -> Html {
    explained_table(Rc::new(table), &None)
}

/// A table whose numbers unfold.
pub fn explained_table(table: Rc<Table>, numbers: &CellExplanations) -> Html {
    let row = |row: usize| {
        let content = |column: usize| {
            let asked = numbers.as_ref().and_then(|numbers| numbers.get(row)?.get(column)?.clone())?;
            let text = table.rows.get(row)?.get(column)?.text();
            let is_number = text.chars().any(|letter| letter.is_ascii_digit());
            is_number.then(|| html! { <Number {asked} text={text.to_owned()} /> })
        };
        html! { <tr>{ table_cells(&table, row, &content) }</tr> }
    };
    html! {
        <>
        <table>
            <caption>{ &table.caption }</caption>
            { table_head(&table) }
            <tbody>{ for (0..table.rows.len()).map(row) }</tbody>
        </table>
        <Save what={FileContent::Table(Rc::clone(&table))} />
        </>
    }
}

pub fn table_head(table: &Table) -> Html {
    html! { <thead><tr>{ table_titles(table) }</tr></thead> }
}

/// Header cells.
pub fn table_titles(table: &Table) -> Html {
    let cell = |column: &Column| {
        let class = column.numeric.then_some("number");
        html! { <th scope="col" {class}>{ column.heading() }</th> }
    };
    table.columns.iter().map(cell).collect()
}

/// The cells of one row; the first that is not a number is the row's header. `content` replaces the text of a cell
/// where it returns `Some`.
pub fn table_cells(table: &Table, row: usize, content: &dyn Fn(usize) -> Option<Html>) -> Html {
    let cells = table.rows.get(row).map_or(&[][..], Vec::as_slice);
    let name = table.columns.iter().position(|column| !column.numeric).unwrap_or(0);
    let cell = |(index, cell): (usize, &TableCell)| {
        let class = table.columns.get(index).is_some_and(|column| column.numeric).then_some("number");
        let inner = content(index).unwrap_or_else(|| html! { { cell.text() } });
        let missing = table.columns.len().saturating_sub(cells.len());
        match index {
            _ if index == name => html! { <th scope="row" {class}>{ inner }</th> },
            // Rows that end early hold a message in their last cell.
            _ if missing > 0 && index + 1 == cells.len() => {
                html! { <td colspan={(missing + 1).to_string()}>{ inner }</td> }
            }
            _ => html! { <td {class}>{ inner }</td> },
        }
    };
    cells.iter().enumerate().map(cell).collect()
}
