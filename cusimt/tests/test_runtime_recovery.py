"""What a launch leaves behind: fibers, stacks and memory serve the next one as if they were new."""

from __future__ import annotations

from cusimt.tests.runtime_program import program, run


def values(*case: str, checked: bool = False) -> list[int]:
    done = run(program("recovery", checked), *case)
    assert done.stderr == ""
    assert done.returncode == 0, (done.returncode, done.stderr)
    return [int(word) for word in done.stdout.split()]


def test_threads_run_once_after_a_deadlock_was_reset() -> None:
    assert values("after_deadlock") == [32, 32]


def test_stacks_of_cooperative_launches_are_used_again() -> None:
    launches, blocks, threads = 40, 32, 32  # 40960 stacks in all: more than a process may map
    total = launches * blocks * threads
    assert values("cooperative", str(blocks), str(threads), str(launches)) == [total, total]


def test_a_forked_child_races_with_nobody() -> None:
    assert values("fork", checked=True) == [0, 1]


def test_an_endless_kernel_of_a_forked_child_is_stopped() -> None:
    assert values("endless_child")[0] == 7


def test_a_cooperative_launch_may_have_more_threads_than_guarded_stacks() -> None:
    assert values("cooperative", "132", "256", "1") == [132 * 256, 132 * 256]
