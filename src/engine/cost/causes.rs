//! The causes of energy and of latency: one list of each, and tables with an entry per cause.
//!
//! Every sum, figure, table, report and explanation iterates over `ALL`, in this order. Properties that differ from
//! cause to cause (a colour, a formula) are a `match` without a wildcard, so that a new variant does not compile before
//! each of them has an answer.

use crate::hardware::Operand;
use enum_map::{Enum, EnumMap, enum_len};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

/// A reason for which energy is spent. The energies of all causes add up to the total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum)]
pub enum EnergyCause {
    /// A memory is accessed.
    Access(AccessCause),
    /// Multiply-accumulates of the array.
    Mac,
    /// Operations of the vector unit.
    Vector,
}

/// A cause of memory accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum)]
pub enum AccessCause {
    /// A layer reads inputs or writes outputs.
    Activation,
    /// A layer reads weights.
    Weight,
    /// Data copy actions between layers and tiles (DeFiNES, Section III, step 4).
    Copy,
}

/// A cause of latency. Causes do not overlap: the sum over all of them is the latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum, Serialize, Deserialize)]
pub enum LatencyCause {
    /// Computing, with the PEs that the spatial mapping uses.
    Computing,
    /// Waiting for a memory port.
    Stall,
    /// Waiting for the first inputs of a layer.
    Loading,
    /// Waiting for the last outputs of a layer; none where the rules leave it out.
    Offloading,
    /// Data copy actions.
    Copy,
}

impl EnergyCause {
    /// All causes. The compiler holds that none is missing.
    pub const ALL: [Self; enum_len::<Self>()] = [
        Self::Access(AccessCause::Activation),
        Self::Access(AccessCause::Weight),
        Self::Access(AccessCause::Copy),
        Self::Mac,
        Self::Vector,
    ];

    /// Causes that access no memory, and so are in no sum over memories.
    pub fn without_access() -> impl Iterator<Item = Self> + Clone {
        Self::ALL.into_iter().filter(|cause| !matches!(cause, Self::Access(_)))
    }

    /// The causes that a person sees: the vector unit only if one of these splits has energy of it.
    pub fn seen_in(splits: impl IntoIterator<Item = EnergySplit>) -> Vec<Self> {
        let has_vector_unit = splits.into_iter().any(|split| split[Self::Vector] != 0.0);
        Self::ALL.into_iter().filter(|cause| *cause != Self::Vector || has_vector_unit).collect()
    }

    /// Causes of [`Self::seen_in`] that access no memory.
    pub fn seen_without_access(split: EnergySplit) -> impl Iterator<Item = Self> + Clone {
        Self::seen_in([split]).into_iter().filter(|cause| !matches!(cause, Self::Access(_)))
    }

    /// Name of the field in files, before its unit.
    pub fn key(self) -> &'static str {
        match self {
            Self::Access(cause) => cause.key(),
            Self::Mac => "mac",
            Self::Vector => "vector",
        }
    }

    /// For a person: `weight`.
    pub fn title(self) -> &'static str {
        match self {
            Self::Access(cause) => cause.title(),
            Self::Mac => "MAC",
            Self::Vector => "vector unit",
        }
    }

    /// For a person, within a sentence or a sum: `weights`.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Access(cause) => cause.plural(),
            Self::Mac => "MACs",
            Self::Vector => "vector operations",
        }
    }
}

impl AccessCause {
    /// All causes. The compiler holds that none is missing.
    pub const ALL: [Self; enum_len::<Self>()] = [Self::Activation, Self::Weight, Self::Copy];

    /// Why a mapped layer accesses a memory for an operand that is stored as `stored_as`.
    pub fn of_operand(stored_as: Operand) -> Self {
        match stored_as {
            Operand::W => Self::Weight,
            Operand::I | Operand::O => Self::Activation,
        }
    }

    /// Name of the field in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Activation => "activation",
            Self::Weight => "weight",
            Self::Copy => "copy",
        }
    }

    /// For a person: `weight`.
    pub fn title(self) -> &'static str {
        match self {
            Self::Activation => "activation",
            Self::Weight => "weight",
            Self::Copy => "data copy",
        }
    }

    /// For a person, within a sentence or a sum: `weights`.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Activation => "activations",
            Self::Weight => "weights",
            Self::Copy => "data copies",
        }
    }
}

impl LatencyCause {
    /// All causes. The compiler holds that none is missing.
    pub const ALL: [Self; enum_len::<Self>()] =
        [Self::Computing, Self::Stall, Self::Loading, Self::Offloading, Self::Copy];

    /// Causes of a mapped layer alone: no data is copied.
    pub fn of_layer() -> impl Iterator<Item = Self> + Clone {
        Self::ALL.into_iter().filter(|cause| *cause != Self::Copy)
    }

    /// Causes by which the array of a mapped layer waits for its memories.
    pub fn waiting() -> impl Iterator<Item = Self> + Clone {
        Self::of_layer().filter(|cause| *cause != Self::Computing)
    }

    /// Name of the field in files, before its unit.
    pub fn key(self) -> &'static str {
        match self {
            Self::Computing => "temporal",
            Self::Stall => "stall",
            Self::Loading => "loading",
            Self::Offloading => "offloading",
            Self::Copy => "copy",
        }
    }

    /// For a person: `stall`.
    pub fn title(self) -> &'static str {
        match self {
            Self::Computing => "computing",
            Self::Stall => "stall",
            Self::Loading => "loading",
            Self::Offloading => "offloading",
            Self::Copy => "data copy",
        }
    }

    /// For a person, within a sentence or a sum: `stalls`.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Computing => "computing",
            Self::Stall => "stalls",
            Self::Loading => "loading",
            Self::Offloading => "offloading",
            Self::Copy => "data copies",
        }
    }
}

/// Energy by cause, pJ.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EnergySplit(EnumMap<EnergyCause, f64>);

/// One quantity at one memory by cause: words, elements, or energy in pJ.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ByCause(EnumMap<AccessCause, f64>);

/// Latency by cause, cycles.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LatencySplit {
    by_cause: EnumMap<LatencyCause, u64>,
    /// Of the computing cycles, those that all PEs together would need; not part of the sum.
    pub ideal_cycles: f64,
}

impl EnergySplit {
    /// The table of `value` for each cause.
    pub fn from_fn(value: impl FnMut(EnergyCause) -> f64) -> Self {
        Self(EnumMap::from_fn(value))
    }

    /// Adds `times` times another split.
    pub fn add(&mut self, other: &Self, times: f64) {
        self.0.values_mut().zip(other.0.values()).for_each(|(to, from)| *to += from * times);
    }

    /// The sum over all causes, pJ.
    pub fn total_pj(&self) -> f64 {
        self.0.values().sum()
    }
}

impl ByCause {
    /// The table of `value` for each cause.
    pub fn from_fn(value: impl FnMut(AccessCause) -> f64) -> Self {
        Self(EnumMap::from_fn(value))
    }

    /// Adds `times` times another split.
    pub fn add(&mut self, other: &Self, times: f64) {
        self.0.values_mut().zip(other.0.values()).for_each(|(to, from)| *to += from * times);
    }

    /// The sum over all causes.
    pub fn total(&self) -> f64 {
        self.0.values().sum()
    }

    /// One value per cause, in the order of [`AccessCause::ALL`].
    pub fn values(&self) -> [f64; enum_len::<AccessCause>()] {
        *self.0.as_array()
    }
}

/// In the order of [`AccessCause::ALL`].
impl From<[f64; enum_len::<AccessCause>()]> for ByCause {
    fn from(values: [f64; enum_len::<AccessCause>()]) -> Self {
        Self(EnumMap::from_array(values))
    }
}

impl LatencySplit {
    /// The table of `value` for each cause.
    pub fn from_fn(ideal_cycles: f64, value: impl FnMut(LatencyCause) -> u64) -> Self {
        Self { by_cause: EnumMap::from_fn(value), ideal_cycles }
    }

    /// Adds `times` times another split; saturates.
    pub fn add(&mut self, other: &Self, times: u64) {
        for (to, from) in self.by_cause.values_mut().zip(other.by_cause.values()) {
            *to = to.saturating_add(from.saturating_mul(times));
        }
        self.ideal_cycles += other.ideal_cycles * times as f64;
    }

    /// The sum over all causes, cycles; stops at the largest number.
    pub fn total_cycles(&self) -> u64 {
        self.of(LatencyCause::ALL)
    }

    /// The sum over some causes, cycles; stops at the largest number.
    pub fn of(&self, causes: impl IntoIterator<Item = LatencyCause>) -> u64 {
        causes.into_iter().map(|cause| self[cause]).fold(0, u64::saturating_add)
    }

    /// Cycles of computing beyond the ideal ones, as the unrolling leaves PEs idle.
    pub fn idle_pe_cycles(&self) -> f64 {
        (self[LatencyCause::Computing] as f64 - self.ideal_cycles).max(0.0)
    }

    /// Share of the PEs' cycles in which they are busy.
    pub fn utilization(&self) -> f64 {
        self.ideal_cycles / self.total_cycles().max(1) as f64
    }
}

impl Index<EnergyCause> for EnergySplit {
    type Output = f64;

    fn index(&self, cause: EnergyCause) -> &f64 {
        &self.0[cause]
    }
}

impl IndexMut<EnergyCause> for EnergySplit {
    fn index_mut(&mut self, cause: EnergyCause) -> &mut f64 {
        &mut self.0[cause]
    }
}

impl Index<AccessCause> for ByCause {
    type Output = f64;

    fn index(&self, cause: AccessCause) -> &f64 {
        &self.0[cause]
    }
}

impl IndexMut<AccessCause> for ByCause {
    fn index_mut(&mut self, cause: AccessCause) -> &mut f64 {
        &mut self.0[cause]
    }
}

impl Index<LatencyCause> for LatencySplit {
    type Output = u64;

    fn index(&self, cause: LatencyCause) -> &u64 {
        &self.by_cause[cause]
    }
}

impl IndexMut<LatencyCause> for LatencySplit {
    fn index_mut(&mut self, cause: LatencyCause) -> &mut u64 {
        &mut self.by_cause[cause]
    }
}

// Where people or their programs read a table, every value has the name of its cause; between workers values stand alone.

pub(super) fn energy_field(cause: EnergyCause) -> String {
    format!("{}_pj", cause.key())
}

pub(super) fn latency_field(cause: LatencyCause) -> String {
    format!("{}_cycles", cause.key())
}

/// The value of a field that must be there.
fn field<T: Copy, E: Error>(fields: &BTreeMap<String, T>, name: &str) -> Result<T, E> {
    fields.get(name).copied().ok_or_else(|| E::custom(format_args!("missing field `{name}`")))
}

impl Serialize for EnergySplit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.collect_map(self.0.iter().map(|(cause, pj)| (energy_field(cause), pj))),
            false => self.0.as_array().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for EnergySplit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return Deserialize::deserialize(deserializer).map(|values| Self(EnumMap::from_array(values)));
        }
        let fields = BTreeMap::deserialize(deserializer)?;
        EnumMap::try_from_fn(|cause| field(&fields, &energy_field(cause))).map(Self)
    }
}

impl Serialize for ByCause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.collect_map(self.0.iter().map(|(cause, value)| (cause.key(), value))),
            false => self.0.as_array().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ByCause {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return Deserialize::deserialize(deserializer).map(|values| Self(EnumMap::from_array(values)));
        }
        let fields = BTreeMap::deserialize(deserializer)?;
        EnumMap::try_from_fn(|cause: AccessCause| field(&fields, cause.key())).map(Self)
    }
}

/// A [`LatencySplit`] with names.
#[derive(Serialize, Deserialize)]
struct NamedLatency {
    #[serde(flatten)]
    causes: BTreeMap<String, u64>,
    ideal_cycles: f64,
}

impl Serialize for LatencySplit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return (self.by_cause.as_array(), self.ideal_cycles).serialize(serializer);
        }
        let causes = self.by_cause.iter().map(|(cause, cycles)| (latency_field(cause), *cycles)).collect();
        NamedLatency { causes, ideal_cycles: self.ideal_cycles }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LatencySplit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            let (values, ideal_cycles) = Deserialize::deserialize(deserializer)?;
            return Ok(Self { by_cause: EnumMap::from_array(values), ideal_cycles });
        }
        let NamedLatency { causes, ideal_cycles } = NamedLatency::deserialize(deserializer)?;
        let by_cause = EnumMap::try_from_fn(|cause| field(&causes, &latency_field(cause)))?;
        Ok(Self { by_cause, ideal_cycles })
    }
}
