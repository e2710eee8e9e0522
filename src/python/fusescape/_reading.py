"""From JSON to typed results.

A field of a result is read by its own name (:func:`_read`); only renamed and combined fields are stated here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from ._documents import Hardware
from ._errors import Diagnostic
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
    Sweep,
)
from ._rows import DividedStep, Fusion, Hierarchy, ImpossiblePoint, Point, Power, SingleCore, Stack, StepCost, Tile
from .found import attention as of_attention
from .found import cores as of_cores
from .found import depth_first as of_depth_first
from .found import fuse as of_fuse
from .found import hierarchy as of_hierarchy
from .found import layer as of_layer
from .found import optimal as of_optimal
from .found import shared

_R = TypeVar("_R")
_Notes = tuple[Diagnostic, ...]


def _read(result: type[_R], found: Mapping[str, Any], **own: Any) -> _R:
    """A result: all fields that are not given are read from ``found`` by name."""
    names = (field.name for field in fields(result) if field.name not in own)  # type: ignore[arg-type]
    return result(**own, **{name: _fixed(found[name]) for name in names})


def _power(found: shared.Power | None) -> Power | None:
    return _read(Power, found) if found else None


def _fixed(value: Any) -> Any:
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


def _row(row: type[_R], found: Mapping[str, Any]) -> _R:
    """A row: the names of its fields are those of JSON, but for what tools/result-types.py calls otherwise."""
    columns, rows = found.get("tile_x_columns"), found.get("tile_y_rows")
    own = {
        "tile": None if columns is None or rows is None else Tile(columns, rows),
        "power": _power(found.get("power")),
        "energy": found.get("energy_pj_by_cause", found.get("energy")),
        "reasons": tuple(found.get("impossible", ())),
        "keys_in": found.get("keys_in", "").lower(),
    }
    names = {field.name for field in fields(row)}  # type: ignore[arg-type]
    return _read(row, found, **{name: value for name, value in own.items() if name in names})


def _rows(row: type[_R], found: Iterable[Mapping[str, Any]]) -> tuple[_R, ...]:
    return tuple(_row(row, each) for each in found)


def sweep(text: str, notes: _Notes) -> Sweep:
    found: of_depth_first.Report = json.loads(text)
    points = _rows(Point, (row for row in found["points"] if "impossible" not in row))
    return _read(
        Sweep,
        found,
        _json=text,
        notes=notes,
        network=found["workload"],
        points=points,
        impossible=_rows(ImpossiblePoint, (row for row in found["points"] if "impossible" in row)),
        best=next((point for point in points if point.is_best), None),
    )


def evaluation(text: str, notes: _Notes) -> Evaluation:
    found: of_depth_first.Report = json.loads(text)
    (point,) = _rows(Point, (row for row in found["points"] if "impossible" not in row))
    memories = (
        _read(MemoryTraffic, memory, operands="".join(memory["operands"])) for memory in found["account"]["memories"]
    )
    return _read(
        Evaluation, found, _json=text, notes=notes, network=found["workload"], point=point, memories=tuple(memories)
    )


def optimum(text: str, notes: _Notes) -> Optimum:
    found: of_optimal.Report = json.loads(text)
    return _read(
        Optimum,
        found,
        _json=text,
        notes=notes,
        network=found["workload"],
        power=_power(found["power"]),
        stacks=_rows(Stack, found["stacks"]),
        ways_to_cut=int(found["ways_to_cut"]),
    )


def fusions(text: str, notes: _Notes) -> Fusions:
    found: of_fuse.Report = json.loads(text)
    methods = (method for method in found["methods"] if "impossible" not in method)
    return _read(
        Fusions,
        found,
        _json=text,
        notes=notes,
        network=found["workload"],
        methods=tuple(_read(Fusion, method, stacks=_rows(Stack, method["stacks"])) for method in methods),
        impossible={
            method["method"]: tuple(method["impossible"]) for method in found["methods"] if "impossible" in method
        },
    )


def _layer(found: of_layer.BestMapped) -> Layer:
    unrolled: dict[str, tuple[Loop, ...]] = {}
    for dimension, _, dim, width in found["unrolled"]:
        unrolled[dimension] = (*unrolled.get(dimension, ()), Loop(dim, width))
    return _read(
        Layer,
        found,
        name=found["layer"],
        power=_power(found["power"]),
        loops=tuple(Loop(loop["dim"], loop["size"]) for loop in found["mapped"]["mapping"]["order"]),
        unrolled=unrolled,
        details=found,
    )


def layers(text: str, notes: _Notes, mapping: str) -> Layers:
    found: of_layer.Report = json.loads(text)
    return _read(
        Layers,
        found,
        _json=text,
        notes=notes,
        network=found["workload"],
        layers=tuple(_layer(layer) for layer in found["layers"] if "impossible" not in layer),
        impossible={layer["layer"]: tuple(layer["impossible"]) for layer in found["layers"] if "impossible" in layer},
        mapping=mapping,
    )


def hierarchies(text: str, notes: _Notes, document: str) -> Hierarchies:
    found: of_hierarchy.Report = json.loads(text)
    return _read(
        Hierarchies,
        found,
        _json=text,
        notes=notes,
        best=_row(Hierarchy, found["best"]),
        front=_rows(Hierarchy, found["front"]),
        hardware=Hardware(document),
    )


def cores_schedule(text: str, notes: _Notes, trace: str) -> CoresSchedule:
    found: of_cores.Report = json.loads(text)
    times = {core["name"]: {key: cycles for key, cycles in core.items() if key != "name"} for core in found["cores"]}
    return _read(
        CoresSchedule,
        found,
        _json=text,
        notes=notes,
        layers={layer["name"]: tuple(layer["cores"]) for layer in found["layers"]},
        times={core: {key.removesuffix("_cycles"): cycles for key, cycles in all.items()} for core, all in times.items()},
        links={link["name"]: link["busy_cycles"] for link in found["links"]},
        single_core=_row(SingleCore, found["single_core"]) if found["single_core"] else None,
        power=_power(found["power"]),
        trace=trace,
    )


_HELD = {
    "Streamed": "streamed",
    "Resident": "resident",
    "Recomputed": "recomputed",
    "InputsStay": "inputs-stay",
    "Kept": "kept",
}


def _kind(fusion: of_attention.Fusion) -> str:
    if isinstance(fusion, dict):
        return {"ThreePass": "rows, three passes", "TwoPass": "rows, two passes"}[fusion["Rows"]]
    return {"None": "unfused", "QueriesStay": "queries stay, one pass", "KeysStay": "keys stay, one pass"}[fusion]


def _attention_schedule(fusion: str, best: of_attention.Attention) -> AttentionSchedule:
    schedule = best["schedule"]
    return _read(
        AttentionSchedule,
        {**schedule, **best},
        fusion=fusion,
        held=_HELD[schedule["held"]],
        energy=best["energy_pj_by_cause"],
    )


def _block(found: of_attention.Block | None) -> AttentionBlock | None:
    if found is None:
        return None
    held = _HELD[found["schedule"]["held"]]
    return _read(AttentionBlock, found, held=held, energy=found["energy_pj_by_cause"])


def _generation(found: of_attention.Generation | None) -> Generation | None:
    if found is None:
        return None
    tokens = {token["cached"]: _row(StepCost, token["cost"]) for token in found["tokens"]}
    return _read(Generation, found, prefill=_row(StepCost, found["prefill"]), tokens=tokens)


def attention(text: str, notes: _Notes) -> Attention:
    found: of_attention.Report = json.loads(text)
    schedules = {row["fusion"]: _attention_schedule(row["fusion"], row["best"]) for row in found["schedules"] if row["best"]}
    again, best = found["recomputed"], found["best"]
    recomputed = _attention_schedule(_kind(again["schedule"]["fusion"]), again) if again else None
    return _read(
        Attention,
        found,
        _json=text,
        notes=notes,
        model=found["model"]["name"],
        layers=found["model"]["layers"],
        cost=_row(StepCost, found["all_layers"]),
        schedules=tuple(schedules.values()),
        recomputed=recomputed,
        best=recomputed if found["best_recomputes"] else schedules.get(best) if best else None,
        block=_block(found["block"]),
        keys_in=found["keys_in"].lower(),
        costs_with_keys_in={
            row["keys_in"].lower(): _row(StepCost, row["all_layers"]) if row["all_layers"] else None
            for row in found["all_layers_with_keys_in"]
        },
        compulsory_bytes=found["compulsory_bytes_of_a_layer"],
        generation=_generation(found["generation"]),
    )


def divided_attention(text: str, notes: _Notes) -> DividedAttention:
    found: of_attention.Report = json.loads(text)
    return _read(
        DividedAttention,
        found,
        _json=text,
        notes=notes,
        model=found["model"]["name"],
        one_core=_row(DividedStep, found["one_core"]),
        steps=_rows(DividedStep, found["divided"]),
        refused=tuple((way["split"], way["why"]) for way in found["not_divided"]),
    )


def published_attention(text: str, notes: _Notes) -> PublishedAttention:
    found: of_attention.Report = json.loads(text)
    dataflows = (_read(PublishedDataflow, row, name=row["dataflow"]) for row in found["published"])
    return PublishedAttention(_json=text, notes=notes, dataflows=tuple(dataflows))
