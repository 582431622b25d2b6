"""The numbers of lesson 16: its picture, and the two pairs that it merges by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
import softmax_pictures

from tests.docs.cuda_programs import SAMPLES, build, run

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = (ROOT / "docs" / "lessons" / "16_softmax.md").read_text(encoding="utf-8")
ROW = (1.0, 3.0, 2.0, -1.0, 4.0, 2.0)


def pair(row: Sequence[float]) -> tuple[float, float]:
    """The maximum and the sum of exponentials."""
    return max(row), sum(math.exp(each - max(row)) for each in row)


def test_the_picture_shows_what_the_kernel_prints(tmp_path: Path) -> None:
    done = run(build(SAMPLES / "softmaxes" / "steps.cu", tmp_path))
    assert done.stdout == softmax_pictures.RECORD.read_text(encoding="utf-8")
    steps = softmax_pictures.recurrence()
    assert tuple(each.element for each in steps) == ROW
    for end, step in enumerate(steps, 1):
        assert (step.maximum, step.total) == (pair(ROW[:end])[0], pytest.approx(pair(ROW[:end])[1], rel=1e-5))


def test_the_loop_that_prints_is_that_of_the_sample() -> None:
    """steps.cu gives names to the factor and the term of online.cu."""
    online, printing = ((SAMPLES / "softmaxes" / name).read_text() for name in ("online.cu", "steps.cu"))
    assert "sum = sum * exp(mine - larger) + exp(from[i] - larger);" in online
    assert "factor = exp(mine - larger), term = exp(row[i] - larger);" in printing
    assert "sum = sum * factor + term;" in printing


def test_the_pairs_that_are_merged_by_hand() -> None:
    first, second, whole = (pair(part) for part in (ROW[:3], ROW[3:], ROW))
    factor = math.exp(first[0] - second[0])
    assert f"| 3 | 0.135 + 1 + 0.368 = {first[1]:.3f} |" in LESSON
    assert f"| 4 | 0.007 + 1 + 0.135 = {second[1]:.3f} |" in LESSON
    assert f"{first[1]:.3f} · {factor:.3f} + {second[1]:.3f} · 1  =  {whole[1]:.3f}" in LESSON
    assert first[1] * factor + second[1] == pytest.approx(whole[1])
