//! Which operators to run together, after Optimus (Cai, Wang, Zhang, ACM TECS 22(1), 2022).
//!
//! A network is an [`OperatorGraph`]; its operators are partitioned into groups. What a group computes stays in the buffer, so only
//! the maps at its border, and the parameters, move between DRAM and chip. Imports only ever point down this list:
//!
//! - [`fuse`](mod@fuse): the best scheme and its proof
//! - [`online`]: a scheme at once, for a buffer whose size changes
//! - [`exact`], [`algorithm1`], [`baselines`]: the best scheme of all; of what the paper's algorithm searches; of what others do
//! - [`prior`], [`relaxation`]: what groups cost by earlier models; what eq. 2 says, which no scheme may cost
//! - [`growing`], with `frontier.rs`: the memory cost of groups that grow by one operator at a time
//! - [`scheme`], [`validity`]: partitions, what prices of groups are to a search, and which are allowed
//! - [`group`]: tiles, buffer and memory cost of one group
//! - [`isoa`]: which maps are buffered a few channels at a time
//! - [`setting`]: accelerator and batch
//! - [`document`]: operators and setting of the documents that a person wrote
//! - [`networks`], with `nasnet.rs` and `builder.rs`: the networks that the paper fuses
//! - [`graph`]: operators, the maps between them, and the merging of simple operators
//!
//! The paper's unit is an operator and any acyclic partition of the graph, concatenations included, which a
//! [`workload::Network`](crate::workload::Network) cannot express: there a concatenation is a view of what earlier layers stored, and
//! stacks end at it. Therefore the room has a graph of its own, of which it keeps no more than the memory cost needs. Its tiles are
//! not those of [`depth_first`](crate::depth_first), either: the paper neither pads nor treats borders, cuts outputs of different
//! heights into equally many tiles, and has all groups in one buffer.

pub mod algorithm1;
pub mod baselines;
mod builder;
pub mod document;
pub mod exact;
mod frontier;
pub mod fuse;
pub mod graph;
pub mod group;
pub mod growing;
pub mod isoa;
mod nasnet;
pub mod networks;
pub mod online;
pub mod prior;
pub mod relaxation;
pub mod scheme;
pub mod setting;
pub mod validity;

pub use algorithm1::{GeneratedGroups, generated, published};
pub use exact::Ideals;
pub use fuse::{Proof, fuse};
pub use graph::{FeatureMap, GraphError, MapId, NETWORK_INPUT, Operator, OperatorGraph, OperatorId, OperatorKind};
pub use group::{Group, GroupCost, Loading};
pub use growing::{MemoryCost, memory_cost};
pub use networks::PaperNetwork;
pub use online::Online;
pub use prior::{PriorCost, prior_cost};
pub use relaxation::relaxed_cost;
pub use scheme::{Growing, PriceList, Prices, Scheme};
pub use setting::{Residency, Setting, Throughput};
pub use validity::{is_convex, is_scheme};
