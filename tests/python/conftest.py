"""What the tests share: the command line, whose numbers are to be the package's."""

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
    """The program that was built natively."""

    program: Path

    def text(self, *arguments: str) -> str:
        """What it prints."""
        return subprocess.run([self.program, *arguments], check=True, capture_output=True, text=True).stdout

    def json(self, *arguments: str) -> dict[str, Any]:
        """The JSON that it prints."""
        found: dict[str, Any] = json.loads(self.text(*arguments))
        return found


@pytest.fixture(scope="session")
def command_line() -> CommandLine:
    """The command line of the same sources; ``FUSESCAPE_CLI`` may say where it is."""
    program = Path(os.environ.get("FUSESCAPE_CLI", ROOT / "target/debug/fusescape"))
    assert program.exists(), f"{program} is not built: cargo build --package fusescape-cli"
    return CommandLine(program)
