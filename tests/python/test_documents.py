"""Documents from presets, texts, mappings and files; all errors of a document are reported."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fusescape
import pytest
from fusescape import FusescapeError, Hardware, Network, Pool, System, Transformer

if TYPE_CHECKING:
    from conftest import CommandLine

MEMORY = {"name": "dram", "size": "1 MiB", "operands": ["W", "I", "O"], "width": "64 bit", "shared_over": "all"}
SMALL: dict[str, Any] = {
    "name": "small",
    "array": {"dimensions": {"D1": 2}, "mac_energy": "1 pJ"},
    "memories": [{**MEMORY, "read_energy": "1 pJ", "write_energy": "1 pJ"}],
}


@pytest.mark.parametrize("kind", [Hardware, Network, System, Pool, Transformer])
def test_every_preset_is_a_document_of_its_kind(kind: type[fusescape.Document]) -> None:
    assert kind.presets()
    for name in kind.presets():
        document = kind.preset(name)
        assert document.name
        assert document == kind.from_text(document.text)
        assert pickle.loads(pickle.dumps(document)) == document


def test_documents_say_what_is_in_them() -> None:
    core = Hardware.preset("zigzag-8x8")
    assert (core.name, core.array, core.pe_count) == ("ZigZag 8 x 8", {"D1": 8, "D2": 8}, 64)
    assert core.memories[0] == ("rf_64B_O", 512)
    network = Network.preset("three-convs")
    assert network.layers == ("conv1", "conv2", "conv3")
    assert network.macs == 16 * 16 * 3 * 3 * (8 * 32 + 32 * 32 + 32 * 16)
    assert System.preset("ws-pair").cores == ("c0", "c1")
    assert Pool.preset("zigzag-65nm").memories
    gpt, bert = Transformer.preset("gpt2-small"), Transformer.preset("bert-base")
    # Queries, keys, values and the output projection are 4 squares of the width; the feed-forward part is 8.
    assert (gpt.layers, gpt.weights, gpt.is_decoder, bert.is_decoder) == (12, 12 * 12 * 768 * 768, True, False)


def test_text_file_and_mapping_are_the_same_document(tmp_path: Path) -> None:
    text = Hardware.preset("zigzag-8x8").text
    path = tmp_path / "core.yaml"
    path.write_text(text)
    for given in (text and Hardware.from_text(text), path, str(path)):
        found = fusescape.map_layer(given, "three-convs", "conv1")
        assert found.energy_pj == fusescape.map_layer("zigzag-8x8", "three-convs", "conv1").energy_pj
    small = fusescape.map_layer(SMALL, "three-convs", "conv1")
    assert small.energy_pj == fusescape.map_layer(Hardware.from_dict(SMALL), "three-convs", "conv1").energy_pj
    pool = tmp_path / "pool.yaml"
    pool.write_text(Pool.preset("zigzag-65nm").text)
    assert Pool.from_file(pool) == Pool.preset("zigzag-65nm")
    model = tmp_path / "model.yaml"
    model.write_text(Transformer.preset("gpt2-small").text)
    step = fusescape.attention("fusemax-like", model, tokens=64)
    assert step.cost == fusescape.attention("fusemax-like", "gpt2-small", tokens=64).cost


def test_all_that_is_wrong_is_told_with_line_reason_and_remedy() -> None:
    text = "name: wrong\narray:\n  dimensions: {D1: 0}\n  mac_energy: 1 parsec\nmemorys: []\n"
    with pytest.raises(FusescapeError) as told:
        Hardware.from_text(text)
    wrong = told.value.diagnostics
    assert {diagnostic.line for diagnostic in wrong} >= {3, 4, 5}
    assert {"array.dimensions.D1", "array.mac_energy", "memorys"} <= {diagnostic.path for diagnostic in wrong}
    for diagnostic in wrong:
        assert diagnostic.reason and diagnostic.remedy
        assert str(diagnostic) in str(told.value)
    # As passed between the processes of a pool.
    copy = pickle.loads(pickle.dumps(told.value))
    assert copy.diagnostics == wrong and isinstance(copy, FusescapeError)


def test_what_is_not_there_is_told() -> None:
    with pytest.raises(FusescapeError, match=r"Did you mean `fsrcnn`\?"):
        Network.preset("fsrcn")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.yaml"):
        Network.from_file("nowhere.yaml")
    with pytest.raises(TypeError, match="Network given where Hardware is needed"):
        fusescape.map_layer(Network.preset("fsrcnn"), "fsrcnn", "map1")  # type: ignore[arg-type]


def test_a_file_of_another_kind_is_told(tmp_path: Path) -> None:
    path = tmp_path / "core.yaml"
    path.write_text(Hardware.preset("zigzag-8x8").text)
    with pytest.raises(FusescapeError, match="no document of network, but hardware"):
        Network.from_file(path)


def test_single_values_are_replaced_and_all_else_stays() -> None:
    core = Hardware.preset("zigzag-8x8")
    changed = core.replace({"memories[0].size": "128 B", "array.mac_energy": "0.5 pJ", "clock": "200 MHz"})
    assert (changed.memories[0].size_bits, changed.clock_mhz) == (1024, 200)
    same = [line for line in core.text.splitlines() if line in changed.text.splitlines()]
    assert len(same) == len(core.text.splitlines()) - 2
    with pytest.raises(FusescapeError) as told:
        core.replace({"memories[9].size": "1 KiB", "memories[8].width": "8 bit"})
    assert {diagnostic.path for diagnostic in told.value.diagnostics} == {"memories[9].size", "memories[8].width"}
    with pytest.raises(FusescapeError, match="nowhere"):
        core.replace({"nowhere.at.all": 1})
    with pytest.raises(FusescapeError, match="parsec"):
        core.replace({"array.mac_energy": "1 parsec"})


# --- ONNX -----------------------------------------------------------------------------------------------------------------------


def field(number: int, value: int | str | bytes) -> bytes:
    """A field of a protocol buffer, of at most 127 bytes or up to 16383."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def varint(value: int) -> bytes:
    """An integer in groups of seven bits, from the lowest."""
    return bytes([value & 127 | 128]) + varint(value >> 7) if value > 127 else bytes([value])


def convolution() -> bytes:
    """A model with one convolution of 3 x 3 from 8 to 16 channels, with an open batch size."""
    shape = b"".join(field(1, size) for size in (field(2, "batch"), field(1, 8), field(1, 32), field(1, 32)))
    image = field(1, "image") + field(2, field(1, field(1, 1) + field(2, shape)))
    weights = b"".join(field(1, size) for size in (16, 8, 3, 3)) + field(2, 1) + field(8, "weights")
    node = field(1, "image") + field(1, "weights") + field(2, "map") + field(3, "conv") + field(4, "Conv")
    graph = field(1, node) + field(2, "one") + field(5, weights) + field(11, image) + field(12, field(1, "map"))
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


def test_an_onnx_model_is_a_network(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(convolution())
    network = Network.from_file(path, batch=2)
    assert network.macs == 2 * 30 * 30 * 16 * 8 * 3 * 3
    found = fusescape.import_files(path, sizes={"batch": 2})
    assert found.network == network and found.hardware is None
    assert found.report


def block() -> bytes:
    """A model of one block of a transformer: four heads in one operator, a hidden layer of 96, sums; the length of its
    sequence is open."""
    nodes, weights = [], []

    def node(op: str, inputs: list[str], output: str, heads: int = 0) -> str:
        attribute = field(5, field(1, "num_heads") + field(3, heads) + field(20, 2)) if heads else b""
        nodes.append(field(1, b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, op) + attribute))
        return output

    def dense(source: str, output: str, rows: int, columns: int) -> str:
        weights.append(field(5, field(1, rows) + field(1, columns) + field(2, 1) + field(8, f"{output}.weights")))
        return node("MatMul", [source, f"{output}.weights"], output)

    heads = [dense("x", name, 32, 32) for name in ("q", "k", "v")]
    attended = dense(node("MultiHeadAttention", heads, "context", 4), "output", 32, 32)
    middle = node("Add", ["x", attended], "middle")
    hidden = node("Relu", [dense(middle, "up", 32, 96)], "hidden")
    node("Add", [middle, dense(hidden, "down", 96, 32)], "y")
    shape = b"".join(field(1, size) for size in (field(1, 1), field(2, "sequence"), field(1, 32)))
    tokens = field(11, field(1, "x") + field(2, field(1, field(1, 1) + field(2, shape))))
    return field(1, 8) + field(7, b"".join(nodes) + field(2, "block") + b"".join(weights) + tokens) + field(8, field(2, 13))


def test_an_onnx_model_is_a_transformer_too(tmp_path: Path, command_line: CommandLine) -> None:
    path = tmp_path / "block.onnx"
    path.write_bytes(block())
    model = Transformer.from_file(path, sequence=20)
    assert (model.layers, model.weights, model.is_decoder) == (1, 4 * 32 * 32 + 2 * 32 * 96, False)
    found = fusescape.import_files(path, sizes={"sequence": 20}, as_transformer=True)
    assert found.transformer == model and found.network is None
    assert "20 new tokens of 1 sequence take 230400 MACs, as many as in the network" in found.report[0]
    step = fusescape.attention("fusemax-like", str(path), tokens=64)
    printed = command_line.json("attention", "--model", str(path), "--tokens", "64", "--format", "json")
    assert step.to_dict() == printed
    with pytest.raises(FusescapeError, match="no attention") as told:
        (tmp_path / "other.onnx").write_bytes(convolution())
        Transformer.from_file(tmp_path / "other.onnx", batch=1)
    assert "network" in told.value.diagnostics[0].remedy
