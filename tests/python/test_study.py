"""A study gives the same file as on the command line, byte for byte, in this process or by any executor."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fusescape
import nanoarrow  # type: ignore[import-untyped, unused-ignore]
import pytest
from fusescape import FusescapeError, Hardware, Study, StudyResults

if TYPE_CHECKING:
    from conftest import CommandLine

DOCUMENT = """name: Small
hardware: meta-proto-like-df
network: three-convs
schedule: { columns: 16, rows: 16, search: loma, lpf_limit: 3 }
axes:
  - { vary: hardware.memories.sram_32KB.size, from: 1 KiB, to: 16 KiB, count: 16 }
  - { vary: hardware.memories.sram_64KB.size, from: 1 KiB, to: 8 KiB, count: 8 }
  - { vary: hardware.memories.dram.width, values: [32 bit, 64 bit, 128 bit] }
  - { vary: hardware.memories.sram_64KB.read_energy, from: 10 pJ, to: 40 pJ, count: 4 }
objectives: [energy, latency, capacity]
"""
"""1536 designs in 6 tasks."""


@pytest.fixture(scope="module")
def small() -> Study:
    return Study.from_text(DOCUMENT)


@pytest.fixture(scope="module")
def expected(command_line: CommandLine, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file written by the command line."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "study.yaml").write_text(DOCUMENT)
    command_line.text("study", "run", str(folder / "study.yaml"), "--out", str(folder / "results.parquet"))
    return (folder / "results.parquet").read_bytes()


def test_the_file_is_that_of_the_command_line(small: Study, expected: bytes, tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    results = small.run(tmp_path / "own.parquet", progress=lambda *how_far: told.append(how_far))
    assert (tmp_path / "own.parquet").read_bytes() == expected
    assert told[-1] == (1536, 1536, "designs")
    assert len(results) == len(small) == 1536 and results.study == small
    # A finished run reads its results.
    assert len(small.run(tmp_path / "own.parquet")) == 1536


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes of this system begin with nothing")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_results_are_free_once_their_run_ends_whoever_began_meanwhile(small: Study, expected: bytes, tmp_path: Path) -> None:
    read, write = os.pipe()
    children: list[int] = []

    def begin_one(*_: object) -> None:
        # The child inherits all open files.
        if (child := os.fork()) == 0:
            os.close(write)
            os.read(read, 1)
            os._exit(0)
        children.append(child)
        raise KeyboardInterrupt

    try:
        with pytest.raises(KeyboardInterrupt):
            small.run(tmp_path / "own.parquet", progress=begin_one)
        small.run(tmp_path / "own.parquet")
    finally:
        os.close(write)
        os.close(read)
        for child in children:
            os.waitpid(child, 0)
    assert (tmp_path / "own.parquet").read_bytes() == expected


def test_the_front_and_the_facts_are_those_of_the_command_line(
    small: Study, expected: bytes, command_line: CommandLine, tmp_path: Path
) -> None:
    path, document = tmp_path / "results.parquet", tmp_path / "study.yaml"
    path.write_bytes(expected)
    front = StudyResults(path).front()
    assert front.notes == ()
    assert front.to_dict() == command_line.json("study", "front", str(path), "--format", "json")
    assert front.designs == {"found": 1536} and front.objectives == ("energy_pj", "latency_cycles", "capacity_bits")
    assert nanoarrow.c_array_stream(front.to_arrow()).get_schema().n_children == len(small.columns)
    assert len(front.to_arrow()) == len(front.points) > 0
    document.write_text(DOCUMENT)
    assert Study.from_file(document) == small
    shown = command_line.json("study", "show", str(document), "--json")
    assert (shown["designs"], shown["columns"], shown["objectives"]) == (len(small), [*small.columns], [*small.objectives])
    assert [axis["vary"] for axis in shown["axes"]] == [[*axis.vary] for axis in small.axes]
    seconds, measured = small.estimate()
    assert seconds > 0 and 0 < measured <= 1536
    # No design is measured twice.
    three = Study.from_text(DOCUMENT.split("axes:")[0] + "axes: [{ vary: schedule.rows, values: [4, 8, 16] }]\n")
    assert len(three) == 3 == three.estimate().designs_measured


@pytest.mark.others
def test_rows_come_as_arrow_batches_with_the_values_of_the_file(expected: bytes, tmp_path: Path) -> None:
    import pandas  # type: ignore[import-untyped, unused-ignore]

    (tmp_path / "results.parquet").write_bytes(expected)
    results = StudyResults(tmp_path / "results.parquet")
    by_arrow = pandas.DataFrame.from_arrow(results.to_arrow())
    by_others = pandas.read_parquet(tmp_path / "results.parquet")
    assert [*by_arrow.columns] == [*by_others.columns] == [*results.study.columns]
    for column in by_arrow.columns:
        # As texts, since NaN is not equal to itself.
        assert [repr(value) for value in by_arrow[column]] == [repr(value) for value in by_others[column]], column


@pytest.mark.others
def test_results_that_another_program_wrote_again_with_zstandard_are_read(expected: bytes, tmp_path: Path) -> None:
    import pandas  # type: ignore[import-untyped, unused-ignore]
    import pyarrow.parquet  # type: ignore[import-untyped, unused-ignore]

    (tmp_path / "results.parquet").write_bytes(expected)
    table = pyarrow.parquet.read_table(tmp_path / "results.parquet")
    pyarrow.parquet.write_table(table, tmp_path / "again.parquet", compression="zstd")
    of = (StudyResults(tmp_path / f"{name}.parquet").to_arrow() for name in ("results", "again"))
    results, again = (pandas.DataFrame.from_arrow(rows) for rows in of)
    assert len(again) == 1536 and again.equals(results)


def test_designs_may_be_systems_of_cores(tmp_path: Path) -> None:
    pair, quad = fusescape.System.preset("stream-2ws"), fusescape.System.preset("quad-beside")
    study = fusescape.study(
        hardware="tpu-like",
        system=[pair, quad],
        network="three-convs",
        axes={"system.links.0.width": ["32 bit", "128 bit"]},
        schedule={"tiles": 4},
    )
    assert pickle.loads(pickle.dumps(study)) == study
    front = study.run(tmp_path / "systems.parquet").front()
    assert front.designs == {"found": 4}
    for point in front.points:
        system = fusescape.System.preset(point["system"])
        system = system.replace({"links[0].width": point["system.links.0.width"]})
        found = fusescape.cores(system, "three-convs", hardware="tpu-like", tiles=4)
        assert (point["energy_pj"], point["latency_cycles"]) == (found.energy_pj, found.latency_cycles)


class TwiceAndBackwards(Executor):
    """Runs each task twice and in reverse order, as a scheduler may after losing a worker."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._waiting.append((future, fn, args))
        if len(self._waiting) == 3:
            for waiting, task, given in reversed(self._waiting):
                first, again = (pickle.loads(pickle.dumps((task, given))) for _ in range(2))
                found = first[0](*first[1])
                assert found == again[0](*again[1])
                waiting.set_result(found)
            self._waiting.clear()
        return future


@pytest.mark.others
def test_every_executor_finds_the_same(small: Study, expected: bytes, tmp_path: Path) -> None:
    import joblib  # type: ignore[import-untyped, unused-ignore]

    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawned) as processes, ThreadPoolExecutor(3) as threads:
        by_joblib = joblib.Parallel(n_jobs=2, return_as="generator_unordered")
        for name, executor in [("p", processes), ("t", threads), ("twice", TwiceAndBackwards()), ("j", by_joblib)]:
            told: list[int] = []
            path = tmp_path / f"{name}.parquet"
            small.run(path, executor=executor, designs_per_task=256, progress=lambda done, *_: told.append(done))
            assert path.read_bytes() == expected, name
            assert len(told) == 7 and told == sorted(told) and told[-1] == 1536
    assert sorted(path.name for path in tmp_path.iterdir()) == ["j.parquet", "p.parquet", "t.parquet", "twice.parquet"]


def test_what_is_ended_resumes(small: Study, expected: bytes, tmp_path: Path) -> None:
    path = tmp_path / "results.parquet"

    def stop(done: int, _: int, __: str) -> None:
        if done > 500:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as executor:
        with pytest.raises(KeyboardInterrupt):
            small.run(path, executor=executor, designs_per_task=256, progress=stop)
        assert not path.exists()
        other = Study.from_text(DOCUMENT.replace("Small", "Other"))
        with pytest.raises(FusescapeError, match="another study"):
            other.run(path, executor=executor)
        told: list[int] = []
        small.run(path, executor=executor, designs_per_task=256, progress=lambda done, *_: told.append(done))
    assert told[0] > 500 and path.read_bytes() == expected
    with pytest.raises(FusescapeError, match="There is a file"):
        other.run(path)


@pytest.mark.others
def test_a_dask_cluster_that_loses_a_worker_finds_the_same(small: Study, expected: bytes, tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    path = tmp_path / "results.parquet"
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,  # type: ignore[no-untyped-call]
        Client(cluster) as client,  # type: ignore[no-untyped-call]
    ):
        killed: list[int] = []

        def kill_one(done: int, _: int, __: str) -> None:
            if done > 0 and not killed:
                killed.extend(client.run(os.getpid).values())
                os.kill(killed[0], signal.SIGKILL)

        small.run(path, executor=client, designs_per_task=256, progress=kill_one)
        assert killed
    assert path.read_bytes() == expected


@pytest.mark.others
def test_a_study_on_ray_finds_the_same(small: Study, expected: bytes, tmp_path: Path) -> None:
    """Ray is installed by ``make test-all``."""
    ray = pytest.importorskip("ray")
    path = tmp_path / "results.parquet"
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        small.run(path, executor=ray, designs_per_task=256)
    finally:
        ray.shutdown()
    assert path.read_bytes() == expected


def test_keywords_write_the_document(command_line: CommandLine, tmp_path: Path) -> None:
    core = Hardware.preset("meta-proto-like-df")
    size = f"memories[{[memory.name for memory in core.memories].index('sram_32KB')}].size"
    cores = [core, core.replace({size: "16 KiB"}), core.replace({size: "8 KiB"})]
    written = fusescape.study(
        name="Written",
        hardware=cores,
        network=["three-convs"],
        axes={
            "hardware.memories.dram.width": ["32 bit", "64 bit"],
            ("hardware.memories.sram_64KB.size", "hardware.memories.sram_1MB_W.size"): [["32 KiB", "1 MiB"], "64 KiB"],
            "schedule.columns": {"from": 8, "to": 16, "count": 2},
        },
        schedule={"rows": 16, "search": "loma", "lpf_limit": 3},
        constraints=["capacity <= 6 MiB"],
    )
    names = [[value[0] for value in axis.values] for axis in written.axes]
    other = "meta-prototype-like-df"
    assert names[0] == ["meta-proto-like-df", f"{other}.yaml", f"{other}-2.yaml"]
    assert len(written) == 3 * 2 * 2 * 2 and names[2] == ["32 KiB", "64 KiB"]
    assert pickle.loads(pickle.dumps(written)) == written
    results = written.run()
    assert results.path.exists() and len(results) == 24
    # The command line reads the written study, and gives the same results.
    written.write(tmp_path / "study.yaml")
    written.write(tmp_path / "study.yaml")
    command_line.text("study", "run", str(tmp_path / "study.yaml"), "--out", str(tmp_path / "results.parquet"))
    assert results.path.read_bytes() == (tmp_path / "results.parquet").read_bytes()
    with pytest.raises(FusescapeError, match="another file"):
        Study.from_text(DOCUMENT).write(tmp_path / "study.yaml")
    path = results.path
    del results
    assert not path.exists()


def test_all_that_is_wrong_is_told() -> None:
    with pytest.raises(FusescapeError) as wrong:
        fusescape.study(hardware="meta-proto", network="three-convs", axes={"hardware.array.mac_energy": ["1 pJ"]}, record=["mood"])
    assert [diagnostic.path for diagnostic in wrong.value.diagnostics] == ["hardware", "record"]
    with pytest.raises(TypeError, match="System given"):
        fusescape.study(hardware=fusescape.System.preset("ws-pair"), network="three-convs", axes={})  # type: ignore[arg-type]
    refined = Study.from_text(DOCUMENT + "sampling: { refine: 500 }\n")
    with ThreadPoolExecutor(1) as executor, pytest.raises(FusescapeError, match="cannot be divided"):
        refined.run(executor=executor)
    assert len(refined) == 500 >= len(refined.run())


def test_files_of_anybody_are_refused_with_a_reason(expected: bytes, tmp_path: Path) -> None:
    path = tmp_path / "results.parquet"
    for content in [b"", b"PAR1PAR1", expected[:1000], expected[:-1]]:
        path.write_bytes(content)
        with pytest.raises(FusescapeError, match=r"results\.parquet"):
            StudyResults(path)
    with pytest.raises(FusescapeError, match="CSV"):
        Study.from_text(DOCUMENT).run(tmp_path / "results.csv")
    # A study never writes outside of its folder.
    core = Hardware.preset("meta-proto-like-df").replace({"array.mac_energy": "2 pJ"})
    (tmp_path / "core.yaml").write_text(core.text)
    (tmp_path / "deep").mkdir()
    outside = Study.from_text(DOCUMENT.replace("meta-proto-like-df", "../core.yaml"), tmp_path / "deep")
    with pytest.raises(FusescapeError, match="not below the folder"):
        outside.write(tmp_path / "study.yaml")
