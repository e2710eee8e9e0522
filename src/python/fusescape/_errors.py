"""Diagnostics with their remedies, and the exception that carries them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Diagnostic(NamedTuple):
    """One error or remark on a place in a document, or on an option.

    ``path`` is ``memories[2].size`` in a document, or the name of an option; it is empty for a document as a whole.
    ``line`` counts from 1 in the ``text`` of the document; ``None`` if there is no line.
    """

    path: str
    line: int | None
    reason: str
    remedy: str

    def __str__(self) -> str:
        line = "" if self.line is None else f"line {self.line}: "
        path = f"{self.path}: " if self.path else ""
        return f"{line}{path}{_sentence(self.reason)} {_sentence(self.remedy)}".rstrip()


def _sentence(text: str) -> str:
    return text if not text or text.endswith((".", "?", "!")) else f"{text}."


class FusescapeError(ValueError):
    """Documents or options are invalid, or nothing fits. ``diagnostics`` has all reasons with their remedies."""

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, diagnostics: Sequence[tuple[str, int | None, str, str]]) -> None:
        self.diagnostics = tuple(Diagnostic(*diagnostic) for diagnostic in diagnostics)
        # Pickle constructs a copy from these arguments.
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n".join(map(str, self.diagnostics))
