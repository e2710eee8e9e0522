//! The one value that drives the page, and how it changes.

use super::design::{Design, GridChoice, Half, ObjectiveChoice, Schedule};
use super::explorer::StudyResults;
use super::hierarchy_form::{FormChange, HierarchyForm};
use super::mapping_view;
use super::own_mapping::MappingChange;
use super::results::Results;
use super::view::{Metric, Tab, View};
use crate::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
use crate::gallery::{Entry, Opening, Shown};
use crate::rules::Rules;
use crate::spec::gallery_presets;
use std::rc::Rc;
use yew::Reducible;

/// Everything the page shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// What a person chose or wrote.
    pub design: Design,
    /// How they look at it.
    pub view: View,
    /// What the workers found out about it.
    pub results: Rc<Results>,
    /// What a person chose for the hierarchy view.
    pub hierarchy: HierarchyForm,
    /// What the workers found out about memory hierarchies.
    pub study: Rc<StudyResults>,
    /// Whether the last edit of the design was a keystroke, after which more may follow.
    pub is_typing: bool,
}

/// Every change that there is.
#[derive(Debug, Clone)]
pub enum Action {
    /// Take a preset's document.
    PickPreset(Half, &'static str),
    /// Go back to the document written by hand.
    PickOwn(Half),
    /// Replace a document's text, letter by letter.
    Write(Half, String),
    /// Take a document that the page composed.
    Take(Half, String),
    /// Replace the text of tile widths.
    TilesX(String),
    /// Replace the text of tile heights.
    TilesY(String),
    /// Take a grid of tile sizes that suits the network's maps.
    TakeGrid(GridChoice),
    /// Sweep a mode or not.
    Mode(StoringMode, bool),
    /// Change something else of the schedule.
    Schedule(ScheduleChange),
    /// The sweep of DeFiNES, Fig. 12.
    ReproduceFigure12,
    /// Show an entry of the gallery.
    OpenEntry(&'static str),
    /// Change what hierarchies are generated.
    Hierarchy(FormChange),
    /// The study of ZigZag, Tables VI and VII and Fig. 19.
    CaseStudy2,
    /// The workers have found out more about memory hierarchies.
    Studied(Rc<StudyResults>),
    /// Change the way of looking.
    Look(ViewChange),
    /// The workers have found out more.
    Found(Rc<Results>),
}

/// A change of the schedule's single fields.
#[derive(Debug, Clone)]
pub enum ScheduleChange {
    /// Kind of fuse depth.
    Fuse(super::design::FuseChoice),
    /// Text of the cuts.
    Cuts(String),
    /// Kind of objective.
    Objective(super::design::ObjectiveChoice),
    /// Memory whose accesses are minimised.
    Memory(String),
    /// Text of one weight: energy, latency, DRAM accesses.
    Weight(usize, String),
    /// How mappings are searched.
    Strategy(crate::search::Strategy),
    /// LPF limit.
    LpfLimit(usize),
    /// All rules at once.
    Rules(Rules),
    /// One rule by its name.
    Rule(&'static str, bool),
}

/// A change of the way of looking.
#[derive(Debug, Clone)]
pub enum ViewChange {
    /// Another tab.
    Tab(super::view::Tab),
    /// Another number in the heatmaps.
    Metric(super::view::Metric),
    /// Another look.
    Theme(super::view::ThemeChoice),
    /// Open a point and show it.
    Open(DepthFirstStrategy),
    /// Another stack of the opened point.
    Stack(usize),
    /// Another tile type of the stack.
    TileType(usize),
    /// Map another layer, or change its mapping.
    Mapping(super::own_mapping::MappingChange),
    /// Show or hide a document's text.
    Text(Half, bool),
}

impl Action {
    /// Whether it is a keystroke in a field of the design, or an edit that is complete at once; `None` where it edits nothing
    /// of the design.
    fn is_typing(&self) -> Option<bool> {
        match self {
            Self::Write(..)
            | Self::TilesX(_)
            | Self::TilesY(_)
            | Self::Schedule(ScheduleChange::Cuts(_) | ScheduleChange::Weight(..)) => Some(true),
            Self::PickPreset(..)
            | Self::PickOwn(_)
            | Self::Take(..)
            | Self::TakeGrid(_)
            | Self::Mode(..)
            | Self::Schedule(_)
            | Self::ReproduceFigure12
            | Self::CaseStudy2
            | Self::OpenEntry(_) => Some(false),
            Self::Hierarchy(_) | Self::Studied(_) | Self::Look(_) | Self::Found(_) => None,
        }
    }
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut next = (*self).clone();
        next.apply(action);
        Rc::new(next)
    }
}

impl State {
    fn apply(&mut self, action: Action) {
        self.is_typing = action.is_typing().unwrap_or(self.is_typing);
        match action {
            Action::PickPreset(half, id) => self.design.pick(half, id),
            Action::PickOwn(half) => self.design.pick_own(half),
            Action::Write(half, text) | Action::Take(half, text) => self.design.document_mut(half).write(text),
            Action::TilesX(text) => self.design.schedule.tiles_x = text,
            Action::TilesY(text) => self.design.schedule.tiles_y = text,
            Action::TakeGrid(grid) => self.design.take_grid(grid),
            Action::Mode(mode, on) => self.design.schedule.set_mode(mode, on),
            Action::Schedule(change) => {
                if let ScheduleChange::Objective(objective) = &change {
                    self.view.metric = metric_of(*objective);
                }
                self.design.schedule.change(change);
            }
            Action::ReproduceFigure12 => self.design = Design::figure_12(),
            Action::OpenEntry(id) => {
                let entry = gallery_presets().iter().find(|preset| preset.id == id);
                if let Some(Ok(entry)) = entry.map(|preset| Entry::from_text(preset.id, preset.text)) {
                    self.open(&entry);
                }
            }
            Action::Hierarchy(change) => self.hierarchy.change(change),
            Action::CaseStudy2 => {
                self.design.pick(Half::Hardware, "zigzag-8x8");
                self.design.pick(Half::Workload, "mobilenet-v2-study");
                self.hierarchy = HierarchyForm::case_study_2();
            }
            Action::Studied(study) => self.study = study,
            Action::Look(change) => self.view.change(change),
            Action::Found(results) => self.results = results,
        }
    }

    /// Takes over the state that shows an entry of the gallery. Documents written by hand stay at hand.
    fn open(&mut self, entry: &Entry) {
        let Opening { shows, hardware, workload, settings, layer, mapping, point, budget_um2 } = entry.opens.clone();
        self.design.pick(Half::Hardware, hardware.id);
        self.design.pick(Half::Workload, workload.id);
        self.design.schedule = Schedule::of(&settings);
        self.hierarchy = HierarchyForm {
            layer: layer.clone(),
            budget: budget_um2.map(|um2| (um2 / 1e6).to_string()).unwrap_or_default(),
            ..HierarchyForm::default()
        };
        self.view = View { theme: self.view.theme, ..View::default() };
        if let Some(layer) = layer {
            self.view.mapping.change(MappingChange::Layer(layer));
        }
        if let Some(mapping) = mapping
            && let Some(subject) = mapping_view::subject_of(self)
        {
            self.view.mapping.change(MappingChange::Edit(subject, mapping));
        }
        self.view.point = point;
        self.view.tab = match shows {
            Shown::Landscape => Tab::Landscape,
            Shown::Schedule => Tab::Schedule,
            Shown::Mapping => Tab::Mapping,
            Shown::Hierarchy => Tab::Hierarchy,
        };
    }

    /// Whether the workers were asked for the design as it stands.
    pub fn is_current(&self) -> bool {
        self.design.request().is_ok_and(|requests| *requests == *self.results.asked)
    }
}

impl super::design::Schedule {
    fn set_mode(&mut self, mode: StoringMode, on: bool) {
        // In the order of `StoringMode::ALL`, whatever the order of the clicks.
        let wanted = |other: &StoringMode| if *other == mode { on } else { self.modes.contains(other) };
        self.modes = StoringMode::ALL.into_iter().filter(wanted).collect();
    }

    fn change(&mut self, change: ScheduleChange) {
        match change {
            ScheduleChange::Fuse(fuse) => self.fuse = fuse,
            ScheduleChange::Cuts(text) => self.cuts = text,
            ScheduleChange::Objective(objective) => self.objective = objective,
            ScheduleChange::Memory(name) => self.memory = name,
            ScheduleChange::Weight(index, text) => {
                if let Some(weight) = self.weights.get_mut(index) {
                    *weight = text;
                }
            }
            ScheduleChange::Strategy(strategy) => self.strategy = strategy,
            ScheduleChange::LpfLimit(limit) => self.lpf_limit = limit,
            ScheduleChange::Rules(rules) => self.rules = rules,
            ScheduleChange::Rule(name, value) => {
                if let Some(rules) = self.rules.with(name, value) {
                    self.rules = rules;
                }
            }
        }
    }
}

/// What is minimised is what the heatmaps show.
fn metric_of(objective: ObjectiveChoice) -> Metric {
    match objective {
        ObjectiveChoice::Energy => Metric::Energy,
        ObjectiveChoice::Latency => Metric::Latency,
        ObjectiveChoice::EnergyDelayProduct => Metric::EnergyDelay,
        ObjectiveChoice::DramAccesses => Metric::DramAccesses,
        ObjectiveChoice::MemoryAccesses => Metric::MemoryAccesses,
        ObjectiveChoice::Weighted => Metric::WeightedSum,
    }
}

/// For a person: `automatic`.
pub fn fuse_title(fuse: &FuseDepth) -> String {
    match fuse {
        FuseDepth::Automatic => "automatic".to_owned(),
        other => other.to_string(),
    }
}
