//! The kinds of files in which a figure or a table can be saved.

use super::download::{save_blob, save_text};
use super::save::FileContent;
use crate::app::widgets::page::figure_context::{DesignNames, use_figure_context};
use crate::chart::{Chart, Framed, Table, Theme, draw_on_canvas, svg};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, HtmlCanvasElement};
use yew::prelude::*;

/// Pixels of a PNG per CSS pixel.
const PIXELS: f64 = 2.0;

/// Width of a figure of several heatmaps, CSS pixels.
const PANELS_WIDTH: u32 = 1100;

/// Draws the buttons. Only `shell::pieces` may name it.
pub fn kinds(what: &FileContent) -> Html {
    html! { <Kinds what={what.clone()} /> }
}

#[derive(Properties, PartialEq)]
struct KindsProps {
    what: FileContent,
}

/// The use of a picture; decides its colours and its surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// The colours of the page, on its panel.
    Page,
    /// Light, without a background, below the name of the design.
    Slides,
}

/// One button per kind of file.
#[component]
fn Kinds(props: &KindsProps) -> Html {
    let figure_context = use_figure_context();
    let (theme, names) = (figure_context.theme(), figure_context.names);
    let button = |kind: &'static str, audience: Audience| {
        let (what, names) = (props.what.clone(), names.clone());
        let onclick = Callback::from(move |_: MouseEvent| match &what {
            FileContent::Figure(chart, width) => save_figure(kind, audience, chart.chart(), *width, theme, &names),
            FileContent::Network(drawing) => {
                save_figure(kind, audience, &**drawing, drawing.own_width(), theme, &names)
            }
            FileContent::Panels(panels) => save_figure(kind, audience, &**panels, PANELS_WIDTH, theme, &names),
            FileContent::Table(table) => save_table(kind, table, &names),
        });
        let (label, testid) = match audience {
            Audience::Page => (kind.to_ascii_uppercase(), format!("save-{kind}")),
            Audience::Slides => (format!("{} for slides", kind.to_ascii_uppercase()), format!("save-slides-{kind}")),
        };
        let title =
            (audience == Audience::Slides).then_some("Light, without a background, with the name of the design");
        html! { <><button type="button" class="link" {title} {onclick} data-testid={testid}>{ label }</button>{ " " }</> }
    };
    let pictures =
        [("svg", Audience::Page), ("png", Audience::Page), ("svg", Audience::Slides), ("png", Audience::Slides)];
    let tables = [("csv", Audience::Page), ("json", Audience::Page)];
    let kinds = match &props.what {
        FileContent::Table(_) => tables.to_vec(),
        _ => [&pictures[..], &tables[..]].concat(),
    };
    html! {
        <span role="group" aria-label="Kinds of files">
            { for kinds.into_iter().map(|(kind, audience)| button(kind, audience)) }
        </span>
    }
}

fn save_figure(kind: &str, audience: Audience, chart: &dyn Chart, width: u32, theme: &Theme, names: &DesignNames) {
    let table = chart.table();
    let (framed, theme, shown) = match audience {
        Audience::Page => (Framed::new(chart), theme.clone().painted(), table.caption.clone()),
        Audience::Slides => (Framed::titled(chart, names.title()), Theme::LIGHT, format!("slides {}", table.caption)),
    };
    let (name, width) = (names.file(&shown, kind), width + 2 * Framed::MARGIN);
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
                let save =
                    Closure::once_into_js(move |blob: Option<Blob>| blob.map(|blob| save_blob(&name, &blob).is_ok()));
                // If the canvas is too large for the browser, there is no picture.
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
