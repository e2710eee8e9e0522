"""The compiled half of the package: texts and words in, JSON out."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, final

from ._options import CoresOptions, HierarchyOptions, LimitOptions, MapOptions, SweepOptions

__all__ = [
    "Rows",
    "__version__",
    "cores",
    "depth_first",
    "facts",
    "fuse",
    "hierarchies",
    "import_files",
    "linked",
    "map_layers",
    "optimal",
    "preset",
    "presets",
    "replaced",
    "set_threads",
    "share_link",
    "text_of",
]

__version__: str

_Diagnostic = tuple[str, int | None, str, str]
_Progress = Callable[[int, int, str], object] | None

@final
class Rows:
    """Rows of a result, by the Arrow C stream interface."""

    def __new__(cls, kind: str, json: str) -> Rows: ...
    def __len__(self) -> int: ...
    @property
    def columns(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...

def presets(kind: str) -> list[tuple[str, str]]: ...
def preset(kind: str, name: str) -> str: ...
def text_of(name: str, bytes: bytes) -> str: ...
def facts(kind: str, text: str) -> str: ...
def replaced(text: str, changes: Sequence[tuple[str, str]]) -> str: ...
def share_link(hardware: str, network: str, site: str) -> str: ...
def linked(link: str) -> tuple[str, str]: ...
def set_threads(threads: int) -> None: ...
def import_files(
    paths: Sequence[str | PathLike[str]], sizes: Sequence[tuple[str, int]]
) -> tuple[list[tuple[str, str]], list[str]]: ...
def depth_first(
    hardware: str, network: str, options: SweepOptions, is_single: bool, progress: _Progress
) -> tuple[str, list[_Diagnostic]]: ...
def optimal(
    hardware: str, network: str, options: SweepOptions, limits: LimitOptions, progress: _Progress
) -> tuple[str, list[_Diagnostic]]: ...
def fuse(
    hardware: str, network: str, options: SweepOptions, limits: LimitOptions, progress: _Progress
) -> tuple[str, list[_Diagnostic]]: ...
def map_layers(
    hardware: str, network: str, options: MapOptions, is_single: bool, progress: _Progress
) -> tuple[str, list[_Diagnostic], str]: ...
def hierarchies(
    pool: str, hardware: str, network: str, options: HierarchyOptions, progress: _Progress
) -> tuple[str, list[_Diagnostic], str]: ...
def cores(
    system: str, hardware: str, network: str, options: CoresOptions, progress: _Progress
) -> tuple[str, list[_Diagnostic], str]: ...
