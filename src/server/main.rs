//! Serves a folder on a port: `fusescape-server www 8080`. `make serve` runs this, as it compiles in seconds; users
//! have `fusescape serve`.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, port] = arguments.as_slice() else {
        eprintln!("usage: fusescape-server DIRECTORY PORT");
        return ExitCode::from(2);
    };
    let Ok(port) = port.parse() else {
        eprintln!("`{port}` is no port: give a number from 0 to 65535, where 0 is any that is free");
        return ExitCode::from(2);
    };
    let announce = |address: &str| {
        println!("Fusescape is at {address} (Ctrl-C stops it)");
        Ok(())
    };
    match fusescape_server::serve(port, Path::new(directory), announce) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
