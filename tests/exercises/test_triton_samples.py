"""The kernels in Triton that `grader bench` compares with, judged like submissions to their exercises."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from cusimt.triton import lacking
from grader.checks import grade
from grader.course.catalog import Catalog
from grader.course.exercise import Exercise
from grader.run import Zygote
from grader.verdict import Status, Verdict
from tests.desks import desk, together

from .conftest import ROOT, SEED

COMPARED = [each for each in Catalog.open(ROOT).exercises if each.triton_dir.is_dir()]
JUDGED = ("correctness", "gradient", "safety", "device_work", "efficiency")
# What depends on the language: the words and the class of a refusal, and how many bytes a lane moves at once.
IN_TRITON = """
from dataclasses import replace

_NAMES = reference.__code__.co_varnames
REFUSALS = [
    replace(each, mentions=[word for word in each.mentions if word in _NAMES], exception=ValueError)
    for each in REFUSALS
]
EFFICIENCY = [
    replace(each, limits=[limit for limit in each.limits if "requests" not in limit.metric])
    for each in globals().get("EFFICIENCY", ())
]
"""
pytestmark = [
    pytest.mark.slow("grades with Triton's interpreter"),
    pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there"),
]


def graded(exercise: Exercise, lane: Zygote, scratch: Path, kernel: tuple[str, str] | None = None) -> Verdict:
    """The verdict on its Triton sample; ``kernel`` replaces a text of kernel.py by another."""
    root = Path(shutil.copytree(exercise.root, scratch / "exercises" / exercise.slug))
    (root / "spec.py").write_text((root / "spec.py").read_text() + IN_TRITON)
    scores = {name: points for name, points in exercise.scores.items() if name in JUDGED}
    with desk(exercise) as files:
        shutil.copytree(exercise.triton_dir, files, dirs_exist_ok=True)
        if kernel is not None:
            text = (files / "kernel.py").read_text()
            assert kernel[0] in text
            (files / "kernel.py").write_text(text.replace(*kernel))
        variant = replace(exercise.in_triton(), root=root, scores=scores)
        return grade(variant, files, backend="simt", seed=SEED, zygote=lane)


def test_six_exercises_are_compared() -> None:
    assert [each.number for each in COMPARED] == [3, 7, 12, 13, 16, 17]


@pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(each, id=each.slug, marks=[together(each), pytest.mark.variety("sample", of_all=True)])
        for each in COMPARED
    ],
)
def test_it_passes_the_checks_of_its_exercise(exercise: Exercise, lane: Zygote, tmp_path: Path) -> None:
    verdict = graded(exercise, lane, tmp_path)
    assert verdict.passed, [(each.name, each.sentence, each.lines) for each in verdict.checks]
    assert {each.name for each in verdict.checks} - {"build"} == set(JUDGED) & set(exercise.scores)


MISTAKES = [
    ("03", "inside = at < n\n    product", "inside = at < n + 1\n    product", "safety"),
    ("16", '-float("inf")', "0", "correctness"),
    ("17", "at += tl.num_programs(0).to(tl.int64) * columns", "at += columns", "gradient"),
]


@pytest.mark.parametrize(("number", "text", "other", "caught_by"), MISTAKES, ids=["03", "16", "17"])
def test_a_mistake_in_one_is_caught(
    number: str, text: str, other: str, caught_by: str, lane: Zygote, tmp_path: Path
) -> None:
    exercise = Catalog.open(ROOT).find(number)
    verdict = graded(exercise, lane, tmp_path, (text, other))
    assert caught_by in [each.name for each in verdict.checks if each.status is Status.FAIL]
