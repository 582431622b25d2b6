"""Notebooks: which files are graded, what a report says, what cells write, and what travels home."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import grader
from grader import notebook
from grader.cli import main
from grader.course import progress
from grader.course.catalog import Catalog
from grader.notebook import Report, setup_source
from grader.notebook.building import notebook_of, write_notebook
from grader.notebook.grading import files_for
from grader.notebook.importing import import_verdict
from grader.notebook.magic import exercise as exercise_magic
from grader.notebook.report import clamped
from grader.support.errors import ExplainedError, InfrastructureError, UsageError
from grader.verdict import CheckResult, Status, Verdict

CHECKS = (
    CheckResult("build", Status.PASS, "Built."),
    CheckResult("correctness", Status.PASS, "Right.", 50, 50),
    CheckResult("gradient", Status.FAIL, "The gradient of a is wrong.", 10, 30),
    CheckResult("safety", Status.UNAVAILABLE, "Nobody looks here.", 0, 10),
)
VERDICT = Verdict(
    "01_muladd", "Muladd", "simt", 7, CHECKS, digest="sha256:0", versions={"exercise": "1"}, seconds=1.0
)
WITH_JUPYTER = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("nbclient", "ipykernel", "nbgrader")),
    reason="needs nbgrader, nbclient and ipykernel: pip install 'cu2grad[instructor]'",
)


# ---- the report --------------------------------------------------------------------------------------------


def test_points_are_those_of_the_exercise_or_a_share_of_others(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report(VERDICT)
    assert report.points("correctness") == 50.0 and report.points("correctness", 3) == 3.0
    assert report.points("gradient") == 10.0 and report.points("gradient", out_of=3) == 1.0
    assert report.points() == 60.0 and report.points(out_of=100) == 75.0
    assert all(type(report.points(name)) is float for name in ("build", "correctness", "gradient"))
    assert not capsys.readouterr().err


def test_a_check_that_was_not_passed_says_why_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report(VERDICT)
    report.points("gradient")
    assert capsys.readouterr() == ("gradient: The gradient of a is wrong.\n", "")
    assert report.points("safety") == 0.0
    assert capsys.readouterr() == ("safety: Nobody looks here.\n", "")
    report.points("correctness")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("points", "expected"),
    [(math.nan, 0.0), (math.inf, 0.0), (-3.0, 0.0), (50.0, 40.0), (1 / 3, 0.3333), (7, 7.0)],
)
def test_points_are_finite_and_within_bounds(points: float, expected: float) -> None:
    value = clamped(points, 40)
    assert type(value) is float and value == expected


def test_the_parts_of_an_exercise_are_added_up() -> None:
    parts = (
        CheckResult("muladd", Status.PASS, "Right.", 30, 30),
        CheckResult("norm", Status.FAIL, "No.", 2, 60),
    )
    report = Report(replace(VERDICT, checks=(*CHECKS[:1], *parts)))
    assert report.points("parts") == 32.0 and report.points("norm") == 2.0


def test_parts_that_were_not_judged_are_worth_nothing_as_one() -> None:
    skipped = CheckResult("parts", Status.BUILD_ERROR, "Not judged: it does not build.", 0, 81)
    report = Report(replace(VERDICT, checks=(*CHECKS[:1], skipped)))
    assert report.points("parts") == 0.0 and report.points("parts", out_of=81) == 0.0


def test_an_unknown_check_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match="has no check 'speed'"):
        Report(VERDICT).points("speed")


def test_a_fault_of_the_machine_is_no_zero() -> None:
    broken = replace(VERDICT, checks=(CheckResult("gradient", Status.INFRA_ERROR, "No memory.", 0, 20),))
    for check in (None, "gradient"):
        with pytest.raises(InfrastructureError, match="No memory"):
            Report(broken).points(check)


def test_a_report_shows_itself_as_html_and_as_text() -> None:
    report = Report(VERDICT)
    assert "The gradient of a is wrong." in report._repr_html_() and "<div" in report._repr_html_()
    assert repr(report).startswith("Exercise 01_muladd, Muladd, on simt: not passed, 60 of 80 points.")
    assert not report.passed


def test_an_error_in_a_notebook_is_sentences_and_no_traceback() -> None:
    assert ExplainedError("What.", "", "Next.")._render_traceback_() == ["What.", "Next."]


# ---- which files -------------------------------------------------------------------------------------------


def test_files_beside_the_notebook_come_before_those_of_the_course(
    toy_catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    negate, muladd = toy_catalog.exercises
    handed_out = tmp_path / "00_negate"
    handed_out.mkdir()
    monkeypatch.chdir(handed_out)
    assert files_for(negate, None) == negate.root
    (handed_out / "kernel.cu").write_text("")
    assert files_for(negate, None) == handed_out
    assert files_for(negate, tmp_path) == tmp_path
    monkeypatch.chdir(muladd.root)  # it has a kernel.cu, too
    assert files_for(negate, None) == negate.root
    assert files_for(muladd, None) == muladd.root


class Child:
    """A program in the place of Python: remembers its arguments, prints what it was told, and leaves."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.program, self.log = folder / "python", folder / "log.json"
        self._python = sys.executable
        monkeypatch.setattr(sys, "executable", str(self.program))

    def answers(self, out: str = "", err: str = "", code: int = 0) -> None:
        self.program.write_text(
            f"#!{self._python}\nimport json, sys\njson.dump(sys.argv[1:], open({str(self.log)!r}, 'w'))\n"
            f"sys.stdout.write({out!r})\nsys.stderr.write({err!r})\nsys.exit({code})\n"
        )
        self.program.chmod(0o755)

    @property
    def arguments(self) -> list[str]:
        return list(json.loads(self.log.read_text()))


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Child:
    return Child(tmp_path, monkeypatch)


def test_grading_happens_in_a_process_that_ignores_modules_of_this_folder(
    child: Child, toy_course: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    child.answers(VERDICT.to_json(), "00_negate: build, 10 s\n", 1)
    report = grader.grade(0, tmp_path, backend="simt", seed=5, isolate=True, course=toy_course)
    assert report.verdict == VERDICT
    assert child.arguments == [
        "-P", "-m", "grader", "check", "00_negate", "--course", str(toy_course), "--files", str(tmp_path),
        "--backend", "simt", "--seed", "5", "--isolate", "--json",
    ]  # fmt: skip
    assert capfd.readouterr() == ("", "")
    grader.grade("00", course=toy_course)
    assert child.arguments[4:] == ["00_negate", "--course", str(toy_course), "--json"]


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (
            ("", "It is no folder.\nThe rule.\nDo this.\n", 2),
            UsageError,
            "It is no folder. The rule. Do this.",
        ),
        (("", "The grader itself failed: x\nNot yours.\n", 3), InfrastructureError, "itself failed: x Not"),
        (("", "", -9), InfrastructureError, "ended with code -9 and without a verdict"),
        (("", "Killed\n", 137), InfrastructureError, "ended with code 137 and without a verdict"),
        (("{}", "", 0), UsageError, "not a verdict"),
    ],
)
def test_what_ends_without_a_verdict_is_told(
    child: Child, toy_course: Path, answer: tuple[str, str, int], kind: type[ExplainedError], words: str
) -> None:
    out, err, code = answer
    # A shell reports a signal as 128 and more; Python itself would be ended by it.
    child.answers(out, err, code if code >= 0 else 0)
    if code < 0:
        child.program.write_text("#!/bin/sh\nkill -9 $$\n")
    with pytest.raises(kind) as caught:
        grader.grade("00", course=toy_course)
    assert words in str(caught.value)


# ---- cells that are files ----------------------------------------------------------------------------------


def test_a_cell_becomes_a_file_and_nothing_is_lost(
    toy_course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(toy_course)
    path = toy_course / "exercises/00_negate/kernel.cu"
    path.write_text("an evening's work\n")
    exercise_magic("00 kernel.cu", "// new")
    assert path.read_text() == "// new\n"
    (backup,) = (toy_course / ".cu2grad/backups/00_negate").iterdir()
    assert (backup / "kernel.cu").read_text() == "an evening's work\n"
    assert f"kept in {backup.relative_to(toy_course)}." in capsys.readouterr().out
    exercise_magic("00 kernel.cu", "// new\n")
    assert len(list(backup.parent.iterdir())) == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "was given ''"),
        ("00", "was given '00'"),
        ("00 spec.py", "spec.py is not a file to be edited in 00_negate"),
        ("00 ../../x", "../../x is not a file to be edited"),
        ("77 kernel.cu", "no exercise '77'"),
    ],
)
def test_a_cell_that_names_no_file_of_the_learners_is_refused(
    toy_course: Path, monkeypatch: pytest.MonkeyPatch, line: str, words: str
) -> None:
    monkeypatch.chdir(toy_course)
    before = {path: path.read_bytes() for path in toy_course.rglob("*") if path.is_file()}
    with pytest.raises(UsageError) as caught:
        exercise_magic(line, "x")
    assert words in str(caught.value)
    assert {path: path.read_bytes() for path in toy_course.rglob("*") if path.is_file()} == before


# ---- the notebook of an exercise ---------------------------------------------------------------------------


@pytest.mark.slow("imports nbgrader")
@WITH_JUPYTER
def test_a_notebook_is_the_same_to_the_byte_and_valid_for_nbgrader(toy_catalog: Catalog) -> None:
    from nbgrader.nbgraderformat import reads
    from nbgrader.preprocessors import CheckCellMetadata

    exercise = toy_catalog.exercises[0]
    text = notebook_of(exercise, "https://example.org/course.git")
    assert notebook_of(exercise, "https://example.org/course.git") == text
    read = reads(text, as_version=4)
    CheckCellMetadata().preprocess(read, {})
    sources = [cell.source for cell in read.cells]
    stub = (exercise.root / "kernel.cu").read_text().rstrip("\n")
    assert f"%%exercise 00 kernel.cu\n{stub}" in sources
    assert 'COURSE = "https://example.org/course.git"'.replace('"', "'") in sources[1]
    assert len({cell.id for cell in read.cells}) == len(read.cells)


@WITH_JUPYTER
def test_a_notebook_with_work_in_it_is_not_overwritten(toy_catalog: Catalog, tmp_path: Path) -> None:
    exercise, path = toy_catalog.exercises[0], tmp_path / "a.ipynb"
    assert write_notebook(exercise, path)
    assert not write_notebook(exercise, path)
    path.write_text("somebody's work")
    with pytest.raises(UsageError, match="none is overwritten"):
        write_notebook(exercise, path)
    assert path.read_text() == "somebody's work"


def test_without_nbformat_one_sentence_says_what_to_install(
    toy_catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nbformat", None)
    with pytest.raises(UsageError, match=r"pip install 'cu2grad\[instructor\]'"):
        notebook_of(toy_catalog.exercises[0])


def execute(source: str, folder: Path) -> dict[str, Any]:
    """Run the set-up cell where there is no grader; its names afterwards. `%` lines become comments."""
    names: dict[str, Any] = {}
    exec(compile(source.replace("    %load_ext", "    pass  # %load_ext"), "cell", "exec"), names)
    return names


def test_the_first_cell_installs_what_is_missing_or_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    execute(setup_source(), tmp_path)
    assert "Write where git finds it into COURSE" in capsys.readouterr().out
    execute(setup_source(str(tmp_path / "no course here")), tmp_path)
    printed = capsys.readouterr()
    assert "does not exist" in printed.out and not printed.err


def test_the_first_cell_says_whether_there_is_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("grader.notebook.setup.gpu_name", lambda: "")
    execute(setup_source(), tmp_path)
    assert capsys.readouterr() == (f"{notebook.machine_sentence()}\n", "")
    assert notebook.machine_sentence().startswith("No GPU here")
    monkeypatch.setattr("grader.notebook.setup.gpu_name", lambda: "Tesla T4")
    for backend, words in (("cuda", "speed is measured"), ("simt", "no CUDA toolkit")):
        monkeypatch.setenv("CU2GRAD_BACKEND", backend)
        assert words in notebook.machine_sentence() and "Tesla T4" in notebook.machine_sentence()


# ---- the way home ------------------------------------------------------------------------------------------


def written(folder: Path, verdict: Verdict) -> Path:
    path = folder / "01_muladd.verdict.json"
    path.write_text(verdict.to_json())
    return path


def test_a_saved_verdict_is_imported_and_marked_as_such(
    toy_catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    passed = replace(VERDICT, checks=(CHECKS[0], CHECKS[1]))
    monkeypatch.chdir(tmp_path)
    path = Report(passed).save()
    assert path.name == "01_muladd.verdict.json"
    assert "grader import-verdict 01_muladd.verdict.json" in capsys.readouterr().out
    monkeypatch.setattr(
        sys, "argv", ["grader", "import-verdict", str(path), "--course", str(toy_catalog.course)]
    )
    assert main() == 0
    assert "It was not checked here" in capsys.readouterr().out
    record = progress.load_record(toy_catalog.exercises[1])
    assert record is not None and record.last == record.best
    assert (record.best.imported, record.best.passed, record.best.score) == (True, True, 50)
    monkeypatch.setattr(sys, "argv", ["grader", "list", "--course", str(toy_catalog.course)])
    assert main() == 0
    assert "imported pass, 50/50 simt" in capsys.readouterr().out


def test_import_knows_whether_the_files_are_the_same(toy_catalog: Catalog, tmp_path: Path) -> None:
    from grader.course.snapshot import digest_of

    exercise = toy_catalog.exercises[1]
    assert not import_verdict(written(tmp_path, VERDICT), toy_catalog).same_files
    mine = replace(VERDICT, digest=digest_of(exercise, exercise.root))
    assert import_verdict(written(tmp_path, mine), toy_catalog).same_files


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (replace(VERDICT, checks=(*CHECKS, CHECKS[1])), "a check twice"),
        (replace(VERDICT, checks=(replace(CHECKS[1], points=51),)), "correctness has 51 of 50"),
        (replace(VERDICT, checks=(replace(CHECKS[1], points=90, out_of=90),)), "correctness has 90 of 90"),
        (replace(VERDICT, checks=(replace(CHECKS[1], points=-1),)), "correctness has -1 of 50"),
        (replace(VERDICT, checks=(replace(CHECKS[1], name="bonus", out_of=101),)), "more than the exercise"),
        (replace(VERDICT, backend="abacus"), "`backend` must be one of simt, cuda, not 'abacus'"),
        (replace(VERDICT, exercise="77_nothing"), "no exercise '77_nothing'"),
    ],
)
def test_what_no_grading_gives_is_not_imported(
    toy_catalog: Catalog, tmp_path: Path, wrong: Verdict, words: str
) -> None:
    with pytest.raises(UsageError) as caught:
        import_verdict(written(tmp_path, wrong), toy_catalog)
    assert words in str(caught.value)
    assert progress.load_record(toy_catalog.exercises[1]) is None


def test_a_file_that_cannot_be_read_is_named(toy_catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"missing\.json cannot be read"):
        import_verdict(tmp_path / "missing.json", toy_catalog)


# ---- in a kernel -------------------------------------------------------------------------------------------


@pytest.mark.slow("runs a notebook")
@WITH_JUPYTER
def test_the_notebook_runs_from_top_to_bottom_and_nbgrader_validates_it(
    toy_course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The untouched stub: graded in earnest by a real kernel, which takes no compiler."""
    import nbformat
    from nbclient import NotebookClient
    from nbgrader.validator import Validator

    monkeypatch.setenv("PYTHONPATH", str(Path(grader.__file__).parent.parent))
    path = toy_course / "00_negate.ipynb"
    write_notebook(Catalog.open(toy_course).exercises[0], path)
    read = nbformat.read(path, as_version=4)
    read.cells.append(nbformat.v4.new_code_cell('grader.grade("77")'))
    where = {"metadata": {"path": str(toy_course)}}
    NotebookClient(read, resources=where, timeout=600, allow_errors=True).execute()
    outputs = [output for cell in read.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [each for each in outputs if each.get("name") == "stderr"]
    (error,) = [each for each in outputs if each.output_type == "error"]
    assert error.traceback[0].startswith("There is no exercise '77'") and len(error.traceback) == 3
    shown = [each.data for each in outputs if each.output_type == "execute_result"]
    assert "not begun" in shown[0]["text/plain"] and 'class="cu2grad"' in shown[0]["text/html"]
    assert shown[1]["text/plain"] == "0.0"
    assert (toy_course / "00_negate.verdict.json").is_file()
    failed = Validator().validate(str(path))["failed"]
    assert [each["source"] for each in failed] == ["report.points(out_of=100)"]
