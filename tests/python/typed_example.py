"""An example of typed code by a user, which mypy checks with --strict."""

from __future__ import annotations

import fusescape


def energy_of(core: fusescape.Hardware, network: str) -> dict[str, float]:
    """Energy of each mode at its best tile, mJ."""
    best: dict[str, float] = {}
    for point in fusescape.depth_first(core, network, progress=lambda done, count, what: None).points:
        best[point.mode] = min(point.energy_pj / 1e9, best.get(point.mode, float("inf")))
    return best


def layers_of(network: fusescape.Network) -> list[tuple[str, int]]:
    """Latency of each layer alone."""
    mapped = fusescape.map_layers("tpu-like", network, network.layers[:2], seconds=1.0)
    return [(layer.name, layer.latency_cycles) for layer in mapped.layers]


def reasons(text: str) -> list[str]:
    """The diagnostics of an invalid document."""
    try:
        fusescape.Hardware.from_text(text)
    except fusescape.FusescapeError as wrong:
        return [f"{diagnostic.line}: {diagnostic.reason}" for diagnostic in wrong.diagnostics]
    return []


if __name__ == "__main__":
    print(energy_of(fusescape.Hardware.preset("meta-proto-like-df"), "fsrcnn-60"))
    print(layers_of(fusescape.Network.preset("three-convs")))
    print(reasons("name: nothing"))
