"""Feedback, export and Gradescope, from a folder of a class to the file that an LMS takes."""

from __future__ import annotations

import csv
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cli import gradescope, main
from grader.cli.export import export_marks
from grader.cli.term import MarksOptions
from grader.course.catalog import Catalog, Exercise
from grader.instruct.results import Record, ResultStore, key_of
from grader.instruct.submissions import Submission
from grader.verdict import CheckResult, Status, Verdict

COURSE_TOML = """
title = "GPU programming"
timezone = "UTC"
[assignments.00_negate]
due = 2020-01-31T12:00:00Z
[assignments.01_muladd]
"""
Grader = Callable[..., int]


def verdict_on(exercise: Exercise, correct: float) -> Verdict:
    checks = [CheckResult("build", Status.PASS, "It builds.")]
    for name, out_of in exercise.scores.items():
        earned = correct if name == "correctness" else float(out_of)
        status = Status.PASS if earned == out_of else Status.FAIL
        checks.append(CheckResult(name, status, "Seen.", earned, float(out_of)))
    return Verdict(exercise.slug, exercise.title, "simt", 7, tuple(checks))


@pytest.fixture
def class_(tmp_path: Path, toy_catalog: Catalog) -> Path:
    """Ada's 00 is graded at 70 of 100; Bob's is not graded yet; nobody did 01."""
    folder = tmp_path / "class"
    exercise = toy_catalog.find("00")
    for student in ("ada", "bob"):
        place = folder / "submitted" / student / exercise.slug
        place.mkdir(parents=True)
        (place / "kernel.cu").write_text(f"// {student}\n")
        (place / "timestamp.txt").write_text("2020-01-30 12:00:00.000000 UTC")
    (folder / "course.toml").write_text(COURSE_TOML)
    store = ResultStore(folder / "results")
    ada = Submission("ada", exercise.slug, folder / "submitted" / "ada" / exercise.slug)
    key = key_of(ada, exercise, "simt")
    store.keep(Record.now(key, verdict_on(exercise, 30.0), 1))
    return folder


@pytest.fixture
def grader(toy_catalog: Catalog, class_: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Runs a command in the folder of the class, and returns its exit code."""

    def command(*words: object) -> int:
        monkeypatch.chdir(class_)
        monkeypatch.setattr("sys.argv", ["grader", *map(str, words), "--course", str(toy_catalog.course)])
        return main()

    return command


def test_a_table_of_all_marks(grader: Grader, class_: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert grader("class", "export") == 0
    with (class_ / "marks.csv").open(newline="") as file:
        rows = {(row["student"], row["exercise"]): row for row in csv.DictReader(file)}
    assert rows["ada", "00_negate"]["mark"] == "70.0"
    assert rows["bob", "00_negate"]["mark"] == ""  # handed in, not judged: no zero
    assert rows["bob", "00_negate"]["state"] == "not judged yet"
    assert "4 marks in marks.csv." in capsys.readouterr().out


def test_canvas_is_filled_from_the_class(grader: Grader, class_: Path) -> None:
    sheet = "Student,ID,SIS Login ID,Section,Negate (5)\n    Points Possible,,,,10\nA,1,ada,X,\nB,2,bob,X,4\n"
    (class_ / "gradebook.csv").write_text(sheet)
    assert grader("class", "export", "--into", "gradebook.csv") == 0
    assert (class_ / "upload/canvas.csv").read_text() == sheet.replace("ada,X,", "ada,X,7")


def test_moodle_is_filled_with_the_explanation(grader: Grader, class_: Path) -> None:
    sheet = "Identifier,Email address,Grade,Maximum Grade,Feedback comments\nParticipant 5,ada,,50,\n"
    (class_ / "worksheet.csv").write_text(sheet)
    assert grader("class", "export", "0", "--into", "worksheet.csv") == 0
    with (class_ / "upload/moodle_00_negate.csv").open(newline="") as file:
        row = next(csv.DictReader(file))
    assert row["Grade"] == "35"
    assert "70" in row["Feedback comments"]


def test_an_exercise_that_is_no_assignment_is_refused(
    grader: Grader, class_: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (class_ / "course.toml").write_text(COURSE_TOML.replace("[assignments.01_muladd]", ""))
    (class_ / "w.csv").write_text("Identifier,Grade,Maximum Grade\n")
    assert grader("class", "export", "1", "--into", "w.csv") == 2
    assert "01_muladd is no assignment of this course." in capsys.readouterr().err


def test_the_exercises_of_the_class_are_those_of_its_folder(
    class_: Path, toy_catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `grader class marks` has it, from wherever the command is run."""
    shutil.copytree(toy_catalog.course / "exercises", class_ / "exercises")
    shutil.copytree(toy_catalog.course / "solutions", class_ / "solutions")
    monkeypatch.chdir(tmp_path)
    export_marks(MarksOptions(class_), None, "")
    with (class_ / "marks.csv").open(newline="") as file:
        assert {row["exercise"] for row in csv.DictReader(file)} == {"00_negate", "01_muladd"}


def test_gradescope_grades_what_was_uploaded_under_any_name(
    grader: Grader, class_: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    upload = class_ / "upload"
    upload.mkdir()
    (upload / "Kernel (1).CU").write_text("// mine\n")
    (upload / "op.py").write_text("import os")
    (upload / "all.zip").write_bytes(b"PK")
    seen: dict[str, object] = {}

    def grade(exercise: Exercise, files: Path, *, backend: str, isolate: bool) -> Verdict:
        seen.update({path.name: path.read_text() for path in files.iterdir()})
        seen.update(isolate=isolate, backend=backend)
        return verdict_on(exercise, 60.0)

    monkeypatch.setenv("CU2GRAD_BACKEND", "cuda")
    monkeypatch.setattr(gradescope, "grade", grade)
    out = class_ / "results.json"
    assert grader("gradescope", "run", "0", "--submission", upload, "--results", out, "--points", "5") == 0
    assert seen["kernel.cu"] == "// mine\n"
    assert seen["op.py"] != "import os"
    assert (seen["isolate"], seen["backend"]) == (True, "simt")  # whatever the machine has
    document = json.loads(out.read_text())
    assert document["score"] == 5.0
    assert "all.zip is an archive inside" in document["output"]
    assert "Kernel (1).CU was taken as kernel.cu." in capsys.readouterr().out


def test_gradescope_writes_no_score_for_a_fault_of_the_machine(
    grader: Grader, class_: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert grader("gradescope", "run", "0", "--submission", class_ / "none", "--results", "results.json") == 2
    fault = Verdict("00_negate", "Negate", "simt", 7, (CheckResult("build", Status.INFRA_ERROR, "Disk."),))
    monkeypatch.setattr(gradescope, "grade", lambda *_, **__: fault)
    (class_ / "uploaded").mkdir()
    words = ("--submission", class_ / "uploaded", "--results", "results.json")
    assert grader("gradescope", "run", "0", *words) == 3
    assert not (class_ / "results.json").exists()


CANVAS_FILES = ("lovelaceada_4711_900_kernel.cu", "lovelaceada_4711_901_kernel-1.cu", "bobby_12_77_kernel.cu")
MOODLE_FILES = (
    "Ada Lovelace_4711_assignsubmission_file_/kernel.cu",
    "Bob_12_assignsubmission_file_/kernel.cu",
)


def submissions(class_: Path, names: tuple[str, ...]) -> Path:
    """An archive as the LMS gave it out, and the roster of its import."""
    with zipfile.ZipFile(class_ / "submissions.zip", "w") as packed:
        for name in names:
            packed.writestr(name, "// ada\n" if "4711" in name else "// bob\n")
    (class_ / "roster.csv").write_text("lms,student\n4711,ada\n12,bob\n")
    return class_ / "submissions.zip"


FEEDBACK = "upload/feedback_00_negate.zip"


def told(grader: Grader, archive: Path) -> int:
    """Feedback on what came in ``archive``, which is not needed for it any more; the exit code."""
    assert grader("class", "collect", "00", archive, "--roster", "roster.csv") == 0
    if archive.is_file():
        archive.unlink()
    return grader("class", "feedback", "00")


def unpacked(class_: Path) -> dict[str, str]:
    with zipfile.ZipFile(class_ / FEEDBACK) as packed:
        return {name: packed.read(name).decode() for name in packed.namelist()}


def test_feedback_for_canvas_bears_the_name_of_an_attachment(
    grader: Grader, class_: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = submissions(class_, CANVAS_FILES)
    assert told(grader, archive) == 0
    said = capsys.readouterr().out
    assert f"{FEEDBACK}: 1 student; upload it in Canvas" in said
    assert "Collected, and without a released mark: bob." in said and "Upload Submissions" in said
    [(name, text)] = unpacked(class_).items()
    assert name == "lovelaceada_4711_901_kernel-1.cu"  # Canvas shows it as a comment on that attachment
    assert "Mark: 70 of 100" in text and "Correctness failed, 30 of 60 points." in text
    assert oct((class_ / FEEDBACK).stat().st_mode & 0o777) == "0o600"


@pytest.mark.parametrize(
    ("names", "place"),
    [
        (MOODLE_FILES, "Ada Lovelace_4711_assignsubmission_file_/feedback.html"),
        (
            tuple(name.replace("file_/", "file/") for name in MOODLE_FILES),
            "Ada Lovelace_4711_assignsubmission_file/feedback.html",
        ),
        (
            tuple(name.replace("file_/", "file_") for name in MOODLE_FILES),
            "Ada Lovelace_4711_assignsubmission_file_feedback.html",
        ),
    ],
    ids=["folders", "4.1", "flat"],
)
def test_feedback_for_moodle_lies_where_it_looks(
    grader: Grader, class_: Path, names: tuple[str, ...], place: str
) -> None:
    archive = submissions(class_, names)
    assert told(grader, archive) == 0
    [(name, page)] = unpacked(class_).items()
    assert name == place
    assert "Mark: 70 of 100" in page and "30 of 60" in page and "<script" not in page


def test_a_name_that_is_not_utf_8_asks_for_the_zip_file(
    grader: Grader, class_: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    submissions(class_, MOODLE_FILES)
    folder = class_ / "unpacked" / os.fsdecode(b"Ad\xe9_4711_assignsubmission_file_")
    folder.mkdir(parents=True)
    (folder / "kernel.cu").write_text("// ada\n")
    assert told(grader, class_ / "unpacked") == 0
    assert "collect the zip file as it was downloaded" in capsys.readouterr().out
    assert list(unpacked(class_)) == ["ada.html"]


def test_the_newest_archive_names_the_feedback(grader: Grader, class_: Path) -> None:
    """Whoever hands in the same files again has another attachment; of Moodle's numbers a roster is new."""
    for names, place in ((CANVAS_FILES[:1], CANVAS_FILES[0]), (CANVAS_FILES, CANVAS_FILES[1])):
        assert told(grader, submissions(class_, names)) == 0
        assert list(unpacked(class_)) == [place]


def test_feedback_without_an_lms_is_a_page_for_each_student(grader: Grader, class_: Path) -> None:
    for _ in range(2):  # the same again is the same
        assert grader("class", "feedback", "00") == 0
        [(name, page)] = unpacked(class_).items()
        assert name == "ada.html" and "Mark: 70 of 100" in page
    assert [path.name for path in (class_ / "upload").iterdir()] == ["feedback_00_negate.zip"]


def test_canvas_gets_every_assignment_that_it_has(
    grader: Grader, class_: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = (
        "Student,ID,SIS Login ID,Section,Essay (4),Negate (5)\n    Points Possible,,,,9,10\nA,1,ada,X,3,\n"
    )
    (class_ / "gradebook.csv").write_text(sheet)
    assert grader("class", "export", "--into", "gradebook.csv") == 0  # 01 has no column there
    assert (class_ / "upload/canvas.csv").read_text() == sheet.replace("ada,X,3,", "ada,X,3,7")
    assert grader("class", "export", "0", "--into", "gradebook.csv", "--column", "Essay") == 0
    assert "X,6.3," in (class_ / "upload/canvas.csv").read_text()
    assert grader("class", "export", "01", "--into", "gradebook.csv") == 2
    assert grader("class", "export", "--into", "gradebook.csv", "--column", "Essay") == 2
    assert "--column is the title of one assignment" in capsys.readouterr().err
