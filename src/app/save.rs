//! Figures and tables as files.

use super::figure::{Drawn, IsDark};
use super::lazy::with_others;
use crate::chart::{Column, Framed, Table, Theme, draw_on_canvas, svg};
use js_sys::Array;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{
    Blob, BlobPropertyBag, Element, HtmlAnchorElement, HtmlCanvasElement, HtmlTableCellElement, HtmlTableElement,
    HtmlTableRowElement, Url,
};
use yew::prelude::*;

/// Width of a figure in a file, CSS pixels, and pixels of a PNG for each of them.
const WIDTH: u32 = 900;
const PIXELS: f64 = 2.0;

/// Hands a file to the person. A browser that does not let the page do so shows that itself.
pub fn save_text(name: &str, kind: &str, text: &str) {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    if let Ok(blob) = Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), &options) {
        // See above.
        let _ = save(name, &blob);
    }
}

fn save(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let address = Url::create_object_url_with_blob(blob)?;
    let document = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
    let anchor: HtmlAnchorElement = document.create_element("a")?.dyn_into()?;
    anchor.set_href(&address);
    anchor.set_download(name);
    anchor.click();
    // The download has its own hold on the blob from here on.
    Url::revoke_object_url(&address)
}

/// A caption as the name of a file: `energy-by-cause`.
fn file_name(caption: &str) -> String {
    let mut name = String::new();
    for letter in caption.chars().flat_map(char::to_lowercase) {
        if letter.is_alphanumeric() {
            name.push(letter);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name: String = name.trim_end_matches('-').chars().take(60).collect();
    if name.is_empty() { "table".to_owned() } else { name }
}

/// What a [`SaveFigure`] needs.
#[derive(Properties, PartialEq)]
pub struct SaveFigureProps {
    /// What is drawn.
    pub chart: Drawn,
    /// What stands before the buttons.
    #[prop_or("save as")]
    pub label: &'static str,
    /// Width in the file, CSS pixels.
    #[prop_or(WIDTH)]
    pub width: u32,
    /// Whether the table twin is offered, too, where it does not stand on the page.
    #[prop_or_default]
    pub with_table: bool,
}

/// Saves a figure as SVG or PNG, in the colours of the page.
#[component]
pub fn SaveFigure(props: &SaveFigureProps) -> Html {
    let theme = use_context::<IsDark>().unwrap_or(IsDark(false)).theme();
    let save = |kind: &'static str| {
        let (chart, width) = (props.chart.clone(), props.width);
        let theme = theme.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            let what = Saved::Figure(chart.clone(), width, theme.clone().painted());
            with_others(move |others| (others.save)(what, kind));
        });
        html! {
            <>
                { " " }
                <button type="button" class="link" {onclick} data-testid={format!("save-{kind}")}>{ kind.to_uppercase() }</button>
            </>
        }
    };
    let kinds: &[&'static str] = if props.with_table { &["svg", "png", "csv", "json"] } else { &["svg", "png"] };
    html! {
        <span class="save" role="group" aria-label="Save the figure">
            { props.label }
            { for kinds.iter().map(|kind| save(kind)) }
        </span>
    }
}

/// What is written into a file.
pub enum Saved {
    /// A figure, its width in CSS pixels, and its colours.
    Figure(Drawn, u32, Theme),
    /// The table within the parent of an element.
    Table(Element),
}

/// Hands something to the person as a file of a kind: `svg`, `csv`. Only [`super::lazy`] may name it.
pub fn write(what: Saved, kind: &'static str) {
    match what {
        Saved::Figure(chart, width, theme) => save_figure(kind, &chart, width, &theme),
        Saved::Table(place) => {
            if let Some(table) = table_before(&place) {
                save_table(kind, &table);
            }
        }
    }
}

fn save_figure(kind: &str, chart: &Drawn, width: u32, theme: &Theme) {
    let table = chart.chart().table();
    let (framed, width) = (Framed(chart.chart()), width + 2 * Framed::MARGIN);
    let name = format!("{}.{kind}", file_name(&table.caption));
    match kind {
        "svg" => {
            if let Ok(text) = svg(&framed, width, theme) {
                save_text(&name, "image/svg+xml", &text);
            }
        }
        "png" => {
            let canvas = web_sys::window()
                .and_then(|window| window.document())
                .and_then(|document| document.create_element("canvas").ok())
                .and_then(|canvas| canvas.dyn_into::<HtmlCanvasElement>().ok());
            let Some(canvas) = canvas else { return };
            if draw_on_canvas(&framed, &canvas, width, PIXELS, theme).is_ok() {
                let save = Closure::once_into_js(move |blob: Option<Blob>| blob.map(|blob| save(&name, &blob).is_ok()));
                // A canvas that is too large for the browser gives no picture.
                let _ = canvas.to_blob(save.unchecked_ref());
            }
        }
        _ => save_table(kind, &table),
    }
}

fn save_table(kind: &str, table: &Table) {
    let name = format!("{}.{kind}", file_name(&table.caption));
    match kind {
        "csv" => save_text(&name, "text/csv", &table.to_csv()),
        _ => save_text(&name, "application/json", &table.to_json()),
    }
}

/// Saves the table that stands before it in the same element, as it is read on the page.
#[component]
pub fn SaveTable() -> Html {
    let place = use_node_ref();
    let save = |kind: &'static str| {
        let place = place.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            if let Some(place) = place.cast::<Element>() {
                with_others(move |others| (others.save)(Saved::Table(place), kind));
            }
        });
        html! {
            <>
                { " " }
                <button type="button" class="link" {onclick} data-testid={format!("save-{kind}")}>{ kind.to_uppercase() }</button>
            </>
        }
    };
    html! {
        <span class="save" role="group" aria-label="Save the table" ref={place.clone()}>
            { "save as" }{ save("csv") }{ save("json") }
        </span>
    }
}

/// The table within the parent of an element.
fn table_before(place: &Element) -> Option<Table> {
    let around = place.parent_element()?;
    let table = around.query_selector("table").ok()??.dyn_into::<HtmlTableElement>().ok()?;
    let caption = table.caption().and_then(|caption| caption.text_content()).filter(|text| !text.is_empty());
    let caption = caption.or_else(|| around.get_attribute("aria-label")).unwrap_or_default();
    let rows = table.rows();
    let mut lines = Vec::new();
    let mut header = Vec::new();
    for index in 0..rows.length() {
        let row: HtmlTableRowElement = rows.item(index)?.dyn_into().ok()?;
        let is_head = row.parent_element().is_some_and(|parent| parent.tag_name() == "THEAD");
        let cells = cells_of(&row);
        if is_head {
            // The last row of a head names the columns.
            header = cells;
        } else {
            lines.push(cells.into_iter().map(|(text, _)| text).collect());
        }
    }
    let columns = header.into_iter().map(|(title, numeric)| Column { title, numeric }).collect();
    Some(Table { caption, columns, rows: lines })
}

/// Text of each cell, and whether it is a number's; a wide cell takes the place of several.
fn cells_of(row: &HtmlTableRowElement) -> Vec<(String, bool)> {
    let cells = row.cells();
    let mut texts = Vec::new();
    for index in 0..cells.length() {
        let Some(cell) = cells.item(index).and_then(|cell| cell.dyn_into::<HtmlTableCellElement>().ok()) else {
            continue;
        };
        let text = cell.text_content().unwrap_or_default();
        texts.push((text.split_whitespace().collect::<Vec<_>>().join(" "), cell.class_list().contains("number")));
        for _ in 1..cell.col_span() {
            texts.push((String::new(), false));
        }
    }
    texts
}
