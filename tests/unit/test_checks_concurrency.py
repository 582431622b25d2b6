"""How many launches can run at once: the width of their order, and what is said where it is too small."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from grader.checks.bench import Bench
from grader.checks.device import device_work
from grader.checks.device.concurrency import comes_after, most_at_once
from grader.checks.outcome import Outcome
from grader.checks.values import correctness
from grader.run.replies import trace
from grader.run.values import Trace, TracedLaunch
from grader.run.wire import WireError
from grader.specification import Case, tensor
from grader.verdict import Status
from tests.unit.fake_submission import LAUNCH, FakeSession, fake_bench

CALLER, A, B, C = -1, 11, 12, 13  # streams, as the runtime numbers them


def launch(stream: int, number: int, *after: tuple[int, int]) -> TracedLaunch:
    return replace(LAUNCH, stream=max(stream, 0), moment=(stream, number), after=after)


FREE = [launch(A, 1), launch(B, 1), launch(C, 1)]
CHAIN = [launch(A, 1), launch(B, 1, (A, 1)), launch(C, 1, (A, 1), (B, 1))]
TWO_CHAINS = [launch(A, 1), launch(B, 1), launch(A, 2, (A, 1)), launch(B, 2, (B, 1))]
# A later launch on A and on B waits for both first ones: two at once, then two at once.
STEPS = [
    launch(A, 1), launch(B, 1), launch(A, 2, (A, 1), (B, 1)), launch(B, 2, (A, 1), (B, 1)),
]  # fmt: skip
# An N, for which the first choice of a follower has to be taken back: A1 before B2 and C1, B1 before B2.
TAKEN_BACK = [launch(A, 1), launch(B, 1), launch(B, 2, (A, 1), (B, 1)), launch(C, 1, (A, 1))]
LATE_FORK = [launch(A, 1), launch(A, 2, (A, 1)), launch(B, 1, (A, 1))]


def test_a_launch_comes_after_what_its_stream_had_reached() -> None:
    later = launch(B, 1, (A, 2))
    assert [comes_after(later, launch(A, number)) for number in (1, 2, 3)] == [True, True, False]
    assert not comes_after(later, launch(C, 1))


@pytest.mark.parametrize(
    ("launches", "number"),
    [(FREE, 3), (CHAIN, 1), (TWO_CHAINS, 2), (STEPS, 2), (TAKEN_BACK, 2), (LATE_FORK, 2), ([], 0)],
)
def test_the_most_that_can_run_at_once(launches: list[TracedLaunch], number: int) -> None:
    assert most_at_once(launches) == number


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b


def judged(launches: list[TracedLaunch], asked: int) -> Outcome:
    def changed(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, launches=tuple(launches))

    case = Case("side by side", [replace(tensor(100), name=name) for name in "ab"], streams=asked)
    bench: Bench = fake_bench(FakeSession(add, edit_trace=changed), add, [case], parameters="ab")
    assert correctness.check(bench).status is Status.PASS
    return device_work.check(bench)


def test_many_streams_that_wait_for_one_another_are_not_side_by_side() -> None:
    outcome = judged(CHAIN, asked=3)
    assert (outcome.status, outcome.topic) == (Status.FAIL, "streams")
    assert "used 3 streams, and still no two of its launches can run at the same time; 3 are asked for" in (
        outcome.sentence
    )
    name = "muladd_kernel<float>"
    assert f"The launch of {name} on stream 12 waits for that of {name} on stream 11." in outcome.sentence


def test_as_many_as_are_asked_for_may_be_fewer_than_there_are_streams() -> None:
    assert judged(FREE, asked=3).status is Status.PASS
    mixed = [*FREE, launch(14, 1, (A, 1), (B, 1), (C, 1))]
    assert judged(mixed, asked=3).status is Status.PASS
    assert "at most 3 of its launches can run at the same time; 4 are" in judged(mixed, asked=4).sentence


def test_the_default_stream_is_called_so() -> None:
    launches = [launch(CALLER, 4), launch(A, 1, (CALLER, 4))]
    assert "on stream 11 waits for that of muladd_kernel<float> on the default stream" in (
        judged(launches, asked=2).sentence
    )


def test_where_no_order_is_known_streams_are_counted() -> None:
    """So it is on cuda: the profiler does not know who waits."""
    unknown = [replace(each, moment=None, after=()) for each in CHAIN]
    assert judged(unknown, asked=3).status is Status.PASS
    assert "on 3 streams; 4 are asked for" in judged(unknown, asked=4).sentence


def test_the_order_of_a_launch_crosses_the_wire() -> None:
    entry = {"kernel": "k", "grid": [1, 1, 1], "block": [1, 1, 1], "moment": [-1, 3], "after": [[11, 2]]}
    (read,) = trace({"trace": {"launches": [entry]}}).launches
    assert (read.moment, read.after) == ((-1, 3), ((11, 2),))


@pytest.mark.parametrize("wrong", [{"moment": [1]}, {"moment": [1, "2"]}, {"after": [[1, True]]}])
def test_an_order_that_is_none_is_refused(wrong: dict[str, object]) -> None:
    entry = {"kernel": "k", "grid": [1, 1, 1], "block": [1, 1, 1], **wrong}
    with pytest.raises(WireError, match=r"field `trace\.launches\[0\]\.(moment|after)"):
        trace({"trace": {"launches": [entry]}})
