"""What is in a report of this kind: made of docs/schema/hierarchy-1.json by `make schema`."""

from __future__ import annotations

from typing import Literal, TypedDict, final

from .shared import (
    MadeBy as MadeBy,
)


@final
class Report(TypedDict):
    """What `fusescape hierarchy --format json` prints: memory hierarchies generated from a pool (ZigZag, Section V)."""

    schema: Literal["fusescape/hierarchy/1"]
    """This schema: its kind and version."""
    made_by: MadeBy
    """The program that wrote this."""
    counts: ExplorationCounts
    """Numbers of hierarchies by state."""
    seconds: float
    """How long the search took, s."""
    best: Hierarchy
    """The best hierarchy by the objective."""
    best_layers: list[EqualLayers]
    """What each different layer costs on the best hierarchy."""
    front: list[Hierarchy]
    """Hierarchies that none beats in energy, latency and area alike."""


@final
class EqualLayers(TypedDict):
    """Layers that are equal, and so cost the same."""

    title: str
    """Names of the layers."""
    count: int
    """Number of equal layers."""
    energy_pj: float
    """Energy of one of them, pJ."""
    latency_cycles: int
    """Latency of one of them, cycles."""


@final
class ExplorationCounts(TypedDict):
    """Numbers of hierarchies by state."""

    generated: int
    """Hierarchies that were generated."""
    bounded: int
    """Hierarchies with a lower bound, or known to be infeasible."""
    searched: int
    """Hierarchies that were searched to the end."""
    unproved: int
    """Number of these that may have a better mapping, as their search reached a limit or proves nothing."""
    pruned: int
    """Hierarchies that were pruned, as a point of the front dominates their lower bound."""
    infeasible: int
    """Infeasible hierarchies: some layer has no mapping."""


@final
class Hierarchy(TypedDict):
    """A memory hierarchy, and what the network costs on it."""

    name: str
    """Its memories."""
    energy_pj: float
    """Energy, pJ."""
    latency_cycles: int
    """Sum over all layers, cycles."""
    area_um2: float
    """Area of all that has a stated area, um2."""
    estimated: bool
    """Whether some figure comes from a fit to published ones."""
