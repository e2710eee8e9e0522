//! Part files of a run: one file per task, in a folder beside the results. A part gets its name when it is complete, so
//! that a run that is killed loses only the current task, and a task that runs twice writes the same part.

use super::csv::CsvFile;
use super::failure::{StudyFailure, at};
use super::parquet::{ResultWriter, StudyFile, TakeRows, open_part};
use super::shard::Shard;
use super::unfinished::Unfinished;
use crate::wrong;
use fusescape_engine::explore::study::{DesignRow, DesignSpace, DesignTask};
use fusescape_results::key_of;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder of part files of one run.
pub struct PartFiles<'s> {
    study: &'s DesignSpace,
    folder: PathBuf,
    first: u64,
    /// Number behind the last written task.
    end: AtomicU64,
    /// Held as long as this process writes parts.
    _lock: Lock,
}

/// A lock on a file, released explicitly when dropped. Closing the file would not be enough: a forked process may still
/// have it open.
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// The file in the folder that names the study of the parts.
const STUDY: &str = "study.txt";
/// The file in the folder that is locked by the process that writes parts.
const LOCK: &str = "lock";

/// Whether a run has begun to write these results.
pub fn has_begun(out: &Path) -> bool {
    out.exists() || folder_of(out).exists()
}

fn folder_of(out: &Path) -> PathBuf {
    let mut name = out.file_name().map(std::ffi::OsStr::to_owned).unwrap_or_default();
    name.push(".parts");
    out.with_file_name(name)
}

/// Removes a folder that another process may remove or lock at the same time.
fn remove(folder: &Path) -> Result<(), StudyFailure> {
    match fs::remove_dir_all(folder) {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => {
            Err(at(folder)(error))
        }
        _ => Ok(()),
    }
}

/// Creates a folder and locks it for this run.
fn lock(folder: &Path) -> Result<Lock, StudyFailure> {
    let path = folder.join(LOCK);
    let file = loop {
        fs::create_dir_all(folder).map_err(at(folder))?;
        match File::options().create(true).write(true).truncate(false).open(&path) {
            // Another process, which had finished, removed it in between.
            Err(why) if why.kind() == ErrorKind::NotFound && !folder.is_dir() => {}
            file => break file.map_err(at(&path))?,
        }
    };
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        let reason = "Another run is writing these results";
        return Err(wrong("--out", reason, "Wait until it has ended, or name another file").into());
    }
    // Without file locks two runs may write at the same time: they write the same, and each file is complete.
    Ok(Lock(file))
}

impl<'s> PartFiles<'s> {
    /// The folder beside the results, with parts left by an earlier run of the same study.
    ///
    /// # Errors
    /// If the results or their parts are those of another study; another run is writing them; or the folder cannot be
    /// created.
    pub fn open(study: &'s DesignSpace, shard: Shard, out: &Path) -> Result<Self, StudyFailure> {
        let folder = folder_of(out);
        let is_there = || {
            let reason = format!("There is a file `{}` already", out.display());
            StudyFailure::from(wrong("--out", reason, "Name another file, or remove this one"))
        };
        if out.exists() {
            return Err(is_there());
        }
        let lock = lock(&folder)?;
        // Another run may have finished meanwhile. A folder with other files than the lock is kept.
        if out.exists() {
            let _ = fs::remove_file(folder.join(LOCK)).and_then(|()| fs::remove_dir(&folder));
            return Err(is_there());
        }
        let said = folder.join(STUDY);
        let what = format!("{} {}/{}\n", key_of(study), shard.index, shard.count);
        match fs::read_to_string(&said) {
            Ok(known) if known == what => {}
            Ok(_) => {
                let reason = format!("`{}` has parts of another study, or of another shard", folder.display());
                return Err(wrong("--out", reason, "Name another file, or remove this folder").into());
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let file = Unfinished::new(&said, &folder)?;
                file.open()?.write_all(what.as_bytes()).map_err(at(&said))?;
                file.persist_over()?;
            }
            Err(error) => return Err(at(&said)(error)),
        }
        let first = study.shard(shard.index, shard.count).map_or(0, |tasks| tasks.start);
        Ok(Self { study, folder, first, end: AtomicU64::new(first), _lock: lock })
    }

    /// Removes the folder beside complete results, if it still exists.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(out: &Path) -> Result<(), StudyFailure> {
        let folder = folder_of(out);
        remove(&folder)
    }

    fn path(&self, task: u64) -> PathBuf {
        self.folder.join(format!("{task:09}.parquet"))
    }

    /// The rows of a task from an earlier run; `None` if there are none, or the part cannot be read or checked.
    pub fn read(&self, task: &DesignTask) -> Option<Vec<DesignRow>> {
        let path = self.path(task.number);
        if !path.exists() {
            return None;
        }
        let file = open_part(self.study, &path).ok().filter(StudyFile::is_checked)?;
        let mut rows = Vec::with_capacity(task.designs.len());
        let read = file.rows(self.study, &mut |some| -> Result<(), StudyFailure> {
            rows.extend(some);
            Ok(())
        });
        let is_whole = read.is_ok() && rows.iter().map(|row| row.design).eq(task.designs.iter().copied());
        if is_whole {
            self.end.store(task.number + 1, Ordering::Relaxed);
        }
        is_whole.then_some(rows)
    }

    /// Writes the rows of a task.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, task: &DesignTask, rows: &[DesignRow]) -> Result<(), StudyFailure> {
        let mut file = ResultWriter::part(self.study, task.number, &self.path(task.number))?;
        file.add(rows.to_vec())?;
        file.end()?.persist_over()?;
        self.end.store(task.number + 1, Ordering::Relaxed);
        Ok(())
    }

    /// Merges all parts into one file, and removes them once that has been verified.
    ///
    /// # Errors
    /// If a file cannot be read, written or removed.
    pub fn finish(self, out: &Path, is_csv: bool) -> Result<(), StudyFailure> {
        let tasks = self.first..self.end.load(Ordering::Relaxed);
        if is_csv {
            let mut file = CsvFile::new(self.study, out, &self.folder)?;
            self.all(&mut |rows| file.add(&rows))?;
            file.finish()?;
        } else {
            let mut file = ResultWriter::new(self.study, tasks, out, &self.folder)?;
            self.all(&mut |rows| file.add(rows))?;
            file.end_checked()?.persist_new()?;
        }
        remove(&self.folder)
    }

    fn all(&self, take: TakeRows<'_>) -> Result<(), StudyFailure> {
        for task in self.first..self.end.load(Ordering::Relaxed) {
            open_part(self.study, &self.path(task))?.rows(self.study, take)?;
        }
        Ok(())
    }
}
