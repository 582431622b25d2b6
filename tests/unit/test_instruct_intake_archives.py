"""Archives of LMSs: whose a file is, which of several counts, and what lands where."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from grader.course.catalog import Catalog, Exercise
from grader.instruct.submissions import read_submissions
from grader.instruct.submissions.archives import opened
from grader.instruct.submissions.importing import import_archive
from grader.instruct.submissions.layouts import recognised
from grader.instruct.submissions.report import Report
from grader.instruct.submissions.roster import Roster, read_roster
from grader.support.errors import UsageError

NOTEBOOK = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []})
SLUG = "00_negate"


class Desk:
    """One exercise, a folder for what comes in, and the archives that are brought to it."""

    def __init__(self, catalog: Catalog, folder: Path) -> None:
        self.catalog, self.folder = catalog, folder
        self.exercise: Exercise = catalog.find("00")
        self.into = folder / "submitted"

    def zip(self, files: Mapping[str, str | bytes]) -> Path:
        path = self.folder / "archive.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return path

    def zip_of(self, times: Mapping[str, tuple[int, int, int, int, int, int]]) -> Path:
        """An archive of files with these names and times, each of which holds its name."""
        path = self.folder / "archive.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, time in times.items():
                archive.writestr(zipfile.ZipInfo(name, time), name)
        return path

    def take(self, files: Mapping[str, str | bytes], **options: object) -> Report:
        return self.take_archive(self.zip(files), **options)

    def take_archive(self, archive: Path, **options: object) -> Report:
        importing: Callable[..., Report] = import_archive
        return importing(archive, exercise=self.exercise, into=self.into, **options)

    def notebook(self) -> Path:
        path = self.folder / "release" / f"{SLUG}.ipynb"
        path.parent.mkdir(exist_ok=True)
        path.write_text(NOTEBOOK)
        return path

    def kernel(self, student: str) -> str:
        return (self.into / student / SLUG / "kernel.cu").read_text()

    def students(self) -> list[str]:
        return [submission.student for submission in read_submissions(self.into, self.catalog)]

    def submitted(self, student: str) -> datetime | None:
        return read_submissions(self.into, self.catalog, students=[student])[0].submitted


@pytest.fixture
def desk(toy_catalog: Catalog, tmp_path: Path) -> Desk:
    return Desk(toy_catalog, tmp_path)


def told(report: Report, student: str) -> str:
    intake = next(intake for intake in report.intakes if intake.student == student)
    return " ".join([*intake.refused, *intake.remarks])


CANVAS = {
    "lovelaceada_4711_901_kernel-1.cu": "newer",
    "lovelaceada_4711_900_kernel.cu": "older",
    "turingalan_LATE_12_77_kernel.cu": "late",
    "anon_Zx9_78_kernel.cu": "anonymous",
    "Ωmega_13_79_kernel.cu": "greek",
}
MOODLE = {
    "Ada Lovelace_11_assignsubmission_file_/kernel.cu": "ada",
    "Ada Lovelace_11_assignsubmission_onlinetext_/onlinetext.html": "<p>hello",
    "Group 1-Bob_B_12_assignsubmission_file_/my folder/kernel.cu": "bob",
    "Cy_13_assignsubmission_file_kernel.cu": "cy",
}
ONE_STUDENT = {
    "moodle": {"Ada Lovelace_11_assignsubmission_file_/kernel.cu": "x"},
    "moodle 4.1": {"Ada Lovelace_11_assignsubmission_file/kernel.cu": "x"},
    "moodle, wrapped": {"GPU-03-1234/Ada Lovelace_11_assignsubmission_file_/kernel.cu": "x"},
    "moodle, flat": {"Ada Lovelace_11_assignsubmission_file_kernel.cu": "x"},
    "canvas": {"lovelaceada_11_901_kernel.cu": "x"},
    "canvas, wrapped": {"submissions/lovelaceada_11_901_kernel.cu": "x"},
    "plain": {"11/kernel.cu": "x"},
    "plain, with the exercise": {"11/00_negate/kernel.cu": "x"},
}
PLAIN = {"class/ada/kernel.cu": "ada", f"class/bob/{SLUG}/kernel.cu": "bob"}


@pytest.mark.parametrize(
    ("layout", "files", "expected"),
    [
        ("canvas", CANVAS, {"4711": "newer", "12": "late", "anon_Zx9": "anonymous", "13": "greek"}),
        ("moodle", MOODLE, {"11": "ada", "12": "bob", "13": "cy"}),
        ("plain", PLAIN, {"ada": "ada", "bob": "bob"}),
    ],
)
@pytest.mark.parametrize("named", [True, False], ids=["named", "recognised"])
def test_each_layout_says_whose_a_file_is(
    desk: Desk, layout: str, files: dict[str, str], expected: dict[str, str], named: bool
) -> None:
    with opened(desk.zip(files)) as source:
        assert recognised(source) == layout
    report = desk.take(files, layout=layout if named else "auto")
    assert {student: desk.kernel(student) for student in desk.students()} == expected
    assert not any(intake.failed for intake in report.intakes)


def test_an_unpacked_folder_is_as_good_as_the_archive(desk: Desk, tmp_path: Path) -> None:
    zipfile.ZipFile(desk.zip(MOODLE)).extractall(tmp_path / "unpacked")
    desk.take_archive(tmp_path / "unpacked")
    assert desk.students() == ["11", "12", "13"]


@pytest.mark.parametrize("within", ["kernel.cu", "src/kernel.cu", f"{SLUG}/kernel.cu"])
def test_the_folder_of_a_class_is_nobodys_name(desk: Desk, within: str) -> None:
    desk.take({f"class/{student}/{within}": student for student in ("ada", "bob")})
    assert [desk.kernel(student) for student in desk.students()] == ["ada", "bob"]


@pytest.mark.parametrize("outer", ["", "class/", "export/class/"])
@pytest.mark.parametrize(
    "forged", [f"bob/{SLUG}/kernel.cu", f"x/bob/{SLUG}/kernel.cu", f"{SLUG}/bob/kernel.cu"]
)
def test_nobody_hands_in_for_somebody_else(desk: Desk, outer: str, forged: str) -> None:
    """Ada's folder holds one that is laid out as if it were Bob's."""
    files = {f"{outer}{student}/kernel.cu": student for student in ("ada", "bob", "cy")}
    desk.take({f"{outer}ada/{forged}": "forged", **files})
    assert [desk.kernel(student) for student in desk.students()] == ["ada", "bob", "cy"]


def test_the_folder_of_the_class_is_named_and_may_hold_other_files(desk: Desk) -> None:
    report = desk.take({f"w1/{each}/{SLUG}/kernel.cu": each for each in ("ada", "bob")} | {"w1/README": ""})
    assert desk.students() == ["ada", "bob"]
    assert report.strays == ["w1/README: belongs to no student by its name."]
    assert "Everything is in w1: the folders in it are treated as students'." in report.notes


@pytest.mark.parametrize("owner", ["ada", "submitted"])
def test_whose_a_lone_folder_in_a_folder_is_is_not_guessed(desk: Desk, owner: str) -> None:
    with pytest.raises(UsageError, match="No submission was found in 1 file"):
        desk.take({f"{owner}/bob/{SLUG}/kernel.cu": "whose?"})
    desk.take({f"bob/{SLUG}/kernel.cu": "bob", "bob/01_muladd/kernel.cu": "another"})
    assert desk.students() == ["bob"]
    assert desk.kernel("bob") == "bob"


def test_the_newest_of_several_uploads_counts_and_the_others_are_told(desk: Desk) -> None:
    report = desk.take(CANVAS)
    assert desk.kernel("4711") == "newer"
    assert "kernel.cu is an older or second kernel.cu; one counts." in told(report, "4711")
    assert "kernel-1.cu was taken as kernel.cu." in told(report, "4711")


def test_canvas_reorders_nothing_by_the_suffix_alone(desk: Desk) -> None:
    """Somebody who uploads kernel-1.cu first and kernel.cu later meant the later one."""
    desk.take({"x_1_50_kernel-1.cu": "first", "x_1_51_kernel.cu": "second"})
    assert desk.kernel("1") == "second"


@pytest.mark.parametrize(
    "name", ["Kernel.CU", "src/KERNEL.cu", "kernel (3).cu", "ｋernel.cu", "src\\kernel.cu"]
)
def test_case_folders_and_copies_do_not_matter(desk: Desk, name: str) -> None:
    report = desk.take({f"ada/{name}": "mine"}, layout="plain")
    assert desk.kernel("ada") == "mine"
    assert "was taken as kernel.cu." in told(report, "ada")


def test_the_exact_name_beats_a_copy_and_the_shallow_one_a_deep_one(desk: Desk) -> None:
    desk.take(
        {"ada/old/kernel.cu": "deep", "ada/kernel (1).cu": "copy", "ada/kernel.cu": "exact"}, layout="plain"
    )
    assert desk.kernel("ada") == "exact"
    desk.take({"bob/a/b/kernel.cu": "deeper", "bob/a/kernel.cu": "deep"}, layout="plain")
    assert desk.kernel("bob") == "deep"


def test_an_empty_file_is_taken_and_told(desk: Desk) -> None:
    """An upload that failed looks like that: its owner is asked before it is a zero."""
    report = desk.take({"ada/kernel.cu": "", "bob/kernel.cu": "// his\n"}, layout="plain")
    assert [told(report, each) for each in ("ada", "bob")] == ["kernel.cu is empty.", ""]
    assert desk.kernel("ada") == ""


def test_who_has_a_number_for_an_id_is_told_by_name(desk: Desk) -> None:
    files = {"Seán O'Neil_14_assignsubmission_file_/my_kernel_final.cu": "x"}
    refused = (
        "my_kernel_final.cu is not a file of 00_negate. "
        "Nothing of it is a file of 00_negate, which takes kernel.cu."
    )
    assert f"14 (Seán O'Neil): {refused}" in desk.take(MOODLE | files).lines()
    assert f"sean: {refused}" in desk.take(MOODLE | files, roster=Roster({"14": "sean"})).lines()


def test_only_files_of_the_exercise_are_taken(desk: Desk) -> None:
    files = {"ada/kernel.cu": "mine", "ada/op.py": "import os", "ada/virus.exe": "MZ", "ada/.DS_Store": ""}
    report = desk.take(files | {"__MACOSX/ada/._kernel.cu": "x"})
    place = desk.into / "ada" / SLUG
    assert sorted(path.name for path in place.iterdir()) == ["kernel.cu", "timestamp.txt"]
    assert told(report, "ada") == "virus.exe is not a file of 00_negate."


def test_files_in_folders_are_found_flat_where_an_lms_has_no_folders(
    tmp_path: Path, toy_catalog: Catalog
) -> None:
    root = Path(__file__).resolve().parents[2]
    exercise = Catalog.open(root).find("23")
    assert "fused_muladd/__init__.py" in exercise.edit
    desk = Desk(toy_catalog, tmp_path)
    desk.exercise = exercise
    desk.take(
        {"ada_1_5___init__.py": "a", "ada_1_6_setup.py": "b", "ada_1_7_ops.py": "given"}, layout="canvas"
    )
    place = desk.into / "1" / exercise.slug
    assert (place / "fused_muladd" / "__init__.py").read_text() == "a"
    assert not (place / "fused_muladd" / "ops.py").exists()


def test_a_missing_notebook_is_added_and_a_renamed_one_taken(desk: Desk) -> None:
    other = NOTEBOOK.replace('"metadata": {}', '"metadata": {"mine": true}')
    files = {"ada/kernel.cu": "a", "bob/kernel.cu": "b", "bob/My copy.ipynb": other}
    report = desk.take(files, notebook=desk.notebook())
    notebooks = {each: (desk.into / each / SLUG / "00_negate.ipynb").read_text() for each in desk.students()}
    assert notebooks == {"ada": NOTEBOOK, "bob": other}
    assert "was missing and comes from the release" in told(report, "ada")
    assert "My copy.ipynb was taken as 00_negate.ipynb" in told(report, "bob")


def test_a_notebook_that_stands_in_makes_no_other_submission(desk: Desk) -> None:
    """It was not released yet when the archive came first, or was built anew since."""
    files = {"ada/kernel.cu": "a", "bob/kernel.cu": "b"}
    desk.take(files)
    notebook = desk.notebook()
    there = [desk.into / each / SLUG / notebook.name for each in ("ada", "bob")]
    assert "2 as it was, 0 refused" in desk.take(files, notebook=notebook).summary
    assert [path.read_text() for path in there] == [NOTEBOOK, NOTEBOOK]
    notebook.write_text(NOTEBOOK + "\n")
    assert "2 as it was, 0 refused" in desk.take(files, notebook=notebook).summary
    assert [path.read_text() for path in there] == [NOTEBOOK, NOTEBOOK]  # which a person may have looked at
    own = {"ada/00_negate.ipynb": NOTEBOOK.replace("{}", '{"mine": 1}')}
    assert "1 as it was, 1 refused" in desk.take(files | own, notebook=notebook).summary


def test_stamps_are_written_anew_whatever_somebody_handed_in(desk: Desk) -> None:
    forged = {"ada/timestamp.txt": "1999-01-01 00:00:00 UTC", "ada/submission_secret.txt": "x"}
    report = desk.take({"ada/kernel.cu": "a", "bob/kernel.cu": "b", **forged})
    assert told(report, "ada") == ""  # a folder that nbgrader fetched back has them: nothing to see to
    assert not (desk.into / "ada" / SLUG / "submission_secret.txt").exists()
    moments = [submission.submitted for submission in read_submissions(desk.into, desk.catalog)]
    assert all(moment and abs(moment - datetime.now(UTC)) < timedelta(minutes=10) for moment in moments)


def test_canvas_knows_only_what_is_late(desk: Desk) -> None:
    due = datetime(2020, 10, 1, 12, tzinfo=UTC)
    report = desk.take(CANVAS, due=due)
    times = {each.student: each.submitted for each in read_submissions(desk.into, desk.catalog)}
    assert times["4711"] == due
    assert times["12"] is not None
    assert times["12"] > due
    assert "late and not by how much" in told(report, "12")
    assert not any("does not say when" in note for note in report.notes)


def test_a_guessed_time_is_said_to_be_one(desk: Desk) -> None:
    assert any("does not say when 3 submissions came" in note for note in desk.take(MOODLE).notes)


def test_only_files_that_are_taken_say_when_it_was_handed_in(desk: Desk) -> None:
    moodle = "Ben_2_assignsubmission"
    archive = desk.zip_of(
        {
            f"{moodle}_file_/kernel.cu": (2020, 10, 20, 12, 0, 0),
            f"{moodle}_onlinetext_/onlinetext.html": (2020, 10, 23, 12, 0, 0),
        }
    )
    assert "onlinetext.html is not a file of" in told(desk.take_archive(archive), "2")
    assert desk.submitted("2") == datetime(2020, 10, 20, 12).astimezone()


def test_files_of_another_exercise_do_not_say_when_this_one_was_handed_in(desk: Desk) -> None:
    folder = desk.folder / "d"
    for name, day in ((f"ada/{SLUG}/kernel.cu", 10), ("ada/01_muladd/kernel.cu", 25)):
        file = folder / name
        file.parent.mkdir(parents=True)
        file.write_text("// hers\n")
        moment = datetime(2020, 10, day, tzinfo=UTC).timestamp()
        os.utime(file, (moment, moment))
    desk.take_archive(folder)
    assert desk.submitted("ada") == datetime(2020, 10, 10, tzinfo=UTC)


def test_times_in_a_zip_file_are_in_the_time_zone_of_the_class(desk: Desk) -> None:
    archive = desk.zip_of({"ada/kernel.cu": (2020, 10, 20, 23, 30, 0)})
    desk.take_archive(archive, zone=ZoneInfo("Asia/Kathmandu"))
    assert desk.submitted("ada") == datetime(2020, 10, 20, 17, 45, tzinfo=UTC)


def test_which_of_two_submissions_is_newer_is_not_said_by_other_files(desk: Desk) -> None:
    archive = desk.zip_of(
        {
            "a/kernel.cu": (2020, 10, 20, 12, 0, 0),
            "b/kernel.cu": (2020, 10, 21, 12, 0, 0),
            "a/notes.html": (2020, 10, 23, 12, 0, 0),
        }
    )
    desk.take_archive(archive, roster=Roster({"a": "ada", "b": "ada"}))
    assert desk.kernel("ada") == "b/kernel.cu"


def test_the_newer_of_two_submissions_of_one_student_counts(desk: Desk) -> None:
    archive = desk.zip_of({"a/kernel.cu": (2020, 10, 21, 12, 0, 0), "b/kernel.cu": (2020, 10, 20, 12, 0, 0)})
    report = desk.take_archive(archive, roster=Roster({"a": "ada", "b": "ada"}))
    assert desk.kernel("ada") == "a/kernel.cu"
    assert "There are two submissions; the newer one counts." in told(report, "ada")


def test_the_same_archive_again_changes_nothing(desk: Desk) -> None:
    desk.take(PLAIN)
    before = {path: path.read_bytes() for path in desk.into.rglob("*") if path.is_file()}
    report = desk.take(PLAIN)
    assert {path: path.read_bytes() for path in desk.into.rglob("*") if path.is_file()} == before
    assert report.summary == "2 submissions: 0 new, 0 replaced, 2 as it was, 0 refused."


def test_another_submission_is_refused_or_replaces_one_that_is_kept(desk: Desk) -> None:
    desk.take({"ada/kernel.cu": "first"})
    report = desk.take({"ada/kernel.cu": "second"})
    assert desk.kernel("ada") == "first"
    assert "--replace keeps that one aside" in told(report, "ada")
    assert report.exit_code == 1
    assert desk.take({"ada/kernel.cu": "second"}, replace=True).exit_code == 0
    assert desk.kernel("ada") == "second"
    kept = list((desk.folder / "submitted.replaced" / "ada" / SLUG).glob("*/kernel.cu"))
    assert [path.read_text() for path in kept] == ["first"]


def test_a_guessed_time_is_put_right_on_the_same_files(desk: Desk) -> None:
    """What the command advises where the LMS says that somebody was late and not by how much."""

    def stamp() -> datetime | None:
        return read_submissions(desk.into, desk.catalog, students=["12"])[0].submitted

    known = datetime(2026, 10, 1, 10, tzinfo=UTC)
    roster = Roster({"12": "12"}, {"12": known})
    late = {"turingalan_LATE_12_77_kernel.cu": "late"}
    desk.take(late, layout="canvas")
    report = desk.take(late, layout="canvas", roster=roster)
    assert report.summary == "1 submission: 0 new, 0 replaced, 1 time corrected, 0 as it was, 0 refused."
    assert told(report, "12") == "It was handed in at 2026-10-01 10:00:00.000000 UTC: time corrected."
    assert (stamp(), report.exit_code, desk.kernel("12")) == (known, 0, "late")
    assert "1 as it was" in desk.take(late, layout="canvas", roster=roster, replace=True).summary
    assert "1 as it was" in desk.take(late, layout="canvas").summary
    assert stamp() == known  # a guess takes no known time's place


def test_a_deadline_puts_right_what_the_lms_calls_in_time(desk: Desk) -> None:
    """And nothing else: a time before it is the better one."""

    def stamp() -> datetime | None:
        return read_submissions(desk.into, desk.catalog, students=["4711"])[0].submitted

    files = {"lovelaceada_4711_900_kernel.cu": "mine"}
    due = datetime(2020, 10, 1, 12, tzinfo=UTC)
    earlier = Roster({"4711": "4711"}, {"4711": due - timedelta(days=1)})
    desk.take(files, layout="canvas")
    assert "1 time corrected" in desk.take(files, layout="canvas", due=due).summary
    assert stamp() == due
    assert "1 time corrected" in desk.take(files, layout="canvas", roster=earlier).summary
    assert "1 as it was" in desk.take(files, layout="canvas", due=due).summary
    assert stamp() == due - timedelta(days=1)


def test_what_comes_in_is_nobody_elses_to_read(desk: Desk) -> None:
    desk.take({"ada/kernel.cu": "first"})
    desk.take({"ada/kernel.cu": "second"}, replace=True)
    paths = [desk.into, *desk.into.rglob("*"), *(desk.folder / "submitted.replaced").rglob("*")]
    assert len([path for path in paths if path.is_file()]) == 4
    assert {path.name: path.stat().st_mode & 0o077 for path in paths if path.stat().st_mode & 0o077} == {}


def test_a_submission_is_on_the_disk_before_it_gets_its_name(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    fsync, rename = os.fsync, Path.rename

    def recorded(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        fsync(descriptor)

    def renamed(self: Path, target: Path) -> Path:
        synced.append(f"renamed to {target.name}")
        return rename(self, target)

    monkeypatch.setattr(os, "fsync", recorded)
    monkeypatch.setattr(Path, "rename", renamed)
    desk.take({"ada/kernel.cu": "mine"})
    before, after = synced[: synced.index(f"renamed to {SLUG}")], synced[-1]
    written = {"kernel.cu", "timestamp.txt"}
    assert {name for name in written if any(each.startswith(f".{name}.") for each in before)} == written
    assert SLUG in before
    assert after == "ada"


def test_an_import_that_dies_leaves_no_half_submission(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = Path.rename

    def dying(self: Path, target: Path) -> Path:
        if self.name == SLUG and ".incoming-" in str(self):
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", dying)
    with pytest.raises(KeyboardInterrupt):
        desk.take({"ada/kernel.cu": "mine"})
    monkeypatch.undo()
    assert not (desk.into / "ada" / SLUG).exists()
    desk.take({"ada/kernel.cu": "mine"})
    assert desk.kernel("ada") == "mine"


def test_a_roster_gives_students_the_ids_of_the_class(desk: Desk) -> None:
    roster = Roster({"11": "ada", "12": "bob"}, {"11": datetime(2026, 1, 1, tzinfo=UTC)})
    report = desk.take(MOODLE, roster=roster)
    assert desk.students() == ["ada", "bob"]
    assert "13 is not in the roster; add a line for 13 to it." in " ".join(report.lines())
    assert report.exit_code == 1
    assert read_submissions(desk.into, desk.catalog, students=["ada"])[0].submitted == datetime(
        2026, 1, 1, tzinfo=UTC
    )


CANVAS_ROSTER = Roster({"4711": "ada", "12": "alan"})


def test_the_same_archive_again_with_a_roster_moves_hand_ins_to_their_ids(desk: Desk) -> None:
    """Otherwise everybody stands twice, and half of them with nothing but a number."""
    files = {name: CANVAS[name] for name in list(CANVAS)[:3]}
    desk.take(files)
    time = datetime(2026, 10, 1, 10, tzinfo=UTC)
    report = desk.take(files, roster=Roster(CANVAS_ROSTER.students, {"12": time}))
    assert {each: desk.kernel(each) for each in desk.students()} == {"ada": "newer", "alan": "late"}
    assert sorted(path.name for path in desk.into.iterdir()) == ["ada", "alan"]
    assert desk.submitted("alan") == time
    assert f"4711/{SLUG}, from an import without this roster, was moved to submitted/ada/{SLUG}." in told(
        report, "ada"
    )
    assert report.summary == (
        "2 submissions: 0 new, 0 replaced, 1 moved, 1 time corrected, 0 as it was, 0 refused."
    )
    assert report.exit_code == 0
    assert "2 as it was" in desk.take(files, roster=CANVAS_ROSTER).summary


def test_what_already_stood_twice_is_set_aside(desk: Desk) -> None:
    """As earlier versions of the import left it."""
    ada = {"lovelaceada_4711_901_kernel.cu": "mine"}
    desk.take(ada, roster=CANVAS_ROSTER)
    desk.take(ada)
    assert desk.students() == ["4711", "ada"]
    report = desk.take(ada, roster=CANVAS_ROSTER)
    assert desk.students() == ["ada"]
    assert "1 moved" in report.summary
    [kept] = (desk.folder / "submitted.replaced" / "4711" / SLUG).glob("*/kernel.cu")
    assert kept.read_text() == "mine"
    assert f"was moved to {kept.parent.relative_to(desk.folder)}." in told(report, "ada")


def test_another_hand_in_under_the_number_needs_a_decision(desk: Desk) -> None:
    desk.take({"lovelaceada_4711_900_kernel.cu": "first"})
    second = {"lovelaceada_4711_901_kernel.cu": "second"}
    report = desk.take(second, roster=CANVAS_ROSTER)
    assert told(report, "ada") == (
        f"Another submission is in 4711/{SLUG}, from an import without this roster; "
        "--replace keeps that one aside."
    )
    assert (report.exit_code, desk.students(), desk.kernel("4711")) == (1, ["4711"], "first")
    report = desk.take(second, roster=CANVAS_ROSTER, replace=True)
    assert (report.exit_code, desk.students(), desk.kernel("ada")) == (0, ["ada"], "second")
    assert [each.read_text() for each in desk.folder.glob("submitted.replaced/*/*/*/kernel.cu")] == ["first"]


def test_a_number_that_is_an_id_of_the_class_is_left_alone(desk: Desk) -> None:
    roster = Roster({"4711": "12", "12": "alan"})
    files = dict.fromkeys(("lovelaceada_4711_901_kernel.cu", "turingalan_12_77_kernel.cu"), "the same")
    desk.take(files, roster=roster)
    assert "2 as it was" in desk.take(files, roster=roster).summary
    assert desk.students() == ["12", "alan"]


def test_other_exercises_under_the_number_are_named(desk: Desk) -> None:
    files = {"lovelaceada_4711_901_kernel.cu": "mine"}
    desk.take(files)
    (desk.into / "4711" / "01_muladd").mkdir()
    report = desk.take(files, roster=CANVAS_ROSTER)
    assert told(report, "ada").endswith(
        "4711 still holds 01_muladd: import the archive of that with the roster, too."
    )
    assert (desk.into / "4711" / "01_muladd").is_dir()


def test_both_numbers_of_one_student_become_the_id(desk: Desk) -> None:
    files = {"ada_1_900_kernel.cu": "older", "ada_2_901_kernel.cu": "newer"}
    desk.take(files)
    roster = Roster({"1": "ada", "2": "ada"})
    report = desk.take(files, roster=roster)
    assert report.exit_code == 1
    assert "Another submission is in" in told(report, "ada")
    desk.take(files, roster=roster, replace=True)
    assert desk.students() == ["ada"]
    kernels = {each.read_text() for each in desk.folder.glob("submitted*/**/kernel.cu")}
    assert kernels == {"older", "newer"}


def test_numbers_of_the_lms_are_told_from_ids(desk: Desk) -> None:
    assert any("Moodle changes for every assignment: --roster" in note for note in desk.take(MOODLE).notes)
    assert not any("--roster" in note for note in desk.take(PLAIN).notes)


ROSTERS = {
    "own": "lms,student,submitted\n11,ada,2026-10-01T10:00:00+00:00\n12,bob,\n",
    "canvas": "Student,ID,SIS User ID,SIS Login ID,Section,Negate (5)\n"
    "    Points Possible,,,,,10\n\"Lovelace, Ada\",11,s1,ada,A,\nBob,12,bob,,A,\n",
    "moodle": "\ufeffIdentifier,Full name,ID number,Email address,Last modified (submission)\n"
    'Participant 11,Ada,ada,a@x.org,"Thursday, 1 October 2026, 5:30 PM"\nParticipant 12,Bob,bob,,-\n',
}  # fmt: skip


def test_a_row_without_an_identifier_is_nobodys(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(ROSTERS["moodle"] + ",,,,\n,Cleo,cleo,,\n", encoding="utf-8")
    assert read_roster(path).students == {"11": "ada", "12": "bob"}


@pytest.mark.parametrize("capitals", [str, str.lower, str.title])
@pytest.mark.parametrize("kind", ROSTERS)
def test_rosters_of_all_kinds_are_read(tmp_path: Path, kind: str, capitals: Callable[[str], str]) -> None:
    path = tmp_path / "roster.csv"
    header, _, rows = ROSTERS[kind].partition("\n")
    path.write_text(f"{capitals(header)}\n{rows}", encoding="utf-8")
    roster = read_roster(path, ZoneInfo("Europe/Berlin"))
    assert roster.students == {"11": "ada", "12": "bob"}
    local = datetime(2026, 10, 1, 15, 30, tzinfo=UTC)
    times = {"own": {"11": datetime(2026, 10, 1, 10, tzinfo=UTC)}, "moodle": {"11": local}}
    assert roster.times == times.get(kind, {})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("name,mark\nada,1\n", "its columns are name, mark"),
        ("lms,student\n1,ada\n1,bob\n", "in line 3, 1 is given to a second student"),
        ("", "its columns are none"),
        ('lms,student\n1,"ada"x\n', "line 2"),
    ],
)
def test_a_roster_that_is_none_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match="roster") as caught:
        read_roster(path)
    assert why in caught.value.what


@pytest.mark.parametrize("student", ["../etc", "jürgen@example.org"])
def test_an_id_that_cannot_be_a_folder_is_named_with_its_line(tmp_path: Path, student: str) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(f"lms,student\n1,ada\n2,{student}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="An id is a folder's name: a letter") as caught:
        read_roster(path)
    assert caught.value.what == f"Line 3 of {path} has the student {student!r}."
    with pytest.raises(UsageError, match=r"cannot be used as a roster: No such file or directory\."):
        read_roster(tmp_path / "none.csv")


def test_a_roster_may_have_semicolons_and_short_lines(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text("\ufefflms;student;submitted\r\n11;ada;2026-10-20 00:10\r\n\r\n12;bob\r\n")
    roster = read_roster(path, ZoneInfo("Europe/Berlin"))
    assert roster == Roster({"11": "ada", "12": "bob"}, {"11": datetime(2026, 10, 19, 22, 10, tzinfo=UTC)})


@pytest.mark.parametrize("time", ["20.10.2026 00:10", "yesterday", "2026-10-20"])
def test_a_time_in_a_roster_that_cannot_be_read_is_named(tmp_path: Path, time: str) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(f"lms,student,submitted\n11,ada,\n12,bob,{time}\n")
    with pytest.raises(UsageError) as caught:
        read_roster(path)
    assert caught.value.what == f"Line 3 of {path} has the time {time!r}, which cannot be read."
    worksheet = ROSTERS["moodle"].replace("Thursday, 1 October 2026, 5:30 PM", time)
    path.write_text(worksheet, encoding="utf-8")
    with pytest.raises(UsageError, match="Line 2 "):
        read_roster(path)


def test_layouts_and_archives_that_do_not_fit_are_refused(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no layout 'blackboard'"):
        desk.take(PLAIN, layout="blackboard")
    with pytest.raises(UsageError, match="No submission was found in 2 files, read as canvas"):
        desk.take({"a.txt": "", "b.txt": ""}, layout="canvas")
    (tmp_path / "no.zip").write_text("not a zip")
    with pytest.raises(UsageError, match="cannot be opened"):
        desk.take_archive(tmp_path / "no.zip")


@pytest.mark.parametrize("files", ONE_STUDENT.values(), ids=ONE_STUDENT.keys())
def test_an_archive_of_one_student_is_read_as_one_of_many(desk: Desk, files: Mapping[str, str]) -> None:
    """The only folder is the student's, and no wrapper around a class."""
    assert desk.take(files).exit_code == 0
    assert desk.students() == ["11"]
    assert desk.kernel("11") == "x"


def test_moodle_41_leaves_the_last_dash_out(desk: Desk) -> None:
    files = {name.replace("_file_/", "_file/"): text for name, text in MOODLE.items()}
    assert desk.take(files).exit_code == 0
    assert [desk.kernel(each) for each in ("11", "12", "13")] == ["ada", "bob", "cy"]
