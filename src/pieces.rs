//! Splits the module of the published page into files that are fetched when they are first needed.
//!
//! `make site` enables the feature `pieces`, and splits at the functions declared here (`tools/bind`). Without it the
//! module is in one piece, as nobody waits for downloads on this machine: such a function then returns at once.

/// Declares an asynchronous function that fetches the file of its piece with its first call. Code that is reachable
/// from its body alone is in that file, so nothing else may name it.
macro_rules! piece_fn {
    ($piece:ident, $(#[$doc:meta])* fn $name:ident() -> $fetched:ty $body:block) => {
        #[cfg(feature = "pieces")]
        #[wasm_split_helpers::wasm_split($piece, fallible)]
        $(#[$doc])*
        fn $name() -> Result<$fetched, $crate::pieces::NotFetched> {
            Ok($body)
        }

        #[cfg(not(feature = "pieces"))]
        $(#[$doc])*
        async fn $name() -> Result<$fetched, $crate::pieces::NotFetched> {
            Ok($body)
        }
    };
}

pub(crate) use piece_fn;

/// The error of a piece that could not be fetched.
#[cfg(not(feature = "pieces"))]
pub type NotFetched = std::convert::Infallible;
#[cfg(feature = "pieces")]
pub use wasm_split_helpers::SplitLoaderError as NotFetched;
