"""What is in a report of this kind: made of docs/schema/study-front-1.json by `make schema`."""

from __future__ import annotations

from typing import Literal, TypedDict, final

from .shared import (
    MadeBy as MadeBy,
)


@final
class Report(TypedDict):
    """What `fusescape study front --format json` prints: the Pareto front of the results of a study. The columns of results are
    described in docs/studies.md."""

    schema: Literal["fusescape/study-front/1"]
    """This schema: its kind and version."""
    made_by: MadeBy
    """The program that wrote this."""
    study: str
    """Name of the study."""
    objectives: list[str]
    """Columns that the front is about."""
    designs: dict[str, int]
    """Designs in the file by their status: found, outside, beaten, impossible, wrong."""
    missing: int
    """Designs of the study that are not in the file, as of the other shards."""
    is_checked: bool
    """Whether the file has digests, which say that its rows are those that were written."""
    front: list[dict[str, int | float | None | str | None]]
    """Rows that no other one dominates, in the order of their designs: every column by its name."""
