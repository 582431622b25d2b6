"""`grader nbgrader build`: deterministic, complete, and without a line of a solution."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.cli.nbgrader import build
from grader.course.catalog import Catalog, Exercise
from grader.course.sections import find_regions
from grader.course.stubs import stub_text
from grader.support.errors import UsageError
from tests.nbgrader.school import NOTEBOOK, SLUG, Class

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def real_catalog() -> Catalog:
    pytest.importorskip("nbgrader", reason="nbgrader is not installed: pip install 'cu2grad[instructor]'")
    return Catalog.open(REPOSITORY)


def test_the_same_exercises_give_the_same_bytes(real_catalog: Catalog) -> None:
    """In another process too, where sets and hashes come in another order."""
    from grader.instruct.nbgrader.assignments import assignment_files

    texts = [text for each in real_catalog.exercises for text in assignment_files(each, "simt").values()]
    program = (
        "import hashlib; from grader.course.catalog import Catalog; from pathlib import Path\n"
        "from grader.instruct.nbgrader.assignments import assignment_files\n"
        f"every = Catalog.open(Path({str(REPOSITORY)!r})).exercises\n"
        "texts = [text for each in every for text in assignment_files(each, 'simt').values()]\n"
        "print(hashlib.sha256(''.join(texts).encode()).hexdigest())"
    )
    import hashlib

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=REPOSITORY,
        env={"PYTHONHASHSEED": "4711", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.stdout.strip() == hashlib.sha256("".join(texts).encode()).hexdigest()


@pytest.mark.parametrize(("backend", "beyond"), [("simt", "performance"), ("cuda", "efficiency")])
def test_points_are_those_of_exercise_toml(
    real_catalog: Catalog, tmp_path: Path, backend: str, beyond: str
) -> None:
    """Every check has a cell, less what the class's backend of record cannot judge."""
    import nbformat

    from grader.instruct.nbgrader.notebook import CHECK

    school = Class(tmp_path)
    school.folder.mkdir()
    tables = "".join(f"[assignments.{exercise.slug}]\n" for exercise in real_catalog.exercises)
    (school.folder / "course.toml").write_text(f'title = "All"\nbackend = "{backend}"\n{tables}')
    build((), REPOSITORY, school.folder)
    for exercise in real_catalog.exercises:
        path = school.folder / "source" / exercise.slug / f"{exercise.slug}.ipynb"
        facts = [cell.metadata.get("nbgrader", {}) for cell in nbformat.read(path, as_version=4).cells]
        points = {each["grade_id"].removeprefix(CHECK): each["points"] for each in facts if "points" in each}
        assert points == {name: worth for name, worth in exercise.scores.items() if name != beyond}


def test_what_stands_in_a_prompt_is_no_markup(real_catalog: Catalog) -> None:
    from grader.instruct.nbgrader.notebook import assignment_notebook

    introduction = assignment_notebook(real_catalog.find("03"), {}).cells[0].source
    assert "launch muladd_kernel&lt;T&gt; over" in introduction
    assert r"out = a \* b + c" in introduction


def answer_lines(exercise: Exercise) -> set[str]:
    """The lines of solution regions that nothing which is handed out holds, too."""
    handed_out = "\n".join(stub_text(exercise, name) for name in (*exercise.edit, *exercise.given))
    answers = set()
    for name in exercise.edit:
        path = exercise.solution_dir / name
        lines = path.read_text().splitlines()
        for region in find_regions(path.read_text(), path):
            if region.name in exercise.sections:
                answers |= {line.strip() for line in lines[region.start : region.end - 1]}
    return {line for line in answers if line not in handed_out}


def test_no_line_of_a_solution_is_handed_out(real_catalog: Catalog) -> None:
    """Of no exercise of the course: what nbgrader releases are these files."""
    from grader.instruct.nbgrader.assignments import assignment_files

    for exercise in real_catalog.exercises:
        text = "\n".join(assignment_files(exercise, "simt").values())
        answers = answer_lines(exercise)
        assert answers
        assert not [line for line in answers if line in text.replace('\\"', '"')], exercise.slug


def test_nbgrader_releases_the_files_that_were_built(released: Class) -> None:
    for exercise in released.catalog.exercises:
        source, release = (released.folder / step / exercise.slug for step in ("source", "release"))
        names = {path.relative_to(release).as_posix() for path in release.rglob("*") if path.is_file()}
        assert names == {f"{exercise.slug}.ipynb", *exercise.edit, *exercise.given}
        for name in (*exercise.edit, *exercise.given):
            assert (release / name).read_text() == (source / name).read_text()


def test_an_answer_that_slipped_into_a_cell_would_be_cleared(toys: Class) -> None:
    """Cells of an instructor's own keep nbgrader's protection; those that show files keep their words."""
    import nbformat
    from nbformat.v4 import new_code_cell

    facts = {"schema_version": 3, "grade": False, "solution": True, "locked": False, "task": False,
             "grade_id": "own"}  # fmt: skip
    path = toys.folder / "source" / SLUG / NOTEBOOK
    notebook = nbformat.read(path, as_version=4)
    secret = "### BEGIN SOLUTION\nanswer = 'forty-two'\n### END SOLUTION"
    notebook.cells.append(new_code_cell(secret, metadata={"nbgrader": facts}))
    path.write_text(nbformat.writes(notebook))
    assert toys.api().generate_assignment(SLUG)["success"]
    released = (toys.folder / "release" / SLUG / NOTEBOOK).read_text()
    assert "forty-two" not in released and "YOUR CODE HERE" in released
    assert "your kernel.cu is shown in this place" in released


def test_building_again_keeps_what_differs(toys: Class, capsys: pytest.CaptureFixture[str]) -> None:
    course = toys.top / "course"
    config = toys.folder / "nbgrader_config.py"
    before = config.read_text()
    stub = toys.folder / "source" / SLUG / "kernel.cu"
    stub.write_text("// mine\n")
    (toys.folder / "source" / SLUG / NOTEBOOK).unlink()
    capsys.readouterr()
    build((), course, toys.folder)
    written = [line for line in capsys.readouterr().out.splitlines() if line.startswith("wrote")]
    assert written == [f"wrote  {toys.folder}/source/{SLUG}/{name}" for name in (NOTEBOOK, "kernel.cu")]
    assert stub.read_text() == stub_text(toys.exercise, "kernel.cu")
    (kept,) = (toys.folder / ".cu2grad" / "backups").rglob("kernel.cu")
    assert kept.read_text() == "// mine\n"
    assert config.read_text() == before


def test_a_class_builds_what_its_course_toml_assigns(toys: Class, tmp_path: Path) -> None:
    folder = tmp_path / "autumn"
    folder.mkdir()
    (folder / "course.toml").write_text(
        'title = "CUDA, Autumn & more"\nbackend = "cuda"\n[assignments.01_muladd]\n'
    )
    build((), toys.top / "course", folder)
    assert [path.name for path in (folder / "source").iterdir()] == ["01_muladd"]
    assert 'course_id = "cuda-autumn-more"' in (folder / "nbgrader_config.py").read_text()
    build(["00"], toys.top / "course", folder)
    assert len(list((folder / "source").iterdir())) == 2


def test_a_release_without_solutions_builds_the_same(toys: Class, tmp_path: Path) -> None:
    from grader.instruct.nbgrader.assignments import assignment_files

    expected = assignment_files(toys.exercise, "simt")
    kept = toys.exercise.kept_stubs
    kept.mkdir(parents=True)
    for name in (*toys.exercise.edit, *toys.exercise.given):
        (kept / name).write_text(stub_text(toys.exercise, name))
    shutil.rmtree(toys.top / "course" / "solutions")
    assert assignment_files(toys.exercise, "simt") == expected


def test_a_folder_that_cannot_be_written_is_said(toys: Class) -> None:
    shutil.rmtree(toys.folder / "source")
    (toys.folder / "source").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        build((), toys.top / "course", toys.folder)


def test_without_a_course_toml_one_sentence_says_how_to_begin(toys: Class, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no course\.toml.* grader class new"):
        build((), toys.top / "course", tmp_path)


def test_without_nbgrader_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    from grader.instruct.nbgrader.dependency import require_nbgrader

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'cu2grad\[instructor\]'"):
        require_nbgrader()
