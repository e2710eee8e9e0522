//! Searches for groups of the paper's own networks in its setting, to be timed where they run (Optimus, Table 5). The caller has the clock,
//! as the engine has none.

use crate::fusion::{
    OnlineFusion, OperatorGraph, PaperNetwork, Scheme, SchemeProof, Setting, algorithm1, fuse, memory_cost,
};
use serde::{Deserialize, Serialize};

/// Limit on the order ideals, beyond which nothing is proved.
const MOST_IDEALS: usize = 4_000;

/// The published times of a network (Table 5): milliseconds on an i7-6700, tabulated bottom-up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PublishedTimes {
    /// One of the paper's eleven networks.
    pub network: PaperNetwork,
    /// Of Algorithm 1.
    pub algorithm1_ms: f64,
    /// Of its on-line variant.
    pub online_ms: f64,
}

/// Table 5, except for VGG, which it takes without fully connected layers.
pub const PUBLISHED_TIMES: [PublishedTimes; 6] = [
    PublishedTimes { network: PaperNetwork::SqueezeNet1_0, algorithm1_ms: 2.19, online_ms: 0.24 },
    PublishedTimes { network: PaperNetwork::ResNet50, algorithm1_ms: 2.73, online_ms: 0.29 },
    PublishedTimes { network: PaperNetwork::ResNet152, algorithm1_ms: 5.01, online_ms: 0.23 },
    PublishedTimes { network: PaperNetwork::GoogLeNet, algorithm1_ms: 27.89, online_ms: 0.64 },
    PublishedTimes { network: PaperNetwork::ResNet1202, algorithm1_ms: 383.95, online_ms: 5.26 },
    PublishedTimes { network: PaperNetwork::NasNetALarge, algorithm1_ms: 8713.16, online_ms: 274.10 },
];

/// An algorithm that divides a network into groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GroupSearch {
    /// As published.
    Algorithm1,
    /// Over all order ideals, as far as they are few enough.
    Exact,
    /// The on-line variant.
    Online,
}

impl GroupSearch {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 3] = [Self::Algorithm1, Self::Exact, Self::Online];

    /// For a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::Algorithm1 => "Algorithm 1",
            Self::Exact => "exact",
            Self::Online => "on line",
        }
    }
}

/// A network of the paper, ready to be searched.
pub struct PaperProblem {
    graph: OperatorGraph,
    setting: Setting,
    online: OnlineFusion,
}

impl PaperProblem {
    /// In the paper's setting; the on-line variant is prepared, which takes longer than its decisions.
    pub fn new(network: PaperNetwork) -> Self {
        let (graph, setting) = (network.graph(), Setting::paper());
        Self { online: OnlineFusion::new(graph.clone(), setting, MOST_IDEALS), graph, setting }
    }

    /// Searches once: the groups, and a lower bound on the cost of any scheme where they are not proved to be optimal.
    pub fn search(&self, search: GroupSearch) -> (Option<Scheme>, Option<u64>) {
        match search {
            GroupSearch::Algorithm1 => (algorithm1(&self.graph, &memory_cost(&self.graph, &self.setting)), None),
            GroupSearch::Online => (self.online.decide(self.setting.buffer_bytes), None),
            GroupSearch::Exact => match fuse(&self.graph, &self.setting, MOST_IDEALS) {
                (scheme, SchemeProof::Optimal) => (scheme, None),
                (scheme, SchemeProof::TooWide(bound)) => (scheme, Some(bound)),
            },
        }
    }

    /// Elements as bytes.
    pub fn bytes(&self, elements: u64) -> u64 {
        self.setting.bytes(elements)
    }
}
