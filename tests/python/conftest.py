"""What the tests share: the command line, whose numbers are to be the package's."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def command_line() -> Callable[..., dict[str, Any]]:
    """Runs the command line and gives the JSON that it prints."""
    program = Path(os.environ.get("FUSESCAPE_CLI", ROOT / "target/release/fusescape"))
    assert program.exists(), f"{program} is not built: cargo build --release --bin fusescape"

    def run(*arguments: str) -> dict[str, Any]:
        printed = subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout
        found: dict[str, Any] = json.loads(printed)
        return found

    return run
