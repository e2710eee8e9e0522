//! Which operators to run together, after Optimus (Cai, Wang, Zhang, ACM TECS 22(1), 2022).
//!
//! - [`networks`]: the networks that the paper fuses
//! - [`graph`]: operators, the maps between them, and the merging of simple operators
//!
//! The paper's unit is an operator and any acyclic partition of the graph, concatenations included, which a
//! [`workload::Network`](crate::workload::Network) cannot express: there a concatenation is a view of what earlier layers stored, and
//! stacks end at it. Therefore the room has a graph of its own, of which it keeps no more than the memory cost needs.

pub mod graph;
pub mod networks;

pub use graph::{FeatureMap, GraphError, MapId, NETWORK_INPUT, Operator, OperatorGraph, OperatorId, OperatorKind};
pub use networks::PaperNetwork;
