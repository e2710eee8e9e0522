"""What is in a report of this kind: made of docs/schema/optimal-1.json by `make schema`."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict, final


@final
class Report(TypedDict):
    """What `fusescape depth-first --stacks optimal --format json` prints: stacks, tile sizes and modes that are jointly optimal."""

    schema: Literal["fusescape/optimal/1"]
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
    energy_pj: float
    """Energy, pJ."""
    latency_cycles: int
    """Latency, cycles."""
    score: float
    """What is minimised, in the units of the objective."""
    power: Power | None
    """Time, power and leakage; null where no clock is stated."""
    cuts: str
    """Stacks, as --stacks takes them."""
    stacks: list[Stack]
    """The stacks in the order in which they run."""
    proved_among: ListedStacks
    """Stacks that the jointly optimal ones are proved to be the best of: all within the limits; all of at most so many layers and those
    that other methods choose; or those alone."""
    stacks_considered: int
    """Number of different stacks that were considered."""
    ways_to_cut: str
    """Number of ways to cut the network into these stacks, as decimal digits, for it may exceed 2^64."""
    strategies: int
    """Number of stacks times their tile sizes and storing modes: all that were compared."""
    strategies_ruled_out_by_bounds: int
    """Of these strategies, those that were not planned, as a lower bound proves another one of the stack better."""
    mapping_problems_searched: int
    """Number of mapping problems that were searched."""


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


@final
class ListedStacksup_to(TypedDict):
    """All of at most so many layers, and longer ones that were given."""

    up_to: int


ListedStacks: TypeAlias = 'Literal["all", "given"] | ListedStacksup_to'
"""Which stacks of a network are listed."""


@final
class MadeBy(TypedDict):
    """What wrote a report."""

    program: Literal["fusescape"]
    """The program."""
    version: str
    """Version of the program."""
    commit: str | None
    """Commit that the program was built from; null where it was built outside of git."""


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


@final
class Power(TypedDict):
    """What some work takes on a core whose clock is stated."""

    clock_mhz: float
    """The clock, MHz."""
    leakage_pj_per_cycle: float
    """Energy that leaks in a cycle, pJ."""
    seconds: float
    """How long the work takes, s."""
    leakage_pj: float
    """Energy that leaks meanwhile, pJ."""
    total_pj: float
    """With the energy of what is done, pJ."""
    watts: float
    """Mean power, W."""
    tops: float
    """Operations a second, 10^12: a multiply-accumulate is two."""
    tops_per_watt: float
    """Operations a joule, 10^12."""


Rules: TypeAlias = 'dict[str, bool]'
"""Rules of the model by name: true where the model does as a published tool does, false where it does what is right. src/model/rules.rs
lists them."""


@final
class Settings(TypedDict):
    """What to sweep, and how."""

    tiles_x: list[int]
    """Tile widths, columns of the last feature map; a width beyond the map means the whole map."""
    tiles_y: list[int]
    """Tile heights, rows."""
    modes: list[StoringMode]
    """Overlap storing modes."""
    fuse: list[FuseDepth]
    """Fuse depths."""
    objective: Objective
    """What is minimised."""
    strategy: Strategy
    """How the best mapping of every layer-tile is searched."""
    lpf_limit: int
    """LPF limit, of strategies that try orders."""
    rules: Rules
    """Rules of the model."""


@final
class Stack(TypedDict):
    """One fused stack as it runs."""

    layers: list[str]
    """Layers of the stack, by name."""
    mode: Literal["fully-recompute", "h-cached-v-recompute", "fully-cached"]
    """Overlap storing mode."""
    tile_x_columns: int
    """Width of a tile of the last feature map, columns."""
    tile_y_rows: int
    """Height of a tile of the last feature map, rows."""
    tiles: int
    """Number of tiles."""
    energy_pj: float
    """Energy, pJ."""
    latency_cycles: int
    """Latency, cycles."""
    dram_words: float
    """Accesses to the highest memory, full words."""
    score: float
    """What is minimised, in the units of the objective."""


StoringMode: TypeAlias = 'Literal["FullyRecompute", "HCachedVRecompute", "FullyCached"]'
"""What happens to the features that neighbouring tiles share (DeFiNES, Fig. 3)."""


Strategy: TypeAlias = 'Literal["Loma", "Exact"]'
"""A search strategy."""


@final
class Weights(TypedDict):
    """Weights of a sum of objectives."""

    energy: float
    """Per pJ."""
    latency: float
    """Per cycle."""
    dram_accesses: float
    """Per word read from or written to DRAM."""
