//! A path of a mapping applied to its layer: loops in time and in space, and the memories that hold the former.

use super::layers::EinsumLayer;
use super::mapping::{MappingNode, Path, TileLoop};
use crate::nest::mapped_loop;
use fusescape_spec::{Diagnostics, MappedLoopSpec};

/// The loops of a layer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AccelforgeSchedule {
    /// Loops in time of more than one iteration, innermost first.
    pub time: Vec<MappedLoopSpec>,
    /// Loops in space: dimension in the mapping, loop dimension, instances.
    pub space: Vec<(String, &'static str, u64)>,
}

/// The reason why the mapping of an Einsum is left out.
pub enum Unplaced {
    /// It cannot be expressed layer by layer; holds the reason.
    Fused(String),
    /// It has errors.
    Wrong(Diagnostics),
}

/// Assigns the loops of a path to memories and array dimensions.
pub fn place<'a>(path: &'a Path, role: &'a EinsumLayer, memories: &[&'a str]) -> Result<AccelforgeSchedule, Unplaced> {
    let outermost = memories.first().copied().unwrap_or_default();
    check_fusion(path, role, outermost).map_err(Unplaced::Fused)?;
    let mut placing = AccelforgePlacement {
        path,
        role,
        left: role.variables.iter().map(|(_, size, _)| *size).collect(),
        held: [outermost; 3],
        schedule: AccelforgeSchedule::default(),
        wrong: Diagnostics::default(),
    };
    path.steps.iter().for_each(|step| placing.take(step, memories));
    placing.finish().map_err(Unplaced::Wrong)
}

fn check_fusion(path: &Path, role: &EinsumLayer, outermost: &str) -> Result<(), String> {
    let is_long = |variable: &str| role.variables.iter().any(|(name, size, _)| *name == variable && *size > 1);
    let is_loop = |step: &&MappingNode| matches!(step, MappingNode::Loop(one) if is_long(&one.variable));
    if path.steps[..path.shared.min(path.steps.len())].iter().any(|step| is_loop(&step)) {
        return Err("it shares loops with other Einsums".to_owned());
    }
    for tensor in &role.tensors {
        let first = path.steps.iter().find_map(|step| match step {
            MappingNode::Storage(memory, tensors) if tensors.contains(tensor) => Some(memory),
            _ => None,
        });
        match first {
            Some(memory) if memory != outermost => {
                return Err(format!("`{tensor}` stays in `{memory}` and never reaches `{outermost}`"));
            }
            Some(_) => {}
            None => return Err(format!("no memory stores `{tensor}`")),
        }
    }
    Ok(())
}

struct AccelforgePlacement<'a> {
    path: &'a Path,
    role: &'a EinsumLayer,
    /// By rank variable: the size of the current tile.
    left: Vec<u64>,
    held: [&'a str; 3],
    schedule: AccelforgeSchedule,
    wrong: Diagnostics,
}

impl<'a> AccelforgePlacement<'a> {
    fn take(&mut self, step: &'a MappingNode, memories: &[&str]) {
        match step {
            MappingNode::Storage(memory, tensors) => {
                if !memories.contains(&memory.as_str()) {
                    let remedy = format!("Its memories are {}", memories.join(", "));
                    return self.reject(format!("The architecture has no memory `{memory}`"), remedy);
                }
                for (held, tensor) in self.held.iter_mut().zip(&self.role.tensors) {
                    if tensors.contains(tensor) {
                        *held = memory;
                    }
                }
            }
            MappingNode::Loop(one) => self.take_loop(one),
        }
    }

    fn take_loop(&mut self, one: &TileLoop) {
        let TileLoop { variable, tile, space } = one;
        let Some(index) = self.role.variables.iter().position(|(name, ..)| name == variable) else {
            let names: Vec<&str> = self.role.variables.iter().map(|(name, ..)| name.as_str()).collect();
            let reason = format!("`{}` has no rank variable `{variable}`", self.path.einsum);
            return self.reject(reason, format!("Its rank variables are {}", names.join(", ")));
        };
        let (left, ours) = (self.left[index], self.role.variables[index].2);
        if *tile >= left {
            return;
        }
        if left % tile != 0 {
            let reason =
                format!("Tiles of {tile} leave a rest of {left} iterations of `{variable}` in `{}`", self.path.einsum);
            let remedy = format!("Choose a `tile_shape` that divides {left}, or import without the mapping");
            return self.reject(reason, remedy);
        }
        self.left[index] = *tile;
        let size = left / tile;
        match space {
            Some(dimension) => self.schedule.space.push((dimension.clone(), ours, size)),
            None => self.schedule.time.push(mapped_loop(ours, size, self.held)),
        }
    }

    fn reject(&mut self, reason: String, remedy: String) {
        self.wrong.0.push(self.path.wrong(reason, remedy));
    }

    fn finish(mut self) -> Result<AccelforgeSchedule, Diagnostics> {
        let Self { path, role, left, wrong, .. } = &mut self;
        if wrong.is_empty() {
            for ((name, ..), left) in role.variables.iter().zip(&*left).filter(|(_, left)| **left > 1) {
                let reason = format!("No loop of `{}` runs over {left} iterations of `{name}`", path.einsum);
                let remedy = format!("End with a loop over `{name}` with `tile_shape: 1`");
                wrong.0.push(path.wrong(reason, remedy));
            }
        }
        self.schedule.time.reverse();
        self.wrong.or(self.schedule)
    }
}
