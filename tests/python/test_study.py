"""A study finds for each design what its command finds alone, in whatever process and order."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any

import fusescape
import pytest
from fusescape import Design, Hardware, Study

SIZES = ["1 KiB", "32 KiB", "1 MiB"]
TILES = [(60, 4), (4, 60)]


def study() -> Study:
    return Study(
        fusescape.evaluate,
        hardware="meta-proto-like-df",
        network="fsrcnn-60",
        axes={"hardware.memories[3].size": SIZES, "network": ["fsrcnn-60", "three-convs"], "tile": TILES},
        options={"mode": "fully-cached"},
    )


def in_order(designs: list[Design]) -> list[Design]:
    return sorted(designs, key=lambda design: design.index)


def test_a_study_has_every_combination_once() -> None:
    designs = list(study().run())
    assert len(designs) == len(study()) == 12
    assert len({tuple(design.values.values()) for design in designs}) == 12
    core = Hardware.preset("meta-proto-like-df")
    for design in designs:
        size, network, tile = design.values.values()
        alone = fusescape.evaluate(core.replace({"memories[3].size": size}), network, tile=tile)
        assert design.found == {"energy_pj": alone.energy_pj, "latency_cycles": alone.latency_cycles}
        assert design.row()["tile"] == tile


def test_processes_find_the_same() -> None:
    own = list(study().run())
    told: list[tuple[int, int]] = []
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as processes:
        by_others = study().run(processes, designs_per_task=5, progress=lambda done, count: told.append((done, count)))
        assert in_order(list(by_others)) == own
    assert sorted(told)[-1] == (12, 12)


class TwiceAndBackwards(Executor):
    """Runs each task twice, the last that was given first, as a scheduler that lost a worker may."""

    def __init__(self) -> None:
        self.most_waiting = 0
        self._waiting: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._waiting.append((future, fn, args))
        self.most_waiting = max(self.most_waiting, len(self._waiting))
        if len(self._waiting) == 3:
            for waiting, task, given in reversed(self._waiting):
                first, again = (pickle.loads(pickle.dumps((task, given))) for _ in range(2))
                found = first[0](*first[1])
                assert found == again[0](*again[1])
                waiting.set_result(found)
            self._waiting.clear()
        return future


def test_a_task_may_run_twice_and_late() -> None:
    assert in_order(list(study().run(TwiceAndBackwards(), designs_per_task=4))) == list(study().run())


def test_a_design_that_cannot_be_says_why_and_the_others_go_on() -> None:
    axes: dict[str, list[Any]] = {"hardware.array.mac_energy": ["1 pJ", "1 parsec"], "tile": [(60, 4)]}
    right, wrong = Study(fusescape.evaluate, "meta-proto-like-df", "fsrcnn-60", axes).run()
    assert right.found and not right.wrong
    assert not wrong.found and "parsec" in wrong.wrong
    with pytest.raises(fusescape.FusescapeError):
        Study(fusescape.evaluate, "meta-proto", "fsrcnn-60", axes)


def test_a_sweep_records_its_best_point() -> None:
    designs = list(Study(fusescape.depth_first, "meta-proto-like-df", "fsrcnn-60", {"objective": ["energy", "latency"]}).run())
    assert {"energy_pj", "latency_cycles", "mode", "tile_x_columns", "tile_y_rows"} == set(designs[0].found)
    assert designs[0].found["energy_pj"] <= designs[1].found["energy_pj"]
