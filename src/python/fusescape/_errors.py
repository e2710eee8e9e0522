"""What is wrong, and what would make it right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Diagnostic(NamedTuple):
    """One thing that is wrong, or good to know, in one place of a document or an option.

    ``path`` leads to the place: ``memories[2].size`` in a document, or the name of an option; it is empty for a document as a whole.
    ``line`` counts from 1 in the ``text`` of the document, and is ``None`` where there is none.
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
    """Documents or options are wrong, or nothing fits. ``diagnostics`` has every reason with its remedy, not only the first."""

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, diagnostics: Sequence[tuple[str, int | None, str, str]]) -> None:
        self.diagnostics = tuple(Diagnostic(*diagnostic) for diagnostic in diagnostics)
        # What a copy in another process is made of.
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n".join(map(str, self.diagnostics))
