//! The command line: the same engine as the page, native.

mod cli;

use clap::Parser;
use clap::error::ErrorKind;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match cli::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(asked) if matches!(asked.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => asked.exit(),
        // It quotes what was typed, or what a script made of the name of a file.
        Err(wrong) => {
            cli::tell(wrong.render().to_string().trim_end());
            return ExitCode::from(u8::try_from(wrong.exit_code()).unwrap_or(2));
        }
    };
    match cli::run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            cli::tell(&failure.to_string());
            if failure.is::<cli::Incomplete>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}
