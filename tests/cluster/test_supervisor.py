"""A block's processes end together, whichever of them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from cusimt.tests.waiting import has_ended
from tests.cluster.conftest import ROOT

# A pool that starts a process which it would have to end itself, says who they are, and waits.
POOL = """\
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print(os.getpid(), child.pid, flush=True)
time.sleep(600)
"""


def start() -> tuple[subprocess.Popen[str], int, int]:
    keeper = subprocess.Popen(
        [sys.executable, "-m", "grader.instruct.cluster.supervisor", sys.executable, "-c", POOL],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert keeper.stdout is not None
    pool, child = map(int, keeper.stdout.readline().split())
    keeper.stdout.close()
    return keeper, pool, child


def test_what_a_killed_pool_leaves_is_ended() -> None:
    keeper, pool, child = start()
    os.kill(pool, signal.SIGKILL)
    assert keeper.wait(30) == 128 + signal.SIGKILL
    assert has_ended(child, 30.0)


def test_a_killed_keeper_takes_the_pool_with_it() -> None:
    keeper, pool, child = start()
    keeper.kill()
    keeper.wait()
    assert has_ended(pool, 30.0)
    os.kill(child, signal.SIGKILL)  # nobody is left to end it; on a cluster the job's end does


def test_the_exit_code_is_the_commands() -> None:
    command = [sys.executable, "-m", "grader.instruct.cluster.supervisor", "sh", "-c", "exit 7"]
    assert subprocess.run(command, cwd=ROOT).returncode == 7


def test_nothing_is_left_on_a_kernel_that_lists_no_children() -> None:
    """/proc/PID/task/TID/children is there only in a kernel built with CONFIG_PROC_CHILDREN."""
    pool = POOL.replace("time.sleep(600)\n", "sys.exit(7)")
    script = f"""\
import pathlib, sys
whole = pathlib.Path.read_text
def read_text(path, *args, **named):
    if path.name == "children":
        raise FileNotFoundError(2, "No such file or directory", str(path))
    return whole(path, *args, **named)
pathlib.Path.read_text = read_text
from grader.instruct.cluster.supervisor import supervise
sys.exit(supervise([sys.executable, "-c", {pool!r}]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 7, done.stderr
    assert has_ended(int(done.stdout.split()[1]), 30.0)
