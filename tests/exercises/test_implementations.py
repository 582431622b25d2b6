"""What a learner's tests are judged by is judged too: correct implementations pass every ordinary check."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from grader.checks import grade
from grader.course.catalog import Exercise
from grader.course.exercise import DEFAULT_SCORES, read_exercise
from grader.course.implementations import Implementation, collection, published
from grader.course.stubs import without_markers
from grader.run import Zygote
from grader.verdict import Status
from tests.desks import desk, together

from .conftest import EXERCISES, SEED

OF_TESTS = [exercise for exercise in EXERCISES if exercise.kind == "test"]
CORRECT = [(exercise, each) for exercise in OF_TESTS for each in collection(exercise).correct]


@pytest.mark.slow("grades a submission")
@pytest.mark.parametrize(
    ("exercise", "implementation"),
    [pytest.param(each, one, id=f"{each.slug}: {one.name}", marks=together(each)) for each, one in CORRECT],
)
def test_a_correct_implementation_is_correct(
    exercise: Exercise, implementation: Implementation, lane: Zygote
) -> None:
    """As a submission of its own, judged by the cases, refusals and gradients of the spec."""
    scores = {name: points for name, points in DEFAULT_SCORES.items() if name != "device_work"}
    as_operation = replace(exercise, edit=exercise.given, given=(), sections={}, scores=scores)

    with desk(exercise) as files:
        for name, text in implementation.files.items():
            (files / name).write_text(text)
        verdict = grade(as_operation, files, backend="simt", seed=SEED, zygote=lane)

    failed = [f"{each.name}: {each.sentence}" for each in verdict.checks if each.status is Status.FAIL]
    assert verdict.passed, failed


@pytest.mark.parametrize(
    "exercise", [pytest.param(each, id=each.slug, marks=together(each)) for each in OF_TESTS]
)
def test_without_the_solution_the_published_mistakes_judge(
    exercise: Exercise, tmp_path: Path, lane: Zygote
) -> None:
    """All of them compile, and the course's own tests see them."""
    course = tmp_path / "exercises" / exercise.slug
    shutil.copytree(exercise.root, course)
    for name in exercise.edit:
        text = (exercise.solution_dir / name).read_text()
        (course / name).write_text(without_markers(text))

    verdict = grade(read_exercise(course), course, backend="simt", seed=SEED, zygote=lane)

    said = [f"{each.name}: {each.sentence}" for each in verdict.checks]
    assert verdict.passed, said
    assert f"all {len(published(exercise))} mistakes" in said[-1] and "the published mistakes" in said[-1]


@pytest.mark.parametrize("exercise", OF_TESTS, ids=lambda each: each.slug)
def test_the_mistakes_are_many_of_many_kinds_and_none_is_published(exercise: Exercise) -> None:
    known = collection(exercise)
    shown = published(exercise)

    assert known.hidden
    assert len(known.correct) >= 5
    assert len(known.mistakes) >= 14 and len(known.kinds) >= 8
    assert len(shown) >= 4
    hidden_files = [mistake.implementation.files for mistake in known.mistakes]
    assert not [each.implementation.name for each in shown if each.implementation.files in hidden_files]
