"""Times of kernels that stand in for the kernel.cu of an exercise's solution."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.course.catalog import Exercise

LESSONS = Path(__file__).parent / "lessons.py"


def milliseconds_of(
    exercise: Exercise, samples: Path, names: Sequence[str], stage: str = "forward"
) -> Iterator[tuple[str, float]]:
    """Name and time of ``samples/NAME.cu``, for each of ``names``; ``stage`` is forward or backward.

    Each in a process of its own: no two libraries may register one operator.
    """
    for name in names:
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(shutil.copytree(exercise.solution_dir, Path(scratch) / name))
            shutil.copyfile(samples / f"{name}.cu", copy / "kernel.cu")
            command = [sys.executable, str(LESSONS), "--time", exercise.slug, str(copy), stage]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            yield name, float(done.stdout.split()[-1])
