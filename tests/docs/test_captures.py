"""What the lessons show of the grader is what it prints today."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import captures
import pytest

from cusimt.support.toolchain import cuda_toolkit
from grader.support.errors import ToolchainError


def parameters(capture: Any) -> Any:
    """The captures of one exercise stay on one worker: they share a folder, and what is compiled in it."""
    together = pytest.mark.xdist_group(f"captures of {capture.exercise[:2]}")
    return pytest.param(capture, id=capture.name, marks=together)


@pytest.mark.slow("grades a submission in a process of its own")
@pytest.mark.parametrize("capture", [parameters(capture) for capture in captures.CAPTURES])
def test_the_captured_output_is_what_is_printed(capture: Any) -> None:
    if capture.compiler and _compiler() != capture.compiler:
        pytest.skip(f"shows the words of g++ {capture.compiler}")
    if capture.nvcc and _nvcc() != capture.nvcc:
        pytest.skip(f"shows the numbers of nvcc {capture.nvcc}")
    shown = (captures.FOLDER / f"{capture.name}.txt").read_text(encoding="utf-8")
    assert shown == captures.run(capture), "Run: python docs/_build/captures.py"


def _compiler() -> str:
    done = subprocess.run(["g++", "-dumpversion"], capture_output=True, text=True, check=False)
    return done.stdout.strip().partition(".")[0]


def _nvcc() -> str:
    """The release of the toolkit that `grader profile` asks; "" without one."""
    try:
        nvcc = cuda_toolkit().nvcc
    except ToolchainError:
        return ""
    done = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"release (\d+\.\d+)", done.stdout)
    return found[1] if found else ""


def test_nothing_is_shown_that_is_not_captured() -> None:
    files = {path.stem for path in captures.FOLDER.glob("*.txt")}
    assert files == {capture.name for capture in captures.CAPTURES}
