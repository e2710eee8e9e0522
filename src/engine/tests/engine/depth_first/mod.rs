//! DeFiNES: stacks, tiles and the placement of their data.

mod attention;
mod best_placement;
mod case_study_1;
mod neighbours;
mod placement_by_elements;
mod random_stacks;
mod reasons;
mod replay;
mod stack_by_elements;
mod stacks;
mod tiling_by_pixels;
mod trace;
mod view_by_elements;
