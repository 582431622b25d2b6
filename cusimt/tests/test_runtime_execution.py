"""Values that depend on how threads are executed: barriers, warps, atomics, returned threads, schedules."""

from __future__ import annotations

import json
import signal

import numpy as np
import pytest

from cusimt.tests.runtime_program import program, run

FORWARD, REVERSED, RANDOM = "0", "1", "2"
SCHEDULES = pytest.mark.parametrize(
    "schedule", [FORWARD, REVERSED, RANDOM], ids=["forward", "reversed", "random"]
)
BUILDS = pytest.mark.parametrize("checked", [False, True], ids=["fast", "checked"])
LANES = np.arange(32)


def values(case: str, schedule: str = FORWARD, checked: bool = False) -> list[float]:
    """The numbers that a case prints; it must print nothing else, so no findings."""
    done = run(program("execution", checked), case, schedule)
    assert done.returncode == 0, done.stderr
    return [float(word) for word in done.stdout.split()]


def ints(case: str, schedule: str = FORWARD) -> list[int]:
    return [int(value) for value in values(case, schedule)]


@BUILDS
@SCHEDULES
def test_tiled_matmul(schedule: str, checked: bool) -> None:
    index = np.arange(19 * 19).reshape(19, 19)
    expected = (index % 7 - 3) @ (index % 5 - 2)
    assert values("matmul", schedule, checked) == list(expected.ravel())


@SCHEDULES
def test_registers_survive_switches(schedule: str) -> None:
    def thread(t: int) -> int:
        a, b, c, d, e, f, g, h = (t * factor for factor in (1, 2, 3, 5, 7, 11, 13, 17))
        i, j, k, l, m = (t * factor for factor in (1, 19, 23, 29, 31))  # noqa: E741
        for _ in range(3):
            a += 1
            b += a
            c += b
            d += c
            e += d
            f += e
            g += f
            h += g
            i += 1
            j += i
            k += j
            l += k  # noqa: E741
            m += l
        return a + b + c + d + e + f + g + h + i + j + k + l + m

    assert ints("registers", schedule) == [thread(t) for t in range(64)]


@SCHEDULES
def test_barrier_reductions(schedule: str) -> None:
    assert ints("barrier_votes", schedule) == [24, 1, 1, 0, 0]


def test_a_barrier_waits_for_those_that_have_not_returned() -> None:
    done = run(program("execution", False), "leaving")
    counts, *found = done.stdout.splitlines()
    assert [int(word) for word in counts.split()] == [64 - round_ for round_ in range(64)]
    assert len(found) == 1
    assert '"kind":"divergent_barrier"' in found[0]


@SCHEDULES
def test_prefix_sum_in_dynamic_shared_memory(schedule: str) -> None:
    assert ints("prefix_sum", schedule) == list(np.cumsum(np.arange(1, 201)))


@BUILDS
def test_several_os_threads_launch(checked: bool) -> None:
    assert values("os_threads", FORWARD, checked) == list(np.cumsum(np.arange(1, 201))) * 4


@SCHEDULES
def test_shuffles_within_a_width(schedule: str) -> None:
    down = [lane + 3 if lane % 8 + 3 < 8 else lane for lane in LANES]
    up = [lane - 3 if lane % 8 >= 3 else lane for lane in LANES]
    xor = [lane ^ 5 for lane in LANES]
    broadcast = [lane // 4 * 4 + 9 % 4 for lane in LANES]
    assert ints("shuffles", schedule) == [*down, *up, *xor, *broadcast]


@SCHEDULES
def test_votes_and_matches(schedule: str) -> None:
    same = sum(1 << lane for lane in range(10, 20))
    assert ints("votes", schedule) == [0x55555555, 1, 0, same]


@SCHEDULES
def test_a_shuffle_leaves_out_returned_lanes(schedule: str) -> None:
    """The value of a lane that has returned is undefined, and reported; the sum does not use it."""
    done = run(program("execution", False), "shuffle_after_return", schedule)
    words, *found = done.stdout.splitlines()
    assert [int(word) for word in words.split()] == [sum(range(20)), (1 << 20) - 1]
    assert {json.loads(line)["kind"] for line in found} == {"absent_lane"}


def test_the_last_warp_may_be_partial() -> None:
    assert ints("partial_warp") == [32] * 32 + [8] * 8


@SCHEDULES
def test_masks_in_nested_branches(schedule: str) -> None:
    low = [106] * 8 + [209] * 8  # lane 7 brought 6, lane 8 brought 9: each had swapped with its neighbour
    swapped = [low[lane ^ 8] for lane in range(16)]
    before = swapped + [31] * 16
    assert ints("nested_branches", schedule) == [before[lane ^ 16] for lane in LANES]


@SCHEDULES
def test_active_lanes_are_those_of_the_branch(schedule: str) -> None:
    """All of them, except in a random order: nothing promises that lanes of a branch are together."""
    thirds = sum(1 << lane for lane in range(0, 32, 3))
    branches = [thirds if lane % 3 == 0 else 0xFFFFFFFF ^ thirds for lane in LANES]
    active = ints("active_in_branch", schedule)
    if schedule != RANDOM:
        assert active == branches
        return
    assert active != branches
    for lane in LANES:
        together = [other for other in LANES if active[lane] >> other & 1]
        assert lane in together and active[lane] & ~branches[lane] == 0
        assert {active[other] for other in together} == {active[lane]}


@SCHEDULES
def test_the_last_block_sees_all_others(schedule: str) -> None:
    assert ints("ticket", schedule) == [sum(range(1, 21))]


@SCHEDULES
@pytest.mark.parametrize(("case", "expected"), [("handshake", 7), ("spin_lock", 4 * 96)])
def test_threads_that_wait_for_others_by_atomics(case: str, expected: int, schedule: str) -> None:
    assert ints(case, schedule) == [expected]


@SCHEDULES
def test_every_thread_runs_once_with_its_coordinates(schedule: str) -> None:
    assert ints("coordinates", schedule) == [
        block * 1000 + thread for block in range(12) for thread in range(30)
    ]


def test_schedules_differ_and_repeat() -> None:
    forward, backward, shuffled = (ints("order", schedule) for schedule in (FORWARD, REVERSED, RANDOM))
    assert forward == list(range(12))
    assert backward == forward[::-1]
    assert sorted(shuffled) == forward
    assert shuffled not in (forward, backward)
    assert shuffled == ints("order", RANDOM)


@SCHEDULES
def test_blocks_of_a_cooperative_launch_meet(schedule: str) -> None:
    assert ints("grid_rounds", schedule) == [3] * 5 + [(5 + 10 + 15) * (block + 1) for block in range(5)]


@SCHEDULES
def test_a_grid_knows_whether_it_can_meet(schedule: str) -> None:
    assert ints("grid_facts", schedule) == [3, 3, 3, 1, 1]


def test_an_exception_in_a_kernel_reaches_the_host() -> None:
    assert run(program("execution", False), "throws").stdout.splitlines()[:2] == ["from a kernel", "64 "]


def test_recursion_fits_the_stack_until_it_does_not() -> None:
    expected = sum(range(1, 21))
    assert ints("recursion") == [expected]
    done = run(program("execution", False), "overflow")
    assert done.returncode == -signal.SIGSEGV
    assert "stack overflow in kernel recurses, block (0,0,0), thread (0,0,0)" in done.stderr
