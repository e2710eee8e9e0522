"""Documents: hardware, networks, systems of cores, pools of memories, transformers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any, ClassVar, NamedTuple, TypeVar

from . import _fusescape
from ._errors import FusescapeError

_Self = TypeVar("_Self", bound="Document")


class Document:
    """A valid document: constructing an invalid one raises a ``FusescapeError`` with all errors.

    ``text`` is the document as YAML or JSON, and lines of diagnostics refer to it; ``docs/documents.md`` describes its
    fields. ``name`` is its field of that name.
    """

    kind: ClassVar[str]
    text: str
    name: str

    __slots__ = ("_facts", "name", "text")

    def __init__(self, text: str) -> None:
        self._facts: dict[str, Any] = json.loads(_fusescape.facts(self.kind, text))
        self.text = text
        self.name = self._facts["name"]

    @classmethod
    def presets(cls) -> dict[str, str]:
        """Titles of the documents included in the package, by name."""
        return dict(_fusescape.presets(cls.kind))

    @classmethod
    def preset(cls: type[_Self], name: str) -> _Self:
        """The included document with this name; :meth:`presets` lists them."""
        return cls(_fusescape.preset(cls.kind, name))

    @classmethod
    def from_text(cls: type[_Self], text: str) -> _Self:
        """A document written as YAML or JSON."""
        return cls(text)

    @classmethod
    def from_dict(cls: type[_Self], fields: Mapping[str, Any]) -> _Self:
        """A document given as a mapping, equal to its YAML: fields with numbers, texts, lists and mappings."""
        return cls(json.dumps(fields, indent=2, ensure_ascii=False))

    @classmethod
    def from_file(cls: type[_Self], path: str | PathLike[str], **sizes: int) -> _Self:
        """A document in a file. Files of ONNX, ZigZag, Stream, Timeloop and AccelForge are translated.

        ``sizes`` are those of dimensions that an ONNX model leaves open: ``Network.from_file("model.onnx", batch=1)``.
        :func:`import_files` also reports remarks on the translation.
        """
        found, _ = _fusescape.import_files([fspath(path)], list(sizes.items()), cls.kind == "transformer")
        for kind, text in found:
            if kind == cls.kind:
                return cls(text)
        kinds = " and ".join(kind for kind, _ in found) or "none that can be used here"
        raise FusescapeError([("", None, f"The file has no document of {cls.kind}, but {kinds}", "Name another file")])

    def replace(self: _Self, changes: Mapping[str, Any]) -> _Self:
        """The document with some values replaced; the rest of its text stays the same, including comments.

        Keys are paths as in diagnostics: ``{"memories[1].size": "128 KiB"}``. A missing field is added. A value is a
        number, a text, or a list or mapping of these.
        """
        texts = [(path, json.dumps(value, ensure_ascii=False)) for path, value in changes.items()]
        return type(self)(_fusescape.replaced(self.text, texts))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and (self.kind, self.text) == (other.kind, other.text)

    def __hash__(self) -> int:
        return hash((self.kind, self.text))

    def __reduce__(self) -> tuple[type[Document], tuple[str]]:
        return type(self), (self.text,)


class Memory(NamedTuple):
    """A memory of a core: its name, and the size of one instance in bits."""

    name: str
    size_bits: int


class Hardware(Document):
    """An accelerator core: a PE array, its memories, and their energies."""

    kind = "hardware"
    __slots__ = ()

    @property
    def pe_count(self) -> int:
        """Number of processing elements of the array."""
        return int(self._facts["pe_count"])

    @property
    def array(self) -> dict[str, int]:
        """Sizes of the array by dimension."""
        return {name: size for name, size in self._facts["array"]}

    @property
    def memories(self) -> tuple[Memory, ...]:
        """In the order of the document."""
        return tuple(Memory(memory["name"], memory["size_bits"]) for memory in self._facts["memories"])

    @property
    def clock_mhz(self) -> float | None:
        """``None`` if the document states no clock; then results have no power."""
        clock: float | None = self._facts["clock_mhz"]
        return clock


class Network(Document):
    """A deep neural network: its layers and their inputs."""

    kind = "network"
    __slots__ = ()

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the layers that compute something, in order."""
        return tuple(layer["name"] for layer in self._facts["layers"])

    @property
    def macs(self) -> int:
        """Multiply-accumulate operations of all layers."""
        return int(self._facts["macs"])


class System(Document):
    """A system of many cores, the links between them, and the off-chip memory (Stream)."""

    kind = "system"
    __slots__ = ()

    @property
    def cores(self) -> tuple[str, ...]:
        """Names of the cores, in the order of the document."""
        return tuple(self._facts["cores"])


class _OwnDocument(Document):
    """A document of a kind that exists in no other program."""

    __slots__ = ()

    @classmethod
    def from_file(cls: type[_Self], path: str | PathLike[str], **sizes: int) -> _Self:
        """A document in a file. ``sizes`` must be empty, as no size of such a document is left open."""
        if sizes:
            raise TypeError(f"A {cls.kind} has no sizes that are left open.")
        with open(path, "rb") as file:
            return cls(_fusescape.text_of(fspath(path), file.read()))


class Pool(_OwnDocument):
    """A pool of memories, from which hierarchies are generated (ZigZag, Section V)."""

    kind = "pool"
    __slots__ = ()

    @property
    def memories(self) -> tuple[str, ...]:
        """Names of the memories."""
        return tuple(self._facts["memories"])


class Transformer(Document):
    """A transformer: the sizes of its layers, which are all alike.

    ``from_file`` also reads an ONNX model that repeats the blocks of a transformer; :func:`import_files` reports what
    it leaves out.
    """

    kind = "transformer"
    __slots__ = ()

    @property
    def layers(self) -> int:
        """Number of layers."""
        return int(self._facts["layers"])

    @property
    def weights(self) -> int:
        """Number of weights of all layers, including those of all experts."""
        return int(self._facts["weights"])

    @property
    def is_decoder(self) -> bool:
        """Whether a token attends only to those before it, so that keys and values can be cached."""
        return bool(self._facts["is_decoder"])


class Imported(NamedTuple):
    """The documents in files of other programs, at most one of each kind, and a report on their translation."""

    hardware: Hardware | None
    network: Network | None
    system: System | None
    report: tuple[str, ...]
    transformer: Transformer | None = None


def import_files(
    *paths: str | PathLike[str], sizes: Mapping[str, int] | None = None, as_transformer: bool = False
) -> Imported:
    """Translates files that belong together: an ONNX model, or files of ZigZag, Stream, Timeloop or AccelForge.

    Formats are recognised by content. ``sizes`` are those of dimensions that an ONNX model leaves open, by name.
    ``as_transformer``: read an ONNX model as the transformer whose blocks it repeats, not as a network.
    """
    names = [fspath(path) for path in paths]
    found, report = _fusescape.import_files(names, list((sizes or {}).items()), as_transformer)
    texts = dict(found)
    return Imported(
        Hardware(texts["hardware"]) if "hardware" in texts else None,
        Network(texts["network"]) if "network" in texts else None,
        System(texts["system"]) if "system" in texts else None,
        tuple(report),
        Transformer(texts["transformer"]) if "transformer" in texts else None,
    )


def as_document(kind: type[_Self], given: _Self | str | PathLike[str] | Mapping[str, Any]) -> _Self:
    """A document given as such, as the name of a preset, the path of a file, or a mapping."""
    if isinstance(given, kind):
        return given
    if isinstance(given, Document):
        raise TypeError(f"{type(given).__name__} given where {kind.__name__} is needed")
    if isinstance(given, Mapping):
        return kind.from_dict(given)
    if isinstance(given, str) and not given.endswith((".yaml", ".yml", ".json", ".onnx")):
        return kind.preset(given)
    return kind.from_file(given)
