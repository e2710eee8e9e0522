"""What is in a report of this kind: made of docs/schema/fuse-1.json by `make schema`."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict, final


@final
class Report(TypedDict):
    """What `fusescape fuse --format json` prints: methods to choose the layers that run together, judged by one model."""

    schema: Literal["fusescape/fuse/1"]
    """This schema: its kind and version."""
    made_by: MadeBy
    """The program that wrote this."""
    hardware: str
    """Name of the core, as its document has it."""
    workload: str
    """Name of the network, as its document has it."""
    settings: Settings
    """What was explored."""
    optimus_buffer_bytes: int
    """Buffer that the model of Optimus sees, bytes."""
    optimus_oracle_bytes: int | None
    """Fewest DRAM accesses of any groups by the model of Optimus, bytes; null where that is unknown."""
    proved_among: ListedStacks
    """Stacks that the jointly optimal ones are proved to be the best of: all within the limits; all of at most so many layers and those
    that other methods choose; or those alone."""
    stacks_considered: int
    """Number of different stacks that were considered."""
    methods: list[Method]
    """The methods."""


@final
class ChosenGroups(TypedDict):
    """What a method chooses, priced by the whole model."""

    method: str
    """Name of the method."""
    groups: list[list[str]]
    """Layers that the method runs together, by name."""
    optimus_dram_bytes: int | None
    """DRAM accesses by the model of Optimus, bytes; null where its buffer does not hold a group."""
    energy_pj: float
    """Energy, pJ."""
    latency_cycles: int
    """Latency, cycles."""
    dram_words: float
    """Accesses to the highest memory, full words."""
    stacks: list[Stack]
    """Stacks as they run by the whole model, each with its best tile and mode."""


@final
class FuseDepthCuts(TypedDict):
    """A stack ends after each of these layers."""

    Cuts: list[str]


FuseDepth: TypeAlias = 'Literal["Automatic", "SingleLayer", "LayerByLayer"] | FuseDepthCuts'
"""Which layers share a stack (DeFiNES, Section II, third axis)."""


@final
class ImpossibleMethod(TypedDict):
    """A method that has no result."""

    method: str
    """Name of the method."""
    impossible: list[str]
    """Why there is no result: reasons, each with a remedy."""


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


Method: TypeAlias = 'ChosenGroups | ImpossibleMethod'
"""A method, and what it chooses."""


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
