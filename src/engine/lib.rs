//! The engine: from documents ([`fusescape_spec`]) to mappings, schedules and their cost.
//!
//! It implements five published systems over one description of hardware ([`hardware::Core`]) and network
//! ([`workload::Network`]): DeFiNES, ZigZag, Stream, Optimus and HW-Flow-Fusion. It is a package of its own because it
//! is compiled for speed, and the packages that show its results for size.
//!
//! # Rooms
//!
//! From the ground up; imports only ever point down, to rooms named earlier:
//!
//! 1. the model ([`fusescape_model`]), which is given on here under the names of its rooms: [`ids`], [`units`], [`rules`],
//!    [`hardware`], [`workload`], [`pool`], [`system`], [`transformer`]
//! 2. [`mapping`]: loops in space and time, and their allocation to memory levels
//! 3. [`cost`]: one mapped layer on one core: accesses, energy, latency
//! 4. [`search`]: the best temporal mapping of one layer-tile
//! 5. the systems, which know nothing of each other: [`depth_first`] (DeFiNES), [`fusion`] (Optimus), [`interlayer`]
//!    (HW-Flow-Fusion), [`multicore`] (Stream), [`hierarchy`] (ZigZag's architecture generator), [`attention`] (FLAT, FuseMax)
//! 6. [`explore`]: studies of a design: sweeps of depth-first schedules, optimal stacks, single layers, methods of fusion
//!
//! [`job`] divides long work into tasks for any driver: threads, or the workers of the page.
//!
//! # How data flows
//!
//! ```text
//! documents --spec--> Core, Network --plan--> points --+--> unique mapping problems --search--> solutions
//!                                                      |                                          |
//!                                                      +---------------- assemble <---------------+
//!                                                                            |
//!                                                                        accounts
//! ```
//!
//! Points of a sweep share most of their mapping problems. Each different one is solved once, by any worker, in any
//! order.
//!
//! # Invariants
//!
//! The engine is pure: no clock, no I/O, no globals, no randomness, no panic on validated input. The same input gives
//! the same bits natively and in WebAssembly. A search is `{problem, limits, strategy} -> {best, report, stop reason}`.
//! Everything whose size depends on the input is counted before it is allocated.
//!
//! # Example
//!
//! One point of the landscape of DeFiNES, Fig. 12: FSRCNN in tiles of 4 x 72, overlap fully cached, against layer-by-layer.
//!
//! ```
//! use fusescape_engine::depth_first::{FuseDepth, StoringMode};
//! use fusescape_engine::explore::{CostStore, IncrementalSweep, Request, Settings, Sweep};
//! use fusescape_spec::{find_preset, hardware_presets, workload_presets};
//!
//! let request = Request {
//!     hardware: find_preset(hardware_presets(), "meta-proto-like-df")?.text.to_owned(),
//!     workload: find_preset(workload_presets(), "fsrcnn")?.text.to_owned(),
//!     settings: Settings {
//!         tiles_x: vec![4],
//!         tiles_y: vec![72],
//!         modes: vec![StoringMode::FullyCached],
//!         fuse: vec![FuseDepth::Automatic, FuseDepth::LayerByLayer],
//!         ..Settings::default()
//!     },
//! };
//! // Validates both documents: an error lists all that is wrong, with a remedy each.
//! let sweep = Sweep::new(&request)?;
//!
//! let mut costs = CostStore::default();
//! let mut incremental = IncrementalSweep::new(sweep);
//! let depth_first = incremental.account(&mut costs, 0)?;
//! let layer_by_layer = incremental.account(&mut costs, 1)?;
//!
//! // All eight layers run in one stack, and that takes a tenth of the energy.
//! assert_eq!(depth_first.stacks[0].layers.len(), 8);
//! assert!(depth_first.energy_pj < layer_by_layer.energy_pj / 9.0);
//!
//! // A document that makes no sense is refused with every reason.
//! let wrong = Request { hardware: "name: nothing".to_owned(), ..request };
//! assert!(Sweep::new(&wrong).is_err_and(|wrong| wrong.to_string().contains("memories")));
//! # Ok::<(), fusescape_spec::Diagnostics>(())
//! ```

// Published: every item that others can reach is documented.
#![warn(missing_docs)]

pub mod attention;
pub mod cost;
pub mod depth_first;
pub mod explore;
pub mod fusion;
pub mod hierarchy;
pub mod interlayer;
pub mod job;
pub mod mapping;
pub mod multicore;
mod pareto;
pub mod search;
pub mod ties;
mod tolerance;

#[cfg(feature = "schema")]
pub use fusescape_model::schema;
pub use fusescape_model::{hardware, ids, pool, rules, system, transformer, units, workload};
use fusescape_spec as spec;
use fusescape_spec::sorting;
