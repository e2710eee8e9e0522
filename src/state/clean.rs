//! Cleaning of names and limits in a state from elsewhere.

use super::{CoresForm, Design, LPF_LIMITS, State};
use fusescape_engine::depth_first::{DepthFirstStrategy, FuseDepth};
use fusescape_spec::is_hidden_in_lines;

impl State {
    /// The state without invisible characters in its names of layers, memories and cores. Documents are kept verbatim,
    /// and their errors reported in place; the same for numbers that a person typed.
    #[must_use]
    pub fn cleaned(mut self) -> Self {
        // Both belong to a layer with a name.
        let (unroll, own) = (self.unroll().cloned(), self.own_mapping().cloned());
        clean_design(&mut self.design);
        clean_cores(&mut self.cores);
        self.view.point.iter_mut().for_each(clean_point);
        [&mut self.hierarchy.layer, &mut self.mapping.layer].into_iter().flatten().for_each(clean);
        [&mut self.table.hardware, &mut self.table.networks].into_iter().flatten().for_each(clean);
        if let Some(pinned) = &mut self.pinned {
            clean_design(&mut pinned.design);
            clean_cores(&mut pinned.cores);
            pinned.point.iter_mut().for_each(clean_point);
        }
        if let Some(unroll) = unroll {
            self.mapping.unroll = Some((self.layer_key(), unroll));
        }
        if let Some(own) = own {
            self.mapping.edited = Some((self.mapping_subject(), own));
        }
        self
    }
}

fn clean(text: &mut String) {
    text.retain(|c| !is_hidden_in_lines(c));
}

fn clean_design(design: &mut Design) {
    let schedule = &mut design.schedule;
    [&mut schedule.cuts, &mut schedule.memory].into_iter().for_each(clean);
    // A larger one would only keep workers busy for hours.
    schedule.lpf_limit = schedule.lpf_limit.clamp(1, *LPF_LIMITS.end());
}

fn clean_cores(cores: &mut CoresForm) {
    [&mut cores.tiles, &mut cores.ends, &mut cores.allocation].into_iter().for_each(clean);
}

fn clean_point(point: &mut DepthFirstStrategy) {
    if let FuseDepth::Cuts(cuts) = &mut point.fuse {
        cuts.iter_mut().for_each(clean);
    }
}
