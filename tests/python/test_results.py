"""Results are typed, consistent, and convertible to data frames."""

from __future__ import annotations

import pickle

import fusescape
import nanoarrow  # type: ignore[import-untyped]
import pytest
from fusescape import Hardware, Tile


def test_a_sweep_names_its_best_point_and_its_front() -> None:
    sweep = fusescape.depth_first("meta-proto-like-df", "fsrcnn-60", tiles=([4, 60], [4, 60]))
    assert len(sweep.points) == 12
    assert sweep.best is not None
    assert sweep.best.energy_pj == min(point.energy_pj for point in sweep.points)
    for point in sweep.pareto_front:
        beats = [o for o in sweep.points if o.energy_pj < point.energy_pj and o.latency_cycles < point.latency_cycles]
        assert not beats
    for point in sweep.points:
        assert sum(point.energy.values()) == pytest.approx(point.energy_pj, rel=1e-12)
    layer_by_layer = fusescape.depth_first("meta-proto-like-df", "fsrcnn-60", stacks="layer-by-layer")
    assert [point.tile for point in layer_by_layer.points] == [None]


def test_one_point_is_that_of_the_sweep_and_has_an_account() -> None:
    best = fusescape.depth_first("meta-proto-like-df", "fsrcnn-60", tiles=([60], [4])).best
    assert best is not None and best.tile == Tile(60, 4)
    found = fusescape.evaluate("meta-proto-like-df", "fsrcnn-60", tile=(60, 4))
    assert (found.energy_pj, found.latency_cycles) == (best.energy_pj, best.latency_cycles)
    dram = found.memories[-1]
    assert dram.name == "dram" and sum(dram.words.values()) == pytest.approx(best.dram_words)


def test_a_mapping_that_was_found_costs_the_same_when_it_is_priced() -> None:
    found = fusescape.map_layers("zigzag-8x8", "three-convs")
    priced = fusescape.map_layers("zigzag-8x8", "three-convs", mapping=found.mapping)
    assert [layer.energy_pj for layer in priced.layers] == [layer.energy_pj for layer in found.layers]
    layer = found.layers[0]
    size = 1.0
    for loop in (*layer.loops, *(loop for loops in layer.unrolled.values() for loop in loops)):
        size *= loop.size
    assert size >= layer.macs


def test_the_optimum_is_no_worse_than_any_other_method() -> None:
    optimum = fusescape.optimal("meta-proto-like-df", "fsrcnn-60", tiles=([4, 60], [4, 60]))
    assert [name for stack in optimum.stacks for name in stack.layers]
    fusions = fusescape.fuse("meta-proto-like-df", "fsrcnn-60", tiles=([4, 60], [4, 60]))
    assert min(method.energy_pj for method in fusions.methods) == optimum.energy_pj


def test_the_best_hierarchy_is_hardware_that_costs_what_it_says() -> None:
    found = fusescape.hierarchies("alexnet-eyeriss", layers=["conv3"], max_levels=1)
    assert isinstance(found.hardware, Hardware) and found.best in found.front
    assert fusescape.map_layer(found.hardware, "alexnet-eyeriss", "conv3").energy_pj == found.best.energy_pj
    only = fusescape.hierarchies("alexnet-eyeriss", layers=["conv3"], max_levels=1, only_best=True)
    assert only.best == found.best and len(only.front) == 1


def test_cores_share_the_layers() -> None:
    found = fusescape.cores("ws-pair", "three-convs", allocation={"conv1": ["c0"], "conv2": ["c1"]}, tiles=4)
    assert found.layers["conv1"] == ("c0",) and found.layers["conv2"] == ("c1",)
    for times in found.times.values():
        assert sum(times.values()) == pytest.approx(found.latency_cycles)
    assert '"traceEvents"' in found.trace


def test_fused_attention_moves_less_and_a_growing_cache_costs_more() -> None:
    found = fusescape.attention("fusemax-like", "gpt2-small", tokens=512, batch=2, generate=9)
    kinds = {schedule.fusion: schedule for schedule in found.schedules}
    best = min(found.schedules, key=lambda schedule: schedule.energy_pj)
    assert found.best == best and best.dram_bits < kinds["unfused"].dram_bits
    # Keys and values stay on the chip: two sequences of 512 tokens, 16 bits per element.
    assert (found.keys_in, best.held, found.recomputed) == ("layer", "kept", None)
    assert found.keys_on_chip_bits == 2 * 512 * 2 * 768 * 16
    assert found.cost == found.costs_with_keys_in["layer"] and found.costs_with_keys_in["cache"] is None
    elsewhere = found.costs_with_keys_in["dram"]
    assert elsewhere is not None and found.cost.energy_pj < elsewhere.energy_pj
    small = fusescape.attention("tpu-like-df", "gpt2-small", tokens=512, batch=2)
    assert small.keys_in == "dram" and small.keys_on_chip_bits == 0
    assert small.recomputed is not None and small.recomputed.held in ("recomputed", "inputs-stay")
    every: list[fusescape.StepCost | fusescape.AttentionSchedule] = [found.cost, small.recomputed, *found.schedules]
    for priced in every:
        assert sum(priced.energy.values()) == pytest.approx(priced.energy_pj)
    assert found.not_counted == {} and found.layers == 12
    generation = found.generation
    assert generation is not None and list(generation.tokens) == [512, 516, 520]
    assert generation.prefill.macs == found.cost.macs
    moved = [cost.dram_bits for cost in generation.tokens.values()]
    assert moved == sorted(moved) and moved[0] < moved[-1]
    # Keys and values of 12 heads of 64, 16 bits, 520 tokens and the generated one, in 12 layers of 2 sequences.
    assert generation.cache_bytes == 2 * 768 * 2 * 521 * 12 * 2


def test_a_block_moves_less_than_attention_and_what_follows_it() -> None:
    found = fusescape.attention("fusemax-like", "bert-base", tokens=512)
    assert found.best is not None and found.block is not None
    assert found.block.queries == ("queries",) and "output projection" in found.block.parts
    # The block has all parts of a layer except those that compute keys and values, which stay on the chip.
    assert (found.block.held, found.keys_in) == ("kept", "layer")
    assert found.block.dram_bits * found.layers < found.cost.dram_bits
    assert sum(found.block.energy.values()) == pytest.approx(found.block.energy_pj)
    assert found.block.macs >= found.best.macs


def test_a_divided_step_computes_all_of_it_once_and_is_faster() -> None:
    found = fusescape.divided_attention("fusemax-like", "gpt2-small", tokens=128, cores=2, objective="latency")
    assert found.best is not None
    assert found.best.latency_cycles < found.one_core.latency_cycles
    assert [step.latency_cycles for step in found.steps] == sorted(step.latency_cycles for step in found.steps)
    for step in found.steps:
        parts = 1
        for part in step.split.values():
            parts *= part
        assert parts == 2
        assert step.split["layers"] == 1 or step.macs == found.one_core.macs
        assert abs(sum(step.energy.values()) + step.link_energy_pj - step.energy_pj) <= 1e-9 * step.energy_pj
    assert any(split["sequences"] == 2 for split, _ in found.refused), "one sequence cannot be divided"


def test_a_state_space_model_has_no_attention_and_a_cache_that_does_not_grow() -> None:
    found = fusescape.attention("fusemax-like", "mamba-130m", tokens=64, generate=9)
    assert (found.schedules, found.best, found.recomputed, found.layers) == ((), None, None, 24)
    assert found.generation is not None
    first, *rest = found.generation.tokens.values()
    assert all(cost == first for cost in rest)
    with pytest.raises(fusescape.FusescapeError, match="no attention"):
        fusescape.published_attention("mamba-130m")


def test_the_published_dataflows_get_faster_one_after_the_other() -> None:
    found = fusescape.published_attention("bert-base", tokens=16384, batch=64)
    names = [dataflow.name for dataflow in found.dataflows]
    assert len(names) == 5 and (names[0], names[-1]) == ("unfused", "+binding")
    assert found.dataflows[-1].latency_s == min(dataflow.latency_s for dataflow in found.dataflows)
    assert 0.9 < found.dataflows[-1].utilisation_2d <= 1


def test_results_survive_a_copy_to_another_process() -> None:
    found = fusescape.depth_first("meta-proto-like-df", "fsrcnn-60", tiles=([60], [4]))
    assert pickle.loads(pickle.dumps(found)) == found


def test_rows_are_an_arrow_stream_with_one_schema() -> None:
    tables = []
    for stacks in ("auto", "layer-by-layer"):
        sweep = fusescape.depth_first("meta-proto-like-df", "fsrcnn-60", tiles=([4, 60], [4]), stacks=stacks)
        rows = sweep.to_arrow()
        table = nanoarrow.Array(rows)
        assert len(table) == len(rows) == len(sweep.points)
        first = dict(zip(rows.columns, next(iter(table.iter_tuples())), strict=True))
        point = sweep.points[0]
        assert first["energy_pj"] == point.energy_pj and first["latency_cycles"] == point.latency_cycles
        assert first["energy.mac_pj"] == point.energy["mac_pj"]
        assert first["tile_x_columns"] == (point.tile.columns if point.tile else None)
        assert first["impossible"] is None
        tables.append(str(nanoarrow.Schema(rows)))
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("result", "count"),
    [
        (lambda: fusescape.optimal("meta-proto-like-df", "fsrcnn-60", tiles=([60], [4])), None),
        (lambda: fusescape.fuse("meta-proto-like-df", "fsrcnn-60", tiles=([60], [4])), 6),
        (lambda: fusescape.map_layers("zigzag-8x8", "three-convs"), 3),
        (lambda: fusescape.hierarchies("alexnet-eyeriss", layers=["conv3"], max_levels=1), None),
        (lambda: fusescape.cores("ws-pair", "three-convs", tiles=4), 3),
        (lambda: fusescape.attention("fusemax-like", "gpt2-small", tokens=64), 5),
        (lambda: fusescape.divided_attention("fusemax-like", "gpt2-small", tokens=64, cores=2), 3),
        (lambda: fusescape.published_attention("bert-base", tokens=1024), 5),
    ],
)
def test_every_result_has_rows(result, count) -> None:  # type: ignore[no-untyped-def]
    rows = result().to_arrow()
    table = nanoarrow.Array(rows)
    assert len(table) == len(rows) > 0 and (count is None or len(rows) == count)
    # Each column has a filled cell, except columns for impossible rows.
    filled = {name for row in table.iter_tuples() for name, cell in zip(rows.columns, row, strict=True) if cell is not None}
    assert set(rows.columns) - filled <= {"impossible", "optimus_dram_bytes"}
