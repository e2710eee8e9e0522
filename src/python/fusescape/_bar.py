"""A bar of tqdm; importing this fails where tqdm is not installed."""

from __future__ import annotations

from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]


class Bar:
    """Shows how many parts of all are done."""

    def __init__(self) -> None:
        self._bar = tqdm(total=0, leave=False)

    def __call__(self, done: int, count: int, what: str) -> None:
        self._bar.total = count
        self._bar.set_description_str(what, refresh=False)
        self._bar.update(done - self._bar.n)

    def __del__(self) -> None:
        self._bar.close()
