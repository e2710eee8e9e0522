//! Figures that change with every move of the pointer: drawn at most once per frame, described to screen readers once
//! they rest.

use crate::app::platform::timer::before_next_frame;
use crate::app::widgets::page::figure_context::{theme, use_figure_context};
use crate::app::widgets::pointing::pointers::zoom_of;
use crate::chart::{Chart, draw_on_canvas};
use gloo_timers::callback::Timeout;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

/// Time without a change after which a figure rests, milliseconds.
const REST_MS: u32 = 350;

/// Draws a figure on a canvas, at most once per frame: only the last change is drawn. Draws at once when the width
/// changes.
#[hook]
pub fn use_drawn<C: Chart + Clone + PartialEq + 'static>(canvas: &NodeRef, chart: &C, width: u32) {
    let is_dark = use_figure_context().is_dark;
    let waiting = use_mut_ref(|| None::<(C, bool)>);
    let drawn_width = use_mut_ref(|| 0);
    use_effect_with((chart.clone(), width, is_dark, canvas.clone()), move |(chart, width, is_dark, canvas)| {
        let (width, canvas) = (*width, canvas.cast::<HtmlCanvasElement>());
        let Some(canvas) = canvas.filter(|_| width > 0) else { return };
        let draw = move |chart: &C, is_dark: bool| {
            let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio()) * zoom_of(&canvas);
            // If the canvas cannot be drawn on, it stays empty; the table twin remains.
            let _ = draw_on_canvas(chart, &canvas, width, ratio, theme(is_dark));
        };
        if drawn_width.replace(width) != width {
            waiting.take();
            draw(chart, *is_dark);
        } else if waiting.replace(Some((chart.clone(), *is_dark))).is_none() {
            before_next_frame(move || {
                if let Some((chart, is_dark)) = waiting.take() {
                    draw(&chart, is_dark);
                }
            });
        }
    });
}

/// The last state of the figure at rest.
#[hook]
pub fn use_settled<C: Clone + PartialEq + 'static>(chart: &C) -> C {
    let settled = use_state_eq(|| chart.clone());
    let setter = settled.setter();
    use_effect_with(chart.clone(), move |chart| {
        let chart = chart.clone();
        let rest = Timeout::new(REST_MS, move || setter.set(chart));
        move || drop(rest)
    });
    (*settled).clone()
}
