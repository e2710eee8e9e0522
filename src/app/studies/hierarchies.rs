//! Drives a study of memory hierarchies over the workers: slices out, bounds and verdicts in, the front at any time.
//!
//! Each worker has a lane, a topic of its own, in which it is asked one slice after the other. What is drawn is thinned out, so
//! that memory and drawing stay bounded however many hierarchies there are.

use super::study_results::{Comparison, StudyResults, StudyStatus};
use crate::app::platform::timer::{before_next_frame, later, now_ms};
use crate::app::workers::handle::Workers;
use crate::hierarchy::{Exploration, HierarchyFacts, HierarchyRequest, Point, SearchOutcome, Stage, StudyOutline};
use crate::question::{
    Answer, Ask, BoundHierarchies, HierarchyBounds, HierarchyOutcome, OpenHierarchy, OutlineHierarchies, Refusal,
    SearchHierarchies, Topic, UnrollHierarchies, UnrolledEnergies,
};
use crate::sorting::sort_by;
use crate::spec::Diagnostics;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::Callback;

/// A slice of work should take about so long, milliseconds.
const SLICE_MS: f64 = 30.0;
/// Largest slice.
const MOST_IN_SLICE: usize = 512;
/// Least time between two reports of progress, milliseconds.
const NEWS_MS: u32 = 120;
/// Points closer than this share of their energy and latency are drawn as one.
const GRAIN: f64 = 0.012;
/// More points than this are not drawn, but for the front.
const MOST_DRAWN: usize = 3000;
/// Columns of the comparison of unrollings.
pub const MOST_COMPARED: usize = 8;

/// Handle on the one explorer of the page.
#[derive(Clone)]
pub struct Explorer(Rc<RefCell<Inner>>);

impl PartialEq for Explorer {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

struct Inner {
    workers: Workers,
    publish: Callback<Rc<StudyResults>>,
    request: Option<Rc<HierarchyRequest>>,
    status: StudyStatus,
    outline: Option<Rc<StudyOutline>>,
    exploration: Exploration,
    /// Points to draw, by place; the one of least area of each place.
    places: BTreeMap<(i32, i32), Point>,
    names: BTreeMap<u32, Rc<str>>,
    lanes: Vec<Lane>,
    /// Counts studies, so that late replies are recognised.
    serial: u32,
    clock: (f64, f64),
    diagnostics: Diagnostics,
    opened: Option<Rc<HierarchyFacts>>,
    comparison: Option<Comparison>,
    failure: Option<String>,
    news_due: bool,
}

/// One worker's share.
#[derive(Default)]
struct Lane {
    task: Option<Task>,
    since: f64,
    /// Milliseconds that a hierarchy takes, for its bound and for its search.
    pace: [f64; 2],
}

/// A slice of the work.
#[derive(Clone)]
enum Task {
    Plan,
    Bound(std::ops::Range<usize>),
    Search(Vec<u32>),
}

impl Explorer {
    /// An idle explorer. `publish` is called with new results, a few times a second.
    pub fn new(workers: &Workers, publish: Callback<Rc<StudyResults>>) -> Self {
        Self(Rc::new(RefCell::new(Inner {
            workers: workers.clone(),
            publish,
            request: None,
            status: StudyStatus::Idle,
            outline: None,
            exploration: Exploration::default(),
            places: BTreeMap::new(),
            names: BTreeMap::new(),
            lanes: Vec::new(),
            serial: 0,
            clock: (0.0, 0.0),
            diagnostics: Diagnostics::default(),
            opened: None,
            comparison: None,
            failure: None,
            news_due: false,
        })))
    }

    /// Starts a new study; whatever is going on is over.
    pub fn start(&self, request: HierarchyRequest) {
        self.forget_lanes();
        {
            let inner = &mut *self.0.borrow_mut();
            inner.serial += 1;
            inner.request = Some(Rc::new(request));
            inner.status = StudyStatus::Running;
            inner.outline = None;
            inner.exploration = Exploration::default();
            (inner.places, inner.names) = (BTreeMap::new(), BTreeMap::new());
            inner.diagnostics = Diagnostics::default();
            (inner.opened, inner.comparison, inner.failure) = (None, None, None);
            inner.clock = (now_ms(), 0.0);
            let lanes = inner.workers.count().max(1);
            inner.lanes = (0..lanes).map(|_| Lane { pace: [0.1, 2.0], ..Lane::default() }).collect();
        }
        self.put(0, Task::Plan);
        self.announce();
    }

    /// Stops working; what is known stays.
    pub fn stop(&self) {
        self.forget_lanes();
        {
            let inner = &mut *self.0.borrow_mut();
            if inner.status == StudyStatus::Running {
                inner.clock.1 = inner.elapsed_ms();
                inner.status = StudyStatus::Stopped;
            }
        }
        self.announce();
    }

    /// Goes on after a stop.
    pub fn resume(&self) {
        {
            let inner = &mut *self.0.borrow_mut();
            if inner.status != StudyStatus::Stopped {
                return;
            }
            inner.status = StudyStatus::Running;
            inner.clock.0 = now_ms();
        }
        if self.0.borrow().outline.is_none() {
            let request = self.0.borrow().request.clone();
            if let Some(request) = request {
                self.start((*request).clone());
            }
            return;
        }
        self.feed();
        self.announce();
    }

    /// Opens a hierarchy in depth.
    pub fn open(&self, hierarchy: u32) {
        let (workers, request) = {
            let inner = self.0.borrow();
            (inner.workers.clone(), inner.request.clone())
        };
        let Some(request) = request else { return };
        let question = OpenHierarchy { request, number: hierarchy };
        let on_answer = self.hear_with(|inner, answer| match answer {
            Ok(facts) => inner.opened = Some(facts),
            Err(refusal) => inner.failure = Some(refusal.to_string()),
        });
        workers.ask(Topic::HierarchyFacts, &[question], on_answer);
    }

    /// Compares some hierarchies under all unrollings.
    pub fn compare(&self, hierarchies: Vec<(u32, Rc<str>)>) {
        let (workers, request, rows) = {
            let inner = &mut *self.0.borrow_mut();
            let rows = inner.outline.as_ref().map_or(0, |outline| outline.unrollings.len());
            inner.comparison = Some(Comparison { hierarchies: hierarchies.clone(), rows: vec![None; rows] });
            (inner.workers.clone(), inner.request.clone(), rows)
        };
        let Some(request) = request else { return };
        let numbers: Vec<u32> = hierarchies.iter().map(|(number, _)| *number).collect();
        let question = |row| UnrollHierarchies {
            request: Rc::clone(&request),
            unrolling: row as u32,
            hierarchies: numbers.clone(),
        };
        let questions: Vec<UnrollHierarchies> = (0..rows).map(question).collect();
        let on_answer =
            self.hear_with(|inner, answer: Answer<UnrolledEnergies>| match (answer, &mut inner.comparison) {
                (Ok(found), Some(comparison)) => {
                    if let Some(known) = comparison.rows.get_mut(found.unrolling as usize) {
                        *known = Some(found.energies_pj);
                    }
                }
                (Ok(_), None) => {}
                (Err(refusal), _) => inner.failure = Some(refusal.to_string()),
            });
        workers.ask(Topic::Unrollings, &questions, on_answer);
        self.announce();
    }

    /// A callback that takes an answer in, unless another study has begun.
    fn hear_with<R: 'static>(&self, take: impl Fn(&mut Inner, Answer<R>) + 'static) -> Callback<(usize, Answer<R>)> {
        let (explorer, serial) = (self.clone(), self.0.borrow().serial);
        Callback::from(move |(_, answer)| {
            if explorer.0.borrow().serial == serial {
                take(&mut explorer.0.borrow_mut(), answer);
                explorer.announce();
            }
        })
    }

    fn forget_lanes(&self) {
        let (workers, lanes) = {
            let inner = &mut *self.0.borrow_mut();
            inner.serial += 1;
            let count = inner.lanes.len();
            for lane in &mut inner.lanes {
                match lane.task.take() {
                    Some(Task::Search(slice)) => inner.exploration.put_back(&slice),
                    Some(Task::Bound(range)) => inner.exploration.put_back_bounds(range),
                    Some(Task::Plan) | None => {}
                }
            }
            (inner.workers.clone(), count)
        };
        (0..lanes).for_each(|lane| workers.forget(Topic::Hierarchies(lane as u8)));
    }

    /// Puts a slice of the work to a lane.
    fn put(&self, lane: usize, task: Task) {
        let (request, pruning_front) = {
            let inner = &mut *self.0.borrow_mut();
            let Some(request) = inner.request.clone() else { return };
            inner.lanes[lane].since = now_ms();
            inner.lanes[lane].task = Some(task.clone());
            (request, inner.exploration.pruning_front())
        };
        match task {
            Task::Plan => self.ask(lane, OutlineHierarchies { request }, |inner, _, outline| {
                let Some(request) = &inner.request else { return };
                inner.exploration = Exploration::new(outline.areas_um2.clone(), &request.settings);
                inner.outline = Some(outline);
            }),
            Task::Bound(range) => {
                let (first, end) = (range.start as u32, range.end as u32);
                self.ask(lane, BoundHierarchies { request, first, end }, Inner::record_bounds);
            }
            Task::Search(numbers) => {
                self.ask(lane, SearchHierarchies { request, numbers, front: pruning_front }, Inner::take_verdicts);
            }
        }
    }

    fn ask<Q: Ask>(&self, lane: usize, question: Q, take: fn(&mut Inner, usize, Q::Reply)) {
        let (workers, serial) = {
            let inner = self.0.borrow();
            (inner.workers.clone(), inner.serial)
        };
        let explorer = self.clone();
        let on_answer = Callback::from(move |(_, answer): (usize, Answer<Q::Reply>)| {
            if explorer.0.borrow().serial == serial {
                explorer.0.borrow_mut().take(lane, answer, take);
                explorer.feed();
                explorer.announce();
            }
        });
        workers.ask(Topic::Hierarchies(lane as u8), &[question], on_answer);
    }

    /// Gives every idle lane something to do.
    fn feed(&self) {
        loop {
            let next = self.0.borrow_mut().next_task();
            match next {
                Some((lane, task)) => self.put(lane, task),
                None => return,
            }
        }
    }

    fn announce(&self) {
        if std::mem::replace(&mut self.0.borrow_mut().news_due, true) {
            return;
        }
        let explorer = self.clone();
        let is_running = self.0.borrow().status == StudyStatus::Running;
        let tell = move || {
            before_next_frame(move || {
                let (results, publish) = {
                    let inner = &mut *explorer.0.borrow_mut();
                    inner.news_due = false;
                    (Rc::new(inner.results()), inner.publish.clone())
                };
                publish.emit(results);
            });
        };
        if is_running { later(NEWS_MS, tell) } else { tell() }
    }
}

impl Inner {
    fn elapsed_ms(&self) -> f64 {
        match self.status {
            StudyStatus::Running => self.clock.1 + now_ms() - self.clock.0,
            _ => self.clock.1,
        }
    }

    fn next_task(&mut self) -> Option<(usize, Task)> {
        if self.status != StudyStatus::Running || self.outline.is_none() {
            return None;
        }
        let index = self.lanes.iter().position(|lane| lane.task.is_none())?;
        let pace = self.lanes[index].pace;
        let slice = |ms: f64| ((SLICE_MS / ms.max(1e-3)) as usize).clamp(1, MOST_IN_SLICE);
        match self.exploration.stage() {
            Stage::Bounding => {
                let range = self.exploration.next_to_bound(slice(pace[0]));
                (!range.is_empty()).then_some((index, Task::Bound(range)))
            }
            Stage::Searching => {
                let numbers = self.exploration.next_to_search(slice(pace[1]));
                if numbers.is_empty() {
                    // The last ones may just have been left out.
                    self.finish_if_done();
                    return None;
                }
                Some((index, Task::Search(numbers)))
            }
            Stage::Done => {
                self.finish_if_done();
                None
            }
        }
    }

    fn take<R>(&mut self, lane: usize, answer: Answer<R>, take: fn(&mut Self, usize, R)) {
        match answer {
            Ok(reply) => {
                take(self, lane, reply);
                self.lanes[lane].task = None;
            }
            Err(refusal) => {
                let task = self.lanes[lane].task.take();
                self.refused(task, refusal);
            }
        }
        self.finish_if_done();
    }

    fn record_bounds(&mut self, lane: usize, found: HierarchyBounds) {
        self.learn(lane, 0, found.bounds.len());
        self.exploration.record_bounds(found.first as usize, found.bounds);
    }

    fn take_verdicts(&mut self, lane: usize, verdicts: Vec<HierarchyOutcome>) {
        self.learn(lane, 1, verdicts.len());
        for HierarchyOutcome { verdict, name } in verdicts {
            if let SearchOutcome::Found(point) = verdict {
                self.note(point, name);
            }
            self.exploration.record_outcome(verdict);
        }
        self.forget_names();
    }

    /// Learns how long a lane takes for a hierarchy.
    fn learn(&mut self, lane: usize, stage: usize, count: usize) {
        let lane = &mut self.lanes[lane];
        let took = now_ms() - lane.since;
        lane.pace[stage] += 0.5 * (took / count.max(1) as f64 - lane.pace[stage]);
    }

    fn refused(&mut self, task: Option<Task>, refusal: Refusal) {
        let reason = match refusal {
            Refusal::Rejected(diagnostics) => {
                self.diagnostics = diagnostics;
                return self.end(StudyStatus::Rejected);
            }
            Refusal::Failed(reason) => reason,
        };
        // Two workers failed on this slice; what it holds can neither be found nor left out.
        match task {
            Some(Task::Bound(range)) => {
                let bounds = range.clone().map(|_| Err(reason.clone())).collect();
                self.exploration.record_bounds(range.start, bounds);
            }
            Some(Task::Search(numbers)) => {
                numbers.iter().for_each(|_| self.exploration.record_outcome(SearchOutcome::Infeasible(reason.clone())))
            }
            Some(Task::Plan) | None => self.end(StudyStatus::Stopped),
        }
        self.failure = Some(reason);
    }

    /// Keeps a point where nothing else is drawn, or where it has less area than what is.
    fn note(&mut self, point: Point, name: String) {
        let place = |value: f64| (value.max(1.0).ln() / GRAIN) as i32;
        let at = (place(point.energy_pj), place(point.latency_cycles as f64));
        self.names.insert(point.hierarchy, name.into());
        let room = self.places.len() < MOST_DRAWN;
        match self.places.get(&at) {
            Some(other) if other.area_um2 <= point.area_um2 => {}
            Some(_) => drop(self.places.insert(at, point)),
            None if room => drop(self.places.insert(at, point)),
            None => {}
        }
    }

    /// Names are kept of what is drawn.
    fn forget_names(&mut self) {
        if self.names.len() > 4 * MOST_DRAWN {
            let front = self.exploration.front().points().iter().map(|point| point.hierarchy);
            let kept: std::collections::BTreeSet<u32> =
                front.chain(self.places.values().map(|point| point.hierarchy)).collect();
            self.names.retain(|hierarchy, _| kept.contains(hierarchy));
        }
    }

    fn finish_if_done(&mut self) {
        let is_planned = self.outline.is_some();
        if self.status == StudyStatus::Running && is_planned && self.exploration.stage() == Stage::Done {
            self.end(StudyStatus::Done);
        }
    }

    fn end(&mut self, status: StudyStatus) {
        self.clock.1 = self.elapsed_ms();
        self.status = status;
    }

    fn results(&self) -> StudyResults {
        let front = self.exploration.front().points();
        let is_front = |point: &Point| front.iter().any(|other| other.hierarchy == point.hierarchy);
        let name = |point: &Point| self.names.get(&point.hierarchy).cloned().unwrap_or_else(|| Rc::from(""));
        let mut members: Vec<Point> = front.to_vec();
        sort_by(&mut members, |a, b| a.energy_pj.total_cmp(&b.energy_pj).then(a.hierarchy.cmp(&b.hierarchy)));
        let others = self.places.values().copied().filter(|point| !is_front(point)).map(|point| (point, false));
        let drawn = members.into_iter().map(|point| (point, true)).chain(others);
        StudyResults {
            request: self.request.clone(),
            status: self.status,
            outline: self.outline.clone(),
            counts: self.exploration.counts(),
            drawn: drawn.map(|(point, front)| (point, name(&point), front)).collect(),
            best: self.exploration.best().map(|best| best.hierarchy),
            reason: self.exploration.reason().map(ToOwned::to_owned),
            diagnostics: self.diagnostics.clone(),
            elapsed_ms: self.elapsed_ms(),
            opened: self.opened.clone(),
            comparison: self.comparison.clone().map(Rc::new),
            failure: self.failure.clone(),
        }
    }
}
