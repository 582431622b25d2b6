"""Findings of asynchronous copies, barrier objects and wmma, each with a kernel beside it that is right."""

from __future__ import annotations

import json

import pytest

from cusimt import findings
from cusimt.findings import Finding, explain
from cusimt.tests.runtime_program import program, run, source_line

WRONG = [
    # case, kind, access, mark of the line, mark of the other party's line, last error, count
    ("neighbour_no_wait", "copy_in_flight", "read", "read", "copy", "cudaSuccess", None),
    ("neighbour_no_barrier", "race_shared", None, "read", None, "cudaSuccess", None),
    ("read_own_too_early", "copy_in_flight", "read", "read_own", None, "cudaSuccess", 64),
    ("overwrite_no_barrier", "race_shared", None, "overwrite", None, "cudaSuccess", None),
    ("store_into_too_early", "copy_in_flight", "write", "store_into", None, "cudaSuccess", 64),
    ("change_source_too_early", "copy_source", "read", "source", None, "cudaSuccess", 64),
    ("copy_past", "out_of_bounds", "read", "far", None, "cudaSuccess", 8),
    ("copy_misaligned", "misaligned", "read", "wide", None, "cudaErrorMisalignedAddress", 1),
    ("count_never_reached", "deadlock", None, "count", None, "cudaErrorLaunchFailure", 1),
    ("count_exceeded", "barrier_count", None, "count_again", None, "cudaSuccess", 1),
    ("exchange_no_wait", "race_shared", None, "exchange", None, "cudaSuccess", None),
]
WRONG += [
    (case, "trap", None, "lanes", None, "cudaErrorLaunchFailure", 1)
    for case in ("short_block", "half_a_warp")
]
WRONG += [
    (case, "trap", None, "place", None, "cudaErrorLaunchFailure", 1)
    for case in ("load_at_8", "load_at_odd_rows")
]
RIGHT = ["neighbour", "read_own", "overwrite", "store_into", "change_source", "copy_wide", "exchange"]
RIGHT += ["whole_warp", "load_at_16"]


def found(case: str) -> tuple[str, list[Finding]]:
    """The last error after the case and what was found."""
    done = run(program("async_findings"), case)
    assert done.returncode == 0, done.stderr
    error, *lines = done.stdout.splitlines()
    return error, findings.symbolise([json.loads(line) for line in lines])


def line(mark: str) -> int:
    return source_line("async_findings", mark)


@pytest.mark.parametrize(
    ("case", "kind", "access", "mark", "other", "error", "count"), WRONG, ids=[each[0] for each in WRONG]
)
def test_a_wrong_kernel_is_found(
    case: str, kind: str, access: str | None, mark: str, other: str | None, error: str, count: int | None
) -> None:
    last_error, all_findings = found(case)
    of_kind = [finding for finding in all_findings if finding.kind == kind]
    assert of_kind, [explain(finding) for finding in all_findings]
    assert last_error == error
    first = of_kind[0]
    if kind == "race_shared":  # which of two racing accesses comes second depends on the schedule
        assert first.other is not None
        assert line(mark) in (first.frame.line, first.other.frame.line)
    else:
        assert (first.frame.line, first.access) == (line(mark), access)
    if other:
        assert first.other is not None
        assert first.other.frame.line == line(other)
    if count is not None:
        assert first.count == count


@pytest.mark.parametrize("case", RIGHT)
def test_a_right_kernel_is_not(case: str) -> None:
    error, all_findings = found(case)
    assert (error, [explain(finding) for finding in all_findings]) == ("cudaSuccess", [])


def test_the_words_name_the_copy() -> None:
    _, (finding,) = found("read_own_too_early")
    text = explain(finding)
    assert "asynchronous copy" in text
    assert "__pipeline_wait_prior" in text
    _, (finding,) = found("change_source_too_early")
    assert "changed before" in explain(finding)
    _, (finding,) = found("half_a_warp")
    assert "needs all 32 lanes" in explain(finding)
    _, (finding,) = found("load_at_8")
    assert "an address that is a multiple of 32 bytes" in explain(finding)
    _, (finding,) = found("load_at_odd_rows")
    assert "a leading dimension that is a multiple of 16 bytes" in explain(finding)
