"""Launches whose blocks run on several OS threads: the same values, the same errors, no deadlock."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess

import pytest

from cusimt.tests.runtime_program import LIMIT, program

WORKERS = pytest.mark.parametrize("workers", [1, 2, 4])
BLOCKS, FAILING = 48, 20
TIMES = 20  # launches, of which each may go in another order
VALUES = (
    *("independent", "float_sum", "shared_histogram", "last_block", "look_back", "volatile_look_back"),
    *("nap_look_back", "waits_for_later", "stored_flags", "heap", "symbols", "clocks", "graph"),
    *("os_threads", "fork"),
)
ERRORS = {"null": 700, "assert": 710, "trap": 719, "exception": 0}


def ran(case: str, workers: int | str, times: int = 1) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CUSIMT_THREADS": str(workers)}
    command = [str(program("workers", checked=False)), case, str(times)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=LIMIT, env=environment
    )


def printed(case: str, workers: int, times: int = 1) -> str:
    done = ran(case, workers, times)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def numbers(case: str, workers: int) -> list[float]:
    return [float(word) for word in printed(case, workers).split()]


def test_two_blocks_run_at_once() -> None:
    """Which only blocks on two OS threads do: with one worker nothing ends the wait of the first of them."""
    assert numbers("at_once", 2) == [1, 1]
    assert numbers("at_once", 1) == [0, 1]


@WORKERS
def test_a_launch_has_at_most_so_many(workers: int) -> None:
    """Of which each has shared memory of its own."""
    (used,) = numbers("on_threads", workers)
    assert 1 <= used <= workers


@pytest.mark.parametrize("case", VALUES)
def test_values_do_not_depend_on_the_workers(case: str) -> None:
    expected = printed(case, 1, TIMES)  # which says in which launches they are not those of the first
    assert len(expected.split()) > 1
    assert printed(case, 2, TIMES) == expected
    assert printed(case, 4, TIMES) == expected


@WORKERS
def test_an_effect_waits_for_those_of_earlier_blocks(workers: int) -> None:
    """An atomic returns what all earlier blocks have left, and a flag is set after they have looked at it."""
    assert numbers("symbols", workers) == [7 + 3 * block for block in range(BLOCKS + 1)]
    assert numbers("stored_flags", workers) == [0] * (BLOCKS - 1) + [1]


@WORKERS
def test_the_last_block_to_arrive_is_the_last(workers: int) -> None:
    assert numbers("last_block", workers)[1] == BLOCKS - 1


@WORKERS
def test_single_pass_scans_look_back(workers: int) -> None:
    for case in ("look_back", "volatile_look_back"):
        sums = numbers(case, workers)
        own = [later - earlier for earlier, later in itertools.pairwise([0, *sums])]
        assert own == numbers("nap_look_back", workers)


@WORKERS
def test_blocks_that_wait_for_later_ones_keep_their_shared_memory(workers: int) -> None:
    waits = [block % 5 == 1 and block + 3 < BLOCKS for block in range(BLOCKS)]
    expected = [100 * block + (0.5 if each else 0) for block, each in enumerate(waits)]
    assert numbers("waits_for_later", workers)[1:] == expected


@WORKERS
def test_prints_in_the_order_of_blocks(workers: int) -> None:
    per_block = ("block {0} warp 0 1\n", "a whole line\n", "block {0} warp 1 1\n")
    expected = [line.format(block) for block in range(BLOCKS) for line in per_block]
    assert printed("prints", workers).splitlines(keepends=True)[: len(expected)] == expected


@pytest.mark.parametrize("case", ERRORS)
@WORKERS
def test_the_first_block_that_fails_decides(case: str, workers: int) -> None:
    """Later ones meet another error before it, and leave nothing behind."""
    done = ran(case, workers)
    *found, values = done.stdout.splitlines()
    if case == "exception":
        assert values.startswith(f"of block {FAILING}0 ")
        return
    assert float(values.split()[0]) == ERRORS[case]
    (finding,) = found
    assert f'"block":[{FAILING},0,0],"thread":[3,0,0]' in finding
    assert '"count":1' in finding


@pytest.mark.parametrize("case", ERRORS)
def test_errors_are_the_same_every_time(case: str) -> None:
    for workers in (2, 4):
        assert "not the same" not in ran(case, workers, TIMES).stdout


@WORKERS
def test_a_failure_ends_blocks_that_would_not_end(workers: int) -> None:
    assert printed("endless_behind", workers, TIMES).split() == ["710"]


@WORKERS
def test_a_wait_without_an_end_is_found(workers: int) -> None:
    """In the block that waits, and not in those that run beside it."""
    assert printed("waits_in_vain", workers).split() == ['{"kind":"deadlock"', "702", "7", "0"]
    assert printed("spins", workers).split() == ['{"kind":"timeout"', "702", str(FAILING), "9"]


@WORKERS
def test_a_stack_overflows_in_turn(workers: int) -> None:
    """Later blocks are there first; the process dies of the earliest one, after what comes before it."""
    done = ran("overflow", workers)
    assert done.returncode == -signal.SIGSEGV
    assert f"stack overflow in kernel overflows, block ({FAILING},0,0)" in done.stderr
    assert done.stdout.split() == [str(block) for block in range(FAILING)]


@pytest.mark.parametrize("threads", ["0", "-1", "two", "4096", "2.5"])
def test_a_number_that_means_nothing_is_refused(threads: str) -> None:
    done = ran("independent", threads)
    assert done.returncode == 2
    assert f"CUSIMT_THREADS={threads} means nothing" in done.stderr
