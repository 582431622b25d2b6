"""A thread that has an element and misses the tensor is not sent to its guard."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.checks.bench import Call
from grader.checks.device.finding_notes import let_through, of_its_own
from grader.checks.device.findings import seen_in
from grader.run.values import Output, Reply, Trace, TracedLaunch

FOUND: dict[str, Any] = {
    "kind": "out_of_bounds", "access": "read", "bytes": 4, "space": "global", "file": "kernel.cu", "line": 40,
    "block": [1, 0, 0], "thread": [8, 0, 0], "tensor": {"name": "a", "itemsize": 4},
    "allocation": {"base": 0, "bytes": 1200, "offset": 1300, "device": 0},
}  # fmt: skip
LAUNCH = TracedLaunch("k", (2, 1, 1), (256, 1, 1), file="kernel.cu", line=40)


def call_of(results: int = 300, launch: TracedLaunch = LAUNCH, finding: dict[str, Any] = FOUND) -> Call:
    trace = Trace(findings=(finding,), launches=(launch,))
    return Call("forward", "c", "f(a)", Reply((Output("tensor", torch.zeros(results)),), trace=trace))


def test_the_guard_is_not_blamed_where_the_thread_has_an_element(tmp_path: Any) -> None:
    (found,) = seen_in([call_of()], tmp_path)
    assert "; by thread 264 of a launch with one thread for each of 300 results" in found.sentence
    assert "the guard is right" in found.rule and "guard the access" not in found.rule


def test_the_guard_is_named_where_the_thread_has_none(tmp_path: Any) -> None:
    beyond = {**FOUND, "thread": [60, 0, 0]}
    (found,) = seen_in([call_of(finding=beyond)], tmp_path)
    assert "guard the access" in found.rule and "one thread for each" not in found.sentence


@pytest.mark.parametrize(
    "call",
    [
        call_of(1000),  # two blocks are not what one thread for each takes
        call_of(launch=TracedLaunch("k", (2, 2, 1), (256, 1, 1), file="kernel.cu", line=40)),
        call_of(launch=TracedLaunch("k", (2, 1, 1), (256, 1, 1), file="kernel.cu", line=41)),
        call_of(finding={**FOUND, "bytes": 16}),  # several elements at a time
        call_of(finding={**FOUND, "space": "shared"}),
        call_of(finding={**FOUND, "kind": "misaligned"}),
        call_of(finding={**FOUND, "tensor": None}),
        call_of(finding={**FOUND, "note": "memory of another device"}),
    ],
)
def test_nothing_is_said_of_other_threads(call: Call) -> None:
    assert of_its_own(call.reply.trace.findings[0], call) == ""


@pytest.mark.parametrize(("offset", "said"), [(264 * 16, True), (264 * 16 + 4, False), (2 * 264 * 4, False)])
def test_an_offset_in_bytes(offset: int, said: bool) -> None:
    finding = {**FOUND, "allocation": {**FOUND["allocation"], "offset": offset}}
    note = of_its_own(finding, call_of(finding=finding))
    assert ("(the element is 4 x 264: is an offset or a stride counted in bytes?)" in note) is said


FIRST_PAST_THE_END = {**FOUND, "thread": [44, 0, 0], "count": 1}  # number 300 of 300 results


def test_a_guard_that_lets_one_thread_through_is_asked_about_its_comparison(tmp_path: Any) -> None:
    (found,) = seen_in([call_of(finding=FIRST_PAST_THE_END)], tmp_path)
    assert "; of the threads without a result, only number 300 came here" in found.sentence
    assert "guard the access" in found.rule


@pytest.mark.parametrize(
    "call",
    [
        call_of(finding={**FIRST_PAST_THE_END, "count": 212}),  # no guard at all
        call_of(finding={**FIRST_PAST_THE_END, "thread": [45, 0, 0]}),
        call_of(511, finding={**FIRST_PAST_THE_END, "thread": [255, 0, 0]}),  # there is no other thread
        call_of(finding={**FIRST_PAST_THE_END, "note": "memory of another device"}),
    ],
)
def test_any_other_access_past_the_end_is_no_matter_of_one_comparison(call: Call) -> None:
    assert let_through(call.reply.trace.findings[0], call) == ""
