//! Files that get their names when they are complete.

use super::failure::{StudyFailure, at};
use crate::files::temporary_for;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that is being written, under a temporary name. Dropping it removes the file; killing the process does not.
pub struct Unfinished {
    file: NamedTempFile,
    path: PathBuf,
}

impl Unfinished {
    /// An empty file in `folder` that will be moved to `path`, on the same disk.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn new(path: &Path, folder: &Path) -> Result<Self, StudyFailure> {
        let file = temporary_for(path).tempfile_in(folder).map_err(at(path))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Its final path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it at its beginning, for writing or reading.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(&self) -> Result<File, StudyFailure> {
        self.file.reopen().map_err(at(&self.path))
    }

    /// Flushes everything to the disk, so that a full disk is an error.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn sync(&self) -> Result<(), StudyFailure> {
        self.file.as_file().sync_all().map_err(at(&self.path))
    }

    /// Gives it its name, in place of an earlier file.
    ///
    /// # Errors
    /// If it cannot be written or renamed.
    pub fn persist_over(self) -> Result<(), StudyFailure> {
        self.sync()?;
        self.file.persist(&self.path).map_err(|why| at(&self.path)(why.error))?;
        Ok(())
    }

    /// Gives it its name, unless a file with that name exists.
    ///
    /// # Errors
    /// If it cannot be written or renamed, or the file exists.
    pub fn persist_new(self) -> Result<(), StudyFailure> {
        let Self { file, path } = self;
        file.as_file().sync_all().map_err(at(&path))?;
        match file.persist_noclobber(&path) {
            // Some file systems can only rename.
            Err(why) if why.error.kind() != ErrorKind::AlreadyExists && !path.exists() => {
                why.file.persist(&path).map_err(|why| at(&path)(why.error))?;
            }
            renamed => drop(renamed.map_err(|why| at(&path)(why.error))?),
        }
        // Makes the name durable before other files are removed; on systems where folders cannot be synchronised, a
        // power cut may lose it.
        if cfg!(unix) {
            let _ = File::open(folder_of(&path)).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}

/// The folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
