"""Options of commands as the compiled half takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class SweepOptions(TypedDict):
    """Of sweeps, and of stacks where they are searched for."""

    tiles: tuple[Sequence[int], Sequence[int]]
    modes: Sequence[str]
    stacks: str | Sequence[str]
    objective: str
    strategy: str
    lpf_limit: int
    rules: str
    most_layers: int | None
    most_tiles: int | None


class MapOptions(TypedDict):
    """Of single layers."""

    layers: Sequence[str]
    mapping: str | None
    constraints: str | None
    strategy: str
    unroll: str
    hints: dict[str, Sequence[str]]
    loops_per_dimension: int
    lpf_limit: int | None
    seconds: float | None
    min_utilization: float
    objective: str
    rules: str


class HierarchyOptions(TypedDict):
    """Of memory hierarchies."""

    layers: Sequence[str]
    budget_um2: float | None
    max_levels: int
    min_ratio: int
    all_widths: bool
    everything: bool
    only_best: bool
    objective: str
    strategy: str
    lpf_limit: int
    rules: str


class AttentionOptions(TypedDict):
    """Of a step of a transformer."""

    tokens: int
    cached: int
    batch: int
    sees_itself: bool
    bits: str
    objective: str
    generate: int | None
    chunk: int | None


class CoresOptions(TypedDict):
    """Of many cores."""

    tiles: str
    stacks: str | Sequence[str]
    allocation: str
    order: str
    improve: bool
    individuals: int
    generations: int
    seed: int
    objective: str
    scheduler: str
    prefetch_weights: bool
    strategy: str
    lpf_limit: int
    rules: str
