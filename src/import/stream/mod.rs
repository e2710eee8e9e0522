//! Stream: systems of cores, in the three layouts of its public repository, with the mapping of operators to cores;
//! written in the most recent layout.
//!
//! A system file (its "accelerator") names files of cores, which are accelerators of ZigZag; one of them is the memory
//! off the chip. So a system is imported together with the files that it names ([`references`]). Its mapping file
//! assigns operators to cores.

mod assemble;
mod mapping;
mod soc;
mod unrolling;
mod write;

pub use assemble::{CoreFile, assemble};
pub use mapping::{OperatorCores, read_allocations};
pub use soc::{Soc, read_soc};
pub use unrolling::{unroll_channels, unroll_like_registers};
pub use write::{StreamFiles, write};

use fusescape_spec::reader::Reader;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamFileKind {
    /// A system of cores.
    Soc,
    /// A mapping of operators to cores.
    Allocations,
}

/// The kind of a file, by its fields; a core is a ZigZag accelerator.
pub fn recognise(text: &str) -> Option<StreamFileKind> {
    let starts =
        |name: &str| text.lines().any(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')));
    let stands = |name: &str| text.lines().any(|line| line.split('#').next().is_some_and(|line| line.contains(name)));
    if starts("cores") && ["core_connectivity", "offchip_core", "offchip_core_id", "graph"].into_iter().any(starts) {
        Some(StreamFileKind::Soc)
    } else if stands("core_allocation:") {
        Some(StreamFileKind::Allocations)
    } else {
        None
    }
}

/// The files named by a system, as written.
pub fn references(text: &str) -> Vec<String> {
    if recognise(text) != Some(StreamFileKind::Soc) {
        return Vec::new();
    }
    let (soc, ..) = read_soc(text);
    let mut names: Vec<String> = soc.files().map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A file name without folder and extension.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml")).unwrap_or(name)
}

/// Ends the reading of a text whose errors have been reported.
fn finish(reader: &mut Reader) -> fusescape_spec::Diagnostics {
    std::mem::replace(reader, Reader::open("").1).finish()
}
