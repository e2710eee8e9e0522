//! What a person can write on the command line.

use clap::builder::TypedValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use fusescape_command::options::{
    AttentionOptions, CoresOptions, HierarchyOptions, LayerOptions, SweepOptions, words_of,
};
use fusescape_command::parse::{RULES, StackSelection, parse_rules, parse_sharing, parse_stacks};
use fusescape_command::study::{Shard, parse_shard};
use fusescape_command::unknown;
use fusescape_engine::explore::Sharing;
use fusescape_engine::rules::Rules;
use fusescape_state::Tab;
use std::path::PathBuf;

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
    Layer(LayerArguments),
    /// Generates all memory hierarchies from a pool and finds the best (ZigZag, Section V)
    Hierarchy(HierarchyArguments),
    /// Runs a network on many cores (Stream): computation tiles, their cores, and what travels between them
    Cores(CoresArguments),
    /// Schedules attention of a transformer on a core: unfused, fused in rows (FLAT), in one pass (FuseMax); whole models, and generation
    Attention(AttentionArguments),
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
    pub sweep: SweptDesign,
    /// Which layers are fused: auto, optimal (with the best tile and mode for each stack), single-layer, layer-by-layer, or
    /// names of layers to cut after, those with blanks or commas in double quotes. Without it, those of auto, and what the
    /// optimal ones cost
    #[arg(long, value_name = "auto|optimal|single-layer|layer-by-layer|CUTS", value_parser = parse_stacks)]
    pub stacks: Option<StackSelection>,
}

/// Which layers run together.
#[derive(Debug, Args)]
pub struct Fuse {
    #[command(flatten)]
    pub sweep: SweptDesign,
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
pub struct SweptDesign {
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
    #[command(flatten)]
    pub chosen: SweepOptions,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
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
pub struct AttentionArguments {
    /// Transformer: a preset, a file, or an ONNX model that repeats the blocks of one
    #[arg(long, value_name = "PRESET|FILE", default_value = "llama-3-8b")]
    pub model: String,
    /// Hardware: a preset or a file
    #[arg(long, value_name = "PRESET|FILE", default_value = "fusemax-like")]
    pub hardware: String,
    /// With an ONNX model: size of a dimension that it leaves open; for several dimensions repeat it
    #[arg(long, value_name = "NAME=SIZE", value_parser = parse_size)]
    pub size: Vec<(String, u64)>,
    #[command(flatten)]
    pub chosen: AttentionOptions,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Which layers to map, and how.
#[derive(Debug, Args)]
pub struct LayerArguments {
    /// Hardware: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub hardware: String,
    /// Network: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub workload: String,
    /// Price the mappings of this document instead of searching
    #[arg(long, value_name = "FILE",
        conflicts_with_all = ["strategy", "unroll", "hints", "lpf_limit", "seconds", "min_utilization"])]
    pub mapping: Option<PathBuf>,
    /// With `--strategy exact` or `loma`: search among the mappings that this document allows
    #[arg(long, value_name = "FILE", conflicts_with = "mapping")]
    pub constraints: Option<PathBuf>,
    /// Write the mappings as a document that `--mapping` reads
    #[arg(long, value_name = "FILE")]
    pub save_mapping: Option<PathBuf>,
    #[command(flatten)]
    pub chosen: LayerOptions,
    /// Print JSON; fields carry their unit
    #[arg(long)]
    pub json: bool,
}

/// Which hierarchies.
#[derive(Debug, Args)]
pub struct HierarchyArguments {
    /// Pool of memories: a preset or a file
    #[arg(long, value_name = "PRESET|FILE", default_value = "zigzag-65nm")]
    pub pool: String,
    /// PE array, its unrolling and the highest memory: a preset or a file
    #[arg(long, value_name = "PRESET|FILE", default_value = "zigzag-8x8")]
    pub hardware: String,
    /// Network: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub workload: String,
    #[command(flatten)]
    pub chosen: HierarchyOptions,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Print the hardware document of the best hierarchy instead
    #[arg(long)]
    pub document: bool,
}

/// What runs on which cores.
#[derive(Debug, Args)]
pub struct CoresArguments {
    /// System of cores: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub system: String,
    /// Cores of which the system says nothing: a preset or a file
    #[arg(long, value_name = "PRESET|FILE", default_value = "tpu-like")]
    pub hardware: String,
    /// Network: a preset or a file
    #[arg(long, value_name = "PRESET|FILE")]
    pub workload: String,
    #[command(flatten)]
    pub chosen: CoresOptions,
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
    #[arg(long, value_parser = words_of(RULES).try_map(|word| parse_rules(&word)))]
    pub rules: Option<Rules>,
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
