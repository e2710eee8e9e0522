//! The exploration of memory hierarchies, and the points of it that are drawn.
//!
//! The drawn points are thinned out, so that memory and drawing time stay bounded for any number of hierarchies.

use super::hierarchy_results::{HierarchyResults, UnrollingComparison};
use crate::app::workers::handle::Workers;
use crate::app::workers::job::JobRun;
use crate::hierarchy::{Exploration, HierarchyCost, HierarchyDone, HierarchyRequest, SearchOutcome};
use crate::question::{Channel, OpenHierarchy, Reply, UnrollHierarchies, UnrolledEnergies};
use crate::sorting::sort_by;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use yew::Callback;

/// Points closer than this share of their energy and latency are drawn as one.
const GRAIN: f64 = 0.012;
/// Limit on the points drawn, except for the front.
const MOST_DRAWN: usize = 3000;
/// Limit on the columns of the comparison of unrollings.
pub const MOST_COMPARED: usize = 8;

/// Handle on the single explorer of the page.
#[derive(Clone)]
pub struct Explorer(Rc<RefCell<ExplorationState>>);

impl PartialEq for Explorer {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

struct ExplorationState {
    workers: Workers,
    publish: Callback<Rc<HierarchyResults>>,
    run: Option<JobRun<Exploration>>,
    drawn: Rc<RefCell<DrawnPoints>>,
    /// Counts studies, to recognise late replies.
    serial: u32,
    results: HierarchyResults,
}

#[derive(Default)]
struct DrawnPoints {
    /// By grid cell; the point with the least area of each cell.
    places: BTreeMap<(i32, i32), HierarchyCost>,
    names: BTreeMap<u32, Rc<str>>,
}

impl Explorer {
    /// An idle explorer. `publish` is called with new results, a few times per second.
    pub fn new(workers: &Workers, publish: Callback<Rc<HierarchyResults>>) -> Self {
        Self(Rc::new(RefCell::new(ExplorationState {
            workers: workers.clone(),
            publish,
            run: None,
            drawn: Rc::default(),
            serial: 0,
            results: HierarchyResults::default(),
        })))
    }

    /// Starts a new study, in place of the current one.
    pub fn start(&self, request: HierarchyRequest) {
        if let Some(run) = self.0.borrow_mut().run.take() {
            run.give_up_lanes();
        }
        let (workers, drawn, request) = {
            let inner = &mut *self.0.borrow_mut();
            let request = Rc::new(request);
            inner.serial += 1;
            inner.drawn = Rc::default();
            inner.results = HierarchyResults { request: Some(Rc::clone(&request)), ..HierarchyResults::default() };
            (inner.workers.clone(), Rc::clone(&inner.drawn), request)
        };
        let exploration = Exploration::new(&request.settings);
        let heard = Box::new(move |done: &HierarchyDone| drawn.borrow_mut().take(done));
        let explorer = self.clone();
        let tell = Callback::from(move |()| explorer.announce());
        let run = JobRun::start(&workers, Channel::Hierarchies, request, exploration, (heard, tell));
        self.0.borrow_mut().run = Some(run);
        self.announce();
    }

    /// Stops working; results so far stay.
    pub fn stop(&self) {
        self.run().iter().for_each(JobRun::stop);
    }

    /// Continues after a stop.
    pub fn resume(&self) {
        self.run().iter().for_each(JobRun::resume);
    }

    fn run(&self) -> Option<JobRun<Exploration>> {
        self.0.borrow().run.clone()
    }

    /// Opens a hierarchy in depth.
    pub fn open(&self, hierarchy: u32) {
        let (workers, request) = {
            let inner = self.0.borrow();
            (inner.workers.clone(), inner.results.request.clone())
        };
        let Some(request) = request else { return };
        let question = OpenHierarchy { request, number: hierarchy };
        let on_answer = self.hear_with(|inner, answer| match answer {
            Ok(facts) => inner.results.opened = Some(facts),
            Err(refusal) => inner.results.failure = Some(refusal.to_string()),
        });
        workers.ask(Channel::HierarchyFacts, &[question], on_answer);
    }

    /// Compares some hierarchies under all unrollings.
    pub fn compare(&self, hierarchies: Vec<(u32, Rc<str>)>) {
        let (workers, request, rows) = {
            let inner = &mut *self.0.borrow_mut();
            let rows = inner.results.overview.as_ref().map_or(0, |overview| overview.unrollings.len());
            let comparison = UnrollingComparison { hierarchies: hierarchies.clone(), rows: vec![None; rows] };
            inner.results.comparison = Some(Rc::new(comparison));
            (inner.workers.clone(), inner.results.request.clone(), rows)
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
            self.hear_with(|inner, answer: Reply<UnrolledEnergies>| match (answer, &mut inner.results.comparison) {
                (Ok(found), Some(comparison)) => {
                    if let Some(known) = Rc::make_mut(comparison).rows.get_mut(found.unrolling as usize) {
                        *known = Some(found.energies_pj);
                    }
                }
                (Ok(_), None) => {}
                (Err(refusal), _) => inner.results.failure = Some(refusal.to_string()),
            });
        workers.ask(Channel::Unrollings, &questions, on_answer);
        self.announce();
    }

    /// A callback that takes an answer, unless another study was started.
    fn hear_with<R: 'static>(
        &self,
        take: impl Fn(&mut ExplorationState, Reply<R>) + 'static,
    ) -> Callback<(usize, Reply<R>)> {
        let (explorer, serial) = (self.clone(), self.0.borrow().serial);
        Callback::from(move |(_, answer)| {
            if explorer.0.borrow().serial == serial {
                take(&mut explorer.0.borrow_mut(), answer);
                explorer.announce();
            }
        })
    }

    /// Publishes the results.
    fn announce(&self) {
        let (results, publish) = {
            let inner = &mut *self.0.borrow_mut();
            if let Some(run) = &inner.run {
                inner.results.take(run, &inner.drawn.borrow());
            }
            (Rc::new(inner.results.clone()), inner.publish.clone())
        };
        publish.emit(results);
    }
}

impl DrawnPoints {
    fn take(&mut self, done: &HierarchyDone) {
        let HierarchyDone::Outcomes(outcomes) = done else { return };
        for (outcome, name) in outcomes {
            if let SearchOutcome::Found(point) = outcome {
                self.note(*point, name);
            }
        }
    }

    /// Keeps a point if its cell is empty, or if it has less area than the one in its cell.
    fn note(&mut self, point: HierarchyCost, name: &str) {
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

    /// The drawn points, those of the front first, each with its name and whether it is on the front. Names are kept
    /// for drawn points only.
    fn beside(&self, front: &[HierarchyCost]) -> Vec<(HierarchyCost, Rc<str>, bool)> {
        let is_front: BTreeSet<u32> = front.iter().map(|point| point.hierarchy).collect();
        let name = |point: &HierarchyCost| self.names.get(&point.hierarchy).cloned().unwrap_or_else(|| Rc::from(""));
        let mut members: Vec<HierarchyCost> = front.to_vec();
        sort_by(&mut members, |a, b| a.energy_pj.total_cmp(&b.energy_pj).then(a.hierarchy.cmp(&b.hierarchy)));
        let others = self.places.values().copied().filter(|point| !is_front.contains(&point.hierarchy));
        let drawn = members.into_iter().map(|point| (point, true)).chain(others.map(|point| (point, false)));
        drawn.map(|(point, front)| (point, name(&point), front)).collect()
    }
}

impl HierarchyResults {
    fn take(&mut self, run: &JobRun<Exploration>, drawn: &DrawnPoints) {
        let exploration = run.job();
        self.status = run.status();
        self.overview = exploration.overview().cloned();
        self.counts = exploration.counts();
        self.drawn = drawn.beside(exploration.front().points());
        self.best = exploration.best().map(|best| best.hierarchy);
        self.reason = exploration.reason().map(ToOwned::to_owned);
        self.diagnostics = run.diagnostics();
        self.elapsed_ms = run.elapsed_ms();
        self.failure = run.failure().or(self.failure.take());
    }
}
