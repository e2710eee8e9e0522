//! Files named by a user, with error messages for files that are missing or not text.

use fusescape_import::text_of;
use fusescape_spec::visible;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use tempfile::Builder;

/// A path as printed.
pub fn shown(path: &Path) -> String {
    visible(&path.display().to_string()).into_owned()
}

/// The reason why a file cannot be read or written, for a person.
pub fn failed(path: &Path) -> impl Fn(io::Error) -> String {
    let path = shown(path);
    move |error| match error.kind() {
        _ if is_full(&error) => format!("{path}: {NO_ROOM}"),
        ErrorKind::AlreadyExists => format!("{path}: There is a file already. Name another file, or remove this one."),
        ErrorKind::NotFound => format!("{path}: There is no such file or folder. Look at its name."),
        ErrorKind::PermissionDenied => format!("{path}: You have no right to that. Name another file, or ask for it."),
        ErrorKind::ReadOnlyFilesystem => format!("{path}: Nothing can be written there. Name a file on another disk."),
        ErrorKind::FileTooLarge => {
            format!("{path}: The file is larger than the system lets it be. Raise that limit, or write fewer designs.")
        }
        ErrorKind::IsADirectory => format!("{path}: This is a folder. Name a file in it."),
        ErrorKind::NotADirectory => {
            format!("{path}: This leads through a file as if it were a folder. Look at its name.")
        }
        _ => format!("{path}: {error}"),
    }
}

/// Whether an error means that a disk is full.
pub fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

/// Message for a full disk.
pub const NO_ROOM: &str = "There is no room left on the disk. Make room, then run it again.";

/// Writes a whole file in place of an earlier one, which is kept unchanged if that fails.
///
/// # Errors
/// If it cannot be written; for a person.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    let write = || -> io::Result<()> {
        // Follows symbolic links. Anything but a file on a disk, such as a pipe, is written directly.
        let there = match path.canonicalize() {
            Ok(there) if !there.is_file() => return fs::write(path, text),
            Ok(there) => there,
            Err(_) => path.to_owned(),
        };
        let folder = there.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut file = temporary_for(&there).tempfile_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        if let Ok(earlier) = fs::metadata(&there) {
            file.as_file().set_permissions(earlier.permissions())?;
        }
        file.persist(&there)?;
        Ok(())
    };
    write().map_err(failed(path))
}

/// A builder for a temporary file that will be moved to `path`, readable like other new files.
pub fn temporary_for(path: &Path) -> Builder<'_, '_> {
    let mut builder = Builder::new();
    builder.prefix(path.file_name().unwrap_or_default()).suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// Opens a file for reading; a folder is an error.
///
/// # Errors
/// The reason why it cannot be opened, for a person.
pub fn open(path: &Path) -> Result<File, String> {
    if path.is_dir() {
        return Err(failed(path)(ErrorKind::IsADirectory.into()));
    }
    File::open(path).map_err(failed(path))
}

/// The text of a file of at most `most` bytes.
///
/// # Errors
/// If it cannot be read, is longer, or is not text; for a person.
pub fn read_text(path: &Path, most: usize) -> Result<String, String> {
    let mut bytes = Vec::new();
    // One byte more is read to detect a file that is too long, even if it is a device that never ends.
    let read = open(path)?.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(failed(path))?;
    if bytes.len() > most {
        // A device has no length.
        let length = fs::metadata(path).map_or(0, |file| file.len());
        let what = if length > most as u64 { format!("{length} bytes, more than") } else { "more than".to_owned() };
        let remedy = "Leave out what is not needed, or name another file.";
        return Err(format!("{}: The file has {what} the {most} bytes that are read. {remedy}", shown(path)));
    }
    text_of(&path.display().to_string(), bytes).map_err(|wrong| wrong.to_string())
}
