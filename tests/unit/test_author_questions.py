"""What `grader dev check` says about questions that cannot be read or answered."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from grader.author.question_rules import choices_are_read_where_they_are_answered, questions_have_a_place
from grader.course.exercise import Exercise, Section
from tests.unit.fake_submission import fake_exercise

SPEC = """
from grader.specification import Case, Choice, tensor
ENTRY = "muladd"
CASES = [Case("one", [tensor(1)])]
def reference(a):
    return a
QUESTIONS = [Choice("edge", "What does lane 31 get?", {"a": "lane 0", "b": "its own"}, think="Look up.")]
"""
SHEET = """
# What does
# lane 31 get?
#   "a": lane 0
#   "b": its own
edge = "b"
"""
PLACE = {"edge": Section("edge", "answers.toml", "a letter", 1)}


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    root, solution = tmp_path / "exercises" / "03_muladd", tmp_path / "solutions" / "03_muladd"
    root.mkdir(parents=True)
    solution.mkdir(parents=True)
    (root / "spec.py").write_text(textwrap.dedent(SPEC))
    (solution / "answers.toml").write_text(SHEET)
    return fake_exercise(root, edit=("answers.toml",), sections=PLACE, scores={"answers": 100})


def test_questions_with_a_place_and_points_are_fine(exercise: Exercise) -> None:
    assert list(questions_have_a_place(exercise)) == []
    assert list(choices_are_read_where_they_are_answered(exercise)) == []


def test_a_question_without_a_section_or_points_is_told(exercise: Exercise) -> None:
    other = fake_exercise(exercise.root, edit=("answers.toml",))
    assert [problem.what for problem in questions_have_a_place(other)] == [
        "the question edge of spec.py is no section of answers.toml",
        "spec.py asks questions that earn nothing",
    ]


def test_a_question_about_no_part_is_told(exercise: Exercise) -> None:
    exercise.spec_path.write_text(SPEC.replace('think="Look up."', 'think="Look up.", part="scale"'))
    assert [problem.what for problem in questions_have_a_place(exercise)] == [
        "edge is about scale, which is no part"
    ]


def test_a_choice_that_the_sheet_words_differently_is_told(exercise: Exercise) -> None:
    (exercise.solution_dir / "answers.toml").write_text(SHEET.replace("its own", "nothing"))
    assert [problem.what for problem in choices_are_read_where_they_are_answered(exercise)] == [
        "the comment on edge lacks what spec.py says: its own"
    ]
