//! The version of Fusescape, for reproducing numbers.

/// The version of the packages.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");
/// The first twelve digits of the commit; `None` outside of a repository and with the profile `dev`.
pub const COMMIT: Option<&str> = option_env!("FUSESCAPE_COMMIT");
/// Both, as text.
pub const VERSION: &str = env!("FUSESCAPE_VERSION");
