"""What a learner starts from is refused kindly: every open place is named, and nothing is judged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.catalog import Catalog, Exercise
from grader.checks import grade
from grader.sections import find_regions
from grader.verdict import Status
from grader.workspace import shipped_files, sync

from .conftest import COURSES, EXERCISES, SEED


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.slug)
def test_the_stub_is_not_attempted_and_every_todo_is_named(exercise: Exercise, tmp_path: Path) -> None:
    for path, text in shipped_files(exercise).items():
        (tmp_path / path.name).write_text(text)

    verdict = grade(exercise, tmp_path, backend="simt", seed=SEED)

    assert verdict.status is Status.NOT_ATTEMPTED
    assert verdict.earned == 0
    named = re.findall(r"^(\S+):(\d+): TODO\((\w+)\)", "\n".join(verdict.checks[0].lines), re.MULTILINE)
    assert sorted(section for _, _, section in named) == sorted(exercise.sections)
    for file, line, section in named:
        assert f"TODO({section})" in (tmp_path / file).read_text().splitlines()[int(line) - 1]


@pytest.mark.parametrize("course", COURSES, ids=lambda each: each.name)
def test_the_stubs_are_what_the_solutions_give(course: Path) -> None:
    assert sync(Catalog.open(course), check=True) == []


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.slug)
def test_no_line_of_a_solution_reaches_a_stub_or_a_hint(exercise: Exercise) -> None:
    shipped = "\n".join(shipped_files(exercise).values()) + exercise.hints_path.read_text()
    given = _given_lines(exercise)
    for section, lines in _regions(exercise).items():
        told = given | {line.strip() for line in exercise.sections[section].stub.splitlines()}
        for line in lines:
            if len(line) > 24 and not line.startswith(("//", "#")) and line not in told:
                assert line not in shipped, f"{section} of {exercise.slug} is given away"


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.slug)
def test_the_number_of_lines_in_a_prompt_is_that_of_the_solution(exercise: Exercise) -> None:
    for section, lines in _regions(exercise).items():
        code = [line for line in lines if not line.startswith(("//", "# "))]
        assert exercise.sections[section].lines == len(code), section


def _regions(exercise: Exercise) -> dict[str, list[str]]:
    """The stripped lines of each section, as the solution has them."""
    regions = {}
    for file in exercise.edit:
        text = (exercise.solution_dir / file).read_text()
        lines = [line.strip() for line in text.splitlines()]
        for region in find_regions(text, file):
            if region.name in exercise.sections:
                body = lines[region.start : region.end - 1]
                regions[region.name] = [line for line in body if line]
    return regions


def _given_lines(exercise: Exercise) -> set[str]:
    """The stripped lines that stand outside of every section: a learner sees them anyway."""
    given: set[str] = set()
    for file in exercise.edit:
        text = (exercise.solution_dir / file).read_text()
        lines = [line.strip() for line in text.splitlines()]
        hidden = {
            number
            for region in find_regions(text, file)
            if region.name in exercise.sections
            for number in range(region.start, region.end)
        }
        given |= {line for number, line in enumerate(lines) if number not in hidden}
    return given
