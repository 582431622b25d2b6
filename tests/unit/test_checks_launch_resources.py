"""What a launch needs of a multiprocessor, as limits judge it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cusimt.counters import LaunchCounts
from cusimt.profile.model import ResourceUsage
from cusimt.tests.unit.handmade_profile import launched, line
from grader.checks.device import launch_resources
from grader.checks.device.launch_resources import most_demanding, needed, why_needed
from grader.checks.device.limit_causes import CountedStage, amount_of, in_words, reason
from grader.specification.efficiency import METRICS


def launch(threads: int, shared: int = 0) -> LaunchCounts:
    counts = launched([line(lambda lane: 4 * lane)]).counts
    return replace(counts, launch=replace(counts.launch, block=(threads, 1, 1), shared_bytes=shared))


@pytest.mark.parametrize(
    ("threads", "shared", "empty", "lacking"),
    [
        (128, 48 * 1024, 48, "shared memory"),
        (32, 0, 32, "a slot"),
        (768, 0, 16, "room for its warps"),
        (256, 544, 0, "room for its warps"),
        (33, 0, 0, "room for its warps"),
    ],
)
def test_empty_warp_slots_follow_from_the_block_and_its_shared_memory(
    threads: int, shared: int, empty: int, lacking: str
) -> None:
    counts = launch(threads, shared)
    assert needed("empty_warp_slots", [counts]) == empty
    assert f"would lack {lacking}" in why_needed("empty_warp_slots", counts)
    assert "Registers aside, a multiprocessor holds" in why_needed("empty_warp_slots", counts)
    assert "registers aside" in in_words(METRICS["empty_warp_slots"], empty)


def test_shared_memory_is_that_of_the_block_that_has_most() -> None:
    counts = [launch(128, 544), launch(128, 1088)]
    assert needed("shared_bytes", counts) == 1088
    assert "A block has 128 threads and 1,088 bytes of shared memory" in why_needed("shared_bytes", counts[1])


def test_the_launch_that_leaves_most_empty_counts() -> None:
    full, half = launch(256), launch(32)
    assert needed("empty_warp_slots", [full, half]) == 32
    assert most_demanding("empty_warp_slots", [full, half]) is half


def compiled_as(monkeypatch: pytest.MonkeyPatch, needs: ResourceUsage) -> None:
    found = replace(launched([line(lambda lane: 4 * lane)]), needs=needs)
    monkeypatch.setattr(launch_resources, "launched", lambda counts, device, names: (found,))


def test_registers_and_spills_are_those_of_ptxas(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled_as(monkeypatch, ResourceUsage(32, 0, "ptxas for sm_90", spill_stores=36, spill_loads=28))
    assert needed("registers", [launch(256)]) == 32
    assert needed("spilled_bytes", [launch(256)]) == 64
    said = why_needed("spilled_bytes", launch(256))
    assert "writes 36 bytes to local memory and reads 28 bytes back" in said


def test_an_estimate_is_nothing_to_judge_by(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled_as(monkeypatch, ResourceUsage(40, 0, "estimated from the source: nvcc is not installed"))
    assert needed("registers", [launch(256)]) is None
    assert needed("spilled_bytes", [launch(256)]) is None


def test_idle_lanes_are_those_that_had_no_part_in_a_request() -> None:
    whole = line(lambda lane: 4 * lane)
    half = replace(line(lambda lane: 4 * lane, 2), lanes=16 * whole.requests)
    stage = CountedStage("f(x)", (launched([whole, half]).counts,), {}, Path("/nowhere"))
    metric = METRICS["global_load_idle_lanes"]
    assert amount_of(metric, stage) == 16 * half.requests
    text, frame, _ = reason(metric, stage, 1600, 0)
    assert frame.line == 2 and "16 of 32 lanes active on average" in text
