"""Commands: what the command line does, by the same code, with typed results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias

from . import _fusescape, _reading
from ._documents import Hardware, Network, Pool, System, Transformer, as_document
from ._errors import Diagnostic
from ._options import AttentionOptions, CoresOptions, HierarchyOptions, MapOptions, SweepOptions
from ._results import (
    Attention,
    CoresSchedule,
    DividedAttention,
    Evaluation,
    Fusions,
    Hierarchies,
    Layer,
    Layers,
    Optimum,
    PublishedAttention,
    Sweep,
)

HardwareLike: TypeAlias = "Hardware | str | PathLike[str] | Mapping[str, Any]"
NetworkLike: TypeAlias = "Network | str | PathLike[str] | Mapping[str, Any]"
SystemLike: TypeAlias = "System | str | PathLike[str] | Mapping[str, Any]"
PoolLike: TypeAlias = "Pool | str | PathLike[str] | Mapping[str, Any]"
TransformerLike: TypeAlias = "Transformer | str | PathLike[str] | Mapping[str, Any]"

Mode: TypeAlias = Literal["fully-recompute", "h-cached-v-recompute", "fully-cached"]
"""Overlap storing mode (DeFiNES, Section III): recompute all overlap, cache that of columns, or cache all."""

Search: TypeAlias = Literal["exact", "loma"]
"""How the best mapping is searched: proved, or among orders of loop prime factors (ZigZag's LOMA)."""

LayerSearch: TypeAlias = Literal["exact", "loma", "exhaustive", "heuristic", "iterative"]

Rules: TypeAlias = Literal["corrected", "defines-2022", "zigzag-3.8", "zigzag-3.9"]
"""What is right, or what a published tool does, defects included."""

Progress: TypeAlias = "Callable[[int, int, str], object] | bool"
"""A function of parts done, parts in all, and what they are; it is called at most every 20 ms from the thread that called the command,
and an exception of it stops the command. ``True``: a bar of tqdm, where that is installed."""


def evaluate(
    hardware: HardwareLike,
    network: NetworkLike,
    *,
    tile: tuple[int, int],
    mode: Mode = "fully-cached",
    stacks: str | Sequence[str] = "auto",
    objective: str = "energy",
    strategy: Search = "exact",
    lpf_limit: int = 6,
    rules: Rules = "corrected",
    progress: Progress = False,
) -> Evaluation:
    """Costs of one depth-first schedule of a network on a core (DeFiNES).

    :param tile: columns and rows of a tile of the last feature map of each stack.
    :param mode: what is kept of the overlap of tiles.
    :param stacks: which layers are fused: ``auto`` (DeFiNES' rule), ``single-layer``, ``layer-by-layer``, or names of the layers after
        which a stack ends.
    :param objective: what mappings minimise: ``energy``, ``latency``, ``edp``, ``dram-accesses``, ``accesses:MEMORY`` or
        ``weighted:energy=A,latency=B,dram-accesses=C`` (per pJ, cycle, word).
    :raises FusescapeError: with all that is wrong, or why the schedule cannot be.
    """
    options = _sweep_options(([tile[0]], [tile[1]]), [mode], stacks, objective, strategy, lpf_limit, rules)
    core, workload = as_document(Hardware, hardware).text, as_document(Network, network).text
    return _reading.evaluation(*_noted(_fusescape.depth_first(core, workload, options, True, told(progress))))


def depth_first(
    hardware: HardwareLike,
    network: NetworkLike,
    *,
    tiles: tuple[Sequence[int], Sequence[int]] | None = None,
    modes: Sequence[Mode] = (),
    stacks: str | Sequence[str] = "auto",
    objective: str = "energy",
    strategy: Search = "exact",
    lpf_limit: int = 6,
    rules: Rules = "corrected",
    progress: Progress = False,
) -> Sweep:
    """Costs of depth-first schedules: all widths with all heights of tiles, in each overlap storing mode (DeFiNES, Fig. 12).

    :param tiles: widths (columns) and heights (rows) of tiles; a few up to the network's map where it is left out.
    :param modes: overlap storing modes; all three where none is named.
    :param stacks: as :func:`evaluate` has it.
    :param objective: as :func:`evaluate` has it; by it the best point is chosen, too.
    :raises FusescapeError: with all that is wrong. A point that cannot be scheduled is none: ``Sweep.impossible`` says why.
    """
    options = _sweep_options(tiles, modes, stacks, objective, strategy, lpf_limit, rules)
    core, workload = as_document(Hardware, hardware).text, as_document(Network, network).text
    return _reading.sweep(*_noted(_fusescape.depth_first(core, workload, options, False, told(progress))))


def optimal(
    hardware: HardwareLike,
    network: NetworkLike,
    *,
    tiles: tuple[Sequence[int], Sequence[int]] | None = None,
    modes: Sequence[Mode] = (),
    most_layers: int | None = None,
    most_tiles: int | None = None,
    objective: str = "energy",
    strategy: Search = "exact",
    lpf_limit: int = 6,
    rules: Rules = "corrected",
    progress: Progress = False,
) -> Optimum:
    """Stacks, tile sizes and modes of a network that are jointly optimal.

    :param most_layers: most layers of a stack.
    :param most_tiles: most tiles of a stack.
    :raises FusescapeError: with all that is wrong, or why no stacks can be scheduled.
    """
    options = _sweep_options(tiles, modes, "auto", objective, strategy, lpf_limit, rules, most_layers, most_tiles)
    core, workload = as_document(Hardware, hardware).text, as_document(Network, network).text
    return _reading.optimum(*_noted(_fusescape.optimal(core, workload, options, told(progress))))


def fuse(
    hardware: HardwareLike,
    network: NetworkLike,
    *,
    tiles: tuple[Sequence[int], Sequence[int]] | None = None,
    modes: Sequence[Mode] = (),
    most_layers: int | None = None,
    most_tiles: int | None = None,
    objective: str = "energy",
    strategy: Search = "exact",
    lpf_limit: int = 6,
    rules: Rules = "corrected",
    progress: Progress = False,
) -> Fusions:
    """Methods that choose the layers that run together, each priced by the whole model: single layers, DeFiNES' rule, HW-Flow-Fusion's
    sequences, Optimus' groups, and the joint optimum.

    :raises FusescapeError: with all that is wrong. A method without a result is none: ``Fusions.impossible`` says why.
    """
    options = _sweep_options(tiles, modes, "auto", objective, strategy, lpf_limit, rules, most_layers, most_tiles)
    core, workload = as_document(Hardware, hardware).text, as_document(Network, network).text
    return _reading.fusions(*_noted(_fusescape.fuse(core, workload, options, told(progress))))


def map_layer(
    hardware: HardwareLike,
    network: NetworkLike,
    layer: str,
    *,
    strategy: LayerSearch = "exact",
    unroll: Literal["stated", "search"] = "stated",
    hints: Mapping[str, Sequence[str]] | None = None,
    loops_per_dimension: int = 3,
    lpf_limit: int | None = None,
    seconds: float | None = None,
    min_utilization: float = 0.0,
    constraints: str | None = None,
    mapping: str | None = None,
    objective: str = "energy",
    rules: Rules = "corrected",
    progress: Progress = False,
) -> Layer:
    """The best mapping of one layer on a core (ZigZag), or what a given one costs. The options are those of :func:`map_layers`.

    :raises FusescapeError: with all that is wrong, or why the layer cannot be mapped.
    """
    options = _map_options(
        [layer], strategy, unroll, hints, loops_per_dimension, lpf_limit, seconds, min_utilization, constraints, mapping,
        objective, rules,
    )  # fmt: skip
    core, workload = as_document(Hardware, hardware).text, as_document(Network, network).text
    found = _fusescape.map_layers(core, workload, options, True, told(progress))
    return _reading.layers(*_noted(found[:2]), found[2]).layers[0]


def map_layers(
    hardware: HardwareLike,
    network: NetworkLike,
    layers: Sequence[str] = (),
    *,
    strategy: LayerSearch = "exact",
    unroll: Literal["stated", "search"] = "stated",
    hints: Mapping[str, Sequence[str]] | None = None,
    loops_per_dimension: int = 3,
    lpf_limit: int | None = None,
    seconds: float | None = None,
    min_utilization: float = 0.0,
    constraints: str | None = None,
    mapping: str | None = None,
    objective: str = "energy",
    rules: Rules = "corrected",
    progress: Progress = False,
) -> Layers:
    """The best mappings of layers on a core (ZigZag), each layer by itself.

    :param layers: names of layers; all where none is named.
    :param strategy: ``exact`` or ``loma`` for any objective; for the least energy, as ZigZag does, ``exhaustive`` (all blockings, even and
        uneven), ``heuristic`` or ``iterative``.
    :param unroll: the unrolling of the documents, or the best of all legal ones.
    :param hints: with ``unroll="search"``: the loops that a dimension of the array may unroll, ``{"D1": ["K", "C"]}``.
    :param loops_per_dimension: with ``unroll="search"``: most different loops on one dimension of the array.
    :param lpf_limit: most loop prime factors, where the strategy has such a limit; 6 or, among blockings, 8 where it is left out.
    :param seconds: with ``exact`` or ``loma``: each layer is searched until its best mapping is proved, but no longer.
    :param min_utilization: among blockings: how full a memory is that operands share, at least, 0 to 1.
    :param constraints: text of a document of constraints: the mappings that a search may take.
    :param mapping: text of a document of mappings, which are priced instead of searched; ``Layers.mapping`` is one.
    :raises FusescapeError: with all that is wrong. A layer that cannot be mapped is none: ``Layers.impossible`` says why.
    """
    options = _map_options(
        layers, strategy, unroll, hints, loops_per_dimension, lpf_limit, seconds, min_utilization, constraints, mapping,
        objective, rules,
    )  # fmt: skip
    core, workload = as_document(Hardware, hardware).text, as_document(Network, network).text
    found = _fusescape.map_layers(core, workload, options, False, told(progress))
    return _reading.layers(*_noted(found[:2]), found[2])


def hierarchies(
    network: NetworkLike,
    *,
    pool: PoolLike = "zigzag-65nm",
    hardware: HardwareLike = "zigzag-8x8",
    layers: Sequence[str] = (),
    budget_um2: float | None = None,
    max_levels: int = 2,
    min_ratio: int = 8,
    all_widths: bool = False,
    everything: bool = False,
    only_best: bool = False,
    objective: str = "energy",
    strategy: Search = "exact",
    lpf_limit: int = 6,
    rules: Rules = "corrected",
    progress: Progress = False,
) -> Hierarchies:
    """All memory hierarchies from a pool, and which are the best for a network (ZigZag, Section V).

    :param hardware: the PE array, its unrolling and the highest memory.
    :param layers: names of layers; the whole network where none is named.
    :param budget_um2: largest area in µm² of all that has a stated area.
    :param max_levels: most memories of one operand below the highest.
    :param min_ratio: a memory is at least so many times as large as the one below it.
    :param all_widths: try every word width of every memory, not only the fitting one.
    :param everything: search every hierarchy, also those that are known to be beaten.
    :param only_best: find only the best by the objective, not the trade-offs: decides far more hierarchies in the same time.
    :raises FusescapeError: with all that is wrong, or why no hierarchy fits.
    """
    options = HierarchyOptions(
        layers=list(layers),
        budget_um2=budget_um2,
        max_levels=max_levels,
        min_ratio=min_ratio,
        all_widths=all_widths,
        everything=everything,
        only_best=only_best,
        objective=objective,
        strategy=strategy,
        lpf_limit=lpf_limit,
        rules=rules,
    )
    texts = as_document(Pool, pool).text, as_document(Hardware, hardware).text, as_document(Network, network).text
    found = _fusescape.hierarchies(*texts, options, told(progress))
    return _reading.hierarchies(*_noted(found[:2]), found[2])


def cores(
    system: SystemLike,
    network: NetworkLike,
    *,
    hardware: HardwareLike = "tpu-like",
    tiles: str | int = "best",
    stacks: str | Sequence[str] = "automatic",
    allocation: str | Mapping[str, Sequence[str]] = "best",
    order: Literal["best", "deepest", "slots", "earliest"] = "best",
    improve: bool = False,
    individuals: int = 16,
    generations: int = 16,
    seed: int = 1,
    objective: Literal["latency", "energy", "edp"] = "latency",
    scheduler: Literal["corrected", "stream-2024", "stream-2023"] = "corrected",
    prefetch_weights: bool = False,
    strategy: Search = "exact",
    lpf_limit: int = 6,
    rules: Rules = "corrected",
    progress: Progress = False,
) -> CoresSchedule:
    """The best schedule of a network on many cores: computation tiles, their cores, and what travels between them (Stream).

    :param hardware: cores of which the system says nothing.
    :param tiles: how large computation tiles are: ``best`` (the best size that a search finds), a number of rows, ``layer-by-layer``, or
        sizes as in ``"rows 4, columns 60; stack 2: rows 8"``.
    :param stacks: layer stacks, each of which runs fused: ``automatic`` (as many layers as have weights that fit on the chip), ``one``,
        ``each-layer``, or names of layers after which a stack ends.
    :param allocation: who computes what: ``best`` (for each stack the fastest if nothing had to travel), ``genetic``, a core for all layers
        that it runs, or the cores of each layer.
    :param order: which tile is next.
    :param improve: then give layers other cores, one after the other, as long as that makes the schedule better.
    :param individuals: with ``genetic``: individuals of a generation, 2 to 1000; ``generations`` and ``seed`` likewise.
    :raises FusescapeError: with all that is wrong, or why nothing can be scheduled.
    """
    if isinstance(allocation, Mapping):
        allocation = "\n".join(f"{layer}: {', '.join(chosen)}" for layer, chosen in allocation.items())
    options = CoresOptions(
        tiles=str(tiles),
        stacks=_word_or_names(stacks),
        allocation=allocation,
        order=order,
        improve=improve,
        individuals=individuals,
        generations=generations,
        seed=seed,
        objective=objective,
        scheduler=scheduler,
        prefetch_weights=prefetch_weights,
        strategy=strategy,
        lpf_limit=lpf_limit,
        rules=rules,
    )
    texts = as_document(System, system).text, as_document(Hardware, hardware).text, as_document(Network, network).text
    found = _fusescape.cores(*texts, options, told(progress))
    return _reading.cores_schedule(*_noted(found[:2]), found[2])


def attention(
    hardware: HardwareLike,
    model: TransformerLike,
    *,
    tokens: int = 2048,
    cached: int = 0,
    batch: int = 1,
    bits: int | Mapping[str, int] = 16,
    sees_itself: bool = True,
    generate: int | None = None,
    chunk: int | None = None,
    objective: Literal["energy", "latency", "edp"] = "energy",
    progress: Progress = False,
) -> Attention:
    """One step of a transformer on a core: attention, in the best schedule of every kind from unfused to one pass (FLAT, FuseMax), and the
    products and norms around it. One layer is scheduled; the others are the same.

    :param tokens: new tokens of each sequence: a prompt, or 1 with ``cached``.
    :param cached: tokens whose keys and values are cached.
    :param batch: sequences at a time.
    :param bits: of all elements, or of each kind: ``{"activations": 16, "keys": 8, "sums": 32, "weights": 4}``; kinds that are left out
        have 16.
    :param sees_itself: whether new tokens see themselves and each other where there is a cache; AccelForge has it that they do not.
    :param generate: generate so many tokens after the others.
    :param chunk: with ``generate``: read the prompt so many tokens at a time.
    :raises FusescapeError: with all that is wrong, or what does not fit on the chip.
    """
    options = _attention_options(tokens, cached, batch, bits, sees_itself, generate, chunk, objective)
    core, text = as_document(Hardware, hardware).text, as_document(Transformer, model).text
    return _reading.attention(*_noted(_fusescape.attention(core, text, options, told(progress))))


def divided_attention(
    hardware: HardwareLike,
    model: TransformerLike,
    *,
    cores: int,
    link_width: int = 512,
    link_energy: float = 0.2,
    tokens: int = 2048,
    cached: int = 0,
    batch: int = 1,
    bits: int | Mapping[str, int] = 16,
    sees_itself: bool = True,
    objective: Literal["energy", "latency", "edp"] = "energy",
    progress: Progress = False,
) -> DividedAttention:
    """One step of a transformer on several cores that are all like this one, on one DRAM, divided in every way that uses all of them: by
    heads and hidden channels (tensor parallelism), queries, keys, sequences, and layers one after the other (a pipeline).

    :param cores: number of cores.
    :param link_width: bits that each core sends, and receives, in a cycle.
    :param link_energy: energy of sending a bit to another core, pJ.
    :raises FusescapeError: with all that is wrong, or what one core cannot compute.

    The other parameters are those of :func:`attention`.
    """
    options = _attention_options(tokens, cached, batch, bits, sees_itself, None, None, objective)
    core, text = as_document(Hardware, hardware).text, as_document(Transformer, model).text
    links = (cores, link_width, link_energy)
    return _reading.divided_attention(*_noted(_fusescape.divided_attention(core, text, options, links, told(progress))))


def published_attention(
    model: TransformerLike, *, tokens: int = 2048, batch: int = 1, as_published: bool = False
) -> PublishedAttention:
    """The five dataflows of the FuseMax artifact (MICRO 2024) for the heads and tokens of a model, each on the artifact's own machine:
    unfused, FLAT in its fastest configuration, +cascade, +architecture, +binding. All scores are counted, without a causal mask.

    :param as_published: by the artifact's rules, defects included.
    :raises FusescapeError: with all that is wrong.
    """
    options = _attention_options(tokens, 0, batch, 16, True, None, None, "energy")
    text = as_document(Transformer, model).text
    found = _fusescape.published_attention(Hardware.preset("fusemax-like").text, text, options, as_published)
    return _reading.published_attention(*_noted(found))


def _attention_options(
    tokens: int,
    cached: int,
    batch: int,
    bits: int | Mapping[str, int],
    sees_itself: bool,
    generate: int | None,
    chunk: int | None,
    objective: str,
) -> AttentionOptions:
    of_each = ",".join(f"{kind}={count}" for kind, count in bits.items()) if isinstance(bits, Mapping) else str(bits)
    return AttentionOptions(
        tokens=tokens,
        cached=cached,
        batch=batch,
        sees_itself=sees_itself,
        bits=of_each,
        objective=objective,
        generate=generate,
        chunk=chunk,
    )


def _sweep_options(
    tiles: tuple[Sequence[int], Sequence[int]] | None,
    modes: Sequence[str],
    stacks: str | Sequence[str],
    objective: str,
    strategy: str,
    lpf_limit: int,
    rules: str,
    most_layers: int | None = None,
    most_tiles: int | None = None,
) -> SweepOptions:
    widths, heights = tiles or ((), ())
    return SweepOptions(
        tiles=(list(widths), list(heights)),
        modes=[modes] if isinstance(modes, str) else list(modes),
        stacks=_word_or_names(stacks),
        objective=objective,
        strategy=strategy,
        lpf_limit=lpf_limit,
        rules=rules,
        most_layers=most_layers,
        most_tiles=most_tiles,
    )


def _map_options(
    layers: Sequence[str],
    strategy: str,
    unroll: str,
    hints: Mapping[str, Sequence[str]] | None,
    loops_per_dimension: int,
    lpf_limit: int | None,
    seconds: float | None,
    min_utilization: float,
    constraints: str | None,
    mapping: str | None,
    objective: str,
    rules: str,
) -> MapOptions:
    return MapOptions(
        layers=[layers] if isinstance(layers, str) else list(layers),
        mapping=mapping,
        constraints=constraints,
        strategy=strategy,
        unroll=unroll,
        hints={dimension: list(loops) for dimension, loops in (hints or {}).items()},
        loops_per_dimension=loops_per_dimension,
        lpf_limit=lpf_limit,
        seconds=seconds,
        min_utilization=min_utilization,
        objective=objective,
        rules=rules,
    )


def _word_or_names(given: str | Sequence[str]) -> str | list[str]:
    return given if isinstance(given, str) else list(given)


def _noted(found: tuple[str, list[tuple[str, int | None, str, str]]]) -> tuple[str, tuple[Diagnostic, ...]]:
    text, notes = found
    return text, tuple(Diagnostic(*note) for note in notes)


def told(progress: Progress) -> Callable[[int, int, str], object] | None:
    """The function that is told how far a command is; ``None``: nobody."""
    if progress is False:
        return None
    if progress is not True:
        return progress
    try:
        from ._bar import Bar
    except ImportError:
        return None
    return Bar()
