"""`grader class collect` in a class: where it puts hand-ins, in whose time, and what it says."""

from __future__ import annotations

import shutil
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli.app import app
from grader.cli.marks_changes import release_marks
from grader.cli.term import MarksOptions
from grader.course.catalog import Catalog
from grader.instruct.course.attempts import read_roster
from grader.instruct.course.decisions import log_regrade
from grader.instruct.course.merge_ids import rename
from grader.instruct.submissions import read_submissions
from tests.unit.handmade_class import COURSE, MULADD, NEGATE, HandmadeClass

HANDINS = f'timezone = "Asia/Kathmandu"\n{COURSE}'


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr(zipfile.ZipInfo("ada/kernel.cu", (2020, 10, 20, 23, 30, 0)), "// hers\n")
    return path


@pytest.fixture
def made(tmp_path: Path, toy_catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> HandmadeClass:
    made = HandmadeClass(tmp_path / "class", toy_catalog, HANDINS)
    monkeypatch.chdir(made.folder)
    return made


def taken(catalog: Catalog, archive: Path, *options: object) -> str:
    words = ["class", "collect", NEGATE, archive, "--course", catalog.course, *options]
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False).output


def test_hand_ins_go_where_the_class_keeps_them_in_its_time_zone(made: HandmadeClass, archive: Path) -> None:
    said = taken(made.catalog, archive)
    assert "1 new" in said and said.endswith("Next: grader class grade\n")
    found = read_submissions(made.folder / "submitted", made.catalog)
    assert [each.submitted for each in found] == [datetime(2020, 10, 20, 17, 45, tzinfo=UTC)]


def test_an_id_that_students_csv_does_not_have_is_named(made: HandmadeClass, archive: Path) -> None:
    made.write("students.csv", "student\nbo\n")
    assert "In no roster: ada. If an id is a student's, add a line" in taken(made.catalog, archive)
    made.write("students.csv", "student\nada\n")
    assert "In no roster" not in taken(made.catalog, archive)


def test_a_folder_within_the_class_is_in_it(
    made: HandmadeClass, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (made.folder / "downloads").mkdir()
    monkeypatch.chdir(made.folder / "downloads")
    taken(made.catalog, archive)
    assert (made.folder / "submitted" / "ada").is_dir()


def test_a_notebook_is_missed_only_where_nbgrader_is_used(made: HandmadeClass, archive: Path) -> None:
    assert "There is no notebook" not in taken(made.catalog, archive)
    made.write("nbgrader_config.py", "")
    assert "There is no notebook of 00_negate" in taken(made.catalog, archive)


def test_who_is_not_in_the_roster_is_to_be_added_to_it(made: HandmadeClass, archive: Path) -> None:
    made.write("roster.csv", "lms,student\nben,ben\n")
    said = taken(made.catalog, archive, "--roster", "roster.csv")
    assert "ada is not in the roster; add a line for ada to roster.csv." in said


def test_a_roster_given_later_moves_what_was_graded_and_told_with_the_hand_in(
    made: HandmadeClass, archive: Path
) -> None:
    """The number stands in the marks, so one sees it, and looks for --roster; nobody stands twice then."""
    made.write("course.toml", 'takes = "best"\n' + COURSE)
    made.grade(made.hand_in("ada", NEGATE, "2020-10-19T10:00", "// an earlier one\n"), 90)
    made.marks()  # and notes it
    shutil.rmtree(made.folder / "submitted")
    taken(made.catalog, archive)
    [submission] = read_submissions(made.folder / "submitted", made.catalog)
    made.grade(submission, 40)
    log_regrade(made.store.folder, made.store.secret.pseudonym("ada"), *[made.grade(submission, 40)] * 2,
                reason="asked", by="kim")  # fmt: skip
    assert release_marks(MarksOptions(made.folder, made.catalog.course, names=("0",)), accept=False) == 0
    made.write("roster.csv", "lms,student\nada,alove\n")
    said = taken(made.catalog, archive, "--roster", "roster.csv")
    assert "What was noted, graded and told of ada is alove's now." in said
    assert {student for student, _ in made.marks()} == {"alove"}
    mark = made.mark("alove")
    assert (mark.points, mark.others) == (90.0, 1)
    assert mark.released is not None
    assert mark.released.points == 90.0
    assert list(read_roster(made.store.folder).values()) == ["alove"]
    assert made.store.secret.pseudonym("ada") not in "".join(
        path.read_text() for path in made.store.folder.glob("*.*")
    )
    assert "is alove's now" not in taken(made.catalog, archive, "--roster", "roster.csv")


def test_what_was_told_under_the_id_of_the_roster_stands(made: HandmadeClass) -> None:
    made.write("course.toml", COURSE)
    for student, points in (("4711", 40.0), ("ada", 90.0)):
        made.grade(made.hand_in(student, NEGATE, "2020-10-19T10:00"), points)
    made.grade(made.hand_in("4711", MULADD, "2020-10-19T10:00"), 70)
    assert release_marks(MarksOptions(made.folder, made.catalog.course), accept=False) == 0
    shutil.rmtree(made.folder / "submitted" / "4711" / NEGATE)
    assert rename(made.store, NEGATE, {"4711": "ada"}) == ["4711"]
    assert made.mark("ada").released is not None
    assert made.mark("ada").points == 90.0
    assert made.mark("4711", MULADD).points == 70.0  # of another exercise nothing was said
    assert rename(made.store, NEGATE, {"4711": "ada", "nobody": "bo"}) == []
