//! Files that have their names only when they are whole.

use super::failure::{StudyFailure, at};
use crate::files::temporary_for;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file while it is written, under a name of its own. Dropping it removes the file; killing the process does not.
pub struct Unfinished {
    file: NamedTempFile,
    path: PathBuf,
}

impl Unfinished {
    /// An empty file in `folder` that is going to stand at `path`, on the same disk.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new(path: &Path, folder: &Path) -> Result<Self, StudyFailure> {
        let file = temporary_for(path).tempfile_in(folder).map_err(at(path))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Where it is going to stand.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it at its beginning, to write or to read.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(&self) -> Result<File, StudyFailure> {
        self.file.reopen().map_err(at(&self.path))
    }

    /// Has the disk take all that was written, so that a disk that takes no more says so.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn sync(&self) -> Result<(), StudyFailure> {
        self.file.as_file().sync_all().map_err(at(&self.path))
    }

    /// Gives it its name, in the place of an earlier file.
    ///
    /// # Errors
    /// It cannot be written, or renamed.
    pub fn persist_over(self) -> Result<(), StudyFailure> {
        self.sync()?;
        self.file.persist(&self.path).map_err(|why| at(&self.path)(why.error))?;
        Ok(())
    }

    /// Gives it its name, where no file may stand.
    ///
    /// # Errors
    /// It cannot be written, or renamed, or a file stands there.
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
        // Its name outlives a power cut, too, before anything else is removed for it; where folders cannot be synchronised, it may not.
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
