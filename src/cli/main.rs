//! The command line: arguments, and the commands.
//!
//! Commands and their JSON are in `fusescape_command`; here are the arguments, and the output for a person.

mod arguments;
mod attention;
mod compare;
mod cores;
mod depth_first;
mod documents;
mod export;
mod fuse;
mod gallery;
mod grade;
mod hierarchy;
mod import;
mod in_memory;
mod layer;
mod layer_report;
mod lesson_check;
mod link;
mod optimal;
mod plain;
mod progress;
mod report;
mod sequences;
mod state;
mod study;
mod summary;

use arguments::{Arguments, Command};
use clap::Parser;
use clap::error::ErrorKind as ClapError;
use fusescape_command::files::{NO_ROOM, is_full};
use fusescape_spec::visible_lines;
use serde_json::Value;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(asked) if matches!(asked.kind(), ClapError::DisplayHelp | ClapError::DisplayVersion) => asked.exit(),
        // The message quotes the input, which a script may have made from a file name.
        Err(wrong) => {
            tell(wrong.render().to_string().trim_end());
            return ExitCode::from(u8::try_from(wrong.exit_code()).unwrap_or(2));
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            tell(&failure.to_string());
            if failure.is::<Incomplete>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

/// The reason why a command failed, for a person.
pub type Failure = Box<dyn std::error::Error>;

/// A failure with exit code 2 for scripts: a part of the result is there, or would be possible.
#[derive(Debug)]
pub struct Incomplete(String);

impl std::error::Error for Incomplete {}

impl std::fmt::Display for Incomplete {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Runs the command.
///
/// # Errors
/// Any failure, with all errors at once.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::DepthFirst(options) => depth_first::run(options),
        Command::Fuse(options) => fuse::run(options),
        Command::Compare(options) => compare::run(options),
        Command::Layer(options) => layer::run(options),
        Command::Hierarchy(options) => hierarchy::run(options),
        Command::Cores(options) => cores::run(options),
        Command::Study { command } => study::run(command),
        Command::Attention(options) => attention::run(options),
        Command::Gallery { id } => gallery::run(id.as_deref()),
        Command::Presets { name } => documents::presets(name.as_deref()),
        Command::Report { state, site } => summary::run(state, site),
        Command::Link { command } => link::run(command),
        Command::Grade { receipts, lesson } => grade::grade(receipts, lesson.as_deref()),
        Command::CheckLesson { lesson, variants } => lesson_check::check(lesson, *variants),
        Command::Validate { files } => documents::validate(files),
        Command::Import { files, out, kind, size, count_zeros, vector_unit, partial } => {
            let options = fusescape_import::onnx::Options {
                sizes: size.clone(),
                counts_zeros: *count_zeros,
                has_vector_unit: *vector_unit,
                as_transformer: *kind == arguments::ModelKind::Transformer,
            };
            import::import(files, out.as_deref(), &options, *partial)
        }
        Command::ExportZigzag { hardware, workload, out } => export::zigzag(hardware, workload, out),
        Command::ExportTimeloop { hardware, workload, layer, mapping, out } => {
            export::timeloop(hardware, workload, layer.as_deref(), mapping.as_deref(), out)
        }
        Command::ExportStream { system, hardware, workload, out } => {
            export::stream(system, hardware, workload.as_deref(), out)
        }
        Command::Serve { port, directory } => fusescape_server::serve(*port, directory, |address| {
            print(&format!("Fusescape is at {address} (Ctrl-C stops it)\n"))
        }),
    }
}

/// The report of a command as JSON.
fn json_text(found: &Value) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(found)? + "\n")
}

/// Writes a text to standard output, without characters that move the cursor of a terminal or reverse a line, as names
/// come from files of unknown origin. A reader that closes the pipe early is no failure.
fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(visible_lines(text).as_bytes()) {
        Err(error) if is_full(&error) => Err(NO_ROOM.into()),
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes lines to standard error, with the same characters removed.
pub fn tell(text: &str) {
    eprintln!("{}", visible_lines(text));
}
