"""The pages before the first kernel: numbers in their sentences are those that are computed or recorded."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import roofline

from cusimt.counters.transactions import SECTOR
from cusimt.folders import RUNTIME
from cusimt.profile.occupancy import known_devices
from cusimt.tests.counted_kernels import KERNELS
from grader.course.exercise import CHECKS
from grader.report.words import NAMES

ROOT = Path(__file__).resolve().parent.parent.parent
BEFORE = ROOT / "docs" / "before"
LIMITS = (RUNTIME / "device_limits.h").read_text()
H200 = (ROOT / "benchmarks" / "results" / "solutions_h200.md").read_text()


def _page(name: str) -> str:
    """Its text on one line, as the sentences go on from line to line."""
    return " ".join((BEFORE / f"{name}.md").read_text().split())


def _limit(name: str) -> int:
    return int(re.search(rf"{name} = (\d+);", LIMITS)[1])  # type: ignore[index]


def test_the_parts_of_a_verdict_stand_in_the_verdict_that_is_shown() -> None:
    shown = (ROOT / "docs" / "_captured" / "index.txt").read_text()
    page = (BEFORE / "verdict.md").read_text()
    table = page[page.index("| part | says |") : page.index("One mistake can fail")]
    parts = re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)
    assert len(parts) > 12
    for part in parts:
        assert part in shown


def test_every_check_is_explained_in_the_first_steps() -> None:
    text = (ROOT / "docs" / "guides" / "first_steps.md").read_text()
    explained = set(re.findall(r"^\| ([a-z ]+) \|", text, re.MULTILINE)) - {"check"}
    assert explained == {"build", *(NAMES.get(check, check) for check in CHECKS)}


def test_the_worked_example_is_the_specs() -> None:
    point = next(each for each in roofline.points() if each.number == "07")
    page = _page("roofline")
    assert f"Together {point.traffic / 1e6:.1f} MB" in page
    assert (
        f"{point.flops / 1e6:.0f} million by {point.traffic / 1e6:.1f} MB: {point.intensity:.1f} op" in page
    )
    assert f"at 4.8 TB/s: {point.seconds_of_memory * 1e6:.0f} µs" in page
    assert f"would take {point.seconds_of_arithmetic * 1e6:.1f} µs" in page
    assert f"is at {roofline.RIDGE:.0f} operations per byte" in page
    assert f"far left of {roofline.RIDGE:.0f}" in page


def test_the_sectors_of_two_products_are_those_that_were_counted_on_an_h200() -> None:
    text = (ROOT / "benchmarks" / "results" / "memory_counters_h200.csv").read_text()
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    counted = {row["kernel"]: int(row["load_sectors"]) + int(row["store_sectors"]) for row in rows}
    size = KERNELS["matmul"][-1]
    sectors = (counted["matmul"], counted["matmul_tiled"], 3 * size * size * 4 // SECTOR)
    for number in sectors:
        moved = number * SECTOR
        assert f"| {number:,} | {moved / 1e6:.1f} MB | {2 * size**3 / moved:.1f} |" in _page("roofline")


def test_the_arithmetic_of_the_data_sheet_is_that_of_its_units() -> None:
    device = known_devices()["h200"]
    clock = _limit("kClockKHz") * 1e3
    assert abs(device.multiprocessors * 128 * 2 * clock / roofline.ARITHMETIC - 1) < 0.01
    assert f"{device.multiprocessors} multiprocessors × 128 units" in _page("roofline")


def test_sizes_of_memories_are_the_simulated_devices() -> None:
    page = _page("threads")
    assert f"{known_devices()['h200'].registers:,} of 32 bits" in page
    assert f"up to {_limit('kSharedPerBlockOptin') // 1024} KiB for a block" in page
    assert f"{_limit('kL2Bytes') // 2**20} MiB, as CUDA reports it" in page


def test_speeds_on_the_h200_are_the_recorded_ones() -> None:
    for page, speed in (("when", "0.13"), ("roofline", "1.45")):
        assert speed in _page(page)
        assert f"{speed} times the speed of" in H200
