"""While a command runs, Python's lock is free, progress is reported, and signals are handled."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import fusescape
import pytest

# Each takes minutes on a fast machine.
LONG: dict[str, Callable[..., object]] = {
    "points": partial(fusescape.depth_first, "meta-proto-like-df", "resnet50", tiles=(range(1, 57), range(1, 57))),
    "stacks": partial(fusescape.fuse, "meta-proto-like-df", "resnet50", tiles=(range(1, 26), range(1, 26))),
    "mapping space": partial(fusescape.map_layers, "meta-proto-like-df", "resnet50", strategy="exhaustive", lpf_limit=11),
    "tile sizes": partial(fusescape.cores, "tpu-quad", "resnet50"),
    "designs": fusescape.study(
        hardware="meta-proto-like-df",
        network="resnet50",
        axes={
            f"hardware.memories.{name}.size": {"from": "1 KiB", "to": "1 MiB", "count": 1000}
            for name in ("sram_32KB", "sram_64KB")
        },
    ).run,
}


def short_work(columns: int = 4) -> float:
    return fusescape.evaluate("meta-proto-like-df", "fsrcnn-60", tile=(columns, 4)).energy_pj


@pytest.mark.parametrize("what", LONG)
def test_ctrl_c_ends_a_command_at_once(what: str) -> None:
    sent: list[float] = []

    def interrupt() -> None:
        time.sleep(0.5)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        LONG[what]()
    late = time.monotonic() - sent[0]
    thread.join()
    # About 0.1 s on an idle machine; the command would take minutes.
    assert late < 2
    assert short_work() > 0


def test_an_exception_of_the_progress_function_ends_a_command() -> None:
    def stop(done: int, count: int, what: str) -> None:
        raise StopIteration(what)

    with pytest.raises(StopIteration, match="points"):
        LONG["points"](progress=stop)


def test_other_threads_run_meanwhile() -> None:
    counted = 0
    is_over = threading.Event()

    def count() -> None:
        nonlocal counted
        while not is_over.wait(0.001):
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    fusescape.depth_first("meta-proto-like-df", "fsrcnn", tiles=([4, 16, 60], [18, 72]))
    is_over.set()
    thread.join()
    assert counted > 10


def test_progress_goes_up_to_all_parts() -> None:
    told: list[tuple[int, int, str]] = []
    found = fusescape.depth_first(
        "meta-proto-like-df", "fsrcnn-60", progress=lambda done, count, what: told.append((done, count, what))
    )
    points = len(found.points) + len(found.impossible)
    assert told[-1] == (points, points, "points")
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)


def test_commands_run_side_by_side_in_threads() -> None:
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(short_work, [1, 4, 16, 60]))
    assert found == [short_work(columns) for columns in (1, 4, 16, 60)]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_commands_run_in_other_processes(method: str) -> None:
    # The parent already has threads, and a forked child has none of them.
    own = short_work()
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as processes:
        assert list(processes.map(short_work, [4, 4])) == [own, own]
