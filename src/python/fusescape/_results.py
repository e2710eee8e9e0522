"""Results of commands, as typed objects.

The whole report is :meth:`Result.to_dict`, in the layout described in ``docs/schema/``; rows for data frames are
:meth:`Result.to_arrow`. Energies are in pJ, latencies in cycles of the core, sizes in the unit of their name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, cast

from . import found
from ._documents import Hardware
from ._errors import Diagnostic
from ._fusescape import Rows
from ._rows import DividedStep, Fusion, Hierarchy, ImpossiblePoint, Point, Power, SingleCore, Stack, StepCost, Tile

_Report = TypeVar("_Report", bound=Mapping[str, Any])


@dataclass(frozen=True)
class Result(Generic[_Report]):
    """Base of the results of commands."""

    kind: ClassVar[str]
    _json: str = field(repr=False)
    notes: tuple[Diagnostic, ...] = field(repr=False)
    """Remarks, not errors: for example layers that are left out, and tiles larger than every map."""

    def to_dict(self) -> _Report:
        """The whole report: the same fields that the command line prints as JSON. :mod:`fusescape.found` has their
        types, and ``docs/schema/`` describes them."""
        return cast(_Report, json.loads(self._json))

    def to_arrow(self) -> Rows:
        """The rows of the result through the Arrow C stream interface, which data frames read:
        ``polars.DataFrame(result.to_arrow())``, ``pyarrow.table(...)``, ``pandas.DataFrame.from_arrow(...)``, or by its
        name in a query of DuckDB."""
        return Rows(self.kind, self._json)


@dataclass(frozen=True)
class Sweep(Result[found.depth_first.Report]):
    """Depth-first schedules of a network on a core. Rows for data frames: one per point."""

    kind = "depth-first"
    hardware: str
    network: str
    points: tuple[Point, ...] = field(repr=False)
    """Those that can be scheduled, in order of mode, then rows, then columns."""
    impossible: tuple[ImpossiblePoint, ...] = field(repr=False)
    mapping_problems: int
    """Number of different layer-tiles mapped."""
    best: Point | None
    """The point with the least score; ``None`` if no point can be scheduled."""

    @property
    def pareto_front(self) -> tuple[Point, ...]:
        """Points that no other beats in both energy and latency, by ascending energy."""
        return tuple(sorted((point for point in self.points if point.is_pareto_optimal), key=lambda point: point.energy_pj))


@dataclass(frozen=True)
class MemoryTraffic:
    """Words read and written in a memory and their energy, by cause (``activation``, ``weight``, ``copy``)."""

    name: str
    operands: str
    instances: int
    words: Mapping[str, float]
    energy_pj: Mapping[str, float]


@dataclass(frozen=True)
class Evaluation(Result[found.depth_first.Report]):
    """One depth-first schedule with the traffic of each memory. Rows for data frames: one, the point."""

    kind = "depth-first"
    hardware: str
    network: str
    point: Point
    memories: tuple[MemoryTraffic, ...] = field(repr=False)
    """From the lowest to the highest."""

    @property
    def energy_pj(self) -> float:
        """Energy of the whole network, pJ."""
        return self.point.energy_pj

    @property
    def latency_cycles(self) -> int:
        """Latency of the whole network, cycles."""
        return self.point.latency_cycles


@dataclass(frozen=True)
class Optimum(Result[found.optimal.Report]):
    """Stacks, tile sizes and modes that are jointly optimal. Rows for data frames: one per stack."""

    kind = "optimal"
    hardware: str
    network: str
    energy_pj: float
    latency_cycles: int
    score: float
    power: Power | None
    stacks: tuple[Stack, ...] = field(repr=False)
    cuts: str
    """The layers after which stacks end."""
    stacks_considered: int
    ways_to_cut: int


@dataclass(frozen=True)
class Fusions(Result[found.fuse.Report]):
    """Methods of fusion, compared. Rows for data frames: one per method."""

    kind = "fuse"
    hardware: str
    network: str
    methods: tuple[Fusion, ...]
    impossible: Mapping[str, tuple[str, ...]]
    """Reasons why a method has no result, by the name of the method."""
    optimus_buffer_bytes: int
    """Size of the single buffer in the model of Optimus."""
    optimus_oracle_bytes: int | None
    """Least traffic of any groups in the model of Optimus."""


class Loop(NamedTuple):
    """A loop over one dimension of a layer."""

    dim: str
    size: float


@dataclass(frozen=True)
class Layer:
    """One layer mapped on a core."""

    name: str
    macs: int
    energy_pj: float
    latency_cycles: int
    power: Power | None
    loops: tuple[Loop, ...]
    """Temporal loops, from the innermost."""
    unrolled: Mapping[str, tuple[Loop, ...]]
    """Spatial loops, by the dimension of the array."""
    details: found.layer.BestMapped = field(repr=False)
    """All details: an element of ``layers`` in ``docs/schema/layer-1.json``."""


@dataclass(frozen=True)
class Layers(Result[found.layer.Report]):
    """Mapped layers. Rows for data frames: one per layer, including impossible ones."""

    kind = "layer"
    hardware: str
    network: str
    layers: tuple[Layer, ...]
    impossible: Mapping[str, tuple[str, ...]]
    """Reasons why a layer cannot be mapped, by the name of the layer."""
    mapping: str = field(repr=False)
    """The mappings as a document, which ``map_layers(mapping=...)`` evaluates again."""


@dataclass(frozen=True)
class Hierarchies(Result[found.hierarchy.Report]):
    """Memory hierarchies from a pool. Rows for data frames: one per hierarchy of the front."""

    kind = "hierarchy"
    best: Hierarchy
    front: tuple[Hierarchy, ...] = field(repr=False)
    """Hierarchies that no other beats in energy, latency and area."""
    counts: Mapping[str, int]
    """Number of hierarchies generated, searched, pruned by a bound, and too large."""
    seconds: float
    hardware: Hardware
    """The core with the best hierarchy."""


@dataclass(frozen=True)
class AttentionSchedule:
    """Attention of one layer: the best schedule of one kind."""

    fusion: str
    """Kind of fusion: ``unfused``, ``rows, three passes``, ``rows, two passes``, ``queries stay, one pass`` or
    ``keys stay, one pass``."""
    queries: int
    """Queries in a tile."""
    heads: int
    """Query heads of a group in a tile."""
    keys: int
    """Keys in a tile."""
    held: str
    """Place of keys and values between tiles of queries: ``streamed`` from DRAM for each tile; ``resident`` on the
    chip; computed again for each tile from inputs in DRAM (``recomputed``) or on the chip (``inputs-stay``); or
    ``kept`` on the chip since they were computed."""
    energy_pj: float
    energy: Mapping[str, float]
    """Energy by cause, pJ."""
    latency_cycles: int
    bound_by: str
    """The part that takes longest."""
    dram_bits: int
    """Bits to and from DRAM."""
    on_chip_bits: tuple[int, int]
    """Bits needed on the chip: first for queries, scores and results, then for keys and values."""
    macs: int


@dataclass(frozen=True)
class Generation:
    """A prompt is read, then tokens are generated one at a time, each with a longer cache."""

    batch: int
    """Number of sequences."""
    prompt: int
    """Tokens of the prompt of each sequence."""
    chunk: int | None
    """Tokens of the prompt read at a time; ``None``: all."""
    prefill: StepCost
    """Cost of reading the prompt, which gives the first token."""
    tokens: Mapping[int, StepCost]
    """Cost of the first, the middle and the last of the tokens that follow, by the number of tokens in the cache."""
    weight_bytes: float
    cache_bytes: float
    """Size of the cache of all layers at the end."""
    cache_on_chip: bool
    """Whether the cache is on the chip from the first token to the last; else it is in DRAM."""


@dataclass(frozen=True)
class AttentionBlock:
    """Attention of one layer fused with parts around it in tiles of tokens: intermediate tensors stay on the chip."""

    queries: tuple[str, ...]
    """Parts in the block that compute the queries of a tile; empty: queries come from DRAM."""
    parts: tuple[str, ...]
    """Parts in the block after attention; empty: the results of attention go to DRAM."""
    tile_tokens: int
    """Tokens in a tile."""
    tiles: int
    weights_before_stay: bool
    """Whether the weights that compute queries, keys and values in the block stay on the chip; else each tile reads
    them."""
    weights_stay: bool
    """Whether the weights of the parts after attention stay on the chip; else each tile reads them."""
    held: str
    """Place of keys and values between tiles of queries, as in :class:`AttentionSchedule`."""
    energy_pj: float
    energy: Mapping[str, float]
    """Energy by cause, pJ."""
    latency_cycles: int
    bound_by: str
    """The part that takes longest."""
    dram_bits: int
    """Bits to and from DRAM."""
    weight_bits: int
    """Bits of weights in ``dram_bits``."""
    macs: int


@dataclass(frozen=True)
class Attention(Result[found.attention.Report]):
    """One step of a transformer. Rows for data frames: one per kind of schedule, for attention of one layer."""

    kind = "attention"
    hardware: str
    model: str
    layers: int
    """Number of layers, which are all alike."""
    cost: StepCost
    """Cost of the step, for all layers."""
    schedules: tuple[AttentionSchedule, ...] = field(repr=False)
    """Attention of one layer: the best schedule of each kind that fits, with stored keys and values."""
    recomputed: AttentionSchedule | None = field(repr=False)
    """The best schedule that recomputes keys and values; ``None``: none fits, or there are no inputs to compute them
    from."""
    best: AttentionSchedule | None
    """The best of all, including the cost of the parts before attention; ``None``: state-space blocks have no
    attention."""
    block: AttentionBlock | None
    """Attention fused with parts around it, used instead of ``best``; ``None``: fusing them is no better."""
    keys_in: str
    """Place of keys and values: ``dram``; ``layer``: those of one layer are on the chip; ``cache``: those of all layers
    are. Always ``dram``, without a meaning, for a state-space model, which has none."""
    keys_on_chip_bits: int
    """Size of the keys and values on the chip."""
    costs_with_keys_in: Mapping[str, StepCost | None] = field(repr=False)
    """Cost of the step, for all layers, with keys and values in each possible place; ``None``: they, or a part, do not
    fit."""
    compulsory_bytes: Mapping[str, float] = field(repr=False)
    """Least bytes that one layer moves, by tensor."""
    not_counted: Mapping[str, int] = field(repr=False)
    """Operations of one layer that are not counted because the core has no vector unit."""
    generation: Generation | None


@dataclass(frozen=True)
class DividedAttention(Result[found.attention.Report]):
    """One step of a transformer on several cores, divided in every way. Rows for data frames: one per way."""

    kind = "divided-attention"
    hardware: str
    model: str
    one_core: DividedStep = field(repr=False)
    """The step on one of the cores."""
    steps: tuple[DividedStep, ...] = field(repr=False)
    """All ways to divide it, the best first."""
    refused: tuple[tuple[Mapping[str, int], str], ...] = field(repr=False)
    """Ways that are impossible, with the reason."""

    @property
    def best(self) -> DividedStep | None:
        """The best way; ``None`` if every way is impossible."""
        return self.steps[0] if self.steps else None


@dataclass(frozen=True)
class PublishedDataflow:
    """A dataflow of the FuseMax artifact: attention of one layer, on the artifact's machine."""

    name: str
    latency_s: float
    energy_pj: float
    dram_bytes: float
    utilisation_2d: float
    """Share of time in which the 2D array is used, 0 to 1."""
    utilisation_1d: float


@dataclass(frozen=True)
class PublishedAttention(Result[found.attention.Report]):
    """Dataflows of the FuseMax artifact. Rows for data frames: one per dataflow."""

    kind = "published-attention"
    dataflows: tuple[PublishedDataflow, ...]


@dataclass(frozen=True)
class CoresSchedule(Result[found.cores.Report]):
    """A network on many cores. Rows for data frames: one per layer."""

    kind = "cores"
    system: str
    network: str
    energy_pj: float
    latency_cycles: float
    edp_pj_cycles: float
    peak_on_chip_bits: int
    mac_use: float
    """MACs done, relative to those possible on all arrays in that time, 0 to 1."""
    tile_size: str
    layers: Mapping[str, tuple[str, ...]] = field(repr=False)
    """The cores of each layer."""
    times: Mapping[str, Mapping[str, float]] = field(repr=False)
    """Cycles of each core by cause: computing, stalling, transferring, idle."""
    links: Mapping[str, float] = field(repr=False)
    """Cycles in which each link is busy."""
    single_core: SingleCore | None
    power: Power | None
    seconds: float
    trace: str = field(repr=False)
    """The schedule in the Chrome trace format."""
