//! The one run of a study: its designs over the workers, or out of a file. It goes on while other views are shown.

use crate::app::workers::handle::Workers;
use crate::app::workers::job::JobRun;
use crate::app::workers::results::Status;
use crate::chart::StudyTable;
use crate::explore::study::{Course, DesignRow, Study};
use crate::question::Topic;
use crate::results::csv_of;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// The one run of the page.
#[derive(Clone)]
pub struct Run {
    known: Rc<RefCell<Known>>,
    /// None where the designs come from a file.
    job: Option<JobRun<Course>>,
}

impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.known, &other.known)
    }
}

/// The designs that are known.
struct Known {
    table: Rc<RefCell<StudyTable>>,
    /// All rows, in the order in which they came.
    rows: Vec<DesignRow>,
}

impl Known {
    fn nothing(study: &Arc<Study>) -> Self {
        Self { table: Rc::new(RefCell::new(StudyTable::new(Arc::clone(study)))), rows: Vec::new() }
    }

    fn keep(&mut self, row: DesignRow) {
        self.table.borrow_mut().add(&row);
        self.rows.push(row);
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Run>> = const { RefCell::new(None) };
    /// Whoever shows the run, and hears that it has changed.
    static LISTENER: RefCell<Option<Callback<()>>> = const { RefCell::new(None) };
    static VERSION: Cell<u64> = const { Cell::new(0) };
}

/// The run at hand, if there is one, and a number that changes with all that it knows.
#[hook]
pub fn use_run() -> (Option<Run>, u64) {
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

impl Run {
    /// Starts a study; whatever is going on is over.
    pub fn start(workers: &Workers, study: &Arc<Study>) {
        Self::end();
        let known = Rc::new(RefCell::new(Known::nothing(study)));
        let heard = {
            let known = Rc::clone(&known);
            Box::new(move |rows: &Vec<DesignRow>| rows.iter().for_each(|row| known.borrow_mut().keep(row.clone())))
        };
        let (request, course) = (Rc::new(study.request.clone()), Course::new(Arc::clone(study)));
        let job = JobRun::start(workers, Topic::Designs, request, course, (heard, Callback::from(|()| tell())));
        CURRENT.set(Some(Self { known, job: Some(job) }));
        tell();
    }

    /// Takes the rows of a file for the designs of a study.
    pub fn open(study: &Arc<Study>, rows: Vec<DesignRow>) {
        Self::end();
        let mut known = Known::nothing(study);
        rows.into_iter().for_each(|row| known.keep(row));
        CURRENT.set(Some(Self { known: Rc::new(RefCell::new(known)), job: None }));
        tell();
    }

    fn end() {
        if let Some(job) = CURRENT.take().and_then(|old| old.job) {
            job.give_up_lanes();
        }
    }

    /// Stops working; what is known stays.
    pub fn stop(&self) {
        self.job.iter().for_each(JobRun::stop);
    }

    /// Goes on after a stop.
    pub fn resume(&self) {
        self.job.iter().for_each(JobRun::resume);
    }

    /// How far it is; `None` where the designs come from a file.
    pub fn status(&self) -> Option<Status> {
        self.job.as_ref().map(JobRun::status)
    }

    /// Whether all designs are known; `None` where they come from a file.
    pub fn is_done(&self) -> Option<bool> {
        self.status().map(|status| status == Status::Done)
    }

    /// As in the attribute `data-status`.
    pub fn status_name(&self) -> &'static str {
        self.status().map_or("opened", Status::name)
    }

    /// The study.
    pub fn study(&self) -> Arc<Study> {
        Arc::clone(&self.table().borrow().study)
    }

    /// All that is known.
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

    /// Time spent, milliseconds.
    pub fn elapsed_ms(&self) -> f64 {
        self.job.as_ref().map_or(0.0, JobRun::elapsed_ms)
    }

    /// What a worker could not do.
    pub fn failure(&self) -> Option<String> {
        self.job.as_ref()?.failure()
    }

    /// Designs that are known, and those that there are; where a front is refined, at the most, and known ones once it has ended.
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
