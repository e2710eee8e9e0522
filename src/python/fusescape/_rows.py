"""Rows of results: made of docs/schema by `make schema`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Tile(NamedTuple):
    """The size of a tile: columns and rows of the last feature map of a stack."""

    columns: int
    rows: int


@dataclass(frozen=True)
class Power:
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


@dataclass(frozen=True)
class Point:
    """A schedule, and what it costs."""

    mode: str
    """Overlap storing mode: `fully-recompute`, `h-cached-v-recompute` or `fully-cached`."""
    tile: Tile | None
    """Columns and rows of a tile of the last feature map; ``None``: the whole map."""
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
    energy: Mapping[str, float]
    """Energy by cause, pJ."""
    latency: Mapping[str, float]
    """Latency by cause, cycles."""
    power: Power | None
    """Time, power and leakage; null where no clock is stated."""


@dataclass(frozen=True)
class ImpossiblePoint:
    """A schedule that cannot be."""

    mode: str
    """Overlap storing mode: `fully-recompute`, `h-cached-v-recompute` or `fully-cached`."""
    tile: Tile | None
    """Columns and rows of a tile of the last feature map; ``None``: the whole map."""
    stacks: str
    """Who chose the stacks, or the layers after which one ends, as --stacks takes them."""
    reasons: tuple[str, ...]
    """Why there is no result: reasons, each with a remedy."""


@dataclass(frozen=True)
class Stack:
    """One fused stack as it runs."""

    layers: tuple[str, ...]
    """Layers of the stack, by name."""
    mode: str
    """Overlap storing mode: `fully-recompute`, `h-cached-v-recompute` or `fully-cached`."""
    tile: Tile | None
    """Columns and rows of a tile of the last feature map; ``None``: the whole map."""
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


@dataclass(frozen=True)
class Fusion:
    """What a method chooses, priced by the whole model."""

    method: str
    """Name of the method."""
    groups: tuple[tuple[str, ...], ...]
    """Layers that the method runs together, by name."""
    optimus_dram_bytes: int | None
    """DRAM accesses by the model of Optimus, bytes; null where its buffer does not hold a group."""
    energy_pj: float
    """Energy, pJ."""
    latency_cycles: int
    """Time of the whole network, cycles."""
    dram_words: float
    """Accesses to the highest memory, full words."""
    stacks: tuple[Stack, ...] = field(repr=False)
    """Stacks as they run by the whole model, each with its best tile and mode."""


@dataclass(frozen=True)
class Hierarchy:
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


@dataclass(frozen=True)
class SingleCore:
    """A core that computes all layers alone."""

    core: str
    """As in the system's document."""
    tile_size: str
    """Size of its tiles, as `--tiles` takes it."""
    latency_cycles: float
    """Time of the whole network on this core, cycles."""
    energy_pj: float
    """Its energy, pJ."""
    speed_up: float
    """Its latency divided by that of the schedule."""


@dataclass(frozen=True)
class StepCost:
    """What a step costs, of all layers and sequences."""

    energy_pj: float
    """Energy, pJ."""
    energy: Mapping[str, float]
    """Energy by cause, pJ."""
    latency_cycles: int
    """Whole cycles of the accelerator's clock."""
    dram_bits: int
    """Bits read from DRAM plus bits written to it, all tensors."""
    weight_bits: int
    """Bits of weights among those read from DRAM."""
    macs: int
    """Multiply-accumulates."""


@dataclass(frozen=True)
class DividedStep:
    """What a step of all layers costs, divided among cores."""

    split: Mapping[str, int]
    """The number of parts of each dimension: `sequences`, `heads`, `queries`, `keys` and `layers`."""
    energy_pj: float
    """Energy, links included, pJ."""
    energy: Mapping[str, float] = field(repr=False)
    """Energy by cause, pJ."""
    link_energy_pj: float
    """Energy of the transfers between cores, pJ."""
    latency_cycles: int
    """Latency of a step by itself, cycles."""
    interval_cycles: int
    """Time between the ends of two steps where each group of layers works on its own, cycles."""
    link_cycles: int
    """Part of the latency in which cores send and add up, cycles."""
    link_bits: int
    """Bits that cores send each other."""
    dram_bits: int
    """Bits read from DRAM plus bits written to it, all tensors."""
    macs: int
    """Multiply-accumulates."""
    cache_bytes_of_a_core: float
    """Bytes of keys and values of all layers that belong to a core: the largest part."""
    keys_in: str
    """The place of keys and values: DRAM, layer (on the chip, those of one layer) or cache (on the chip, those of all layers)."""
