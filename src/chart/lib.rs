//! Every figure, drawn by the same code for every surface: a canvas in the page, an SVG or a PNG file.
//!
//! A figure is plain data that implements [`Chart`]. It lays itself out in CSS pixels as a [`Sketch`], a list of
//! shapes, which [`draw`] renders on any `plotters` backend; the same list answers hit tests and lets tests find texts
//! that overlap or leave the figure. Each figure has a table twin and a sentence for screen readers.
//!
//! Figures compute no cost; they show given numbers.
//!
//! Imports point down this list:
//!
//! - `attention`, `cores`, `depth_first`, `fusion`, `mapping`, `study`: figures and tables of a subject
//! - `bars`, `graph`, `maps`, `plots`: figures of a shape; `surface`: what they are drawn on
//! - `kit`: what all figures need

mod attention;
mod bars;
mod cores;
mod depth_first;
mod fusion;
mod graph;
mod kit;
mod mapping;
mod maps;
mod plots;
mod study;
mod surface;

pub use attention::*;
pub use bars::*;
pub use cores::*;
pub use depth_first::*;
pub use fusion::*;
pub use graph::*;
pub use kit::*;
pub use mapping::*;
pub use maps::*;
pub use plots::*;
pub use study::*;
pub use surface::*;
