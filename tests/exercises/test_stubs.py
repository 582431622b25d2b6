"""What a learner starts from is refused kindly: every open place is named, and nothing is judged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.author import problems_of
from grader.checks import grade
from grader.course.answer_key import ANSWERS
from grader.course.catalog import Catalog, Exercise
from grader.course.workspace import shipped_files, sync
from grader.run import Zygote
from grader.specification import load_spec
from grader.verdict import Status
from tests.desks import together

from .conftest import COURSES, EXERCISES, SEED


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.slug)
def test_the_stub_is_not_attempted_and_every_todo_is_named(exercise: Exercise, tmp_path: Path) -> None:
    for path, text in shipped_files(exercise).items():
        copy = tmp_path / path.relative_to(exercise.root)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(text)

    verdict = grade(exercise, tmp_path, backend="simt", seed=SEED)

    assert verdict.status is Status.NOT_ATTEMPTED
    assert verdict.earned == 0
    lines = verdict.checks[0].lines
    questions = {section for section, each in exercise.sections.items() if each.file == ANSWERS}
    answered_apart = questions if "answers" in exercise.scores else set()
    assert sum("answers, from here on" in line for line in lines) == bool(answered_apart)
    named = re.findall(r"^(\S+):(\d+): TODO\((\w+)\)", "\n".join(lines), re.MULTILINE)
    assert {section for _, _, section in named} == set(exercise.sections) - answered_apart
    assert len(named) == len(exercise.sections) - len(answered_apart)
    for file, line, section in named:
        assert f"TODO({section})" in (tmp_path / file).read_text().splitlines()[int(line) - 1]


# In an exercise to write, a stub is not judged at all.
WITH_PARTS = [exercise for exercise in EXERCISES if "parts" in exercise.scores and exercise.is_repair]


@pytest.mark.parametrize(
    "exercise", [pytest.param(each, id=each.slug, marks=together(each)) for each in WITH_PARTS]
)
def test_no_part_of_a_stub_is_right_as_it_was_handed_out(
    exercise: Exercise, tmp_path: Path, lane: Zygote
) -> None:
    for path, text in shipped_files(exercise).items():
        (tmp_path / path.relative_to(exercise.root)).write_text(text)

    verdict = grade(exercise, tmp_path, backend="simt", seed=SEED + 1, zygote=lane)

    parts = {part.part.name for part in load_spec(exercise).parts if part.part}
    judged = {check.name: check for check in verdict.checks if check.name in parts}
    assert judged.keys() == parts
    for check in judged.values():
        assert check.status is Status.NOT_ATTEMPTED, check.name
        assert check.sentence.startswith("Not repaired yet. ")
        assert check.points == 0


@pytest.mark.parametrize("course", COURSES, ids=lambda each: each.name)
def test_the_stubs_are_what_the_solutions_give(course: Path) -> None:
    assert sync(Catalog.open(course), check=True) == []


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.slug)
def test_an_author_would_be_told_of_nothing(exercise: Exercise) -> None:
    assert list(problems_of(exercise)) == []
