"""The programs that lesson 02 shows do what it says of them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import tape_pictures
import torch

SAMPLES = Path(__file__).resolve().parents[2] / "docs" / "samples" / "autograd_function"


def sample(name: str) -> ModuleType:
    recipe = importlib.util.spec_from_file_location(name, SAMPLES / f"{name}.py")
    assert recipe is not None and recipe.loader is not None
    module = importlib.util.module_from_spec(recipe)
    recipe.loader.exec_module(module)
    return module


def test_the_example_of_a_function_has_the_right_gradient() -> None:
    sine = sample("sine").sine
    x = torch.linspace(-2, 2, 12, dtype=torch.float64).reshape(3, 4).requires_grad_()
    assert torch.autograd.gradcheck(sine, (x,))
    torch.testing.assert_close(sine(x), torch.sin(x))


def test_the_cotangent_of_a_sum_is_expanded_as_the_lesson_prints() -> None:
    done = subprocess.run(
        [sys.executable, str(SAMPLES / "cotangent.py")], capture_output=True, text=True, check=True
    )
    assert done.stdout == (SAMPLES / "cotangent.txt").read_text(encoding="utf-8")
    assert "(0, 0) False" in done.stdout


def test_the_picture_of_the_record_shows_what_the_program_prints() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cusimt", str(SAMPLES / "tape.py")], capture_output=True, text=True, check=True
    )
    assert done.stdout == (SAMPLES / "tape.txt").read_text(encoding="utf-8")
    entries = tape_pictures.record()
    assert len(entries) == len(done.stdout.splitlines()) == 8
    assert [(each.name, each.shape, each.strides) for each in entries if each.kind == "backward"] == [
        ("SumBackward0", "()", "()"),
        ("TanhBackward0", "(3, 4)", "(0, 0)"),
        ("AddBackward0", "(3, 4)", "(4, 1)"),
    ]
    drawn = tape_pictures.tape().render()
    assert all(f">{each.shape}<" in drawn or f"{each.name} {each.shape}" in drawn for each in entries)
