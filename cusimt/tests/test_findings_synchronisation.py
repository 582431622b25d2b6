"""Right programs with unusual synchronisation are not reported; with a fence, scope or barrier less they are.

All cases of runtime/synchronisation.cu run in one process per schedule.
"""

from __future__ import annotations

import functools
import json

import pytest

from cusimt.tests.runtime_program import program, run

SCHEDULES = {"forward": "0", "reversed": "1", "random": "2"}
CASES = (
    "lock_with_own_data_first", "many_locks_at_once", "lock_around_counters", "hand_over_hand",
    "locked_buckets", "two_locks_in_order", "test_and_test_and_set", "exchanged_lock", "ticket_lock",
    "queue_lock", "readers_and_writers", "lock_of_the_block", "lock_object", "double_checked", "once",
    "flag_per_block", "look_back", "hand_over", "mailbox", "mailbox_by_exchange", "mailbox_used_once",
    "forgotten_flag", "ping_pong", "self_contained_words", "ring", "head_and_tail", "wavefront",
    "sequence_lock", "work_queue", "stack", "semaphore", "fence_of_standard_library", "last_block_sums",
    "last_by_object", "tree", "generations", "dissemination", "grid_rounds", "halves_of_a_warp",
    "half_at_a_time", "arrive_then_wait", "filled_and_emptied", "scoped_flag", "scoped_words", "scoped_count",
    "warps_hand_over", "tiles_drawn",
    "one_for_the_warp",
)  # fmt: skip
IN_SHARED_MEMORY = {
    "halves_of_a_warp", "half_at_a_time", "arrive_then_wait", "filled_and_emptied", "tiles_drawn",
}  # fmt: skip

schedules = pytest.mark.parametrize("schedule", SCHEDULES)


@functools.cache
def outcomes(schedule: str) -> dict[tuple[str, str], tuple[str, list[str]]]:
    """Case and `right` or `wrong` -> the last error and the kinds of what was found."""
    done = run(program("synchronisation"), SCHEDULES[schedule])
    assert done.returncode == 0, done.stderr
    found: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for line in done.stdout.splitlines():
        if line.startswith("# "):
            _, case, twin, error = line.split()
            kinds: list[str] = []
            found[case, twin] = (error, kinds)
        else:
            kinds.append(json.loads(line)["kind"])
    return found


def test_every_case_is_named() -> None:
    assert set(outcomes("forward")) == {(case, twin) for case in CASES for twin in ("right", "wrong")}


@schedules
@pytest.mark.parametrize("case", CASES)
def test_right(case: str, schedule: str) -> None:
    assert outcomes(schedule)[case, "right"] == ("cudaSuccess", [])


@schedules
@pytest.mark.parametrize("case", CASES)
def test_wrong(case: str, schedule: str) -> None:
    _, kinds = outcomes(schedule)[case, "wrong"]
    assert ("race_shared" if case in IN_SHARED_MEMORY else "race_global") in kinds
