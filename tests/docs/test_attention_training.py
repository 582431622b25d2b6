"""Lesson 29: a transformer trained with the solution follows PyTorch's loss; with a mistake it does not."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.course.catalog import Catalog
from grader.course.mutants import load_mutants

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "docs" / "samples" / "attention" / "train.py"
EXERCISE = Catalog.open(ROOT).find("29")
RECORDED = json.loads((ROOT / "benchmarks/results/attention_training.json").read_text(encoding="utf-8"))
LESSON = EXERCISE.lesson_path.read_text(encoding="utf-8")
GUESS = math.log(16)

pytestmark = [pytest.mark.slow("trains transformers"), pytest.mark.xdist_group("attention training")]


@dataclass(frozen=True)
class Losses:
    size: dict[str, float]
    own: list[float]
    reference: list[float]
    printed: str

    def difference(self, steps: int | None = None) -> float:
        """The largest, of the first steps or of all."""
        pairs = list(zip(self.own, self.reference, strict=True))[:steps]
        return max(abs(mine - theirs) for mine, theirs in pairs)


def trained(folder: Path, scratch: Path, steps: int) -> Losses:
    file = scratch / "losses.json"
    command = [sys.executable, "-m", "cusimt", "--no-checks", str(SAMPLE), str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, "--steps", str(steps), "--json", str(file)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Losses(printed=done.stdout, **json.loads(file.read_text()))


def test_the_loss_of_the_solution_follows_the_reference(tmp_path: Path) -> None:
    losses = trained(EXERCISE.solution_dir, tmp_path, steps=90)
    assert losses.difference() < 1e-3
    assert losses.own[0] > GUESS and losses.own[-1] < 0.1
    assert losses.size | {"steps": RECORDED["size"]["steps"]} == RECORDED["size"]
    # Another version of PyTorch, or another processor, rounds differently.
    pairs = zip(losses.own, RECORDED["own"], strict=False)
    assert max(abs(now - then) for now, then in list(pairs)[:30]) < 1e-2
    assert re.search(r"^largest difference: \d\.\de[-+]\d+$", losses.printed, re.MULTILINE)


def test_the_loss_with_a_mistake_does_not(tmp_path: Path) -> None:
    (mutant,) = (each for each in load_mutants(EXERCISE) if each.name == RECORDED["mistake"]["name"])
    mutant.write(tmp_path)
    losses = trained(tmp_path, tmp_path, steps=60)
    assert losses.difference() > 0.1
    assert losses.difference(steps=10) < 1e-2


def test_the_lesson_says_what_was_recorded() -> None:
    own, reference, mistaken = RECORDED["own"], RECORDED["reference"], RECORDED["mistake"]["losses"]
    assert len(own) == len(reference) == len(mistaken) == RECORDED["size"]["steps"] == 120
    pairs = list(zip(own, reference, strict=True))
    assert max(abs(mine - theirs) for mine, theirs in pairs) < 1e-5
    assert "differ by less than 10⁻⁵ in every step" in LESSON
    assert min(reference[:50]) > 2.5 and reference[80] < 0.2
    assert "for about 50 steps" in LESSON and "within 30" in LESSON
    assert all(abs(one - other) < 1e-3 for one, other in zip(mistaken[:20], reference[:20], strict=True))
    assert "the first losses agree to three digits" in LESSON
    assert mistaken[-1] > 2.5 and "After 120 steps it is still above 2.5" in LESSON
    assert f"log 16 = {GUESS:.2f}" in LESSON
