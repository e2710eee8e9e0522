"""What is in a report of this kind: made of docs/schema/fuse-1.json by `make schema`."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict, final

from .shared import (
    FuseDepth as FuseDepth,
    ListedStacks as ListedStacks,
    MadeBy as MadeBy,
    Objective as Objective,
    Rules as Rules,
    Settings as Settings,
    Stack as Stack,
    StoringMode as StoringMode,
    Strategy as Strategy,
    Weights as Weights,
)


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
    """One entry per method of choosing layers."""


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
    """Time of the whole network, cycles."""
    dram_words: float
    """Accesses to the highest memory, full words."""
    stacks: list[Stack]
    """Stacks as they run by the whole model, each with its best tile and mode."""


@final
class ImpossibleMethod(TypedDict):
    """A method that has no result."""

    method: str
    """Name of the method."""
    impossible: list[str]
    """Why there is no result: reasons, each with a remedy."""


Method: TypeAlias = 'ChosenGroups | ImpossibleMethod'
"""A method, and what it chooses."""
