//! Files that a person names: what is no text, or no file at all, is called so.

use fusescape_import::text_of;
use fusescape_spec::visible;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// A path as it is printed.
pub fn shown(path: &Path) -> String {
    visible(&path.display().to_string()).into_owned()
}

/// Why a file cannot be read or written, for a person.
pub fn failed(path: &Path) -> impl Fn(io::Error) -> String {
    let path = shown(path);
    move |error| match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => format!("{path}: {NO_ROOM}"),
        ErrorKind::AlreadyExists => format!("{path}: There is a file already. Name another file, or remove this one."),
        ErrorKind::NotFound => format!("{path}: There is no such file or folder. Look at its name."),
        _ => format!("{path}: {error}"),
    }
}

/// What a full disk is called.
pub const NO_ROOM: &str = "There is no room left on the disk. Make room, then run it again.";

/// Writes a file.
///
/// # Errors
/// It cannot be written; for a person.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(failed(path))
}

/// A file to be read; a folder is none.
///
/// # Errors
/// Why it cannot be, for a person.
pub fn open(path: &Path) -> Result<File, String> {
    if path.is_dir() {
        return Err(format!("{}: This is a folder. Name a file in it.", shown(path)));
    }
    File::open(path).map_err(failed(path))
}

/// The text of a file of at most `most` bytes; more are not read.
///
/// # Errors
/// It cannot be read, is longer, or is no text; for a person.
pub fn read_text(path: &Path, most: usize) -> Result<String, String> {
    let mut bytes = Vec::new();
    // A byte more than is taken, so that what is too long is noticed, be it a device that never ends.
    let read = open(path)?.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(failed(path))?;
    if bytes.len() > most {
        // A device has no length.
        let length = std::fs::metadata(path).map_or(0, |file| file.len());
        let what = if length > most as u64 { format!("{length} bytes, more than") } else { "more than".to_owned() };
        let remedy = "Leave out what is not needed, or name another file.";
        return Err(format!("{}: The file has {what} the {most} bytes that are read. {remedy}", shown(path)));
    }
    text_of(&path.display().to_string(), bytes).map_err(|wrong| wrong.to_string())
}
