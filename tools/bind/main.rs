//! Makes the files for a browser from a WebAssembly module that rustc compiled: wasm-bindgen's command with the few
//! options of this project, built on wasm-bindgen's own library, which compiles in a fraction of the time. With the
//! feature `cut`, a module with pieces (src/pieces.rs) is split first; the pieces are written beside it. The names of
//! what it imports are short then, too.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

const USAGE: &str =
    "usage: wasm-bindgen MODULE.wasm --out-dir FOLDER [--out-name NAME] [--target web] [--remove-name-section]";

/// The module to bind, and the output.
struct Arguments {
    module: PathBuf,
    folder: PathBuf,
    name: String,
    /// Whether names of functions are removed, which a browser would read with every load.
    nameless: bool,
}

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    match given.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        // wasm-pack asks for both before it passes a module.
        ["-V" | "--version"] => println!("wasm-bindgen {}", wasm_bindgen_shared::version()),
        ["-h" | "--help"] => println!("{USAGE}"),
        given => {
            let Some(arguments) = read(given) else {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            };
            if let Err(failure) = bind(&arguments) {
                eprintln!("wasm-bindgen: {}: {failure}", arguments.module.display());
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn read(given: &[&str]) -> Option<Arguments> {
    let (mut module, mut folder, mut name, mut nameless) = (None, None, None, false);
    let mut rest = given.iter();
    while let Some(argument) = rest.next() {
        match *argument {
            "--out-dir" => folder = Some(PathBuf::from(rest.next()?)),
            "--out-name" => name = Some((*rest.next()?).to_owned()),
            "--target" if *rest.next()? == "web" => {}
            "--remove-name-section" => nameless = true,
            "--no-typescript" | "--no-demangle" => {}
            path if path.ends_with(".wasm") && module.is_none() => module = Some(PathBuf::from(path)),
            _ => return None,
        }
    }
    let module = module?;
    let name = match name {
        Some(name) => name,
        None => module.file_stem()?.to_str()?.to_owned(),
    };
    Some(Arguments { module, folder: folder?, name, nameless })
}

fn bind(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(&arguments.folder)?;
    let module = cut(arguments)?;
    let mut bindgen = Bindgen::new();
    bindgen
        .input_bytes(&arguments.name, module)
        .web(true)?
        .typescript(false)
        .demangle(false)
        .remove_name_section(arguments.nameless)
        .omit_default_module_path(false);
    // The pieces share the table of functions, which would otherwise be hidden.
    bindgen.keep_lld_exports(cfg!(feature = "cut"));
    if cfg!(feature = "cut") {
        bind_by_short_names(&mut bindgen, arguments)
    } else {
        Ok(bindgen.generate(&arguments.folder)?)
    }
}

/// Binds with short names for the functions that the module imports from its script. Those of wasm-bindgen end in a
/// hash, which does not compress: together they are 9 kB of what a browser loads before it draws.
fn bind_by_short_names(
    bindgen: &mut Bindgen,
    Arguments { folder, name, .. }: &Arguments,
) -> Result<(), Box<dyn Error>> {
    let mut output = bindgen.generate_output()?;
    let script = format!("./{name}_bg.js");
    let mut renamed = Vec::new();
    for (number, import) in output.wasm_mut().imports.iter_mut().filter(|import| import.module == script).enumerate() {
        let long = std::mem::replace(&mut import.name, format!("i{number:x}"));
        renamed.push((format!(" {long}: "), format!(" {}: ", import.name)));
    }
    output.emit(folder)?;
    let script = folder.join(format!("{name}.js"));
    let mut text = std::fs::read_to_string(&script)?;
    for (long, short) in renamed {
        if text.matches(&long).count() != 1 {
            return Err(format!("{} does not define `{}` once", script.display(), long.trim()).into());
        }
        text = text.replace(&long, &short);
    }
    Ok(std::fs::write(script, text)?)
}

#[cfg(not(feature = "cut"))]
fn cut(arguments: &Arguments) -> Result<Vec<u8>, Box<dyn Error>> {
    Ok(std::fs::read(&arguments.module)?)
}

/// Writes the pieces of a module, and returns the rest.
#[cfg(feature = "cut")]
fn cut(Arguments { module, folder, name, .. }: &Arguments) -> Result<Vec<u8>, Box<dyn Error>> {
    use wasm_split_cli_support::{Options, transform};
    let whole = std::fs::read(module)?;
    let left = &folder.join(format!("{name}.wasm"));
    let loader = format!("./{name}.js");
    let mut options = Options::new(&whole);
    options.output_dir = folder;
    options.main_out_path = left;
    options.main_module = &loader;
    transform(options)?;
    let bytes = std::fs::read(left)?;
    std::fs::remove_file(left)?;
    Ok(bytes)
}
