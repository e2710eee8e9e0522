//! Which layers run together: the walk over legal sequences (Section 4.4), and the choice among them.

use super::accelerator::Accelerator;
use super::chain::Chain;
use super::cost::ChainCost;
use super::fused::{FusedSchedule, FusionMode, fused_tiles};
use super::parameters::Parameters;
use super::single::SingleLayerSchedule;
use std::ops::Range;

/// Sequences of 2 to `most` layers that fit on chip, in the order in which the walk meets them.
///
/// From a layer on, it adds the next one as long as a tile fits, and keeps every sequence on the way; then it starts
/// again with the layer that did not fit. So it does not find all sequences that fit: one that begins within another is
/// never tried.
pub fn legal_sequences(chain: &Chain, buffer: u64, most: usize) -> Vec<Range<usize>> {
    let layers = chain.layers();
    let mut sequences = Vec::new();
    let mut start = 0;
    while start < layers.len() {
        let mut end = start + 1;
        while end < layers.len() && end - start < most && fused_tiles(&layers[start..=end], buffer).next().is_some() {
            end += 1;
            sequences.push(start..end);
        }
        start = end;
    }
    sequences
}

/// One step of a schedule: a single layer, or fused layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScheduleStep {
    /// One layer.
    Single(usize, SingleLayerSchedule),
    /// Several.
    Fused(Range<usize>, FusedSchedule),
}

impl ScheduleStep {
    /// Traffic and cycles of the step.
    pub fn cost(&self) -> &ChainCost {
        match self {
            Self::Single(_, schedule) => &schedule.cost,
            Self::Fused(_, schedule) => &schedule.cost,
        }
    }
}

/// The schedule of a chain with the least energy: of the legal sequences those whose energy is below that of their
/// layers one by one, so chosen that the sum is least. `None` if some single layer does not fit.
pub fn schedule_chain(
    chain: &Chain,
    mode: FusionMode,
    most: usize,
    accelerator: &Accelerator,
    parameters: &Parameters,
) -> Option<Vec<ScheduleStep>> {
    let layers = chain.layers();
    let singles: Vec<SingleLayerSchedule> =
        layers.iter().map(|layer| SingleLayerSchedule::best(layer, accelerator, parameters)).collect::<Option<_>>()?;
    let energy_of = |cost: &ChainCost| cost.energy(accelerator, &parameters.report).total();
    let fused = legal_sequences(chain, accelerator.buffer, most).into_iter().filter_map(|sequence| {
        let schedule = FusedSchedule::best(&layers[sequence.clone()], mode, accelerator, parameters)?;
        Some((sequence, schedule))
    });
    let fused: Vec<(Range<usize>, FusedSchedule)> = fused.collect();
    let apart: Vec<u128> = singles.iter().map(|single| energy_of(&single.cost)).collect();
    let together: Vec<(Range<usize>, u128)> =
        fused.iter().map(|(sequence, schedule)| (sequence.clone(), energy_of(&schedule.cost))).collect();
    let mut steps = Vec::new();
    let mut next = 0;
    for index in cheapest_cover(&apart, &together) {
        let (sequence, schedule) = &fused[index];
        steps.extend((next..sequence.start).map(|layer| ScheduleStep::Single(layer, singles[layer])));
        steps.push(ScheduleStep::Fused(sequence.clone(), schedule.clone()));
        next = sequence.end;
    }
    steps.extend((next..layers.len()).map(|layer| ScheduleStep::Single(layer, singles[layer])));
    Some(steps)
}

/// Which sequences to fuse, in the order of their layers, so that the sum of energies is least: of those in `fused`, each with its energy,
/// that cost less than their layers one by one, whose energies are `apart`. Of equals the earlier in `fused` is taken.
pub fn cheapest_cover(apart: &[u128], fused: &[(Range<usize>, u128)]) -> Vec<usize> {
    let improves = |(sequence, energy): &(Range<usize>, u128)| {
        apart.get(sequence.clone()).is_some_and(|layers| *energy < layers.iter().sum())
    };
    // The least energy of the first layers, and the fused sequence that they end with.
    let mut least: Vec<(u128, Option<usize>)> = vec![(0, None)];
    // Sequences do not overlap: before the one that ends at `end`, the best cover of the layers before it is taken. `single` comes first,
    // so that of equals layers stay apart.
    for end in 1..=apart.len() {
        let single = (least[end - 1].0 + apart[end - 1], None);
        let ending = fused.iter().enumerate().filter(|(_, known)| known.0.end == end && improves(known));
        let fused = ending.map(|(index, (sequence, energy))| (least[sequence.start].0 + energy, Some(index)));
        least.extend([single].into_iter().chain(fused).min_by_key(|(energy, _)| *energy));
    }
    let mut cover = Vec::new();
    let mut end = apart.len();
    while end > 0 {
        match least[end].1 {
            Some(index) => {
                cover.push(index);
                end = fused[index].0.start;
            }
            None => end -= 1,
        }
    }
    cover.reverse();
    cover
}
