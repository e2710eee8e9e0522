//! Networks on cores without a vector unit: layers that only such a unit computes are left out.

use super::layer::{Dim, LayerKind, LayerShape};
use super::network::{Layer, LayerId, Network};
use super::operation::{Operation, Operations};
use super::sizing::map_size;
use super::view::MapSize;
use crate::hardware::{Core, Operand, WideUnroll};
use crate::ids::TiVec;
use crate::spec::{Diagnostic, Diagnostics};

/// Limit on the layers that a note names.
const MOST_NAMED: usize = 6;

impl Network {
    /// The network as a core computes it. On a core without a vector unit, layers that only such a unit computes are
    /// left out: a layer that reads one of them reads its first input instead. A layer that would read a reduction, of
    /// which there is no other map, fetches it. An array that computes in memory computes no layers without weights,
    /// either.
    #[must_use]
    pub fn on(self, core: &Core) -> Self {
        match (&core.vector_unit, &core.in_memory) {
            (Some(_), _) => self,
            (None, Some(_)) => self.without(LayerKind::is_for_vector_unit),
            (None, None) => self.without_vector_unit(),
        }
    }

    /// The network without all layers that only a vector unit computes.
    #[must_use]
    pub fn without_vector_unit(self) -> Self {
        self.without(LayerKind::needs_vector_unit)
    }

    fn without(self, is_left_out: fn(LayerKind) -> bool) -> Self {
        let shapes = self.ids().map(|id| (id, self.layer(id).shape));
        let left_out: Vec<(LayerId, LayerShape)> = shapes.filter(|(_, shape)| is_left_out(shape.kind)).collect();
        if left_out.is_empty() {
            return self;
        }
        let mut layers: Vec<Layer> = self.ids().map(|id| self.layer(id).clone()).collect();
        let mut inputs: TiVec<LayerId, Vec<LayerId>> =
            self.ids().map(|id| [self.inputs(id), self.stored_inputs(id)].concat()).collect();
        for &(id, shape) in &left_out {
            let layer = &mut layers[id.index()];
            let MapSize { columns, rows, channels } = map_size(layer);
            layer.shape.kind = LayerKind::Input;
            layer.shape.operations = Operations::default();
            layer.shape.sizes = [1; 8];
            for (dim, size) in [(Dim::B, shape.size(Dim::B)), (Dim::OX, columns), (Dim::OY, rows), (Dim::K, channels)] {
                layer.shape.sizes[dim as usize] = size;
            }
            // In the order of ids: the layer that is read instead is not left out itself.
            let has_same_size = !matches!(shape.kind, LayerKind::Reduction | LayerKind::Pooling);
            let instead = inputs[id].first().copied().filter(|_| has_same_size);
            inputs[id].clear();
            if let Some(instead) = instead {
                inputs.iter_mut().flatten().filter(|input| **input == id).for_each(|input| *input = instead);
            }
        }
        let mut network = Self::from_sorted(self.name, layers, &inputs);
        network.left_out = left_out;
        network
    }

    /// A note where densities are stated: their effect is an approximation.
    pub fn density_note(&self) -> Option<Diagnostic> {
        let sparse = |id: &LayerId| self.layer(*id).shape.sparsity.is_some();
        let count = self.ids().filter(sparse).count();
        let reason = format!(
            "Densities of {count} layers are counted approximately: an element takes its share of bits, rounded up, and a \
             multiply-accumulate with a zero no energy; no cycle is saved, and the code of what is zero is not counted"
        );
        let mut notes = Diagnostics::default();
        notes.add("workload.density", reason, "Take `density` out to count all elements");
        notes.0.pop().filter(|_| count > 0)
    }

    /// Notes for a person though nothing is wrong: layers that are not counted, or approximately, loops that are
    /// unrolled wider than an array, and a DRAM that does more at once than one has a bus for. `who` computes the
    /// network, on these cores.
    pub fn notes<'c>(&self, who: &str, cores: impl IntoIterator<Item = &'c Core>) -> Vec<Diagnostic> {
        let mut notes: Vec<Diagnostic> = self.left_out_note(who).into_iter().chain(self.density_note()).collect();
        for core in cores {
            self.note_wide_unrolls(core, &mut notes);
            note_default_ports(core, &mut notes);
        }
        notes
    }

    /// Adds a note for each unrolling that is stated wider than its array dimension is.
    fn note_wide_unrolls(&self, core: &Core, notes: &mut Vec<Diagnostic>) {
        let mut add = |owner: String, wide: &WideUnroll| {
            let WideUnroll { array_dimension, size, loop_dimension, limit } = wide;
            let mut note = Diagnostics::default();
            note.add(
                format!("{owner}.{array_dimension}"),
                format!(
                    "`{loop_dimension} {limit}` is wider than `{array_dimension}` of {}, which has {size} PEs: these are taken",
                    core.name
                ),
                format!("Write {size}, or no number"),
            );
            // Layers of a kind, and equal cores, give the same note.
            note.0.retain(|note| !notes.contains(note));
            notes.append(&mut note.0);
        };
        for layer in self.computing().map(|id| self.layer(id)) {
            let kind = layer.shape.kind;
            if core.vector_unit_for(kind).is_some() {
                continue;
            }
            match layer.unroll.iter().find(|(dataflow, _)| *dataflow == core.dataflow) {
                Some((_, stated)) => {
                    let owner = || format!("workload.layers.{}.unroll", layer.name);
                    core.wide_unrolls_stated(stated).iter().for_each(|wide| add(owner(), wide));
                }
                None => core.wide_unrolls(kind).for_each(|wide| add(format!("hardware.unroll.{}", kind.name()), wide)),
            }
        }
    }

    /// The layers that are not counted, as the core has no vector unit, with their loops and operations.
    pub fn left_out(&self) -> &[(LayerId, LayerShape)] {
        &self.left_out
    }

    /// A note on these, if there are any: the layers, and the number of each operation. `who` has no vector unit.
    pub fn left_out_note(&self, who: &str) -> Option<Diagnostic> {
        let layers = self.left_out();
        let names: Vec<String> =
            layers.iter().take(MOST_NAMED).map(|(id, _)| format!("`{}`", self.layer(*id).name)).collect();
        let more = match layers.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} others"),
        };
        let operations = Operation::ALL.into_iter().filter_map(|operation| {
            let of = |shape: &LayerShape| shape.iterations().saturating_mul(shape.operations.count(operation));
            let all = layers.iter().map(|(_, shape)| of(shape)).fold(0, u64::saturating_add);
            (all > 0).then(|| format!("{all} {}", operation.name()))
        });
        let reason = format!(
            "{who} has no vector unit: {}{more} {} not counted, which take {}",
            names.join(", "),
            if layers.len() == 1 { "is" } else { "are" },
            operations.collect::<Vec<_>>().join(", ")
        );
        let mut notes = Diagnostics::default();
        notes.add("hardware.vector_unit", reason, "Give the core a `vector_unit` to count them");
        notes.0.pop().filter(|_| !layers.is_empty())
    }
}

/// Adds a note if the highest memory states no ports, and so has one for reading and one for writing.
fn note_default_ports(core: &Core, notes: &mut Vec<Diagnostic>) {
    let top = core.top(Operand::O);
    let dram = &core.memories[top];
    if !dram.has_default_ports() {
        return;
    }
    let served: Vec<String> = dram
        .ports
        .iter()
        .flat_map(|port| &port.serves)
        .map(|(operand, movement)| format!("{operand}.{}", movement.name()))
        .collect();
    let mut note = Diagnostics::default();
    note.add(
        format!("hardware.memories[{}].ports", top.index()),
        format!(
            "`{}` of {} states no ports, and so reads and writes at once; the bus of a DRAM does not",
            dram.name, core.name
        ),
        format!("Write `ports: {{ rw_port_1: [{}] }}` for one bus", served.join(", ")),
    );
    note.0.retain(|note| !notes.contains(note));
    notes.append(&mut note.0);
}
