"""Links to the page."""

from __future__ import annotations

from . import _fusescape
from ._commands import HardwareLike, NetworkLike
from ._documents import Hardware, Network, as_document


def share_link(hardware: HardwareLike, network: NetworkLike, site: str = "") -> str:
    """A link that opens the page with a core and a network. ``site`` is the address of the page."""
    return _fusescape.share_link(as_document(Hardware, hardware).text, as_document(Network, network).text, site)


def open_link(link: str) -> tuple[Hardware, Network]:
    """The core and the network in a link to the page, with or without the address in front."""
    hardware, network = _fusescape.linked(link)
    return Hardware(hardware), Network(network)
