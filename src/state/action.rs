//! All changes that a person can make.

use super::State;
use super::attention_form::AttentionField;
use super::cores_form::CoresField;
use super::design_table::{TableDocument, TableField};
use super::half::Half;
use super::hierarchy_form::HierarchyField;
use super::kind::{ActionKind, TypedField};
use super::own_mapping::MappingField;
use super::schedule::ScheduleField;
use super::study_form::StudyField;
use super::tiles::GridChoice;
use super::view::ViewField;
use fusescape_engine::depth_first::{DepthFirstStrategy, StoringMode};
use fusescape_engine::explore::TemporalMapping;
use fusescape_engine::hardware::Unroll;
use fusescape_engine::multicore::TileGranularity;
use fusescape_form::FieldTarget;
use fusescape_gallery::{Entry, Opening};
use fusescape_lesson::OpenLesson;
use fusescape_spec::{Diagnostics, Preset, find_preset};

/// A change of the state.
#[derive(Debug, Clone)]
pub enum Action {
    /// Take a preset's document.
    PickPreset(Half, &'static Preset),
    /// Return to the document written by hand.
    PickOwn(Half),
    /// Replace a document's text; typed, so that it may continue.
    Write(Half, String),
    /// Take a document in which a field of its form was edited; typed, so that it may continue.
    Fill(Half, FieldTarget, String),
    /// Take a document in which a value was changed by a slider; drags of one field are distinguished by their number.
    Drag(Half, FieldTarget, u32, String),
    /// Take a document that the page composed.
    Take(Half, String),
    /// Take documents from files.
    Import(ImportedDocuments),
    /// Take a document with a renamed item, whose name the schedule may contain as well.
    Rename(Half, Renamed),
    /// Take a grid of tile sizes that suits the network's maps.
    TakeGrid(GridChoice),
    /// Add a mode to the sweep, or remove it.
    Mode(StoringMode, bool),
    /// Change another field of the schedule.
    Schedule(ScheduleField),
    /// Let stacks end after these layers, by hand.
    EndStacksAfter(String),
    /// Replace the text of a weight: of energy, latency or DRAM accesses.
    Weight(usize, String),
    /// Take the sweep of DeFiNES, Fig. 12.
    ReproduceFigure12,
    /// Pin the design and its opened point for comparison.
    Pin,
    /// Drop the pinned design.
    Unpin,
    /// Exchange the current design and the pinned one.
    Swap,
    /// Show an entry of the gallery.
    OpenEntry(&'static str, Box<Opening>),
    /// Take the state from a file.
    Open(Box<State>),
    /// Show a step of a lesson.
    OpenStep(Box<StepOpened>),
    /// Show a lesson, without beginning a step.
    ReadLesson(Box<OpenLesson>),
    /// Replace the text of a lesson; typed, so that it may continue.
    WriteLesson(String),
    /// Close the lesson; the design stays.
    LeaveLesson,
    /// Change the form of memory hierarchies.
    Hierarchy(HierarchyField),
    /// Take a preset for the pool of memories.
    PickPool(&'static Preset),
    /// Change a field of the table of designs.
    Table(TableField),
    /// Add a document to the table of designs, or remove it.
    InTable(Half, String, bool),
    /// Take the accelerator and the network of a cell of that table as the current design.
    OpenFromTable { hardware: Box<TableDocument>, network: Box<TableDocument> },
    /// Change the form of many cores.
    Cores(CoresField),
    /// Fix the size of tiles on many cores, instead of searching it.
    StateTiles(TileGranularity),
    /// Change the form of attention.
    Attention(AttentionField),
    /// Follow a kind of schedule of attention, with these tiles.
    FollowAttention {
        /// Value of [`AttentionForm::kind`](super::AttentionForm::kind).
        kind: String,
        /// Value of [`AttentionForm::tile`](super::AttentionForm::tile).
        tile: String,
    },
    /// Replace the study document; typed, so that it may continue.
    Study(StudyField),
    /// Take a study document that the page composed.
    TakeStudy(String),
    /// Take the study of ZigZag, Tables VI and VII and Fig. 19: its accelerator and its network.
    CaseStudy2([&'static Preset; 2]),
    /// Choose another layer, or change its mapping.
    Mapping(MappingField),
    /// Change the view.
    Look(ViewField),
    /// Open a point and show it. Opening a neighbour during a drag is no navigation step for a browser's Back.
    OpenPoint(DepthFirstStrategy),
    /// Show or hide a document's text.
    ShowText(Half, bool),
}

/// Documents from files, each optional.
#[derive(Debug, Clone, Default)]
pub struct ImportedDocuments {
    /// The accelerator.
    pub hardware: Option<String>,
    /// The network.
    pub workload: Option<String>,
    /// The system of cores, which the view of many cores then shows.
    pub system: Option<String>,
    /// The transformer; if alone, the view of attention then shows it.
    pub transformer: Option<String>,
    /// A study, which the view of studies then shows.
    pub study: Option<String>,
    /// Constraints on mappings.
    pub constraints: Option<String>,
    /// A mapping of one layer of these documents (name, unrolling, mapping), which the view of mappings then shows.
    pub mapping: Option<(String, Option<Vec<Unroll>>, TemporalMapping)>,
}

/// A step of a lesson to open.
#[derive(Debug, Clone)]
pub struct StepOpened {
    /// With the index of the step.
    pub lesson: OpenLesson,
    /// The initial state of the step.
    pub opens: Opening,
    /// Whether it replaces a design that a person had changed.
    pub replaces_edits: bool,
    /// Whether the current view stays.
    pub keeps_view: bool,
}

/// A document in which a memory or a layer was renamed.
#[derive(Debug, Clone)]
pub struct Renamed {
    /// The document.
    pub text: String,
    /// Previous name.
    pub old: String,
    /// New name.
    pub new: String,
}

impl Action {
    /// Takes the preset called `id`. Needs the texts of all presets, which the page fetches after its first screen.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn preset(half: Half, id: &str) -> Result<Self, Diagnostics> {
        Ok(Self::PickPreset(half, find_preset(half.presets(), id)?))
    }

    /// Opens the study of ZigZag, Tables VI and VII and Fig. 19.
    ///
    /// # Errors
    /// If one of its presets is missing.
    pub fn case_study_2() -> Result<Self, Diagnostics> {
        let find = |half: Half, id: &str| find_preset(half.presets(), id);
        Ok(Self::CaseStudy2([find(Half::Hardware, "zigzag-8x8")?, find(Half::Workload, "mobilenet-v2-study")?]))
    }

    /// Shows an entry of the gallery.
    pub fn entry(entry: &Entry) -> Self {
        Self::OpenEntry(entry.id, Box::new(entry.opens.clone()))
    }

    /// Shows a step of a lesson in place of the state `of`.
    pub fn step(lesson: OpenLesson, opens: Opening, of: &State) -> Self {
        Self::OpenStep(Box::new(StepOpened { lesson, opens, replaces_edits: of.is_edited(), keeps_view: false }))
    }

    /// Shows the open step with other values of its fields.
    pub fn try_values(lesson: OpenLesson, opens: Opening) -> Self {
        Self::OpenStep(Box::new(StepOpened { lesson, opens, replaces_edits: false, keeps_view: true }))
    }

    /// The kind for undo and for the search.
    pub fn kind(&self) -> ActionKind {
        match self {
            Self::Write(half, _) => ActionKind::Typing(TypedField::Document(*half)),
            Self::Fill(half, place, _) => ActionKind::Typing(TypedField::Value(*half, place.clone())),
            Self::Drag(half, place, number, _) => {
                ActionKind::Dragging(TypedField::Dragged(*half, place.clone(), *number))
            }
            Self::Schedule(field) => field.kind(),
            Self::Weight(index, _) => ActionKind::Typing(TypedField::Weight(*index)),
            Self::Mapping(field) => field.kind(),
            Self::WriteLesson(_) => ActionKind::Typing(TypedField::Lesson),
            Self::Study(field) => field.kind(),
            Self::Table(field) => field.kind(),
            Self::Attention(field) => field.kind(),
            Self::Cores(field) => field.kind(),
            Self::Hierarchy(field) => field.kind(),
            Self::Look(field) => field.kind(),
            Self::LeaveLesson | Self::OpenPoint(_) | Self::ShowText(..) => ActionKind::Look,
            Self::PickPreset(..)
            | Self::PickOwn(_)
            | Self::Take(..)
            | Self::Import(..)
            | Self::Rename(..)
            | Self::TakeGrid(_)
            | Self::Mode(..)
            | Self::EndStacksAfter(_)
            | Self::ReproduceFigure12
            | Self::CaseStudy2(..)
            | Self::Pin
            | Self::Unpin
            | Self::Swap
            | Self::OpenEntry(..)
            | Self::Open(_)
            | Self::OpenStep(_)
            | Self::ReadLesson(_)
            | Self::PickPool(_)
            | Self::InTable(..)
            | Self::OpenFromTable { .. }
            | Self::StateTiles(_)
            | Self::FollowAttention { .. }
            | Self::TakeStudy(_) => ActionKind::Edit,
        }
    }

    /// Whether it is a navigation step, which a browser's Back undoes.
    pub fn is_step(&self) -> bool {
        matches!(
            self,
            Self::PickPreset(..)
                | Self::PickOwn(_)
                | Self::Take(..)
                | Self::Import(..)
                | Self::OpenFromTable { .. }
                | Self::Swap
                | Self::ReproduceFigure12
                | Self::CaseStudy2(..)
                | Self::OpenEntry(..)
                | Self::Open(_)
                | Self::OpenStep(_)
                | Self::ReadLesson(_)
                | Self::LeaveLesson
                | Self::OpenPoint(_)
                | Self::Look(ViewField::Tab(_) | ViewField::FusionPart(_))
        )
    }
}
