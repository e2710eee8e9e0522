"""What is in a report of this kind: made of docs/schema/depth-first-1.json by `make schema`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict, final

from .shared import (
    Dim as Dim,
    EstimatedMemory as EstimatedMemory,
    FuseDepth as FuseDepth,
    LayerKind as LayerKind,
    LayerShape as LayerShape,
    LinkBalance as LinkBalance,
    MadeBy as MadeBy,
    Movement as Movement,
    Objective as Objective,
    Operand as Operand,
    Operations as Operations,
    PortBalance as PortBalance,
    Power as Power,
    Precision as Precision,
    Rules as Rules,
    Settings as Settings,
    Sparsity as Sparsity,
    StoringMode as StoringMode,
    Strategy as Strategy,
    TemporalLoop as TemporalLoop,
    Weights as Weights,
)

if TYPE_CHECKING:
    from typing_extensions import NotRequired


@final
class Report(TypedDict):
    """What `fusescape depth-first --format json` prints: depth-first schedules (DeFiNES) of a network on a core. Units stand in the
    names of fields: pj picojoules, cycles clock cycles, bits, words full words of a memory."""

    schema: Literal["fusescape/depth-first/1"]
    """This schema: its kind and version."""
    made_by: MadeBy
    """The program that wrote this."""
    hardware: str
    """Name of the core, as its document has it."""
    estimates: list[EstimatedMemory]
    """Memories with figures that an estimator stands for, the lowest first; all other figures are stated in the document."""
    workload: str
    """Name of the network, as its document has it."""
    settings: Settings
    """What was explored."""
    mapping_problems: int
    """Number of different mapping problems."""
    points: list[PointFound]
    """All points: every mode with every tile size."""
    best_combination: Combination | None
    """Each stack at its best point; null where there is nothing to combine."""
    account: NotRequired[PointAccount]
    """The account of the point, if there is only one."""


@final
class Access(TypedDict):
    """The accesses of one operand at one memory level by one data movement, over the whole layer."""

    operand: str
    """Name of the operand, for a person."""
    stored_as: Operand
    """The operand as which memories hold it."""
    memory: MemoryId
    """The memory that is read or written."""
    level: int
    """The memory level of the operand, lowest first."""
    movement: Movement
    """The data movement."""
    elements: float
    """Elements of one transfer of one instance; an average under a fractional unrolling."""
    precision_bits: int
    """Bits per element."""
    transfers: int
    """Number of transfers."""
    instances: float
    """Instances of the memory that take part."""
    words_each: float
    """Full-width words of one transfer of one instance, with fractions where the granularity is finer."""
    words: float
    """Full-width words of all transfers of all instances."""
    drops_fraction: bool
    """Whether a fraction of a word is dropped from their number (`Rules::fractions_of_words_free`)."""
    word_pj: float
    """Energy of one word, pJ."""
    precharge_pj: float
    """Energy besides that of the words, pJ: precharging of bit lines when an array that computes in memory goes on to other weights."""


@final
class ByCause(TypedDict):
    """One quantity at one memory by cause: words, elements, or energy in pJ."""

    activation: float
    """Of activations."""
    weight: float
    """Of weights."""
    copy: float
    """Of data copies."""


@final
class CacheAccount(TypedDict):
    """Memories in which a tile type writes and reads the overlap."""

    h_write: str | None
    """Columns for the right neighbour."""
    h_read: str | None
    """Columns of the left neighbour."""
    v_write: str | None
    """Rows for the lower neighbour."""
    v_read: str | None
    """Rows of the upper neighbour."""
    h_bits: int
    """Bits of the columns that the horizontal cache keeps, of all layers; 0 without one."""
    v_bits: int
    """Bits of the rows that the vertical cache keeps, of all layers, over the whole width of the map; 0 without one."""
    reasons: list[str]
    """Why the overlap is not cached in lower memories, one sentence each."""


@final
class Combination(TypedDict):
    """Each stack with its own strategy (DeFiNES, Section V, case study 2)."""

    fuse: FuseDepth
    """The fuse depth that all of them share."""
    points: list[int]
    """Index of the chosen point for each stack."""
    energy_pj: float
    """Energy, pJ."""
    latency_cycles: int
    """Latency, cycles."""


@final
class CopyAccount(TypedDict):
    """The data copy actions before one layer, which start together (DeFiNES, Section III, step 4)."""

    actions: list[CopyActionAccount]
    """The actions, each with its data and costs."""
    energy_pj: float
    """Energy of all, pJ."""
    latency_cycles: int
    """Cycles until the last is done."""
    last_port: CopyPort | None
    """The port that is done last; `None` where nothing is copied."""


@final
class CopyActionAccount(TypedDict):
    """One data copy action."""

    kind: CopyKind
    """Why the data is copied."""
    layer: str
    """The layer whose data it is."""
    bits: int
    """Bits that are copied."""
    element_bits: int
    """Bits per element of it."""
    chain: list[str]
    """Names of the memories passed, source first."""
    hops: list[HopAccount]
    """The hops, each from one memory of `chain` to the next."""
    energy_pj: float
    """Energy, pJ."""


CopyKind: TypeAlias = 'Literal["StackInput", "InputFromOutput", "ReadHCache", "ReadVCache", "WriteHCache", "WriteVCache"]'
"""The kind of a data copy action: its data, and the source."""


@final
class CopyPort(TypedDict):
    """A memory port and the copies that it serves, one after the other."""

    memory: str
    """Name of the memory."""
    start: int
    """When the first of them reaches it, cycles."""
    end: int
    """When the last of them would be done if it had the port to itself."""
    uses: list[int]
    """Cycles of each copy."""


@final
class DataBits(TypedDict):
    """Data sizes, bits."""

    w: int
    """Weights."""
    i: int
    """All inputs, cached ones included."""
    o: int
    """Output."""
    h_cached: int
    """Of the inputs, columns taken from the horizontal cache."""
    v_cached: int
    """Of the inputs, rows taken from the vertical cache."""


@final
class DepthFirstStrategy(TypedDict):
    """One way to run a network: a point of the design space."""

    tile: tuple[int, int]
    """Columns and rows of the last feature map of each stack that are computed atomically."""
    mode: StoringMode
    """The treatment of the overlap of tiles."""
    fuse: FuseDepth
    """The rule that divides layers into stacks."""


@final
class EnergySplit(TypedDict):
    """Energy by cause, pJ."""

    activation_pj: float
    """Energy of activations, pJ."""
    weight_pj: float
    """Energy of weights, pJ."""
    copy_pj: float
    """Energy of data copies, pJ."""
    mac_pj: float
    """Energy of MACs, pJ."""
    vector_pj: float
    """Energy of vector operations, pJ."""


@final
class HeldData(TypedDict):
    """Data of an operand in one instance of a memory while a layer-tile runs."""

    operand: str
    """Name of the operand, for a person."""
    stored_as: Operand
    """The operand as which memories hold it."""
    level: int
    """The memory level of the operand, lowest first."""
    memory: MemoryId
    """The memory at that level."""
    bits: float
    """Bits; an average under a fractional unrolling."""


@final
class HopAccount(TypedDict):
    """One hop of a data copy action: from one memory to the next."""

    cycles: int
    """Cycles: those of the slower side, once the memory that is read has answered."""
    answer_cycles: int
    """Cycles until the memory that is read has answered, beyond the single cycle of any access."""
    read: HopEnd
    """The source: the memory that is read."""
    write: HopEnd
    """The destination: the memory that is written."""


@final
class HopEnd(TypedDict):
    """One side of a hop."""

    memory: MemoryId
    """The memory, as an index into the account's."""
    bits: int
    """Bits that it reads or writes: the copied bits, rounded up to whole bursts."""
    words: float
    """Full-width words."""
    word_pj: float
    """Energy of one word, pJ."""
    width_bits: int
    """Bits per cycle."""


@final
class ImpossiblePoint(TypedDict):
    """A schedule that cannot be."""

    mode: Literal["fully-recompute", "h-cached-v-recompute", "fully-cached"]
    """Overlap storing mode: `fully-recompute`, `h-cached-v-recompute` or `fully-cached`."""
    tile_x_columns: int | None
    """Width of a tile of the last feature map, columns; null: the whole map."""
    tile_y_rows: int | None
    """Height of a tile of the last feature map, rows; null: the whole map."""
    stacks: str
    """Who chose the stacks, or the layers after which one ends, as --stacks takes them."""
    impossible: list[str]
    """Why there is no result: reasons, each with a remedy."""


@final
class LatencySplit(TypedDict):
    """Latency by cause, cycles."""

    temporal_cycles: int
    """Cycles of computing."""
    stall_cycles: int
    """Cycles of stalls."""
    loading_cycles: int
    """Cycles of loading."""
    offloading_cycles: int
    """Cycles of offloading."""
    copy_cycles: int
    """Cycles of data copies."""
    ideal_cycles: float
    """Of the computing cycles, those that all PEs together would need; not part of the sum."""


@final
class LayerTileAccount(TypedDict):
    """The account of a layer-tile: one layer in one tile type."""

    layer: str
    """Name of the layer."""
    kind: str | None
    """Its operation, `None` for a stack input, which is only fetched."""
    output: tuple[int, int, int]
    """Columns, rows and channels of the output that this tile computes (or fetches)."""
    window: tuple[int, int]
    """Columns and rows of its window that exist, cached ones included."""
    inputs: list[tuple[int, int, int]]
    """For each map that it reads, straight or through views, the columns, rows and channels that it needs, cached ones included."""
    macs: int
    """Multiply-accumulates."""
    shape: LayerShape
    """The loop nest of the layer-tile; of a stack input, that of its producer, which is not computed here."""
    inputs_from: list[int]
    """For each entry of `inputs`, the node of the tile that provides it."""
    cached: list[tuple[int, int]]
    """For each entry of `inputs`, columns taken from the horizontal cache and rows taken from the vertical one."""
    bits: DataBits
    """Data sizes of this layer-tile."""
    top_memory: TopMemory
    """Name of the highest memory used by W, I and O; `None` where the layer has no such operand."""
    reasons: list[str]
    """Why those memories: one sentence for each operand that did not fit lower."""
    copies: CopyAccount
    """Copies that must be done before the layer can start."""
    cost: LayerTileCost | None
    """Costs of the mapped layer; `None` for a stack input."""


@final
class LayerTileCost(TypedDict):
    """Energy, latency and accesses of one mapped layer-tile."""

    energy: EnergySplit
    """Energy by cause (no copies)."""
    latency: LatencySplit
    """Latency by cause (no copies)."""
    loops: list[TemporalLoop]
    """The temporal loops, innermost first."""
    unrolled: list[tuple[Dim, float]]
    """The unrolled loops with their average width."""
    spatial_utilization: float
    """Average share of the PEs that work."""
    accesses: list[Access]
    """Every access of a memory."""
    held: list[HeldData]
    """Bits that each memory holds of each operand while the layer-tile runs."""
    slowest_port: PortBalance | None
    """The port that the array waits for; `None` where it never waits."""


@final
class MacEnergy(TypedDict):
    """Energy of one multiply-accumulate, by the bits of its operands W and I. An array on which narrower operands take less energy
    states so; else they take as much as wide ones. An energy that is stated for one precision holds for all that are not wider in
    either operand; of several the least counts. Where nothing is stated, the energy grows with the product of both widths from the
    precision at which it is known, as that of a multiplier does (8 bits 0.2 pJ, 32 bits 3.1 pJ: Horowitz, ISSCC 2014, Fig. 1.1.9), or
    is the same for all."""

    energy_pj: float
    """Energy at `precision`, pJ; where that is not stated, at any."""
    precision: tuple[int, int] | None
    """Bits of W and I."""
    stated: list[tuple[tuple[int, int], float]]
    """Bits of W and I, and the energy at no more of them, pJ."""


@final
class MemoryAccount(TypedDict):
    """Accesses and energy of one memory, all its instances, over the whole network."""

    name: str
    """Name of the memory in the hardware document."""
    size_bits: int
    """Capacity of one instance."""
    instances: int
    """Number of instances."""
    operands: list[Operand]
    """The operands that it may hold."""
    words: ByCause
    """Full-width words read and written, all instances."""
    elements: ByCause
    """Data elements read and written, all instances (DeFiNES, Fig. 14)."""
    energy_pj: ByCause
    """Energy of those accesses, pJ."""


MemoryId: TypeAlias = 'str'
"""A memory, by its name."""


@final
class PointAccount(TypedDict):
    """The account of a point of the design space: its cost, and everything that explains it."""

    strategy: DepthFirstStrategy
    """How the network is run."""
    energy_pj: float
    """Energy of everything, pJ."""
    latency_cycles: int
    """Latency of everything, cycles."""
    macs: int
    """Multiply-accumulates, recomputed ones included."""
    network_macs: int
    """Multiply-accumulates of the network without recomputation."""
    mac_energy: MacEnergy
    """Energy of one multiply-accumulate."""
    pe_count: int
    """Number of PEs."""
    power: Power | None
    """Time, power and leakage; `None` where no clock is stated."""
    energy: EnergySplit
    """Energy by cause."""
    latency: LatencySplit
    """Latency by cause."""
    memories: list[MemoryAccount]
    """Accesses and energy of each memory, lowest first."""
    stacks: list[StackAccount]
    """The stacks in order."""


PointFound: TypeAlias = 'ScheduledPoint | ImpossiblePoint'
"""A point of a sweep."""


@final
class ScheduledPoint(TypedDict):
    """A schedule, and what it costs."""

    mode: Literal["fully-recompute", "h-cached-v-recompute", "fully-cached"]
    """Overlap storing mode: `fully-recompute`, `h-cached-v-recompute` or `fully-cached`."""
    tile_x_columns: int | None
    """Width of a tile of the last feature map, columns; null: the whole map."""
    tile_y_rows: int | None
    """Height of a tile of the last feature map, rows; null: the whole map."""
    stacks: str
    """Who chose the stacks, or the layers after which one ends, as --stacks takes them."""
    energy_pj: float
    """Energy, pJ."""
    latency_cycles: int
    """Time of all stacks, one after the other, cycles."""
    macs: int
    """MAC operations, those of recomputed data included."""
    dram_words: float
    """Accesses to the highest memory, full words."""
    score: float
    """What is minimised, in the units of the objective."""
    is_best: bool
    """Whether no point has a lower score."""
    is_pareto_optimal: bool
    """Whether no other point is better in both energy and latency."""
    energy: EnergySplit
    """Energy by cause, pJ."""
    latency: LatencySplit
    """Latency by cause, cycles."""
    power: Power | None
    """Time, power and leakage; null where no clock is stated."""


@final
class StackAccount(TypedDict):
    """Cost of one stack: all its tiles, by tile type."""

    layers: list[str]
    """Names of its layers, in topological order, without stack inputs."""
    output_size: tuple[int, int]
    """Columns and rows of its last feature map."""
    weight_bits: int
    """Bits of the weights of all its layers."""
    weight_memory: str | None
    """Memory that keeps the weights after the first tile; `None` where it has none."""
    tile_count: int
    """Number of tiles."""
    energy_pj: float
    """Energy of the stack, pJ."""
    latency_cycles: int
    """Latency of the stack, all tiles, cycles."""
    tile_types: list[TileTypeAccount]
    """Tiles that behave identically."""
    map: TileMap
    """The tile types by their place on the last feature map."""


@final
class TileMap(TypedDict):
    """The places of all tile types (DeFiNES, Fig. 6). Runs keep it small for a million tiles."""

    columns: list[TileRun]
    """Runs of equal columns of tiles from left to right."""
    rows: list[TileRun]
    """Runs of equal rows of tiles from top to bottom."""
    types: list[list[int]]
    """The tile type for each run of rows and, within it, each run of columns; the first tile of a stack, at the top left, has a run of
    its own."""


@final
class TileRun(TypedDict):
    """Neighbouring tiles of the same width (or height) and kind."""

    start: int
    """First column (or row) of the feature map."""
    size: int
    """Columns (or rows) of the feature map per tile."""
    count: int
    """Number of tiles."""


@final
class TileTypeAccount(TypedDict):
    """The account of a tile type: tiles that behave identically, computed once (DeFiNES, Section III, step 1)."""

    size: tuple[int, int]
    """Columns and rows of the stack's last feature map."""
    count: int
    """Number of tiles of this type."""
    first_position: tuple[int, int]
    """First column and row of the first of them."""
    weights_from_top: bool
    """Whether weights come from their highest memory (the stack's first tile)."""
    caches: CacheAccount
    """Where overlap is cached, by name of the memory."""
    energy_pj: float
    """Energy of one tile, pJ."""
    latency_cycles: int
    """Latency of one tile, data copy actions included, cycles."""
    layers: list[LayerTileAccount]
    """Its nodes: stack inputs, then layers in order of execution."""


@final
class TopMemory(TypedDict):
    """Highest memory that each operand uses."""

    w: str | None
    """Weights."""
    i: str | None
    """Inputs."""
    o: str | None
    """Outputs."""
