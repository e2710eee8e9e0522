"""From JSON to typed results."""

from __future__ import annotations

import json
from typing import Any

from ._documents import Hardware
from ._errors import Diagnostic
from ._results import (
    Attention,
    AttentionBlock,
    AttentionSchedule,
    CoresSchedule,
    DividedAttention,
    DividedStep,
    Evaluation,
    Fusion,
    Fusions,
    Generation,
    Hierarchies,
    Hierarchy,
    ImpossiblePoint,
    Layer,
    Layers,
    Loop,
    MemoryTraffic,
    Optimum,
    Point,
    Power,
    PublishedAttention,
    PublishedDataflow,
    SingleCore,
    Stack,
    StepCost,
    Sweep,
    Tile,
)


def _power(found: dict[str, Any] | None) -> Power | None:
    return Power(**found) if found else None


def _tile(found: dict[str, Any]) -> Tile | None:
    columns, rows = found["tile_x_columns"], found["tile_y_rows"]
    return None if columns is None or rows is None else Tile(columns, rows)


def _point(found: dict[str, Any]) -> Point:
    names = ("mode", "stacks", "energy_pj", "latency_cycles", "macs", "dram_words", "score", "is_best")
    same = {name: found[name] for name in (*names, "is_pareto_optimal", "energy", "latency")}
    return Point(tile=_tile(found), power=_power(found["power"]), **same)


def _impossible(found: dict[str, Any]) -> ImpossiblePoint:
    return ImpossiblePoint(found["mode"], _tile(found), found["stacks"], tuple(found["impossible"]))


def _stack(found: dict[str, Any]) -> Stack:
    names = ("mode", "tiles", "energy_pj", "latency_cycles", "dram_words", "score")
    return Stack(layers=tuple(found["layers"]), tile=_tile(found), **{name: found[name] for name in names})


def sweep(text: str, notes: tuple[Diagnostic, ...]) -> Sweep:
    found = json.loads(text)
    points = tuple(_point(row) for row in found["points"] if "impossible" not in row)
    return Sweep(
        _json=text,
        notes=notes,
        hardware=found["hardware"],
        network=found["workload"],
        points=points,
        impossible=tuple(_impossible(row) for row in found["points"] if "impossible" in row),
        mapping_problems=found["mapping_problems"],
        best=next((point for point in points if point.is_best), None),
    )


def evaluation(text: str, notes: tuple[Diagnostic, ...]) -> Evaluation:
    found = json.loads(text)
    names = ("name", "instances", "words", "energy_pj")
    return Evaluation(
        _json=text,
        notes=notes,
        hardware=found["hardware"],
        network=found["workload"],
        point=_point(found["points"][0]),
        memories=tuple(
            MemoryTraffic(operands="".join(memory["operands"]), **{name: memory[name] for name in names})
            for memory in found["account"]["memories"]
        ),
    )


def optimum(text: str, notes: tuple[Diagnostic, ...]) -> Optimum:
    found = json.loads(text)
    names = ("hardware", "energy_pj", "latency_cycles", "score", "cuts", "stacks_considered")
    return Optimum(
        _json=text,
        notes=notes,
        network=found["workload"],
        power=_power(found["power"]),
        stacks=tuple(map(_stack, found["stacks"])),
        ways_to_cut=int(found["ways_to_cut"]),
        **{name: found[name] for name in names},
    )


def fusions(text: str, notes: tuple[Diagnostic, ...]) -> Fusions:
    found = json.loads(text)
    names = ("method", "energy_pj", "latency_cycles", "dram_words", "optimus_dram_bytes")
    return Fusions(
        _json=text,
        notes=notes,
        hardware=found["hardware"],
        network=found["workload"],
        methods=tuple(
            Fusion(
                groups=tuple(map(tuple, method["groups"])),
                stacks=tuple(map(_stack, method["stacks"])),
                **{name: method[name] for name in names},
            )
            for method in found["methods"]
            if "impossible" not in method
        ),
        impossible={
            method["method"]: tuple(method["impossible"]) for method in found["methods"] if "impossible" in method
        },
        optimus_buffer_bytes=found["optimus_buffer_bytes"],
        optimus_oracle_bytes=found["optimus_oracle_bytes"],
    )


def _layer(found: dict[str, Any]) -> Layer:
    unrolled: dict[str, tuple[Loop, ...]] = {}
    for dimension, _, dim, width in found["unrolled"]:
        unrolled[dimension] = (*unrolled.get(dimension, ()), Loop(dim, width))
    return Layer(
        name=found["layer"],
        macs=found["macs"],
        energy_pj=found["energy_pj"],
        latency_cycles=found["latency_cycles"],
        power=_power(found["power"]),
        loops=tuple(Loop(loop["dim"], loop["size"]) for loop in found["mapped"]["mapping"]["order"]),
        unrolled=unrolled,
        details=found,
    )


def layers(text: str, notes: tuple[Diagnostic, ...], mapping: str) -> Layers:
    found = json.loads(text)
    return Layers(
        _json=text,
        notes=notes,
        hardware=found["hardware"],
        network=found["workload"],
        layers=tuple(_layer(layer) for layer in found["layers"] if "impossible" not in layer),
        impossible={layer["layer"]: tuple(layer["impossible"]) for layer in found["layers"] if "impossible" in layer},
        mapping=mapping,
    )


def hierarchies(text: str, notes: tuple[Diagnostic, ...], document: str) -> Hierarchies:
    found = json.loads(text)
    return Hierarchies(
        _json=text,
        notes=notes,
        best=Hierarchy(**found["best"]),
        front=tuple(Hierarchy(**hierarchy) for hierarchy in found["front"]),
        counts=found["counts"],
        seconds=found["seconds"],
        hardware=Hardware(document),
    )


def cores_schedule(text: str, notes: tuple[Diagnostic, ...], trace: str) -> CoresSchedule:
    found = json.loads(text)
    names = ("system", "network", "energy_pj", "latency_cycles", "edp_pj_cycles", "peak_on_chip_bits", "mac_use")
    return CoresSchedule(
        _json=text,
        notes=notes,
        layers={layer["name"]: tuple(layer["cores"]) for layer in found["layers"]},
        times={
            core["name"]: {key.removesuffix("_cycles"): cycles for key, cycles in core.items() if key != "name"}
            for core in found["cores"]
        },
        links={link["name"]: link["busy_cycles"] for link in found["links"]},
        single_core=SingleCore(**found["single_core"]) if found["single_core"] else None,
        power=_power(found["power"]),
        trace=trace,
        **{name: found[name] for name in (*names, "tile_size", "seconds")},
    )


def _step_cost(found: dict[str, Any]) -> StepCost:
    return StepCost(energy=found["energy_pj_by_cause"], **_without(found, "energy_pj_by_cause"))


_HELD = {
    "Streamed": "streamed",
    "Resident": "resident",
    "Recomputed": "recomputed",
    "InputsStay": "inputs-stay",
    "Kept": "kept",
}


def _kind(fusion: str | dict[str, str]) -> str:
    if isinstance(fusion, dict):
        return {"ThreePass": "rows, three passes", "TwoPass": "rows, two passes"}[fusion["Rows"]]
    return {"None": "unfused", "QueriesStay": "queries stay, one pass", "KeysStay": "keys stay, one pass"}[fusion]


def _attention_schedule(fusion: str, best: dict[str, Any]) -> AttentionSchedule:
    schedule = best["schedule"]
    names = ("energy_pj", "latency_cycles", "bound_by", "dram_bits", "macs")
    return AttentionSchedule(
        fusion=fusion,
        held=_HELD[schedule["held"]],
        energy=best["energy_pj_by_cause"],
        on_chip_bits=(best["on_chip_bits"][0], best["on_chip_bits"][1]),
        **{name: schedule[name] for name in ("queries", "heads", "keys")},
        **{name: best[name] for name in names},
    )


def _block(found: dict[str, Any] | None) -> AttentionBlock | None:
    if found is None:
        return None
    names = ("tile_tokens", "tiles", "weights_before_stay", "weights_stay", "energy_pj", "latency_cycles", "bound_by", "dram_bits")
    return AttentionBlock(
        queries=tuple(found["queries"]),
        parts=tuple(found["parts"]),
        held=_HELD[found["schedule"]["held"]],
        energy=found["energy_pj_by_cause"],
        **{name: found[name] for name in (*names, "weight_bits", "macs")},
    )


def _generation(found: dict[str, Any] | None) -> Generation | None:
    if found is None:
        return None
    return Generation(
        prefill=_step_cost(found["prefill"]),
        tokens={token["cached"]: _step_cost(token["cost"]) for token in found["tokens"]},
        **{name: found[name] for name in ("batch", "prompt", "chunk", "weight_bytes", "cache_bytes", "cache_on_chip")},
    )


def attention(text: str, notes: tuple[Diagnostic, ...]) -> Attention:
    found = json.loads(text)
    rows = (row for row in found["schedules"] if row["best"])
    schedules = {row["fusion"]: _attention_schedule(row["fusion"], row["best"]) for row in rows}
    again = found["recomputed"]
    recomputed = _attention_schedule(_kind(again["schedule"]["fusion"]), again) if again else None
    return Attention(
        _json=text,
        notes=notes,
        hardware=found["hardware"],
        model=found["model"]["name"],
        layers=found["model"]["layers"],
        cost=_step_cost(found["all_layers"]),
        schedules=tuple(schedules.values()),
        recomputed=recomputed,
        best=recomputed if found["best_recomputes"] else schedules.get(found["best"]),
        block=_block(found["block"]),
        keys_in=found["keys_in"].lower(),
        keys_on_chip_bits=found["keys_on_chip_bits"],
        costs_with_keys_in={
            row["keys_in"].lower(): _step_cost(row["all_layers"]) if row["all_layers"] else None
            for row in found["all_layers_with_keys_in"]
        },
        compulsory_bytes=found["compulsory_bytes_of_a_layer"],
        not_counted=found["not_counted"],
        generation=_generation(found["generation"]),
    )


def _divided_step(found: dict[str, Any]) -> DividedStep:
    named = {"energy": found["energy_pj_by_cause"], **_without(found, "energy_pj_by_cause")}
    return DividedStep(**named | {"keys_in": found["keys_in"].lower()})


def divided_attention(text: str, notes: tuple[Diagnostic, ...]) -> DividedAttention:
    found = json.loads(text)
    return DividedAttention(
        _json=text,
        notes=notes,
        hardware=found["hardware"],
        model=found["model"]["name"],
        one_core=_divided_step(found["one_core"]),
        steps=tuple(_divided_step(way) for way in found["divided"]),
        refused=tuple((way["split"], way["why"]) for way in found["not_divided"]),
    )


def published_attention(text: str, notes: tuple[Diagnostic, ...]) -> PublishedAttention:
    names = ("latency_s", "energy_pj", "dram_bytes", "utilisation_2d", "utilisation_1d")
    dataflows = (
        PublishedDataflow(name=row["dataflow"], **{name: row[name] for name in names})
        for row in json.loads(text)["published"]
    )
    return PublishedAttention(_json=text, notes=notes, dataflows=tuple(dataflows))


def _without(found: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key != name}
