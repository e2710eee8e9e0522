"""The live page in a notebook: what is asked for. ``_widget.py`` is what shows it, and needs anywidget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from ._commands import HardwareLike, NetworkLike
from ._documents import Hardware, Network, as_document

if TYPE_CHECKING:
    from ._widget import PageWidget

View: TypeAlias = Literal[
    "landscape",
    "comparison",
    "trade-off",
    "schedule",
    "mapping",
    "fusion",
    "cores",
    "hierarchy",
    "compare",
    "lessons",
    "attention",
]
"""A view of the page, or a part of the landscape."""

Metric: TypeAlias = Literal["energy", "latency", "edp", "dram-accesses", "macs"]
"""The number that the landscape shows."""


def show(
    hardware: HardwareLike = "meta-proto-like-df",
    network: NetworkLike = "fsrcnn",
    *,
    view: View = "landscape",
    metric: Metric | None = None,
    link: str | None = None,
    controls: Sequence[str] = ("hardware", "network", "schedule"),
    theme: Literal["auto", "light", "dark"] = "auto",
    height: int | None = None,
) -> PageWidget:
    """The live page as a widget of a notebook, as its cell's last value; it is part of the package, and asks no host for anything.

    What is changed on the page is read from the widget, and what is set on the widget is shown on the page: see :class:`PageWidget`.

    :param link: opens all that a link of the page holds but its view, instead of ``hardware`` and ``network``.
    :param metric: the number that the landscape shows; as the page has it where it is left out.
    :param controls: what of the design can be changed on the page: ``hardware``, ``network``, ``schedule``, ``text`` (documents as text, and
        files), and single figures such as ``hardware.sram_64KB.size:4..256KiB``.
    :param theme: ``auto``: as the notebook has it.
    :param height: CSS pixels; as high as its content where it is left out.
    :raises ImportError: without the package anywidget.
    :raises FusescapeError: with all that is wrong with documents or the link.
    """
    core, workload = as_document(Hardware, hardware), as_document(Network, network)
    try:
        from ._widget import page_widget
    except ImportError as why:
        raise ImportError("`fusescape.show` needs the package anywidget. Install it: pip install anywidget") from why
    return page_widget(core, workload, view, metric, link, list(controls), theme, height)
