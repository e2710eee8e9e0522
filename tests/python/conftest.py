"""Shared by the tests: the command line, whose numbers the package must reproduce."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class CommandLine:
    """The program as built natively."""

    program: Path

    def text(self, *arguments: str) -> str:
        """Standard output of a call."""
        return subprocess.run([self.program, *arguments], check=True, capture_output=True, text=True).stdout

    def json(self, *arguments: str) -> dict[str, Any]:
        """The JSON on standard output of a call."""
        found: dict[str, Any] = json.loads(self.text(*arguments))
        return found


@pytest.fixture(scope="session")
def command_line() -> CommandLine:
    """The command line built from the same sources; ``FUSESCAPE_CLI`` may state its path."""
    program = Path(os.environ.get("FUSESCAPE_CLI", ROOT / "target/debug/fusescape"))
    assert program.exists(), f"{program} is not built: cargo build --package fusescape-cli"
    return CommandLine(program)
