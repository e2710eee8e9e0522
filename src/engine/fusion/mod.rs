//! Which operators to run together, after Optimus (Cai, Wang, Zhang, ACM TECS 22(1), 2022).
//!
//! A network is an [`OperatorGraph`]; its operators are partitioned into groups. What a group computes stays in the buffer, so only
//! the maps at its border, and the parameters, move between DRAM and chip. Imports only ever point down this list:
//!
//! - [`fuse`](mod@fuse): the best scheme and its proof, or a bound
//! - [`online`]: a scheme at once, for a buffer whose size changes
//! - [`exact`]: the best scheme of all, a shortest path through the order ideals of the network
//! - [`algorithm1`](mod@algorithm1): the best of what the paper's algorithm searches, which is not the optimum
//! - [`baselines`]: no fusion, the restricted spaces of earlier work, and the oracle, a lower bound on every scheme
//! - [`prior`]: cost models of earlier work
//! - [`memory_cost`](mod@memory_cost), with `frontier.rs`: the memory cost of groups that grow operator by operator, from the
//!   maps at their border
//! - [`scheme`], [`validity`]: partitions, the interface of cost models to searches, and which groups are allowed
//! - [`group`]: tiles, buffer and memory cost of one group. It back-calculates tiles through branches; the fewest loadings of the
//!   parameters follow by bisection
//! - [`isoa`]: which maps are buffered a few channels at a time
//! - [`setting`]: accelerator and batch
//! - [`document`]: operators and setting of the documents that a person wrote
//! - [`networks`], with `nasnet.rs` and `builder.rs`: the networks that the paper fuses
//! - [`graph`]: operators, the maps between them, and the merging of simple operators
//!
//! A search is independent of tiles: it lets groups grow from their last operator to their first
//! ([`IncrementalGroup`]), gets a lower bound on the price of each, or that no larger one fits, and has only promising
//! ones priced ([`GroupCostModel`]).
//!
//! The paper's unit is an operator and any acyclic partition of the graph, concatenations included, which a
//! [`workload::Network`](crate::workload::Network) has as views: `document` says how operators read through these. Therefore the room has
//! a graph of its own, of which it keeps no more than the memory cost needs. Its tiles are not those of
//! [`depth_first`](crate::depth_first), either: the paper neither pads nor treats borders, cuts outputs of different heights into equally
//! many tiles, and has all groups in one buffer. The paper's text is damaged and open in places; where the code decides, it says so.
//!
//! `tests/reference/optimus.rs` compares with an independent reading of the paper, `tests/engine/fusion/groups.rs` with brute force;
//! `benches/fusion.rs` holds it against the paper's times.
//!
//! # Example
//!
//! ```
//! use fusescape_engine::fusion::{PaperNetwork, SchemeProof, Setting, baselines, fuse, memory_cost};
//!
//! let graph = PaperNetwork::ResNet18.graph();
//! let setting = Setting::paper();
//! let (best, proof) = fuse(&graph, &setting, 10_000);
//! let best = best.expect("every operator fits in a group");
//! let alone = baselines::without_fusion(&graph, &memory_cost(&graph, &setting)).expect("and by itself");
//!
//! assert_eq!(proof, SchemeProof::Optimal);
//! assert!(best.cost < alone.cost);
//! assert!(best.groups.len() < graph.len());
//! ```

pub mod algorithm1;
pub mod baselines;
mod builder;
pub mod document;
pub mod exact;
mod frontier;
pub mod fuse;
pub mod graph;
pub mod group;
mod ids;
pub mod isoa;
pub mod memory_cost;
mod nasnet;
pub mod networks;
pub mod online;
pub mod prior;
pub mod scheme;
pub mod setting;
pub mod validity;

pub use algorithm1::{GroupCount, algorithm1, count_algorithm1_groups};
pub use exact::Ideals;
pub use fuse::{SchemeProof, fuse};
pub use graph::{FeatureMap, GraphError, Operator, OperatorGraph, OperatorKind};
pub use group::{Group, GroupCost, ParameterLoading};
pub use ids::{GroupMap, IdealId, MapId, NETWORK_INPUT, OperatorId};
pub use memory_cost::{MemoryCost, memory_cost};
pub use networks::PaperNetwork;
pub use online::OnlineFusion;
pub use prior::{PriorCost, prior_cost};
pub use scheme::{GroupCostModel, IncrementalGroup, PriceList, Scheme};
pub use setting::{Residency, Setting, Throughput};
pub use validity::is_convex;
