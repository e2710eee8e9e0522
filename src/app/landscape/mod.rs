//! The view Landscape: every tile size and storing mode at a glance.

pub mod answer;
pub mod heatmaps;
pub mod joint;
pub mod view;

use crate::piece;
use joint::JointProps;
use yew::Html;

/// What the view fetches when it is first needed.
#[derive(Clone, Copy)]
pub struct Parts {
    /// Draws what stacks, tiles and modes come to together.
    pub joint: fn(JointProps) -> Html,
}
piece!(Parts);
