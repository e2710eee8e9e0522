//! Computes the measures of claims, with caches for common parts.

use super::choice::DocumentChoice;
use super::claim::Claim;
use super::entry::Entry;
use super::hierarchies::HierarchyStudies;
use super::landscape::Landscapes;
use super::mapping::{MappingSpaces, even_over_uneven};
use super::measure::Measure;
use super::opening::Opening;
use super::operators::Schemes;
use super::run_strategy::RunStrategy;
use super::{layer, network};
use fusescape_spec::Preset;
use serde::{Deserialize, Serialize};

/// Our number for one claim, and its departure from the published one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Our number, in the unit of the claim.
    pub ours: f64,
    /// Departure from the published number, as a share of that.
    pub departure: f64,
    /// Whether it is as close as the claim states.
    pub holds: bool,
}

impl Finding {
    /// The departure as text: `+3.2 %`, `exact`, or `within` a claimed range or bound.
    pub fn departure_text(&self, claim: &Claim) -> String {
        const ROUNDING: f64 = 1e-9;
        let percent = 100.0 * self.departure;
        match percent.abs() {
            _ if self.departure.abs() <= ROUNDING && claim.published.is_range() => "within".to_owned(),
            _ if self.departure.abs() <= ROUNDING => "exact".to_owned(),
            ..0.005 => "±0.00 %".to_owned(),
            ..10.0 => format!("{percent:+.2} %"),
            _ => format!("{percent:+.0} %"),
        }
    }
}

/// Computes claims. Its caches never change a number.
#[derive(Default)]
pub struct ClaimEvaluator {
    landscapes: Landscapes,
    spaces: MappingSpaces,
    hierarchies: HierarchyStudies,
    schemes: Schemes,
}

impl ClaimEvaluator {
    /// Our number for a claim of an entry.
    ///
    /// # Errors
    /// The reason why it cannot be computed, for a person.
    pub fn find(&mut self, entry: &Entry, claim: &Claim) -> Result<Finding, String> {
        let under = claim.rules.map(|rules| entry.opens.under(rules));
        let ours = claim.unit.of(self.measure(under.as_ref().unwrap_or(&entry.opens), &claim.measure)?);
        if !ours.is_finite() {
            return Err("This is too large to count".to_owned());
        }
        Ok(Finding { ours, departure: claim.departure(ours), holds: claim.holds(ours) })
    }

    /// The result of a measure, in the base unit of its quantity.
    ///
    /// # Errors
    /// The reason why it cannot be computed, for a person.
    pub fn measure(&mut self, opens: &Opening, measure: &Measure) -> Result<f64, String> {
        let place = (&opens.hardware, &opens.workload);
        let resolved = |way: &RunStrategy| opens.resolved(*way);
        match measure {
            Measure::Run(figure, way) => self.landscapes.run(place, &opens.settings, *figure, resolved(way)),
            Measure::RunRatio(figure, from, to) => {
                let from = self.landscapes.run(place, &opens.settings, *figure, resolved(from))?;
                Ok(from / self.landscapes.run(place, &opens.settings, *figure, resolved(to))?)
            }
            Measure::MemoryShare(memory, way) => {
                self.landscapes.memory_share(place, &opens.settings, memory, resolved(way))
            }
            Measure::MemoryRatio(memory, from, to) => {
                let from = self.landscapes.memory_elements(place, &opens.settings, memory, resolved(from))?;
                Ok(from / self.landscapes.memory_elements(place, &opens.settings, memory, resolved(to))?)
            }
            Measure::Sweep(figure) => self.landscapes.spread(place, &opens.settings, *figure),
            Measure::Gain { from, to, hardware, workloads } => {
                let chosen = |preset: Option<&'static Preset>, at_hand: &DocumentChoice| {
                    preset.map_or_else(|| at_hand.clone(), DocumentChoice::from)
                };
                let pairs: Vec<_> =
                    hardware.iter().map(|(from, to)| (chosen(*from, place.0), chosen(*to, place.0))).collect();
                let networks: Vec<_> = workloads.iter().map(|workload| chosen(*workload, place.1)).collect();
                let pairs: Vec<_> = pairs.iter().map(|(from, to)| (from, to)).collect();
                let networks: Vec<_> = networks.iter().collect();
                self.landscapes.gain((resolved(from), resolved(to)), &pairs, &networks, &opens.settings)
            }
            Measure::Network(fact, workload) => {
                network::fact(*fact, workload.map_or(opens.workload.text(), |preset| preset.text))
            }
            Measure::MemorySize(memory) => layer::memory_size(opens, memory.as_deref()),
            Measure::Table { figure, operand, level } => layer::table(opens, *figure, *operand, *level),
            Measure::Layer(figure) => layer::figure(opens, *figure),
            Measure::EvenOverUneven(evenness, layers) => even_over_uneven(opens, layers, *evenness),
            Measure::Space(figure, layers) => self.spaces.figure(opens, *figure, layers),
            Measure::Hierarchies(figure, of) => self.hierarchies.figure(opens, *figure, of),
            Measure::Operators(figure, of) => self.schemes.figure(*figure, of),
            Measure::Sequences(figure, of) => of.figure(*figure),
            Measure::Cores(figure, of) => of.figure(opens, *figure),
            Measure::Attention(figure, of) => of.figure(opens, *figure),
            Measure::Dataflows(figure, of) => of.figure(*figure),
        }
    }
}
