"""What the lessons show of the grader is what it prints today."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def _captures() -> ModuleType:
    path = ROOT / "docs" / "_build" / "captures.py"
    recipe = importlib.util.spec_from_file_location("docs_captures", path)
    assert recipe is not None and recipe.loader is not None
    module = importlib.util.module_from_spec(recipe)
    sys.modules["docs_captures"] = module
    recipe.loader.exec_module(module)
    return module


CAPTURES = _captures()


@pytest.mark.parametrize("capture", CAPTURES.CAPTURES, ids=lambda each: each.name)
def test_the_captured_output_is_what_is_printed(capture: Any) -> None:
    if capture.compiler and _compiler() != capture.compiler:
        pytest.skip(f"shows the words of g++ {capture.compiler}")
    shown = (CAPTURES.FOLDER / f"{capture.name}.txt").read_text(encoding="utf-8")
    assert shown == CAPTURES.run(capture), "Run: python docs/_build/captures.py"


def _compiler() -> str:
    done = subprocess.run(["g++", "-dumpversion"], capture_output=True, text=True, check=False)
    return done.stdout.strip().partition(".")[0]


def test_nothing_is_shown_that_is_not_captured() -> None:
    files = {path.stem for path in CAPTURES.FOLDER.glob("*.txt")}
    assert files == {capture.name for capture in CAPTURES.CAPTURES}
