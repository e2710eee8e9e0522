"""What is in a report of this kind: made of docs/schema/cores-1.json by `make schema`."""

from __future__ import annotations

from typing import Literal, TypedDict, final

from .shared import (
    MadeBy as MadeBy,
    Power as Power,
)


@final
class Report(TypedDict):
    """What `fusescape cores --format json` prints: a network on many cores (Stream)."""

    schema: Literal["fusescape/cores/1"]
    """This schema: its kind and version."""
    made_by: MadeBy
    """The program that wrote this."""
    network: str
    """Name of the network, as its document has it."""
    system: str
    """Name of the system, as its document has it."""
    latency_cycles: float
    """Makespan of the schedule, cycles."""
    energy_pj: float
    """Energy, pJ."""
    energy_onchip_pj: float
    """Energy of cores, pJ."""
    energy_links_pj: float
    """Energy of links, pJ."""
    energy_memories_pj: float
    """Energy of memories of transfers, pJ."""
    power: Power | None
    """Time, power and leakage; null where no clock is stated."""
    edp_pj_cycles: float
    """Product of energy and latency, pJ x cycles."""
    peak_on_chip_bits: int
    """Most that lies in memories of the chip at any time, bits."""
    mac_use: float
    """Share of the multiply-accumulates possible on all arrays within the latency that the network needs."""
    tile_size: str
    """Size of the tiles, as `--tiles` takes it."""
    tile_sizes: list[TileSize] | None
    """All tile sizes that were run to find the best; null where the size was stated."""
    single_core: CoreAlone | None
    """The best core that computes all layers alone: in the best tile size that was run, or in the stated one; null where no core runs
    all layers."""
    tiles: int
    """Number of computation tiles."""
    tiles_solved: int
    """Number of different tiles, each solved on every core that runs it."""
    transfers: int
    """Number of transfers between cores, and to and from DRAM."""
    layers: list[LayerOnCores]
    """Where each layer is computed, in the order of the network."""
    stacks: list[AllocatedStack]
    """Layer stacks: the layers of each run fused, tile by tile."""
    cores: list[BusyCore]
    """The time of each core by cause."""
    links: list[BusyLink]
    """Links between cores, and to DRAM."""
    seconds: float
    """How long the search took, s."""


@final
class AllocatedStack(TypedDict):
    """A layer stack, and what the search for its cores found."""

    layers: list[str]
    """Layers of the stack, by name."""
    tiles_of_an_iteration: int
    """Tiles of one iteration."""
    iterations: int
    """Number of iterations."""
    cycles: float | None
    """Latency of the best allocation if nothing had to travel, cycles; null where there is none."""
    bound_cycles: float
    """Proved lower bound on that latency, cycles."""
    proved: bool
    """Whether the allocation is proved the fastest if nothing had to travel."""


@final
class BusyCore(TypedDict):
    """A core, and its cycles by cause."""

    name: str
    """As in the system's document."""
    computing_cycles: float
    """Time of computing, cycles."""
    stalling_cycles: float
    """Time of stalling, cycles."""
    transferring_cycles: float
    """Time of transferring, cycles."""
    idle_cycles: float
    """Time of idle, cycles."""


@final
class BusyLink(TypedDict):
    """Use of a link between cores, or to the memory off the chip."""

    name: str
    """As in the system's document."""
    busy_cycles: float
    """How long it carries something, cycles."""


@final
class CoreAlone(TypedDict):
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


@final
class LayerOnCores(TypedDict):
    """A layer, and who computes it."""

    name: str
    """As in the network's document."""
    cores: list[str]
    """Cores that compute it, by name."""


@final
class TileSize(TypedDict):
    """A tile size that was run."""

    tile_size: str
    """Size of the tiles, as `--tiles` takes it."""
    latency_cycles: float | None
    """Latency of its best schedule found, cycles; null where it has none."""
    energy_pj: float | None
    """Energy of that schedule, pJ; null where it has none."""
    tiles: int | None
    """Number of its computation tiles; null where it has no schedule."""
    why_none: str | None
    """Why it has no schedule; null where it has one."""
