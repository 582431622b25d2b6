"""Why a count exceeds its limit: the line that is to blame, and what it does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from cusimt.counters import LineCounts
from cusimt.profile.model import Memory
from cusimt.tests.unit.handmade_profile import X, Y, launched, line
from grader.checks.device.limit_causes import CountedStage, amount_of, in_words, reason
from grader.checks.device.limit_results import Judged, outcome_of
from grader.specification import Limit
from grader.specification.efficiency import METRICS
from tests.unit.fake_submission import FakeSession, fake_bench


def stage(*lines: LineCounts, least: int = 0) -> CountedStage:
    counts = launched(lines, least=least).counts
    return CountedStage("copy(x)", (counts,), {X: Memory("x", 4)}, Path("/nowhere"))


def said(metric: str, counted: CountedStage, most: float = 0) -> str:
    text, frame, _ = reason(METRICS[metric], counted, amount_of(METRICS[metric], counted), most)
    return f"{frame.line}: {text}"


def test_amounts_are_sums_over_lines_of_one_kind_of_access() -> None:
    loads, strided = line(lambda lane: 4 * lane), line(lambda lane: 128 * lane, 2)
    store = line(lambda lane: 4 * lane, 3, access="store")
    column = line(lambda lane: 128 * lane, 1, space="shared")
    counted = stage(loads, strided, store, column)
    twice = replace(counted, launches=counted.launches * 2, allocations=5, peak_bytes=96)
    amounts = {name: amount_of(metric, twice) for name, metric in METRICS.items()}
    assert amounts["global_load_sectors"] == 2 * 100 * (4 + 32)
    assert amounts["global_store_sectors"] == 2 * 100 * 4
    assert amounts["global_sectors"] == 2 * 100 * (4 + 32 + 4)
    assert amounts["global_load_requests"] == 2 * 200
    assert (amounts["shared_load_wavefronts"], amounts["bank_conflicts"]) == (2 * 3200, 2 * 3100)
    assert (amounts["launches"], amounts["global_atomic_sectors"], amounts["allocations"]) == (2, 0, 5)
    assert (amounts["peak_bytes"], in_words(METRICS["peak_bytes"], 96)) == (
        96,
        "96 bytes of device memory held at once",
    )


def test_the_line_with_most_in_vain_is_named_with_what_it_does() -> None:
    small, large = line(lambda lane: 8 * lane, 2), line(lambda lane: 128 * lane, 4)
    assert said("global_load_sectors", stage(small, large)) == (
        "4: Reads x with a stride of 32 elements: 32 sectors a request where 4 would do; neighbouring "
        "threads should read neighbouring elements."
    )
    column = line(lambda lane: 128 * lane, 1, space="shared")
    assert said("bank_conflicts", stage(small, column)).startswith(
        "1: Reads shared memory with a stride of 32 words: 32 wavefronts a request where 1 would do (3,100"
    )


def test_a_line_in_two_launches_is_one() -> None:
    often, once = line(lambda lane: 8 * lane, 2), line(lambda lane: 12 * lane, 4)
    both = stage(often, once)
    twice = replace(both, launches=(stage(often).launches[0],) * 3 + both.launches)
    assert said("global_load_sectors", both).startswith("4:")
    assert said("global_load_sectors", twice).startswith("2:")


def test_good_requests_that_are_too_many_are_told_as_such() -> None:
    counted = stage(line(lambda lane: 4 * lane), least=100 * 4 * 32 // 2)
    assert said("global_load_sectors", counted, 200) == (
        "4: Reads x: 400 sectors of 400. Over all reads, a sector comes 2 times on average; keep what is "
        "used again in registers or shared memory."
    )
    assert said("global_load_sectors", stage(line(lambda lane: 4 * lane)), 200) == (
        "4: Reads x: 400 sectors of 400. Results in between go through memory; one kernel keeps them in "
        "registers."
    )
    assert (
        said("global_load_requests", counted, 25)
        == "4: Reads x 4 bytes a lane at a time: 100 requests of 100."
    )
    renamed = replace(counted, names={X: Memory("gradA", 4)})
    assert "Reads gradA 4 bytes a lane" in said("global_load_requests", renamed, 25)
    fragments = line(lambda lane: 4 * lane)
    framed = replace(fragments, frame=replace(fragments.frame, source="load_matrix_sync(a, p, 16);"))
    assert said("global_load_requests", stage(framed), 25) == "4: Reads x by fragments: 100 requests of 100."
    row = line(lambda lane: 4 * lane, 1, space="shared")
    assert said("shared_load_wavefronts", stage(row)) == "1: Reads shared memory: 100 wavefronts of 100."


def test_of_requests_the_line_is_named_that_could_do_with_the_fewest() -> None:
    """The chunks of 16 bytes are as few as they can be; the tail that every block repeats is not."""
    chunks = line(lambda lane: 16 * lane, nbytes=16, requests=300)
    tail = line(lambda lane: 4 * lane, 2, requests=20, lanes=range(3))
    assert said("global_load_requests", stage(chunks, tail), 304) == (
        "2: Reads x 4 bytes a lane at a time, with 3 of 32 lanes active: 20 requests of 320."
    )
    again = line(lambda lane: 16 * lane, 5, nbytes=16, requests=400)
    assert said("global_load_requests", stage(chunks, again), 300).endswith(
        "16 bytes a lane at a time: 400 requests of 700."
    )


def test_a_narrow_tail_is_not_blamed_for_what_a_second_launch_moves_again() -> None:
    chunks = line(lambda lane: 16 * lane, nbytes=16, requests=300)
    tail = line(lambda lane: 4 * lane, 2, requests=1, lanes=range(3))
    once = stage(chunks, tail)
    twice = replace(once, launches=once.launches * 2)
    assert said("global_load_requests", twice, 304) == (
        "4: Reads x 16 bytes a lane at a time: 600 requests of 602, in 2 launches."
    )


def test_work_that_is_done_twice_is_told_from_values_that_are_read_twice() -> None:
    load, store = line(lambda lane: 4 * lane), line(lambda lane: 4 * lane, 5, access="store")
    counts = replace(stage(load, store).launches[0], read_bytes=200 * 32, written_bytes=200 * 32)
    twice = replace(stage(load), launches=(counts,))
    assert said("global_load_sectors", twice, 200) == (
        "4: Reads x: 400 sectors of 400. Over all reads, a sector comes 2 times on average, and the results "
        "are written 2 times. Either several threads do the same work (compare the block with the step of "
        "the loop), or a sum is kept in memory instead of a register."
    )
    once = replace(twice, launches=(replace(counts, written_bytes=400 * 32),))
    again = "keep what is used again in registers or shared memory."
    assert said("global_load_sectors", once, 200).endswith(again)
    alone = line(lambda lane: 0, 5, access="store", lanes=range(1))  # 400 bytes
    thin = replace(twice, launches=(replace(counts, lines=(load, alone), written_bytes=13 * 32),))
    assert said("global_load_sectors", thin, 200).endswith(again)


def test_a_line_that_reads_what_it_writes_adds_to_memory() -> None:
    load, store = (line(lambda lane: 4 * lane, 5, access=access) for access in ("load", "store"))  # type: ignore[arg-type]
    counts = replace(stage(load, store).launches[0], read_bytes=200 * 32, written_bytes=200 * 32)
    assert said("global_load_sectors", replace(stage(load), launches=(counts,)), 200) == (
        "5: Reads x: 400 sectors of 400. Over all reads, a sector comes 2 times on average. This line reads "
        "x and writes it back, as += does. A thread's own sum belongs in a register; a sum over several "
        "threads takes atomicAdd."
    )


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        ("Read x once.", True),
        ("Read grad_out once, in its own order.", False),
        ("Read grad_out and x once.", True),
        ("A tile is read once.", True),  # an article, and no tensor
        ("", True),
    ],
)
def test_the_rule_of_a_limit_is_about_the_tensor_that_is_named(rule: str, kept: bool) -> None:
    names = {X: Memory("x", 4), Y: Memory("grad_out", 4), 0x3000: Memory("a", 4)}
    counted = replace(stage(line(lambda lane: 128 * lane)), names=names)
    limit = Limit("global_load_sectors", 400, rule=rule)
    outcome = outcome_of(fake_bench(FakeSession(torch.neg), torch.neg, []), [
        Judged("a case", limit, counted, 3200, 400)
    ])  # fmt: skip
    (finding,) = outcome.findings
    assert finding.rule == (rule if kept else "")
    assert finding.sentence.startswith("Reads x with a stride of 32 elements")


def test_a_tensor_that_is_read_once_is_not_blamed_for_what_is_read_again() -> None:
    counts = replace(stage(line(lambda lane: 4 * lane)).launches[0], read_bytes=200 * 32)
    once = replace(stage(line(lambda lane: 4 * lane)), launches=(counts,), sizes={"x": 400 * 32})
    assert "400. Here each comes once; but over all reads, a sector comes 2 times" in said(
        "global_load_sectors", once, 200
    )
    twice = replace(once, sizes={"x": 200 * 32})
    assert "400. Over all reads" in said("global_load_sectors", twice, 200)


def test_launches_are_told_by_kernel() -> None:
    counted = stage(line(lambda lane: 4 * lane))
    assert (
        said("launches", replace(counted, launches=counted.launches * 3), 1) == "9: Launched: copy 3 times."
    )
    assert said("launches", replace(counted, launches=()), 1) == "0: "
    assert in_words(METRICS["launches"], 1) == "1 launch"
    assert in_words(METRICS["launches"], 3) == "3 launches"
    assert in_words(METRICS["global_load_sectors"], 4096) == "4,096 sectors read from global memory"


def test_an_allocation_too_many_is_explained_by_the_operators_that_copy() -> None:
    counted = replace(stage(), allocations=3, operators=("aten::empty", "aten::contiguous"))
    assert said("allocations", counted, 1) == "0: aten::contiguous makes a copy."
    both = replace(counted, operators=("aten::clone", "aten::contiguous"))
    assert said("allocations", both, 1) == "0: aten::clone and aten::contiguous make copies."
    assert said("allocations", replace(counted, operators=("aten::empty",)), 1) == "0: "
    assert in_words(METRICS["allocations"], 3) == "3 allocations of device memory"
