"""What to read next, and which section to write first: lessons and verdicts say the same."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from grader.course.catalog import Exercise
from grader.course.stubs import in_order, open_todos
from tests.exercises.conftest import EXERCISES

LESSONS = [each for each in EXERCISES if each.course == EXERCISES[0].course]
_BEGIN = re.compile(r"(?:^|\. )Begin with (.*?)\n\n", re.MULTILINE | re.DOTALL)


def told(exercise: Exercise) -> list[str]:
    """The sections that the lesson names after "Begin with", in its order, each once."""
    before_the_verdicts = exercise.lesson_path.read_text().partition("## When a verdict points here")[0]
    found = _BEGIN.search(before_the_verdicts)
    named = re.findall(r"`(\w+)`", found[1]) if found else []
    return [name for name in dict.fromkeys(named) if name in exercise.sections]


@pytest.mark.parametrize(("one", "following"), list(pairwise(LESSONS)), ids=lambda each: each.slug)
def test_each_lesson_leads_to_the_one_after_it(one: Exercise, following: Exercise) -> None:
    text = one.lesson_path.read_text().partition("\n## Next\n")[2]
    assert f"]({following.slug}.md)" in text


def test_some_lessons_recommend_an_order() -> None:
    assert {each.slug[:2] for each in LESSONS if told(each)} >= {"04", "12", "15", "20", "25", "29"}


@pytest.mark.parametrize("exercise", LESSONS, ids=lambda each: each.slug)
def test_the_verdict_begins_where_the_lesson_does(exercise: Exercise) -> None:
    named = told(exercise)
    assert [name for name in exercise.order if name in named] == named
    assert bool(exercise.order) == bool(named)
    if named:
        first = in_order(exercise, open_todos(exercise, exercise.root))[0]
        assert first.section == exercise.order[0]
        skipped = exercise.order[: exercise.order.index(named[0])]
        assert all(exercise.sections[name].file == "answers.toml" for name in skipped)
