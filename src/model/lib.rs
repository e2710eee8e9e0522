//! The validated model: what documents ([`fusescape_spec`]) mean.
//!
//! A [`hardware::Core`], a [`workload::Network`], a [`system::CoreSystem`], a [`pool::Pool`] and a [`transformer::Transformer`] are read
//! and validated by their `from_text`, with all that is wrong at once. [`rules`] says where the public tools and what is right differ. It
//! is a package of its own because validation is compiled for size, and the engine, which reads the model all the time, for speed.
//!
//! Imports only ever point down, to rooms named earlier: [`ids`], [`units`], [`rules`], [`hardware`], [`workload`], [`pool`],
//! [`system`], [`transformer`].

// Published: every item that others can reach is documented.
#![warn(missing_docs)]

pub mod hardware;
pub mod ids;
pub mod pool;
pub mod rules;
#[cfg(feature = "schema")]
pub mod schema;
pub mod system;
pub mod transformer;
pub mod units;
pub mod workload;

use fusescape_spec as spec;
use fusescape_spec::sorting;
