//! The files that may be served: those of one folder, under any name.

use std::ffi::OsStr;
use std::future::Future;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use tower_http::services::fs::{Backend, TokioBackend, TokioFile};

/// A folder, without entries that begin with a dot and without links that lead outside.
#[derive(Clone, Debug)]
pub struct Folder {
    /// The canonical path, free of links.
    pub root: PathBuf,
}

type FileFuture<T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send>>;

impl Folder {
    /// The folder at a path.
    pub fn new(path: &Path) -> io::Result<Self> {
        Ok(Self { root: path.canonicalize()? })
    }

    /// The canonical path of a file.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if there is none, and also for files that must not be served, so that their existence is
    /// not revealed.
    fn inside(&self, path: &Path) -> io::Result<PathBuf> {
        let real = path.canonicalize().map_err(|_| ErrorKind::NotFound)?;
        // Both by its own name and by the name of a link to it.
        let is_shown = |path: &Path| path.strip_prefix(&self.root).is_ok_and(|inner| !inner.iter().any(is_hidden));
        if is_shown(&real) && is_shown(path) { Ok(real) } else { Err(ErrorKind::NotFound.into()) }
    }
}

fn is_hidden(part: &OsStr) -> bool {
    part.as_encoded_bytes().starts_with(b".")
}

impl Backend for Folder {
    type File = TokioFile;
    type Metadata = std::fs::Metadata;
    type OpenFuture = FileFuture<TokioFile>;
    type MetadataFuture = FileFuture<std::fs::Metadata>;

    fn open(&self, path: PathBuf) -> Self::OpenFuture {
        let real = self.inside(&path);
        Box::pin(async move {
            // Opening a pipe or a device would block.
            let real = real?;
            if !real.is_file() {
                return Err(ErrorKind::NotFound.into());
            }
            TokioBackend.open(real).await
        })
    }

    fn metadata(&self, path: PathBuf) -> Self::MetadataFuture {
        let real = self.inside(&path);
        Box::pin(async move { TokioBackend.metadata(real?).await })
    }
}

#[cfg(test)]
mod tests {
    use super::Folder;
    use std::path::Path;

    #[test]
    fn no_path_leads_out_of_the_folder() {
        let folder = Folder::new(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets")).unwrap();
        assert!(folder.inside(&folder.root.join("hardware/tpu-like.yaml")).is_ok());
        for path in ["../Cargo.toml", "hardware/../../Cargo.toml", "/etc/passwd", "nothing", "../.gitignore"] {
            assert!(folder.inside(&folder.root.join(path)).is_err(), "{path}");
        }
    }
}
