//! Every figure, drawn once for every surface: a canvas in the page, an SVG or a PNG file.
//!
//! A figure is plain data that implements [`Chart`]. It lays itself out in CSS pixels as a [`Sketch`], a list of shapes,
//! which [`draw`] renders on any `plotters` backend; the same list answers hit tests and lets tests find texts that
//! overlap or leave the figure. Each figure has a table twin and a sentence for those who cannot see it.
//!
//! Figures compute no cost: they show numbers that they are given.

mod accesses;
mod account;
mod attention;
mod attention_motion;
mod axis;
mod bar_rows;
mod bars;
mod breakdown;
#[cfg(target_arch = "wasm32")]
mod canvas;
mod change_bar;
mod color;
mod color_bar;
mod comparison;
mod contour;
mod core_time;
mod core_timeline;
mod cores_sweep;
mod curves;
mod data_sizes;
mod dataflows;
mod designs;
mod frame;
mod fusion_map;
mod group_strips;
mod heatmap;
mod hierarchies;
mod landscape;
mod layer_tables;
mod layered;
mod legend;
mod level_matrix;
mod lines;
mod loop_nest;
mod macs;
mod mapping;
mod matrix;
mod motion;
mod network;
mod paired;
mod panels;
mod power;
mod published;
mod render;
mod roofline;
mod scale;
mod scatter;
mod search_times;
mod sequences;
mod sketch;
mod study;
mod subject;
mod table;
mod text;
mod theme;
mod tile_curve;
mod tile_map;
mod time_window;
mod turns;
mod window;

pub use accesses::{AccessRow, Accesses};
pub use account::{Counted, strategy_title, tile_text};
pub use attention::{
    DIVIDED_NOTE, attention_energy, attention_notes, attention_schedules, attention_tiles, attention_traffic,
    block_note, block_title, divided_sentences, divided_steps, generation_curves, generation_roofline, generation_room,
    generation_table, published_dataflows, sequences_text, step_parts,
};
pub use attention_motion::AttentionStep;
pub use axis::AxisScale;
pub use bars::{BarGroup, Bars};
pub use breakdown::{Breakdown, Cause, StackedBar};
#[cfg(target_arch = "wasm32")]
pub use canvas::draw_on_canvas;
pub use change_bar::ChangeBar;
pub use color::{Color, contrast, layer_color, tile_type_color, viridis};
pub use color_bar::ColorBar;
pub use comparison::{comparisons, whole_costs};
pub use contour::contour_factors;
pub use core_time::{core_time, link_table, memory_table, moved_reasons, system_energy};
pub use core_timeline::{CoreTimeline, Hit, HitText, SystemLanes, reason_name};
pub use cores_sweep::{CoresSweep, allocations_table};
pub use curves::{Curve, Curves};
pub use data_sizes::{Capacity, DataSizes, LayerData};
pub use dataflows::{FusionsOnArray, dataflow_energy, dataflow_latency, dataflow_table};
pub use designs::{ComparedDesign, designs_matrix, designs_table};
pub use frame::Framed;
pub use fusion_map::{FusionMap, fusion_dram, fusion_energy, fusion_latency, fusion_table};
pub use group_strips::{GroupStrip, GroupStrips};
pub use heatmap::{Best, Cell, Heatmap, Ramp};
pub use hierarchies::{Hierarchies, HierarchyPoint};
pub use landscape::{Landscape, PointState};
pub use layer_tables::{copy_table, layer_tile_table, top_memories};
pub use layered::{Layered, Route, Spacing, lay_out};
pub use level_matrix::{Level, LevelCell, LevelMatrix, TypeLevels};
pub use lines::{Line, LineLook, Lines};
pub use loop_nest::{LoopNest, NestColumn, NestLevel};
pub use macs::MacCounts;
pub use mapping::{OPERAND_ORDER, information_table, memories_of, port_table, stored_as};
pub use matrix::Matrix;
pub use motion::{Motion, MotionHit, MovingStack, memory_motion_table};
pub use network::{NETWORK_MARGIN, NetworkDrawing, NetworkLayer, lay_out_network, stack_bands};
pub use paired::{Pair, Paired, change};
pub use panels::Panels;
pub use power::{power_text, time_text};
pub use published::{Published, PublishedNumber};
pub use render::{ChartError, PixelFont, draw, draw_sketch, sketch_svg, svg};
pub use roofline::{Roofline, RooflinePoint};
pub use scale::{
    Quantity, Unit, above_best, compared_with, digits, group_thousands, more_or_less, seconds_text, size_text,
    three_digits,
};
pub use scatter::{Scatter, ScatterPoint};
pub use search_times::{SearchTime, search_time_table};
pub use sequences::{
    SequencePart, SequenceQuantity, partition_scatter, pruning, resource_curves, reuse_bars, sequence_bars,
    sequence_ctc, sequence_label, sequence_shares, sequence_table, storage_bars, traffic_bars,
};
pub use sketch::{Anchor, Lettering, Shape, Sketch};
pub use study::{
    Brush, DesignLine, DesignMark, DesignScatter, Dimension, HeatmapAxes, Parallel, StudyTable, design_lines,
    design_scatter, designs_listed, heatmap, heatmap_selection,
};
pub use subject::{Region, Subject};
pub use table::{Column, Table, TableCell, markdown};
pub use text::{shorten, text_width};
pub use theme::Theme;
pub use tile_curve::{TileCurve, tile_sizes_table};
pub use tile_map::{TileTypeEntry, TileTypeMap};
pub use time_window::TimeWindow;
pub use turns::{Turns, TurnsHit};
pub use window::Window;

/// A figure.
pub trait Chart {
    /// The figure as shapes, `width` CSS pixels wide and [`height_for`](Self::height_for) high.
    fn sketch(&self, width: u32, theme: &Theme) -> Sketch;

    /// Its height in CSS pixels when it is `width` wide.
    fn height_for(&self, width: u32) -> u32;

    /// The numbers of the figure as a table: its table twin.
    fn table(&self) -> Table;

    /// One sentence that says what the figure shows.
    fn describe(&self) -> String;

    /// Its parts that are about something, when it is `width` wide; a smaller part after the one in which it lies.
    fn regions(&self, _width: u32) -> Vec<Region> {
        Vec::new()
    }
}

/// No figure is laid out narrower than this; a narrower surface cuts it off.
pub const MINIMUM_WIDTH: u32 = 240;
