"""The numbers of lesson 16: its picture, and the two pairs that it merges by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from softmax_pictures import ROW, recurrence

ROOT = Path(__file__).resolve().parent.parent.parent
LESSON = (ROOT / "docs" / "lessons" / "16_softmax.md").read_text(encoding="utf-8")


def test_the_recurrence_ends_with_the_maximum_and_the_sum_of_the_row() -> None:
    for end, step in enumerate(recurrence(ROW), 1):
        maximum = max(ROW[:end])
        assert step.maximum == maximum
        assert step.total == pytest.approx(sum(math.exp(each - maximum) for each in ROW[:end]))


def test_the_pairs_that_are_merged_by_hand() -> None:
    first, second, whole = (recurrence(part)[-1] for part in (ROW[:3], ROW[3:], ROW))
    factor = math.exp(first.maximum - second.maximum)
    assert f"| 3 | 0.135 + 1 + 0.368 = {first.total:.3f} |" in LESSON
    assert f"| 4 | 0.007 + 1 + 0.135 = {second.total:.3f} |" in LESSON
    assert f"{first.total:.3f} · {factor:.3f} + {second.total:.3f} · 1  =  {whole.total:.3f}" in LESSON
    assert first.total * factor + second.total == pytest.approx(whole.total)
