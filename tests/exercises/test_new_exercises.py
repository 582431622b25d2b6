"""An exercise as `grader new` writes it is judged rightly; a proof tells what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.author import problems_of, prove, scaffold
from grader.course.catalog import Catalog, Exercise
from grader.course.exercise import KINDS
from grader.course.mutants import load_mutants

SLUG = "42_squares"
pytestmark = pytest.mark.xdist_group(f"proofs of {SLUG}")  # made in one folder: the kinds share their kernels


def exercise_of(course: Path) -> Exercise:
    return Catalog.open(course).find(SLUG)


@pytest.mark.slow("grades a whole exercise")
@pytest.mark.parametrize("kind", KINDS)
def test_a_new_exercise_of_every_kind_is_judged_rightly(tmp_path: Path, kind: str) -> None:
    (tmp_path / "exercises").mkdir()
    scaffold(tmp_path, SLUG, kind)
    exercise = exercise_of(tmp_path)
    assert exercise.kind == kind
    begun: list[str] = []
    assert list(problems_of(exercise)) == []
    assert list(prove(exercise, "simt", begun.append)) == []
    assert begun[:2] == ["the solution", "the stub"]
    assert len(begun) == 2 + len(load_mutants(exercise))


@pytest.mark.slow("grades three submissions")
def test_a_solution_that_fails_and_a_mistake_that_passes_are_told(tmp_path: Path) -> None:
    (tmp_path / "exercises").mkdir()
    scaffold(tmp_path, SLUG, "write")
    exercise = exercise_of(tmp_path)
    mutants = tmp_path / "solutions" / SLUG / "mutants.toml"
    mutants.write_text(
        '[[mutant]]\nname = "harmless"\nfile = "kernel.cu"\nfind = "kThreadsPerBlock = 256"\n'
        'replace = "kThreadsPerBlock = 128"\ncaught_by = "safety"\nwhy = "Nothing is wrong."\n'
    )
    (problem,) = prove(exercise, "simt", lambda stage: None)
    assert problem.what == '"harmless": safety did not catch it. '
    kernel = tmp_path / "solutions" / SLUG / "kernel.cu"
    kernel.write_text(kernel.read_text().replace("x[i] * x[i]", "x[i] + x[i]"))
    (problem,) = prove(exercise, "simt", lambda stage: None)
    assert problem.what.startswith("the solution does not pass. correctness: squares(")
