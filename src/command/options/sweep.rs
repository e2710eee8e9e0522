//! Options of sweeps.

#[cfg(feature = "schema")]
use super::schema;
use super::{LPF_LIMIT, OptionReader, WordOrNames};
#[cfg(feature = "cli")]
use super::{understood, words_of};
use crate::parse;
use fusescape_engine::depth_first::{FuseDepth, StoringMode};
use fusescape_engine::explore::{Settings, StackLimits};
use fusescape_spec::Diagnostics;

options! {
/// Tile sizes, modes and cuts, and how mappings are searched.
pub struct SweepOptions {
    /// Overlap storing mode, several separated by commas [default: all]
    #[cli(arg(long = "mode", value_name = "MODE", value_delimiter = ',',
        value_parser = understood::<_, String>(parse::parse_mode)))]
    #[schema(with = "Vec<schema::Mode>", description = "Overlap storing modes; all three where none is named")]
    modes: Vec<String>,
    /// One tile size: columns x rows of the last feature map
    #[cli(arg(long, value_name = "XxY", value_parser = parse::parse_tile, conflicts_with = "tiles"))]
    #[serde(skip)]
    tile: Option<(u64, u64)>,
    /// All widths with all heights; ranges as in 10..960:10x10..540:10 [default: a few, up to the network's map]
    #[cli(arg(long = "grid", value_name = "X,X,..xY,Y,..", value_parser = parse::parse_grid))]
    #[schema(description = "Widths (columns) and heights (rows) of tiles of the last feature map [default: a few]")]
    tiles: Option<parse::TileExtents>,
    /// Where stacks are searched for: at most so many layers in one
    #[cli(arg(long))]
    most_layers: Option<usize>,
    /// Where stacks are searched for: at most so many tiles in one
    #[cli(arg(long))]
    most_tiles: Option<u64>,
    /// How to search for the loop order and its division among the memories
    #[cli(arg(long, value_parser = words_of(parse::SEARCHES)))]
    #[schema(with = "schema::Search")]
    strategy: String = "exact".to_owned(),
    /// At most so many loop prime factors are ordered
    #[cli(arg(long))]
    lpf_limit: usize = LPF_LIMIT,
    /// What to minimise: energy, latency, edp, dram-accesses, accesses:MEMORY or
    /// weighted:energy=A,latency=B,dram-accesses=C (per pJ, cycle, word)
    #[cli(arg(long, value_parser = understood::<_, String>(parse::parse_objective)))]
    objective: String = "energy".to_owned(),
    /// Rules of the model: what is right, or what the published tool does
    #[cli(arg(long, value_parser = words_of(parse::RULES)))]
    #[schema(with = "schema::RuleSet")]
    rules: String = "corrected".to_owned(),
    /// Which layers are fused: auto (DeFiNES' rule), single-layer, layer-by-layer, or names of layers after which a stack ends
    // On the command line stacks may be optimal, too, and not every command takes any.
    #[cli(arg(skip))]
    stacks: WordOrNames,
}
}

impl SweepOptions {
    /// As the engine takes them.
    ///
    /// # Errors
    /// All words that nobody knows.
    pub fn settings(&self) -> Result<Settings, Diagnostics> {
        let mut reader = OptionReader::default();
        let modes = self.modes.iter().filter_map(|mode| reader.word("modes", mode, parse::parse_mode)).collect();
        let fuse = match &self.stacks {
            WordOrNames::Names(names) => Some(FuseDepth::Cuts(names.clone())),
            WordOrNames::Word(word) => reader.word("stacks", word, fuse_depth),
        };
        let objective = reader.word("objective", &self.objective, parse::parse_objective);
        let strategy = reader.word("strategy", &self.strategy, parse::parse_search);
        let rules = reader.word("rules", &self.rules, parse::parse_rules);
        let read = fuse.zip(objective).zip(strategy).zip(rules);
        let (((fuse, objective), strategy), rules) = reader.end(read)?;
        let tile = self.tile.map(|(x, y)| (vec![x], vec![y]));
        let (tiles_x, tiles_y) = tile.or_else(|| self.tiles.clone()).unwrap_or_default();
        Ok(Settings {
            tiles_x,
            tiles_y,
            modes: if self.modes.is_empty() { StoringMode::ALL.to_vec() } else { modes },
            fuse: vec![fuse],
            objective,
            strategy,
            lpf_limit: self.lpf_limit,
            rules,
        })
    }

    /// What stacks may be, where they are searched for.
    pub fn limits(&self) -> StackLimits {
        StackLimits { most_layers: self.most_layers, most_tiles: self.most_tiles }
    }

    /// Whether somebody asked for sizes of tiles.
    pub fn has_tiles(&self) -> bool {
        self.tile.is_some() || self.tiles.is_some()
    }
}

/// As the command line takes them; the optimum is a command of its own.
fn fuse_depth(text: &str) -> Result<FuseDepth, String> {
    match parse::parse_stacks(text)? {
        parse::StackSelection::By(fuse) => Ok(fuse),
        parse::StackSelection::Optimal => Err("call `optimal`".to_owned()),
    }
}
