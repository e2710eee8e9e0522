//! The promises of page and command line, one subject per file. A single program, as each takes seconds to link.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod accelforge_files;
mod attention_tables;
mod charts;
mod core_timeline;
mod design_table;
mod embed;
mod explain;
mod explain_systems;
mod explain_tables;
mod forms;
mod fuzz_seeds;
mod gallery;
mod glossary;
mod imports;
mod layered;
mod lessons;
mod links;
mod onnx;
mod onnx_attention;
mod onnx_lanes;
mod onnx_products;
mod onnx_quantised;
mod onnx_recurrent;
mod onnx_transformers;
mod onnx_volumes;
/// The properties of readers that fuzzing checks, compiled here as well.
#[path = "../../fuzz/src/lib.rs"]
mod properties;
mod questions;
mod remedies;
mod rooms;
mod round_trips;
mod state_files;
mod stream_files;
mod stream_random;
mod study_view;
mod sweep_job;
mod tile_curve;
mod timeloop_files;
mod undo;
mod widths;
mod zigzag_files;
mod zigzag_random;
