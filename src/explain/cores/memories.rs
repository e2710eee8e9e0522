//! Contents of memories at their peaks.

use super::{BYTES, PLAIN, ScheduleTerms, bytes};
use crate::formula::{Explained, How};
use fusescape_engine::multicore::{HeldTensors, MemoryUsage};

impl ScheduleTerms<'_> {
    pub(super) fn peak(&self, shown: Explained) -> Explained {
        let account = self.0;
        let (when, _) = account.peak();
        let held = |memory: &MemoryUsage| {
            let next = memory.usage.partition_point(|step| step.0 <= when);
            let bits = next.checked_sub(1).map_or(0, |last| memory.usage[last].1);
            self.held(Explained::given(memory.name.clone(), bytes(bits), BYTES), memory.at_peak_of_all.as_deref())
        };
        let memories = account.memories.iter().map(held).filter(|term| term.value != 0.0);
        shown.or("by memory", How::Sum, memories.collect()).noted(format!("From cycle {when} on, for the first time."))
    }

    /// The contents of a memory, tensor by tensor.
    pub(super) fn held(&self, shown: Explained, tensors: Option<&[HeldTensors]>) -> Explained {
        let Some(tensors) = tensors else {
            return shown
                .noted("As the rules have it, places are free before tensors have left them, which do not add up.");
        };
        let term = |tensors: &HeldTensors| {
            let layer = self.0.layers.get(tensors.layer).map_or("?", String::as_str);
            let size = Explained::given("size", bytes(tensors.bits), BYTES);
            let count = Explained::given("tensors", tensors.count as f64, PLAIN);
            Explained::computed(format!("{} of {layer}", tensors.operand), BYTES, How::Product, vec![count, size])
        };
        shown.or("by tensor", How::Sum, tensors.iter().map(term).collect())
    }
}
