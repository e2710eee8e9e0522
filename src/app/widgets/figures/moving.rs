//! Figures that change with every move of a hand: drawn at most once a frame, described once they rest.

use crate::app::platform::timer::before_next_frame;
use crate::app::widgets::page::surroundings::{theme, use_surroundings};
use crate::app::widgets::pointing::pointers::zoom_of;
use crate::chart::{Chart, draw_on_canvas};
use gloo_timers::callback::Timeout;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

/// How long nothing moves before a figure is said to rest, milliseconds.
const REST_MS: u32 = 350;

/// Draws a figure on a canvas: the last of a frame, once it comes; at once where it has another width.
#[hook]
pub fn use_drawn<C: Chart + Clone + PartialEq + 'static>(canvas: &NodeRef, chart: &C, width: u32) {
    let is_dark = use_surroundings().is_dark;
    let waiting = use_mut_ref(|| None::<(C, bool)>);
    let drawn_width = use_mut_ref(|| 0);
    use_effect_with((chart.clone(), width, is_dark, canvas.clone()), move |(chart, width, is_dark, canvas)| {
        let (width, canvas) = (*width, canvas.cast::<HtmlCanvasElement>());
        let Some(canvas) = canvas.filter(|_| width > 0) else { return };
        let draw = move |chart: &C, is_dark: bool| {
            let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio()) * zoom_of(&canvas);
            // A canvas that cannot be drawn on stays empty; the table twin is there.
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

/// The figure as it is when it has not changed for a moment.
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
