"""The heap of kernels: malloc, free, new and delete in device code."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from cusimt import findings
from cusimt.findings import Finding, explain
from cusimt.tests.runtime_program import program, run, source_line


@dataclass(frozen=True)
class Outcome:
    said: list[str]  # by the case itself
    results: list[int]
    error: str
    findings: list[Finding]


def outcome(case: str, checked: bool = True) -> Outcome:
    done = run(program("heap", checked), case)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    at = lines.index("apart")  # cudaMemGetInfo does not count the heap
    raw = [json.loads(line) for line in lines[at + 3 :]]
    results = [int(word) for word in lines[at + 1].split()]
    return Outcome(lines[:at], results, lines[at + 2], findings.symbolise(raw))


both_builds = pytest.mark.parametrize("checked", [True, False])


@both_builds
@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("outlives", [10 * thread + 2 for thread in range(32)]),
        ("makes_objects", [10 + 4 + 0 + 100 + 1] * 32),
        ("takes_again", list(range(32))),
        ("takes_until_full", [7] + [0] * 31),  # of 1 MiB each: the heap has 8 MiB, and each costs a bit more
    ],
)
def test_kernels_allocate(case: str, expected: list[int], checked: bool) -> None:
    found = outcome(case, checked)
    assert (found.results, found.error) == (expected, "cudaSuccess")
    assert [explain(each) for each in found.findings] == []


@both_builds
def test_the_limit_is_kept_and_fixed_by_the_first_use(checked: bool) -> None:
    found = outcome("limits", checked)
    assert found.said == [str(8 << 20), "set cudaSuccess", "set cudaErrorInvalidValue"]
    assert found.results[:3] == [0, 0, 0]


@both_builds
def test_the_runtime_api_takes_no_pointer_to_the_heap(checked: bool) -> None:
    found = outcome("copies", checked)
    calls = ("from", "to", "between", "fill", "free")
    assert found.said == [f"{call} cudaErrorInvalidValue" for call in calls]
    assert found.results == [10 * thread + 2 for thread in range(32)]
    assert [each.kind for each in found.findings] == ["invalid_free"]


@pytest.mark.parametrize(
    ("case", "kind"),
    [
        ("runs_over", "out_of_bounds"),
        ("runs_under", "out_of_bounds"),
        ("uses_freed", "use_after_free"),
        ("reads_unwritten", "uninitialized_read"),
        ("frees_twice", "double_free"),
        ("frees_inside", "invalid_free"),
        ("frees_of_host", "invalid_free"),
        ("writes_together", "race_global"),
    ],
)
def test_a_mistake_is_found_at_its_line(case: str, kind: str) -> None:
    (finding,) = outcome(case).findings
    assert (finding.kind, finding.frame.line) == (kind, source_line("heap", case))


def test_the_call_in_the_kernel_is_named() -> None:
    (finding,) = outcome("frees_inside").findings
    assert "delete[] of byte 4 of an allocation" in explain(finding)
    (finding,) = outcome("frees_of_host").findings
    assert "free and delete take what malloc and new returned in a kernel" in explain(finding)
