"""Each command gives the same numbers as the command line, to the bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import fusescape
import pytest



class CommandLine(Protocol):
    """The fixture of ``conftest.py``."""

    def text(self, *arguments: str) -> str: ...

    def json(self, *arguments: str) -> dict[str, Any]: ...


CORE = ["--hardware", "meta-proto-like-df", "--workload", "fsrcnn-60"]
MAPPED = ["--hardware", "zigzag-8x8", "--workload", "alexnet-eyeriss"]
TOKEN = ["--hardware", "fusemax-like", "--model", "gpt2-small", "--tokens", "300"]
PAIR = ["--system", "ws-pair", "--workload", "three-convs", "--format", "json"]

Command = Callable[[], fusescape.Result[Any]]

CASES: dict[str, tuple[list[str], Command]] = {
    "evaluate": (
        ["depth-first", *CORE, "--tile", "60x4", "--mode", "fully-cached", "--format", "json"],
        lambda: fusescape.evaluate("meta-proto-like-df", "fsrcnn-60", tile=(60, 4)),
    ),
    "evaluate by the rules of a public tool": (
        ["depth-first", *CORE, "--tile", "60x4", "--mode", "h-cached-v-recompute", "--rules", "defines-2022", "--format", "json"],
        lambda: fusescape.evaluate("meta-proto-like-df", "fsrcnn-60", tile=(60, 4), mode="h-cached-v-recompute", rules="defines-2022"),
    ),
    "depth_first": (
        ["depth-first", *CORE, "--format", "json"],
        lambda: fusescape.depth_first("meta-proto-like-df", "fsrcnn-60"),
    ),
    "depth_first of stated tiles and cuts": (
        ["depth-first", *CORE, "--grid", "4,60x4", "--mode", "h-cached-v-recompute", "--stacks", "map2", "--objective", "edp"]
        + ["--strategy", "loma", "--lpf-limit", "5", "--format", "json"],
        lambda: fusescape.depth_first(
            "meta-proto-like-df",
            "fsrcnn-60",
            tiles=([4, 60], [4]),
            modes=["h-cached-v-recompute"],
            stacks=["map2"],
            objective="edp",
            strategy="loma",
            lpf_limit=5,
        ),
    ),
    "optimal": (
        ["depth-first", *CORE, "--grid", "4,60x4,60", "--stacks", "optimal", "--most-layers", "3", "--format", "json"],
        lambda: fusescape.optimal("meta-proto-like-df", "fsrcnn-60", tiles=([4, 60], [4, 60]), most_layers=3),
    ),
    "fuse": (
        ["fuse", *CORE, "--grid", "4,60x4,60", "--format", "json"],
        lambda: fusescape.fuse("meta-proto-like-df", "fsrcnn-60", tiles=([4, 60], [4, 60])),
    ),
    "map_layers": (
        ["layer", *CORE, "--json"],
        lambda: fusescape.map_layers("meta-proto-like-df", "fsrcnn-60"),
    ),
    "map_layers with searched unrollings": (
        ["layer", *MAPPED, "--layer", "conv3", "--unroll", "search", "--lpf-limit", "4", "--hint", "D1=K,C", "--json"],
        lambda: fusescape.map_layers(
            "zigzag-8x8", "alexnet-eyeriss", ["conv3"], unroll="search", lpf_limit=4, hints={"D1": ["K", "C"]}
        ),
    ),
    "map_layers among blockings": (
        ["layer", *MAPPED, "--layer", "conv3", "--strategy", "heuristic", "--lpf-limit", "5", "--json"],
        lambda: fusescape.map_layers("zigzag-8x8", "alexnet-eyeriss", ["conv3"], strategy="heuristic", lpf_limit=5),
    ),
    "hierarchies": (
        ["hierarchy", "--workload", "alexnet-eyeriss", "--layer", "conv3", "--max-levels", "1", "--format", "json"],
        lambda: fusescape.hierarchies("alexnet-eyeriss", layers=["conv3"], max_levels=1),
    ),
    "cores": (
        ["cores", *PAIR],
        lambda: fusescape.cores("ws-pair", "three-convs"),
    ),
    "attention": (
        ["attention", *TOKEN, "--bits", "activations=16,keys=8,weights=4", "--generate", "3", "--chunk", "100"]
        + ["--batch", "2", "--objective", "latency", "--format", "json"],
        lambda: fusescape.attention(
            "fusemax-like",
            "gpt2-small",
            tokens=300,
            bits={"activations": 16, "keys": 8, "weights": 4},
            generate=3,
            chunk=100,
            batch=2,
            objective="latency",
        ),
    ),
    "attention of a token that does not see itself": (
        ["attention", "--hardware", "tpu-like-df", "--model", "gpt2-small", "--tokens", "1", "--cached", "500", "--blind"]
        + ["--format", "json"],
        lambda: fusescape.attention("tpu-like-df", "gpt2-small", tokens=1, cached=500, sees_itself=False),
    ),
    "attention that computes keys and values again": (
        ["attention", "--hardware", "fusemax-like", "--model", "vit-b16", "--tokens", "197", "--format", "json"],
        lambda: fusescape.attention("fusemax-like", "vit-b16", tokens=197),
    ),
    "a state-space model": (
        ["attention", "--hardware", "fusemax-like", "--model", "mamba-130m", "--tokens", "300", "--generate", "3", "--format", "json"],
        lambda: fusescape.attention("fusemax-like", "mamba-130m", tokens=300, generate=3),
    ),
    "divided_attention": (
        ["attention", "--model", "gpt2-small", "--tokens", "64", "--cores", "4", "--link-width", "256", "--link-energy", "0.5"]
        + ["--objective", "latency", "--format", "json"],
        lambda: fusescape.divided_attention(
            "fusemax-like", "gpt2-small", tokens=64, cores=4, link_width=256, link_energy=0.5, objective="latency"
        ),
    ),
    "published_attention": (
        ["attention", "--published", "--model", "bert-base", "--batch", "64", "--tokens", "1024", "--as-published", "--format", "json"],
        lambda: fusescape.published_attention("bert-base", tokens=1024, batch=64, as_published=True),
    ),
    "cores that evolution chooses": (
        ["cores", *PAIR, "--tiles", "4", "--allocation", "genetic", "--generations", "3"],
        lambda: fusescape.cores("ws-pair", "three-convs", tiles=4, allocation="genetic", generations=3),
    ),
}


# Times, counts that depend on the timing of threads, and the commit.
DIFFER = ("seconds", "mapping_problems_searched", "strategies_ruled_out_by_bounds", "commit")


def without_times(found: Any) -> Any:
    """A report without the fields that differ between runs."""
    if isinstance(found, dict):
        return {key: without_times(value) for key, value in found.items() if key not in DIFFER}
    if isinstance(found, list):
        return [without_times(value) for value in found]
    return found


def test_a_link_is_that_of_the_command_line(command_line: CommandLine) -> None:
    printed = command_line.text("link", "make", *CORE, "--site", "https://here/")
    assert fusescape.share_link("meta-proto-like-df", "fsrcnn-60", "https://here/") + "\n" == printed
    changed = fusescape.Hardware.preset("zigzag-8x8").replace({"memories[0].size": "128 B"})
    network = fusescape.Network.preset("three-convs")
    assert fusescape.open_link(fusescape.share_link(changed, network)) == (changed, network)
    with pytest.raises(fusescape.FusescapeError):
        fusescape.open_link("https://here/#nonsense")


@pytest.mark.parametrize("name", CASES)
def test_numbers_equal_those_of_the_command_line(name: str, command_line: CommandLine) -> None:
    arguments, command = CASES[name]
    # Numbers are compared as Python reads them: integers, or floating-point numbers to the last bit.
    assert without_times(command().to_dict()) == without_times(command_line.json(*arguments))
