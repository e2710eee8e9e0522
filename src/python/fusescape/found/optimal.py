"""What is in a report of this kind: made of docs/schema/optimal-1.json by `make schema`."""

from __future__ import annotations

from typing import Literal, TypedDict, final

from .shared import (
    EstimatedMemory as EstimatedMemory,
    FuseDepth as FuseDepth,
    ListedStacks as ListedStacks,
    MadeBy as MadeBy,
    Objective as Objective,
    Power as Power,
    Rules as Rules,
    Settings as Settings,
    Stack as Stack,
    StoringMode as StoringMode,
    Strategy as Strategy,
    Weights as Weights,
)


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
    """Stalls included, cycles."""
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
