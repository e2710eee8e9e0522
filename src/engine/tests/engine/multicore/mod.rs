//! Stream: a network on many cores.

mod allocations;
mod cores;
mod cores_account;
mod evictions;
mod schedule_by_cycles;
mod schedules;
mod systems;
mod tile_costs;
mod tile_graphs;
mod tile_search;
