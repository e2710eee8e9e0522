//! What a person can write on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use fusescape_command::study::{Shard, parse_shard};
use fusescape_command::unknown;
use fusescape_command::words::{
    Allocation, Grid, LayerStrategy, Order, RuleSet, STRATEGIES, SearchStrategy, Stacks, Tiles, parse_aim,
    parse_allocation, parse_area, parse_element_bits, parse_energy_or_latency, parse_grid, parse_hint, parse_mode,
    parse_objective, parse_order, parse_scheduler, parse_seconds, parse_share, parse_sharing, parse_stacks,
    parse_strategy, parse_tile, parse_tiles, parse_turns,
};
use fusescape_engine::attention::ElementBits;
use fusescape_engine::depth_first::StoringMode;
use fusescape_engine::explore::{Sharing, StackLimits};
use fusescape_engine::multicore::{Evolution, ScheduleObjective, Scheduler, StackRule};
use fusescape_engine::search::Objective;
use fusescape_engine::workload::Dim;
use fusescape_state::Tab;
use std::path::PathBuf;
use std::time::Duration;

/// Schedules deep neural networks on accelerators.
#[derive(Debug, Parser)]
#[command(name = "fusescape", version = fusescape_version::VERSION, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Explores depth-first schedules (DeFiNES) of a network on a core
    DepthFirst(DepthFirst),
    /// Compares methods to choose the layers that run together: DeFiNES' rule, Optimus, and the jointly optimal stacks
    Fuse(Fuse),
    /// Puts several cores and networks in one table, each pair with its best depth-first schedule
    Compare(Compare),
    /// Maps single layers on a core (ZigZag): the best loop nest, its energy and latency
    Layer(Layer),
    /// Generates all memory hierarchies from a pool and finds the best (ZigZag, Section V)
    Hierarchy(Hierarchy),
    /// Runs a network on many cores (Stream): computation tiles, their cores, and what travels between them
    Cores(Cores),
    /// Schedules attention of a transformer on a core: unfused, fused in rows (FLAT), in one pass (FuseMax); whole models, and generation
    Attention(Attention),
    /// Evaluates very many designs: hardware, networks and schedules that vary along axes (docs/studies.md)
    Study {
        #[command(subcommand)]
        command: StudyCommand,
    },
    /// Recomputes the figures and tables of the papers: published numbers beside ours
    Gallery {
        /// Only this entry
        id: Option<String>,
    },
    /// Lists the presets, or prints one of them
    Presets {
        /// Print this one
        name: Option<String>,
    },
    /// Prints a report of one design as Markdown: what it costs, why, and how to get the same again
    Report {
        #[command(flatten)]
        state: StateOptions,
        /// Where the page is, for the link
        #[arg(long, default_value = "", hide_default_value = true, value_name = "ADDRESS")]
        site: String,
    },
    /// Makes links to the page, and opens them
    Link {
        #[command(subcommand)]
        command: LinkCommand,
    },
    /// Grades the receipts of a lesson, and prints marks as CSV
    #[command(long_about = "Grades the receipts of a lesson, and prints marks as CSV.\n\n\
        Every number is computed anew; of a receipt only the answers and the name of the student count. \
        `docs/lessons.md` describes the columns.")]
    Grade {
        /// Receipts, as the page saved them, and folders of such
        #[arg(required = true, value_name = "FILES")]
        receipts: Vec<PathBuf>,
        /// The lesson, as a document; without it only lessons that come with the program are graded
        #[arg(long, value_name = "FILE")]
        lesson: Option<PathBuf>,
    },
    /// Says whether a lesson can be solved, whatever values a student gets
    CheckLesson {
        /// The lesson: a document, or the name of one that comes with the program
        lesson: String,
        /// Look at so many variants; all where there are fewer
        #[arg(long, default_value_t = fusescape_lesson::MOST_VARIANTS, value_name = "COUNT")]
        variants: u64,
    },
    /// Says everything that is wrong with documents
    Validate {
        /// Hardware, workload, pool, system or lesson documents
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Makes documents of ONNX models, of ZigZag's accelerator, mapping and workload files, of systems of Stream with the cores that they
    /// name, of Timeloop's architecture, problem, mapping and table of energies, and of AccelForge's architecture, workload and mapping,
    /// told by their content
    Import {
        /// Files; those of one design together
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Where to write: a file for one document, else a folder [default: print]
        #[arg(short, long)]
        out: Option<PathBuf>,
        /// What ONNX models become: networks, or the transformers that they repeat the blocks of
        #[arg(long = "as", value_enum, default_value_t = ModelKind::Network, value_name = "KIND")]
        kind: ModelKind,
        /// Size of a dimension that an ONNX model leaves open; for several dimensions repeat it
        #[arg(long, value_name = "NAME=SIZE", value_parser = parse_size)]
        size: Vec<(String, u64)>,
        /// Count the zeros that stand between the inputs of a transposed convolution as multiplied, as arrays do that fill them in
        #[arg(long)]
        count_zeros: bool,
        /// Make layers of softmax, normalisations, activations and other work on single elements, which a vector unit computes
        #[arg(long)]
        vector_unit: bool,
        /// Write the document of an ONNX model although less than 99 % of what multiplies in it is counted, which else ends with exit
        /// code 2
        #[arg(long)]
        partial: bool,
    },
    /// Writes hardware and a network as ZigZag's three files: accelerator.yaml, mapping.yaml, workload.yaml
    ExportZigzag {
        /// Hardware: a preset or a file
        #[arg(long, value_name = "PRESET|FILE")]
        hardware: String,
        /// Network: a preset or a file
        #[arg(long, value_name = "PRESET|FILE")]
        workload: String,
        /// The folder to write them to
        #[arg(short, long, default_value = ".")]
        out: PathBuf,
    },
    /// Writes hardware, one layer and its mapping as Timeloop's files, which leave nothing open: architecture.yaml, problem.yaml,
    /// mapping.yaml, ERT.yaml
    ExportTimeloop {
        /// Hardware: a preset or a file
        #[arg(long, value_name = "PRESET|FILE")]
        hardware: String,
        /// Network: a preset or a file
        #[arg(long, value_name = "PRESET|FILE")]
        workload: String,
        /// The layer [default: the first]
        #[arg(long)]
        layer: Option<String>,
        /// A mapping document that maps the layer [default: the best mapping is searched]
        #[arg(long, value_name = "FILE")]
        mapping: Option<PathBuf>,
        /// The folder to write them to
        #[arg(short, long, default_value = ".")]
        out: PathBuf,
    },
    /// Writes a system of cores as Stream's files: system.yaml, a file for each core in cores/, mapping.yaml, and a network as
    /// workload.yaml
    ExportStream {
        /// System: a preset or a file
        #[arg(long, value_name = "PRESET|FILE")]
        system: String,
        /// Hardware of the cores that the system says nothing of: a preset or a file
        #[arg(long, value_name = "PRESET|FILE", default_value = "tpu-like")]
        hardware: String,
        /// Network: a preset or a file
        #[arg(long, value_name = "PRESET|FILE")]
        workload: Option<String>,
        /// The folder to write them to
        #[arg(short, long, default_value = ".")]
        out: PathBuf,
    },
    /// Serves the page on this machine
    Serve {
        /// Port; 0 takes a free one
        #[arg(long, default_value_t = 8080)]
        port: u16,
        /// What to serve
        #[arg(long, default_value = "www")]
        directory: PathBuf,
    },
}

/// What to do with a study.
#[derive(Debug, Subcommand)]
pub enum StudyCommand {
    /// Says how many designs a study has, how long they take, and what varies
    Show {
        /// The study document
        #[arg(value_name = "FILE")]
        study: PathBuf,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Evaluates all designs of a study on all cores, and writes a row each; resumes a run that was ended
    Run {
        /// The study document
        #[arg(value_name = "FILE")]
        study: PathBuf,
        /// Where to write: a file that ends with .parquet, or with .csv
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
        /// Only this part of the study, for several machines: 2/8 is the second of eight
        #[arg(long, value_name = "I/N", default_value = "1/1", hide_default_value = true, value_parser = parse_shard)]
        shard: Shard,
    },
    /// Prints the Pareto front of results
    Front {
        /// A result file
        #[arg(value_name = "FILE")]
        results: PathBuf,
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Table)]
        format: Format,
    },
    /// Makes one file of the results of all shards
    Merge {
        /// The results of each shard
        #[arg(required = true, value_name = "FILES")]
        results: Vec<PathBuf>,
        /// Where to write: a file that ends with .parquet, or with .csv
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
    },
}

/// What to explore.
#[derive(Debug, Args)]
pub struct DepthFirst {
    #[command(flatten)]
    pub sweep: SweepOptions,
    /// Which layers are fused: auto, optimal (with the best tile and mode for each stack), single-layer, layer-by-layer, or
    /// names of layers to cut after, those with blanks or commas in double quotes
    #[arg(long, default_value = "auto", value_name = "auto|optimal|single-layer|layer-by-layer|CUTS", value_parser = parse_stacks)]
    pub stacks: Stacks,
}

/// Which layers run together.
#[derive(Debug, Args)]
pub struct Fuse {
    #[command(flatten)]
    pub sweep: SweepOptions,
    /// Print HW-Flow-Fusion's own tables instead: the sequences that fit and those it chooses by this kind of fusion, what the best of them
    /// needs of the chip, and what more or less hardware changes
    #[arg(long, value_name = "temporal|spatial|either", num_args = 0..=1, default_missing_value = "temporal", value_parser = parse_sharing)]
    pub sequences: Option<Sharing>,
}

/// Which designs are compared.
#[derive(Debug, Args)]
pub struct Compare {
    /// Hardware: presets or files
    #[arg(required = true, value_name = "HARDWARE")]
    pub hardware: Vec<String>,
    /// Networks: presets or files, several separated by commas
    #[arg(long, required = true, value_delimiter = ',', value_name = "NETWORK,..")]
    pub on: Vec<String>,
    #[command(flatten)]
    pub tried: StrategyOptions,
    /// Write the figure, too, as SVG
    #[arg(long, value_name = "FILE")]
    pub figure: Option<PathBuf>,
}

/// A network on a core, and the strategies that are tried.
#[derive(Debug, Args)]
pub struct SweepOptions {
    /// Hardware: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub hardware: String,
    /// Network: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub workload: String,
    #[command(flatten)]
    pub tried: StrategyOptions,
}

/// The strategies that are tried, and what is minimised.
#[derive(Debug, Args)]
pub struct StrategyOptions {
    /// Overlap storing mode, several separated by commas [default: all]
    #[arg(long, value_delimiter = ',', value_parser = parse_mode)]
    pub mode: Vec<StoringMode>,
    /// One tile size: columns x rows of the last feature map
    #[arg(long, value_name = "XxY", value_parser = parse_tile, conflicts_with = "grid")]
    pub tile: Option<(u64, u64)>,
    /// All widths with all heights; ranges as in 10..960:10x10..540:10 [default: a few, up to the network's map]
    #[arg(long, value_name = "X,X,..xY,Y,..", value_parser = parse_grid)]
    pub grid: Option<Grid>,
    /// Where stacks are searched for: at most so many layers in one
    #[arg(long)]
    pub most_layers: Option<usize>,
    /// Where stacks are searched for: at most so many tiles in one
    #[arg(long)]
    pub most_tiles: Option<u64>,
    /// How to search for the loop order and its division among the memories
    #[arg(long, value_enum, default_value_t = SearchStrategy::Exact)]
    pub strategy: SearchStrategy,
    /// At most so many loop prime factors are ordered
    #[arg(long, default_value_t = 6)]
    pub lpf_limit: usize,
    /// What to minimise: energy, latency, edp, dram-accesses, accesses:MEMORY or
    /// weighted:energy=A,latency=B,dram-accesses=C (per pJ, cycle, word)
    #[arg(long, default_value = "energy", value_parser = parse_objective)]
    pub objective: Objective,
    /// Rules of the model: what is right, or what the published tool does
    #[arg(long, value_enum, default_value_t = RuleSet::Corrected)]
    pub rules: RuleSet,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

impl StrategyOptions {
    /// What stacks may be, where they are searched for.
    pub fn limits(&self) -> StackLimits {
        StackLimits { most_layers: self.most_layers, most_tiles: self.most_tiles }
    }
}

/// What a file with a model becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModelKind {
    /// A network: every layer of it.
    Network,
    /// A transformer: the block that it repeats.
    Transformer,
}

/// A transformer on a core, and what it computes.
#[derive(Debug, Args)]
pub struct Attention {
    /// Transformer: a preset, a file, or an ONNX model that repeats the blocks of one
    #[arg(long, value_name = "PRESET|FILE", default_value = "llama-3-8b")]
    pub model: String,
    /// Hardware: a preset or a file
    #[arg(long, value_name = "PRESET|FILE", default_value = "fusemax-like")]
    pub hardware: String,
    /// With an ONNX model: size of a dimension that it leaves open; for several dimensions repeat it
    #[arg(long, value_name = "NAME=SIZE", value_parser = parse_size)]
    pub size: Vec<(String, u64)>,
    /// New tokens of each sequence: a prompt, or 1 with `--cached`
    #[arg(long, default_value_t = 2048, value_name = "COUNT")]
    pub tokens: u64,
    /// Tokens whose keys and values are cached
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    pub cached: u64,
    /// Sequences at a time
    #[arg(long, default_value_t = 1, value_name = "COUNT")]
    pub batch: u64,
    /// Generate so many tokens after the others, and tell time, energy and the size of the cache
    #[arg(long, value_name = "COUNT")]
    pub generate: Option<u64>,
    /// With `--generate`: read the prompt so many tokens at a time [default: all]
    #[arg(long, requires = "generate", value_name = "COUNT")]
    pub chunk: Option<u64>,
    /// Divide the step among so many cores like this one, in every way
    #[arg(long, conflicts_with_all = ["generate", "published"], value_name = "COUNT")]
    pub cores: Option<u64>,
    /// With `--cores`: bits that each core sends, and receives, in a cycle
    #[arg(long, requires = "cores", default_value_t = 512, value_name = "BITS")]
    pub link_width: u64,
    /// With `--cores`: energy of sending a bit to another core, pJ
    #[arg(long, requires = "cores", default_value_t = 0.2, value_name = "PJ")]
    pub link_energy: f64,
    /// Bits of all elements, or of each kind: activations=16,keys=8,sums=32,weights=4
    #[arg(long, default_value = "16", value_name = "BITS", value_parser = parse_element_bits)]
    pub bits: ElementBits,
    /// New tokens see the cache alone, not themselves and each other, as AccelForge has it
    #[arg(long)]
    pub blind: bool,
    /// Show the dataflows of the FuseMax artifact on its own machines instead: unfused, FLAT, +cascade, +architecture, +binding
    #[arg(long)]
    pub published: bool,
    /// With `--published`: the artifact's rules, defects included
    #[arg(long, requires = "published")]
    pub as_published: bool,
    /// What to minimise: energy, latency or edp
    #[arg(long, default_value = "energy", value_parser = parse_energy_or_latency)]
    pub objective: Objective,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Which layers to map, and how.
#[derive(Debug, Args)]
pub struct Layer {
    /// Hardware: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub hardware: String,
    /// Network: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub workload: String,
    /// Names of layers, several separated by commas [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub layer: Vec<String>,
    /// Price the mappings of this document instead of searching
    #[arg(long, value_name = "FILE", conflicts_with_all = ["strategy", "unroll", "hint", "lpf_limit", "seconds", "min_utilization"])]
    pub mapping: Option<PathBuf>,
    /// With `--strategy exact` or `loma`: search among the mappings that this document allows
    #[arg(long, value_name = "FILE", conflicts_with = "mapping")]
    pub constraints: Option<PathBuf>,
    /// Write the mappings as a document that `--mapping` reads
    #[arg(long, value_name = "FILE")]
    pub save_mapping: Option<PathBuf>,
    /// How to search for the loop order and its division among the memories: loma; or, for the least energy, as ZigZag
    /// does: exhaustive (all blockings, even and uneven), heuristic, iterative
    #[arg(long, value_parser = parse_strategy, default_value = STRATEGIES[0].0, value_name = "NAME")]
    pub strategy: LayerStrategy,
    /// Which loops the array unrolls: those of the documents, or the best of all that are legal
    #[arg(long, value_enum, default_value_t = Unrolling::Stated)]
    pub unroll: Unrolling,
    /// With `--unroll search`: the loops that one dimension of the array may unroll; for several dimensions repeat it
    #[arg(long, value_name = "DIMENSION=LOOP,..", value_parser = parse_hint)]
    pub hint: Vec<(String, Vec<Dim>)>,
    /// With `--unroll search`: at most so many different loops on one dimension of the array
    #[arg(long, default_value_t = 3)]
    pub loops_per_dimension: usize,
    /// At most so many loop prime factors, where the strategy has such a limit [default: 6 with loma, else 8]
    #[arg(long)]
    pub lpf_limit: Option<usize>,
    /// With `--strategy exact` or `loma`: search each layer until its best mapping is proved, but no longer than this [default: until
    /// a fixed number of partial mappings is looked at]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub seconds: Option<Duration>,
    /// With `--strategy exhaustive` or `heuristic`: how full a memory is that operands share, at least, unless it holds all
    #[arg(long, default_value_t = 0.0, value_name = "0..1", value_parser = parse_share)]
    pub min_utilization: f64,
    /// What to minimise: energy, latency, edp, dram-accesses, accesses:MEMORY or
    /// weighted:energy=A,latency=B,dram-accesses=C (per pJ, cycle, word)
    #[arg(long, default_value = "energy", value_parser = parse_objective)]
    pub objective: Objective,
    /// Rules of the model: what is right, or what a published tool does
    #[arg(long, value_enum, default_value_t = RuleSet::Corrected)]
    pub rules: RuleSet,
    /// Print JSON; fields carry their unit
    #[arg(long)]
    pub json: bool,
}

/// Where the unrolling comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Unrolling {
    /// The layer's own, or the hardware's for its type
    Stated,
    /// The best of all legal ones
    Search,
}

/// Which hierarchies.
#[derive(Debug, Args)]
pub struct Hierarchy {
    /// Pool of memories: a preset or a file
    #[arg(long, value_name = "PRESET|FILE", default_value = "zigzag-65nm")]
    pub pool: String,
    /// PE array, its unrolling and the highest memory: a preset or a file
    #[arg(long, value_name = "PRESET|FILE", default_value = "zigzag-8x8")]
    pub hardware: String,
    /// Network: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub workload: String,
    /// Only these layers, several separated by commas [default: the whole network]
    #[arg(long, value_delimiter = ',')]
    pub layer: Vec<String>,
    /// Largest area of all that has a stated area: 0.5mm2 or 500000um2 [default: no limit]
    #[arg(long, value_name = "AREA", value_parser = parse_area)]
    pub budget: Option<f64>,
    /// At most so many memories of one operand below the highest
    #[arg(long, default_value_t = 2)]
    pub max_levels: usize,
    /// A memory is at least so many times as large as the one below it
    #[arg(long, default_value_t = 8)]
    pub min_ratio: u64,
    /// Try every word width of every memory, not only the fitting one
    #[arg(long)]
    pub all_widths: bool,
    /// Search every hierarchy, also those that are known to be beaten
    #[arg(long)]
    pub no_pruning: bool,
    /// Only the best hierarchy by the objective, not the trade-offs: decides far more hierarchies in the same time
    #[arg(long, conflicts_with = "no_pruning")]
    pub only_best: bool,
    /// How to search the mapping of each layer
    #[arg(long, value_enum, default_value_t = SearchStrategy::Exact)]
    pub strategy: SearchStrategy,
    /// With `--strategy loma`: orders of at most so many loop prime factors
    #[arg(long, default_value_t = 6)]
    pub lpf_limit: usize,
    /// What to minimise: energy, latency or edp
    #[arg(long, default_value = "energy", value_parser = parse_objective)]
    pub objective: Objective,
    /// Rules of the model: what is right, or what a published tool does
    #[arg(long, value_enum, default_value_t = RuleSet::Corrected)]
    pub rules: RuleSet,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Print the hardware document of the best hierarchy instead
    #[arg(long)]
    pub document: bool,
}

/// What runs on which cores.
#[derive(Debug, Args)]
pub struct Cores {
    /// System of cores: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub system: String,
    /// Cores of which the system says nothing: a preset or a file
    #[arg(long, value_name = "PRESET|FILE", default_value = "tpu-like")]
    pub hardware: String,
    /// Network: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub workload: String,
    /// How large computation tiles are: best (the best size that a search finds, over rows, columns, output channels, and stacks), so
    /// many rows, layer-by-layer, or sizes or pieces of loops as in "rows 4, columns 60; stack 2: rows 8" or "OY 14, OX 2; conv1: K 4"
    #[arg(long, default_value = "best", value_name = "best|ROWS|layer-by-layer|CUTS", value_parser = parse_tiles)]
    pub tiles: Tiles,
    /// Layer stacks, each of which runs fused, tile by tile: automatic (as many layers as have weights that fit on the chip), one,
    /// each-layer, or names of layers after which a stack ends, separated by commas
    #[arg(long, default_value = "automatic", value_name = "automatic|one|each-layer|NAMES", value_parser = parse_turns)]
    pub stacks: StackRule,
    /// Who computes what: best (for each stack the fastest if nothing had to travel, proved where the search ends), genetic, a core for all
    /// layers that it runs, or "layer: core, core; layer: core"
    #[arg(long, default_value = "best", value_name = "best|genetic|CORE|LAYERS", value_parser = parse_allocation)]
    pub allocation: Allocation,
    /// Which tile is next: best (whichever of these makes the better schedule), deepest (of the last layer that can be computed), slots
    /// (as the search for the best allocation has it), earliest (which could start first)
    #[arg(long, default_value = "best", value_name = "best|deepest|slots|earliest", value_parser = parse_order)]
    pub order: Order,
    /// Then give layers other cores, one after the other, as long as that makes the schedule better
    #[arg(long)]
    pub improve: bool,
    /// With `--allocation genetic`: individuals of a generation, 2 to 1000
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(2..=1_000))]
    pub individuals: u32,
    /// With `--allocation genetic`: generations after the first, up to 10000
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(..=10_000))]
    pub generations: u32,
    /// With `--allocation genetic`: seed of all random choices
    #[arg(long, default_value_t = Evolution::PAPER.seed)]
    pub seed: u64,
    /// What to minimise: latency, energy or edp. Tiles are mapped for the same (those that stream from DRAM for edp instead of latency);
    /// with the schedulers of the public tool always for latency
    #[arg(long, default_value = "latency", value_parser = parse_aim)]
    pub objective: ScheduleObjective,
    /// Rules of the scheduler: corrected, or those of the public tool: stream-2024 (transfers as early as possible), stream-2023 (as late)
    #[arg(long, default_value = "corrected", value_parser = parse_scheduler)]
    pub scheduler: Scheduler,
    /// Bring weights to their cores before anything else
    #[arg(long)]
    pub prefetch_weights: bool,
    /// How to search the mapping of each tile
    #[arg(long, value_enum, default_value_t = SearchStrategy::Exact)]
    pub strategy: SearchStrategy,
    /// LOMA orders at most so many loop prime factors
    #[arg(long, default_value_t = 6)]
    pub lpf_limit: usize,
    /// Rules of the model of one core: what is right, or what a published tool does
    #[arg(long, value_enum, default_value_t = RuleSet::Corrected)]
    pub rules: RuleSet,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write the schedule as a trace, which ui.perfetto.dev opens
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
}

/// What to do with links.
#[derive(Debug, Subcommand)]
pub enum LinkCommand {
    /// Prints a link
    Make {
        #[command(flatten)]
        state: StateOptions,
        /// Where the page is
        #[arg(long, default_value = "", hide_default_value = true, value_name = "ADDRESS")]
        site: String,
    },
    /// Says what a link or a file holds
    Open {
        /// The link, the address that ends in it, or a file that holds it or a state
        link: String,
        /// Write the documents, and all of it as state.yaml, into this directory
        #[arg(long, value_name = "DIRECTORY")]
        into: Option<PathBuf>,
    },
}

/// A state of the page; what is left out is as in a new session.
#[derive(Debug, Args)]
pub struct StateOptions {
    /// A link, the address that ends in it, or a file saved on the page
    #[arg(value_name = "LINK|FILE")]
    pub from: Option<String>,
    /// An entry of the gallery
    #[arg(long, value_name = "ENTRY")]
    pub gallery: Option<String>,
    /// Hardware: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub hardware: Option<String>,
    /// Network: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub workload: Option<String>,
    /// Rules of the model: what is right, or what a published tool does
    #[arg(long, value_enum)]
    pub rules: Option<RuleSet>,
    /// The view that it opens: landscape, schedule, mapping, hierarchy, compare or gallery
    #[arg(long, value_parser = parse_view)]
    pub view: Option<Tab>,
}

fn parse_view(text: &str) -> Result<Tab, String> {
    let titles = Tab::ALL.map(|(_, title)| title.to_lowercase());
    let found = Tab::ALL.iter().find(|(_, title)| title.eq_ignore_ascii_case(text));
    found.map(|(tab, _)| *tab).ok_or_else(|| unknown(text, &titles.each_ref().map(String::as_str)))
}

/// How to print results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person
    Table,
    /// For a program; fields carry their unit
    Json,
    /// For a spreadsheet
    Csv,
}

fn parse_size(text: &str) -> Result<(String, u64), String> {
    let (name, size) = text.split_once('=').ok_or("write NAME=SIZE, such as sequence=128")?;
    let size = size.trim().parse().ok().filter(|size| *size > 0);
    Ok((name.to_owned(), size.ok_or("write a size of 1 or more")?))
}
