"""What the lessons show of the grader is what it prints today."""

from __future__ import annotations

import subprocess
from typing import Any

import captures
import pytest


@pytest.mark.parametrize("capture", captures.CAPTURES, ids=lambda each: each.name)
def test_the_captured_output_is_what_is_printed(capture: Any) -> None:
    if capture.compiler and _compiler() != capture.compiler:
        pytest.skip(f"shows the words of g++ {capture.compiler}")
    shown = (captures.FOLDER / f"{capture.name}.txt").read_text(encoding="utf-8")
    assert shown == captures.run(capture), "Run: python docs/_build/captures.py"


def _compiler() -> str:
    done = subprocess.run(["g++", "-dumpversion"], capture_output=True, text=True, check=False)
    return done.stdout.strip().partition(".")[0]


def test_nothing_is_shown_that_is_not_captured() -> None:
    files = {path.stem for path in captures.FOLDER.glob("*.txt")}
    assert files == {capture.name for capture in captures.CAPTURES}
