"""Scheduling deep neural networks on accelerators: DeFiNES, ZigZag, Stream, Optimus and HW-Flow-Fusion in one engine.

>>> import fusescape
>>> best = fusescape.depth_first("meta-proto-like-df", "fsrcnn-60", tiles=([4, 60], [4, 60])).best
>>> best.mode, best.tile, round(best.energy_pj / 1e6, 2)
('h-cached-v-recompute', Tile(columns=4, rows=60), 13.95)

Documents are valid once constructed: :class:`Hardware`, :class:`Network`, :class:`System`, :class:`Pool`,
:class:`Transformer`. Commands take a document, the name of a preset, the path of a file, or a mapping. They release
Python's lock, use all cores, end at once with Ctrl-C, and return typed results. Errors are reported together, as one
:class:`FusescapeError` with all reasons and remedies. ``docs/python.md`` has an example of each function.
"""

from ._commands import (
    attention,
    cores,
    depth_first,
    divided_attention,
    evaluate,
    fuse,
    hierarchies,
    map_layer,
    map_layers,
    optimal,
    published_attention,
)
from ._documents import Document, Hardware, Imported, Memory, Network, Pool, System, Transformer, import_files
from ._errors import Diagnostic, FusescapeError
from ._fusescape import Rows, __version__
from ._links import open_link, share_link
from ._results import (
    Attention,
    AttentionBlock,
    AttentionSchedule,
    CoresSchedule,
    DividedAttention,
    Evaluation,
    Fusions,
    Generation,
    Hierarchies,
    Layer,
    Layers,
    Loop,
    MemoryTraffic,
    Optimum,
    PublishedAttention,
    PublishedDataflow,
    Result,
    Sweep,
)
from ._rows import (
    DividedStep,
    Fusion,
    Hierarchy,
    ImpossiblePoint,
    Point,
    Power,
    SingleCore,
    Stack,
    StepCost,
    Tile,
)
from ._show import show
from ._study import Axis, Estimate, Study, StudyFront, StudyResults, study

__all__ = [
    "Attention",
    "AttentionBlock",
    "AttentionSchedule",
    "Axis",
    "CoresSchedule",
    "Diagnostic",
    "DividedAttention",
    "DividedStep",
    "Document",
    "Estimate",
    "Evaluation",
    "Fusion",
    "Fusions",
    "FusescapeError",
    "Generation",
    "Hardware",
    "Hierarchies",
    "Hierarchy",
    "ImpossiblePoint",
    "Imported",
    "Layer",
    "Layers",
    "Loop",
    "Memory",
    "MemoryTraffic",
    "Network",
    "Optimum",
    "Point",
    "Pool",
    "Power",
    "PublishedAttention",
    "PublishedDataflow",
    "Result",
    "Rows",
    "SingleCore",
    "Stack",
    "StepCost",
    "Study",
    "StudyFront",
    "StudyResults",
    "Sweep",
    "System",
    "Tile",
    "Transformer",
    "__version__",
    "attention",
    "cores",
    "depth_first",
    "divided_attention",
    "evaluate",
    "fuse",
    "hierarchies",
    "import_files",
    "map_layer",
    "map_layers",
    "open_link",
    "optimal",
    "published_attention",
    "share_link",
    "show",
    "study",
]
