//! The raw documents as written, field by field.

use serde::{Deserialize, Serialize};

/// A hardware document: one core.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HardwareSpec {
    /// Its name, for people.
    pub name: String,
    /// Description, and the source of its figures.
    pub about: String,
    /// Clock frequency, MHz; `None` where it is not stated.
    pub clock_mhz: Option<f64>,
    /// The PE array.
    pub array: ArraySpec,
    /// Name of the family of spatial mappings that a layer's own `unroll` may refer to.
    pub dataflow: String,
    /// Which loop each array dimension unrolls, by layer type: `conv`: `D1` unrolls `K`.
    pub unroll: Vec<(String, Vec<UnrollSpec>)>,
    /// The memories, lowest first; loops are allocated to them in this order.
    pub memories: Vec<MemorySpec>,
    /// The unit that computes element by element, beside the array; `None` where there is none.
    pub vector_unit: Option<VectorUnitSpec>,
}

/// Lanes beside the array that compute element by element: softmax, normalisation, activations, additions, pooling.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VectorUnitSpec {
    /// Lanes, each of which does one operation at a time.
    pub lanes: u64,
    /// Name of the memory that feeds the lanes.
    pub memory: String,
    /// Memories between that one and the lanes, lowest first; they are shared over `lanes` or not.
    pub registers: Vec<MemorySpec>,
    /// Costs of operations, where they differ from the published figures.
    pub operations: Vec<OperationSpec>,
    /// Source of the figures.
    pub source: String,
}

/// The cost of one operation of a vector unit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OperationSpec {
    /// `add`, `max`, `multiply`, `divide` or `exp`.
    pub name: String,
    /// Energy, pJ; `None`: as published.
    pub energy_pj: Option<f64>,
    /// Cycles in which a lane is busy; `None`: as published.
    pub cycles: Option<u64>,
}

/// The array of processing elements.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ArraySpec {
    /// Name and size of each dimension.
    pub dimensions: Vec<(String, u64)>,
    /// Dimensions along which data moves one PE per cycle, as in a systolic array, where along the others it is
    /// broadcast.
    pub systolic: Vec<String>,
    /// Energy of one multiply-accumulate, pJ: at [`Self::mac_precision`], else at any precision.
    pub mac_energy_pj: f64,
    /// Bits of W and I for which that energy is stated; at others it grows with the product of both.
    pub mac_precision: Option<(u64, u64)>,
    /// Energies at other precisions, each for all that are not wider.
    pub mac_energies: Vec<MacEnergySpec>,
    /// Area of one PE without its memories, um2; `None` where it is not stated.
    pub pe_area_um2: Option<f64>,
    /// Power that the whole array leaks, without its memories, mW.
    pub leakage_mw: f64,
    /// The macros of an array that computes in memory; energy and area of its operations then follow from it.
    pub in_memory: Option<InMemorySpec>,
    /// Source of the figures.
    pub source: String,
}

/// An array that computes in memory: weights stay in the cells of macros, where inputs meet them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct InMemorySpec {
    /// `analog` or `digital`.
    pub kind: String,
    /// The array dimension along a word line: its columns hold different outputs.
    pub columns: String,
    /// The array dimension along a bit line: the products of its rows are added up.
    pub rows: String,
    /// Bits of W and of I.
    pub precision: (u64, u64),
    /// Bits of an input that enter in one cycle.
    pub input_bits: u64,
    /// Bits of the converter at the end of each bit line, of analog macros.
    pub adc_bits: Option<u64>,
}

/// Energy of one multiply-accumulate at a precision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MacEnergySpec {
    /// Bits of W and of I.
    pub precision: (u64, u64),
    /// Its energy, pJ.
    pub energy_pj: f64,
}

/// One array dimension unrolls one loop dimension, at most `limit` wide. Several entries of one array dimension share it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnrollSpec {
    /// Name of an array dimension: `D1`.
    pub array_dimension: String,
    /// The loop dimension: `K`.
    pub loop_dimension: String,
    /// Limit on the PEs of the loop, where it must not use the whole array dimension.
    pub limit: Option<u64>,
}

/// One memory: `instances` copies of it serve the array.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemorySpec {
    /// Unique name.
    pub name: String,
    /// Capacity of one instance.
    pub size_bits: u64,
    /// Operands it holds (`W`, `I`, `O`), in the order in which loops are allocated.
    pub operands: Vec<String>,
    /// Bits read in one cycle by a port.
    pub read_width_bits: u64,
    /// Bits written in one cycle by a port.
    pub write_width_bits: u64,
    /// Smallest part of a word that can be read on its own, bits.
    pub read_granularity_bits: u64,
    /// Smallest part of a word that can be written on its own, bits.
    pub write_granularity_bits: u64,
    /// Energy of reading one full word, pJ.
    pub read_energy_pj: f64,
    /// Energy of writing one full word, pJ.
    pub write_energy_pj: f64,
    /// Area of one instance, um2; `None` where it is not stated.
    pub area_um2: Option<f64>,
    /// The estimator of the figures that are not stated, if any; energies that it estimates are 0 here.
    pub estimate: Option<EstimateSpec>,
    /// Array dimensions over which one instance is shared; over the others it is replicated.
    pub shared_over: Vec<String>,
    /// Ports with the movements that they serve; none: one read and one write port, each serving everything.
    pub ports: Vec<PortSpec>,
    /// Cycles from a request to its first word.
    pub latency_cycles: u64,
    /// The least that one transfer reads or writes; `None`: one access.
    pub burst_bits: Option<u64>,
    /// Whether it holds data twice that is replaced during the layer.
    pub double_buffered: DoubleBuffering,
    /// Power that one instance leaks, mW.
    pub leakage_mw: f64,
    /// Source of the figures.
    pub source: String,
}

/// Whether a memory holds data twice that is replaced during a layer: one copy in use, one being transferred.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DoubleBuffering {
    /// Where the mapping leaves room for both.
    #[default]
    WhereItFits,
    /// Always: the memory is built so, and mappings have to leave room.
    Always,
    /// Never: data in use is replaced only when it is no longer needed.
    Never,
}

/// The estimator of figures of a memory that its document does not state; the area is one of them where that is not
/// stated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EstimateSpec {
    /// Its name: `sram-28nm`.
    pub estimator: String,
    /// Whether the energy of reading is left to it.
    pub read_energy: bool,
    /// Whether the energy of writing is left to it.
    pub write_energy: bool,
}

/// One port of a memory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PortSpec {
    /// Unique within the memory.
    pub name: String,
    /// Data movements it serves: `I.read_to_low`.
    pub serves: Vec<String>,
    /// Bits that it moves in one cycle, where they differ from the memory's.
    pub width_bits: Option<u64>,
    /// Smallest part of its width that it can move on its own, bits, where it differs from the memory's.
    pub granularity_bits: Option<u64>,
}

/// A system: several cores, their connections, and the memory off the chip.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SystemSpec {
    /// Its name, for people.
    pub name: String,
    /// Description, and the source of its figures.
    pub about: String,
    /// The cores, in any order; DRAM is none of them.
    pub cores: Vec<CoreSpec>,
    /// Memories that cores have in common.
    pub shared: Vec<SharedSpec>,
    /// Communication links between cores.
    pub links: Vec<LinkSpec>,
    /// The memory off the chip.
    pub offchip: OffchipSpec,
}

/// One core of a system.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CoreSpec {
    /// Unique name.
    pub name: String,
    /// Its array and memories. The highest memory of its document is replaced by the system's memory off the chip.
    pub hardware: CoreHardware,
    /// Types of layers that it runs: `conv`; none: all.
    pub runs: Vec<String>,
}

/// Where the hardware of a core is described.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub enum CoreHardware {
    /// In the hardware document beside the system.
    #[default]
    Beside,
    /// That of an earlier core of this name; else a preset.
    Preset(String),
    /// In the system's document itself.
    Own(Box<HardwareSpec>),
}

/// A memory that cores have in common.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SharedSpec {
    /// Its name in the documents of the cores.
    pub memory: String,
    /// Names of the cores.
    pub cores: Vec<String>,
}

/// Communication links between cores.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkSpec {
    /// The cores that it connects.
    pub ends: LinkEnds,
    /// Bits in a cycle.
    pub width_bits: u64,
    /// Energy of a cycle in which all of its width is used, pJ.
    pub energy_pj: f64,
}

/// The cores that a link connects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum LinkEnds {
    /// From one core to another.
    OneWay(String, String),
    /// Two cores, with one link each way.
    BothWays(String, String),
    /// Any of these cores with any other, one transfer at a time.
    Bus(Vec<String>),
    /// Rows of cores: neighbours in rows and columns, with one link each way.
    Mesh(Vec<Vec<String>>),
}

impl Default for LinkEnds {
    fn default() -> Self {
        Self::Bus(Vec::new())
    }
}

/// The memory off the chip.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OffchipSpec {
    /// Bits read or written in a cycle.
    pub width_bits: u64,
    /// Energy of reading so many, pJ.
    pub read_energy_pj: f64,
    /// Energy of writing so many, pJ.
    pub write_energy_pj: f64,
    /// How the cores reach it; none: by one port for all, one transfer at a time.
    pub ports: Vec<OffchipPortSpec>,
}

/// A way to the memory off the chip.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OffchipPortSpec {
    /// Its name, for people.
    pub name: String,
    /// Names of the cores that it serves; none: all.
    pub cores: Vec<String>,
    /// `read`, `write` or `both`.
    pub direction: String,
    /// Bits in a cycle; `None`: as wide as the memory.
    pub width_bits: Option<u64>,
    /// Energy of a cycle in which all of its width is used, pJ, beside that of the memory.
    pub energy_pj: f64,
}

/// The latents out of which keys and values are computed in multi-head latent attention.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LatentSpec {
    /// Channels of the latent.
    pub rank: u64,
    /// Rotated channels of a query or key, beside those of a head.
    pub rotary: u64,
    /// Whether heads go on with the latents themselves.
    pub absorbed: bool,
}

/// A transformer document: layers that are all alike, each of attention and a feed-forward part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TransformerSpec {
    /// Its name, for people.
    pub name: String,
    /// Description, and the source of its sizes.
    pub about: String,
    /// Number of layers, all alike.
    pub layers: u64,
    /// Channels of a token between layers.
    pub width: u64,
    /// Query heads.
    pub heads: u64,
    /// Heads of keys and values.
    pub key_heads: u64,
    /// Elements of a query, key or value of a head.
    pub head_size: u64,
    /// Channels within the feed-forward part.
    pub hidden: u64,
    /// Whether a third matrix gates the hidden channels.
    pub gated: bool,
    /// Feed-forward parts.
    pub experts: u64,
    /// Number of them that each token uses.
    pub active: u64,
    /// Experts that every token uses, in addition to these.
    pub shared: u64,
    /// The latents of keys and values, if there are any.
    pub latent: Option<LatentSpec>,
    /// Whether a token sees only earlier ones.
    pub decoder: bool,
    /// Number of tokens that a token of a decoder sees, itself included; `None`: all before it.
    pub window: Option<u64>,
    /// `none`, `layer` or `rms`.
    pub norm: String,
    /// Whether the norm follows the residual sum.
    pub post_norm: bool,
    /// `none`, `gelu`, `silu` or `relu`.
    pub activation: String,
    /// Whether queries and keys are rotated by their position.
    pub rotary: bool,
    /// State-space blocks in place of attention and a feed-forward part, if there are any.
    pub state_space: Option<StateSpaceSpec>,
}

/// A state-space block: its channels, states of each, channels out of which steps are computed, and tokens that its convolution sees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StateSpaceSpec {
    /// Channels within the block.
    pub channels: u64,
    /// States of a channel.
    pub states: u64,
    /// Channels out of which the steps of all channels are computed.
    pub rank: u64,
    /// Tokens that the convolution sees, the token itself included.
    pub kernel: u64,
}

/// A pool document: the memories from which hierarchies are generated (ZigZag, Section V-A).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PoolSpec {
    /// Its name, for people.
    pub name: String,
    /// Description, and the source of its figures.
    pub about: String,
    /// The memories, in any order.
    pub memories: Vec<PoolMemorySpec>,
}

/// A memory that hierarchies may contain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PoolMemorySpec {
    /// Unique name.
    pub name: String,
    /// Capacity of one instance.
    pub size_bits: u64,
    /// The allowed numbers of instances: `per_pe`, `per_dimension` (once along one array dimension) or `shared` (once).
    pub replication: Vec<String>,
    /// Its figures for several word widths.
    pub variants: Vec<VariantSpec>,
    /// Source of the figures.
    pub source: String,
}

/// A memory of a pool at one word width.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VariantSpec {
    /// Bits read in one cycle.
    pub read_width_bits: u64,
    /// Bits written in one cycle.
    pub write_width_bits: u64,
    /// Its energy and area.
    pub figures: FiguresSpec,
    /// Source of the figures, if it is not that of the memory.
    pub source: String,
}

/// Energy and area of a memory of a pool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FiguresSpec {
    /// The published number.
    Stated {
        /// Energy of reading one full word, pJ.
        read_energy_pj: f64,
        /// Energy of writing one full word, pJ.
        write_energy_pj: f64,
        /// Area of one instance, um2.
        area_um2: f64,
    },
    /// As the fit of this name estimates it.
    Estimate(String),
}

impl Default for FiguresSpec {
    fn default() -> Self {
        Self::Estimate(String::new())
    }
}

/// A workload document: a network of layers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkloadSpec {
    /// Its name, for people.
    pub name: String,
    /// Description and source.
    pub about: String,
    /// Images processed at once.
    pub batch: u64,
    /// Bits per element of every layer that states nothing else.
    pub precision: PrecisionSpec,
    /// Densities of every layer that states nothing else.
    pub density: DensitySpec,
    /// The layers in any order.
    pub layers: Vec<LayerSpec>,
}

/// Shares of elements that are not zero, more than 0 and at most 1; all where nothing is stated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DensitySpec {
    /// Weights.
    pub w: Option<f64>,
    /// Inputs.
    pub i: Option<f64>,
    /// Finished outputs.
    pub o: Option<f64>,
}

/// Bits per element of each operand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PrecisionSpec {
    /// Weights.
    pub w: Option<u64>,
    /// Inputs.
    pub i: Option<u64>,
    /// Partial sums.
    pub o_partial: Option<u64>,
    /// Finished outputs.
    pub o: Option<u64>,
}

/// One layer, or one input of the network.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerSpec {
    /// Unique name.
    pub name: String,
    /// `input`, `view`, `conv`, `pointwise`, `depthwise`, `pooling`, `fully-connected`, `matmul`, `add`, `reduction`, `elementwise` or
    /// `pairwise`.
    pub kind: String,
    /// Names of the layers whose outputs it reads; empty: the layer before it. The second of a `matmul` or
    /// `depthwise` computes its weights.
    pub from: Vec<String>,
    /// Output channels `K`; left out where they follow from the input.
    pub channels: Option<u64>,
    /// Feature map of an input layer or a view: columns and rows.
    pub size: Option<(u64, u64)>,
    /// Kernel: columns and rows.
    pub kernel: KernelSpec,
    /// Groups `G` of a grouped convolution, of a product of matrices (its heads), or of a reduction (each becomes one
    /// number).
    pub groups: Option<u64>,
    /// Steps of the window: columns and rows.
    pub stride: Option<(u64, u64)>,
    /// Distance of neighbouring kernel elements: columns and rows.
    pub dilation: Option<(u64, u64)>,
    /// Zeros around the input; of a view zeros around the map that it shows.
    pub padding: PaddingSpec,
    /// Cut larger inputs of an `add` down to the smallest instead of rejecting them.
    pub crop: bool,
    /// How a view arranges the maps that it shows, where tiles reach through it.
    pub shows: Option<ViewSpec>,
    /// Operations of a vector unit for each iteration of the loops: their names and numbers.
    pub operations: Vec<(String, u64)>,
    /// Loops in the order in which LOMA merges prime factors of those that have equally many; others follow in their usual order.
    pub loop_order: Vec<String>,
    /// Columns and rows of the input that ZigZag counts at most, where its file does not say how large the input is.
    pub input_counted: Option<(u64, u64)>,
    /// Bits per element where they differ from the workload's.
    pub precision: PrecisionSpec,
    /// Densities where they differ from the workload's.
    pub density: DensitySpec,
    /// Spatial mapping of this layer on hardware of a certain dataflow, replacing the hardware's own.
    pub unroll: Vec<(String, Vec<UnrollSpec>)>,
}

/// How a view arranges the maps that it reads, where each of its columns, rows and channels is one of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ViewSpec {
    /// `join`: several maps, one after the other.
    Join(MapAxis),
    /// `channels`, `columns`, `rows`: from the first of a range up to before its end.
    Part([Option<(u64, u64)>; 3]),
    /// `scale`: every column and row so many times, as nearest-neighbour resizing does.
    Scale(u64, u64),
    /// `blocks`: groups of channels as blocks of columns and rows (depth to space).
    Blocks(u64, u64),
}

/// An axis of a feature map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MapAxis {
    /// Feature maps, one behind the other.
    Channels,
    /// Columns, side by side.
    Columns,
    /// Rows, one below the other.
    Rows,
}

impl MapAxis {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 3] = [Self::Channels, Self::Columns, Self::Rows];

    /// As written in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Channels => "channels",
            Self::Columns => "columns",
            Self::Rows => "rows",
        }
    }
}

/// Kernel of a layer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KernelSpec {
    /// 1 x 1, as nothing else was written.
    #[default]
    Unstated,
    /// Columns and rows.
    Size(u64, u64),
    /// As large as the whole input.
    Global,
}

/// Zeros around a layer's input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PaddingSpec {
    /// No zeros are added.
    #[default]
    None,
    /// As much as makes the output `ceil(input / stride)`; an odd rest goes to the right and the bottom.
    Same,
    /// Left, right, top, bottom.
    Sides(u64, u64, u64, u64),
}
