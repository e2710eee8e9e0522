"""What commands find, as typed objects.

Every result has all that was found as :meth:`Result.to_dict`, laid out as the files of ``docs/schema/`` say, and its rows for data frames
as :meth:`Result.to_arrow`. Energies are in pJ, latencies in cycles of the core, sizes in bits or bytes as the name says.
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
    """What a command found."""

    kind: ClassVar[str]
    _json: str = field(repr=False)
    notes: tuple[Diagnostic, ...] = field(repr=False)
    """What is good to know though nothing is wrong: layers that are left out, tiles larger than every map."""

    def to_dict(self) -> _Report:
        """All that was found: the very fields that the command line prints with its option for JSON. :mod:`fusescape.found` has their types,
        as ``docs/schema/`` describes them."""
        return cast(_Report, json.loads(self._json))

    def to_arrow(self) -> Rows:
        """The rows of the result by the Arrow C stream interface, which data frames take: ``polars.DataFrame(result.to_arrow())``,
        ``pyarrow.table(...)``, ``pandas.DataFrame.from_arrow(...)``, or by its name in a query of DuckDB."""
        return Rows(self.kind, self._json)


@dataclass(frozen=True)
class Sweep(Result[found.depth_first.Report]):
    """Depth-first schedules of a network on a core. Rows for data frames: a point each."""

    kind = "depth-first"
    hardware: str
    network: str
    points: tuple[Point, ...] = field(repr=False)
    """Those that can be scheduled, by mode, then rows, then columns."""
    impossible: tuple[ImpossiblePoint, ...] = field(repr=False)
    mapping_problems: int
    """Different layer-tiles that were mapped."""
    best: Point | None
    """The point with the least score; ``None`` where none can be scheduled."""

    @property
    def pareto_front(self) -> tuple[Point, ...]:
        """Points that no other beats in both energy and latency, by ascending energy."""
        return tuple(sorted((point for point in self.points if point.is_pareto_optimal), key=lambda point: point.energy_pj))


@dataclass(frozen=True)
class MemoryTraffic:
    """What passes a memory: its words and their energy, by cause (``activation``, ``weight``, ``copy``)."""

    name: str
    operands: str
    instances: int
    words: Mapping[str, float]
    energy_pj: Mapping[str, float]


@dataclass(frozen=True)
class Evaluation(Result[found.depth_first.Report]):
    """One depth-first schedule with its whole account. Rows for data frames: the one point."""

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
    """Stacks, tile sizes and modes that are jointly optimal. Rows for data frames: a stack each."""

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
    """Methods of fusion, compared. Rows for data frames: a method each."""

    kind = "fuse"
    hardware: str
    network: str
    methods: tuple[Fusion, ...]
    impossible: Mapping[str, tuple[str, ...]]
    """Why a method has no result, by its name."""
    optimus_buffer_bytes: int
    """The one buffer that the model of Optimus sees."""
    optimus_oracle_bytes: int | None
    """No groups move less by the model of Optimus."""


class Loop(NamedTuple):
    """A loop: its dimension and its size."""

    dim: str
    size: float


@dataclass(frozen=True)
class Layer:
    """One layer as it is mapped on a core."""

    name: str
    macs: int
    energy_pj: float
    latency_cycles: int
    power: Power | None
    loops: tuple[Loop, ...]
    """Loops in time, the innermost first."""
    unrolled: Mapping[str, tuple[Loop, ...]]
    """Loops in space, by the dimension of the array."""
    details: found.layer.BestMapped = field(repr=False)
    """All that is known of it: one of ``layers`` in ``docs/schema/layer-1.json``."""


@dataclass(frozen=True)
class Layers(Result[found.layer.Report]):
    """Mapped layers. Rows for data frames: a layer each, impossible ones included."""

    kind = "layer"
    hardware: str
    network: str
    layers: tuple[Layer, ...]
    impossible: Mapping[str, tuple[str, ...]]
    """Why a layer cannot be mapped, by its name."""
    mapping: str = field(repr=False)
    """The mappings as a document, which ``map_layers(mapping=...)`` prices again."""


@dataclass(frozen=True)
class Hierarchies(Result[found.hierarchy.Report]):
    """Memory hierarchies from a pool. Rows for data frames: a hierarchy of the front each."""

    kind = "hierarchy"
    best: Hierarchy
    front: tuple[Hierarchy, ...] = field(repr=False)
    """Hierarchies that no other beats in energy, latency and area."""
    counts: Mapping[str, int]
    """How many were generated, searched, pruned by a bound, and do not fit."""
    seconds: float
    hardware: Hardware
    """The core with the best hierarchy."""


@dataclass(frozen=True)
class AttentionSchedule:
    """Attention of one layer: the best schedule of a kind."""

    fusion: str
    """What runs together: ``unfused``, ``rows, three passes``, ``rows, two passes``, ``queries stay, one pass`` or
    ``keys stay, one pass``."""
    queries: int
    """Queries in a tile."""
    heads: int
    """Query heads of a group in a tile."""
    keys: int
    """Keys in a tile."""
    held: str
    """Where keys and values are while tiles of queries change: ``streamed`` or ``resident``; or they are computed again for every tile,
    ``recomputed`` of inputs from DRAM, ``inputs-stay`` of inputs that stay on the chip; or they are ``kept`` on the chip since they were
    computed."""
    energy_pj: float
    energy: Mapping[str, float]
    """Energy by cause, pJ."""
    latency_cycles: int
    bound_by: str
    """What takes longest."""
    dram_bits: int
    """Bits to and from DRAM."""
    on_chip_bits: tuple[int, int]
    """Bits needed on the chip: for queries, scores and results, and for keys and values."""
    macs: int


@dataclass(frozen=True)
class Generation:
    """A prompt is read, then tokens follow one after the other, each with a longer cache."""

    batch: int
    """Sequences at a time."""
    prompt: int
    """Tokens of the prompt of each sequence."""
    chunk: int | None
    """Tokens of the prompt that are read at a time; ``None``: all."""
    prefill: StepCost
    """Reading the prompt: after it the first token is there."""
    tokens: Mapping[int, StepCost]
    """The first, the middle and the last of the tokens that follow, by the tokens in the cache."""
    weight_bytes: float
    cache_bytes: float
    """The cache of all layers at the end."""
    cache_on_chip: bool
    """Whether it is on the chip from the first token to the last; else it is in DRAM."""


@dataclass(frozen=True)
class AttentionBlock:
    """Attention of one layer in a block with parts around it, tile of tokens by tile of tokens: what lies between stays on the chip."""

    queries: tuple[str, ...]
    """What computes the queries of a tile in it; empty: they come from DRAM."""
    parts: tuple[str, ...]
    """What follows attention in it; empty: its results go to DRAM."""
    tile_tokens: int
    """Tokens in a tile."""
    tiles: int
    weights_before_stay: bool
    """Whether weights that compute queries, keys and values in it stay on the chip; else they come for every tile."""
    weights_stay: bool
    """Whether the weights of the parts that follow stay on the chip; else they come for every tile."""
    held: str
    """What keys and values do while tiles of queries change: as in :class:`AttentionSchedule`."""
    energy_pj: float
    energy: Mapping[str, float]
    """Energy by cause, pJ."""
    latency_cycles: int
    bound_by: str
    """What takes longest."""
    dram_bits: int
    """Bits to and from DRAM."""
    weight_bits: int
    """Bits of weights among them."""
    macs: int


@dataclass(frozen=True)
class Attention(Result[found.attention.Report]):
    """One step of a transformer. Rows for data frames: a kind of schedule of attention each, of one layer."""

    kind = "attention"
    hardware: str
    model: str
    layers: int
    """Layers, all alike."""
    cost: StepCost
    """The step, all layers."""
    schedules: tuple[AttentionSchedule, ...] = field(repr=False)
    """Attention of one layer: the best schedule of every kind that fits, with keys and values that are stored."""
    recomputed: AttentionSchedule | None = field(repr=False)
    """The best that computes keys and values again; ``None``: none fits, or there are no inputs to compute them of."""
    best: AttentionSchedule | None
    """The best of all, together with what comes before attention; ``None``: state-space blocks have no attention."""
    block: AttentionBlock | None
    """Attention with parts around it, which then stands in the place of ``best``; ``None``: that is no better."""
    keys_in: str
    """Where keys and values are: ``dram``; ``layer``: on the chip, those of one layer; ``cache``: on the chip, those of all layers.
    A state-space model has none; of it ``dram`` is said, and means nothing."""
    keys_on_chip_bits: int
    """Bits that they take there."""
    costs_with_keys_in: Mapping[str, StepCost | None] = field(repr=False)
    """The step, all layers, with keys and values in each place that they may have; ``None``: they, or a part, do not fit."""
    compulsory_bytes: Mapping[str, float] = field(repr=False)
    """Bytes that one layer moves at least, by what they are."""
    not_counted: Mapping[str, int] = field(repr=False)
    """Operations of one layer that are not counted, as the core has no vector unit."""
    generation: Generation | None


@dataclass(frozen=True)
class DividedAttention(Result[found.attention.Report]):
    """One step of a transformer on several cores, divided in every way. Rows for data frames: a way each."""

    kind = "divided-attention"
    hardware: str
    model: str
    one_core: DividedStep = field(repr=False)
    """The step on one of the cores."""
    steps: tuple[DividedStep, ...] = field(repr=False)
    """Every way to divide it, the best first."""
    refused: tuple[tuple[Mapping[str, int], str], ...] = field(repr=False)
    """What cannot be divided so, and why."""

    @property
    def best(self) -> DividedStep | None:
        """The best way; ``None``: there is none."""
        return self.steps[0] if self.steps else None


@dataclass(frozen=True)
class PublishedDataflow:
    """A dataflow of the FuseMax artifact: attention of one layer, on its own machine."""

    name: str
    latency_s: float
    energy_pj: float
    dram_bytes: float
    utilisation_2d: float
    """Part of the time of the 2D array that is used, 0 to 1."""
    utilisation_1d: float


@dataclass(frozen=True)
class PublishedAttention(Result[found.attention.Report]):
    """Dataflows of the FuseMax artifact. Rows for data frames: a dataflow each."""

    kind = "published-attention"
    dataflows: tuple[PublishedDataflow, ...]


@dataclass(frozen=True)
class CoresSchedule(Result[found.cores.Report]):
    """A network on many cores. Rows for data frames: a layer each."""

    kind = "cores"
    system: str
    network: str
    energy_pj: float
    latency_cycles: float
    edp_pj_cycles: float
    peak_on_chip_bits: int
    mac_use: float
    """Share of what all arrays could multiply in that time, 0 to 1."""
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
    """The schedule as a Chrome trace, which viewers of traces open."""
