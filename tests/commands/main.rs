//! What the command line promises, a subject a file. One program, as each takes seconds to link.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod command_line;
mod hostile;
mod import_command;
mod report;
mod schemas;
mod serve;
mod sram_estimates;
mod stream_attention;
mod studies;
