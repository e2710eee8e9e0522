//! What questions are about, and which of them go first.

use serde::{Deserialize, Serialize};

/// A topic of questions. A view may use several topics, which do not disturb each other. A topic with a number is the lane of a worker
/// in a job: it gets one task after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Topic {
    /// The best mapping of the layer at hand.
    BestMapping,
    /// What the mapping made by hand costs.
    OwnMapping,
    /// The best mapping that constraints allow.
    AllowedMapping,
    /// The layer under other rules.
    Rules,
    /// Designs of a study.
    Designs(u8),
    /// How long a design of a study takes.
    DesignTime,
    /// A file of results.
    ResultFile,
    /// Other unrollings of the layer.
    LayerUnrollings,
    /// The layer with each of these.
    UnrollingCosts,
    /// The layer by other searches.
    Strategies,
    /// Which layers run together.
    Fusion(u8),
    /// The best schedule of each pair of the table of designs.
    DesignTable(u8),
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
    /// Optimus' on-line decision for every size of the buffer, and the best groups for each.
    OnlineSteps,
    /// The methods under other dataflows and array sizes.
    Dataflows(u8),
    /// How long it takes to find the groups of networks of a paper.
    SearchTimes,
    /// The tile size of a network on many cores.
    CoresTiles(u8),
    /// A network on many cores.
    Cores(u8),
    /// The same on its best core alone.
    CoresAlone,
    /// The cost of an allocation by hand.
    CoresByHand,
    /// Better cores for single layers.
    CoresImproved(u8),
    /// Cores found by the genetic search.
    CoresEvolved,
    /// A network on other systems, and in other tiles.
    CoresSweep,
    /// Memory hierarchies.
    Hierarchies(u8),
    /// The hierarchy at hand.
    HierarchyFacts,
    /// Hierarchies under other unrollings.
    Unrollings,
    /// The claims of a gallery entry, by its number.
    Gallery(u8),
    /// Where the tiles of the stack at hand lie.
    Motion,
    /// The loops of the layer at hand as they turn.
    Turns,
    /// The numbers of the open step of a lesson.
    Lesson,
    /// Those numbers of the design as a person has changed it.
    LessonAtHand,
    /// Steps of a lesson as it is written.
    LessonPreview,
    /// What is wrong with it.
    LessonMistakes,
    /// Whether its variants can be solved.
    LessonVariants,
    /// What changes from the point at hand to its neighbours.
    Neighbours,
    /// What changes from it towards one cut more or fewer.
    Cuts,
    /// A step of a transformer.
    Attention,
    /// Tiles of its attention.
    AttentionTiles,
    /// A schedule of it, step by step.
    AttentionMotion,
    /// Generation with ever more sequences at a time.
    Generation,
    /// The step on several cores.
    DividedSteps,
    /// The published dataflows.
    PublishedDataflows,
}

impl Topic {
    /// Whether the sweep goes first; otherwise a person waits for these replies.
    pub fn is_background(self) -> bool {
        match self {
            Self::BestMapping | Self::OwnMapping | Self::AllowedMapping | Self::HierarchyFacts | Self::Online => false,
            Self::CoresTiles(_)
            | Self::Cores(_)
            | Self::CoresAlone
            | Self::CoresByHand
            | Self::Motion
            | Self::Turns => false,
            Self::Attention | Self::AttentionMotion => false,
            Self::AttentionTiles | Self::Generation | Self::DividedSteps | Self::PublishedDataflows => true,
            Self::Rules
            | Self::LayerUnrollings
            | Self::UnrollingCosts
            | Self::Strategies
            | Self::Hierarchies(_)
            | Self::Designs(_)
            | Self::DesignTime
            | Self::ResultFile
            | Self::Unrollings => true,
            Self::Sequences | Self::SequenceCosts | Self::SequenceFacts | Self::SequenceResources => true,
            Self::CoresImproved(_) | Self::CoresEvolved | Self::CoresSweep => true,
            Self::Fusion(_) | Self::FusionSteps | Self::OnlineSteps | Self::Dataflows(_) | Self::SearchTimes => true,
            Self::DesignTable(_) | Self::Gallery(_) => true,
            Self::Lesson | Self::LessonAtHand | Self::LessonPreview | Self::LessonVariants => true,
            Self::LessonMistakes => false,
            Self::Neighbours | Self::Cuts => true,
        }
    }
}
