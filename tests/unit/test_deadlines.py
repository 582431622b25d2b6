"""Own time goes on while a tree of processes runs or sleeps, not while a busy machine keeps it waiting."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from cusimt.tests.waiting import waited
from grader.support.deadlines import PATIENCE, Deadline, Usage, usage_of

LIMIT = 10.0


@dataclass
class Machine:
    """A clock, and a process that gets ``share`` of a processor, or sleeps."""

    share: float = 1.0
    sleeps: bool = False
    visible: bool = True
    now: float = 100.0
    used: float = 0.0

    def usage(self, leader: int) -> Usage | None:
        assert leader == 7
        return Usage(self.used, not self.sleeps) if self.visible else None

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.used += 0.0 if self.sleeps else seconds * self.share

    def run_out(self, deadline: Deadline) -> float:
        """Wait as a caller does until it is over; returns the wall-clock seconds."""
        for _ in range(100_000):
            left = deadline.left()
            if left <= 0:
                return deadline.waited
            self.wait(left)
        raise AssertionError("it is never over")


def deadline(machine: Machine) -> Deadline:
    return Deadline(LIMIT, lambda: 7, clock=lambda: machine.now, usage=machine.usage)


@pytest.mark.parametrize("machine", [Machine(), Machine(sleeps=True), Machine(share=0.3, visible=False)])
def test_a_spin_loop_and_a_wait_end_after_the_limit(machine: Machine) -> None:
    assert machine.run_out(deadline(machine)) == pytest.approx(LIMIT, abs=0.1)


def test_a_process_of_several_threads_ends_no_sooner() -> None:
    machine = Machine(share=4.0)
    assert machine.run_out(deadline(machine)) == pytest.approx(LIMIT, abs=0.1)


def test_on_a_busy_machine_the_same_work_gets_the_same_time() -> None:
    machine = Machine(share=0.2)
    seconds = machine.run_out(deadline(machine))
    assert machine.used == pytest.approx(LIMIT, rel=0.1)
    assert seconds == pytest.approx(LIMIT / 0.2, rel=0.1)


def test_what_never_gets_a_processor_ends_too() -> None:
    machine = Machine(share=0.0)
    assert machine.run_out(deadline(machine)) == pytest.approx(LIMIT * PATIENCE, rel=0.01)


def test_load_that_comes_and_goes_moves_it_by_what_it_took() -> None:
    machine = Machine()
    limit = deadline(machine)
    for share, seconds in ((1.0, 4.0), (0.1, 20.0)):
        machine.share = share
        end = machine.now + seconds
        while machine.now < end:
            left = limit.left()
            assert left > 0
            machine.wait(min(left, end - machine.now))
    machine.share = 1.0
    machine.run_out(limit)
    assert machine.used == pytest.approx(LIMIT, rel=0.1)


@pytest.fixture
def tree() -> Iterator[subprocess.Popen[str]]:
    """A process that waits for its child, which spins once it is told to."""
    child = "import sys; sys.stdin.readline()\nwhile True: pass"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    with subprocess.Popen([sys.executable, "-c", parent], stdin=subprocess.PIPE, text=True,
                          start_new_session=True) as process:  # fmt: skip
        yield process
        os.killpg(process.pid, 9)


def test_a_tree_is_its_descendants_and_their_time(tree: subprocess.Popen[str]) -> None:
    assert tree.stdin is not None
    assert waited(lambda: (usage := usage_of(tree.pid)) is not None and not usage.ready)  # both wait
    tree.stdin.write("go\n")
    tree.stdin.flush()
    assert waited(lambda: (usage := usage_of(tree.pid)) is not None and usage.ready)
    before = usage_of(tree.pid)
    assert before is not None
    assert waited(lambda: (usage := usage_of(tree.pid)) is not None and usage.seconds > before.seconds + 0.05)


def test_a_process_that_is_gone_has_no_usage() -> None:
    assert usage_of(-1) is None
