//! Runs a command in threads of its own, with Python's lock released, signals handled and progress reported.

use crate::errors::failed;
use fusescape_command::{CommandError, ProgressMonitor};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Longest delay of a signal, and least time between two calls of the progress function.
const TICK: Duration = Duration::from_millis(20);

/// Time for a command to stop before it is abandoned.
const PATIENCE: Duration = Duration::from_millis(40);

/// A function for progress reports: parts done, all parts, and their name.
pub type ProgressCallback<'py> = Option<Bound<'py, PyAny>>;

/// The progress of a command, and whether it should continue.
#[derive(Default)]
struct CommandProgress {
    is_stopped: AtomicBool,
    done: AtomicUsize,
    count: AtomicUsize,
    what: Mutex<String>,
}

impl ProgressMonitor for CommandProgress {
    fn begin(&self, count: usize, what: &str) {
        *self.what.lock().unwrap_or_else(PoisonError::into_inner) = what.to_owned();
        self.done.store(0, Ordering::Relaxed);
        self.count.store(count, Ordering::Relaxed);
    }

    fn advance(&self, parts: usize) {
        self.done.fetch_add(parts, Ordering::Relaxed);
    }

    fn recount(&self, count: usize) {
        self.count.store(count, Ordering::Relaxed);
    }

    fn end(&self) {}

    fn goes_on(&self) -> bool {
        !self.is_stopped.load(Ordering::Relaxed)
    }
}

/// Runs a command in the threads of `pool`, and calls `progress(done, count, what)` repeatedly.
///
/// Python's lock is released meanwhile. A signal, such as that of Ctrl-C, or an exception of `progress` stops the
/// command; a step in progress that takes longer than [`PATIENCE`] is abandoned, and ends in threads of its own.
///
/// # Errors
/// Errors of the command, or the exception that stopped it.
pub fn work<T: Send + 'static>(
    py: Python<'_>,
    pool: Arc<ThreadPool>,
    progress: ProgressCallback<'_>,
    command: impl FnOnce(&dyn ProgressMonitor) -> Result<T, CommandError> + Send + 'static,
) -> PyResult<T> {
    let seen = Arc::new(CommandProgress::default());
    let (sender, receiver) = channel();
    let used = Arc::clone(&pool);
    let monitor = Arc::clone(&seen);
    let thread = std::thread::spawn(move || {
        // The receiver may be gone.
        let _ = sender.send(pool.install(|| command(&*monitor)));
    });
    let receiver = Mutex::new(receiver);
    let mut told = (0, 0);
    loop {
        match py.detach(|| wait(&receiver, TICK)) {
            Ok(found) => {
                tell(&seen, progress.as_ref(), &mut told)?;
                return found.map_err(|why| failed(why.into()));
            }
            Err(RecvTimeoutError::Disconnected) => {
                // After a panic, raise an exception as Python does.
                match thread.join() {
                    Err(panic) => std::panic::resume_unwind(panic),
                    Ok(()) => return Err(pyo3::exceptions::PyRuntimeError::new_err("The engine gave no answer.")),
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(why) = py.check_signals().and_then(|()| tell(&seen, progress.as_ref(), &mut told)) {
                    seen.is_stopped.store(true, Ordering::Relaxed);
                    if py.detach(|| wait(&receiver, PATIENCE)).is_err() {
                        leave(&used);
                    }
                    return Err(why);
                }
            }
        }
    }
}

fn wait<T>(receiver: &Mutex<Receiver<T>>, time: Duration) -> Result<T, RecvTimeoutError> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time)
}

/// Calls the progress function if there is progress.
fn tell(seen: &CommandProgress, progress: Option<&Bound<'_, PyAny>>, told: &mut (usize, usize)) -> PyResult<()> {
    let Some(progress) = progress else { return Ok(()) };
    let (done, count) = (seen.done.load(Ordering::Relaxed), seen.count.load(Ordering::Relaxed));
    if (done, count) != *told {
        *told = (done, count);
        let what = seen.what.lock().unwrap_or_else(PoisonError::into_inner).clone();
        progress.call1((done.min(count), count, what))?;
    }
    Ok(())
}

/// The threads of a process, with its id.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Threads for one command, beside those of the process.
pub fn own_pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(Arc::new).map_err(|why| pyo3::exceptions::PyOSError::new_err(why.to_string()))
}

/// The threads of this process: one per core, or as many as the variable `RAYON_NUM_THREADS` states.
///
/// A forked process has none of its parent's threads, and creates its own.
pub fn shared_pool() -> PyResult<Arc<ThreadPool>> {
    let mut known = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let own = std::process::id();
    match &*known {
        Some((process, pool)) if *process == own => Ok(Arc::clone(pool)),
        _ => {
            let pool = own_pool(0)?;
            // The parent's pool must not be dropped here, as that would wait for its threads.
            std::mem::forget(known.replace((own, Arc::clone(&pool))));
            Ok(pool)
        }
    }
}

/// Abandons threads to the work that still runs in them; the next command creates others.
fn leave(pool: &Arc<ThreadPool>) {
    let mut known = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if known.as_ref().is_some_and(|(_, own)| Arc::ptr_eq(own, pool)) {
        *known = None;
    }
}
