//! The promises of the command line, one subject per file. A single program, as each takes seconds to link.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod command_line;
mod generated;
mod hostile;
mod import_command;
mod mutated;
mod refusals;
mod report;
mod schemas;
mod serve;
mod sram_estimates;
mod stream_attention;
mod studies;

/// The program, run at the root of the repository, as documents that refer to each other are.
fn program() -> std::process::Command {
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_fusescape"));
    program.current_dir(fusescape_test_support::root());
    program
}
