"""What is in a report of this kind: made of docs/schema/layer-1.json by `make schema`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict, final

from .shared import (
    Dim as Dim,
    EstimatedMemory as EstimatedMemory,
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
    Sparsity as Sparsity,
    TemporalLoop as TemporalLoop,
    Weights as Weights,
)

if TYPE_CHECKING:
    from typing_extensions import NotRequired


@final
class Report(TypedDict):
    """What `fusescape layer --json` prints: the best loop nest of single layers (ZigZag). Operands stand in the order of the field
    operands, memory levels from the innermost to the outermost. Units stand in the names of fields: pj picojoules, cycles clock
    cycles, bits."""

    schema: Literal["fusescape/layer/1"]
    """This schema: its kind and version."""
    made_by: MadeBy
    """The program that wrote this."""
    hardware: str
    """Name of the core, as its document has it."""
    estimates: list[EstimatedMemory]
    """Memories with figures that an estimator stands for, the lowest first; all other figures are stated in the document."""
    in_memory: InMemoryArray | None
    """The array, where it computes in memory; null elsewhere."""
    workload: str
    """Name of the network, as its document has it."""
    objective: Objective
    """What is minimised."""
    strategy: str | None
    """How the mapping was searched."""
    min_utilization: float
    """Least share of a memory that operands share which a blocking fills, 0 to 1."""
    rules: Rules
    """Rules of the model."""
    layers: list[LayerFound]
    """Result of each layer, in the order of the network."""


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


Adding: TypeAlias = 'Literal["analog", "digital"]'
"""How an array that computes in memory adds up."""


@final
class Allocation(TypedDict):
    """An allocation (blocking): where the memory levels of each operand end in the order of temporal loops. Level `m` of operand `p`
    holds the loops `ends[p][m - 1] .. ends[p][m]` (from 0 for the lowest)."""

    ends: list[list[int]]
    """End of each level; entries above the operand's highest level are unused."""


@final
class Bandwidth(TypedDict):
    """Required average bandwidth in one direction, elements per cycle."""

    double_buffered: float
    """While the next data arrives beside the present."""
    single_buffered: float
    """While the next data can only arrive when the present is used up."""


@final
class BestMapped(TypedDict):
    """A layer with its best mapping."""

    layer: str
    """Its name."""
    shape: LayerShape
    """Its loop nest."""
    unrolled: list[tuple[str, int, Dim, float]]
    """Unrolled loops: array dimension, its size, loop, average width."""
    array: list[str]
    """Names of the dimensions of the array."""
    pe_count: int
    """Number of PEs."""
    operands: list[tuple[str, list[str]]]
    """Output first, then the inputs: name, and names of its memories, lowest first."""
    mac_pj: float
    """Energy of one MAC, pJ: on average, where the array computes in memory."""
    in_memory: InMemoryFacts | None
    """How it computes in memory, if it does."""
    irrelevant: list[list[Dim]]
    """For each operand the loop dimensions that do not index it: their iterations use the same data again."""
    windows: list[list[WindowCount]]
    """For each operand the axes along which windows slide over it. All other dimensions that are not irrelevant are relevant."""
    macs: int
    """MAC operations of the layer."""
    search: SearchFound
    """What the search did."""
    energy_pj: float
    """Energy, pJ."""
    latency_cycles: int
    """Stalls included, cycles."""
    mapped: MappingFound
    """The mapping, and what it costs."""
    power: Power | None
    """Time, power and leakage; null where no clock is stated."""


@final
class ComingDownAllButFirst(TypedDict):
    """All partial sums that go up, except so many elements of the first pass over the outputs."""

    AllButFirst: float


ComingDown: TypeAlias = 'Literal["Inputs", "Nothing", "All"] | ComingDownAllButFirst'
"""The data that comes down from the next higher level."""


@final
class ConstraintCost(TypedDict):
    """What constraints cost: the score of the best mapping without them, and how much more the best with them has, as a share. `None`
    where there is none."""

    free_score: float | None
    """Score of the best mapping without constraints, in the unit of the objective; null where there is none."""
    more: float | None
    """How much more the best under the constraints scores, as a share of that; null where there is none."""


@final
class CyclesFound(TypedDict):
    """Latency by cause, cycles."""

    ideal: float
    """If every PE worked in every cycle; a part of `temporal`."""
    temporal: int
    """Of computing."""
    stall: int
    """Of stalls."""
    loading: int
    """Of loading."""
    offloading: int
    """Of offloading."""
    total: int
    """The sum of all but `ideal`."""


@final
class FrontFound(TypedDict):
    """The front of energy and latency of a layer."""

    mappings: list[FrontMapping]
    """Every mapping that no other one beats in both, by ascending energy."""
    proof: Proof
    """Whether no mapping is missing."""


@final
class FrontMapping(TypedDict):
    """A mapping of a front."""

    energy_pj: float
    """Energy, pJ."""
    latency_cycles: int
    """Stalls included, cycles."""
    is_corner: bool
    """Whether it is a corner of the convex hull: the best by some weights of energy and latency."""


@final
class ImpossibleLayer(TypedDict):
    """A layer that cannot be mapped."""

    layer: str
    """Its name."""
    shape: LayerShape
    """Its loop nest."""
    unrolled: list[tuple[str, int, Dim, float]]
    """Unrolled loops: array dimension, its size, loop, average width."""
    array: list[str]
    """Names of the dimensions of the array."""
    pe_count: int
    """Number of PEs."""
    operands: list[tuple[str, list[str]]]
    """Output first, then the inputs: name, and names of its memories, lowest first."""
    mac_pj: float
    """Energy of one MAC, pJ: on average, where the array computes in memory."""
    in_memory: InMemoryFacts | None
    """How it computes in memory, if it does."""
    irrelevant: list[list[Dim]]
    """For each operand the loop dimensions that do not index it: their iterations use the same data again."""
    windows: list[list[WindowCount]]
    """For each operand the axes along which windows slide over it. All other dimensions that are not irrelevant are relevant."""
    macs: int
    """MAC operations of the layer."""
    search: SearchFound
    """What the search did."""
    impossible: list[str]
    """Why there is no result: reasons, each with a remedy."""


@final
class InMemoryArray(TypedDict):
    """An array that computes in memory: what its macros are and what they reach, estimated after ZigZag 3.8.5 in 28 nm."""

    type: Adding
    """How it adds up."""
    columns: int
    """Columns of a macro."""
    rows: int
    """Rows of a macro."""
    macros: int
    """Number of arrays that compute side by side."""
    precision_bits: PrecisionBits
    """Bits of a weight and of an input."""
    input_bits: int
    """Bits of an input that enter in a cycle."""
    adc_bits: int | None
    """Bits of a converter; null where the macros are digital."""
    weights_per_cell_group: int
    """Weights that a row and a column hold."""
    peak_tops: float
    """Operations a second, 10^12, when all rows and columns are in use."""
    peak_tops_per_watt: float
    """Operations per joule, in 10^12, when all rows and columns are in use; without memories."""
    period_ns: float
    """The shortest period of a clock, ns."""
    delay: InMemoryArrayDelay
    """What it is made of, by part."""
    area: InMemoryArrayArea
    """Area of all macros without cells, by part."""


@final
class InMemoryArrayDelay(TypedDict):
    """What it is made of, by part."""

    accumulators_ns: NotRequired[float]
    """Of accumulators, ns."""
    adcs_ns: NotRequired[float]
    """Of ADCs, ns."""
    adder_trees_ns: NotRequired[float]
    """Of adder trees, ns."""
    bit_lines_ns: NotRequired[float]
    """Of bit lines, ns."""
    dacs_ns: NotRequired[float]
    """Of DACs, ns."""
    multipliers_ns: NotRequired[float]
    """Of multipliers, ns."""
    place_adders_ns: NotRequired[float]
    """Of adders of places, ns."""


@final
class InMemoryArrayArea(TypedDict):
    """Area of all macros without cells, by part."""

    accumulators_um2: NotRequired[float]
    """Of accumulators, um2."""
    adcs_um2: NotRequired[float]
    """Of ADCs, um2."""
    adder_trees_um2: NotRequired[float]
    """Of adder trees, um2."""
    bit_lines_um2: NotRequired[float]
    """Of bit lines, um2."""
    dacs_um2: NotRequired[float]
    """Of DACs, um2."""
    multipliers_um2: NotRequired[float]
    """Of multipliers, um2."""
    place_adders_um2: NotRequired[float]
    """Of adders of places, um2."""


@final
class InMemoryFacts(TypedDict):
    """How a layer uses an array that computes in memory."""

    cycles: int
    """Cycles in which the bits of an input enter."""
    activations: float
    """Activations of macros over the whole layer, each of so many cycles."""
    columns: float
    """Columns of a macro in use, on average."""
    rows: float
    """Rows that inputs come down, on average."""
    energy_pj: list[tuple[str, float]]
    """Energy by part of the macros, without precharging: its name, pJ."""


@final
class IterativeOutcome(TypedDict):
    """The outcome of the iterative search (ZigZag, Section IV-D)."""

    best: Solution | None
    """The mapping."""
    partial: int
    """Partial mappings whose energy was computed."""
    evaluated: int
    """Orders of the final blocking that were evaluated."""
    trajectory: Trajectory | None
    """The way of the mapping to its energy."""


LayerFound: TypeAlias = 'BestMapped | ImpossibleLayer'
"""A layer, mapped or not."""


@final
class LevelInformation(TypedDict):
    """One operand at one architecture level."""

    memory: MemoryId | None
    """The memory; `None` for the MAC units."""
    loops: list[TemporalLoop]
    """Temporal loops of the level, innermost first."""
    unrolled: list[tuple[Dim, float]]
    """Loops unrolled over the units of the level, with their average width."""
    unit_size: float
    """Elements that one unit holds."""
    total_size: float
    """Different elements of all units that share one unit of the next higher level."""
    precision_bits: int
    """Bits per element."""
    unit_bits: float
    """Bits that one unit holds at most; of outputs partial sums, while there are any."""
    reserved: Reserved
    """The elements that these bits hold."""
    unit_macs: float
    """MACs that the data of one unit supports, those of units that work on the same data included."""
    total_macs: float
    """MACs that the data of all these units supports."""
    reuse: Reuse
    """Data reuse at the level."""
    shifted: list[TemporalLoop]
    """Loops above the level that shift windows over inputs, as `reuse.with_fifo` counts them."""
    turnaround_cycles: int
    """Cycles for which the data of one unit is used."""
    kept: list[TemporalLoop]
    """Loops above the MAC units for which the array keeps its inputs (`Rules::array_keeps_inputs`): the data lasts for these, too."""
    units: UnitCounts
    """Numbers of units in the array."""
    traffic: Traffic | None
    """Between this level and the next higher one; `None` at the highest."""
    effective_bits: float
    """Bits that one unit needs for the same bandwidth (ZigZag, Section III-C and Fig. 10): its effective memory size. Where a relevant
    loop is outermost, one iteration's part is in use while the next arrives; all else could be gated. The highest level holds the
    whole operand all the time."""
    capacity_bits: int | None
    """Capacity of one unit, bits; `None` for the MAC units."""
    roof: int | None
    """Ratio of the level's capacity to the data that it holds: how much may be added below the roof of ZigZag, Section IV-A. `None` for
    the MAC units, and for operands of 0 bits."""


@final
class LoopEffect(TypedDict):
    """The effect of a loop on accesses: the elements that loops up to this one leave to be fetched from above (ZigZag, Fig. 7a)."""

    dim: Dim
    """The loop, with its average width where it is unrolled."""
    size: float
    """Iterations; fractional where an unrolling does not divide the loop."""
    unrolled: bool
    """Whether it is unrolled."""
    level: int
    """The architecture level it belongs to."""
    accesses: float
    """Elements fetched from above (of outputs: written there) if all loops up to this one were below."""


@final
class LoopInformation(TypedDict):
    """The loop-information table of one mapped layer."""

    macs: int
    """Multiply-accumulates of the layer."""
    active_pes: float
    """PEs that work, on average."""
    temporal_cycles: int
    """Cycles without any stall: the product of all temporal loops."""
    operands: list[OperandInformation]
    """Output first, then the inputs, as in `LayerOnCore::operands`."""


@final
class MappingFound(TypedDict):
    """A mapped layer: energy beside that of its accesses, and cycles, as fields by cause."""

    mapping: TemporalMapping
    """The mapping; loops that only keep an operand stationary are at the lower level."""
    memory_pj: list[list[float]]
    """Energy of all accesses, pJ: per operand and memory level."""
    words: list[list[list[float]]]
    """Full-width words: per operand, memory level and movement, in the order ReadToLow, WriteFromLow, ReadToHigh, WriteFromHigh."""
    accesses: list[Access]
    """Every access behind `words`: per operand, memory and direction, with its cause."""
    double_buffered: list[list[bool]]
    """Whether each memory level is double-buffered, by operand."""
    ports: list[PortBalance]
    """The balance of every port."""
    information: LoopInformation
    """The loop-information table."""
    mac_pj: float
    """Energy of MACs, pJ."""
    vector_pj: float
    """Energy of vector operations, pJ."""
    cycles: CyclesFound
    """Latency by cause, cycles."""


@final
class MappingSpace(TypedDict):
    """Size, extremes and a sample of a mapping space (ZigZag, Section IV, case study 1)."""

    blockings: int
    """Number of blockings that were visited."""
    mappings: int
    """Number of mappings that they stand for: all orders of loops that have the levels end there, each with the energy of its blocking.
    `u64::MAX` stands for that many or more."""
    even_blockings: int
    """Number of even blockings among them."""
    evaluated: int
    """Mappings evaluated one by one, energy and latency."""
    best: Solution | None
    """The mapping of least energy, in the fastest order that was found for its blocking."""
    best_even: Solution | None
    """The even mapping of least energy, in the fastest order that was found for its blocking."""
    most_energy_pj: float
    """The most energy of any mapping, pJ."""
    points: list[SpacePoint]
    """A sample of the mappings, one for each blocking drawn: first uneven ones, then even ones."""
    trajectories: list[Trajectory]
    """Trajectories of the best mapping, of the best even one, then of some of the sample."""
    is_complete: bool
    """Whether all blockings were visited."""


MemoryId: TypeAlias = 'int'
"""A memory of the core, by its place among them, the lowest first."""


@final
class OperandInformation(TypedDict):
    """One operand's part of the table."""

    name: str
    """The operand's name, for people."""
    size: float
    """Elements of the whole operand."""
    reuse: float
    """MACs per element."""
    levels: list[LevelInformation]
    """Architecture levels, lowest first: the MAC units, then the operand's memories."""
    effect: list[LoopEffect]
    """The effect of each loop on accesses, innermost first (ZigZag, Fig. 7a)."""


@final
class OrdersFound(TypedDict):
    """A search through orders of loops."""

    tried: int
    """Mappings, complete or partial, that were looked at."""
    feasible: int
    """Complete mappings that fit."""
    proof: Proof
    """What is proved of better mappings."""
    stopped: StopReason
    """Why the search ended."""


@final
class PrecisionBits(TypedDict):
    """Bits of a weight and of an input."""

    w: int
    """Of a weight."""
    i: int
    """Of an input."""


@final
class ProofGap(TypedDict):
    """The optimality gap: a better mapping, if there is one, scores less by at most this share of the best one."""

    Gap: float


Proof: TypeAlias = 'Literal["None", "Optimal", "OptimalButForTies"] | ProofGap'
"""The proof of a search for the mappings that it did not evaluate."""


@final
class Reserved(TypedDict):
    """The room that a unit reserves for an operand: a number of elements, and their bits."""

    elements: ReservedElements
    """Which elements count."""
    element_bits: int
    """Bits of each: of partial sums while outputs are added to, as the rules see it."""


@final
class ReservedElementsAverage(TypedDict):
    """Counts of the average unit, multiplied in the order of the public tools, as some rules truncate fractions."""

    Average: list[float]


@final
class ReservedElementsRoundedAverage(TypedDict):
    """The same, rounded to the nearest integer (`Rules::round_fractional_amounts`)."""

    RoundedAverage: list[float]


@final
class ReservedElementsFullest(TypedDict):
    """Counts of the fullest unit: unrolled loops rounded up, none longer than the layer's."""

    Fullest: list[int]


ReservedElements: TypeAlias = 'ReservedElementsAverage | ReservedElementsRoundedAverage | ReservedElementsFullest'
"""How the elements that a unit reserves are counted, by the sizes of all loops up to the level."""


@final
class Reuse(TypedDict):
    """Data reuse factors."""

    total: float
    """The product of temporal and spatial reuse."""
    temporal: float
    """By loops in time."""
    spatial: float
    """By unrolled loops."""
    with_fifo: float
    """The total if inputs shift through the units like a FIFO where the loop above allows it."""


@final
class SearchFound(TypedDict):
    """What a search did."""

    seconds: float
    """How long the search took, s."""
    orders: OrdersFound | None
    """The search through orders of loops; null with another strategy."""
    space: MappingSpace | None
    """The walk through all blockings; null with another strategy."""
    iterative: IterativeOutcome | None
    """The search level by level; null with another strategy."""
    front: FrontFound | None
    """The front of energy and latency; null where it was not asked for."""
    constraints: ConstraintCost | None
    """What the constraints cost; null without them."""
    unrollings: UnrollingsFound | None
    """The search for the unrolling of the array; null without it."""


@final
class Solution(TypedDict):
    """A mapping of a problem: a loop order and an allocation, from which its whole cost follows again."""

    order: list[TemporalLoop]
    """Temporal loops, innermost first."""
    allocation: Allocation
    """The loops that each memory level holds."""
    energy_pj: float
    """Its energy, pJ."""
    latency_cycles: int
    """Latency of the mapping, cycles."""


@final
class SpacePoint(TypedDict):
    """A mapping in the space (ZigZag, Fig. 17)."""

    energy_pj: float
    """Its energy, pJ."""
    latency_cycles: int
    """Latency of the mapping, cycles."""
    is_even: bool
    """Whether it is even (`Evenness::Stationary`)."""


@final
class StopReasonTooManyOrders(TypedDict):
    """There are more orders than the limit on them."""

    TooManyOrders: StopReasonTooManyOrdersToomanyorders


@final
class StopReasonTooManyOrdersToomanyorders(TypedDict):
    """One of these."""

    orders: int
    """Number of orders."""
    lpf_limit: int
    """The largest LPF limit that leaves few enough."""


@final
class StopReasonLpfLimitTooLow(TypedDict):
    """There are more loop dimensions than the LPF limit, and the rules forbid to go on."""

    LpfLimitTooLow: StopReasonLpfLimitTooLowLpflimittoolow


@final
class StopReasonLpfLimitTooLowLpflimittoolow(TypedDict):
    """One of these."""

    needed: int
    """The smallest limit that works."""


StopReason: TypeAlias = 'Literal["Exhausted", "OutOfTime", "ToolFailsAtPort", "ToolFailsAtLoading"] | StopReasonTooManyOrders | StopReasonLpfLimitTooLow'
"""Why a search ended."""


@final
class TemporalMapping(TypedDict):
    """A temporal mapping as a person edits it: an order of loops, and for each memory level of each operand the number of loops after
    which it ends."""

    order: list[TemporalLoop]
    """The loops, innermost first."""
    ends: list[list[int]]
    """Output first, then the inputs; lowest level first."""


@final
class Traffic(TypedDict):
    """Traffic between a level and the next higher one over the whole layer, elements."""

    down: float
    """Elements that come down, seen from the higher level. Of partial sums all but the first of every output, as in Fig. 6. (A register
    of its own cannot read back its first sum either, which `LayerEnergy::elements` takes into account where PEs add up in space.)"""
    coming_down: ComingDown
    """The data that comes down."""
    up: float
    """Elements that go up, seen from the higher level."""
    unit: Bandwidth
    """Average bandwidth that one unit of this level needs."""
    above: Bandwidth
    """Average bandwidth that one unit of the next higher level needs for all units below it."""


@final
class Trajectory(TypedDict):
    """One mapping's way to its energy."""

    is_even: bool
    """Whether the operands share their boundaries."""
    start_pj: float
    """Energy of all memory accesses before any loop is placed, pJ."""
    steps: list[TrajectoryStep]
    """Its loops, innermost first."""


@final
class TrajectoryStep(TypedDict):
    """A loop that is placed."""

    next: TemporalLoop
    """The loop."""
    memory_pj: float
    """Energy of all memory accesses, pJ, if the loops up to this one lie where the mapping has them, and all further ones at the highest
    memory."""


@final
class UnitCounts(TypedDict):
    """Unit counts of the whole array."""

    total: float
    """Units at this level, those that hold the same data included."""
    unique: float
    """Units that hold different data."""
    duplicate: float
    """Units that hold the same data as another one."""


@final
class UnrollingsFound(TypedDict):
    """A search for the unrolling of the array."""

    legal: int
    """Number of different unrollings that the array and the options allow."""
    searched: int
    """Those searched."""
    feasible: int
    """Those that have a mapping."""
    cannot_be_better: int
    """Those left out, as a bound proves them no better."""
    proof: Proof
    """What is proved of better ones."""


@final
class WindowCount(TypedDict):
    """The number of input columns or rows that the windows along one axis touch: with fractional sizes, averages of unrollings that do
    not divide."""

    outputs: Dim
    """The loop over windows."""
    kernel: Dim
    """The loop within a window."""
    stride: int
    """Input columns or rows from one window to the next."""
    dilation: int
    """Input columns or rows from one element of a window to the next."""
    cuts_sizes: bool
    """Whether fractional sizes of both loops are truncated first (`Rules::truncate_fractional_windows`)."""
    cuts_extent: bool
    """Whether the resulting extent is truncated (`Rules::truncate_fractional_extents`)."""
    overcounts: bool
    """Whether the overlap of fewer windows than the dilation is counted as negative (`Rules::few_dilated_windows_overcounted`)."""
    at_most: int | None
    """Number of existing columns or rows, beyond which none count; `None` where padding counts, too
    (`Rules::input_beyond_border_counted`)."""
