from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.catalog import Catalog
from grader.course.mutants import load_mutants
from grader.course.stubs import without_markers
from grader.support.errors import BrokenExercise


def test_a_mutant_is_the_solution_with_one_edit(toy_catalog: Catalog, tmp_path: Path) -> None:
    exercise = toy_catalog.exercises[0]
    no_guard, no_minus = load_mutants(exercise)
    assert (no_guard.name, no_guard.demo, no_guard.finding) == ("no_guard", True, "out_of_bounds")
    assert no_minus.backends == ("simt", "cuda")
    no_minus.write(tmp_path)
    master = without_markers((exercise.solution_dir / "kernel.cu").read_text())
    assert (tmp_path / "kernel.cu").read_text() == master.replace("y[i] = -x[i];", "y[i] = x[i];")
    assert (tmp_path / "op.py").read_bytes() == (exercise.solution_dir / "op.py").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [
        "binding.cpp",
        "kernel.cu",
        "op.py",
    ]


def test_what_is_counted_is_caught_on_simt_alone(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    path = exercise.solution_dir / "mutants.toml"
    path.write_text(path.read_text().replace('caught_by = "correctness"', 'caught_by = "efficiency"'))
    counted = [mutant for mutant in load_mutants(exercise) if mutant.caught_by == "efficiency"]
    assert counted and all(mutant.backends == ("simt",) for mutant in counted)


def test_a_mutant_is_in_the_section_that_it_changes(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    assert [mutant.section for mutant in load_mutants(exercise)] == ["index", "store"]
    path = exercise.solution_dir / "mutants.toml"
    elsewhere = ("    if (i >= n) return;\\n", "(n + 127) / 128")
    path.write_text(path.read_text().replace(*elsewhere).replace('replace = ""', 'replace = "n / 128"'))
    assert load_mutants(exercise)[0].section == ""


def test_the_diff_shows_the_changed_lines_only(toy_catalog: Catalog) -> None:
    no_guard, no_minus = load_mutants(toy_catalog.exercises[0])
    assert no_guard.diff() == ["- if (i >= n) return;"]
    assert no_minus.diff() == ["- y[i] = -x[i];", "+ y[i] = x[i];"]


def test_an_exercise_without_mutants_has_none(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    (exercise.solution_dir / "mutants.toml").unlink()
    assert load_mutants(exercise) == []


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"y[i] = -x[i];"', '"y[i] = +x[i];"', "matches 0 times in kernel.cu"),
        ('"y[i] = -x[i];"', '"i"', "times in kernel.cu. It must match exactly once."),
        ('"y[i] = -x[i];"', '""', "matches 0 times in kernel.cu"),
        ('replace = "y[i] = x[i];"', 'replace = "y[i] = -x[i];"', "changes nothing"),
        ('name = "no_minus"', 'name = "no_guard"', "two mutants are called 'no_guard'"),
        ('caught_by = "correctness"\n', "", "mutant[1].caught_by is missing"),
        (
            'caught_by = "correctness"',
            'caught_by = "correctness"\nwhen = 1',
            "mutant[1].when is not a known key",
        ),
        (
            'caught_by = "correctness"',
            'caught_by = "correctness"\nsays = "("',
            "says is '('. It must be a regular expression",
        ),
    ],
)
def test_a_wrong_mutant_is_named_with_its_file(
    toy_catalog: Catalog, old: str, new: str, sentence: str
) -> None:
    exercise = toy_catalog.exercises[0]
    path = exercise.solution_dir / "mutants.toml"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    with pytest.raises(BrokenExercise) as caught:
        load_mutants(exercise)
    assert sentence in str(caught.value)
    assert str(path) in caught.value.what
