//! Files that have their names only when they are whole.

use super::{StudyFailure, at};
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// A file while it is written, under a name of its own. It is gone if it is dropped, but not if the process is killed.
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
        let mut builder = Builder::new();
        let name = path.file_name().unwrap_or_default();
        builder.prefix(name).suffix(".tmp");
        // Results are read by whoever may read what else stands there.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder).map_err(at(path))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Where it is going to stand.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it at its begin, to write or to read.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(&self) -> Result<File, StudyFailure> {
        self.file.reopen().map_err(at(&self.path))
    }

    /// Gives it its name, in the place of an earlier file.
    ///
    /// # Errors
    /// It cannot be written, or renamed.
    pub fn replace(self) -> Result<(), StudyFailure> {
        self.file.as_file().sync_all().map_err(at(&self.path))?;
        self.file.persist(&self.path).map_err(|why| at(&self.path)(why.error))?;
        Ok(())
    }

    /// Gives it its name, where no file may stand.
    ///
    /// # Errors
    /// It cannot be written, or renamed, or a file stands there.
    pub fn place(self) -> Result<(), StudyFailure> {
        self.file.as_file().sync_all().map_err(at(&self.path))?;
        self.file.persist_noclobber(&self.path).map_err(|why| at(&self.path)(why.error))?;
        // Its name outlives a power cut, too, before anything else is removed for it.
        if cfg!(unix) {
            File::open(folder_of(&self.path)).and_then(|folder| folder.sync_all()).map_err(at(&self.path))?;
        }
        Ok(())
    }
}

/// The folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
