"""Studies: what a command finds for every combination of values, in this process or by an executor."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from . import _fusescape
from ._commands import HardwareLike, NetworkLike
from ._documents import Document, Hardware, Network, as_document
from ._errors import FusescapeError
from ._results import Sweep

_TASKS_AHEAD = 64
"""Tasks that wait for a worker, at most, so that a study of any size takes no memory before it runs."""


@dataclass(frozen=True)
class Design:
    """One combination of values, and what was found for it."""

    index: int
    """Its number in the study: the last axis varies fastest."""
    values: Mapping[str, Any]
    """The value of each axis."""
    found: Mapping[str, Any]
    """What was recorded; empty where nothing was found."""
    wrong: str
    """Why nothing was found; empty where something was."""

    def row(self) -> dict[str, Any]:
        """Values, what was found and what is wrong in one mapping, for a data frame: ``pandas.DataFrame([d.row() for d in ...])``."""
        return {**self.values, **self.found, "wrong": self.wrong}


def costs(result: Any) -> dict[str, Any]:
    """Energy and latency of a result; of a sweep those of its best point, with its mode and tile."""
    if not isinstance(result, Sweep):
        return {"energy_pj": result.energy_pj, "latency_cycles": result.latency_cycles}
    if (best := result.best) is None:
        return {}
    columns, rows = best.tile or (None, None)
    place = {"mode": best.mode, "tile_x_columns": columns, "tile_y_rows": rows}
    return {"energy_pj": best.energy_pj, "latency_cycles": best.latency_cycles, **place}


@dataclass(frozen=True)
class Study:
    """What a command finds for every combination of values.

    A study is data: it can be sent to any process, and design number ``n`` is the same there. So a task may run twice, or anywhere.
    """

    command: Callable[..., Any]
    """A function of a core, a network and options: :func:`evaluate`, :func:`depth_first`, :func:`optimal`, or one of your own."""
    hardware: HardwareLike
    network: NetworkLike
    axes: Mapping[str, Sequence[Any]]
    """Values by what they change: a place of a document (``hardware.memories[1].size``), a whole document (``hardware``, ``network``), or
    an option of the command (``tile``)."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the command that are the same for all designs."""
    record: Callable[[Any], Mapping[str, Any]] = costs
    """What is kept of a result."""

    def __post_init__(self) -> None:
        # What is wrong with them is told at once, and not for each design.
        object.__setattr__(self, "hardware", as_document(Hardware, self.hardware))
        object.__setattr__(self, "network", as_document(Network, self.network))

    def __len__(self) -> int:
        """Number of designs."""
        return math.prod(len(values) for values in self.axes.values())

    def values(self, index: int) -> dict[str, Any]:
        """The values of a design."""
        if not 0 <= index < len(self):
            raise IndexError(f"There are {len(self)} designs.")
        found: dict[str, Any] = {}
        for axis in reversed(list(self.axes)):
            index, place = divmod(index, len(self.axes[axis]))
            found[axis] = self.axes[axis][place]
        return {axis: found[axis] for axis in self.axes}

    def design(self, index: int) -> Design:
        """What the command finds for a design."""
        values = self.values(index)
        try:
            core, network = self._document(Hardware, values), self._document(Network, values)
            options = {axis: value for axis, value in values.items() if axis.split(".")[0] not in ("hardware", "network")}
            found = dict(self.record(self.command(core, network, **self.options, **options)))
            return Design(index, values, found, "" if found else "No point of the sweep can be scheduled.")
        except FusescapeError as wrong:
            return Design(index, values, {}, str(wrong))

    def _document(self, kind: type[Any], values: Mapping[str, Any]) -> Document:
        given = values.get(kind.kind, getattr(self, kind.kind))
        document: Document = as_document(kind, given)
        start = f"{kind.kind}."
        changes = {axis.removeprefix(start): value for axis, value in values.items() if axis.startswith(start)}
        return document.replace(changes) if changes else document

    def run(
        self,
        executor: Executor | None = None,
        *,
        designs_per_task: int = 100,
        threads: int = 1,
        progress: Callable[[int, int], object] | None = None,
    ) -> Iterator[Design]:
        """Finds all designs, and gives each as soon as it is known: without an executor in order.

        :param executor: any executor of ``concurrent.futures``, such as Dask's ``client.get_executor()``; it has at most 64 tasks at once.
        :param designs_per_task: designs that go to a worker together.
        :param threads: with an executor: threads of each of its processes.
        :param progress: is told designs done and designs in all.
        """
        done, count = 0, len(self)
        for designs in self._in_order() if executor is None else self._by(executor, designs_per_task, threads):
            yield from designs
            done += len(designs)
            if progress is not None:
                progress(done, count)

    def _in_order(self) -> Iterator[list[Design]]:
        return ([self.design(index)] for index in range(len(self)))

    def _by(self, executor: Executor, size: int, threads: int) -> Iterator[list[Design]]:
        starts = iter(range(0, len(self), size))
        waiting: set[Future[list[Design]]] = set()
        try:
            while True:
                for start in islice(starts, _TASKS_AHEAD - len(waiting)):
                    stop = min(start + size, len(self))
                    waiting.add(executor.submit(_task, self, start, stop, threads))
                if not waiting:
                    return
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield future.result()
        finally:
            for future in waiting:
                future.cancel()


def _task(study: Study, start: int, stop: int, threads: int) -> list[Design]:
    """Designs of a range. It depends on nothing else, so that whoever runs it, once or twice, finds the same."""
    _fusescape.set_threads(threads)
    return [study.design(index) for index in range(start, stop)]
