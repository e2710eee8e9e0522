"""Options of commands: made of docs/options.json by `make schema`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict


Bits: TypeAlias = 'int | Mapping[str, int]'
"""Bits of all elements, or of each kind."""


LayerSearch: TypeAlias = 'Literal["exact", "loma", "exhaustive", "heuristic", "iterative"]'
"""How the best mapping of a layer is searched: for any objective, or for the least energy (ZigZag)."""


Mode: TypeAlias = 'Literal["fully-recompute", "h-cached-v-recompute", "fully-cached"]'
"""Overlap storing mode (DeFiNES, Section III): recompute all overlap, cache that of columns, or cache all."""


Order: TypeAlias = 'Literal["best", "deepest", "slots", "earliest"]'
"""Which tile is next."""


RuleSet: TypeAlias = 'Literal["corrected", "defines-2022", "zigzag-3.8", "zigzag-3.9"]'
"""What is right, or what a published tool does, defects included."""


ScheduleObjective: TypeAlias = 'Literal["latency", "energy", "edp"]'
"""What a schedule on many cores minimises."""


Scheduler: TypeAlias = 'Literal["corrected", "stream-2024", "stream-2023"]'
"""Rules of the scheduler: what is right, or those of the public tool."""


Search: TypeAlias = 'Literal["exact", "loma"]'
"""How the best mapping is searched: proved, or among orders of loop prime factors (ZigZag's LOMA)."""


StepObjective: TypeAlias = 'Literal["energy", "latency", "edp"]'
"""What a step of a transformer minimises."""


TextOrCores: TypeAlias = 'str | Mapping[str, Sequence[str]]'
"""A text, or the cores of each layer."""


TextOrNumber: TypeAlias = 'str | int'
"""A text, or a number."""


Unrolling: TypeAlias = 'Literal["stated", "search"]'
"""The unrolling of the documents, or the best of all legal ones."""


class EvaluateOptions(TypedDict, total=False):
    """
    :param lpf_limit: At most so many loop prime factors are ordered [default: 6]
    :param objective: What to minimise: energy, latency, edp, dram-accesses, accesses:MEMORY or weighted:energy=A,latency=B,dram-accesses=C
        (per pJ, cycle, word) [default: energy]
    :param rules: Rules of the model: what is right, or what the published tool does [default: corrected]
    :param stacks: Which layers are fused: auto (DeFiNES' rule), single-layer, layer-by-layer, or names of layers after which a stack ends
        [default: auto]
    :param strategy: How to search for the loop order and its division among the memories [default: exact]
    """

    lpf_limit: int | None
    objective: str | None
    rules: RuleSet | None
    stacks: str | Sequence[str] | None
    strategy: Search | None


class SweepOptions(TypedDict, total=False):
    """
    :param lpf_limit: At most so many loop prime factors are ordered [default: 6]
    :param modes: Overlap storing modes; all three where none is named
    :param objective: What to minimise: energy, latency, edp, dram-accesses, accesses:MEMORY or weighted:energy=A,latency=B,dram-accesses=C
        (per pJ, cycle, word) [default: energy]
    :param rules: Rules of the model: what is right, or what the published tool does [default: corrected]
    :param stacks: Which layers are fused: auto (DeFiNES' rule), single-layer, layer-by-layer, or names of layers after which a stack ends
        [default: auto]
    :param strategy: How to search for the loop order and its division among the memories [default: exact]
    :param tiles: Widths (columns) and heights (rows) of tiles of the last feature map [default: a few]
    """

    lpf_limit: int | None
    modes: Sequence[Mode] | None
    objective: str | None
    rules: RuleSet | None
    stacks: str | Sequence[str] | None
    strategy: Search | None
    tiles: tuple[Sequence[int], Sequence[int]] | None


class StackOptions(TypedDict, total=False):
    """
    :param lpf_limit: At most so many loop prime factors are ordered [default: 6]
    :param modes: Overlap storing modes; all three where none is named
    :param most_layers: Where stacks are searched for: at most so many layers in one
    :param most_tiles: Where stacks are searched for: at most so many tiles in one
    :param objective: What to minimise: energy, latency, edp, dram-accesses, accesses:MEMORY or weighted:energy=A,latency=B,dram-accesses=C
        (per pJ, cycle, word) [default: energy]
    :param rules: Rules of the model: what is right, or what the published tool does [default: corrected]
    :param strategy: How to search for the loop order and its division among the memories [default: exact]
    :param tiles: Widths (columns) and heights (rows) of tiles of the last feature map [default: a few]
    """

    lpf_limit: int | None
    modes: Sequence[Mode] | None
    most_layers: int | None
    most_tiles: int | None
    objective: str | None
    rules: RuleSet | None
    strategy: Search | None
    tiles: tuple[Sequence[int], Sequence[int]] | None


class LayerOptions(TypedDict, total=False):
    """
    :param constraints: With `strategy: exact` or `loma`: text of a document of the mappings to search
    :param front: Also find the front of energy and latency: every mapping that no other one beats in both
    :param hints: With `unroll: search`: the loops that a dimension of the array may unroll, by its name
    :param loops_per_dimension: With `unroll: search`: at most so many different loops on one dimension of the array [default: 3]
    :param lpf_limit: At most so many loop prime factors, where the strategy has such a limit [default: 6 with loma, else 8]
    :param mapping: Text of a document of mappings, which are priced instead of searched
    :param min_utilization: With `strategy: exhaustive` or `heuristic`: how full a memory is that operands share, at least, unless it holds
        all [default: 0.0]
    :param objective: What to minimise: energy, latency, edp, dram-accesses, accesses:MEMORY or weighted:energy=A,latency=B,dram-accesses=C
        (per pJ, cycle, word) [default: energy]
    :param rules: Rules of the model: what is right, or what a published tool does [default: corrected]
    :param seconds: With `strategy: exact` or `loma`: search each layer until its best mapping is proved, but no longer than this [default:
        until a fixed number of partial mappings is looked at]
    :param strategy: How to search for the loop order and its division among the memories: loma; or, for the least energy, as ZigZag does:
        exhaustive (all blockings, even and uneven), heuristic, iterative [default: exact]
    :param unroll: Which loops the array unrolls: those of the documents, or the best of all that are legal [default: stated]
    """

    constraints: str | None
    front: bool | None
    hints: Mapping[str, Sequence[str]] | None
    loops_per_dimension: int | None
    lpf_limit: int | None
    mapping: str | None
    min_utilization: float | None
    objective: str | None
    rules: RuleSet | None
    seconds: float | None
    strategy: LayerSearch | None
    unroll: Unrolling | None


class HierarchyOptions(TypedDict, total=False):
    """
    :param all_widths: Try every word width of every memory, not only the fitting one
    :param budget_um2: Largest area of all that has a stated area, um2 [default: no limit]
    :param everything: Search every hierarchy, also those that are known to be beaten
    :param layers: Only these layers [default: the whole network]
    :param lpf_limit: With `strategy: loma`: orders of at most so many loop prime factors [default: 6]
    :param max_levels: At most so many memories of one operand below the highest [default: 2]
    :param min_ratio: A memory is at least so many times as large as the one below it [default: 8]
    :param objective: What to minimise: energy, latency or edp [default: energy]
    :param only_best: Only the best hierarchy by the objective, not the trade-offs: decides far more hierarchies in the same time
    :param rules: Rules of the model: what is right, or what a published tool does [default: corrected]
    :param strategy: How to search the mapping of each layer [default: exact]
    """

    all_widths: bool | None
    budget_um2: float | None
    everything: bool | None
    layers: Sequence[str] | None
    lpf_limit: int | None
    max_levels: int | None
    min_ratio: int | None
    objective: str | None
    only_best: bool | None
    rules: RuleSet | None
    strategy: Search | None


class CoresOptions(TypedDict, total=False):
    """
    :param allocation: Who computes what: best (for each stack the fastest if nothing had to travel, proved where the search ends), genetic,
        a core for all layers that it runs, or "layer: core, core; layer: core" [default: best]
    :param generations: With `allocation: genetic`: generations after the first, up to 10000 [default: 16]
    :param improve: Then give layers other cores, one after the other, as long as that makes the schedule better
    :param individuals: With `allocation: genetic`: individuals of a generation, 2 to 1000 [default: 16]
    :param lpf_limit: LOMA orders at most so many loop prime factors [default: 6]
    :param objective: What to minimise: latency, energy or edp. Tiles are mapped for the same (those that stream from DRAM for edp instead
        of latency); with the schedulers of the public tool always for latency [default: latency]
    :param order: Which tile is next: best (whichever of these makes the better schedule), deepest (of the last layer that can be computed),
        slots (as the search for the best allocation has it), earliest (which could start first) [default: best]
    :param prefetch_weights: Bring weights to their cores before anything else
    :param rules: Rules of the model of one core: what is right, or what a published tool does [default: corrected]
    :param scheduler: Rules of the scheduler: corrected, or those of the public tool: stream-2024 (transfers as early as possible),
        stream-2023 (as late) [default: corrected]
    :param seed: With `allocation: genetic`: seed of all random choices [default: 1]
    :param stacks: Layer stacks, each of which runs fused, tile by tile: automatic (as many layers as have weights that fit on the chip),
        one, each-layer, or names of layers after which a stack ends, separated by commas [default: automatic]
    :param strategy: How to search the mapping of each tile [default: exact]
    :param tiles: How large computation tiles are: best (the best size that a search finds, over rows, columns, output channels, and
        stacks), so many rows, layer-by-layer, or sizes or pieces of loops as in "rows 4, columns 60; stack 2: rows 8" or "OY 14, OX 2;
        conv1: K 4" [default: best]
    """

    allocation: TextOrCores | None
    generations: int | None
    improve: bool | None
    individuals: int | None
    lpf_limit: int | None
    objective: ScheduleObjective | None
    order: Order | None
    prefetch_weights: bool | None
    rules: RuleSet | None
    scheduler: Scheduler | None
    seed: int | None
    stacks: str | Sequence[str] | None
    strategy: Search | None
    tiles: TextOrNumber | None


class AttentionOptions(TypedDict, total=False):
    """
    :param batch: Sequences at a time [default: 1]
    :param bits: Bits of all elements, or of each kind (activations, keys, sums, weights); kinds that are left out have 16 [default: 16]
    :param cached: Tokens whose keys and values are cached [default: 0]
    :param chunk: With `generate`: read the prompt so many tokens at a time [default: all]
    :param generate: Generate so many tokens after the others, and tell time, energy and the size of the cache
    :param objective: What to minimise: energy, latency or edp [default: energy]
    :param sees_itself: Whether new tokens see themselves and each other where there is a cache; AccelForge has it that they do not
        [default: true]
    :param tokens: New tokens of each sequence: a prompt, or 1 with `cached` [default: 2048]
    """

    batch: int | None
    bits: Bits | None
    cached: int | None
    chunk: int | None
    generate: int | None
    objective: StepObjective | None
    sees_itself: bool | None
    tokens: int | None


class StepOptions(TypedDict, total=False):
    """
    :param batch: Sequences at a time [default: 1]
    :param bits: Bits of all elements, or of each kind (activations, keys, sums, weights); kinds that are left out have 16 [default: 16]
    :param cached: Tokens whose keys and values are cached [default: 0]
    :param objective: What to minimise: energy, latency or edp [default: energy]
    :param sees_itself: Whether new tokens see themselves and each other where there is a cache; AccelForge has it that they do not
        [default: true]
    :param tokens: New tokens of each sequence: a prompt, or 1 with `cached` [default: 2048]
    """

    batch: int | None
    bits: Bits | None
    cached: int | None
    objective: StepObjective | None
    sees_itself: bool | None
    tokens: int | None


class PublishedOptions(TypedDict, total=False):
    """
    :param batch: Sequences at a time [default: 1]
    :param tokens: New tokens of each sequence: a prompt, or 1 with `cached` [default: 2048]
    """

    batch: int | None
    tokens: int | None


class LinkOptions(TypedDict, total=False):
    """
    :param link_energy: With `cores`: energy of sending a bit to another core, pJ [default: 0.2]
    :param link_width: With `cores`: bits that each core sends, and receives, in a cycle [default: 512]
    """

    link_energy: float | None
    link_width: int | None
