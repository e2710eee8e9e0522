"""Each notebook of ``docs/notebooks/`` runs, and its output is the same as in the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs/notebooks").glob("*.ipynb"))


def texts(cell: Any) -> list[str]:
    """The printed text and the last value of a cell; pictures and measured times are left out."""
    if "varies" in cell.metadata.get("tags", []):
        return []
    outputs = cell.get("outputs", [])
    printed = [output.text for output in outputs if output.output_type == "stream" and output.name == "stdout"]
    shown = [output.data.get("text/plain", "") for output in outputs if output.output_type == "execute_result"]
    return [*printed, *shown]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
@pytest.mark.filterwarnings("default")
def test_a_notebook_prints_what_it_shows(path: Path, tmp_path: Path) -> None:
    shown, ran = (nbformat.reads(path.read_text(), as_version=4) for _ in range(2))  # type: ignore[no-untyped-call]
    NotebookClient(ran, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert len(ran.cells) == len(shown.cells) > 4
    for expected, found in zip(shown.cells, ran.cells, strict=True):
        assert texts(found) == texts(expected), expected.source


def test_there_are_four_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["accelerator", "dask", "first-steps", "study"]
