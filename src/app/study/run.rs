//! The run of a study: its designs are computed by the workers, or come from a file. It continues while other views are
//! shown.

use crate::app::workers::handle::Workers;
use crate::app::workers::job::JobRun;
use crate::app::workers::results::Status;
use crate::chart::StudyTable;
use crate::explore::study::{DesignRow, DesignSampler, DesignSpace};
use crate::question::Channel;
use crate::results::csv_of;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// The single run of the page.
#[derive(Clone)]
pub struct StudyRun {
    known: Rc<RefCell<KnownDesigns>>,
    /// `None` if the designs come from a file.
    job: Option<JobRun<DesignSampler>>,
}

impl PartialEq for StudyRun {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.known, &other.known)
    }
}

/// The results so far.
struct KnownDesigns {
    table: Rc<RefCell<StudyTable>>,
    /// All rows, in order of arrival.
    rows: Vec<DesignRow>,
}

impl KnownDesigns {
    fn nothing(study: &Arc<DesignSpace>) -> Self {
        Self { table: Rc::new(RefCell::new(StudyTable::new(Arc::clone(study)))), rows: Vec::new() }
    }

    fn keep(&mut self, row: DesignRow) {
        self.table.borrow_mut().add(&row);
        self.rows.push(row);
    }
}

thread_local! {
    static CURRENT: RefCell<Option<StudyRun>> = const { RefCell::new(None) };
    /// The view that shows the run; called when the run has changed.
    static LISTENER: RefCell<Option<Callback<()>>> = const { RefCell::new(None) };
    static VERSION: Cell<u64> = const { Cell::new(0) };
}

/// The current run, if there is one, and a number that changes with its results.
#[hook]
pub fn use_run() -> (Option<StudyRun>, u64) {
    let version = use_state_eq(|| VERSION.get());
    let setter = version.setter();
    use_effect_with((), move |()| {
        LISTENER.set(Some(Callback::from(move |()| setter.set(VERSION.get()))));
        || LISTENER.set(None)
    });
    (CURRENT.with_borrow(Clone::clone), VERSION.get())
}

fn tell() {
    VERSION.set(VERSION.get() + 1);
    if let Some(listener) = LISTENER.with_borrow(Clone::clone) {
        listener.emit(());
    }
}

impl StudyRun {
    /// Starts a study, in place of the current one.
    pub fn start(workers: &Workers, study: &Arc<DesignSpace>) {
        Self::end();
        let known = Rc::new(RefCell::new(KnownDesigns::nothing(study)));
        let heard = {
            let known = Rc::clone(&known);
            Box::new(move |rows: &Vec<DesignRow>| rows.iter().for_each(|row| known.borrow_mut().keep(row.clone())))
        };
        let (request, sampler) = (Rc::new(study.request.clone()), DesignSampler::new(Arc::clone(study)));
        let job = JobRun::start(workers, Channel::Designs, request, sampler, (heard, Callback::from(|()| tell())));
        CURRENT.set(Some(Self { known, job: Some(job) }));
        tell();
    }

    /// Takes the rows of a file as the designs of a study.
    pub fn open(study: &Arc<DesignSpace>, rows: Vec<DesignRow>) {
        Self::end();
        let mut known = KnownDesigns::nothing(study);
        rows.into_iter().for_each(|row| known.keep(row));
        CURRENT.set(Some(Self { known: Rc::new(RefCell::new(known)), job: None }));
        tell();
    }

    fn end() {
        if let Some(job) = CURRENT.take().and_then(|old| old.job) {
            job.give_up_lanes();
        }
    }

    /// The work of the workers; `None` if the designs come from a file.
    pub fn job(&self) -> Option<&JobRun<DesignSampler>> {
        self.job.as_ref()
    }

    /// `None` if the designs come from a file.
    pub fn status(&self) -> Option<Status> {
        self.job.as_ref().map(JobRun::status)
    }

    /// Whether all designs are known; `None` if they come from a file.
    pub fn is_done(&self) -> Option<bool> {
        self.status().map(|status| status == Status::Done)
    }

    /// Value of the attribute `data-status`.
    pub fn status_name(&self) -> &'static str {
        self.status().map_or("opened", Status::name)
    }

    pub fn study(&self) -> Arc<DesignSpace> {
        Arc::clone(&self.table().borrow().study)
    }

    /// The results so far.
    pub fn table(&self) -> Rc<RefCell<StudyTable>> {
        Rc::clone(&self.known.borrow().table)
    }

    /// The rows as a CSV file, in the order of their designs.
    pub fn csv(&self) -> String {
        let known = self.known.borrow();
        let mut rows: Vec<&DesignRow> = known.rows.iter().collect();
        rows.sort_by_key(|row| row.design);
        csv_of(&self.study(), rows.into_iter())
    }

    /// Number of designs known, and of all designs; if a front is refined, the latter is an upper bound until it has
    /// ended.
    pub fn progress(&self) -> (u64, u64) {
        let known = self.known.borrow().rows.len() as u64;
        let study = self.study();
        let is_part = match self.status() {
            Some(status) => status == Status::Running,
            None => study.tasks().is_some(),
        };
        (known, if is_part { study.designs().max(known) } else { known })
    }
}
