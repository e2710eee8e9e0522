"""Shards of a study on the workers of an executor, which also runs lost shards again."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from queue import SimpleQueue
from types import ModuleType
from typing import Any, TypeAlias

ExecutorLike: TypeAlias = "concurrent.futures.Executor | Any"
"""An executor of ``concurrent.futures``, a ``joblib.Parallel``, a ``distributed.Client`` of Dask, or the module
``ray``."""

Shard: TypeAlias = "tuple[int, bytes]"
"""The number of a shard, and the content of its result file."""

_AHEAD = 1024
"""Limit of shards submitted and not finished, so that a study of any size takes little memory here."""


def finished(executor: ExecutorLike, task: Callable[[int], Shard], shards: Iterable[int]) -> Iterator[Shard]:
    """Runs a task for each shard, and yields the results in the order in which the shards finish. Closing the iterator
    cancels the remaining shards."""
    if isinstance(executor, ModuleType):
        return _by_ray(executor, task, iter(shards))
    if type(executor).__module__.split(".")[0] == "joblib":
        return _by_joblib(executor, task, shards)
    if hasattr(executor, "get_executor"):
        # The key of a pure task is its content: Dask runs it once, and again only if its result was lost.
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
