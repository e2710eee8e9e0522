"""Studies: many designs described by one document, run in this process or by an executor, with one result file."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from os import PathLike, fspath
from pathlib import Path, PurePath
from typing import Any, NamedTuple, TypeAlias

from . import _fusescape
from ._commands import HardwareLike, NetworkLike, Progress, SystemLike, told
from ._documents import Document, Hardware, Network, System
from ._errors import Diagnostic, FusescapeError
from ._executors import ExecutorLike, Shard, finished
from ._fusescape import Rows
from ._results import Result
from .found import study_front

_Named: TypeAlias = "tuple[tuple[str, str], ...]"
_Request: TypeAlias = "tuple[str, _Named, _Named, _Named]"


class Axis(NamedTuple):
    """Paths that vary together, and their values: each has one text per path."""

    vary: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]


class Estimate(NamedTuple):
    """Estimated duration of a study in this process."""

    seconds: float
    designs_measured: int


class Study:
    """A valid study: a document of axes, recorded columns and objectives, with all documents that it names.

    The command line and the page use the same document; ``docs/studies.md`` describes it. ``text`` is the document. A
    study can be pickled and sent to another process, where its designs have the same numbers and results.
    """

    text: str
    name: str

    __slots__ = ("_engine", "_facts", "_request", "name", "text")

    def __init__(self, engine: _fusescape.Study) -> None:
        text, hardware, networks, systems = engine.request()
        self._engine = engine
        self._request: _Request = (text, tuple(hardware), tuple(networks), tuple(systems))
        self._facts: dict[str, Any] = json.loads(engine.facts())
        self.text = text
        self.name: str = self._facts["name"]

    @classmethod
    def from_text(cls, text: str, folder: str | PathLike[str] = ".") -> Study:
        """A study written as YAML or JSON. It names presets, and files relative to ``folder``."""
        return cls(_fusescape.Study.read(text, fspath(folder), []))

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Study:
        """A study in a file, which names presets, and files relative to its own folder."""
        text = _fusescape.text_of(fspath(path), Path(path).read_bytes())
        return cls.from_text(text, Path(path).parent)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], folder: str | PathLike[str] = ".") -> Study:
        """A study given as a mapping, equal to its YAML. A document object may be given instead of its name."""
        given = _Given()
        text = json.dumps(fields, indent=2, ensure_ascii=False, default=given.name_of)
        return cls(_fusescape.Study.read(text, fspath(folder), list(given.texts.items())))

    def write(self, path: str | PathLike[str]) -> None:
        """Writes the document, and beside it all documents that it names except presets, for
        ``fusescape study run``."""
        path = Path(path)
        others = [(kind, name, text) for kind, named in self._documents() for name, text in named]
        for kind, name, text in others:
            if _presets_by_text(kind.kind).get(text) == name:
                continue
            if PurePath(name).is_absolute() or ".." in PurePath(name).parts:
                reason = f"`{name}` is not below the folder of the study"
                raise FusescapeError([("", None, reason, "Copy that document yourself")])
            _write_new(path.parent / name, text)
        _write_new(path, self.text)

    def _documents(self) -> tuple[tuple[type[Document], _Named], ...]:
        return (Hardware, self._request[1]), (Network, self._request[2]), (System, self._request[3])

    def __len__(self) -> int:
        """Number of designs; an upper limit if the study refines a front."""
        return int(self._facts["designs"])

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The last axis varies fastest."""
        return tuple(Axis(tuple(axis["vary"]), tuple(map(tuple, axis["values"]))) for axis in self._facts["axes"])

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of its results."""
        return tuple(self._facts["columns"])

    @property
    def objectives(self) -> tuple[str, ...]:
        """Names of the columns minimised or maximised by the Pareto front."""
        return tuple(self._facts["objectives"])

    def estimate(self) -> Estimate:
        """Estimates the time for all designs on the cores of this machine from a measurement of one or two seconds."""
        return Estimate(*self._engine.estimate())

    def run(
        self,
        out: str | PathLike[str] | None = None,
        *,
        executor: ExecutorLike | None = None,
        designs_per_task: int = 1024,
        threads: int = 1,
        progress: Progress = False,
    ) -> StudyResults:
        """Evaluates all designs and writes the results into a Parquet file; that of the command line is equal byte for
        byte.

        An interrupted run continues when it is called again with the same file.

        :param out: the file; by default a temporary one, deleted with the results.
        :param executor: by default all cores of this process; else an executor of ``concurrent.futures``, a
            ``joblib.Parallel`` (best with ``return_as="generator_unordered"``), a ``distributed.Client`` of Dask, or
            the module ``ray``. It runs shards of the study, as in ``fusescape study run --shard``. A shard may run
            anywhere, late, and more than once.
        :param designs_per_task: with an executor: least number of designs in a shard.
        :param threads: with an executor: threads of a shard.
        :param progress: as for all commands.
        :raises FusescapeError: the file has results of another study, cannot be written, or the study cannot be
            divided.
        """
        folder = None if out is not None else tempfile.mkdtemp(prefix="fusescape-")
        path = Path(out) if out is not None else Path(folder or "", "results.parquet")
        try:
            if path.suffix == ".csv":
                raise FusescapeError([("out", None, "CSV says nothing of the study", "Name a file that ends with .parquet")])
            if executor is None or path.exists():
                self._engine.run(path, 1, 1, 0, told(progress))
            else:
                self._run_by(executor, path, designs_per_task, threads, told(progress))
            results = StudyResults(path)
        except BaseException:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        if folder is not None:
            weakref.finalize(results, shutil.rmtree, folder, ignore_errors=True)
        return results

    def _run_by(
        self,
        executor: ExecutorLike,
        out: Path,
        designs_per_task: int,
        threads: int,
        tell: Callable[[int, int, str], object] | None,
    ) -> None:
        tasks, size, designs = self._facts["tasks"], self._facts["designs_per_task"], len(self)
        if tasks is None:
            reason = "A study that refines a front cannot be divided: what is next depends on all that was found"
            raise FusescapeError([("executor", None, reason, "Sample by `grid` or `sobol`, or leave out the executor")])
        count = max(1, tasks // max(1, -(-designs_per_task // size)))
        bounds = [min(designs, tasks * shard // count * size) for shard in range(count + 1)]
        files = _ShardFiles(out, self._engine.key(), count)
        left = [shard for shard in range(1, count + 1) if not files.path(shard).exists()]
        done = designs - sum(bounds[shard] - bounds[shard - 1] for shard in left)
        task = partial(run_shard, self._request, count, threads)
        if tell is not None:
            tell(done, designs, "designs")
        for shard, content in finished(executor, task, left):
            _write_whole(files.path(shard), content)
            done += bounds[shard] - bounds[shard - 1]
            if tell is not None:
                tell(done, designs, "designs")
        _fusescape.merge_shards([files.path(shard) for shard in range(1, count + 1)], out)
        shutil.rmtree(files.folder)

    def __repr__(self) -> str:
        return f"<Study {self.name!r}: {len(self)} designs>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Study) and self._request == other._request

    def __hash__(self) -> int:
        return hash(self._request)

    def __reduce__(self) -> tuple[Callable[[_Request], Study], tuple[_Request]]:
        return _study_of, (self._request,)


Values: TypeAlias = "Sequence[Any] | Mapping[str, Any]"


def study(
    *,
    hardware: HardwareLike | Sequence[HardwareLike] = (),
    network: NetworkLike | Sequence[NetworkLike] = (),
    system: SystemLike | Sequence[SystemLike] = (),
    axes: Mapping[str | tuple[str, ...], Values],
    name: str = "My study",
    about: str = "",
    schedule: Mapping[str, Any] | None = None,
    constraints: Sequence[str] = (),
    record: Sequence[str] = (),
    objectives: Sequence[str] = (),
    sampling: str | Mapping[str, int] = "grid",
    seed: int = 0,
    beaten: str = "record",
    folder: str | PathLike[str] = ".",
) -> Study:
    """Writes a study document; ``docs/studies.md`` describes its fields.

    :param hardware: documents, or names of presets or files; several form an axis. ``network`` likewise.
    :param system: systems of many cores, likewise; each design is then evaluated as by :func:`cores`, and ``hardware``
        is used for cores whose hardware the systems do not state.
    :param axes: values by the path of the field that they replace:
        ``{"hardware.memories[3].size": ["8 KiB", "32 KiB"]}``. Several paths in a tuple move together. Instead of values
        a mapping may state a range: ``{"from": "8 KiB", "to": "1 MiB", "count": 8, "scale": "log"}``.
    :param schedule: how each design is scheduled: ``{"columns": 28, "rows": 28, "modes": "fully-cached"}``; on many
        cores ``{"tiles": 4}``.
    :param folder: paths of files are relative to it.
    """
    fields: dict[str, Any] = {
        "name": name,
        "about": about,
        "hardware": _bases(Hardware, hardware),
        "network": _bases(Network, network),
        "system": _bases(System, system),
        "schedule": dict(schedule or {}),
        "axes": [
            {"vary": path, **(values if isinstance(values, Mapping) else {"values": list(values)})} for path, values in axes.items()
        ],
        "constraints": list(constraints),
        "record": list(record),
        "objectives": list(objectives),
        "sampling": sampling,
        "seed": seed,
        "beaten": beaten,
    }
    # Empty fields are left out.
    return Study.from_dict({field: value for field, value in fields.items() if value or value == 0}, folder)


def _bases(kind: type[Document], given: Any) -> Any:
    if isinstance(given, Mapping):
        return kind.from_dict(given)
    if isinstance(given, Document) and not isinstance(given, kind):
        raise TypeError(f"{type(given).__name__} given where a study has {kind.kind}")
    if isinstance(given, (str, PathLike, Document)):
        return given
    return [_bases(kind, one) for one in given]


class _Given:
    """Document objects given to a study, by the name they get in it."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def name_of(self, value: Any) -> str:
        """The name in the study of a value that JSON cannot express."""
        if isinstance(value, PathLike):
            return str(fspath(value))
        if not isinstance(value, (Hardware, Network, System)):
            raise TypeError(f"{type(value).__name__} given where a study has hardware, network or system")
        if (preset := _presets_by_text(value.kind).get(value.text)) is not None:
            return preset
        stem = re.sub(r"[^a-z0-9]+", "-", value.name.lower()).strip("-") or value.kind
        number = 1
        while self.texts.setdefault(name := f"{stem}-{number}.yaml" if number > 1 else f"{stem}.yaml", value.text) != value.text:
            number += 1
        return name


@lru_cache
def _presets_by_text(kind: str) -> dict[str, str]:
    return {_fusescape.preset(kind, name): name for name, _ in _fusescape.presets(kind)}


class _ShardFiles:
    """The files of finished shards, kept in a folder beside the results until these are complete. Their names identify
    the study and the number of shards."""

    def __init__(self, out: Path, key: str, count: int) -> None:
        self.folder = out.with_name(out.name + ".shards")
        self._start, self._end = f"{key}-", f"-of-{count}.parquet"
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.glob("*.parquet"):
            if not (path.name.startswith(self._start) and path.name.endswith(self._end)):
                reason = f"`{self.folder}` has shards of another study, or of another size"
                raise FusescapeError([("out", None, reason, "Name another file, or remove this folder")])

    def path(self, shard: int) -> Path:
        return self.folder / f"{self._start}{shard}{self._end}"


def _write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that it has its name only when it is complete."""
    unfinished = path.with_name(path.name + ".tmp")
    with open(unfinished, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _write_new(path: Path, text: str) -> None:
    if path.exists() and path.read_bytes() != text.encode():
        raise FusescapeError([("", None, f"There is another file `{path}` already", "Name another file, or remove this one")])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def _study_of(request: _Request) -> Study:
    return Study(_fusescape.Study(*request))


@lru_cache(maxsize=1)
def _engine_of(request: _Request) -> _fusescape.Study:
    # Shards of one process share the solutions of their mapping problems.
    return _fusescape.Study(*request)


def run_shard(request: _Request, count: int, threads: int, shard: int) -> Shard:
    """Runs a shard of a study, and returns its result file. The content depends on nothing but the arguments, so a
    shard can run anywhere and more than once."""
    with tempfile.TemporaryDirectory(prefix="fusescape-") as folder:
        out = Path(folder, "shard.parquet")
        _engine_of(request).run(out, shard, count, threads, None)
        return shard, out.read_bytes()


@dataclass(frozen=True)
class StudyFront(Result[study_front.Report]):
    """The Pareto front of a study's results."""

    kind = "study-front"

    _rows: Rows = field(repr=False)
    objectives: tuple[str, ...]
    """Names of the columns that it compares."""
    designs: Mapping[str, int]
    """Number of designs in the file by outcome: ``found``, ``outside``, ``beaten``, ``impossible``, ``wrong``."""
    points: tuple[Mapping[str, Any], ...] = field(repr=False)
    """Its designs, each with its values by column."""

    def to_arrow(self) -> Rows:
        """The designs on the front through the Arrow C stream interface."""
        return self._rows


class StudyResults:
    """Results of a study in a Parquet file written by :meth:`Study.run`, the command line or the page: one row per
    design."""

    path: Path
    study: Study

    def __init__(self, path: str | PathLike[str]) -> None:
        self._results = _fusescape.Results(fspath(path))
        self.path = Path(path)
        text, hardware, networks, systems = self._results.request()
        self.study = _study_of((text, tuple(hardware), tuple(networks), tuple(systems)))

    def __len__(self) -> int:
        """Number of designs in the file."""
        return len(self._results)

    def to_arrow(self) -> Rows:
        """All rows through the Arrow C stream interface, some thousand at a time:
        ``pandas.DataFrame.from_arrow(results.to_arrow())``. Data frames and DuckDB can also read the file."""
        return self._results.rows()

    def front(self) -> StudyFront:
        """The Pareto front in the objectives of the study."""
        found, notes, rows = self._results.front()
        fields: study_front.Report = json.loads(found)
        objectives, points = tuple(fields["objectives"]), tuple(fields["front"])
        return StudyFront(found, tuple(Diagnostic("", None, note, "") for note in notes), rows, objectives, fields["designs"], points)

    def __repr__(self) -> str:
        return f"<StudyResults of {self.study.name!r}: {len(self)} designs in {str(self.path)!r}>"
