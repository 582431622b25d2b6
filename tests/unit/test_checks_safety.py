"""The safety check: faults that the answers do not show."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from grader.checks.bench import Bench, Call
from grader.checks.device import safety, schedules
from grader.checks.device.findings import seen_in
from grader.checks.device.safety import merge
from grader.checks.outcome import Outcome
from grader.checks.values import correctness
from grader.run.values import RemoteError, Reply, Trace
from grader.specification import Case, Gradient, Refusal, tensor
from grader.verdict import ReportedFinding, Status
from tests.unit.fake_submission import LAUNCH, FakeSession, fake_bench

ARGS = [replace(tensor(100), name=name) for name in "ab"]
CASES = [Case("plain", ARGS), Case("on a side stream", ARGS, stream="side")]


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b


def judged(edit_trace: Callable[[Trace, str, str], Trace] | None = None, **more: Any) -> Outcome:
    """Correctness first, as in grading, then safety."""
    backend = more.pop("backend", "simt")
    refusals = more.pop("refusals", ())
    function = more.pop("function", add)
    if edit_trace is not None:
        more["edit_trace"] = edit_trace
    bench = fake_bench(
        FakeSession(function, **more), add, CASES, parameters="ab", backend=backend, refusals=refusals
    )
    right = correctness.check(bench)
    assert right.status is Status.PASS or right.not_own  # the values are right, whoever made them
    return safety.check(bench)


def test_a_clean_submission_passes_under_three_schedules() -> None:
    schedules = []

    def noted(trace: Trace, stage: str, schedule: str) -> Trace:
        schedules.append(schedule)
        return trace

    outcome = judged(noted)
    assert outcome.status is Status.PASS
    assert outcome.sentence.startswith("6 traced calls:")
    assert schedules == ["forward", "forward", "reversed", "random", "reversed", "random"]
    assert outcome.sentence.endswith(
        "all work in order with the caller's stream, and the same answers in other orders of blocks and "
        "threads."
    )


def test_on_cuda_no_other_schedule_is_asked_for_and_the_praise_is_smaller() -> None:
    outcome = judged(backend="cuda")
    assert outcome.status is Status.PASS
    assert outcome.sentence.startswith("2 calls: no launch failed")


def test_a_launch_on_the_default_stream_while_another_is_current() -> None:
    def strays(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, launches=tuple(replace(each, stream=0) for each in trace.launches))

    outcome = judged(strays)
    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith(
        "kernel.cu:12: muladd_kernel<float> was launched on the default stream while stream 7 was "
        "current: it is ordered with the default stream, not with the caller's work."
    )
    assert "(The answers are still right.)" in outcome.sentence
    assert [finding.kind for finding in outcome.findings] == ["launch_stream"]


def test_a_launch_that_failed_in_silence() -> None:
    def refused(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, launches=(replace(LAUNCH, block=(2048, 1, 1), error=9, stream=trace.stream),))

    outcome = judged(refused)
    assert outcome.status is Status.FAIL
    assert "with grid (1, 1, 1) and block (2048, 1, 1) failed" in outcome.sentence
    assert "C10_CUDA_KERNEL_LAUNCH_CHECK" in outcome.sentence


def reporting(call: Call, kind: str, stage: str = "forward") -> Call:
    """The call, in which the checked build saw something."""
    finding = {"kind": kind, "access": "write", "bytes": 4}
    trace = replace(call.reply.trace, findings=(finding,))
    return replace(call, stage=stage, reply=replace(call.reply, trace=trace))


@pytest.fixture
def bench() -> Bench:
    """After right answers in all cases."""
    made = fake_bench(FakeSession(add), add, CASES, parameters="ab")
    assert correctness.check(made).status is Status.PASS
    return made


def test_a_race_on_bad_input_is_a_race(bench: Bench) -> None:
    bench.calls.append(reporting(bench.calls[0], "race_global", "refusal"))
    outcome = safety.check(bench)
    assert "bad input only" not in outcome.sentence
    assert [each.kind for each in outcome.findings] == ["race_global"]


def test_what_happens_on_bad_input_only_is_said_to(bench: Bench) -> None:
    bench.calls.append(reporting(bench.calls[0], "host_pointer", "refusal"))
    outcome = safety.check(bench)
    assert "on bad input only. Refuse bad input before a kernel runs: check the" in outcome.sentence
    assert [each.rule for each in outcome.findings] == [safety._REFUSE]
    assert "all the same" not in outcome.sentence
    bench.calls.append(reporting(bench.calls[0], "host_pointer"))
    assert "(The answers are still right.)" in safety.check(bench).sentence
    bench.outcomes["gradient"] = Outcome(Status.FAIL, "The gradient of a is wrong.")
    assert "(The forward answers are still right.)" in safety.check(bench).sentence


def test_the_call_in_which_it_was_seen_first_is_named(bench: Bench) -> None:
    bench.calls[1] = reporting(bench.calls[1], "host_pointer")
    outcome = safety.check(bench)
    assert outcome.case == "on a side stream"
    assert (
        " First seen in muladd(a: float32 (100,), b: float32 (100,)) under a side stream. ("
        in outcome.sentence
    )
    bench.calls.insert(1, replace(bench.calls[1], stage="backward", text="The backward of muladd(a)"))
    assert " First seen in the backward of muladd(a). " in safety.check(bench).sentence


def test_a_finding_of_a_backward_names_gradients_as_their_author_does() -> None:
    def finding(name: str) -> dict[str, Any]:
        tensor_ = {"name": name, "itemsize": 4}
        allocation = {"base": 512, "bytes": 400, "offset": 400, "device": 0}
        return {
            "kind": "out_of_bounds",
            "access": "read",
            "bytes": 4,
            "tensor": tensor_,
            "allocation": allocation,
        }

    bench = fake_bench(FakeSession(add), add, CASES, parameters="ab")
    call = bench.forward(CASES[0], bench.draw(ARGS))
    outputs = tuple(replace(call.reply.outputs[0], name=name) for name in "ab")
    for raw, name in [("cotangent 0", "grad_out"), ("output 1", "grad_b"), ("a", "a")]:
        trace = replace(call.reply.trace, findings=(finding(raw),))
        back = replace(call, stage="backward", reply=replace(call.reply, outputs=outputs, trace=trace))
        (found,) = seen_in([back], bench.files)
        assert f"element 100 of `{name}`, which has 100 elements (1 past the end)" in found.sentence


def leaking(*stages: str, when: Callable[[int], bool] = lambda number: True) -> Callable[..., Trace]:
    calls = []

    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        calls.append(stage)
        lost = stage in stages and when(len(calls))
        return replace(trace, live_allocations=2, live_bytes=800) if lost else trace

    return edit


def test_memory_lost_by_every_call_is_a_leak() -> None:
    outcome = judged(leaking("call"))
    assert outcome.status is Status.FAIL
    assert "2 device allocations (800 bytes) made during muladd(" in outcome.sentence
    assert "were never freed" in outcome.sentence


def test_what_a_call_could_not_free_after_a_failed_kernel_is_no_leak() -> None:
    bench = fake_bench(FakeSession(add, edit_trace=leaking("call")), add, CASES, parameters="ab")
    call = bench.forward(CASES[0], bench.draw(ARGS))
    assert [finding.kind for finding in safety.leaks([call])] == ["leak"]
    died = replace(call.reply, trace=replace(call.reply.trace, sticky_error="cudaErrorIllegalAddress"))
    assert safety.leaks([replace(call, reply=died)]) == []


def test_memory_kept_once_is_a_cache() -> None:
    assert judged(leaking("call", when=lambda number: number == 1)).status is Status.PASS


def test_memory_lost_on_the_way_out_of_a_refusal_is_a_leak() -> None:
    def refusing(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        if a.shape != b.shape:
            raise RuntimeError("b has another shape than a")
        return a + b

    other = replace(tensor(7), name="b")
    refusals = [Refusal(name, [ARGS[0], other], mentions=["b"]) for name in ("one", "two")]
    outcome = judged(leaking("call", when=lambda n: n > 2), function=refusing, refusals=refusals)
    assert outcome.findings[0].kind == "leak"


def test_saved_tensors_of_a_kept_graph_are_no_leak() -> None:
    bench = fake_bench(
        FakeSession(add, edit_trace=leaking("call", "backward")), add, CASES, parameters="ab",
        gradient=Gradient(cases=[CASES[0]]),
    )  # fmt: skip
    call = bench.forward(CASES[0], bench.draw(ARGS), requires_grad=["a"])
    assert call.reply.handle is not None
    assert safety.leaks(bench.calls) == []


def in_other_orders(
    change: Callable[[Reply, str], Reply], gradient: Gradient | None = None, *, edit_trace: Any = None
) -> Outcome:
    """Judge `add` where `change` spoils the replies of orders other than the usual one."""
    session, now = FakeSession(add), {"order": "forward"}

    def note(trace: Trace, stage: str, schedule: str) -> Trace:
        if stage == "call":  # a backward goes in the order of its graph
            now["order"] = schedule
        return edit_trace(trace, now["order"]) if edit_trace else trace

    session.edit_trace = note
    session.edit_reply = lambda reply: reply if now["order"] == "forward" else change(reply, now["order"])
    bench = fake_bench(session, add, CASES, parameters="ab", gradient=gradient)
    assert correctness.check(bench).status is Status.PASS
    return safety.check(bench)


def added(amount: float) -> Callable[[Reply, str], Reply]:
    def change(reply: Reply, order: str) -> Reply:
        outputs = tuple(
            replace(each, tensor=each.tensor + amount) for each in reply.outputs if each.tensor is not None
        )
        return replace(reply, outputs=outputs)

    return change


def test_an_answer_that_depends_on_the_order() -> None:
    outcome = in_other_orders(lambda reply, order: added(1.0)(reply, order) if order == "random" else reply)
    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith(
        "The answer changes with the order in which blocks and threads run. In random order: muladd("
    )
    assert "A GPU runs blocks and threads in any order" in outcome.sentence
    assert "The answers are right" not in outcome.sentence


@pytest.mark.parametrize("wrong", ["", "reversed", "random"])
def test_a_result_written_in_place_is_compared_in_other_orders_too(wrong: str) -> None:
    now = {"order": "forward"}

    class Scheduled(FakeSession):
        def call(self, *args: Any, **options: Any) -> Reply:
            now["order"] = options["schedule"]
            return super().call(*args, **options)

    def add_to_a(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a += 2 * b if now["order"] == wrong else b
        return -b

    def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a += b
        return -b

    cases = [replace(CASES[0], modifies=("a",))]
    bench = fake_bench(Scheduled(add_to_a), reference, cases, parameters="ab")
    assert correctness.check(bench).status is Status.PASS
    outcome = safety.check(bench)
    assert outcome.status is (Status.FAIL if wrong else Status.PASS)
    if wrong:
        assert [finding.kind for finding in outcome.findings] == ["schedule"]
        assert f"threads run. In {wrong} order: muladd(" in outcome.sentence
        assert re.search(r": a holds \S+ at \[0\], expected \S+\. ", outcome.sentence)


def test_another_rounding_is_no_other_answer() -> None:
    assert in_other_orders(added(1e-8)).status is Status.PASS


def test_a_gradient_that_depends_on_the_order() -> None:
    def change(reply: Reply, order: str) -> Reply:
        return added(1.0)(reply, order) if reply.handle is None and reply.outputs[0].name else reply

    outcome = in_other_orders(change, Gradient(cases=[CASES[0]]))
    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith(
        "The gradient of a changes with the order in which blocks and threads run"
    )
    assert "in ascending order" in outcome.sentence


def test_a_failure_that_depends_on_the_order() -> None:
    error = RemoteError("RuntimeError", "the launch timed out", "op.py:7")
    outcome = in_other_orders(lambda reply, order: replace(reply, outputs=(), error=error))
    assert outcome.findings[0].kind == "schedule"
    assert "In reversed order: the launch timed out" in outcome.sentence


def test_a_finding_of_another_order_says_which() -> None:
    def noticed(trace: Trace, order: str) -> Trace:
        raw = {
            "kind": "race_shared",
            "note": "read after write",
            "bytes": 4,
            "access": "read",
            "space": "shared",
        }
        return replace(trace, findings=(raw,)) if order == "random" else trace

    outcome = in_other_orders(lambda reply, order: reply, edit_trace=noticed)
    assert outcome.findings[0].kind == "race_shared"
    assert outcome.sentence.startswith("Only in random order: Race on shared memory (read after write)")


def test_a_slow_case_is_not_repeated() -> None:
    session = FakeSession(add, edit_reply=lambda reply: replace(reply, seconds=6.1))
    bench = fake_bench(session, add, CASES, parameters="ab")
    correctness.check(bench)
    outcome = safety.check(bench)
    assert session.log == ["call"] * 2
    assert outcome.sentence.endswith(
        "the caller's stream. No case was repeated in other orders of blocks and threads: "
        "each took over 6 s or has over 1,048,576 elements."
    )


def test_a_case_with_many_elements_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    def repeated(most: int) -> int:
        monkeypatch.setattr(schedules, "LARGE_CASE", most)
        session = FakeSession(add)
        bench = fake_bench(session, add, CASES, parameters="ab")
        correctness.check(bench)
        safety.check(bench)
        return len(session.log) // len(CASES) - 1

    elements = 100 + 100 + 100  # of both arguments and of the result
    assert [repeated(elements - 1), repeated(elements)] == [0, 2]


def test_the_praise_says_how_many_cases_were_repeated() -> None:
    session = FakeSession(add)
    session.edit_reply = lambda reply: replace(reply, seconds=6.1 if len(session.log) == 1 else 0.0)
    bench = fake_bench(session, add, CASES, parameters="ab")
    correctness.check(bench)
    assert safety.check(bench).sentence.endswith(
        "and the same answers in other orders of blocks and threads (1 of 2 cases: the largest and "
        "slowest are not repeated)."
    )
    assert session.log == ["call"] * 4


def test_safety_runs_the_cases_itself_when_no_check_got_so_far() -> None:
    session = FakeSession(add)
    outcome = safety.check(fake_bench(session, add, CASES, parameters="ab"))
    assert outcome.status is Status.PASS
    assert outcome.sentence.endswith("in other orders of blocks and threads: none is known to be right.")
    assert session.log == ["call"] * 2


def test_nothing_is_called_safe_that_never_ran() -> None:
    def raises(*_: torch.Tensor) -> None:
        raise RuntimeError("no")

    outcome = safety.check(fake_bench(FakeSession(raises), add, CASES, parameters="ab"))
    assert outcome.status is Status.FAIL
    assert outcome.sentence == "Not judged: no call finished."
    idle = judged(lambda trace, stage, schedule: replace(trace, launches=(), launches_total=0))
    assert idle.status is Status.FAIL
    assert idle.sentence == "No kernel was launched, so its safety is unknown."


def test_findings_merge_by_kind_and_line_and_add_up() -> None:
    here = ReportedFinding("out_of_bounds", "thread 1", file="kernel.cu", line=12, count=3)
    there = replace(here, line=13)
    leak = ReportedFinding("leak", "two allocations")
    merged = merge([here, there, replace(here, sentence="thread 2", count=4), leak, leak])
    assert [(each.kind, each.line, each.count) for each in merged] == [
        ("out_of_bounds", 12, 7),
        ("out_of_bounds", 13, 3),
        ("leak", 0, 2),
    ]
    assert merged[0].sentence == "thread 1"


@pytest.mark.parametrize(
    ("number", "words"), [(2, "There is one more finding."), (3, "There are 2 more findings.")]
)
def test_further_findings_are_counted_in_the_sentence(number: int, words: str) -> None:
    def many(trace: Trace, stage: str, schedule: str) -> Trace:
        refused = tuple(replace(LAUNCH, line=12, error=9, stream=trace.stream) for _ in range(1))
        lost = 1 if number > 2 else 0
        strays = tuple(replace(each, stream=99) for each in refused)
        return replace(trace, launches=refused + strays, live_allocations=lost, live_bytes=8)

    outcome = judged(many)
    assert outcome.sentence.endswith(words)
    assert len(outcome.findings) == number
