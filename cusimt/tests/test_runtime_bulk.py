"""Findings of barrier objects that expect bytes and of bulk copies, beside kernels that are right."""

from __future__ import annotations

import json

import pytest

from cusimt import findings
from cusimt.findings import Finding, explain
from cusimt.tests.runtime_program import program, run, source_line

WRONG = [
    # case, kind, mark of the line, mark of the other party's line, last error, part of the sentence
    ("bytes_lacking", "deadlock", "wait", "expect", "cudaErrorLaunchTimeout",
     "64 threads wait at a barrier object, whose phase lacks 48 of 64 bytes; expected at "),
    ("bytes_too_many", "deadlock", "wait", "expect", "cudaErrorLaunchTimeout",
     "whose phase expects 64 bytes, and copies brought 80"),
    ("arrival_lacking", "deadlock", "wait", None, "cudaErrorLaunchTimeout", "whose phase lacks 1 arrival"),
    ("bytes_beyond_counting", "barrier_count", "expect", None, "cudaSuccess", "more than 1,048,575 bytes"),
    ("in_advance_of_nothing", "barrier_count", "in_advance", None, "cudaSuccess", "noComplete ends"),
    ("in_no_wait", "copy_in_flight", "read", "load", "cudaSuccess", "before the copy at "),
    ("in_not_expected", "copy_in_flight", "read", "load", "cudaSuccess", "before the copy at "),
    ("in_while_read", "race_shared", "load", "read_before", "cudaSuccess", "write after read"),
    ("in_from_past", "out_of_bounds", "load", None, "cudaSuccess", "__global__ read of size 256"),
    ("in_to_past", "out_of_bounds", "load", None, "cudaSuccess", "__shared__ write of size 256"),
    ("in_unwritten", "uninitialized_read", "load", None, "cudaSuccess", "__global__ read"),
    ("in_misaligned", "misaligned", "load", None, "cudaErrorMisalignedAddress", "multiples of 16 bytes"),
    ("in_odd_size", "illegal_instruction", "load", None, "cudaErrorIllegalInstruction",
     "a multiple of 16 bytes, not 20"),
    ("out_no_fence", "proxy_fence", "store", "fill", "cudaSuccess", "without a fence.proxy.async"),
    ("out_fence_of_other_warp", "proxy_fence", "store", "fill", "cudaSuccess", "write at "),
    ("out_no_barrier", "race_shared", "fill", "store", "cudaSuccess", "write after read"),
    ("out_unwritten", "uninitialized_read", "store", None, "cudaSuccess", "__shared__ read"),
    ("out_overwritten", "copy_source", "store", "overwrite", "cudaSuccess", "changed before"),
    ("out_overwritten_beside_wait", "race_shared", "overwrite", "store", "cudaSuccess",
     "unordered with the read"),
    ("out_no_wait", "copy_source", "store", None, "cudaSuccess", "returned before its bulk copy"),
    ("out_past", "out_of_bounds", "store", None, "cudaSuccess", "__global__ write of size 256"),
    ("out_by_warps_no_fence", "proxy_fence", "store_of_warp", "fill_of_warp", "cudaSuccess", "write at "),
    ("box_part_expected", "deadlock", "wait", "expect", "cudaErrorLaunchTimeout",
     "whose phase expects 192 bytes, and copies brought 256"),
    ("box_of_larger_tensor", "out_of_bounds", "box", None, "cudaSuccess", "__global__ read"),
    ("box_misaligned", "misaligned", "box", None, "cudaErrorMisalignedAddress", "a multiple of 128 bytes"),
    ("box_without_map", "illegal_instruction", "box", None, "cudaErrorIllegalInstruction", "no tensor map"),
    ("box_with_map_of_host", "host_pointer", "box", None, "cudaErrorIllegalAddress", "host memory"),
    ("box_between_units", "illegal_instruction", "box", None, "cudaErrorIllegalInstruction",
     "a multiple of 4 elements, which are 16 bytes, not 5"),
    ("box_out_before_the_begin", "illegal_instruction", "box_out", None, "cudaErrorIllegalInstruction",
     "dimension 1 begins at -1"),
    ("row_of_matrix", "illegal_instruction", "row", None, "cudaErrorIllegalInstruction",
     "1d with a tensor map of 2"),
]  # fmt: skip
BESIDES = {  # what else is found, since the kernel goes on
    "in_no_wait": {"race_shared"},
    "in_while_read": {"copy_in_flight"},
    "in_to_past": {"uninitialized_read"},
    "out_no_wait": {"race_shared"},
}
RIGHT = [
    "bytes",
    "in_advance",
    "in",
    "in_passed_on",
    "out",
    "out_fence_behind_barrier",
    "out_by_warps",
    "box",
]
RIGHT += ["box_over_the_edge", "box_out"]


# What stops the kernel without access checks, too.
IN_EITHER_BUILD = [
    "bytes_lacking",
    "in_misaligned",
    "in_odd_size",
    "box_misaligned",
    "box_between_units",
    "box_out_before_the_begin",
    "row_of_matrix",
]


def found(case: str, *, schedule: str = "forward", checked: bool = True) -> tuple[str, list[Finding]]:
    """The last error after the case and what was found."""
    order = ("env", f"CUSIMT_SCHEDULE={schedule}")
    done = run(program("bulk_findings", checked), case, prefix=order)
    assert done.returncode == 0, done.stderr
    error, *lines = done.stdout.splitlines()
    return error, findings.symbolise([json.loads(line) for line in lines])


def line(mark: str) -> int:
    return source_line("bulk_findings", mark)


@pytest.mark.parametrize(
    ("case", "kind", "mark", "other", "error", "said"), WRONG, ids=[each[0] for each in WRONG]
)
def test_a_wrong_kernel_is_found(
    case: str, kind: str, mark: str, other: str | None, error: str, said: str
) -> None:
    last_error, all_findings = found(case)
    of_kind = [finding for finding in all_findings if finding.kind == kind]
    others = {finding.kind for finding in all_findings if finding.kind != kind}
    assert (len(of_kind), others) == (1, BESIDES.get(case, set())), [explain(each) for each in all_findings]
    (finding,) = of_kind
    assert finding.frame.line == line(mark)
    assert said in explain(finding)
    if other:
        assert finding.other is not None
        assert finding.other.frame.line == line(other)
    assert last_error == error


@pytest.mark.parametrize("case", IN_EITHER_BUILD)
def test_what_stops_the_kernel_in_either_build(case: str) -> None:
    error, (finding,) = found(case, checked=False)
    assert (finding.kind, error) == next(
        (kind, error) for name, kind, _, _, error, _ in WRONG if name == case
    )


@pytest.mark.parametrize("schedule", ["forward", "reversed", "seeded:7"])
@pytest.mark.parametrize("case", RIGHT)
def test_a_right_kernel_is_not(case: str, schedule: str) -> None:
    error, all_findings = found(case, schedule=schedule)
    assert (error, [explain(finding) for finding in all_findings]) == ("cudaSuccess", [])
