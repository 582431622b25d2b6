"""An error in code that is given is reported at the line of the learner that called it."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.checks.error_lines import at_own_line
from grader.course.catalog import Catalog, Exercise
from grader.course.workspace import without_markers
from grader.run.values import RemoteError


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Exercise, Path, list[str]]:
    """Exercise 02, its op.py as the solution has it, and the lines of that."""
    exercise = Catalog.open(Path(__file__).parents[2]).find("02")
    files = tmp_path_factory.mktemp("02")
    text = without_markers((exercise.solution_dir / "op.py").read_text())
    (files / "op.py").write_text(text)
    return exercise, files, text.splitlines()


def placed(finished: tuple[Exercise, Path, list[str]], *sources: str) -> str:
    """Where an error is reported that was raised in the first of `sources`, which the others called."""
    exercise, files, lines = finished
    numbers = [next(n for n, line in enumerate(lines, 1) if source in line) for source in sources]
    where, *callers = (f"op.py:{number}" for number in numbers)
    return at_own_line(exercise, files, RemoteError("RuntimeError", "no", where, tuple(callers))).where


def test_the_caller_of_a_given_function_is_named_first(finished: tuple[Exercise, Path, list[str]]) -> None:
    said = placed(finished, "_extension.multiply_out", "grad_b = _multiply", "return Multiply.apply")
    raised = placed(finished, "_extension.multiply_out")
    own = placed(finished, "grad_b = _multiply")
    assert said == f"{own} (which calls {raised})"


def test_what_a_section_raises_is_its_own(finished: tuple[Exercise, Path, list[str]]) -> None:
    said = placed(finished, "grad_b = _multiply", "return Multiply.apply")
    assert said == placed(finished, "grad_b = _multiply")


def test_where_no_caller_is_the_learners_the_innermost_place_stays(
    finished: tuple[Exercise, Path, list[str]],
) -> None:
    said = placed(finished, "_extension.multiply_out", "return Multiply.apply")
    assert said == placed(finished, "_extension.multiply_out")


def test_files_of_others_and_unknown_places_are_left_alone(
    finished: tuple[Exercise, Path, list[str]],
) -> None:
    exercise, files, _ = finished
    error = RemoteError("RuntimeError", "no", "helpers.py:3", ("helpers.py:9", "op.py:x"))
    assert at_own_line(exercise, files, error) == error
