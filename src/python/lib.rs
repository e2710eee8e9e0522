//! `fusescape._fusescape`: the commands of `fusescape_command` for Python.
//!
//! It is as thin as can be: texts of documents and words of options go in, the JSON that the command line prints comes out. What a person
//! of Python sees (`fusescape/`, in Python) is made of that.
//!
//! - `work.rs`: a command in threads of its own, while Python's lock is free, signals are heard and progress is told
//! - `commands.rs`: the commands, whose options `fusescape_command::options` reads
//! - `documents.rs`: documents and presets; `links.rs`: links
//! - `study.rs`: studies of very many designs
//! - `errors.rs`: what is wrong, as the one exception of the package
//! - `arrow.rs`: rows of a result for data frames, by the Arrow C stream interface

mod arrow;
mod commands;
mod documents;
mod errors;
mod links;
mod study;
mod work;

/// The compiled half of the package `fusescape`.
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
