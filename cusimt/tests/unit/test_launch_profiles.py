"""From counts to a stage: which instance, which resources, which line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cusimt.counters import LaunchCounts
from cusimt.profile import instances, launch_profiles
from cusimt.profile.launch_profiles import launched
from cusimt.profile.occupancy import simulated_device
from cusimt.profile.resources import PtxasAnswer, PtxasUsage
from cusimt.records.source_lines import NOWHERE
from cusimt.tests.unit.handmade_profile import launched as handmade
from cusimt.tests.unit.handmade_profile import line, write_source


@pytest.fixture
def counts(tmp_path: Path) -> LaunchCounts:
    """A launch of `copy` whose source file is there, with one kilobyte of dynamic shared memory."""
    file = write_source(tmp_path)
    made = handmade([line(lambda lane: 4 * lane, file=file)]).counts
    return replace(made, launch=replace(made.launch, file=file, line=2, shared_bytes=1024))


def answer(
    monkeypatch: pytest.MonkeyPatch, compiled: PtxasAnswer, shared: dict[str, int] | None = None
) -> None:
    monkeypatch.setattr(launch_profiles, "_compiled", lambda source, architecture, instances: compiled)
    monkeypatch.setattr(launch_profiles, "_shared_arrays", lambda module: shared or {})


def test_what_ptxas_said_decides(counts: LaunchCounts, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, PtxasAnswer({"copy": PtxasUsage(128, 8, 12, 4096)}))
    (found,) = launched([counts], simulated_device(), {})
    assert (found.needs.registers, found.needs.shared, found.needs.source) == (128, 4096, "ptxas for sm_90")
    assert (found.needs.spill_stores, found.needs.spill_loads, found.needs.estimated) == (8, 12, False)
    assert (found.occupancy.blocks, found.occupancy.limit) == (2, "registers")


def test_without_ptxas_registers_are_estimated_and_shared_memory_is_known(
    counts: LaunchCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, PtxasAnswer({}, "nvcc is not installed"), {"copy": 100_000, "other": 7})
    (found,) = launched([counts], simulated_device(), {})
    assert found.needs.registers == 16
    assert found.needs.source == "estimated from the source: nvcc is not installed"
    assert found.needs.estimated and found.needs.shared == 100_000
    assert (found.occupancy.blocks, found.occupancy.limit) == (2, "shared memory")  # 1 KiB of it dynamic


def test_a_kernel_of_which_nobody_knows_anything(
    counts: LaunchCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, PtxasAnswer({"other": PtxasUsage(8, 0, 0, 0)}))
    unknown = replace(counts, launch=replace(counts.launch, kernel="fn"))
    (found,) = launched([unknown], simulated_device(), {})
    assert found.needs.registers is None
    assert found.needs.source == "no estimate: nvcc compiled no fn"
    assert not found.occupancy.registers_known


def test_ptxas_is_asked_for_the_device_that_the_environment_names(
    counts: LaunchCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def ask(source: Path, architecture: str, instances: tuple[str, ...]) -> PtxasAnswer:
        asked.append(architecture)
        return PtxasAnswer({"copy": PtxasUsage(16, 0, 0, 0)})

    monkeypatch.setattr(launch_profiles, "_compiled", ask)
    monkeypatch.setenv("CUSIMT_DEVICE", "t4")
    (found,) = launched([counts], simulated_device(), {})
    assert (asked, found.needs.source) == (["sm_75"], "ptxas for sm_75")
    assert (found.occupancy.blocks, found.occupancy.most_warps) == (4, 32)


def test_an_access_without_a_line_is_told_at_the_launch(
    counts: LaunchCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, PtxasAnswer({}, "nvcc is not installed"))
    lost = replace(counts, lines=(replace(counts.lines[0], frame=NOWHERE),))
    (found,) = launched([lost], simulated_device(), {})
    (placed,) = found.counts.lines
    assert placed.frame.where == "kernel.cu:2"
    assert placed.frame.source.strip().startswith("const int i = blockIdx.x")


def test_accesses_without_a_line_stand_in_its_place(
    counts: LaunchCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, PtxasAnswer({}, "nvcc is not installed"))
    (known,) = counts.lines
    at = [replace(known, frame=replace(known.frame, line=number)) for number in (1, 2)]
    lost = replace(counts, lines=(replace(known, frame=NOWHERE), *at))
    (found,) = launched([lost], simulated_device(), {})
    assert [each.frame.line for each in found.counts.lines] == [1, 2, 2]


def test_a_device_function_that_was_not_inlined_does_not_hide_the_kernel(
    counts: LaunchCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = counts.lines[0], replace(counts.lines[0], pc=counts.lines[0].pc + 8)
    frames = {first.pc: ["float element<float>(float*)"], second.pc: ["void copy<float>(float*)"]}
    monkeypatch.setattr(instances, "_functions", lambda module, offsets: [frames[each] for each in offsets])
    for lines in ((first, second), (second, first)):
        assert instances.instance_of(replace(counts, lines=lines)) == "copy<float>"
    assert instances.instance_of(replace(counts, lines=(first,))) == "copy"  # as the launch calls it
    assert instances.instance_of(replace(counts, lines=())) == "copy"


def test_a_kernel_whose_accesses_are_all_in_device_functions_keeps_its_name(
    counts: LaunchCounts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = tmp_path / "named.cu"
    source.write_text("template <typename T>\n__global__ void __launch_bounds__(64)\n    copy(T* x) {}\n")
    monkeypatch.setattr(instances, "_functions", lambda module, offsets: [["float element<float>(float*)"]])
    launch = replace(counts.launch, kernel="copy<T>", file=str(source))
    assert instances.instance_of(replace(counts, launch=launch)) == "copy<T>"
    pointer = replace(launch, kernel="chosen")
    assert instances.instance_of(replace(counts, launch=pointer)) == "float element<float>"


def test_calls_lead_from_a_device_function_to_its_kernel_and_to_arrays_of_both(
    counts: LaunchCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = {4: ["float sum<float>(float)"], 9: ["void copy<float>(float*)"]}
    monkeypatch.setattr(instances, "_functions", lambda module, offsets: [frames[each] for each in offsets])
    lines = tuple(replace(each, pc=4, calls=(9,)) for each in counts.lines)
    called = replace(counts, lines=lines, launch=replace(counts.launch, kernel="copy<T>"))
    assert instances.instance_of(called) == "copy<float>"
    answer(monkeypatch, PtxasAnswer({}, ""), {"float sum<float>": 64, "copy<float>": 32, "copy<double>": 8})
    assert launch_profiles.shared_memory(called) == 64 + 32 + 1024
