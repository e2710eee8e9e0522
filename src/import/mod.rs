//! Files of other programs as documents: ONNX models, and ZigZag's YAML.

pub mod onnx;
mod report;
mod source;

pub use report::{Finding, Report, Weight};
pub use source::{Seekable, Source};
