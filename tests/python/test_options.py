"""Options: all errors are reported at once, each with its remedy, and impossible results with their reasons."""

from __future__ import annotations

import inspect

import fusescape
import pytest
from fusescape import FusescapeError


def wrong_options(told: pytest.ExceptionInfo[FusescapeError]) -> dict[str, str]:
    return {diagnostic.path: diagnostic.remedy for diagnostic in told.value.diagnostics}


def test_all_wrong_options_are_told_at_once() -> None:
    with pytest.raises(FusescapeError) as told:
        fusescape.depth_first(
            "zigzag-8x8",
            "three-convs",
            modes=["cached"],  # type: ignore[list-item]
            objective="enrgy",
            strategy="best",  # type: ignore[arg-type]
            rules="zigzag",  # type: ignore[arg-type]
        )
    wrong = wrong_options(told)
    assert set(wrong) == {"modes", "objective", "strategy", "rules"}
    assert "did you mean `energy`" in wrong["objective"]
    assert "zigzag-3.8" in wrong["rules"]


@pytest.mark.parametrize(
    ("option", "value"),
    [("unroll", "all"), ("seconds", -1.0), ("min_utilization", 2.0), ("hints", {"D1": ["Q"]}), ("strategy", "fast")],
)
def test_a_wrong_option_of_layers_is_told(option: str, value: object) -> None:
    with pytest.raises(FusescapeError) as told:
        fusescape.map_layers("zigzag-8x8", "three-convs", **{option: value})  # type: ignore[arg-type]
    assert set(wrong_options(told)) == {option}


@pytest.mark.parametrize(
    ("option", "value"),
    [("individuals", 1), ("generations", 10_001), ("order", "last"), ("objective", "area"), ("allocation", "c7")],
)
def test_a_wrong_option_of_cores_is_told(option: str, value: object) -> None:
    with pytest.raises(FusescapeError) as told:
        fusescape.cores("ws-pair", "three-convs", tiles=4, **{option: value})  # type: ignore[arg-type]
    assert set(wrong_options(told)) == {option}


def test_wrong_options_of_attention_are_told_at_once() -> None:
    with pytest.raises(FusescapeError) as told:
        fusescape.attention(
            "fusemax-like",
            "gpt2-small",
            bits={"activatons": 8},
            objective="dram-accesses",  # type: ignore[arg-type]
            chunk=64,
        )
    wrong = wrong_options(told)
    assert set(wrong) == {"bits", "objective", "chunk"}
    assert "did you mean `activations`" in wrong["bits"] and "`generate`" in wrong["chunk"]
    # Values that the engine refuses are reported with their place.
    with pytest.raises(FusescapeError) as told:
        fusescape.attention("fusemax-like", "bert-base", tokens=0)
    assert set(wrong_options(told)) == {"step.tokens"}
    with pytest.raises(FusescapeError, match="encoder"):
        fusescape.attention("fusemax-like", "bert-base", tokens=16, generate=4)


def test_options_that_exclude_each_other_are_told() -> None:
    with pytest.raises(FusescapeError) as told:
        fusescape.map_layers(
            "zigzag-8x8", "three-convs", strategy="iterative", unroll="search", seconds=1.0, objective="latency"
        )
    assert set(wrong_options(told)) == {"unroll", "seconds", "objective"}


def test_an_unknown_layer_is_told() -> None:
    with pytest.raises(FusescapeError, match=r"Did you mean `conv\d`\?"):
        fusescape.map_layer("zigzag-8x8", "three-convs", "conv9")


TINY = """
name: tiny
array:
  dimensions: {D1: 2}
  mac_energy: 1 pJ
memories:
  - {name: dram, size: 64 bit, operands: [W, I, O], width: 64 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all}
"""


def test_what_cannot_be_says_why() -> None:
    tiny = fusescape.Hardware.from_text(TINY)
    with pytest.raises(FusescapeError) as told:
        fusescape.map_layer(tiny, "three-convs", "conv1")
    assert all(reason.remedy for reason in told.value.diagnostics)
    with pytest.raises(FusescapeError):
        fusescape.evaluate(tiny, "three-convs", tile=(4, 4))
    sweep = fusescape.depth_first(tiny, "three-convs", tiles=([4], [4, 16]))
    assert (sweep.points, sweep.best, sweep.pareto_front) == ((), None, ())
    assert len(sweep.impossible) == 6 and all(point.reasons for point in sweep.impossible)
    layers = fusescape.map_layers(tiny, "three-convs")
    assert layers.layers == () and list(layers.impossible) == ["conv1", "conv2", "conv3"]


def test_the_signature_of_a_command_names_its_options() -> None:
    named = inspect.signature(fusescape.depth_first).parameters
    assert {"hardware", "network", "progress", "modes", "tiles", "objective", "rules"} <= set(named)
    assert "options" not in named
