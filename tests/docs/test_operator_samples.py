"""The programs of lesson 21 print what the lesson shows, and so its claims hold for this PyTorch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "docs" / "samples" / "operator"


def printed(program: str, *arguments: str, folder: Path = SAMPLES) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "cusimt", str(SAMPLES / program), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CU2GRAD_BACKEND": "simt"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["lost_gradient", "in_one_piece"])
def test_a_program_prints_what_the_lesson_shows(name: str) -> None:
    assert printed(f"{name}.py") == (SAMPLES / f"{name}.txt").read_text()


def test_three_tests_of_opcheck_see_the_lost_gradient() -> None:
    lost, kept = (SAMPLES / "lost_gradient.txt").read_text().split("kept.cube")
    assert lost.count(" fails") == 3
    assert "compiled gradient           None" in lost
    assert kept.count(" fails") == 0


@pytest.mark.slow("compiles an exercise, and its graph")
@pytest.mark.parametrize(
    ("slug", "function"), [("21_dispatcher", "sqdist"), ("02_elementwise_mult", "multiply")]
)
def test_a_function_of_pybind_breaks_the_graph_and_an_operator_does_not(slug: str, function: str) -> None:
    shown = (SAMPLES / "graph_break.txt").read_text()
    command = f"$ python -m cusimt graph_break.py {function}\n"
    assert command + printed("graph_break.py", function, folder=ROOT / "solutions" / slug) in shown


def test_the_keys_of_the_solution_are_those_that_the_lesson_lists() -> None:
    """A fake is registered under Meta; at Python, fake tensors meet PyTorch's own kernel and none of ours."""
    shown = printed("keys.py", "pairwise::sqdist", folder=ROOT / "solutions" / "21_dispatcher")
    command = "$ python -m cusimt keys.py pairwise::sqdist\n"
    assert (SAMPLES / "keys.txt").read_text() == command + shown
    assert shown.split() == ["FuncTorchBatched", "CUDA", "Meta", "Autograd[alias]"]
