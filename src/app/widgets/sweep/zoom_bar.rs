//! Buttons that zoom into a landscape.

use crate::chart::Window;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Clone)]
pub struct ZoomBar {
    /// Columns and rows of the whole grid.
    pub size: (usize, usize),
    pub window: Window,
    /// Of the whole grid, in columns of pixels.
    pub widths: Rc<Vec<u64>>,
    /// Of the whole grid, in rows of pixels.
    pub heights: Rc<Vec<u64>>,
    /// The cell of the best point.
    pub best: Option<(usize, usize)>,
    /// Called with the window to show.
    pub on_zoom: Callback<Window>,
}

/// Text that says which part of the landscape is shown, and buttons that change it.
pub fn zoom_bar(bar: &ZoomBar) -> Html {
    let ZoomBar { size, window, .. } = *bar;
    let whole = Window::whole(size);
    let middle = ((window.columns.0 + window.columns.1) / 2, (window.rows.0 + window.rows.1) / 2);
    // Zooms into the best point while it is in sight, else into the middle.
    let centre = bar.best.filter(|best| window.place(*best).is_some()).unwrap_or(middle);
    let button = |title: &'static str, label: &'static str, testid: &'static str, to: Window| {
        html! {
            <button
                type="button"
                title={label}
                aria-label={label}
                disabled={to == window}
                onclick={bar.on_zoom.reform(move |_: MouseEvent| to)}
                data-testid={testid}
            >
                { title }
            </button>
        }
    };
    let range = |sizes: &[u64], (start, end): (usize, usize)| match (sizes.get(start), sizes.get(end.wrapping_sub(1))) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (Some(first), _) => first.to_string(),
        _ => String::new(),
    };
    html! {
        <div class="bar zoom-bar" role="group" aria-label="Zoom">
            <span class="buttons">
                { button("+", "Zoom in", "zoom-in", window.zoomed(0.5, centre, size)) }
                { button("−", "Zoom out", "zoom-out", window.zoomed(2.0, middle, size)) }
                { button("Whole landscape", "Show the whole landscape", "zoom-reset", whole) }
            </span>
            <span class="facts" role="status" data-testid="zoom-range">
                { format!("Tile widths {}, heights {}", range(&bar.widths, window.columns), range(&bar.heights, window.rows)) }
            </span>
        </div>
    }
}
