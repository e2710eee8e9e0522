//! Every change that a person can make.

use super::State;
use super::attention_form::AttentionField;
use super::cores_form::CoresField;
use super::design_table::{TableDocument, TableField};
use super::half::Half;
use super::hierarchy_form::HierarchyField;
use super::kind::{Field, Kind};
use super::own_mapping::MappingField;
use super::schedule::ScheduleField;
use super::study_form::StudyField;
use super::tiles::GridChoice;
use super::view::ViewField;
use fusescape_engine::depth_first::{DepthFirstStrategy, StoringMode};
use fusescape_engine::explore::TemporalMapping;
use fusescape_engine::hardware::Unroll;
use fusescape_engine::multicore::Granularity;
use fusescape_form::FieldTarget;
use fusescape_gallery::{Entry, Opening};
use fusescape_lesson::OpenLesson;
use fusescape_spec::{Diagnostics, Preset, find_preset};

/// Every change that there is.
#[derive(Debug, Clone)]
pub enum Action {
    /// Take a preset's document.
    PickPreset(Half, &'static Preset),
    /// Go back to the document written by hand.
    PickOwn(Half),
    /// Replace a document's text, letter by letter.
    Write(Half, String),
    /// Take a document in which a field of its form was filled in, letter by letter.
    Fill(Half, FieldTarget, String),
    /// Take a document in which a value was dragged to another; drags of one field are told apart by their number.
    Drag(Half, FieldTarget, u32, String),
    /// Take a document that the page composed.
    Take(Half, String),
    /// Take documents out of files.
    Import(ImportedDocuments),
    /// Take a document in which something has another name, which the schedule may name too.
    Rename(Half, Renamed),
    /// Take a grid of tile sizes that suits the network's maps.
    TakeGrid(GridChoice),
    /// Sweep a mode or not.
    Mode(StoringMode, bool),
    /// Change something else of the schedule.
    Schedule(ScheduleField),
    /// End stacks after these layers, by hand.
    EndStacksAfter(String),
    /// Replace the text of a weight: of energy, latency or DRAM accesses.
    Weight(usize, String),
    /// The sweep of DeFiNES, Fig. 12.
    ReproduceFigure12,
    /// Put the design and its opened point aside, to compare with.
    Pin,
    /// Forget the design that was put aside.
    Unpin,
    /// Change the design at hand for the one that was put aside.
    Swap,
    /// Show an entry of the gallery.
    OpenEntry(&'static str, Box<Opening>),
    /// Take the state that a file holds.
    Open(Box<State>),
    /// Show a step of a lesson.
    OpenStep(Box<StepOpened>),
    /// Read a lesson, of which no step is begun.
    ReadLesson(Box<OpenLesson>),
    /// Replace the text of a lesson, letter by letter.
    WriteLesson(String),
    /// Close the lesson; the design stays.
    LeaveLesson,
    /// Change what hierarchies are generated.
    Hierarchy(HierarchyField),
    /// Take a preset for the pool of memories.
    PickPool(&'static Preset),
    /// Change what the table of designs compares.
    Table(TableField),
    /// Put a document into the table of designs, or leave it out.
    InTable(Half, String, bool),
    /// Take the accelerator and the network of a cell of that table as the design at hand.
    OpenFromTable {
        /// The accelerator.
        hardware: Box<TableDocument>,
        /// The network.
        network: Box<TableDocument>,
    },
    /// Change what is run on many cores.
    Cores(CoresField),
    /// Tiles of this size on many cores from now on, whatever a search finds.
    StateTiles(Granularity),
    /// Change which transformer runs, or what it computes.
    Attention(AttentionField),
    /// Look at a kind of schedule of attention, in these tiles.
    FollowAttention {
        /// As [`AttentionForm::kind`](super::AttentionForm::kind).
        kind: String,
        /// As [`AttentionForm::tile`](super::AttentionForm::tile).
        tile: String,
    },
    /// Replace the study document, letter by letter.
    Study(StudyField),
    /// Take a study document that the page composed.
    TakeStudy(String),
    /// The study of ZigZag, Tables VI and VII and Fig. 19: its accelerator and its network.
    CaseStudy2([&'static Preset; 2]),
    /// Map another layer, or change its mapping.
    Mapping(MappingField),
    /// Change the way of looking.
    Look(ViewField),
    /// Open a point and show it. To look at one from where one is, as one drags over its neighbours, is no place that a
    /// browser goes back to.
    OpenPoint(DepthFirstStrategy),
    /// Show or hide a document's text.
    ShowText(Half, bool),
}

/// Documents out of files: some of them.
#[derive(Debug, Clone, Default)]
pub struct ImportedDocuments {
    /// The accelerator.
    pub hardware: Option<String>,
    /// The network.
    pub workload: Option<String>,
    /// The system of cores; the view of many cores then shows it.
    pub system: Option<String>,
    /// The transformer; alone, the view of attention then shows it.
    pub transformer: Option<String>,
    /// A study; the view of studies then shows it.
    pub study: Option<String>,
    /// Constraints on mappings.
    pub constraints: Option<String>,
    /// The mapping of a layer of these documents; the view of mappings then shows it.
    pub mapping: Option<(String, Option<Vec<Unroll>>, TemporalMapping)>,
}

/// A step of a lesson as it is opened.
#[derive(Debug, Clone)]
pub struct StepOpened {
    /// The lesson, and which step.
    pub lesson: OpenLesson,
    /// The state that it begins with.
    pub opens: Opening,
    /// Whether that takes the place of what a person had changed.
    pub replaces_edits: bool,
    /// Whether the view stays that is looked at.
    pub keeps_view: bool,
}

/// A document in which a memory or a layer has another name.
#[derive(Debug, Clone)]
pub struct Renamed {
    /// The document.
    pub text: String,
    /// What the memory or layer was called.
    pub old: String,
    /// What it is called now.
    pub new: String,
}

impl Action {
    /// Takes the preset called `id`. It knows the texts of all presets, which the page fetches after its first screen.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn preset(half: Half, id: &str) -> Result<Self, Diagnostics> {
        Ok(Self::PickPreset(half, find_preset(half.presets(), id)?))
    }

    /// Opens the study of ZigZag, Tables VI and VII and Fig. 19.
    ///
    /// # Errors
    /// One of its presets is gone.
    pub fn case_study_2() -> Result<Self, Diagnostics> {
        let find = |half: Half, id: &str| find_preset(half.presets(), id);
        Ok(Self::CaseStudy2([find(Half::Hardware, "zigzag-8x8")?, find(Half::Workload, "mobilenet-v2-study")?]))
    }

    /// Shows an entry of the gallery.
    pub fn entry(entry: &Entry) -> Self {
        Self::OpenEntry(entry.id, Box::new(entry.opens.clone()))
    }

    /// Shows a step of a lesson in place of a state.
    pub fn step(lesson: OpenLesson, opens: Opening, of: &State) -> Self {
        Self::OpenStep(Box::new(StepOpened { lesson, opens, replaces_edits: of.is_edited(), keeps_view: false }))
    }

    /// Shows the open step with other values of its fields.
    pub fn try_values(lesson: OpenLesson, opens: Opening) -> Self {
        Self::OpenStep(Box::new(StepOpened { lesson, opens, replaces_edits: false, keeps_view: true }))
    }

    /// What it means for undo and for the search.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Write(half, _) => Kind::Typing(Field::Document(*half)),
            Self::Fill(half, place, _) => Kind::Typing(Field::Value(*half, place.clone())),
            Self::Drag(half, place, number, _) => Kind::Dragging(Field::Dragged(*half, place.clone(), *number)),
            Self::Schedule(field) => field.kind(),
            Self::Weight(index, _) => Kind::Typing(Field::Weight(*index)),
            Self::Mapping(field) => field.kind(),
            Self::WriteLesson(_) => Kind::Typing(Field::Lesson),
            Self::Study(field) => field.kind(),
            Self::Table(field) => field.kind(),
            Self::Attention(field) => field.kind(),
            Self::Cores(field) => field.kind(),
            Self::Hierarchy(field) => field.kind(),
            Self::Look(field) => field.kind(),
            Self::LeaveLesson | Self::OpenPoint(_) | Self::ShowText(..) => Kind::Look,
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
            | Self::TakeStudy(_) => Kind::Edit,
        }
    }

    /// Whether a browser's Back should lead to where the person was before.
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
