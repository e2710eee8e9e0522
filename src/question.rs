//! What the views ask of a worker besides a sweep: each question stands by itself and has one reply.
//!
//! A view asks about its topic with any number of questions at once; they go to whichever worker is free, and the replies come
//! back one by one with the index of their question. New questions about a topic replace all earlier ones. To add a kind, add
//! a variant to [`Question`] and to [`Reply`], and answer it in [`Answerer::answer`]; `app::inquiries` does the rest. A question
//! should take well below a second, so that a person can stop and sees progress: cut longer work into several.

use crate::cost::Flaw;
use crate::explore::{
    CostStore, ExactDecision, FusionStep, Fusions, GroupSearch, LayerFacts, LayerRequest, LayerStudy, MappedLayer,
    OnlineDecision, OnlineStudy, PaperStudy, Request, SequenceFinding, SequenceQuestion, StackLimits, StackRun,
    StackStudy, StrategyFindings, Sweep, TemporalMapping, UnrollingChoices, Varied, ZigZagStrategy, compare_fusions,
    find_sequences, fusion_step,
};
use crate::fusion::PaperNetwork;
use crate::gallery::{Finding, Workbench, find_entry, find_step};
use crate::hierarchy::{Bound, Front, HierarchyFacts, HierarchyRequest, Study, StudyOutline, Verdict, unrollings};
use crate::multicore::{
    CoreChoice, CoresOutline, CoresRequest, CoresStudy, Judged, Solved, StackAllocation, SystemAccount, TileCosts,
};
use crate::search::Proof;
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What questions are about: a view may use several topics that do not disturb each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Topic {
    /// The best mapping of the layer at hand.
    BestMapping,
    /// What the mapping made by hand costs.
    OwnMapping,
    /// The layer under other rules.
    Rules,
    /// The layer with other unrollings.
    LayerUnrollings,
    /// The layer by other searches.
    Strategies,
    /// Which layers run together.
    Fusion,
    /// How that changes with the accelerator.
    FusionSteps,
    /// Which sequences HW-Flow-Fusion can fuse, and what they cost.
    Sequences,
    /// What each of these costs.
    SequenceCosts,
    /// One of these in depth.
    SequenceFacts,
    /// What more or less hardware makes of them.
    SequenceResources,
    /// What is decided on line while a person changes the buffer.
    Online,
    /// The same for every size of the buffer, and what would be best.
    OnlineSteps,
    /// The methods under other dataflows and array sizes.
    Dataflows,
    /// How long it takes to find the groups of networks of a paper.
    SearchTimes,
    /// A network on many cores.
    Cores,
    /// What cores chosen by hand come to.
    CoresByHand,
    /// Better cores for single layers.
    CoresImproved,
    /// The same found by evolution.
    CoresEvolved,
    /// The same on other systems and in other tiles.
    CoresSweep,
    /// A share of the work on memory hierarchies, for one worker; shares go on one by one.
    Hierarchies(u8),
    /// The hierarchy at hand.
    HierarchyFacts,
    /// Hierarchies under other unrollings.
    Unrollings,
    /// The claims of the gallery's entry of this number.
    Gallery(u8),
    /// The numbers of the open step of a lesson.
    Lesson,
}

impl Topic {
    /// Whether the sweep goes first; otherwise a person waits for these replies.
    pub fn is_background(self) -> bool {
        match self {
            Self::BestMapping | Self::OwnMapping | Self::HierarchyFacts | Self::Online => false,
            Self::Cores | Self::CoresByHand => false,
            Self::Rules | Self::LayerUnrollings | Self::Strategies | Self::Hierarchies(_) | Self::Unrollings => true,
            Self::Sequences | Self::SequenceCosts | Self::SequenceFacts | Self::SequenceResources => true,
            Self::CoresImproved | Self::CoresEvolved | Self::CoresSweep => true,
            Self::Fusion | Self::FusionSteps | Self::OnlineSteps | Self::Dataflows | Self::SearchTimes => true,
            Self::Gallery(_) => true,
            Self::Lesson => true,
        }
    }
}

/// What can be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Question {
    /// The best mapping of a layer.
    BestMapping(Box<LayerRequest>),
    /// What a mapping made by hand costs.
    OwnMapping(Box<LayerRequest>, TemporalMapping),
    /// What the best mapping of a layer costs, and no more.
    BestCost(Box<LayerRequest>),
    /// So many legal unrollings of a layer, the most promising first.
    Unrollings(Box<LayerRequest>, usize),
    /// What one of ZigZag's strategies finds for a layer.
    Strategy(Box<LayerRequest>, ZigZagStrategy),
    /// How many stacks there are, and in how many parts they are studied.
    Stacks(Box<Request>, StackLimits),
    /// The best ways to run the stacks of the part of this number.
    StackRuns(Box<Request>, StackLimits, u32),
    /// What every method to choose stacks comes to, of the runs of all parts.
    Fusions(Box<Request>, StackLimits, Vec<StackRun>),
    /// What groups move to and from DRAM so many doublings away from the design.
    FusionStep(Box<Request>, Varied, i32),
    /// About HW-Flow-Fusion's sequences.
    Sequence(Box<Request>, SequenceQuestion),
    /// Which layers run together at a step of the buffer, decided on line.
    Online(Box<Request>, i32),
    /// The same, and what would be best.
    OnlineStep(Box<Request>, i32),
    /// The groups of a network of a paper, by a search.
    SearchTime(PaperNetwork, GroupSearch),
    /// What is to be known about a network on many cores.
    Cores(Box<CoresRequest>),
    /// What so many tiles on cores cost, of so many, from the first number to before the second.
    TileCosts(Box<CoresRequest>, u32, u32),
    /// Which cores compute the stack of this number best, each tile on one or on several; after so many choices the search ends.
    StackAllocation(Box<CoresRequest>, Vec<Solved>, u32, bool, u64),
    /// What a choice of cores comes to; `None`: that of the allocations.
    CoresJudged(Box<CoresRequest>, Vec<Solved>, Vec<StackAllocation>, Option<CoreChoice>),
    /// The same with better cores for the layer of this number, if there are any.
    CoresImproved(Box<CoresRequest>, Vec<Solved>, Vec<StackAllocation>, Judged, u32),
    /// The best that evolution finds: so many individuals and generations.
    CoresEvolved(Box<CoresRequest>, Vec<Solved>, u32, u32),
    /// The whole way at once: energy and latency of the best found.
    CoresSummary(Box<CoresRequest>, Vec<(String, Vec<usize>)>),
    /// Which hierarchies there are.
    Hierarchies(Box<HierarchyRequest>),
    /// What the hierarchies from the first to before the second number cost at least.
    HierarchyBounds(Box<HierarchyRequest>, u32, u32),
    /// What some hierarchies cost, unless the front beats them.
    HierarchySearch(Box<HierarchyRequest>, Vec<u32>, Front),
    /// One hierarchy in depth.
    HierarchyFacts(Box<HierarchyRequest>, u32),
    /// What some hierarchies cost under the unrolling of this number.
    Unrolled(Box<HierarchyRequest>, u32, Vec<u32>),
    /// Our number for the claim of this index of the gallery's entry of this name.
    Claim(String, u32),
    /// The numbers of the step of a lesson.
    Step(String),
}

/// What is replied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The best mapping of a layer and what is known about better ones, or why there is none.
    BestMapping(Box<LayerFacts>, Result<(Box<MappedLayer>, Proof), Diagnostics>),
    /// What a mapping made by hand costs, or all that is wrong with it.
    OwnMapping(Result<Box<MappedLayer>, Vec<Flaw>>),
    /// Energy in pJ and latency in cycles of the best mapping, or why there is none.
    BestCost(Result<(f64, u64), Diagnostics>),
    /// Legal unrollings of a layer.
    Unrollings(UnrollingChoices),
    /// What a strategy found, or why it cannot be used here.
    Strategy(Result<Box<StrategyFindings>, String>),
    /// How many parts there are.
    Stacks(u32),
    /// The best ways to run some stacks.
    StackRuns(Vec<StackRun>),
    /// What every method comes to.
    Fusions(Box<Fusions>),
    /// One step of a sweep.
    FusionStep(Box<FusionStep>),
    /// What is known about a sequence.
    Sequence(Box<SequenceFinding>),
    /// What was decided on line, and the milliseconds that it took, where there is a clock.
    Online(Box<OnlineDecision>, Option<f64>),
    /// The same, and what would be best.
    OnlineStep(Box<(OnlineDecision, ExactDecision)>),
    /// What a search found, and the milliseconds that it took, where there is a clock.
    SearchTime(SearchFindings, Option<f64>),
    /// What there is to know.
    Cores(Box<CoresOutline>),
    /// Number of the first, and what each costs.
    TileCosts(u32, Vec<Solved>),
    /// Which cores compute a stack best.
    StackAllocation(Box<StackAllocation>),
    /// What a choice comes to, with all about it, or why it cannot be.
    CoresJudged(Result<Box<(Judged, SystemAccount)>, Diagnostics>),
    /// The better choice, or the same, and what it comes to.
    CoresImproved(Judged),
    /// Choices that nothing beats in energy and latency, by energy.
    CoresEvolved(Vec<Judged>),
    /// Energy in pJ and latency in cycles, or why there is none.
    CoresSummary(Result<(f64, f64), Diagnostics>),
    /// Which hierarchies there are.
    Hierarchies(Box<StudyOutline>),
    /// Number of the first, and what each costs at least or why it does not fit.
    HierarchyBounds(u32, Vec<Result<Bound, String>>),
    /// What became of each, and its name if it was found.
    HierarchySearch(Vec<(u32, Verdict, String)>),
    /// One hierarchy in depth.
    HierarchyFacts(Box<HierarchyFacts>),
    /// Number of the unrolling, and energy in pJ of each hierarchy, if it has a mapping.
    Unrolled(u32, Vec<Option<f64>>),
    /// Our number for a claim, or why there is none.
    Claim(Result<Finding, String>),
    /// The numbers of a step, in their units, or why there are none.
    Step(Result<Vec<f64>, String>),
    /// The question makes no sense: everything that is wrong with it.
    Rejected(Diagnostics),
    /// Nobody could answer, as two workers failed on it.
    Failed(String),
}

/// What a search for groups of a network of a paper found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchFindings {
    /// How many groups; none where an operator does not fit.
    pub groups: u32,
    /// What they move to and from DRAM, bytes.
    pub bytes: u64,
    /// What any scheme moves at least, bytes, where these are not proved to be the best.
    pub bound_bytes: Option<u64>,
}

/// Does something, and says how many milliseconds that took.
pub type Stopwatch = fn(&mut dyn FnMut()) -> f64;

/// Answers questions; remembers what neighbouring questions share.
#[derive(Default)]
pub struct Answerer {
    study: Option<(LayerRequest, LayerStudy)>,
    hierarchies: Option<(HierarchyRequest, Study)>,
    stacks: Option<(Request, StackLimits, StackStudy)>,
    online: Option<(Request, OnlineStudy)>,
    cores: Option<(CoresRequest, CoresStudy, TileCosts)>,
    papers: HashMap<PaperNetwork, PaperStudy>,
    stopwatch: Option<Stopwatch>,
    /// Of stacks, whatever the request.
    costs: CostStore,
    gallery: Workbench,
}

impl Answerer {
    /// One that can say how long something took.
    pub fn with_stopwatch(stopwatch: Stopwatch) -> Self {
        Self { stopwatch: Some(stopwatch), ..Self::default() }
    }

    /// Answers one question.
    pub fn answer(&mut self, question: Question) -> Reply {
        match question {
            Question::BestMapping(request) => match self.study(*request) {
                Ok(study) => {
                    let outcome = study.search();
                    let best = study.mapped(&outcome).map(|best| (Box::new(best), outcome.proof));
                    Reply::BestMapping(Box::new(study.facts()), best)
                }
                Err(diagnostics) => Reply::Rejected(diagnostics),
            },
            Question::OwnMapping(request, mapping) => match self.study(*request) {
                Ok(study) => Reply::OwnMapping(study.cost(&mapping).map(Box::new)),
                Err(diagnostics) => Reply::Rejected(diagnostics),
            },
            Question::BestCost(request) => match self.study(*request) {
                Ok(study) => Reply::BestCost(study.best().map(|best| (best.energy_pj(), best.cycles.total))),
                Err(diagnostics) => Reply::Rejected(diagnostics),
            },
            Question::Unrollings(request, count) => match self.study(*request) {
                Ok(study) => Reply::Unrollings(study.unrollings(count)),
                Err(diagnostics) => Reply::Rejected(diagnostics),
            },
            Question::Strategy(request, strategy) => match self.study(*request) {
                Ok(study) => {
                    Reply::Strategy(study.strategy(strategy).map(Box::new).map_err(|refusal| refusal.to_string()))
                }
                Err(diagnostics) => Reply::Rejected(diagnostics),
            },
            Question::Stacks(request, limits) => match self.stacks(*request, limits) {
                Ok((study, _)) => Reply::Stacks(study.parts() as u32),
                Err(diagnostics) => Reply::Rejected(diagnostics),
            },
            Question::StackRuns(request, limits, part) => match self.stacks(*request, limits) {
                Ok((study, costs)) => Reply::StackRuns(study.part(costs, part as usize)),
                Err(diagnostics) => Reply::Rejected(diagnostics),
            },
            Question::Fusions(request, limits, runs) => match self.stacks(*request, limits) {
                Ok((study, _)) => Reply::Fusions(Box::new(compare_fusions(study, &runs))),
                Err(diagnostics) => Reply::Rejected(diagnostics),
            },
            Question::FusionStep(request, varied, step) => {
                let step = self
                    .stacks(*request, StackLimits::default())
                    .and_then(|(study, _)| fusion_step(study.sweep(), varied, step));
                step.map_or_else(Reply::Rejected, |step| Reply::FusionStep(Box::new(step)))
            }
            Question::Sequence(request, question) => {
                let found = self
                    .stacks(*request, StackLimits::default())
                    .and_then(|(study, _)| find_sequences(study.sweep(), question));
                found.map_or_else(Reply::Rejected, |found| Reply::Sequence(Box::new(found)))
            }
            Question::Online(request, step) => {
                let stopwatch = self.stopwatch;
                self.about_online(*request, |study| {
                    let (decision, ms) = timed(stopwatch, || study.decide(step));
                    Reply::Online(Box::new(decision), ms)
                })
            }
            Question::OnlineStep(request, step) => self
                .about_online(*request, |study| Reply::OnlineStep(Box::new((study.decide(step), study.exact(step))))),
            Question::SearchTime(network, search) => self.search(network, search),
            Question::Cores(request) => {
                self.about_cores(*request, &[], |study, _| Reply::Cores(Box::new(study.outline())))
            }
            Question::TileCosts(request, first, end) => self.about_cores(*request, &[], |study, _| {
                let problems = study.problems();
                let range = (first as usize).min(problems.len())..(end as usize).min(problems.len());
                Reply::TileCosts(first, problems[range].iter().map(|problem| study.solve(problem)).collect())
            }),
            Question::StackAllocation(request, known, stack, shares, choices) => {
                self.about_cores(*request, &known, |study, costs| {
                    let mut goes_on = |done: u64| done < choices;
                    match study.stacks.get(stack as usize) {
                        Some(_) => Reply::StackAllocation(Box::new(study.allocate(
                            costs,
                            stack as usize,
                            shares,
                            &mut goes_on,
                        ))),
                        None => Reply::Failed(format!("There is no stack {stack}")),
                    }
                })
            }
            Question::CoresJudged(request, known, stacks, choice) => {
                self.about_cores(*request, &known, |study, costs| {
                    let candidates = choice.map_or_else(|| study.candidates(costs, &stacks), |choice| vec![choice]);
                    Reply::CoresJudged(study.account_of_best(costs, &stacks, &candidates).map(Box::new))
                })
            }
            Question::CoresImproved(request, known, stacks, from, layer) => {
                self.about_cores(*request, &known, |study, costs| {
                    Reply::CoresImproved(study.improve(costs, &stacks, &from, layer as usize))
                })
            }
            Question::CoresEvolved(request, known, individuals, generations) => {
                self.about_cores(*request, &known, |study, costs| {
                    Reply::CoresEvolved(study.evolve(costs, individuals as usize, generations as usize))
                })
            }
            Question::CoresSummary(request, by_hand) => self.about_cores(*request, &[], |study, costs| {
                let found = study.best(costs).and_then(|(best, stacks)| match study.with(&best.choice, &by_hand) {
                    Some(choice) => study.judge(costs, &stacks, &choice, None),
                    None => Ok(best),
                });
                Reply::CoresSummary(found.map(|found| (found.energy_pj, found.latency_cycles)))
            }),
            Question::Hierarchies(request) => {
                self.about_hierarchies(*request, |study| Reply::Hierarchies(Box::new(study.outline())))
            }
            Question::HierarchyBounds(request, first, end) => self.about_hierarchies(*request, |study| {
                let numbers = (first..end).filter_map(|number| study.hierarchies.get(number as usize));
                Reply::HierarchyBounds(first, numbers.map(|hierarchy| study.bound(hierarchy)).collect())
            }),
            Question::HierarchySearch(request, numbers, front) => {
                self.about_hierarchies(*request, |study| Reply::HierarchySearch(search(study, &numbers, front)))
            }
            Question::HierarchyFacts(request, number) => self.about_hierarchies(*request, |study| {
                let none = || Reply::Failed(format!("There is no hierarchy {number}"));
                study.facts(number).map_or_else(none, |facts| Reply::HierarchyFacts(Box::new(facts)))
            }),
            Question::Unrolled(request, number, hierarchies) => self.about_hierarchies(*request, |study| {
                let Some(unrolling) = unrollings(study).into_iter().nth(number as usize) else {
                    return Reply::Failed(format!("There is no unrolling {number}"));
                };
                let study = study.unrolled(&unrolling);
                let energy = |&hierarchy: &u32| match study.search(hierarchy as usize, &Front::default()) {
                    Verdict::Found(point) => Some(point.energy_pj),
                    Verdict::Pruned | Verdict::Infeasible(_) => None,
                };
                Reply::Unrolled(number, hierarchies.iter().map(energy).collect())
            }),
            Question::Claim(entry, claim) => Reply::Claim(self.claim(&entry, claim)),
            Question::Step(id) => Reply::Step(self.step(&id)),
        }
    }

    fn claim(&mut self, entry: &str, claim: u32) -> Result<Finding, String> {
        let entry = find_entry(entry).map_err(|wrong| wrong.to_string())?;
        let claim = entry.claims.get(claim as usize).ok_or("The entry makes no such claim")?;
        self.gallery.find(&entry, claim)
    }

    fn step(&mut self, id: &str) -> Result<Vec<f64>, String> {
        let (lesson, index) = find_step(id).ok_or_else(|| format!("No lesson has a step `{id}`"))?;
        let step = &lesson.steps[index];
        step.numbers.iter().map(|number| self.gallery.number(step, number)).collect()
    }

    fn about_hierarchies(&mut self, request: HierarchyRequest, answer: impl FnOnce(&Study) -> Reply) -> Reply {
        let known = self.hierarchies.take().filter(|(known, _)| *known == request);
        let study = match known.map_or_else(|| Study::new(&request).map(|study| (request, study)), Ok) {
            Ok(study) => study,
            Err(diagnostics) => return Reply::Rejected(diagnostics),
        };
        answer(&self.hierarchies.insert(study).1)
    }

    fn about_online(&mut self, request: Request, answer: impl FnOnce(&OnlineStudy) -> Reply) -> Reply {
        let known = self.online.take().filter(|(known, _)| *known == request);
        let prepare = || Ok((OnlineStudy::new(&Sweep::new(&request)?)?, request));
        let study = match known.map_or_else(|| prepare().map(|(study, request)| (request, study)), Ok) {
            Ok(study) => study,
            Err(diagnostics) => return Reply::Rejected(diagnostics),
        };
        answer(&self.online.insert(study).1)
    }

    /// `known` is what the problems of the request cost, as far as that is known.
    fn about_cores(
        &mut self,
        request: CoresRequest,
        known: &[Solved],
        answer: impl FnOnce(&CoresStudy, &mut TileCosts) -> Reply,
    ) -> Reply {
        let kept = self.cores.take().filter(|(kept, ..)| *kept == request);
        let study = match kept {
            Some(kept) => Ok(kept),
            None => CoresStudy::new(&request).map(|study| (request, study, TileCosts::default())),
        };
        let (_, study, costs) = match study {
            Ok(study) => self.cores.insert(study),
            Err(diagnostics) => return Reply::Rejected(diagnostics),
        };
        if costs.len() < known.len() {
            costs.extend(study.problems().into_iter().zip(known.iter().cloned()));
        }
        answer(study, costs)
    }

    fn search(&mut self, network: PaperNetwork, search: GroupSearch) -> Reply {
        let study = self.papers.entry(network).or_insert_with(|| PaperStudy::new(network));
        let ((scheme, bound), ms) = timed(self.stopwatch, || study.search(search));
        let (groups, cost) = scheme.map_or((0, 0), |scheme| (scheme.groups.len() as u32, scheme.cost));
        let bound_bytes = bound.map(|bound| study.bytes(bound));
        Reply::SearchTime(SearchFindings { groups, bytes: study.bytes(cost), bound_bytes }, ms)
    }

    fn stacks(
        &mut self,
        request: Request,
        limits: StackLimits,
    ) -> Result<(&mut StackStudy, &mut CostStore), Diagnostics> {
        let known = self.stacks.take().filter(|known| known.0 == request && known.1 == limits);
        let study = match known {
            Some(known) => known,
            None => {
                let study = StackStudy::new(Sweep::new(&request)?, limits)?;
                (request, limits, study)
            }
        };
        Ok((&mut self.stacks.insert(study).2, &mut self.costs))
    }

    fn study(&mut self, request: LayerRequest) -> Result<&LayerStudy, Diagnostics> {
        let known = self.study.take().filter(|(known, _)| *known == request);
        let study = match known {
            Some(known) => known,
            None => {
                let study = LayerStudy::new(&request)?;
                (request, study)
            }
        };
        Ok(&self.study.insert(study).1)
    }
}

/// What comes of an act, and how many milliseconds it took.
fn timed<T>(stopwatch: Option<Stopwatch>, mut act: impl FnMut() -> T) -> (T, Option<f64>) {
    let Some(stopwatch) = stopwatch else { return (act(), None) };
    let mut result = None;
    let ms = stopwatch(&mut || result = Some(act()));
    // A stopwatch that does nothing times nothing.
    match result {
        Some(result) => (result, Some(ms)),
        None => (act(), None),
    }
}

/// Searches some hierarchies one after the other, each compared with all before.
fn search(study: &Study, numbers: &[u32], mut front: Front) -> Vec<(u32, Verdict, String)> {
    let mut verdicts = Vec::with_capacity(numbers.len());
    for &number in numbers {
        let verdict = study.search(number as usize, &front);
        let mut name = String::new();
        if let Verdict::Found(point) = verdict {
            front.add(point);
            name = study.hierarchies.get(number as usize).map(|hierarchy| study.name(hierarchy)).unwrap_or_default();
        }
        verdicts.push((number, verdict, name));
    }
    verdicts
}
