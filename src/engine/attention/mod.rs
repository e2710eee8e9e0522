//! Attention: queries times keys, a softmax, times values; fusion of its steps, and the costs.
//!
//! - `shape.rs`, `problem.rs`: what is to be computed; `cascade.rs`: as which steps, with a softmax in three, two or one pass
//! - `machine.rs`: a [`crate::hardware::Core`] as attention sees it; `product.rs`: one product of matrices on its array
//! - `schedule.rs`: what runs together, in which tiles; `movement.rs`: what that moves and computes, piece by piece; `account.rs`: what
//!   that costs; `steps.rs`: step by step; `floor.rs`, `search.rs`: the best
//! - `transformer.rs`: steps of whole models; `state_space.rs`: a block without attention; `token.rs`: norms, activations and sums;
//!   `linear.rs`: these and the products with weights; `block.rs`, `block_search.rs`, `block_steps.rs`: attention
//!   together with what is around it; `key_store.rs`: where keys and values are; `layer.rs`: all of it, and generation
//!   with a cache; `cores.rs`: on several cores
//! - [`published`]: unfused attention, FLAT and FuseMax by the rules of the FuseMax artifact
//!
//! The model of `account.rs`: data moves between DRAM, the memories on the chip and the registers of the array. DRAM,
//! memories, array and lanes work at the same time, as in FuseMax's binding, so that the latency is that of the
//! busiest; filling and draining of the pipeline is left out. Lanes read each step's inputs from the memory on the chip
//! and write its results there. Memory levels between these memories and the registers of the PEs are skipped, and
//! registers of lanes are not counted.
//!
//! # Example
//!
//! ```
//! use fusescape_engine::attention::{ElementBits, Fusion, Machine, Problem, Shape, search};
//! use fusescape_engine::hardware::Core;
//! use fusescape_engine::search::Objective;
//! use fusescape_spec::{find_preset, hardware_presets};
//!
//! let core = Core::from_text(find_preset(hardware_presets(), "tpu-like-df")?.text)?;
//! let machine = Machine::of(&core)?;
//! // BERT-base with 512 tokens.
//! let (shape, bits) = (Shape::of_sequence(1, 12, 64, 512), ElementBits::all(8));
//! let problem = Problem { shape, causal: false, window: None, bits, source: None, keys_on_chip: false };
//! let found = search(&problem, &machine, &Objective::Energy);
//! let best = found.best(&Objective::Energy, &machine).expect("it fits");
//!
//! // Scores stay on the chip; the traffic across its border is the least possible.
//! assert_ne!(best.schedule.fusion, Fusion::None);
//! assert_eq!(best.dram_bits(), problem.compulsory_bits());
//! assert!(best.energy_pj() < found.unfused().expect("it fits").energy_pj());
//! # Ok::<(), fusescape_spec::Diagnostics>(())
//! ```

mod account;
mod block;
mod block_search;
mod block_steps;
mod cascade;
mod cores;
mod floor;
mod key_store;
mod layer;
mod linear;
mod machine;
mod movement;
mod problem;
mod product;
pub mod published;
mod schedule;
mod search;
mod shape;
mod state_space;
mod steps;
mod token;
mod transformer;

pub use account::{Account, Busy, Cause, Moved, Tensor, account};
pub use block::{Block, BlockProblem, BlockSchedule, TokenTile};
pub use block_steps::follow_block;
pub use cascade::{Cascade, Running, VectorStep, attend};
pub use cores::{Cores, MOST_CORES, Split, SplitCost, split_step};
pub use floor::floor;
pub use key_store::KeyStore;
pub use layer::{
    AttentionPart, Generation, LayerSchedule, MOST_CHUNKS, Sequences, StepCost, generate, parts_around, schedule_layer,
};
pub use linear::{Held, KeptKeys, Part, RowTraffic, Run, StateMoves, best_runs, run_of};
pub use machine::{Machine, Store};
pub use movement::{Flow, Place};
pub use problem::{ElementBits, Problem, Source};
pub use product::{FactorBits, Product, product};
pub use schedule::{Fusion, KeysHeld, QueryTiles, Schedule};
pub use search::{EVERY_SIZE, Found, MOST_TILES, figures, score, search};
pub use shape::Shape;
pub use state_space::{state_space_bits, state_space_parts};
pub use steps::{
    AlikeSteps, AttentionSteps, AttentionTraceStep, LaneStep, MOST_STEPS, Pass, QueryTile, Stage, StepWork, follow,
};
pub use token::{Added, TokenStep, TokenWork};
pub use transformer::{Compulsory, Step, TransformerWork, WeightedProduct};
