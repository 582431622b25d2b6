"""Flags, locks, fences and scopes: what orders two threads that do not meet at a barrier, and what does not.

All cases of runtime/signals.cu run in one process per schedule.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
from typing import Any

import pytest

from cusimt import findings
from cusimt.findings import Finding, explain, sentence
from cusimt.findings.rules import rule
from cusimt.tests.runtime_program import LIMIT, program, source_line

SCHEDULES = {"forward": "0", "reversed": "1", "random": "2"}
WRONG = {
    "unfenced": ("race_global", "taken_over"),
    "fenced_too_early": ("race_global", "taken_over"),
    "fenced_for_the_block": ("race_global", "taken_over"),
    "warps_fenced_too_early": ("race_global", "taken_over_in_block"),
    "passed_on_unfenced": ("race_global", "passed_on"),
    "relaxed": ("race_global", "ordered_objects"),
    "lock_without_first_fence": ("race_global", "locked_sum"),
    "lock_without_last_fence": ("race_global", "locked_sum"),
    "one_without_the_lock": ("race_global", "beside_the_lock"),
    "block_scope_between_blocks": ("race_global", "count_in_block"),
    "volatile_of_all": ("race_global", "volatile_sum"),
    "volatile_unfenced": ("race_global", "volatile_data"),
    "never_set": ("deadlock", "waits_in_vain"),
}
RIGHT = (
    "fenced", "warps_fenced", "passed_on", "released", "lock", "lock_of_the_block", "tickets",
    "lock_released_by_store", "both_with_the_lock", "swaps", "block_scope_in_blocks",
    "volatile_of_each", "volatile_fenced", "packed", "found", "grid_barrier", "ring", "reset",
    "waits_for_three", "waits_for_many", "looks_counted", "set", "set_by_the_last", "adds_nothing",
    "first_of_all", "guessed_plainly", "guessed_atomically",
)  # fmt: skip

schedules = pytest.mark.parametrize("schedule", SCHEDULES)


@functools.cache
def outcomes(schedule: str, strict: bool = False) -> dict[str, tuple[str, list[Finding]]]:
    """Case -> the last error and what was found."""
    done = subprocess.run(
        [str(program("signals")), SCHEDULES[schedule]],
        env={**os.environ, "CUSIMT_STRICT": str(int(strict))},
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT,
    )
    raw: dict[str, tuple[str, list[dict[str, Any]]]] = {}
    for line in done.stdout.splitlines():
        if line.startswith("# "):
            _, case, error = line.split()
            raw[case] = (error, [])
        else:
            raw[case][1].append(json.loads(line))
    return {case: (error, findings.symbolise(lines)) for case, (error, lines) in raw.items()}


@schedules
@pytest.mark.parametrize("case", WRONG)
def test_wrong(case: str, schedule: str) -> None:
    kind, mark = WRONG[case]
    _, found = outcomes(schedule)[case]
    assert {each.kind for each in found} == {kind}
    lines = {party.frame.line for each in found for party in (each, each.other) if party}
    assert source_line("signals", mark) in lines


@schedules
@pytest.mark.parametrize("case", RIGHT)
def test_right(case: str, schedule: str) -> None:
    assert outcomes(schedule)[case] == ("cudaSuccess", [])


def test_every_case_is_in_a_table() -> None:
    assert sorted([*WRONG, *RIGHT]) == sorted(outcomes("forward"))


@schedules
def test_a_plain_guess_is_reported_only_if_asked_for(schedule: str) -> None:
    _, found = outcomes(schedule, strict=True)["guessed_plainly"]
    assert {each.kind for each in found} == {"plain_guess"}
    lines = {party.frame.line for each in found for party in (each, each.other) if party}
    assert source_line("signals", "guessed_maximum") in lines
    assert "A plain read beside an atomic" in sentence(found[0])


@schedules
@pytest.mark.parametrize("case", [case for case in RIGHT if case != "guessed_plainly"])
def test_strict_reports_nothing_else(case: str, schedule: str) -> None:
    assert outcomes(schedule, strict=True)[case] == ("cudaSuccess", [])


def test_a_wait_without_end_is_named() -> None:
    error, (found,) = outcomes("forward")["never_set"]
    assert error == "cudaErrorLaunchTimeout"
    assert "1 block waits for a value that no thread changes: element 0 of an allocation" in sentence(found)
    assert found.frame.line == source_line("signals", "waits_in_vain")
    assert "atomicAdd(flag, 0)" in explain(found)


@schedules
def test_a_lock_that_is_taken_without_a_fence_is_named(schedule: str) -> None:
    found = outcomes(schedule)["lock_without_first_fence"][1]
    assert all(
        each.note.endswith("in a critical section that begins without a __threadfence()") for each in found
    )
    assert all("put a __threadfence() behind it" in rule(each) for each in found)
    found = outcomes(schedule)["lock_without_last_fence"][1]
    assert not any("critical section" in each.note for each in found)


def test_an_atomic_of_block_scope_is_named() -> None:
    found = outcomes("forward")["block_scope_between_blocks"][1][0]
    assert "block scope" in explain(found)
