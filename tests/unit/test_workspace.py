from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest

from grader.course import workspace
from grader.course.catalog import Catalog, Section
from grader.course.stubs import OpenTodo, in_order
from grader.support.errors import BrokenExercise, UsageError

SOLUTION_CU = """\
__global__ void k(float* y) {
    // --8<-- [start:index]
    int i = threadIdx.x;
    // --8<-- [end:index]
// --8<-- [start:snippet]
    y[i] = 1;
// --8<-- [end:snippet]
}
"""


def section(name: str = "index", **changes: object) -> dict[str, Section]:
    facts = {"name": name, "file": "kernel.cu", "prompt": "compute the index", "lines": 1, **changes}
    return {name: Section(**facts)}  # type: ignore[arg-type]


def test_a_section_becomes_a_todo_and_a_snippet_stays() -> None:
    assert workspace.render_stub(SOLUTION_CU, ".cu", section()) == (
        "__global__ void k(float* y) {\n"
        "    // TODO(index): compute the index, about 1 line.\n"
        "    y[i] = 1;\n"
        "}\n"
    )


def test_the_stand_in_code_keeps_the_indentation() -> None:
    stub = workspace.render_stub(
        SOLUTION_CU, ".cu", section(lines=3, stub="int i = 0;\nif (i) {\n    return;\n}")
    )
    assert stub.splitlines()[1:6] == [
        "    // TODO(index): compute the index, about 3 lines.",
        "    int i = 0;",
        "    if (i) {",
        "        return;",
        "    }",
    ]


def test_a_pragma_does_not_decide_the_indentation() -> None:
    text = SOLUTION_CU.replace("[start:index]\n", "[start:index]\n#pragma unroll\n")
    stub = workspace.render_stub(text, ".cu", section())
    assert stub.splitlines()[1] == "    // TODO(index): compute the index, about 1 line."


def test_an_order_decides_what_comes_first(toy_catalog: Catalog) -> None:
    exercise = dataclasses.replace(toy_catalog.exercises[0], order=("c", "a"))
    todos = [OpenTodo(name, "kernel.cu", line, "") for line, name in enumerate("abcd", 1)]
    assert [todo.section for todo in in_order(exercise, todos)] == ["c", "a", "b", "d"]


def test_python_stubs_raise_and_long_prompts_are_wrapped() -> None:
    text = "def f():\n    # --8<-- [start:body]\n    return 1\n    # --8<-- [end:body]\n"
    prompt = (
        "return the number that everybody knows to be the first one worth returning from any function at all"
    )
    stub = workspace.render_stub(text, ".py", section("body", file="op.py", prompt=prompt))
    lines = stub.splitlines()
    assert lines[1].startswith("    # TODO(body): return the number")
    assert lines[2] == "    #   function at all, about 1 line."
    assert lines[3] == '    raise NotImplementedError("TODO(body)")'
    assert len(lines) == 4


def test_a_section_that_the_solution_lacks_is_refused() -> None:
    with pytest.raises(BrokenExercise, match=r"solution\.cu: section 'other' of exercise\.toml"):
        workspace.render_stub(SOLUTION_CU, ".cu", section("other"), "solution.cu")


def test_the_toy_course_is_in_sync_and_check_writes_nothing(toy_catalog: Catalog) -> None:
    assert workspace.sync(toy_catalog, check=True) == []
    stub = toy_catalog.exercises[0].root / "kernel.cu"
    stub.write_text("mine\n")
    assert workspace.sync(toy_catalog, check=True) == [stub]
    assert stub.read_text() == "mine\n"


def test_sync_writes_edited_and_given_files_and_keeps_what_it_replaces(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    original = (exercise.root / "kernel.cu").read_text()
    (exercise.root / "kernel.cu").write_text("mine\n")
    (exercise.root / "op.py").unlink()
    assert set(workspace.sync(toy_catalog)) == {exercise.root / "kernel.cu", exercise.root / "op.py"}
    assert (exercise.root / "kernel.cu").read_text() == original
    assert (exercise.root / "op.py").is_file()
    kept = list((toy_catalog.course / ".cu2grad" / "backups" / "00_negate").glob("*/kernel.cu"))
    assert [path.read_text() for path in kept] == ["mine\n"]


def test_reset_puts_the_stub_back_and_never_overwrites_a_backup(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    stub = (exercise.root / "kernel.cu").read_text()
    backups = []
    for attempt in ("first\n", "second\n"):
        (exercise.root / "kernel.cu").write_text(attempt)
        done = workspace.reset(exercise)
        assert done.restored == (exercise.root / "kernel.cu",)
        assert done.backup is not None
        backups.append(done.backup)
        assert (exercise.root / "kernel.cu").read_text() == stub
    assert [(folder / "kernel.cu").read_text() for folder in backups] == ["first\n", "second\n"]


def test_what_is_given_can_be_put_back_alone(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    binding = (exercise.root / "binding.cpp").read_text()
    assert workspace.changed_given(exercise, exercise.root) == []
    for name in ("kernel.cu", "binding.cpp"):
        (exercise.root / name).write_text("mine")
    assert workspace.changed_given(exercise, exercise.root) == ["binding.cpp"]

    done = workspace.reset(exercise, given_only=True)

    assert done.restored == (exercise.root / "binding.cpp",)
    assert (exercise.root / "binding.cpp").read_text() == binding
    assert (exercise.root / "kernel.cu").read_text() == "mine"
    (exercise.root / "binding.cpp").unlink()
    assert workspace.changed_given(exercise, exercise.root) == []


def test_resetting_an_untouched_exercise_changes_nothing(toy_catalog: Catalog) -> None:
    assert workspace.reset(toy_catalog.exercises[0]) == workspace.Reset((), None)
    assert not (toy_catalog.course / ".cu2grad").exists()


def test_files_in_a_folder_of_the_exercise_are_synced_and_kept(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    facts = exercise.root / "exercise.toml"
    facts.write_text(facts.read_text().replace("binding.cpp", "csrc/binding.cpp"))
    for root in (exercise.root, exercise.solution_dir):
        (root / "csrc").mkdir()
        (root / "binding.cpp").rename(root / "csrc" / "binding.cpp")
    moved = Catalog.open(toy_catalog.course).exercises[0]
    binding = moved.root / "csrc" / "binding.cpp"
    text = binding.read_text()
    assert workspace.sync(Catalog.open(toy_catalog.course)) == []

    binding.write_text("mine")
    done = workspace.reset(moved)
    assert done.restored == (binding,)
    assert binding.read_text() == text
    assert done.backup is not None
    assert (done.backup / "csrc" / "binding.cpp").read_text() == "mine"

    shutil.rmtree(moved.root / "csrc")
    assert workspace.sync(Catalog.open(toy_catalog.course)) == [binding]
    assert binding.read_text() == text


def test_a_backup_that_fails_leaves_the_file_alone(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.exercises[0]
    (exercise.root / "kernel.cu").write_text("mine\n")
    (toy_catalog.course / ".cu2grad").write_text("in the way")
    with pytest.raises(UsageError, match="cannot be written"):
        workspace.reset(exercise)
    assert (exercise.root / "kernel.cu").read_text() == "mine\n"


def test_without_solutions_a_reset_says_why_not(toy_catalog: Catalog) -> None:
    shutil.rmtree(toy_catalog.course / "solutions")
    with pytest.raises(UsageError, match="this copy of the course comes without them"):
        workspace.reset(toy_catalog.exercises[0])


def open_names(catalog: Catalog, index: int, folder: Path | None = None) -> list[tuple[str, str, int]]:
    exercise = catalog.exercises[index]
    return [
        (todo.section, todo.file, todo.line)
        for todo in workspace.open_todos(exercise, folder or exercise.root)
    ]


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, (old, text)
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("with_solutions", [True, False])
def test_every_section_of_a_stub_is_open_and_none_of_a_solution(
    toy_catalog: Catalog, with_solutions: bool
) -> None:
    solutions = [exercise.solution_dir for exercise in toy_catalog.exercises]
    if not with_solutions:
        moved = toy_catalog.course / "elsewhere"
        (toy_catalog.course / "solutions").rename(moved)
        solutions = [moved / folder.name for folder in solutions]
    assert open_names(toy_catalog, 0) == [("index", "kernel.cu", 6), ("store", "kernel.cu", 7)]
    assert open_names(toy_catalog, 1) == [("element", "kernel.cu", 10), ("backward", "op.py", 20)]
    assert open_names(toy_catalog, 0, solutions[0]) == []
    assert open_names(toy_catalog, 1, solutions[1]) == []


def test_filling_one_of_two_neighbours_leaves_the_other_open(toy_catalog: Catalog) -> None:
    kernel = toy_catalog.exercises[0].root / "kernel.cu"
    stub = kernel.read_text()
    index, store = stub.splitlines(keepends=True)[5:7]
    kernel.write_text(stub.replace(index, "    const int i = threadIdx.x;\n"))
    assert open_names(toy_catalog, 0) == [("store", "kernel.cu", 7)]
    kernel.write_text(stub.replace(store, "    y[i] = -x[i];\n"))
    assert open_names(toy_catalog, 0) == [("index", "kernel.cu", 6)]


@pytest.mark.parametrize("place", ["above", "below"])
def test_code_beside_a_todo_comment_closes_it(toy_catalog: Catalog, place: str) -> None:
    kernel = toy_catalog.exercises[1].root / "kernel.cu"
    comment = kernel.read_text().splitlines(keepends=True)[9]
    code = "    y[i] = 0;\n"
    replace(kernel, comment, code + comment if place == "above" else comment + code)
    assert open_names(toy_catalog, 1) == [("backward", "op.py", 20)]


def test_whitespace_does_not_close_a_todo(toy_catalog: Catalog) -> None:
    kernel = toy_catalog.exercises[1].root / "kernel.cu"
    comment = kernel.read_text().splitlines(keepends=True)[9]
    replace(kernel, comment, "\n\n  " + comment.lstrip() + "\n")
    assert open_names(toy_catalog, 1)[0] == ("element", "kernel.cu", 12)


def test_a_missing_file_has_no_open_todo(toy_catalog: Catalog) -> None:
    (toy_catalog.exercises[0].root / "kernel.cu").unlink()
    assert open_names(toy_catalog, 0) == []
