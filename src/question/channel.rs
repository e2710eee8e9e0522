//! Channels of questions, and their priority.

use serde::{Deserialize, Serialize};

/// A channel of questions. A view may use several channels, which do not disturb each other. A channel with a number is
/// the lane of a worker in a job: it gets one task after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Channel {
    /// The best mapping of the current layer.
    BestMapping,
    /// The cost of the mapping made by hand.
    OwnMapping,
    /// The best mapping under constraints.
    AllowedMapping,
    /// The layer under other rules.
    Rules,
    /// Designs of a study.
    Designs(u8),
    /// The time of a design of a study.
    DesignTime,
    /// The content of a Parquet file.
    ResultFile,
    /// Other unrollings of the layer.
    LayerUnrollings,
    /// The layer with each of these unrollings.
    UnrollingCosts,
    /// The layer with other search strategies.
    Strategies,
    /// The groups of layers of all methods.
    Fusion(u8),
    /// The best schedule of each pair of the table of designs.
    DesignTable(u8),
    /// The change of groups with the accelerator.
    FusionSteps,
    /// The sequences that HW-Flow-Fusion can fuse.
    Sequences,
    /// The cost of each of these sequences.
    SequenceCosts,
    /// The details of one of these sequences.
    SequenceFacts,
    /// The effect of more or less hardware on sequences.
    SequenceResources,
    /// On-line decisions while a person changes the buffer.
    Online,
    /// Optimus' on-line decision for every size of the buffer, and the best groups for each.
    OnlineSteps,
    /// The methods under other dataflows and array sizes.
    Dataflows(u8),
    /// The time of searches for groups in networks of a paper.
    SearchTimes,
    /// The tile size of a network on many cores.
    CoresTiles(u8),
    /// A network on many cores.
    Cores(u8),
    /// The network on its best core alone.
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
    /// The opened hierarchy.
    HierarchyFacts,
    Unrollings,
    /// The claims of a gallery entry, by its number.
    Gallery(u8),
    /// The places of the current stack's tiles.
    StackTrace,
    /// The loops of the current layer, step by step.
    LoopTrace,
    /// The numbers of the open step of a lesson.
    Lesson,
    /// The numbers of that step for the design as changed by a person.
    LessonAtHand,
    /// Steps of a lesson that is being written.
    LessonPreview,
    /// Errors of that lesson.
    LessonMistakes,
    /// Whether the variants of that lesson can be solved.
    LessonVariants,
    /// The change from the current point to its neighbours.
    Neighbours,
    /// The change from the current point to one cut more or fewer.
    Cuts,
    /// A step of a transformer.
    Attention,
    /// Costs over tiles of queries and of keys.
    AttentionTiles,
    /// A schedule of attention, step by step.
    AttentionTrace,
    /// Generation with growing batches.
    Generation,
    /// The step on several cores.
    DividedSteps,
    /// Costs with the dataflows of the FuseMax artifact.
    PublishedDataflows,
}

impl Channel {
    /// Whether the sweep goes first; otherwise a person is waiting for the replies.
    pub fn is_background(self) -> bool {
        match self {
            Self::BestMapping | Self::OwnMapping | Self::AllowedMapping | Self::HierarchyFacts | Self::Online => false,
            Self::CoresTiles(_)
            | Self::Cores(_)
            | Self::CoresAlone
            | Self::CoresByHand
            | Self::StackTrace
            | Self::LoopTrace => false,
            Self::Attention | Self::AttentionTrace => false,
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
