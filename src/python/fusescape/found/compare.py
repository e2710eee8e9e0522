"""What is in a report of this kind: made of docs/schema/compare-1.json by `make schema`."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict, final

from .shared import (
    MadeBy as MadeBy,
    Objective as Objective,
    Weights as Weights,
)


@final
class Report(TypedDict):
    """What `fusescape compare --format json` prints: several cores and networks, each pair with its best depth-first schedule. Units
    stand in the names of fields: pj picojoules, cycles clock cycles."""

    schema: Literal["fusescape/compare/1"]
    """This schema: its kind and version."""
    made_by: MadeBy
    """The program that wrote this."""
    objective: Objective
    """What is minimised."""
    designs: list[Design]
    """Every pair, network by network, cores in the order in which they were asked for."""


Design: TypeAlias = 'ScheduledDesign | ImpossibleDesign'
"""A core and a network."""


@final
class ImpossibleDesign(TypedDict):
    """A design that has no schedule."""

    hardware: str
    """Preset or file of the core, as asked for."""
    workload: str
    """Preset or file of the network, as asked for."""
    impossible: str
    """Why it has no schedule."""


@final
class ScheduledDesign(TypedDict):
    """A design with its best schedule."""

    hardware: str
    """Preset or file of the core, as asked for."""
    workload: str
    """Preset or file of the network, as asked for."""
    energy_pj: float
    """Energy, pJ."""
    latency_cycles: int
    """Time of the whole network, cycles."""
    score: float
    """What is minimised, in the units of the objective."""
    stacks: int
    """Number of stacks."""
    cuts: str
    """Stacks, as --stacks takes them."""
