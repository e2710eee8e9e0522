//! `fusescape._fusescape`: the commands of `fusescape_command` for Python.
//!
//! A thin layer: texts of documents and words of options as input, the JSON of the command line as output. The API for
//! users (`fusescape/`, in Python) is built on that.
//!
//! - `work.rs`: runs a command in threads of its own, with Python's lock released, signals handled and progress
//!   reported
//! - `commands.rs`: the commands, whose options `fusescape_command::options` reads
//! - `documents.rs`: documents and presets; `links.rs`: links
//! - `study.rs`: design-space exploration
//! - `errors.rs`: errors, as the one exception of the package
//! - `arrow.rs`: rows of a result for data frames, through the Arrow C stream interface

mod arrow;
mod commands;
mod documents;
mod errors;
mod links;
mod study;
mod work;

/// The compiled module of the package `fusescape`.
#[pyo3::pymodule]
mod _fusescape {
    #[pymodule_export]
    use super::arrow::Rows;
    #[pymodule_export]
    use super::commands::{
        attention, cores, depth_first, divided_attention, fuse, hierarchies, map_layers, optimal, published_attention,
    };
    #[pymodule_export]
    use super::documents::{facts, import_files, preset, presets, replaced, text_of};
    #[pymodule_export]
    use super::links::{linked, share_link};
    #[pymodule_export]
    use super::study::{Results, Study, merge_shards};

    /// Version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
