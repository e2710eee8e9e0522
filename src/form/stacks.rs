//! Stacks as cut by a person: the layers after which one ends.

use fusescape_engine::depth_first::{FuseDepth, cut};
use fusescape_engine::hardware::Core;
use fusescape_engine::rules::Rules;
use fusescape_engine::workload::{LayerId, Network};
use fusescape_spec::{Diagnostics, listed_name, listed_names};

/// The stacks of a network, for a form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stacks {
    /// Names of the layers of each stack.
    pub layers: Vec<Vec<String>>,
    /// Names of the layers after which a stack ends.
    pub ends: Vec<String>,
    /// Errors in the cuts.
    pub wrong: Diagnostics,
}

/// Divides a network by the fuse depth.
pub fn stacks(network: &Network, core: &Core, fuse: &FuseDepth, rules: &Rules) -> Stacks {
    match cut(network, core, fuse, rules) {
        Ok(stacks) => {
            let name = |id: &LayerId| network.layer(*id).name.clone();
            let layers: Vec<Vec<String>> =
                stacks.iter().map(|stack| stack.layers().iter().map(name).collect()).collect();
            let ends = layers.iter().filter_map(|layers| layers.last().cloned()).collect();
            Stacks { layers, ends, wrong: Diagnostics::default() }
        }
        Err(wrong) => {
            let ends = if let FuseDepth::Cuts(names) = fuse { names.clone() } else { Vec::new() };
            Stacks { layers: Vec::new(), ends, wrong }
        }
    }
}

impl Stacks {
    /// The text of the cuts with the end after `layer` added or removed.
    pub fn toggled(&self, network: &Network, layer: &str) -> String {
        let is_end = |name: &String| (self.ends.contains(name)) != (name == layer);
        let names: Vec<String> = network.computing().map(|id| network.layer(id).name.clone()).collect();
        // The last layer ends the last stack anyway.
        let last = names.len().saturating_sub(1);
        let ends: Vec<&str> = names[..last].iter().filter(|name| is_end(name)).map(String::as_str).collect();
        if ends.is_empty() {
            names.last().map(|last| listed_name(last)).unwrap_or_default()
        } else {
            listed_names(&ends)
        }
    }
}
