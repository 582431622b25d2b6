"""Work on streams of one's own: in order with the caller's stream, or a finding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.checks.bench import Bench
from grader.checks.device import device_work, safety
from grader.checks.outcome import Outcome
from grader.checks.values import correctness
from grader.run.values import RemoteError, Trace
from grader.specification import Case, tensor
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench

ARGS = [replace(tensor(100), name=name) for name in "ab"]
CASES = [Case("plain", ARGS), Case("under a side stream", ARGS, stream="side")]


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b


def bench_with(cases: list[Case] = CASES, backend: str = "simt", **launch: Any) -> Bench:
    """A bench whose launches have these fields, after the correctness check."""

    def changed(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, launches=tuple(replace(each, **launch) for each in trace.launches))

    bench = fake_bench(FakeSession(add, edit_trace=changed), add, cases, parameters="ab", backend=backend)
    assert correctness.check(bench).status is Status.PASS
    return bench


def judged(**launch: Any) -> Outcome:
    return safety.check(bench_with(**launch))


def test_a_stream_of_its_own_that_waits_and_is_awaited_is_fine() -> None:
    assert judged(stream=9, waits=True, awaited=True).status is Status.PASS


@pytest.mark.parametrize(
    ("stream", "waits", "awaited", "kind", "words"),
    [
        (9, False, True, "stream_fork", "on another stream, which does not wait for the caller's"),
        (9, True, False, "stream_join", "on another stream, and the caller's stream does not wait for it"),
        (9, False, False, "launch_stream", "and neither stream waits for the other"),
        (
            0,
            False,
            False,
            "launch_stream",
            "it is ordered with the default stream, not with",
        ),
        (
            0,
            False,
            True,
            "launch_stream",
            "the fourth launch parameter is the stream that this function was given or, where tensors are "
            "known, the current one, c10::cuda::getCurrentCUDAStream()",
        ),
    ],
)
def test_what_is_missing_is_told(stream: int, waits: bool, awaited: bool, kind: str, words: str) -> None:
    outcome = judged(stream=stream, waits=waits, awaited=awaited)
    assert outcome.status is Status.FAIL
    assert [finding.kind for finding in outcome.findings] == [kind]
    assert outcome.findings[0].count == 2  # one of each call, told once
    assert words in outcome.sentence


def test_where_nobody_knows_who_waits_only_the_default_stream_is_held_against_a_launch() -> None:
    assert safety.check(bench_with(backend="cuda", stream=31)).status is Status.PASS
    outcome = safety.check(bench_with(backend="cuda", stream=0))
    assert [finding.kind for finding in outcome.findings] == ["launch_stream"]


@pytest.mark.parametrize(("kind", "told"), [("d2d", True), ("memset", True), ("h2d", False)])
def test_copies_within_the_device_are_work_too(kind: str, told: bool) -> None:
    bench = bench_with()
    calls = ({"call": "cudaMemcpyAsync", "kind": kind, "stream": 0, "waits": 0, "awaited": 0, "error": 0},)
    reply = bench.calls[0].reply
    bench.calls[0] = replace(
        bench.calls[0], reply=replace(reply, trace=replace(reply.trace, api_calls=calls))
    )
    outcome = safety.check(bench)
    assert (outcome.status is Status.FAIL) == told
    if told:
        assert outcome.sentence.startswith("cudaMemcpyAsync was queued on the default stream")
        assert "A copy or fill is work like a launch" in outcome.sentence


def copying_in_every_call(call: str, files: Path) -> Bench:
    """A bench each of whose calls, with another stream current each time, makes that stray copy."""
    bench = replace(bench_with(waits=True, awaited=True), files=files)
    strays = ({"call": call, "kind": "d2d", "stream": 0, "waits": 0, "awaited": 0, "error": 0},)
    for number, each in enumerate(bench.calls):
        trace = replace(each.reply.trace, stream=21 + number, api_calls=strays)
        bench.calls[number] = replace(each, stream="side", reply=replace(each.reply, trace=trace))
    assert len(bench.calls) > 1
    return bench


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("int n;\ncudaMemcpyAsync(a, b, n, kind);\n", 2),
        ("cudaMemcpyAsync(a, b, n, kind);\ncudaMemcpyAsync(c, d, n, kind, stream);\n", 0),
    ],
    ids=["one line makes it", "two lines may have made it"],
)
def test_a_stray_copy_of_every_call_is_one_finding(tmp_path: Path, source: str, line: int) -> None:
    (tmp_path / "kernel.cu").write_text(source)
    bench = copying_in_every_call("cudaMemcpyAsync", tmp_path)
    outcome = safety.check(bench)
    (found,) = outcome.findings
    assert (found.kind, found.count) == ("launch_stream", len(bench.calls))
    assert (found.file, found.line) == (("kernel.cu", line) if line else ("", 0))
    assert found.source == ("cudaMemcpyAsync(a, b, n, kind);" if line else "")
    assert outcome.sentence.startswith(f"{'kernel.cu:2: ' if line else ''}cudaMemcpyAsync was queued on the ")


@pytest.mark.parametrize("call", ["cudaMemcpy", "cudaMemcpyAsync"])
def test_a_copy_belongs_on_the_stream_of_its_reader(tmp_path: Path, call: str) -> None:
    sentence = safety.check(copying_in_every_call(call, tmp_path)).sentence
    assert (
        "last argument is the stream of the work that reads what it writes (the current one, unless that "
        "work was put on another)." in sentence
    )
    assert "c10" not in sentence  # a file of kernels does not know it


def test_a_copy_that_takes_no_stream_has_a_brother_that_does() -> None:
    bench = bench_with()
    calls = ({"call": "cudaMemset", "kind": "memset", "stream": 0, "waits": 0, "awaited": 1, "error": 0},)
    trace = replace(bench.calls[0].reply.trace, api_calls=calls)
    bench.calls[0] = replace(bench.calls[0], reply=replace(bench.calls[0].reply, trace=trace))
    outcome = safety.check(bench)
    assert [finding.kind for finding in outcome.findings] == ["launch_stream"]
    assert "cudaMemset takes no stream and goes to the default one: call cudaMemsetAsync" in outcome.sentence


def test_work_on_its_way_when_a_call_raised_is_not_held_against_it() -> None:
    bench = bench_with(stream=9, waits=True, awaited=False)
    error = RemoteError("RuntimeError", "in the middle")
    bench.calls[:] = [replace(call, reply=replace(call.reply, error=error)) for call in bench.calls]
    assert "stream_join" not in {finding.kind for finding in safety.check(bench).findings}


def test_a_case_may_ask_for_work_side_by_side() -> None:
    bench = bench_with([Case("side by side", ARGS, streams=2)], waits=True, awaited=True)
    outcome = device_work.check(bench)
    assert outcome.status is Status.FAIL
    assert "launched everything on 1 stream; 2 are asked for" in outcome.sentence
    call = bench.calls[0]
    first = call.reply.trace.launches[0]
    both = (first, replace(first, stream=first.stream + 1))
    trace = replace(call.reply.trace, launches=both)
    bench.calls[0] = replace(call, reply=replace(call.reply, trace=trace))
    assert device_work.check(bench).status is Status.PASS


def test_a_stream_of_another_device_than_the_current_one_is_named() -> None:
    outcome = judged(stream=9, device=1, waits=False, awaited=False)
    assert [finding.kind for finding in outcome.findings] == ["stream_device"]
    assert "on a stream of cuda:1" in outcome.sentence
    assert "device current first (c10::cuda::CUDAGuard; on the stable ABI" in outcome.sentence
