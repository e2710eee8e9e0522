"""The commands of the command line, run by the same code, with typed results."""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias, TypeVar

from . import _fusescape, _reading
from ._documents import Hardware, Network, Pool, System, Transformer, as_document
from ._errors import Diagnostic
from ._options import (
    AttentionOptions,
    CoresOptions,
    EvaluateOptions,
    HierarchyOptions,
    LayerOptions,
    LinkOptions,
    Mode,
    PublishedOptions,
    StackOptions,
    StepOptions,
    SweepOptions,
)
from ._results import (
    Attention,
    CoresSchedule,
    DividedAttention,
    Evaluation,
    Fusions,
    Hierarchies,
    Layer,
    Layers,
    Optimum,
    PublishedAttention,
    Sweep,
)

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

HardwareLike: TypeAlias = "Hardware | str | PathLike[str] | Mapping[str, Any]"
NetworkLike: TypeAlias = "Network | str | PathLike[str] | Mapping[str, Any]"
SystemLike: TypeAlias = "System | str | PathLike[str] | Mapping[str, Any]"
PoolLike: TypeAlias = "Pool | str | PathLike[str] | Mapping[str, Any]"
TransformerLike: TypeAlias = "Transformer | str | PathLike[str] | Mapping[str, Any]"

Progress: TypeAlias = "Callable[[int, int, str], object] | bool"
"""A function of the number of parts done, the number of all parts, and what the parts are. It is called at most every
20 ms from the thread that called the command; if it raises an exception, the command stops. ``True``: a bar of tqdm, if
that is installed."""


_Command = TypeVar("_Command", bound=Callable[..., object])


def _takes(options: type[Any]) -> Callable[[_Command], _Command]:
    """A command's help and signature describe its options."""

    def described(command: _Command) -> _Command:
        # Python 3.13 takes indents away by itself.
        command.__doc__ = "\n\n".join(inspect.cleandoc(thing.__doc__ or "") for thing in (command, options))
        signature = inspect.signature(command)
        own = [given for given in signature.parameters.values() if given.kind is not inspect.Parameter.VAR_KEYWORD]
        others = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=..., annotation=annotation)
            for name, annotation in options.__annotations__.items()
        ]
        # Notebooks complete the names in it.
        vars(command)["__signature__"] = signature.replace(parameters=[*own, *others])
        return command

    return described


@_takes(EvaluateOptions)
def evaluate(
    hardware: HardwareLike,
    network: NetworkLike,
    *,
    tile: tuple[int, int],
    mode: Mode = "fully-cached",
    progress: Progress = False,
    **options: Unpack[EvaluateOptions],
) -> Evaluation:
    """Costs of one depth-first schedule of a network on a core (DeFiNES).

    :param tile: columns and rows of a tile of the last feature map of each stack.
    :param mode: what is kept of the overlap of tiles.
    :raises FusescapeError: with all that is wrong, or why the schedule cannot be.
    """
    given = _given(options, EvaluateOptions) | _given({"tiles": ([tile[0]], [tile[1]]), "modes": [mode]}, SweepOptions)
    core, workload = as_document(Hardware, hardware).text, as_document(Network, network).text
    return _reading.evaluation(*_noted(_fusescape.depth_first(core, workload, given, True, told(progress))))


@_takes(SweepOptions)
def depth_first(
    hardware: HardwareLike,
    network: NetworkLike,
    *,
    progress: Progress = False,
    **options: Unpack[SweepOptions],
) -> Sweep:
    """Costs of depth-first schedules: all widths with all heights of tiles, in each overlap storing mode
    (DeFiNES, Fig. 12).

    :raises FusescapeError: with all that is wrong. A point that cannot be scheduled is none: ``Sweep.impossible`` says why.
    """
    given = _given(options, SweepOptions)
    core, workload = as_document(Hardware, hardware).text, as_document(Network, network).text
    return _reading.sweep(*_noted(_fusescape.depth_first(core, workload, given, False, told(progress))))


@_takes(StackOptions)
def optimal(
    hardware: HardwareLike,
    network: NetworkLike,
    *,
    progress: Progress = False,
    **options: Unpack[StackOptions],
) -> Optimum:
    """Stacks, tile sizes and modes of a network that are jointly optimal.

    :raises FusescapeError: with all that is wrong, or why no stacks can be scheduled.
    """
    given = _given(options, StackOptions)
    core, workload = as_document(Hardware, hardware).text, as_document(Network, network).text
    return _reading.optimum(*_noted(_fusescape.optimal(core, workload, given, told(progress))))


@_takes(StackOptions)
def fuse(
    hardware: HardwareLike,
    network: NetworkLike,
    *,
    progress: Progress = False,
    **options: Unpack[StackOptions],
) -> Fusions:
    """Methods that choose which layers are fused, each evaluated by the whole cost model: single layers, DeFiNES' rule,
    HW-Flow-Fusion's sequences, Optimus' groups, and the joint optimum.

    :raises FusescapeError: with all errors. A method without a result is no error: ``Fusions.impossible`` has the
        reasons.
    """
    given = _given(options, StackOptions)
    core, workload = as_document(Hardware, hardware).text, as_document(Network, network).text
    return _reading.fusions(*_noted(_fusescape.fuse(core, workload, given, told(progress))))


@_takes(LayerOptions)
def map_layer(
    hardware: HardwareLike,
    network: NetworkLike,
    layer: str,
    *,
    progress: Progress = False,
    **options: Unpack[LayerOptions],
) -> Layer:
    """The best mapping of one layer on a core (ZigZag), or what a given one costs.

    :raises FusescapeError: with all errors, or with the reasons why the layer cannot be mapped.
    """
    given = _given(options, LayerOptions) | {"layers": [layer]}
    core, workload = as_document(Hardware, hardware).text, as_document(Network, network).text
    found = _fusescape.map_layers(core, workload, given, True, told(progress))
    return _reading.layers(*_noted(found[:2]), found[2]).layers[0]


@_takes(LayerOptions)
def map_layers(
    hardware: HardwareLike,
    network: NetworkLike,
    layers: Sequence[str] = (),
    *,
    progress: Progress = False,
    **options: Unpack[LayerOptions],
) -> Layers:
    """The best mappings of layers on a core (ZigZag), each layer by itself. ``Layers.mapping`` is a document for the option ``mapping``.

    :param layers: names of layers; all where none is named.
    :raises FusescapeError: with all that is wrong. A layer that cannot be mapped is none: ``Layers.impossible`` says why.
    """
    given = _given(options, LayerOptions) | {"layers": [layers] if isinstance(layers, str) else list(layers)}
    core, workload = as_document(Hardware, hardware).text, as_document(Network, network).text
    found = _fusescape.map_layers(core, workload, given, False, told(progress))
    return _reading.layers(*_noted(found[:2]), found[2])


@_takes(HierarchyOptions)
def hierarchies(
    network: NetworkLike,
    *,
    pool: PoolLike = "zigzag-65nm",
    hardware: HardwareLike = "zigzag-8x8",
    progress: Progress = False,
    **options: Unpack[HierarchyOptions],
) -> Hierarchies:
    """Searches all memory hierarchies from a pool for the best ones for a network (ZigZag, Section V).

    :param hardware: the PE array, its unrolling and the highest memory.
    :raises FusescapeError: with all that is wrong, or why no hierarchy fits.
    """
    given = _given(options, HierarchyOptions)
    texts = as_document(Pool, pool).text, as_document(Hardware, hardware).text, as_document(Network, network).text
    found = _fusescape.hierarchies(*texts, given, told(progress))
    return _reading.hierarchies(*_noted(found[:2]), found[2])


@_takes(CoresOptions)
def cores(
    system: SystemLike,
    network: NetworkLike,
    *,
    hardware: HardwareLike = "tpu-like",
    progress: Progress = False,
    **options: Unpack[CoresOptions],
) -> CoresSchedule:
    """The best schedule of a network on many cores: computation tiles, their cores, and the transfers between them
    (Stream).

    :param hardware: cores of which the system says nothing.
    :raises FusescapeError: with all that is wrong, or why nothing can be scheduled.
    """
    given = _given(options, CoresOptions)
    texts = as_document(System, system).text, as_document(Hardware, hardware).text, as_document(Network, network).text
    found = _fusescape.cores(*texts, given, told(progress))
    return _reading.cores_schedule(*_noted(found[:2]), found[2])


@_takes(AttentionOptions)
def attention(
    hardware: HardwareLike,
    model: TransformerLike,
    *,
    progress: Progress = False,
    **options: Unpack[AttentionOptions],
) -> Attention:
    """One step of a transformer on a core: attention, in the best schedule of each kind from unfused to one pass (FLAT,
    FuseMax), and the products and norms around it. One layer is scheduled; all layers are alike.

    :raises FusescapeError: with all that is wrong, or what does not fit on the chip.
    """
    given = _given(options, AttentionOptions)
    core, text = as_document(Hardware, hardware).text, as_document(Transformer, model).text
    return _reading.attention(*_noted(_fusescape.attention(core, text, given, told(progress))))


class DividedOptions(StepOptions, LinkOptions):
    """Of a step, and of the cores among which it is divided."""


@_takes(LinkOptions)
@_takes(StepOptions)
def divided_attention(
    hardware: HardwareLike,
    model: TransformerLike,
    *,
    cores: int,
    progress: Progress = False,
    **options: Unpack[DividedOptions],
) -> DividedAttention:
    """One step of a transformer on several identical cores with one DRAM, divided in every way that uses all of them:
    by heads and hidden channels (tensor parallelism), queries, keys, sequences, and layers one after the other (a
    pipeline).

    :param cores: number of cores.
    :raises FusescapeError: with all that is wrong, or what one core cannot compute.
    """
    given = _given(options, DividedOptions)
    of_links = LinkOptions.__optional_keys__
    links = {"cores": cores} | {name: value for name, value in given.items() if name in of_links}
    step = {name: value for name, value in given.items() if name not in of_links}
    core, text = as_document(Hardware, hardware).text, as_document(Transformer, model).text
    return _reading.divided_attention(*_noted(_fusescape.divided_attention(core, text, step, links, told(progress))))


@_takes(PublishedOptions)
def published_attention(
    model: TransformerLike, *, as_published: bool = False, **options: Unpack[PublishedOptions]
) -> PublishedAttention:
    """The five dataflows of the FuseMax artifact (MICRO 2024) for the heads and tokens of a model, each on the
    artifact's own machine: unfused, FLAT in its fastest configuration, +cascade, +architecture, +binding. All scores
    are counted, without a causal mask.

    :param as_published: use the artifact's rules, including its defects.
    :raises FusescapeError: with all errors.
    """
    given = _given(options, PublishedOptions)
    text = as_document(Transformer, model).text
    found = _fusescape.published_attention(Hardware.preset("fusemax-like").text, text, given, as_published)
    return _reading.published_attention(*_noted(found))


def _given(options: Mapping[str, object], known: Any) -> dict[str, object]:
    """Options as the compiled half takes them: it has the defaults of all that are left out."""
    for name in options.keys() - known.__optional_keys__:
        raise TypeError(f"got an unexpected keyword argument {name!r}")
    given = {name: _plain(value) for name, value in options.items() if value is not None}
    if isinstance(given.get("modes"), str):
        given["modes"] = [given["modes"]]
    return given


def _plain(value: object) -> object:
    """Numbers, texts, lists and dictionaries in the place of what is like them, as numbers and arrays of NumPy are."""
    if isinstance(value, bool | str | float):
        return value
    if isinstance(value, Mapping):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, Iterable):
        return [_plain(member) for member in value]
    return operator.index(value) if isinstance(value, SupportsIndex) else value


def _noted(found: tuple[str, list[tuple[str, int | None, str, str]]]) -> tuple[str, tuple[Diagnostic, ...]]:
    text, notes = found
    return text, tuple(Diagnostic(*note) for note in notes)


def told(progress: Progress) -> Callable[[int, int, str], object] | None:
    """The function called with the progress of a command; ``None`` if there is none."""
    if progress is False:
        return None
    if progress is not True:
        return progress
    try:
        from ._bar import Bar
    except ImportError:
        return None
    return Bar()
