"""A copy of as many bytes as there are elements is named where what it left out is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.checks.bench import Call
from grader.checks.device.findings import seen_in
from grader.run.values import Reply, Trace

FOUND: dict[str, Any] = {
    "kind": "uninitialized_read", "access": "read", "bytes": 4, "space": "global",
    "allocation": {"base": 0, "bytes": 1024, "offset": 1020, "device": 0},
}  # fmt: skip
COPY = {"call": "cudaMemcpyAsync", "kind": "d2d", "bytes": 256}


def told(finding: dict[str, Any], *calls: dict[str, Any]) -> str:
    reply = Reply(trace=Trace(findings=(finding,), api_calls=calls))
    (found,) = seen_in([Call("forward", "c", "f(a)", reply)], Path())
    return found.sentence


def test_a_copy_of_elements_for_bytes_is_named() -> None:
    said = told(FOUND, {"call": "cudaLaunchKernel"}, COPY)
    assert said.endswith(
        "; cudaMemcpyAsync was given 256 bytes, and 256 elements of 4 bytes are here: is a number of "
        "elements given where it counts bytes?"
    )


@pytest.mark.parametrize(
    ("finding", "call"),
    [
        (FOUND, {**COPY, "bytes": 1024}),
        (FOUND, {**COPY, "bytes": 255}),
        (FOUND, {**COPY, "call": "cudaMalloc"}),
        ({**FOUND, "bytes": 1}, {**COPY, "bytes": 1024}),
        ({**FOUND, "allocation": None}, COPY),
        ({**FOUND, "allocation": {**FOUND["allocation"], "bytes": 1026}}, COPY),
        ({**FOUND, "kind": "use_after_free"}, COPY),
    ],
)
def test_no_other_copy_is_suspected(finding: dict[str, Any], call: dict[str, Any]) -> None:
    assert "bytes are here" not in told(finding, call)
