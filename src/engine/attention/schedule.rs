//! Schedules of attention: fusion, tiles, and the tensors that stay on the chip.
//!
//! One head of keys of one sequence is scheduled; the others are equal. The query heads that share it are further rows
//! beside its queries. A causal mask excludes, for every tile of queries, all keys after its last query; a sliding
//! window also those before the first key that its first query sees.

use super::Cascade;
use super::problem::Problem;
use crate::transformer::Norm;
use serde::{Deserialize, Serialize};

/// Limit on the multiply-accumulates: bits stay whole numbers of 64 bits.
const MOST_MACS: u128 = 1 << 54;

/// The steps of attention that are fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Fusion {
    /// None: scores go through DRAM, before the softmax and after it.
    None,
    /// All: whole rows of scores stay on the chip, while the softmax is computed in three or two passes (FLAT).
    Rows(Cascade),
    /// All, in one pass: a tile of queries stays, tiles of keys and values stream past it (FuseMax).
    QueriesStay,
    /// All, in one pass: a tile of keys and values stays, tiles of queries stream past it, with their running maxima, denominators and
    /// numerators.
    KeysStay,
}

impl Fusion {
    /// Every kind that is compared; one pass is among them as queries that stay and as keys that stay.
    pub const ALL: [Self; 5] =
        [Self::None, Self::Rows(Cascade::ThreePass), Self::Rows(Cascade::TwoPass), Self::QueriesStay, Self::KeysStay];

    /// For people, in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "unfused",
            Self::Rows(Cascade::ThreePass) => "rows, three passes",
            Self::Rows(_) => "rows, two passes",
            Self::QueriesStay => "queries stay, one pass",
            Self::KeysStay => "keys stay, one pass",
        }
    }

    /// Whether it can be combined with such keys and values. Where all keys stay, there is nothing for queries to
    /// stream past; unfused, scores go through DRAM, and so do keys.
    pub const fn takes(self, held: KeysHeld) -> bool {
        match self {
            Self::None => !held.is_recomputed(),
            Self::Rows(_) | Self::QueriesStay => true,
            Self::KeysStay => !matches!(held, KeysHeld::Resident),
        }
    }

    /// The passes of its softmax over the keys.
    pub const fn cascade(self) -> Cascade {
        match self {
            Self::None => Cascade::ThreePass,
            Self::Rows(cascade) => cascade,
            Self::QueriesStay | Self::KeysStay => Cascade::OnePass,
        }
    }
}

/// Where keys and values are while tiles of queries change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum KeysHeld {
    /// They are read from DRAM again for every tile of queries, one tile in use and the next being loaded.
    Streamed,
    /// All keys and values of a head stay on the chip, for all its tiles of queries; under a sliding window until no later tile sees them.
    Resident,
    /// They are computed again for every tile of queries, of inputs that are read from DRAM each time. The weights of
    /// one head stay while it is computed, for all sequences, one after the other.
    Recomputed,
    /// They are computed again for every tile of queries, of the inputs of a whole sequence, which stay on the chip for all its heads.
    InputsStay,
    /// Those of all heads and sequences are on the chip from their computation on.
    Kept,
}

impl KeysHeld {
    /// Every variant, the two with keys and values in DRAM first.
    pub const ALL: [Self; 5] = [Self::Resident, Self::Streamed, Self::Recomputed, Self::InputsStay, Self::Kept];
    /// Those with keys and values in DRAM.
    pub const STORED: [Self; 2] = [Self::Resident, Self::Streamed];
    /// Those that compute them again.
    pub const RECOMPUTED: [Self; 2] = [Self::Recomputed, Self::InputsStay];

    /// For people, in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Streamed => "stream",
            Self::Resident => "stay",
            Self::Recomputed => "recomputed",
            Self::InputsStay => "recomputed, inputs stay",
            Self::Kept => "kept on the chip",
        }
    }

    /// Whether keys and values are computed again.
    pub const fn is_recomputed(self) -> bool {
        matches!(self, Self::Recomputed | Self::InputsStay)
    }
}

/// A schedule of attention on a core: fusion, the sizes of tiles, and the place of keys and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Schedule {
    /// The steps that are fused.
    pub fusion: Fusion,
    /// Queries in a tile.
    pub queries: u64,
    /// Query heads of a group in a tile; a divisor of the group.
    pub heads: u64,
    /// Keys in a tile.
    pub keys: u64,
    /// The place of keys and values.
    pub held: KeysHeld,
}

/// Tiles of queries that are alike: their number, their size, and the keys that they see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryTiles {
    /// Number of tiles.
    pub count: u64,
    /// Queries in each.
    pub size: u64,
    /// The first key that its first query sees.
    pub first: u64,
    /// Keys from that one to the last that its last query sees.
    pub keys: u64,
}

impl Schedule {
    /// Rows of scores in a tile.
    pub const fn rows(&self) -> u64 {
        self.queries * self.heads
    }

    /// The tiles of queries of one head, in their order.
    pub fn query_tiles(&self, problem: &Problem) -> Vec<QueryTiles> {
        let all = problem.shape.queries;
        if problem.causal {
            let starts = (0..all.div_ceil(self.queries)).map(|tile| tile * self.queries);
            let tile = |start: u64| {
                let size = self.queries.min(all - start);
                let first = problem.first_key(start);
                QueryTiles { count: 1, size, first, keys: problem.keys_until(start + size) - first }
            };
            return starts.map(tile).collect();
        }
        let tile = |(count, size)| QueryTiles { count, size, first: 0, keys: problem.shape.keys };
        sizes(all, self.queries).map(tile).collect()
    }

    /// Tiles of keys that a tile of queries meets: numbers and sizes. Where keys stay, all tiles of queries meet the
    /// same tiles of keys, without the keys of the first and the last that they do not see; else the first tile begins
    /// with the first key that is seen.
    pub fn key_tiles(&self, of: &QueryTiles) -> impl Iterator<Item = (u64, u64)> + use<> {
        let before = if self.fusion == Fusion::KeysStay { of.first % self.keys } else { 0 };
        let of_first = if before > 0 { of.keys.min(self.keys - before) } else { 0 };
        let first = (of_first > 0).then_some((1, of_first));
        first.into_iter().chain(sizes(of.keys - of_first, self.keys))
    }

    /// Whether its multiply-accumulates can be counted: those of keys and values that are computed again (all keys for
    /// every tile of queries) are at most 2^54.
    pub fn is_countable(&self, problem: &Problem) -> bool {
        let Some(source) = problem.source.filter(|_| self.held.is_recomputed()) else { return true };
        let shape = &problem.shape;
        let factors = [
            shape.queries.div_ceil(self.queries),
            shape.heads,
            shape.batch,
            shape.keys,
            source.channels,
            shape.pair_depth(),
        ];
        let macs = factors.iter().try_fold(1_u128, |all, &size| all.checked_mul(u128::from(size)));
        macs.is_some_and(|macs| macs <= MOST_MACS)
    }

    /// Bits that it needs on the chip: for queries, scores and results, with inputs and the elements that are computed
    /// of them; and for keys and values, with the weights that compute them.
    pub fn needed_bits(&self, problem: &Problem) -> [u64; 2] {
        let (shape, bits) = (&problem.shape, &problem.bits);
        let (rows, all_keys) = (self.rows(), problem.most_keys(self.queries));
        let [depth, value_depth] = [shape.depth, shape.value_depth];
        let queries = rows * depth * bits.activations;
        let results = rows * value_depth * bits.sums;
        let tile = rows * self.keys * bits.sums;
        let of_query = rows * bits.sums;
        let activations = match self.fusion {
            Fusion::None => (queries + tile).max(all_keys * bits.sums).max(tile + results),
            // The maximum and the denominator of every query; in two passes the maximum and the sum of every tile of
            // keys, too.
            Fusion::Rows(cascade) => {
                let of_tiles = if cascade == Cascade::TwoPass { 2 * all_keys.div_ceil(self.keys) } else { 0 };
                queries + rows * all_keys * bits.sums + results + (2 + of_tiles) * of_query
            }
            // Two tiles of scores, as the array goes on while lanes work; two of results: that of the tile of keys, and
            // the running one.
            Fusion::QueriesStay | Fusion::KeysStay => queries + 2 * tile + 2 * results + 5 * of_query,
        };
        let both = shape.pair_depth();
        let at_once = if matches!(self.fusion, Fusion::None | Fusion::Rows(_)) { depth.max(value_depth) } else { both };
        let keys = match self.held {
            KeysHeld::Streamed => 2 * self.keys * at_once * bits.keys,
            KeysHeld::Resident => all_keys * both * bits.keys,
            // They have room of their own.
            KeysHeld::Kept => 0,
            KeysHeld::Recomputed | KeysHeld::InputsStay => {
                let channels = problem.source.map_or(0, |source| source.channels);
                self.keys * at_once * bits.keys + channels * both * bits.weights
            }
        };
        [activations + self.input_bits(problem, self.keys * at_once), keys]
    }
}

impl Schedule {
    /// Bits of inputs, of normalised inputs, and of so many elements that are computed of these, before they are stored
    /// as keys and values.
    fn input_bits(&self, problem: &Problem, computed: u64) -> u64 {
        let Some(source) = problem.source.filter(|_| self.held.is_recomputed()) else { return 0 };
        let tile = self.keys * source.channels;
        let inputs = match (self.held, source.norm) {
            // A tile in use, which is normalised in place, and the next being loaded.
            (KeysHeld::Recomputed, _) => 2 * tile,
            (_, Norm::None) => problem.shape.keys * source.channels,
            _ => problem.shape.keys * source.channels + tile,
        };
        inputs * problem.bits.activations + computed * problem.bits.sums
    }
}

/// Tiles of `size` that cover `all`: numbers and sizes; the last may be smaller.
pub fn sizes(all: u64, size: u64) -> impl Iterator<Item = (u64, u64)> {
    [(all / size, size), (u64::from(!all.is_multiple_of(size)), all % size)].into_iter().filter(|(count, _)| *count > 0)
}
