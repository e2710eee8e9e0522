"""Types that reports of several kinds have: made of docs/schema by `make schema`."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict, final


Dim: TypeAlias = 'Literal["B", "G", "K", "C", "OY", "OX", "FY", "FX"]'
"""A loop dimension of a layer."""


@final
class EstimatedMemory(TypedDict):
    """A memory with a figure that an estimator stands for."""

    memory: str
    """Its name."""
    estimator: str
    """What the figures are by, such as `sram-28nm`."""
    read_energy: bool
    """Whether the energy of reading is an estimate."""
    write_energy: bool
    """Whether the energy of writing is an estimate."""
    area: bool
    """Whether the area is an estimate."""


@final
class FuseDepthCuts(TypedDict):
    """A stack ends after each of these layers."""

    Cuts: list[str]


FuseDepth: TypeAlias = 'Literal["Automatic", "SingleLayer", "LayerByLayer"] | FuseDepthCuts'
"""Which layers share a stack (DeFiNES, Section II, third axis)."""


LayerKind: TypeAlias = 'Literal["Input", "View", "Conv", "Pointwise", "Depthwise", "Pooling", "FullyConnected", "MatMul", "Add", "Reduction", "Elementwise", "Pairwise"]'
"""Type of a layer: which loops it has, and how its operands are indexed."""


@final
class LayerShape(TypedDict):
    """The loop nest of one layer or layer-tile: all that mapping and cost need to know of it."""

    kind: LayerKind
    """Type of the layer."""
    sizes: list[int]
    """Loop sizes."""
    dim_order: list[Dim]
    """The dimensions in the order that decides ties when loop prime factors are merged."""
    stride: tuple[int, int]
    """Steps of the window: columns, rows."""
    dilation: tuple[int, int]
    """Distance of neighbouring kernel elements: columns, rows."""
    input_limit: tuple[int, int]
    """Columns and rows of the input that windows touch: at a padded border, and where windows leave some out, fewer than they span."""
    untouched: tuple[int, int]
    """Limits on the columns and rows that the tools count beyond `input_limit`: existing ones that no window touches, or those that a
    document states as counted (`Rules::untouched_input_counted`)."""
    precision: Precision
    """Bits per element, as memories hold it."""
    sparsity: Sparsity | None
    """Savings by zeros; `None` where none are stated."""
    operations: Operations
    """Operations of a vector unit in each iteration of the loops."""


@final
class LinkBalance(TypedDict):
    """One link's balance, as if it had the port to itself."""

    operand: str
    """Name of the operand that it carries."""
    movement: Movement
    """The data movement."""
    needed_cycles: int
    """Cycles it needs, per period."""
    allowed_cycles: int
    """Cycles in which it may work, per period."""
    period: int
    """Cycles of computation between two transfers."""
    count: int
    """Number of transfers."""
    cycles: int
    """Stall cycles over the whole layer; negative: slack. The first transfer counts as loading."""


@final
class ListedStacksup_to(TypedDict):
    """All of at most this many layers, and longer ones that were given."""

    up_to: int


ListedStacks: TypeAlias = 'Literal["all", "given"] | ListedStacksup_to'
"""Which stacks of a network are listed."""


@final
class MadeBy(TypedDict):
    """What wrote a report."""

    program: Literal["fusescape"]
    """`fusescape`."""
    version: str
    """Version of the program."""
    commit: str | None
    """Commit that the program was built from; null where it was built outside of git."""


Movement: TypeAlias = 'Literal["ReadToLow", "WriteFromLow", "ReadToHigh", "WriteFromHigh"]'
"""The four data movements at a memory, for each operand it holds (ZigZag, Section IV)."""


@final
class ObjectiveMemoryAccesses(TypedDict):
    """Words read from and written to the named memory."""

    MemoryAccesses: str


@final
class ObjectiveWeighted(TypedDict):
    """A weighted sum."""

    Weighted: Weights


Objective: TypeAlias = 'Literal["Energy", "Latency", "EnergyDelayProduct", "DramAccesses"] | ObjectiveMemoryAccesses | ObjectiveWeighted'
"""The score that a search minimises."""


Operand: TypeAlias = 'Literal["W", "I", "O"]'
"""The operand as which a memory holds data of a layer. Both inputs of an elementwise addition are stored as `I`."""


Operations: TypeAlias = 'list[int]'
"""Number of each operation in an iteration of a layer's loops."""


@final
class PortBalance(TypedDict):
    """One port's balance over the whole layer."""

    memory: str
    """Name of the memory."""
    port: str
    """Name of the port."""
    cycles: int
    """Cycles that the array waits for it; negative: cycles in which it could carry more."""
    links: list[LinkBalance]
    """The links that it serves and that carry something."""
    sharing_cycles: int
    """Cycles that the links wait for each other, beyond their own stalls: the cycles that all of them need within the time that they
    have, less `open_cycles`; 0 where that is negative."""
    open_cycles: int
    """Cycles of the whole layer in which at least one of the links may work."""


@final
class Power(TypedDict):
    """Time, energy and power of some work on a core whose clock is stated."""

    clock_mhz: float
    """The clock, MHz."""
    leakage_pj_per_cycle: float
    """Energy that leaks in a cycle, pJ."""
    seconds: float
    """Duration of the work, s."""
    leakage_pj: float
    """Energy that leaks during that time, pJ."""
    total_pj: float
    """Energy of the work and of leakage, pJ."""
    watts: float
    """Mean power, W."""
    tops: float
    """Operations per second, in 10^12: a multiply-accumulate is two."""
    tops_per_watt: float
    """Operations per joule, in 10^12."""


@final
class Precision(TypedDict):
    """Bits per element."""

    w: int
    """Weights; of a layer that reads two maps the second one, where it has other bits than the first; else 0 for layers that have none."""
    i: int
    """Inputs."""
    o_partial: int
    """Partial sums."""
    o: int
    """Finished outputs."""


Rules: TypeAlias = 'dict[str, bool]'
"""Rules of the model by name: true where the model does as a published tool does, false where it does what is right. src/model/rules.rs
lists them."""


@final
class Settings(TypedDict):
    """The points of a sweep, and their objective."""

    tiles_x: list[int]
    """Tile widths, columns of the last feature map; a width beyond the map means the whole map."""
    tiles_y: list[int]
    """Tile heights, rows."""
    modes: list[StoringMode]
    """Overlap storing modes."""
    fuse: list[FuseDepth]
    """Fuse depths."""
    objective: Objective
    """The objective that is minimised."""
    strategy: Strategy
    """How the best mapping of every layer-tile is searched."""
    lpf_limit: int
    """LPF limit, of strategies that try orders."""
    rules: Rules
    """Rules of the model."""


@final
class Sparsity(TypedDict):
    """An approximation of the savings by zeros (cf. `Sparsity::new`): compressed data is smaller, and an operation with a zero takes no
    energy."""

    w_bits: int
    """Bits of a weight as the array computes with it."""
    i_bits: int
    """Bits of an input as the array computes with it."""
    active_ppm: int
    """Multiply-accumulates without a zero, of a million."""


@final
class Stack(TypedDict):
    """One fused stack as it runs."""

    layers: list[str]
    """Layers of the stack, by name."""
    mode: Literal["fully-recompute", "h-cached-v-recompute", "fully-cached"]
    """Overlap storing mode: `fully-recompute`, `h-cached-v-recompute` or `fully-cached`."""
    tile_x_columns: int
    """Width of a tile of the last feature map, columns."""
    tile_y_rows: int
    """Height of a tile of the last feature map, rows."""
    tiles: int
    """Number of tiles."""
    energy_pj: float
    """Energy, pJ."""
    latency_cycles: int
    """Stalls included, cycles."""
    dram_words: float
    """Accesses to the highest memory, full words."""
    score: float
    """What is minimised, in the units of the objective."""


StoringMode: TypeAlias = 'Literal["FullyRecompute", "HCachedVRecompute", "FullyCached"]'
"""The treatment of the features that neighbouring tiles share (DeFiNES, Fig. 3)."""


Strategy: TypeAlias = 'Literal["Loma", "Exact"]'
"""A search strategy."""


@final
class TemporalLoop(TypedDict):
    """An atomic piece of a temporal loop: a loop prime factor, or several of one dimension merged."""

    dim: Dim
    """The loop dimension it is a piece of."""
    size: int
    """Number of iterations, at least 2."""


@final
class Weights(TypedDict):
    """Weights of a sum of objectives."""

    energy: float
    """Per pJ."""
    latency: float
    """Per cycle."""
    dram_accesses: float
    """Per word read from or written to DRAM."""
