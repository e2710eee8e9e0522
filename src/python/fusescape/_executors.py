"""Shards of a study on workers of others: who runs them, again where one was lost, is theirs to say."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from queue import SimpleQueue
from types import ModuleType
from typing import Any, TypeAlias

ExecutorLike: TypeAlias = "concurrent.futures.Executor | Any"
"""An executor of ``concurrent.futures``, a ``joblib.Parallel``, a ``distributed.Client`` of Dask, or the module ``ray``."""

Shard: TypeAlias = "tuple[int, bytes]"
"""The number of a shard, and the file of its results."""

_AHEAD = 1024
"""Shards that are given away and not finished, at most, so that a study of any size takes little memory here."""


def finished(executor: ExecutorLike, task: Callable[[int], Shard], shards: Iterable[int]) -> Iterator[Shard]:
    """Runs a task for each shard, and gives what it finds in the order in which they finish. The shards that are left when nobody asks any
    more are cancelled."""
    if isinstance(executor, ModuleType):
        return _by_ray(executor, task, iter(shards))
    if type(executor).__module__.split(".")[0] == "joblib":
        return _by_joblib(executor, task, shards)
    if hasattr(executor, "get_executor"):
        # What is pure has its content as its key: Dask runs it once, and again where its result was lost.
        executor = executor.get_executor(pure=True)
    return _by_futures(executor, task, iter(shards))


def _by_futures(
    executor: concurrent.futures.Executor, task: Callable[[int], Shard], shards: Iterator[int]
) -> Iterator[Shard]:
    done: SimpleQueue[concurrent.futures.Future[Shard]] = SimpleQueue()
    waiting: set[concurrent.futures.Future[Shard]] = set()

    def submit(some: Iterable[int]) -> None:
        for shard in some:
            future = executor.submit(task, shard)
            waiting.add(future)
            future.add_done_callback(done.put)

    try:
        submit(islice(shards, _AHEAD))
        while waiting:
            future = done.get()
            waiting.remove(future)
            yield future.result()
            submit(islice(shards, 1))
    finally:
        for future in waiting:
            future.cancel()


def _by_joblib(parallel: Any, task: Callable[[int], Shard], shards: Iterable[int]) -> Iterator[Shard]:
    from joblib import delayed  # type: ignore[import-untyped, unused-ignore]

    yield from parallel(delayed(task)(shard) for shard in shards)


def _by_ray(ray: Any, task: Callable[[int], Shard], shards: Iterator[int]) -> Iterator[Shard]:
    given = ray.put(task)
    remote = ray.remote(_called)
    waiting = [remote.remote(given, shard) for shard in islice(shards, _AHEAD)]
    try:
        while waiting:
            (first, *_), waiting = ray.wait(waiting, num_returns=1)
            yield ray.get(first)
            waiting += [remote.remote(given, shard) for shard in islice(shards, 1)]
    finally:
        for reference in waiting:
            ray.cancel(reference)


def _called(task: Callable[[int], Shard], shard: int) -> Shard:
    return task(shard)
