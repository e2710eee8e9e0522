"""What is in a report of this kind: made of docs/schema/sequences-1.json by `make schema`."""

from __future__ import annotations

from typing import Literal, TypedDict, final

from .shared import (
    MadeBy as MadeBy,
)


@final
class Report(TypedDict):
    """What `fusescape fuse --sequences --format json` prints: the tables of HW-Flow-Fusion."""

    schema: Literal["fusescape/sequences/1"]
    """This schema: its kind and version."""
    made_by: MadeBy
    """The program that wrote this."""
    hardware: str
    """Name of the core, as its document has it."""
    workload: str
    """Name of the network, as its document has it."""
    tables: list[SequenceTable]
    """The tables; which ones, and their columns, depend on the network."""


@final
class SequenceTable(TypedDict):
    """Rows of values under headings, as `fusescape sequences` prints them."""

    table: str
    """What the table shows."""
    rows: list[dict[str, str | float | bool | None]]
    """The value of each column for every row, by the heading of the column, which states the unit in brackets."""
