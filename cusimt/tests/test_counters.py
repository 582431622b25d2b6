"""What is counted per source line: against an H200's counters, and against what can be counted by hand."""

from __future__ import annotations

import csv
import ctypes
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cusimt import findings
from cusimt.counters import LaunchCounts, LineCounts, Sample, counting
from cusimt.records import take_records
from cusimt.tests import surface_program
from cusimt.tests.counted_kernels import KERNELS
from cusimt.tests.surface_program import SOURCES, program, runtime

ROOT = Path(__file__).resolve().parents[2]
MEASURED = ROOT / "benchmarks" / "results" / "memory_counters_h200.csv"

FORWARD, REVERSED, SEEDED = 0, 1, 2
NO_SAMPLE = Sample((), 4, "global", None, (0, 0, 0), 0)


@pytest.fixture
def order() -> Iterator[Callable[[int, int], None]]:
    """Sets the order in which blocks and threads run, until the test ends."""
    library = runtime()
    library.simt_set_schedule.argtypes = [ctypes.c_int, ctypes.c_uint64]
    yield library.simt_set_schedule
    library.simt_set_schedule(FORWARD, 0)


def counted(kernel: str, *arguments: Any) -> LaunchCounts:
    """The counts of one launch, which must have no findings; a shape stands for a float array of zeros."""
    passed = [np.zeros(each, np.float32) if isinstance(each, tuple) else each for each in arguments]
    with counting((SOURCES,)) as counts:
        program("counters", checked=True).call(kernel, *passed)
    assert findings.take((SOURCES,)) == []
    (launch,) = counts
    return launch


def line(counts: LaunchCounts, source: str, access: str = "load") -> LineCounts:
    """The counts of the one line that contains `source`."""
    (found,) = [each for each in counts.lines if source in each.frame.source and each.access == access]
    return found


def measured() -> dict[str, dict[str, int]]:
    lines = [each for each in MEASURED.read_text().splitlines() if not each.startswith("#")]
    rows = list(csv.DictReader(lines))
    return {row.pop("kernel"): {name: int(value) for name, value in row.items()} for row in rows}


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_counts_are_those_of_nsight_compute_on_an_h200(kernel: str) -> None:
    hardware = measured()[kernel]

    counts = counted(kernel, *KERNELS[kernel])

    if kernel == "matmul_tiled":  # nvcc merges four of the loads of `left` into one of 16 bytes, 2 wavefronts
        merged = hardware["shared_load_instructions"] - counts.shared_load_requests // 2
        assert (counts.shared_load_requests, merged) == (131072, counts.shared_load_requests // 8)
        hardware["shared_load_instructions"] += 4 * merged - merged
        hardware["shared_load_wavefronts"] += 4 * merged - 2 * merged
    assert hardware == {
        "load_requests": counts.global_load_requests,
        "store_requests": counts.global_store_requests,
        "load_sectors": counts.global_load_sectors,
        "store_sectors": counts.global_store_sectors,
        "shared_load_instructions": counts.shared_load_requests,
        "shared_load_wavefronts": counts.shared_load_wavefronts,
        "shared_store_wavefronts": counts.shared_store_wavefronts,
        "shared_load_conflicts": counts.total("conflicts", "shared", "load"),
    }


def test_lines_are_kept_apart_by_the_memory_they_touch() -> None:
    counts = counted("matmul", *KERNELS["matmul"])

    a, b, c = counts.lines

    assert a.frame == b.frame and a.frame.source.strip().startswith("for (int i = 0; i < n; ++i) sum += a[")
    assert (a.sectors_per_request, b.sectors_per_request) == (2, 2)
    assert len({each.sample.allocation for each in (a, b, c)}) == 3
    assert a.sample.addresses == (0,) * 16 + (512,) * 16  # two rows, each read by 16 lanes
    assert b.sample.addresses == tuple(4 * (lane % 16) for lane in range(32))
    assert (a.efficiency, b.efficiency) == (0.5, 1)


def test_the_least_traffic_and_the_barriers_of_a_launch() -> None:
    counts = counted("matmul_tiled", *KERNELS["matmul_tiled"])

    assert counts.read_bytes == 2 * 128 * 128 * 4
    assert counts.written_bytes == 128 * 128 * 4
    assert counts.barriers == 64 * 8 * 16  # blocks, warps, barriers
    assert (counts.launch.kernel, counts.launch.threads, counts.launch.error) == ("product_tiled", 16384, 0)


@pytest.mark.parametrize(("stride", "sectors"), [(1, 4), (2, 8), (3, 12), (8, 32), (32, 32)])
def test_sectors_grow_with_the_stride(stride: int, sectors: int) -> None:
    n = 128 * 256 * stride
    counts = counted("strided", (n,), (n,), n, stride)

    load = line(counts, "y[i] = x[i]")

    assert (load.requests, load.sectors_per_request, load.active_lanes) == (1024, sectors, 32)
    assert load.ideal_sectors == 4 * 1024
    assert load.sample.addresses == tuple(4 * stride * lane for lane in range(32))
    assert counts.read_bytes == 1024 * sectors * 32


def test_lanes_beyond_the_end_take_no_part() -> None:
    counts = counted("tail", (300,), (300,), 300)

    load = line(counts, "y[i] = x[i]")

    assert (load.requests, load.lanes, load.sectors) == (10, 300, 38)  # the last warp: 12 lanes


def test_records_are_taken_once() -> None:
    take_records("launches")
    counted("tail", (300,), (300,), 300)

    (launch,) = take_records("launches")

    assert (launch["kernel"], launch["error"]) == ("first_n", 0)
    assert take_records("launches") == take_records("counts") == []


# ---- lanes that part --------------------------------------------------------------------------------------


def test_two_branches_are_two_requests_and_the_lanes_meet_again() -> None:
    counts = counted("branches", (64,), (64,))

    requests = {each.frame.source.strip(): (each.requests, each.lanes) for each in counts.lines}

    assert requests == {
        "float value = x[lane];": (1, 32),
        "if (lane % 2) value += x[32 + lane];": (1, 16),
        "else y[32 + lane] = value;": (1, 16),
        "y[lane] = value;": (1, 32),
    }


def test_what_all_lanes_do_between_two_guards_is_done_together() -> None:
    counts = counted("guarded", (64,), (64,), 40)

    between = [each for each in counts.lines if "float sum = tile" in each.frame.source]
    behind = line(counts, "tile[threadIdx.x] = sum", "store")

    assert {(each.space, each.requests, each.lanes) for each in [*between, behind]} == {
        ("shared", 2, 64),
        ("global", 2, 64),
    }
    assert (line(counts, "if (valid) y", "store").requests, counts.barriers) == (2, 4)


def test_a_loop_goes_on_for_the_lanes_that_stay_and_all_meet_behind_it() -> None:
    counts = counted("triangle", (32, 32), (2, 32))

    loop, begin, end = (
        line(counts, "sum += x"),
        line(counts, "float sum = y"),
        line(counts, "= sum;", "store"),
    )

    assert (loop.requests, loop.lanes) == (2 * 32, 2 * 32 * 33 // 2)
    assert (begin.requests, begin.lanes) == (end.requests, end.lanes) == (2, 64)
    # The i-th round touches the same row for all that are in it: whole sectors, fewer and fewer.
    assert loop.sectors == 2 * sum(-(-lanes // 8) for lanes in range(1, 33))


@pytest.mark.parametrize("longest", [40, 600], ids=["short", "long"])
def test_a_loop_within_a_loop_ends_for_the_warp_when_it_ends_for_all(longest: int) -> None:
    lengths = np.random.default_rng(1).integers(0, longest, 640).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)

    counts = counted("ragged", starts, (int(starts[-1]),), (640,), 640)

    outer = line(counts, "y[row] = sum", "store")
    rounds = lengths.reshape(-1, 32).max(axis=1)  # of the inner loop, for each 32 rows
    loads = [each for each in counts.lines if "sum += x[i]" in each.frame.source]
    assert sorted((each.requests, each.lanes) for each in loads) == sorted(
        [(rounds.sum(), lengths.sum()), (20, 640)]  # x[i], and starts[row] on the same line
    )
    assert (outer.requests, outer.lanes) == (20, 640)


def test_what_happens_in_another_round_for_each_lane_is_not_together() -> None:
    counts = counted("rounds", (32,), (32,), 32)

    load, store = line(counts, "sum += x[i]"), line(counts, "y[threadIdx.x] = sum", "store")

    assert (load.requests, load.lanes, load.sectors) == (32, 32 * 32, 32)
    assert (store.requests, store.lanes) == (32, 32)


def test_a_long_loop_is_counted_in_pieces_and_exactly() -> None:
    rounds = 50_000  # three and two accesses in each; with 64 threads a list holds 65,536
    counts = counted("long_loop", (96,), rounds)

    update, other = line(counts, "x[threadIdx.x] += 1"), line(counts, "x[64", "store")

    assert (update.requests, update.lanes, update.sectors) == (2 * rounds, 64 * rounds, 8 * rounds)
    assert (other.requests, other.lanes, other.sectors) == (rounds, 16 * rounds, 2 * rounds)


def test_lanes_that_wait_do_not_hold_the_others_up() -> None:
    rounds = 100_000  # two accesses in each; with 32 threads a list holds 131,072
    counts = counted("one_half_works", (64,), rounds)

    assert line(counts, "for (int i").requests == rounds
    assert line(counts, "for (int i", "store").lanes == 16 * rounds
    assert (line(counts, "x[32").requests, counts.barriers) == (1, 1)


def test_a_meeting_of_half_a_warp_parts_nobody() -> None:
    counts = counted("partly", (32,))

    assert [(each.requests, each.lanes) for each in counts.lines] == [(1, 32)] * 4


@pytest.mark.parametrize("kernel", ["triangle", "rounds", "long_loop", "reduction"])
def test_the_order_of_threads_changes_no_count(kernel: str, order: Callable[[int, int], None]) -> None:
    arguments: dict[str, tuple[Any, ...]] = {
        "triangle": ((32, 32), (2, 32)),
        "rounds": ((32,), (32,), 32),
        "long_loop": ((96,), 3000),
        "reduction": ((4096,), (64,), 4096),
    }

    def sums(order_of_threads: int) -> list[LineCounts]:
        order(order_of_threads, 7)
        lines = counted(kernel, *arguments[kernel]).lines
        return [replace(each, sample=NO_SAMPLE) for each in lines]

    assert sums(FORWARD) == sums(REVERSED) == sums(SEEDED)


# ---- one request ------------------------------------------------------------------------------------------


def test_variables_count_and_stacks_and_constants_do_not() -> None:
    counts = counted("into_variable", (4,))

    (atomic,) = [each for each in counts.lines if each.access == "atomic"]

    assert (atomic.requests, atomic.lanes, atomic.sectors, atomic.sample.allocation) == (1, 4, 1, None)
    assert counts.global_load_requests == 4  # x; neither factor nor own
    assert counts.global_store_requests == counts.shared_load_requests == 0


def test_atomics_and_how_often_they_meet() -> None:
    places = np.repeat(np.arange(4, dtype=np.int32), 8)  # eight lanes to each of four counters

    counts = counted("histogram", np.zeros(64, np.int32), places)

    shared, spread = line(counts, "&own", "atomic"), line(counts, "own[threadIdx.x])", "atomic")
    into = line(counts, "atomicAdd(&counts[places", "atomic")
    assert (shared.requests, shared.wavefronts, shared.conflicts) == (1, 8, 7)
    assert (into.requests, into.sectors, into.lanes, into.ideal_sectors) == (1, 1, 32, 1)
    assert (spread.sectors, spread.requests) == (4, 1)
    assert [counts.total("requests", space, "atomic") for space in ("global", "shared")] == [2, 1]
    assert counts.written_bytes == 128


def test_dynamic_shared_memory() -> None:
    counts = counted("reversed", (96,), (96,), 96)

    load = line(counts, "blockDim.x - 1 - i")

    assert (load.requests, load.wavefronts, load.conflicts) == (3, 3, 0)
    first = load.sample.addresses[0]
    assert first is not None and load.sample.addresses == tuple(first - 4 * lane for lane in range(32))


def test_nothing_is_counted_unless_asked_for() -> None:
    x, y = np.ones(96, np.float32), np.zeros(96, np.float32)
    with counting() as counts:
        pass
    program("counters", checked=True).call("reversed", x, y, 96)
    with counting() as later:
        pass

    assert counts == later == []
    assert (y == 1).all()


def test_a_module_without_checks_cannot_be_counted() -> None:
    x, y = np.ones(96, np.float32), np.zeros(96, np.float32)
    with counting() as counts:
        program("counters").call("reversed", x, y, 96)

    assert counts == []
    assert (y == 1).all()


# ---- other ways to memory ---------------------------------------------------------------------------------


def test_a_copy_in_the_background_is_a_load_and_a_store() -> None:
    counts = counted("background", (128,), (128,))

    copies = [each for each in counts.lines if "memcpy_async" in each.frame.source]

    assert {(each.space, each.access, each.bytes, each.requests) for each in copies} == {
        ("global", "load", 16, 1),
        ("shared", "store", 16, 1),
    }
    assert (counts.global_load_sectors, counts.shared_store_wavefronts) == (16, 4)


def test_blocks_of_a_cooperative_launch_take_turns_and_are_counted_apart() -> None:
    counts = counted("grid", (256,), (256,))

    first, second = line(counts, "threadIdx.x] += 1"), line(counts, "= x[(blockIdx.x + 1)")

    assert (first.requests, first.lanes, first.sectors) == (8, 256, 32)
    assert (second.requests, second.lanes, second.sectors) == (8, 256, 8)
    assert counts.launch.blocks == 4


@pytest.mark.parametrize(
    ("kernel", "arguments", "kind"),
    [("overrun", ((64,), 64), "out_of_bounds"), ("misaligned", ((8,), (4,)), "misaligned")],
)
def test_what_is_counted_is_checked_as_always(kernel: str, arguments: tuple[Any, ...], kind: str) -> None:
    def found(counted_too: bool) -> list[str]:
        passed = [np.zeros(each, np.float32) if isinstance(each, tuple) else each for each in arguments]
        said = ""
        with counting() if counted_too else nullcontext():
            try:
                program("counters", checked=True).call(kernel, *passed)
            except RuntimeError as error:  # with what was found
                said = str(error)
        said += surface_program.findings()
        runtime().simt_reset()
        return re.findall(r'"kind":"(\w+)","access":"(\w+)","bytes":(\d+)', said)

    assert found(True) == found(False)
    assert [each[0] for each in found(True)] == [kind]
