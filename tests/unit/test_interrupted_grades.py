"""A grade that is killed, or meets a full disk, at any of its steps: nothing is lost, doubled or wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


# Every so many of some 160 steps; benchmarks/interruptions.py takes them all, and compilers.
@pytest.mark.slow("kills a grade at each of its steps")
@pytest.mark.parametrize(("action", "every"), [("kill", 7), ("full", 13)])
def test_the_next_grade_is_as_if_nothing_had_happened(action: str, every: int) -> None:
    command = [sys.executable, "-m", "tests.unit.interrupted_grades", action, str(every)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[-2]) > 100  # steps: fewer, and they are no longer found
