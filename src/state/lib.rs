//! The choices and documents of a person, and every change of them.
//!
//! A [`State`] is the content of a link, and the unit of undo. It is independent of browsers.
//!
//! - `action.rs`, `kind.rs`: every change, an [`Action`]; `clean.rs`: a state from elsewhere, within its limits
//! - `design.rs`, `schedule.rs`, `tiles.rs`: documents and the sweep
//! - `cores_form.rs`, `hierarchy_form.rs`, `attention_form.rs`, `study_form.rs`, `own_mapping.rs`, `design_table.rs`:
//!   the forms of views
//! - `fields.rs`: the fields of every form as one list, for setting and storing; `choice/`: numbers and names of
//!   choices in links and files
//! - `views.rs`: the one list of views; `view.rs`: the current view and its settings
//! - `history.rs`: undo and redo. Undo restores the view only if the edit changed it
//! - `pinned.rs`: the design that is pinned for comparison
//! - `file/`: a state as YAML; `describe.rs`: as text for people and tests
//!
//! `State::lesson` is the open step of a lesson, also in links and files; the answers stay on the page.

mod action;
mod attention_form;
mod choice;
mod clean;
mod cores_form;
mod describe;
mod design;
mod design_table;
mod fields;
mod file;
mod file_name;
mod half;
mod hierarchy_form;
mod history;
mod kind;
mod own_mapping;
mod pinned;
mod schedule;
mod study_form;
mod tiles;
mod view;
mod views;

pub use action::{Action, ImportedDocuments, Renamed, StepOpened};
pub use attention_form::{AttentionField, AttentionForm};
pub use choice::{AnyChoice, Choice, RULE_SETS, RuleSet};
pub use choice::{FuseChoice, FusionPart, HierarchyObjective, ObjectiveChoice, StackChoice, TileChoice};
pub use cores_form::{CoresField, CoresForm, read_allocation, write_allocation};
pub use design::{Design, Document};
pub use design_table::{DesignTable, TableDocument, TableField};
pub use fields::{FieldRef, Form, FormField};
pub use file::MOST_BYTES;
pub use file_name::file_name;
pub use half::Half;
pub use hierarchy_form::{HierarchyField, HierarchyForm};
pub use history::History;
pub use kind::{ActionKind, TypedField};
pub use own_mapping::{MappingField, OwnMapping};
pub use pinned::{Pinned, cores_differences, design_differences};
pub use schedule::{LPF_LIMITS, Schedule, ScheduleField};
pub use study_form::{StudyField, StudyForm};
pub use tiles::{GridChoice, suggested_tiles};
pub use view::{Metric, View, ViewField};
pub use views::{Tab, VIEWS, ViewEntry, ViewSubject};

use fusescape_engine::workload::Network;
use fusescape_gallery::{EntryView, Opening};
use fusescape_lesson::{AtHand, LessonSource, OpenLesson};
use fusescape_spec::first_presets;

/// The state of the page: all choices and documents of a person.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Documents and schedule.
    pub design: Design,
    /// The layer to map, and changes to its mapping.
    pub mapping: OwnMapping,
    /// Form of the generator of memory hierarchies.
    pub hierarchy: HierarchyForm,
    /// Form of many cores.
    pub cores: CoresForm,
    /// Form of attention.
    pub attention: AttentionForm,
    /// The study document.
    pub study: StudyForm,
    /// Accelerators and networks of the table of designs.
    pub table: DesignTable,
    pub view: View,
    /// The design for comparison.
    pub pinned: Option<Box<Pinned>>,
    /// The entry of the gallery that was opened, until it is changed.
    pub entry: Option<&'static str>,
    /// The open step of a lesson, whatever is changed meanwhile.
    pub lesson: Option<Box<OpenLesson>>,
}

impl State {
    /// The initial state of the page.
    pub fn first() -> Self {
        Self { design: Design::first(), ..Self::default() }
    }

    /// Makes a change.
    pub fn apply(&mut self, action: Action) {
        if action.kind() != ActionKind::Look {
            self.entry = None;
        }
        let takes_network = matches!(
            &action,
            Action::PickPreset(Half::Workload, _)
                | Action::PickOwn(Half::Workload)
                | Action::OpenFromTable { .. }
                | Action::Import(ImportedDocuments { workload: Some(_), .. })
                | Action::ReproduceFigure12
                | Action::CaseStudy2(..)
        );
        let swaps = matches!(&action, Action::Swap);
        match action {
            Action::PickPreset(half, preset) => self.design.pick(half, preset),
            Action::PickOwn(half) => self.design.pick_own(half),
            Action::Write(half, text)
            | Action::Fill(half, _, text)
            | Action::Drag(half, _, _, text)
            | Action::Take(half, text) => {
                self.design.document_mut(half).write(text);
            }
            Action::Import(imported) => {
                let ImportedDocuments { hardware, workload, system, transformer, study, constraints, mapping } =
                    imported;
                let is_alone = hardware.is_none() && workload.is_none() && system.is_none();
                for (half, text) in [(Half::Hardware, hardware), (Half::Workload, workload)] {
                    text.into_iter().for_each(|text| self.design.import(half, text));
                }
                if let Some(text) = transformer {
                    self.attention.change(AttentionField::Own(text));
                    if is_alone {
                        self.view.tab = Tab::Attention;
                    }
                }
                if let Some(text) = constraints {
                    self.mapping.constraints = text;
                    if is_alone {
                        self.view.tab = Tab::Mapping;
                    }
                }
                if let Some((layer, unroll, mapping)) = mapping {
                    self.mapping.layer = Some(layer);
                    self.mapping.unroll = unroll.map(|unroll| (self.layer_key(), unroll));
                    self.mapping.edited = Some((self.mapping_subject(), mapping));
                    self.view.tab = Tab::Mapping;
                }
                if let Some(text) = system {
                    self.cores.change(CoresField::Own(text));
                    self.view.tab = Tab::Cores;
                }
                if let Some(text) = study {
                    self.study.text = text;
                    self.view.tab = Tab::Study;
                }
            }
            Action::Rename(half, renamed) => self.rename(half, renamed),
            Action::TakeGrid(grid) => self.design.take_grid(grid),
            Action::Mode(mode, on) => self.design.schedule.set_mode(mode, on),
            Action::Schedule(field) => {
                if let ScheduleField::Objective(objective) = &field {
                    self.view.metric = metric_of(*objective);
                }
                self.design.schedule.set(field);
            }
            Action::EndStacksAfter(layers) => self.design.schedule.end_stacks_after(layers),
            Action::Weight(index, text) => {
                if let Some(weight) = self.design.schedule.weights.get_mut(index) {
                    *weight = text;
                }
            }
            Action::ReproduceFigure12 => {
                self.design.pick_both(first_presets().each_ref());
                self.design.schedule = Design::figure_12().schedule;
            }
            Action::Pin => {
                let (design, point) = (self.design.clone(), self.view.point.clone());
                self.pinned = Some(Box::new(Pinned { design, point, cores: Pinned::cores_of(&self.cores) }));
            }
            Action::Unpin => self.pinned = None,
            Action::Swap => {
                if let Some(pinned) = &mut self.pinned {
                    std::mem::swap(&mut self.design, &mut pinned.design);
                    std::mem::swap(&mut self.view.point, &mut pinned.point);
                    let cores = Pinned::cores_of(&self.cores);
                    let next = std::mem::replace(&mut pinned.cores, cores);
                    // A text that is not in force is kept where it was written.
                    let own = if next.preset.is_some() { self.cores.own.clone() } else { next.own.clone() };
                    self.cores = CoresForm { own, shows_system: self.cores.shows_system, ..next };
                }
            }
            Action::OpenEntry(id, opens) => {
                self.take(*opens);
                (self.entry, self.lesson) = (Some(id), None);
            }
            Action::OpenStep(step) => {
                let StepOpened { lesson, opens, keeps_view, .. } = *step;
                let view = self.view.clone();
                self.take(opens);
                if keeps_view {
                    self.view = View { point: self.view.point.take(), ..view };
                }
                self.lesson = Some(Box::new(lesson));
            }
            Action::ReadLesson(lesson) => {
                self.lesson = Some(lesson);
                self.view.tab = Tab::Lessons;
            }
            Action::WriteLesson(text) => {
                let lesson = self.lesson.get_or_insert_default();
                (lesson.source, lesson.step) = (LessonSource::Text(text), 0);
                lesson.values.clear();
            }
            Action::LeaveLesson => self.lesson = None,
            Action::Hierarchy(field) => self.hierarchy.change(field),
            Action::PickPool(preset) => self.hierarchy.pick_pool(preset),
            Action::Cores(field) => self.cores.change(field),
            Action::StateTiles(granularity) => self.cores.state(granularity),
            Action::Attention(field) => self.attention.change(field),
            Action::FollowAttention { kind, tile } => (self.attention.kind, self.attention.tile) = (kind, tile),
            Action::Study(field) => self.study.set(field),
            Action::TakeStudy(text) => self.study.text = text,
            Action::Table(field) => self.table.set(field),
            Action::InTable(half, id, is_in) => self.set_in_table(half, id, is_in),
            Action::OpenFromTable { hardware, network } => self.open_from_table(*hardware, *network),
            Action::CaseStudy2(presets) => {
                self.design.pick_both(presets);
                self.hierarchy = HierarchyForm::case_study_2();
            }
            Action::Open(state) => *self = state.keeping_own(self),
            Action::Mapping(field) => self.mapping.set(field),
            Action::Look(field) => self.view.change(field),
            Action::OpenPoint(point) => self.view.open(point),
            Action::ShowText(half, is_shown) => self.view.show_text(half, is_shown),
        }
        let network = (takes_network || swaps).then(|| Network::from_text(&self.design.workload.text).ok()).flatten();
        if let Some(network) = network {
            self.leave_layers(&network);
            // The text of the cuts is kept for a later return to them.
            let schedule = &mut self.design.schedule;
            let is_of_another = schedule.cut_layers().any(|name| lacks(&network, &name));
            if takes_network && is_of_another && schedule.fuse == FuseChoice::ByHand {
                schedule.fuse = FuseChoice::Automatic;
            }
        }
    }

    /// Drops chosen layers that the network does not have.
    fn leave_layers(&mut self, network: &Network) {
        for layer in [&mut self.mapping.layer, &mut self.hierarchy.layer] {
            layer.take_if(|name| lacks(network, name));
        }
    }

    fn rename(&mut self, half: Half, renamed: Renamed) {
        let Renamed { text, old, new } = renamed;
        self.design.document_mut(half).write(text);
        let schedule = &mut self.design.schedule;
        match half {
            Half::Hardware if schedule.memory == old => schedule.memory = new,
            Half::Hardware => {}
            Half::Workload => {
                schedule.rename_layer(&old, &new);
                if self.mapping.layer.as_ref() == Some(&old) {
                    self.mapping.layer = Some(new);
                }
            }
        }
    }

    /// This state, with documents written by hand in `other` that are not in force here.
    #[must_use]
    pub fn keeping_own(&self, other: &Self) -> Self {
        let mut next = self.clone();
        for half in [Half::Hardware, Half::Workload] {
            let document = next.design.document_mut(half);
            if document.own.is_none() {
                document.own.clone_from(&other.design.document(half).own);
            }
        }
        if next.cores.preset.is_some() && next.cores.own.is_empty() {
            next.cores.own.clone_from(&other.cores.own);
        }
        next
    }

    /// Whether a person has changed the design, a mapping or the form of hierarchies since a step of a lesson, an entry
    /// of the gallery or the page was opened, so that opening another step would replace it.
    pub fn is_edited(&self) -> bool {
        let mut opened = Self::first();
        match (self.entry, &self.lesson) {
            (Some(_), _) => return false,
            (None, Some(lesson)) => {
                if let Some(opens) = lesson.opens() {
                    opened.take(opens);
                }
            }
            (None, None) => {}
        }
        !self.asks_the_same_as(&opened)
    }

    /// The current design, for the numbers of a lesson; `None` while its schedule has errors.
    pub fn at_hand(&self) -> Option<AtHand> {
        Some(AtHand {
            hardware: self.design.hardware.text.clone(),
            workload: self.design.workload.text.clone(),
            settings: self.design.request().ok()?.into_iter().next()?.settings,
            layer: self.mapping.layer.clone(),
            mapping: self.own_mapping().cloned(),
        })
    }

    /// Whether the current design differs from the one that a step of a lesson opens; the view does not count.
    pub fn differs_from(&self, opens: &Opening) -> bool {
        let mut opened = Self::first();
        opened.take(opens.clone());
        !self.asks_the_same_as(&opened)
    }

    fn asks_the_same_as(&self, opened: &Self) -> bool {
        let text =
            |state: &Self| [&state.design.hardware, &state.design.workload].map(|document| document.text.clone());
        let form = |state: &Self| HierarchyForm { shows_pool: false, ..state.hierarchy.clone() };
        text(self) == text(opened)
            && self.design.schedule == opened.design.schedule
            && self.mapping.constraints == opened.mapping.constraints
            && self.own_mapping() == opened.own_mapping()
            && self.unroll() == opened.unroll()
            && form(self) == form(opened)
            && AttentionForm { shows_model: false, own: String::new(), ..self.attention.clone() }
                == AttentionForm { shows_model: false, own: String::new(), ..opened.attention.clone() }
            && CoresForm { shows_system: false, ..self.cores.clone() }
                == CoresForm { shows_system: false, ..opened.cores.clone() }
    }

    /// Takes over the state of an entry of the gallery or of a step of a lesson. Documents written by hand are kept.
    fn take(&mut self, opens: Opening) {
        let Opening { shows, hardware, workload, settings, layer, mapping, point, budget_um2, cores } = opens;
        for (half, chosen) in [(Half::Hardware, hardware), (Half::Workload, workload)] {
            match chosen.preset() {
                Some(preset) => self.design.pick(half, preset),
                None => self.design.document_mut(half).write(chosen.text().to_owned()),
            }
        }
        self.design.schedule = Schedule::of(&settings);
        self.hierarchy = HierarchyForm {
            layer: layer.clone(),
            budget: budget_um2.map(|um2| (um2 / 1e6).to_string()).unwrap_or_default(),
            ..HierarchyForm::default()
        };
        self.cores = cores.map_or_else(CoresForm::default, |cores| {
            let layers = cores.allocation.iter().map(|(layer, cores)| (layer.as_str(), cores.as_slice()));
            let allocation = write_allocation(layers);
            CoresForm { allocation, ..CoresForm::of(cores.system.id, cores.settings) }
        });
        self.view = View::default();
        self.mapping = OwnMapping { layer, ..OwnMapping::default() };
        self.mapping.edited = mapping.map(|mapping| (self.mapping_subject(), mapping));
        self.view.point = point;
        self.view.tab = match shows {
            EntryView::Landscape => Tab::Landscape,
            EntryView::Schedule => Tab::Schedule,
            EntryView::Fusion => Tab::Fusion,
            EntryView::Mapping => Tab::Mapping,
            EntryView::Hierarchy => Tab::Hierarchy,
            EntryView::Cores => Tab::Cores,
            EntryView::Attention => Tab::Attention,
        };
    }
}

/// Whether a network has no computing layer with this name.
fn lacks(network: &Network, name: &str) -> bool {
    !network.computing().any(|id| network.layer(id).name == name)
}

/// The metric of the heatmaps for an objective.
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
