"""The device-work check: who wrote the answer, and what else was called."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from grader.checks import device_work
from grader.checks.outcome import Outcome
from grader.run.values import Trace
from grader.spec import Case, tensor
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench, fake_exercise

ARGS = [replace(tensor(100), name=name) for name in "ab"]
CASE = Case("plain", ARGS)
EMPTY = Case("empty", [replace(tensor(0), name=name) for name in "ab"])


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b


def judged(
    cases: list[Case] | None = None, exercise: dict[str, Any] | None = None, **changes: Any
) -> Outcome:
    """The check's outcome when every forward's trace has `changes`."""

    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, **changes)

    bench = fake_bench(
        FakeSession(add, edit_trace=edit), add, cases or [CASE], parameters="ab",
        exercise=fake_exercise(**(exercise or {})),
    )  # fmt: skip
    return device_work.check(bench)


def test_a_kernel_that_writes_everything_passes() -> None:
    outcome = judged()
    assert outcome.status is Status.PASS
    assert outcome.sentence == "Every result was written by your kernels (1 launches in 1 calls)."


def test_no_launch_at_all_names_what_did_the_work() -> None:
    outcome = judged(launches=(), launches_total=0, operators=("aten::empty_like", "aten::add.Tensor"))
    assert outcome.status is Status.FAIL
    assert outcome.sentence.endswith("launched no kernel. aten::add did the work instead.")


def test_an_empty_result_needs_no_launch() -> None:
    assert judged([EMPTY]).status is Status.PASS


@pytest.mark.parametrize(
    ("writers", "words"),
    [
        ({"host": 400}, "all of the result was last written by host code"),
        ({"kernel": 300, "host": 100}, "100 of 400 bytes of the result was last written by host code"),
        ({"library": 400}, "a library operator instead of your kernel"),
        ({"copy": 400}, "a copy from the host"),
        ({"memset": 4, "kernel": 396}, "a fill (zeros or cudaMemset)"),
    ],
)
def test_the_last_writer_must_be_a_kernel(writers: dict[str, int], words: str) -> None:
    outcome = judged(writers=(writers,))
    assert outcome.status is Status.FAIL
    assert words in outcome.sentence


def test_what_nobody_wrote_is_left_to_the_values() -> None:
    assert judged(writers=({"unwritten": 400},)).status is Status.PASS


def test_a_backend_that_cannot_tell_the_writer_is_no_accusation() -> None:
    assert judged(writers=(None,)).status is Status.PASS


def test_library_operators_are_refused_by_name_unless_the_exercise_allows_them() -> None:
    called = ("aten::empty_like", "aten::mm", "aten::mul.Tensor", "aten::mm", "muladd::muladd")
    outcome = judged(operators=called)
    assert outcome.status is Status.FAIL
    assert "called aten::mm and aten::mul." in outcome.sentence
    allowed = judged(operators=called, exercise={"library": frozenset({"aten::mm"})})
    assert "called aten::mul." in allowed.sentence
    assert "Allowed here: aten::mm." in allowed.sentence
    both = {"library": frozenset({"aten::mm", "aten::mul"})}
    assert judged(operators=called, exercise=both, writers=({"library": 400},)).status is Status.PASS


def test_copies_between_host_and_device() -> None:
    outcome = judged(copies=("cudaMemcpy device to host, 400 bytes",))
    assert outcome.status is Status.FAIL
    assert "copied between host and device (cudaMemcpy device to host, 400 bytes)" in outcome.sentence
    allowed = judged(copies=("cudaMemcpy",), host_syncs=2, exercise={"copies": True})
    assert allowed.status is Status.PASS


@pytest.mark.parametrize(
    ("syncs", "words"), [(1, "waited for the device once."), (3, "waited for the device 3 times.")]
)
def test_waiting_for_the_device(syncs: int, words: str) -> None:
    outcome = judged(host_syncs=syncs)
    assert outcome.status is Status.FAIL
    assert words in outcome.sentence


def backward_judged(**changes: Any) -> Outcome:
    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, **changes) if stage == "backward" else trace

    session = FakeSession(add, edit_trace=edit)
    exercise = fake_exercise(library=frozenset({"aten::sum"}))
    bench = fake_bench(session, add, [CASE], parameters="ab", exercise=exercise)
    inputs = bench.draw(ARGS)
    call = bench.forward(CASE, inputs, requires_grad=["a", "b"])
    assert call.reply.handle is not None
    bench.backward(CASE, inputs, call.reply.handle, [torch.ones(100)])
    return device_work.check(bench)


def test_gradients_may_come_from_allowed_operators() -> None:
    outcome = backward_judged(
        launches=(), writers=({"library": 400}, {"kernel": 400}), operators=("aten::sum",)
    )
    assert outcome.status is Status.PASS


def test_gradients_from_other_operators_or_the_host_fail() -> None:
    outcome = backward_judged(operators=("aten::sum", "aten::mul"))
    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith("The backward of muladd(")
    assert "called aten::mul." in outcome.sentence
    host = backward_judged(writers=({"kernel": 400}, {"host": 400}))
    assert "the gradient of b was written by host code" in host.sentence


def test_without_a_call_that_succeeded_there_is_nothing_to_see() -> None:
    outcome = judged(sticky_error="cudaErrorIllegalAddress")
    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith("No call succeeded")
