//! Figures and tables as files.

use super::figure::{Drawn, IsDark};
use crate::app::platform::pieces::with_piece;
use crate::chart::{Chart, Framed, Table, Theme, draw_on_canvas, svg};
use crate::piece;
use crate::state::file_name;
use js_sys::Array;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlCanvasElement, Url};
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

/// The names of the hardware and of the network at hand, for the names of files; a context of everything that saves.
#[derive(Clone, PartialEq, Default)]
pub struct DesignNames(pub Rc<[String; 2]>);

impl DesignNames {
    /// Those of a design, as far as its documents can be read.
    pub fn new(core: Option<String>, network: Option<String>) -> Self {
        Self(Rc::new([core, network].map(Option::unwrap_or_default)))
    }

    /// `tpu-like-df-fsrcnn-report.md`
    pub fn file(&self, shown: &str, kind: &str) -> String {
        file_name(&self.0, shown, kind)
    }
}

/// Properties of [`SaveFigure`].
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
    let names = use_context::<DesignNames>().unwrap_or_default();
    let kinds: &[&'static str] = if props.with_table { &["svg", "png", "csv", "json"] } else { &["svg", "png"] };
    let what = Saved::Figure(props.chart.clone(), props.width, theme);
    html! {
        <span class="save" role="group" aria-label="Save the figure">
            { props.label }
            { buttons(kinds, &what, &names) }
        </span>
    }
}

/// Functions whose code is fetched when something is first saved.
#[derive(Clone, Copy)]
pub struct SaveParts {
    /// Hands a figure or a table to the person as a file of a kind.
    pub save: fn(&Saved, &'static str, &DesignNames),
}
piece!(SaveParts);

/// A button a kind of file.
fn buttons(kinds: &[&'static str], what: &Saved, names: &DesignNames) -> Html {
    let button = |kind: &'static str| {
        let (what, names) = (what.clone(), names.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            let (what, names) = (what.clone(), names.clone());
            with_piece(move |parts: SaveParts| (parts.save)(&what, kind, &names));
        });
        html! {
            <>
                { " " }
                <button type="button" class="link" {onclick} data-testid={format!("save-{kind}")}>{ kind.to_ascii_uppercase() }</button>
            </>
        }
    };
    kinds.iter().map(|kind| button(kind)).collect()
}

/// The content of a file to be saved.
#[derive(Clone)]
pub enum Saved {
    /// A figure, its width in CSS pixels, and its colours.
    Figure(Drawn, u32, &'static Theme),
    /// A table.
    Table(Rc<Table>),
}

/// Hands something to the person as a file of a kind: `svg`, `csv`. Only `shell::parts` may name it.
pub fn write(what: &Saved, kind: &'static str, names: &DesignNames) {
    match what {
        Saved::Figure(chart, width, theme) => save_figure(kind, chart.chart(), *width, theme, names),
        Saved::Table(table) => save_table(kind, table, names),
    }
}

fn save_figure(kind: &str, chart: &dyn Chart, width: u32, theme: &Theme, names: &DesignNames) {
    let (table, theme) = (chart.table(), theme.clone().painted());
    let (framed, width) = (Framed(chart), width + 2 * Framed::MARGIN);
    let name = names.file(&table.caption, kind);
    match kind {
        "svg" => {
            if let Ok(text) = svg(&framed, width, &theme) {
                save_text(&name, "image/svg+xml", &text);
            }
        }
        "png" => {
            let canvas = web_sys::window()
                .and_then(|window| window.document())
                .and_then(|document| document.create_element("canvas").ok())
                .and_then(|canvas| canvas.dyn_into::<HtmlCanvasElement>().ok());
            let Some(canvas) = canvas else { return };
            if draw_on_canvas(&framed, &canvas, width, PIXELS, &theme).is_ok() {
                let save = Closure::once_into_js(move |blob: Option<Blob>| blob.map(|blob| save(&name, &blob).is_ok()));
                // A canvas that is too large for the browser gives no picture.
                let _ = canvas.to_blob(save.unchecked_ref());
            }
        }
        _ => save_table(kind, &table, names),
    }
}

fn save_table(kind: &str, table: &Table, names: &DesignNames) {
    let name = names.file(&table.caption, kind);
    match kind {
        "csv" => save_text(&name, "text/csv", &table.to_csv()),
        _ => save_text(&name, "application/json", &table.to_json()),
    }
}

/// Properties of [`SaveTable`].
#[derive(Properties, PartialEq)]
pub struct SaveTableProps {
    /// The table, which is on the page in these or other words.
    pub table: Rc<Table>,
}

/// Saves a table.
#[component]
pub fn SaveTable(props: &SaveTableProps) -> Html {
    let names = use_context::<DesignNames>().unwrap_or_default();
    html! {
        <span class="save" role="group" aria-label="Save the table">
            { "save as" }{ buttons(&["csv", "json"], &Saved::Table(Rc::clone(&props.table)), &names) }
        </span>
    }
}
