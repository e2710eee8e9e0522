"""The Python side of the page's widget; ``tests/browser/thorough/notebook.test.mjs`` tests it in JupyterLab."""

from __future__ import annotations

import gzip
import re
import sys
from pathlib import Path
from typing import Any, get_args

import fusescape
import pytest
from fusescape import _show, _widget

ROOT = Path(__file__).parents[2]


class Tab:
    """The notebook's side of a widget: records messages, and sends its own."""

    def __init__(self, widget: _widget.PageWidget) -> None:
        self.widget = widget
        self.sent: list[tuple[Any, list[bytes]]] = []
        widget.send = lambda content, buffers=None: self.sent.append((content, buffers or []))

    def says(self, content: dict[str, Any]) -> None:
        """Sends a custom message."""
        self.widget._handle_custom_msg(content, [])

    def sets(self, **state: Any) -> None:
        """Sends values changed by a reader of the page."""
        self.widget.set_state(state)


def test_it_is_what_was_asked_for() -> None:
    core = fusescape.Hardware.preset("zigzag-8x8").replace({"memories[0].size": "128 B"})
    page = fusescape.show(core, "three-convs", view="mapping", metric="latency", controls=["hardware"], theme="dark", height=500)
    assert (page.hardware, page.network) == (core, fusescape.Network.preset("three-convs"))
    assert (page.view, page.metric, page.results, page.errors) == ("mapping", "latency", {}, [])
    assert fusescape.open_link(page.link) == (page.hardware, page.network)
    # As received by the notebook.
    state = page.get_state()
    assert state["hardware"] == core.text and state["network"] == page.network.text
    assert (state["_controls"], state["_theme"], state["_height"]) == (["hardware"], "dark", 500)
    linked = fusescape.show(link=f"https://here/#{page.link}")
    assert (linked.link, linked.hardware, linked.network) == (page.link, page.hardware, page.network)


def test_documents_are_set_as_functions_take_them_and_are_right() -> None:
    page = fusescape.show()
    page.network = "fsrcnn-60"
    assert page.network == fusescape.Network.preset("fsrcnn-60")
    with pytest.raises(fusescape.FusescapeError, match="Did you mean `tpu-like-df`"):
        page.hardware = "tpu-lik-df"
    with pytest.raises(fusescape.FusescapeError):
        page.link = "#nonsense"
    with pytest.raises(TypeError, match="Network given where Hardware is needed"):
        page.hardware = page.network
    with pytest.raises(Exception, match="landscap"):
        page.view = "landscap"
    assert page.hardware == fusescape.Hardware.preset("meta-proto-like-df")


def test_what_a_reader_changes_is_read_and_observed() -> None:
    page = fusescape.show()
    heard: list[str] = []
    page.observe(lambda change: heard.append(change["name"]), ["hardware", "results"])
    other = fusescape.Hardware.preset("tpu-like-df")
    link = fusescape.share_link(other, page.network).lstrip("#")
    Tab(page).sets(hardware=other.text, link=link, results={"status": "done", "points": 108}, view="trade-off")
    assert (page.hardware, page.link, page.view) == (other, link, "trade-off")
    assert page.results["status"] == "done"
    assert sorted(heard) == ["hardware", "results"]


def test_the_page_comes_in_messages() -> None:
    tab = Tab(fusescape.show())
    tab.says({"type": "something else"})
    assert not tab.sent
    tab.says({"type": "files"})
    [(content, buffers)] = tab.sent
    assert content["type"] == "files"
    files = dict(zip(content["names"], map(gzip.decompress, buffers), strict=True))
    assert {"page.js", "worker.js", "style.css", "fusescape_bg.wasm", "split_others.wasm"} <= set(files)
    assert all(bytes[:4] == b"\0asm" for name, bytes in files.items() if name.endswith(".wasm"))
    # The files fetched by its scripts exist.
    for script in ("page.js", "worker.js"):
        fetched = set(re.findall(r"[\w-]+\.(?:wasm|js|css)\b", files[script].decode()))
        assert {name for name in fetched if name.endswith(".wasm")} <= set(files), script


def test_its_names_are_those_of_the_page() -> None:
    page = (ROOT / "www/EMBED.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith("| `view` |"))
    assert get_args(_show.View) == tuple(re.findall(r"`([a-z-]+)`", row.split("|")[2]))
    metrics = re.search(r"`metric` is (.*?)\.", page)
    assert metrics and get_args(_show.Metric) == tuple(re.findall(r"`([a-z-]+)`", metrics[1]))


def test_what_it_lacks_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(_widget, "FILES", tmp_path)
        with pytest.raises(RuntimeError, match="built without the page.*make site python"):
            fusescape.show()
    monkeypatch.delitem(sys.modules, "fusescape._widget")
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match="pip install anywidget"):
        fusescape.show()
    # Everything else works without anywidget.
    assert fusescape.Hardware.presets()
