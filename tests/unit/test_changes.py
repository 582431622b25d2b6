"""Counting what was changed: in a section, elsewhere, and not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.checks.repairs import change_size
from grader.course.catalog import Catalog, Exercise, Section
from grader.course.changes import Place, changes_of, section_at
from grader.course.workspace import shipped_files, without_markers
from grader.verdict import Status
from tests.unit.fake_submission import fake_exercise

SOLUTION = """\
import torch


def f(x):
    y = x + 1
    # --8<-- [start:first]
    return y * 2
    # --8<-- [end:first]


def g(x):
    # --8<-- [start:second]
    return x
    # --8<-- [end:second]
"""
STUB = """\
import torch


def f(x):
    y = x + 1
    # TODO(first): repair, about 1 line.
    y = y * 3
    return y


def g(x):
    # TODO(second): repair, about 1 line.
    return -x
"""


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    root = tmp_path / "exercises" / "03_muladd"
    sections = {
        "first": Section("first", "op.py", "repair", 1, "y = y * 3\nreturn y", max_changed=2),
        "second": Section("second", "op.py", "repair", 1, "return -x", max_changed=1),
    }
    made = fake_exercise(root, edit=("op.py",), given=("k.h",), sections=sections, elsewhere=1)
    for folder in (root, made.solution_dir):
        folder.mkdir(parents=True)
    (made.solution_dir / "op.py").write_text(SOLUTION)
    (made.solution_dir / "k.h").write_text("#pragma once\n")
    for path, text in shipped_files(made).items():
        path.write_text(text)
    assert (root / "op.py").read_text() == STUB
    return made


def edited(exercise: Exercise, *edits: tuple[str, str]) -> tuple[dict[str, int], list[Place]]:
    text = STUB
    for before, after in edits:
        assert text.count(before) == 1
        text = text.replace(before, after)
    (exercise.root / "op.py").write_text(text)
    changes = changes_of(exercise, exercise.root)
    assert changes is not None
    return {name: number for name, number in changes.inside.items() if number}, changes.elsewhere


def test_nothing_is_changed(exercise: Exercise) -> None:
    assert edited(exercise) == ({}, [])


def test_blank_lines_and_comments_are_free(exercise: Exercise) -> None:
    todo = "    # TODO(first): repair, about 1 line.\n"
    assert edited(exercise, (todo, "\n"), ("import torch\n", "import torch\n# mine\n\n")) == ({}, [])


def test_each_section_has_its_own_count(exercise: Exercise) -> None:
    repaired = (("    y = y * 3\n    return y\n", "    return y * 2\n"), ("return -x", "return x"))
    assert edited(exercise, *repaired) == ({"first": 2, "second": 1}, [])


def test_the_larger_of_removed_and_added_counts(exercise: Exercise) -> None:
    assert edited(exercise, ("    return -x\n", "    y = x\n    z = y\n    return z\n")) == (
        {"second": 3},
        [],
    )


def test_a_line_added_at_the_edge_of_a_section_belongs_to_it(exercise: Exercise) -> None:
    assert edited(exercise, ("    return -x\n", "    return -x\n    # done\n    x = 1\n")) == (
        {"second": 1},
        [],
    )


def test_elsewhere_is_told_by_its_place(exercise: Exercise) -> None:
    inside, elsewhere = edited(exercise, ("y = x + 1", "y = x + 2"), ("def g(x)", "def g(x, z)"))
    assert inside == {}
    assert elsewhere == [Place("op.py", 5), Place("op.py", 11)]


def test_a_change_across_the_edge_is_shared(exercise: Exercise) -> None:
    across = "    y = x + 1\n    # TODO(first): repair, about 1 line.\n    y = y * 3\n    return y\n"
    assert edited(exercise, (across, "    return 2 * x + 2\n")) == ({"first": 2}, [Place("op.py", 5)])


def test_a_given_file_is_elsewhere(exercise: Exercise) -> None:
    (exercise.root / "k.h").write_text("#pragma once\n#define X 1\n#define Y 2\n")
    changes = changes_of(exercise, exercise.root)
    assert changes is not None and [place.file for place in changes.elsewhere] == ["k.h", "k.h"]


def test_a_missing_file_is_left_to_the_build(exercise: Exercise) -> None:
    (exercise.root / "op.py").unlink()
    changes = changes_of(exercise, exercise.root)
    assert changes is not None and not changes.elsewhere


def test_within_the_bounds_there_is_nothing_to_say(exercise: Exercise) -> None:
    edited(exercise, ("return -x", "return x"), ("y = x + 1", "y = x + 2"))
    assert change_size.check(exercise, exercise.root) is None


def test_too_much_elsewhere_is_refused_with_its_first_place(exercise: Exercise) -> None:
    edited(exercise, ("y = x + 1", "y = x + 2"), ("def g(x)", "def g(x, z)"))
    outcome = change_size.check(exercise, exercise.root)
    assert outcome is not None and outcome.status is Status.FAIL
    assert outcome.sentence.startswith(
        "2 lines are changed outside of the places that a TODO marks, the first at op.py:5; 1 may be."
    )
    assert "grader reset 03" in outcome.sentence


def test_too_much_in_a_section_is_refused(exercise: Exercise) -> None:
    edited(exercise, ("    return -x\n", "    y = x\n    return y\n"))
    outcome = change_size.check(exercise, exercise.root)
    assert outcome is not None
    assert outcome.sentence.startswith("2 lines of TODO(second) in op.py are changed, and 1 line is enough.")


def test_an_exercise_without_bounds_is_not_compared(exercise: Exercise) -> None:
    free = fake_exercise(exercise.root, edit=("op.py",), given=("k.h",))
    edited(exercise, ("import torch", "import math\nimport os\nimport torch"))
    assert change_size.check(free, exercise.root) is None


def test_a_release_keeps_the_stubs_and_one_without_them_cannot_tell(exercise: Exercise) -> None:
    for name in ("op.py", "k.h"):
        (exercise.solution_dir / name).unlink()
    exercise.solution_dir.rmdir()
    outcome = change_size.check(exercise, exercise.root)
    assert outcome is not None and outcome.status is Status.UNAVAILABLE
    exercise.kept_stubs.mkdir(parents=True)
    (exercise.kept_stubs / "op.py").write_text(STUB)
    (exercise.kept_stubs / "k.h").write_text("#pragma once\n")
    assert edited(exercise, ("return -x", "return x")) == ({"second": 1}, [])
    assert shipped_files(exercise) == {
        exercise.root / "op.py": STUB,
        exercise.root / "k.h": "#pragma once\n",
    }


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        (STUB, {1: "", 5: "", 6: "first", 8: "first", 11: "", 12: "second", 13: "second"}),
        (SOLUTION, {5: "", 7: "first", 11: "", 13: "second"}),
        (
            STUB.replace("y = y * 3\n    return y", "for _ in range(2):\n        y = y + x\n    return y"),
            {5: "", 7: "first", 8: "first", 9: "first", 12: "", 14: "second"},
        ),
        ("# mine\nimport numpy\n\n" + STUB, {2: "", 10: "first", 16: "second"}),
        ("nothing\nof\nit\nis\nleft\n", {1: "first", 5: "second"}),
        ("most of it is given\n" + STUB[STUB.index("    y = y * 3") :], {1: "", 2: "first"}),
        ("", {1: ""}),
    ],
)
def test_only_a_line_inside_of_a_section_belongs_to_it(
    exercise: Exercise, text: str, sections: dict[int, str]
) -> None:
    (exercise.root / "op.py").write_text(text)
    assert {line: section_at(exercise, exercise.root, "op.py", line) for line in sections} == sections


def test_sections_without_a_line_between_them_share_by_their_length(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.find("00")
    solution = without_markers((exercise.solution_dir / "kernel.cu").read_text())
    (exercise.root / "kernel.cu").write_text(solution)
    found = [section_at(exercise, exercise.root, "kernel.cu", line) for line in (6, 7, 8)]
    assert found == ["index", "index", "store"]


def test_without_a_stub_or_a_file_no_section_is_known(exercise: Exercise) -> None:
    (exercise.root / "op.py").unlink()
    assert section_at(exercise, exercise.root, "op.py", 7) == ""
    (exercise.root / "op.py").write_text(STUB)
    (exercise.solution_dir / "op.py").unlink()
    assert section_at(exercise, exercise.root, "op.py", 7) == ""
