"""A verdict leads to the place of the lesson that is about what it says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import grader
from cusimt.findings import KINDS
from grader.checks.lesson_links import ABOUT, AS_A_WHOLE, GENERAL, UNWRITTEN, about, anchor_in, lesson_for
from grader.checks.outcome import Outcome
from grader.checks.values.wording import error_outcome
from grader.course.catalog import Exercise
from grader.course.exercise import CHECKS
from grader.run.values import RemoteError
from grader.specification import load_spec
from grader.verdict import Status
from tests.exercises.conftest import EXERCISES, MUTANTS

TAUGHT = [each for each in EXERCISES if each.lesson_path.is_file()]
BUILT = [each for each in TAUGHT if "correctness" in each.scores]
SOURCES = sorted((Path(grader.__file__).parent / "checks").rglob("*.py"))
WORDS = {"values": "", "gradient": "gradient", "twice": "second derivative"}  # what such a place is about


def topics_in(path: Path) -> Iterator[str]:
    """Every text that is given as a topic, by name or to a function that fails a call with it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg in ("topic", "reading"):
            yield from (each.value for each in ast.walk(node.value) if _is_text(each))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "failure":
            yield from [each.value for each in node.args[1:2] if _is_text(each)]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(node.value)


def test_every_topic_that_a_check_gives_is_known() -> None:
    given = {topic for path in SOURCES for topic in topics_in(path)}
    assert {"values", "none_gradient", "streams", "gradcheck"} <= given
    assert given - ABOUT.keys() == {UNWRITTEN}
    assert set(KINDS) | {"launch_stream", "stream_fork", "stream_join", "stream_device"} <= ABOUT.keys()


@pytest.mark.parametrize("exercise", TAUGHT, ids=lambda each: each.slug)
def test_every_topic_leads_to_a_place_that_is_about_it(exercise: Exercise) -> None:
    lesson = exercise.lesson_path.read_text(encoding="utf-8")
    marked = set(re.findall(r"\{ #([\w-]+) \}", lesson))
    for topic in ABOUT:
        path, _, anchor = lesson_for(exercise, topic).partition("#")
        assert (exercise.course / path).is_file()
        if anchor in (GENERAL, ""):
            assert not marked & set(about(topic)), topic
            assert "\n## When a verdict points here\n" in lesson
            assert (anchor == "") == (topic in AS_A_WHOLE), topic
        else:
            assert anchor in marked & set(about(topic)), topic


@pytest.mark.parametrize("exercise", BUILT, ids=lambda each: each.slug)
def test_what_most_verdicts_say_has_a_place_of_its_own(exercise: Exercise) -> None:
    gradient = load_spec(exercise).gradient
    wanted = [
        "values",
        *(["gradient"] if gradient else []),
        *(["twice"] if gradient and gradient.twice else []),
    ]
    text = exercise.lesson_path.read_text(encoding="utf-8")
    for topic in wanted:
        anchor = lesson_for(exercise, topic).partition("#")[2]
        assert anchor in ("values", "gradient", "gradcheck", "twice")
        place = text.partition(f"{{ #{anchor} }}")[2].partition("{ #")[0]
        assert re.search(WORDS[topic], place), (topic, anchor, place)


def test_what_a_planted_mistake_is_found_by_has_a_place_of_its_own() -> None:
    """The general heading is for what no lesson expects; a mistake that is planted there is expected."""
    planted = [each for each in MUTANTS if each.finding and each.caught_by in CHECKS]
    links = {(each.exercise.slug, each.name): lesson_for(each.exercise, each.finding) for each in planted}
    assert len(links) > 100
    assert [mutant for mutant, link in links.items() if link.endswith(f"#{GENERAL}")] == []


LESSON = "# L\n\n## When a verdict points here\n\n**A.**{ #values } x\n\n**B.**{ #race-shared } y\n"


def test_the_most_particular_anchor_is_taken() -> None:
    assert anchor_in(LESSON, "race_shared", "values") == "race-shared"
    assert anchor_in(LESSON, "race_global") == "race-shared"
    assert anchor_in(LESSON, "bad_mask", "values") == "values"
    assert anchor_in(LESSON, "gradient") == "values"
    assert anchor_in(LESSON + "**C.**{ #gradcheck } z\n", "gradient") == "gradcheck"


def test_what_a_lesson_does_not_treat_leads_to_its_list_of_verdicts() -> None:
    assert anchor_in(LESSON, "leak") == GENERAL
    assert anchor_in(LESSON, "a_part_of_the_exercise") == GENERAL
    assert anchor_in(LESSON, "", "") == anchor_in(LESSON, "", UNWRITTEN) == ""
    assert anchor_in("# L\n", "leak") == ""


def test_a_nan_has_a_place_of_its_own_where_the_lesson_has_one() -> None:
    def anchor(lesson: str, got: str, expected: str = "1.0", reading: str = "") -> str:
        outcome = Outcome(Status.FAIL, "", got=got, expected=expected, topic="values", reading=reading)
        return anchor_in(lesson, *outcome.topics)

    assert anchor(LESSON, "nan") == "values"
    lesson = LESSON + "**C.**{ #non-finite } z\n"
    assert anchor(lesson, "nan") == anchor(lesson, "-inf") == "non-finite"
    assert anchor(lesson, "nan", reading="gradient") == "non-finite"
    assert anchor(lesson + "**D.**{ #gradient } z\n", "2.0", reading="gradient") == "gradient"
    assert anchor(lesson, "nan", "inf") == anchor(lesson, "2.0") == "values"
    assert anchor(lesson, "nan", reading="race_shared") == "race-shared"


@pytest.mark.parametrize(
    ("slug", "message", "anchor"),
    [
        ("25_triton", "Trying to backward, but no autograd formula was registered", "autograd-registration"),
        ("29_attention_backward", "an incorrect number of gradients", "number-of-gradients"),
        ("05_streams_and_devices", "an incorrect number of gradients", "number-of-gradients"),
        ("22_library_calls", "an incorrect number of gradients", "none-gradient"),
        ("29_attention_backward", "not enough values to unpack (expected 4, got 3)", "errors"),
    ],
)
def test_what_pytorch_raises_in_backward_leads_to_its_cause(slug: str, message: str, anchor: str) -> None:
    exercise = next(each for each in TAUGHT if each.slug == slug)
    outcome = error_outcome("The backward of f", RemoteError("RuntimeError", message), "one")
    assert lesson_for(exercise, *outcome.topics).partition("#")[2] == anchor
