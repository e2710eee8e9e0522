"""The live page in a notebook: the request. ``_widget.py`` shows the page, and needs anywidget."""

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
    """The live page as a widget of a notebook, shown as the last value of a cell. The page is part of the package, and
    needs no network.

    Changes on the page are read from the widget, and values set on the widget are shown on the page: see
    :class:`PageWidget`.

    :param link: a link of the page, opened instead of ``hardware`` and ``network``; its view is ignored.
    :param metric: the number that the landscape shows; by default that of the page.
    :param controls: parts of the design that can be changed on the page: ``hardware``, ``network``, ``schedule``,
        ``text`` (documents as text, and files), and single figures such as ``hardware.sram_64KB.size:4..256KiB``.
    :param theme: ``auto``: that of the notebook.
    :param height: CSS pixels; by default the height of the content.
    :raises ImportError: without the package anywidget.
    :raises FusescapeError: with all errors of documents or the link.
    """
    core, workload = as_document(Hardware, hardware), as_document(Network, network)
    try:
        from ._widget import page_widget
    except ImportError as why:
        raise ImportError("`fusescape.show` needs the package anywidget. Install it: pip install anywidget") from why
    return page_widget(core, workload, view, metric, link, list(controls), theme, height)
