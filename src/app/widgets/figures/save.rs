//! Figures and tables as files: a button beside each unfolds the kinds of files.

use super::figure::Drawn;
use crate::app::platform::lazy_modules::late;
use crate::chart::{NetworkDrawing, Panels, Table};
use crate::lazy_module;
use std::rc::Rc;
use yew::prelude::*;

/// Width of a figure in a file, CSS pixels.
pub const WIDTH: u32 = 900;

/// The content of a file to be saved.
#[derive(Clone, PartialEq)]
pub enum FileContent {
    /// A figure and its width in CSS pixels.
    Figure(Drawn, u32),
    /// The layers of a network, as a figure that is drawn for files only; its code is not fetched before.
    Network(Rc<NetworkDrawing>),
    /// Heatmaps as one figure, also drawn for files only.
    Panels(Rc<Panels>),
    /// A table; the page may show it in other words.
    Table(Rc<Table>),
}

/// Functions whose code is fetched when something is first saved.
#[derive(Clone, Copy)]
pub struct SaveCode {
    /// Draws one button per kind of file.
    pub kinds: fn(&FileContent) -> Html,
}
lazy_module!(SaveCode);

#[derive(Properties, PartialEq)]
pub struct SaveProps {
    pub what: FileContent,
    /// Text of the button.
    #[prop_or("save")]
    pub label: &'static str,
}

/// A button that unfolds the kinds of files in which a figure or a table can be saved.
#[component]
pub fn Save(props: &SaveProps) -> Html {
    let is_open = use_state_eq(|| false);
    let toggle = {
        let is_open = is_open.clone();
        Callback::from(move |_: MouseEvent| is_open.set(!*is_open))
    };
    let kinds = is_open.then(|| {
        let what = props.what.clone();
        late(move |parts: SaveCode| (parts.kinds)(&what))
    });
    let (of, title) = match props.what {
        FileContent::Table(_) => ("table", "Save the table as a file"),
        _ => ("figure", "Save the figure as a file"),
    };
    html! {
        <span class="save" data-of={of}>
            { kinds }
            <button type="button" class="link" {title} aria-expanded={is_open.to_string()} onclick={toggle} data-testid="save">
                { props.label }
            </button>
        </span>
    }
}
