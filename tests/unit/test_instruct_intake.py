"""Submissions as folders: who, what, when, and what of it is read."""

from __future__ import annotations

import errno
import os
import re
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from grader.course.catalog import Catalog, Exercise
from grader.instruct.results import key_of
from grader.instruct.submissions import Submission, lay_out, look, read_submissions, timestamps
from grader.instruct.submissions.submission import FILE_BYTES
from grader.support.errors import InfrastructureError, UsageError
from tests.unit.failing_disk import fail_to_open


@pytest.fixture
def exercise(toy_catalog: Catalog) -> Exercise:
    return toy_catalog.find("00")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two students with two exercises each."""
    folder = tmp_path / "submitted"
    for student in ("ada", "bob@example.org"):
        for slug in ("00_negate", "01_muladd"):
            place = folder / student / slug
            place.mkdir(parents=True)
            (place / "kernel.cu").write_text(f"// {student}\n")
    return folder


def pairs(submissions: list[Submission]) -> list[tuple[str, str]]:
    return [(submission.student, submission.exercise[:2]) for submission in submissions]


def handed_in(root: Path, student: str = "ada") -> Submission:
    return Submission(student, "00_negate", root / student / "00_negate")


def test_submissions_come_by_student_and_exercise(root: Path, toy_catalog: Catalog) -> None:
    found = read_submissions(root, toy_catalog)
    assert pairs(found) == [
        ("ada", "00"),
        ("ada", "01"),
        ("bob@example.org", "00"),
        ("bob@example.org", "01"),
    ]
    assert found[0] == handed_in(root)


@pytest.mark.parametrize(
    ("exercises", "students", "expected"),
    [
        (["00_negate"], [], [("ada", "00"), ("bob@example.org", "00")]),
        ([], ["ada"], [("ada", "00"), ("ada", "01")]),
        (["01_muladd"], ["ada"], [("ada", "01")]),
    ],
)
def test_exercises_students_or_both_are_chosen(
    root: Path, toy_catalog: Catalog, exercises: list[str], students: list[str],
    expected: list[tuple[str, str]],
) -> None:  # fmt: skip
    assert pairs(read_submissions(root, toy_catalog, exercises=exercises, students=students)) == expected


@pytest.mark.parametrize(
    ("exercises", "students", "said"),
    [([], ["ada", "zoe"], "zoe"), (["02_more"], ["ada"], "02_more"), (["00_negate"], ["zoe"], "00_negate")],
)
def test_what_names_nothing_is_refused(
    root: Path, toy_catalog: Catalog, exercises: list[str], students: list[str], said: str
) -> None:
    with pytest.raises(UsageError, match=f"{said} names no submission"):
        read_submissions(root, toy_catalog, exercises=exercises, students=students)


@pytest.mark.parametrize("bad", ["Bob Smith", "-rf", "bøb", "a" * 200])
def test_a_folder_that_is_no_student_is_named(root: Path, toy_catalog: Catalog, bad: str) -> None:
    (root / bad).mkdir()
    with pytest.raises(UsageError, match="is no id of a student"):
        read_submissions(root, toy_catalog)


def test_nothing_is_passed_over_in_silence(root: Path, toy_catalog: Catalog) -> None:
    (root / "zoe.zip").write_bytes(b"PK")
    (root / "ada" / "02_unknown").mkdir()
    (root / ".DS_Store").write_bytes(b"")
    with pytest.raises(UsageError) as caught:
        read_submissions(root, toy_catalog)
    assert "zoe.zip is not a folder" in caught.value.what
    assert "ada/02_unknown names no exercise" in caught.value.what
    assert "DS_Store" not in caught.value.what
    assert caught.value.next == "Move the rest away, or name the exercises or students that are meant."


def test_what_was_not_asked_for_stands_in_nobodys_way(root: Path, toy_catalog: Catalog) -> None:
    (root / "ada" / "02_unknown").mkdir()
    assert len(read_submissions(root, toy_catalog, students=["bob@example.org"])) == 2
    assert len(read_submissions(root, toy_catalog, exercises=["00_negate"])) == 2
    (root / "Zoe Z").mkdir()  # she may have handed in this very exercise
    with pytest.raises(UsageError, match="'Zoe Z' is no id"):
        read_submissions(root, toy_catalog, exercises=["00_negate"])


def test_an_empty_or_missing_folder_is_refused(tmp_path: Path, toy_catalog: Catalog) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no submission"):
        read_submissions(tmp_path / "empty", toy_catalog)
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_submissions(tmp_path / "none", toy_catalog)


def test_a_link_is_no_submission(root: Path, toy_catalog: Catalog) -> None:
    (root / "eve").symlink_to(root / "ada")
    with pytest.raises(UsageError, match="eve is not a folder"):
        read_submissions(root, toy_catalog)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-10-01 17:30:00.123456 UTC", datetime(2026, 10, 1, 17, 30, 0, 123456, UTC)),
        ("2026-10-01 17:30:00 Europe/Berlin\n", datetime(2026, 10, 1, 15, 30, tzinfo=UTC)),
        ("2026-10-01 17:30:00.5 -0700", datetime(2026, 10, 2, 0, 30, 0, 500000, UTC)),
        ("2026-10-01 17:30:00", datetime(2026, 10, 1, 17, 30, tzinfo=UTC)),
        ("2026-10-01T17:30:00+02:00", datetime(2026, 10, 1, 15, 30, tzinfo=UTC)),
    ],
)
def test_a_time_stamp_is_read(root: Path, toy_catalog: Catalog, text: str, expected: datetime) -> None:
    (root / "ada" / "00_negate" / "timestamp.txt").write_text(text)
    found = read_submissions(root, toy_catalog, exercises=["00_negate"], students=["ada"])[0]
    assert found.submitted == expected
    assert found.submitted.utcoffset() is not None


@pytest.mark.parametrize(
    "text", ["yesterday", "", "2026-10-01 17:30:00 Nowhere/Land", "2026-13-01 00:00:00 UTC"]
)
def test_a_time_that_cannot_be_read_is_not_guessed(root: Path, toy_catalog: Catalog, text: str) -> None:
    (root / "ada" / "00_negate" / "timestamp.txt").write_text(text)
    with pytest.raises(UsageError, match=r"timestamp\.txt") as caught:
        read_submissions(root, toy_catalog)
    assert caught.value.next.startswith("Write a time into timestamp.txt as 2026-10-01 17:30:00 UTC, or name")
    assert len(read_submissions(root, toy_catalog, students=["bob@example.org"])) == 2


def test_a_time_stamp_is_read_back_as_it_was_written() -> None:
    moment = datetime(2026, 10, 1, 17, 30, 0, 42, UTC) + timedelta(hours=3)
    text = timestamps.written(moment)
    assert timestamps.read(text) == moment
    assert text == "2026-10-01 20:30:00.000042 UTC"  # the form that nbgrader writes, without a line end


def test_only_what_a_learner_edits_is_read(root: Path, exercise: Exercise) -> None:
    place = root / "ada" / "00_negate"
    (place / "op.py").write_text("import os")  # given: not the learner's to change
    (place / "notes.txt").write_text("hello")
    assert look(handed_in(root), exercise).files == {"kernel.cu": b"// ada\n"}


def test_a_missing_file_is_absent(root: Path, exercise: Exercise) -> None:
    (root / "ada" / "00_negate" / "kernel.cu").unlink()
    assert look(handed_in(root), exercise).files == {}
    assert look(handed_in(root), exercise).refused == {}


def test_links_and_pipes_are_not_followed(root: Path, exercise: Exercise, tmp_path: Path) -> None:
    kernel = root / "ada" / "00_negate" / "kernel.cu"
    secret = tmp_path / "secret"
    secret.write_text("of somebody else")
    kernel.unlink()
    kernel.symlink_to(secret)
    seen = look(handed_in(root), exercise)
    assert seen.files == {}
    assert seen.refused == {"kernel.cu": "kernel.cu is a link or is behind one."}
    kernel.unlink()
    os.mkfifo(kernel)  # an open() without O_NONBLOCK would wait here for ever
    assert look(handed_in(root), exercise).refused == {"kernel.cu": "kernel.cu is not a regular file."}


def test_what_is_no_file_is_refused(root: Path, exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = root / "ada" / "00_negate" / "kernel.cu"
    kernel.unlink()
    monkeypatch.chdir(kernel.parent)  # the whole path may be too long for an address
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(kernel.name)
    assert look(handed_in(root), exercise).refused == {"kernel.cu": "kernel.cu is not a regular file."}
    within = replace(exercise, edit=("op.py/kernel.cu",))
    (kernel.parent / "op.py").write_text("a file where a folder should be")
    assert look(handed_in(root), within).refused == {
        "op.py/kernel.cu": "op.py/kernel.cu cannot be read (Not a directory)."
    }


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO, errno.EMFILE, errno.ENOMEM, errno.ESTALE])
def test_what_this_machine_cannot_read_is_not_taken_for_missing(
    root: Path, exercise: Exercise, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    place = root / "ada" / "00_negate"
    fail_to_open(monkeypatch, "kernel.cu", number)
    said = f"{place / 'kernel.cu'} cannot be read: {os.strerror(number)}."
    with pytest.raises(InfrastructureError, match=re.escape(said)):
        look(handed_in(root), exercise)
    with pytest.raises(InfrastructureError, match=re.escape(said)):
        key_of(handed_in(root), exercise, "simt")


def test_a_file_that_opens_and_cannot_be_read_is_not_taken_for_missing(
    root: Path, exercise: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> object:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fdopen", failing)
    with pytest.raises(InfrastructureError, match=r"kernel\.cu cannot be read"):
        look(handed_in(root), exercise)


def test_a_time_that_this_machine_cannot_read_is_not_taken_for_none(
    root: Path, toy_catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "ada" / "00_negate" / timestamps.NAME).write_text("2026-10-01 17:30:00 UTC")
    fail_to_open(monkeypatch, timestamps.NAME, errno.ESTALE)
    with pytest.raises(InfrastructureError, match=r"ada/00_negate/timestamp\.txt cannot be read"):
        read_submissions(root, toy_catalog)


def test_a_folder_that_is_a_link_is_not_entered(root: Path, exercise: Exercise) -> None:
    place = root / "ada" / "00_negate"
    place.rename(root / "elsewhere")
    place.symlink_to(root / "elsewhere")
    assert look(handed_in(root), exercise).files == {}


def test_a_long_file_is_refused_and_the_longest_allowed_is_not(root: Path, exercise: Exercise) -> None:
    kernel = root / "ada" / "00_negate" / "kernel.cu"
    kernel.write_bytes(b"/" * FILE_BYTES)
    assert len(look(handed_in(root), exercise).files["kernel.cu"]) == FILE_BYTES
    kernel.write_bytes(b"/" * (FILE_BYTES + 1))
    assert look(handed_in(root), exercise).refused == {"kernel.cu": "kernel.cu is longer than 512 KiB."}


def test_many_long_files_are_too_much_together(root: Path, exercise: Exercise) -> None:
    several = replace(exercise, edit=tuple(f"{number}.cu" for number in range(5)))
    for name in several.edit:
        (root / "ada" / "00_negate" / name).write_bytes(b"/" * FILE_BYTES)
    seen = look(handed_in(root), several)
    assert list(seen.files) == ["0.cu", "1.cu", "2.cu", "3.cu"]
    assert seen.refused == {"4.cu": "4.cu makes the submission longer than 2.0 MiB."}


def test_what_is_graded_has_the_exercises_own_given_files(
    root: Path, exercise: Exercise, tmp_path: Path
) -> None:
    (root / "ada" / "00_negate" / "op.py").write_text("import os")
    staged = lay_out(look(handed_in(root), exercise).files, exercise, tmp_path / "staged")
    assert sorted(path.name for path in staged.iterdir()) == ["binding.cpp", "kernel.cu", "op.py"]
    assert (staged / "op.py").read_bytes() == (exercise.root / "op.py").read_bytes()
    assert (staged / "kernel.cu").read_bytes() == b"// ada\n"


def test_staging_never_overwrites(root: Path, exercise: Exercise, tmp_path: Path) -> None:
    lay_out({"kernel.cu": b"// ada\n"}, exercise, tmp_path / "staged")
    with pytest.raises(InfrastructureError, match="cannot be laid out"):
        lay_out({"kernel.cu": b"// bob\n"}, exercise, tmp_path / "staged")
    assert (tmp_path / "staged" / "kernel.cu").read_bytes() == b"// ada\n"
