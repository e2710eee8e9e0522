//! Which Fusescape this is, for whoever wants the same numbers again.

/// The version of the packages.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");
/// The first twelve digits of the commit, where this was built in a repository and for use (not by the profile `dev`).
pub const COMMIT: Option<&str> = option_env!("FUSESCAPE_COMMIT");
/// Both, as a person reads them.
pub const VERSION: &str = env!("FUSESCAPE_VERSION");
