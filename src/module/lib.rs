//! The page as the WebAssembly module that a browser loads: all of [`fusescape`], which tests and benches link
//! natively.

pub use fusescape::*;
