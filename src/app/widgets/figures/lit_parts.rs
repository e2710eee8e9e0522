//! The highlighted parts of a figure that handles pointers and keys itself.

use super::figure::Drawn;
use crate::app::widgets::pointing::highlight::{point_at, use_highlight};
use crate::app::widgets::pointing::regions::frames;
use crate::chart::Chart;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LitPartsProps {
    pub chart: Drawn,
    /// CSS pixels.
    pub width: u32,
}

/// Frames around the highlighted parts of a figure.
#[component]
pub fn LitParts(props: &LitPartsProps) -> Html {
    let highlight = use_highlight();
    let Some(shown) = highlight.shown().filter(|_| props.width > 0) else { return html! {} };
    let regions = props.chart.chart().regions(props.width);
    frames(regions.iter().filter(|region| region.subject.is_about(shown)).map(|region| (region.at, region.size)))
}

/// Highlights the part of a figure at a place, or nothing.
pub fn point_in(chart: &impl Chart, width: u32, at: Option<(f64, f64)>) {
    let found = at.and_then(|(x, y)| chart.regions(width).into_iter().rev().find(|region| region.holds(x, y)));
    point_at(found.map(|region| region.subject));
}
