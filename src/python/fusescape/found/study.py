"""What is in a report of this kind: made of docs/schema/study-1.json by `make schema`."""

from __future__ import annotations

from typing import Literal, TypedDict, final

from .shared import (
    MadeBy as MadeBy,
)


@final
class Report(TypedDict):
    """What `fusescape study show --json` prints: how many designs a study has, how long they take, and what varies. The study document
    itself is described in docs/studies.md."""

    schema: Literal["fusescape/study/1"]
    """This schema: its kind and version."""
    made_by: MadeBy
    """The program that wrote this."""
    name: str
    """As in its document."""
    designs: int
    """Designs that the study looks at; where it refines a front, at the most."""
    combinations: int
    """Combinations of values in all."""
    tasks: int | None
    """Number of tasks; null where the study refines a front, as it then depends on what is found."""
    designs_per_task: int
    """Designs of a task, at the most."""
    seconds: float
    """What all designs take on this machine at the rate of those that were measured, s."""
    designs_measured: int
    """Designs that were measured for it."""
    axes: list[VariedPaths]
    """What varies; the last axis varies fastest."""
    columns: list[str]
    """Names of the columns of its results."""
    objectives: list[str]
    """Columns that the front is about."""
    constraints: list[str]
    """Bounds that designs keep to, as written."""


@final
class VariedPaths(TypedDict):
    """Paths that move together."""

    vary: list[str]
    """Fields of the documents that vary together, with dots between keys."""
    values: list[list[str]]
    """The values, each with one for every path, as written."""
