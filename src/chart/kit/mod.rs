//! What all figures need: [`Chart`], shapes, letters, colours, axes, legends, numbers as a person reads them, tables.

mod axis;
mod cause;
mod chart;
mod color;
mod legend;
mod power;
mod scale;
mod sketch;
mod subject;
mod table;
mod text;
mod theme;

pub use axis::AxisScale;
pub use cause::{BarCause, reason_name};
pub use chart::{Chart, MINIMUM_WIDTH};
pub use color::{Color, contrast, layer_color, tile_type_color, viridis};
pub use power::{power_text, time_text};
pub use scale::{
    Quantity, Unit, above_best, compared_with, digits, group_thousands, more_or_less, seconds_text, size_text,
    three_digits,
};
pub use sketch::{Anchor, Lettering, Sketch, SketchShape};
pub use subject::{Region, Subject};
pub use table::{Column, Table, TableCell, markdown};
pub use text::{shorten, text_width};
pub use theme::Theme;

pub(crate) use axis::{Axis, nice_above, nice_below};
pub(crate) use color::{diverging, mix, text_on};
pub(crate) use legend::{LegendEntry, LegendMark, draw_legend, draw_point, entry_places, legend_height, legend_width};
pub(crate) use text::{wrap, wrap_to};
