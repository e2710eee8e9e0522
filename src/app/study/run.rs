//! Runs a study over the workers: slices of designs out, rows in. There is one run at a time; it goes on while other views are shown.
//!
//! A study gives its designs task by task ([`Course`]), as on the command line; the designs of a task go to the workers in slices.

use crate::app::platform::timer::{before_next_frame, later, now_ms};
use crate::app::workers::handle::Workers;
use crate::chart::StudyTable;
use crate::explore::study::{Course, DesignRow, Study, StudyRequest};
use crate::question::{Answer, EvaluateDesigns, EvaluatedDesigns, Refusal, Topic};
use crate::results::csv_of;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use yew::prelude::*;

/// A slice of work should take about so long, milliseconds.
const SLICE_MS: f64 = 60.0;
/// Largest slice.
const MOST_IN_SLICE: usize = 256;
/// Time between two reports, in those that drawing one takes, and at the least, milliseconds.
const QUIET: f64 = 8.0;
const NEWS_MS: f64 = 200.0;

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    /// Workers work.
    Running,
    /// A person stopped it, or a worker failed.
    Stopped,
    /// Every design is known.
    Done,
    /// The designs come from a file.
    Opened,
}

impl RunStatus {
    /// As in the attribute `data-status`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Done => "done",
            Self::Opened => "opened",
        }
    }
}

/// The one run of the page.
#[derive(Clone)]
pub struct Run(Rc<RefCell<Inner>>);

impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

struct Inner {
    workers: Workers,
    request: Rc<StudyRequest>,
    course: Course<Rc<Study>>,
    table: Rc<RefCell<StudyTable>>,
    /// All rows, in the order in which they came.
    rows: Vec<DesignRow>,
    status: RunStatus,
    /// Designs of the task at hand that nobody has yet, last first.
    waiting: Vec<u64>,
    /// Rows of the task at hand.
    of_task: Vec<DesignRow>,
    /// Designs of the task at hand.
    task: usize,
    lanes: Vec<Lane>,
    /// Milliseconds that a design takes.
    pace: f64,
    clock: (f64, f64),
    failure: Option<String>,
    /// Counts starts and stops, so that late replies are recognised.
    serial: u32,
    is_told: bool,
    last_told: (f64, f64),
}

#[derive(Default)]
struct Lane {
    designs: Vec<u64>,
    since: f64,
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
    pub fn start(workers: &Workers, study: &Rc<Study>) {
        let run = Self::begun(workers, study, RunStatus::Running);
        run.feed();
        tell();
    }

    /// Takes the rows of a file for the designs of a study.
    pub fn open(workers: &Workers, study: &Rc<Study>, rows: Vec<DesignRow>) {
        let run = Self::begun(workers, study, RunStatus::Opened);
        rows.into_iter().for_each(|row| run.0.borrow_mut().keep(row));
        tell();
    }

    fn begun(workers: &Workers, study: &Rc<Study>, status: RunStatus) -> Self {
        if let Some(old) = CURRENT.take() {
            old.forget_lanes();
        }
        let lanes = workers.count().max(1);
        let run = Self(Rc::new(RefCell::new(Inner {
            workers: workers.clone(),
            request: Rc::new(study.request.clone()),
            course: Course::new(Rc::clone(study)),
            table: Rc::new(RefCell::new(StudyTable::new(Rc::clone(study)))),
            rows: Vec::new(),
            status,
            waiting: Vec::new(),
            of_task: Vec::new(),
            task: 0,
            lanes: (0..lanes).map(|_| Lane::default()).collect(),
            pace: SLICE_MS,
            clock: (now_ms(), 0.0),
            failure: None,
            serial: 0,
            is_told: true,
            last_told: (0.0, 0.0),
        })));
        CURRENT.set(Some(run.clone()));
        run
    }

    /// Stops working; what is known stays.
    pub fn stop(&self) {
        if self.status() == RunStatus::Running {
            self.forget_lanes();
            self.0.borrow_mut().end(RunStatus::Stopped);
            tell();
        }
    }

    /// Goes on after a stop.
    pub fn resume(&self) {
        if self.status() == RunStatus::Stopped {
            {
                let inner = &mut *self.0.borrow_mut();
                inner.status = RunStatus::Running;
                inner.failure = None;
                inner.clock.0 = now_ms();
            }
            self.feed();
            tell();
        }
    }

    /// How far it is.
    pub fn status(&self) -> RunStatus {
        self.0.borrow().status
    }

    /// The study.
    pub fn study(&self) -> Rc<Study> {
        Rc::clone(&self.0.borrow().table.borrow().study)
    }

    /// All that is known.
    pub fn table(&self) -> Rc<RefCell<StudyTable>> {
        Rc::clone(&self.0.borrow().table)
    }

    /// The rows as a CSV file, in the order of their designs.
    pub fn csv(&self) -> String {
        let inner = self.0.borrow();
        let mut rows: Vec<&DesignRow> = inner.rows.iter().collect();
        rows.sort_by_key(|row| row.design);
        csv_of(&self.study(), rows.into_iter())
    }

    /// Time spent, milliseconds.
    pub fn elapsed_ms(&self) -> f64 {
        self.0.borrow().elapsed_ms()
    }

    /// What a worker could not do.
    pub fn failure(&self) -> Option<String> {
        self.0.borrow().failure.clone()
    }

    /// Designs that are known, and those that there are; where a front is refined, at the most, and known ones once it has ended.
    pub fn progress(&self) -> (u64, u64) {
        let known = self.0.borrow().rows.len() as u64;
        let (study, status) = (self.study(), self.status());
        let is_part = status == RunStatus::Running || status == RunStatus::Opened && study.tasks().is_some();
        (known, if is_part { study.designs().max(known) } else { known })
    }

    fn forget_lanes(&self) {
        let (workers, lanes) = {
            let inner = &mut *self.0.borrow_mut();
            inner.serial += 1;
            for lane in &mut inner.lanes {
                inner.waiting.extend(std::mem::take(&mut lane.designs).into_iter().rev());
            }
            (inner.workers.clone(), inner.lanes.len())
        };
        (0..lanes).for_each(|lane| workers.forget(Topic::Designs(lane as u8)));
    }

    /// Gives a slice to every lane that has none.
    fn feed(&self) {
        loop {
            let (lane, question, serial, workers) = {
                let inner = &mut *self.0.borrow_mut();
                let Some((lane, designs)) = inner.next_slice() else { break };
                let question =
                    EvaluateDesigns { request: Rc::clone(&inner.request), designs, front: inner.course.front.clone() };
                (lane, question, inner.serial, inner.workers.clone())
            };
            let run = self.clone();
            let on_answer = Callback::from(move |(_, answer): (usize, Answer<EvaluatedDesigns>)| {
                if run.0.borrow().serial == serial {
                    run.hear(lane, answer);
                }
            });
            workers.ask(Topic::Designs(lane as u8), &[question], on_answer);
        }
        self.announce();
    }

    fn hear(&self, lane: usize, answer: Answer<EvaluatedDesigns>) {
        let has_failed = {
            let inner = &mut *self.0.borrow_mut();
            match answer {
                Ok(found) => {
                    inner.take(lane, found);
                    false
                }
                Err(refusal) => {
                    inner.failure = Some(match refusal {
                        Refusal::Failed(why) => why,
                        rejected => rejected.to_string(),
                    });
                    true
                }
            }
        };
        if has_failed {
            self.stop();
        } else {
            self.feed();
        }
    }

    /// Tells what is known: not more often than drawing it allows, and at once at the end.
    fn announce(&self) {
        let wait = {
            let inner = &mut *self.0.borrow_mut();
            let is_over = inner.status != RunStatus::Running;
            if !inner.is_told && !is_over {
                return;
            }
            inner.is_told = false;
            let (at, took) = inner.last_told;
            if is_over { 0.0 } else { (at + NEWS_MS.max(QUIET * took) - now_ms()).max(0.0) }
        };
        let run = self.clone();
        let news = move || before_next_frame(move || run.tell_what_is_due());
        if wait > 4.0 { later(wait as u32, news) } else { news() }
    }

    fn tell_what_is_due(&self) {
        if std::mem::replace(&mut self.0.borrow_mut().is_told, true) {
            return;
        }
        let start = now_ms();
        tell();
        let run = self.clone();
        // By then the view is drawn.
        later(0, move || run.0.borrow_mut().last_told = (now_ms(), now_ms() - start));
    }
}

impl Inner {
    fn elapsed_ms(&self) -> f64 {
        let running = if self.status == RunStatus::Running { now_ms() - self.clock.0 } else { 0.0 };
        self.clock.1 + running
    }

    fn end(&mut self, status: RunStatus) {
        self.clock.1 = self.elapsed_ms();
        self.status = status;
    }

    fn next_slice(&mut self) -> Option<(usize, Vec<u64>)> {
        if self.status != RunStatus::Running {
            return None;
        }
        let lane = self.lanes.iter().position(|lane| lane.designs.is_empty())?;
        if self.waiting.is_empty() && self.of_task.len() == self.task {
            let rows = std::mem::take(&mut self.of_task);
            self.course.tell(&rows);
            let Some(task) = self.course.next() else {
                self.end(RunStatus::Done);
                return None;
            };
            self.task = task.designs.len();
            self.waiting = task.designs;
            self.waiting.reverse();
        }
        if self.waiting.is_empty() {
            return None;
        }
        // Towards the end of a task all lanes have something to do.
        let share = self.waiting.len().div_ceil(self.lanes.len());
        let by_pace = ((SLICE_MS / self.pace.max(1e-3)) as usize).clamp(1, MOST_IN_SLICE);
        let rest = self.waiting.len() - by_pace.min(share);
        let mut designs = self.waiting.split_off(rest);
        designs.reverse();
        self.lanes[lane] = Lane { designs: designs.clone(), since: now_ms() };
        Some((lane, designs))
    }

    fn take(&mut self, lane: usize, found: EvaluatedDesigns) {
        let lane = &mut self.lanes[lane];
        let took = now_ms() - lane.since;
        self.pace += 0.5 * (took / found.rows.len().max(1) as f64 - self.pace);
        lane.designs.clear();
        for row in found.rows {
            self.of_task.push(row.clone());
            self.keep(row);
        }
    }

    fn keep(&mut self, row: DesignRow) {
        self.table.borrow_mut().add(&row);
        self.rows.push(row);
    }
}
