"""The widget of :func:`fusescape.show`, by anywidget: the page in a frame of the notebook, with its contents as
traits."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Generic, TypeVar, get_args

import anywidget
import traitlets

from . import _fusescape
from ._documents import Document, Hardware, Network, as_document
from ._links import open_link, share_link
from ._show import Metric, View

FILES = Path(__file__).with_name("_page")
"""The page as ``tools/build-widget`` packs it: each file compressed by gzip."""

_Kind = TypeVar("_Kind", bound=Document)


class DocumentTrait(traitlets.TraitType[Any, Any], Generic[_Kind]):
    """A document, set in any form that functions take; the notebook receives its text."""

    def __init__(self, kind: type[_Kind]) -> None:
        super().__init__()
        self._kind = kind
        self.tag(sync=True, to_json=lambda document, _: document.text, from_json=lambda text, _: kind.from_text(text))

    def validate(self, obj: Any, value: Any) -> _Kind:
        """The document, if it is valid."""
        document: _Kind = as_document(self._kind, value)
        return document


class PageWidget(anywidget.AnyWidget):
    """The live page. Its traits are its contents; ``observe`` reports changes.

    Set by the notebook and changed by a reader of the page: ``hardware``, ``network`` (documents), ``view``, ``link``
    (the whole design and all choices, for ``https://HOST/#LINK``). Only to be set: ``metric``. Only to be read:

    - ``results``: ``status`` (``running``, ``done``, ``stopped``, ``rejected``), ``points``, ``points_done``, ``best``
      (``tile_x`` columns, ``tile_y`` rows, ``mode``, ``energy_pj``, ``latency_cycles``), ``opened`` (the same for the
      selected point), ``errors``
    - ``errors``: what the page refused of the last value set: ``place``, ``line``, ``reason``, ``remedy``
    """

    _esm = Path(__file__).with_name("_widget.js")

    hardware = DocumentTrait(Hardware)
    network = DocumentTrait(Network)
    view = traitlets.Enum(get_args(View), default_value="landscape").tag(sync=True)
    metric = traitlets.Enum(get_args(Metric), default_value=None, allow_none=True).tag(sync=True)
    link = traitlets.Unicode().tag(sync=True)
    results = traitlets.Dict(read_only=True).tag(sync=True)
    errors: traitlets.List[Any] = traitlets.List(read_only=True).tag(sync=True)

    _controls = traitlets.List(traitlets.Unicode()).tag(sync=True)
    _theme = traitlets.Unicode("auto").tag(sync=True)
    _height = traitlets.Int(None, allow_none=True).tag(sync=True)
    _build = traitlets.Unicode().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._send_files)

    @traitlets.validate("link")
    def _checked(self, proposal: dict[str, Any]) -> str:
        """The part behind the ``#`` of a link that the page can open."""
        link = str(proposal["value"]).rpartition("#")[2]
        _fusescape.linked(link)
        return link

    def _send_files(self, _widget: object, content: object, _buffers: object) -> None:
        if isinstance(content, dict) and content.get("type") == "files":
            files = sorted(FILES.glob("*.gz"))
            self.send({"type": "files", "names": [file.stem for file in files]}, [file.read_bytes() for file in files])


def page_widget(
    hardware: Hardware,
    network: Network,
    view: str,
    metric: str | None,
    link: str | None,
    controls: list[str],
    theme: str,
    height: int | None,
) -> PageWidget:
    """A widget that shows a design."""
    files = sorted(FILES.glob("*.gz"))
    if not files:
        raise RuntimeError(
            "This package was built without the page. Build the page before the package: make site python, then install the wheel again."
        )
    if link is None:
        link = share_link(hardware, network)
    else:
        hardware, network = open_link(link)
    # Browser tabs cache the files of a build under this name.
    build = f"{_fusescape.__version__} {sum(file.stat().st_size for file in files)} {max(file.stat().st_mtime_ns for file in files)}"
    return PageWidget(
        hardware=hardware,
        network=network,
        view=view,
        metric=metric,
        link=link,
        _controls=controls,
        _theme=theme,
        _height=height,
        _build=build,
    )
