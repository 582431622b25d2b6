"""`grader class marks` and what changes marks, as an instructor types them."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest
from typer.testing import CliRunner

from grader.cli.app import app
from grader.cli.marks_changes import release_marks
from grader.cli.term import MarksOptions
from grader.course.catalog import Catalog
from grader.course.stubs import stub_text
from grader.instruct.course import ReleasedMarks, read_course
from grader.instruct.course.release_log import Released, now, telling
from grader.instruct.results.key import exercise_version
from grader.support.errors import UsageError
from grader.verdict import CheckResult, Status
from tests.unit.handmade_class import COURSE, MULADD, NEGATE, HandmadeClass

NEWER = {"grader": "2:b", "graded": "2026-11-01T00:00:00+00:00"}


@pytest.fixture
def made(tmp_path: Path, toy_catalog: Catalog) -> HandmadeClass:
    """Ana handed in both, bo one; cy is in the class and did nothing."""
    made = HandmadeClass(tmp_path / "class", toy_catalog, COURSE)
    made.write("students.csv", "student,name\nana,Ana\nbo,Bo\ncy,Cy\n")
    made.grade(made.hand_in("ana", NEGATE, "2026-10-05T11:00"), 80)
    made.grade(made.hand_in("ana", MULADD, "2026-10-12T11:00"), 60)
    made.grade(made.hand_in("bo", NEGATE, "2026-10-05T11:00", "// bo's\n"), 100)
    return made


def run(made: HandmadeClass, *words: str) -> str:
    """What the command prints; a UsageError comes through, as `grader` itself would print it."""
    options = ["--class", str(made.folder), "--course", str(made.catalog.course)]
    done = CliRunner().invoke(app, ["class", *words, *options], catch_exceptions=False)
    return f"{done.output}exit code {done.exit_code}\n"


def test_the_table_has_a_line_for_each_student(made: HandmadeClass) -> None:
    said = run(made, "marks").splitlines()
    assert [line.split() for line in said[:4]] == [
        ["student", "00", "01", "total"],
        ["ana", "80", "60", "70"],
        ["bo", "100", "0*", "50"],
        ["cy", "0*", "0*", "0"],
    ]
    assert "*  nothing was handed in" in said


def test_a_mark_is_explained(made: HandmadeClass) -> None:
    said = run(made, "marks", "--student", "ana", "0")
    assert "ana, 00_negate: 80" in said
    assert "Handed in 2026-10-05 11:00 UTC; it was due 2026-10-05 12:00 UTC." in said
    assert "ana: 80 of 100." in said
    assert MULADD not in said


def test_submissions_whose_results_others_made_are_named_for_a_person(made: HandmadeClass) -> None:
    assert "to look at" not in run(made, "marks").lower()
    who = "aten::neg computed them"
    foreign = CheckResult("correctness", Status.FAIL, "Right, but.", 0.0, 100.0, not_own=who)
    made.grade(made.hand_in("cy", NEGATE, "2026-10-05T11:00", "// cy's\n"), 0, checks=(foreign,))
    said = run(made, "marks")
    assert "00_negate: 1 submission to look at, with results that are not their kernels' work: cy." in said
    assert "See: grader class marks 00 --student cy" in said
    assert f"To look at: Results are not its kernels' work: {who} (`correctness`)." in run(
        made, "marks", "--student", "cy"
    )
    assert "to look at" not in run(made, "marks", "--student", "ana").lower()


def test_the_csv_has_a_line_for_each_mark_and_no_formula(made: HandmadeClass) -> None:
    made.write("adjustments.csv", f"student,exercise,points,reason,by\nbo,{NEGATE},-10,late,=HYPERLINK(0)\n")
    file = made.folder / "marks.csv"
    assert "6 marks in" in run(made, "export")
    rows = {(row["student"], row["exercise"]): row for row in csv.DictReader(file.read_text().splitlines())}
    assert len(rows) == 6
    assert (rows["bo", NEGATE]["mark"], rows["bo", NEGATE]["adjusted"]) == ("90.0", "-10.0")
    assert rows["cy", NEGATE]["state"] == "not handed in"
    assert "=HYPERLINK(0) took off 10 points" in rows["bo", NEGATE]["explanation"]
    assert not any(cell.startswith(("=", "+", "@")) for row in rows.values() for cell in row.values())


def test_marks_of_another_version_than_the_newest_are_counted_and_named(made: HandmadeClass) -> None:
    file = made.folder / "marks.csv"
    assert "another version" not in run(made, "marks")
    made.grade(made.hand_in("bo", NEGATE, "2026-10-05T11:00", "// bo's\n"), 100, **NEWER)
    made.grade(made.hand_in("cy", NEGATE, "2026-10-05T11:00"), 100, **NEWER)
    said = run(made, "marks")
    assert "00_negate: 1 mark comes from another version" in said and "newest verdict: ana." in said
    assert "newest verdict: ana." in run(made, "marks", "--student", "ana")
    assert "another version" not in run(made, "marks", "--student", "bo")
    run(made, "export")
    rows = {(row["student"], row["exercise"]): row for row in csv.DictReader(file.read_text().splitlines())}
    assert [rows[each, NEGATE]["grader"] for each in ("ana", "bo", "cy")] == ["1:a", "2:b", "2:b"]
    assert {rows[each, NEGATE]["exercise_version"] for each in ("ana", "bo")} == {
        exercise_version(made.catalog.find(NEGATE))
    }


def test_a_line_about_somebody_who_is_not_in_the_class_is_told_with_the_marks(made: HandmadeClass) -> None:
    made.write("adjustments.csv", f"student,exercise,points,reason,by\nbbo,{NEGATE},-10,late,kim\n")
    assert "No one in this class is called bbo" in run(made, "marks")
    made.write("adjustments.csv", f"student,exercise,points,reason,by\nbo,{NEGATE},-10,late,kim\n")
    assert "Nobody" not in run(made, "marks")


def test_an_id_in_no_roster_is_flagged_and_kept_out_of_every_file(made: HandmadeClass) -> None:
    made.grade(made.hand_in("root", NEGATE, "2026-10-05T11:00", "// whose?\n"), 90)
    said = run(made, "marks")
    assert "root†" in said and "†  is in no roster" in said
    assert "In no roster: root. Their marks are neither exported nor released." in said
    said = run(made, "export")
    assert "6 marks in" in said and "In no roster: root" in said
    assert "root" not in (made.folder / "marks.csv").read_text()
    assert "In no roster: root" in run(made, "feedback")
    assert made.mark("root").released is None
    made.write("students.csv", "student,name\nana,Ana\nbo,Bo\ncy,Cy\nroot,Rut O.\n")
    assert "In no roster" not in run(made, "marks")
    run(made, "feedback")
    assert made.mark("root").released is not None


def test_an_export_says_that_there_is_no_roster(made: HandmadeClass) -> None:
    (made.folder / "students.csv").unlink()
    said = run(made, "export")
    assert "There is no roster, students.csv" in said and "4 marks in" in said


def test_a_hand_in_is_withdrawn_once_the_folder_holds_another(
    made: HandmadeClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("USER", "kim")
    made.write("course.toml", 'takes = "best"\n' + COURSE)
    words = ("withdraw", "0", "--reason", "dan's", "--student")
    with pytest.raises(UsageError, match="handed in nothing"):
        run(made, *words, "cy")
    with pytest.raises(UsageError, match="Move it out of there"):
        run(made, *words, "bo")
    made.marks()
    made.grade(made.hand_in("bo", NEGATE, "2026-10-05T11:30", "// his own\n"), 10)
    assert made.mark("bo").points == 100.0
    assert "bo, 00_negate: the hand-in of 2026-10-05 11:00 UTC counts no more" in run(made, *words, "bo")
    assert made.mark("bo").points == 10.0
    run(made, "feedback")
    shutil.rmtree(made.folder / "submitted" / "bo")
    run(made, *words, "bo")
    assert "10 on" in (said := run(made, "marks", "--student", "bo"))
    assert "would be 0 now, since no hand-in counts any more." in said
    log = (made.store.folder / "withdrawn.jsonl").read_text()
    assert '"reason": "dan\'s", "by": "kim"' in log and '"bo"' not in log


def test_somebody_who_is_not_there_is_named(made: HandmadeClass) -> None:
    with pytest.raises(UsageError, match="no student 'zoe'"):
        run(made, "marks", "--student", "zoe")
    made.write("course.toml", COURSE.partition(f"[assignments.{MULADD}]")[0])
    with pytest.raises(UsageError, match=f"{MULADD} is no assignment"):
        run(made, "marks", "1")


def test_a_release_holds_what_would_be_lower(made: HandmadeClass) -> None:
    said = run(made, "feedback", "0")
    assert said.startswith("3 marks released.\n") and "exit code 0" in said
    made.grade(made.hand_in("ana", NEGATE, "2026-10-05T11:00"), 50, **NEWER)
    assert "80!" in run(made, "marks")
    said = run(made, "feedback")
    assert "ana, 00_negate: 80 was released, 50 now" in said
    assert f"grader class feedback {NEGATE} --student ana --accept\n" in said  # which lowers nobody else's
    assert "release --accept" not in said
    assert "exit code 1" in said
    assert "FLAG" in run(made, "marks", "--student", "ana")
    accepted = run(made, "feedback", "0", "--student", "ana", "--accept")
    assert "lowered: ana, 00_negate: 80 was released, 50 now" in accepted
    assert "exit code 0" in accepted
    assert "80!" not in run(made, "marks")


def test_a_release_lowers_marks_of_named_students_or_of_all(made: HandmadeClass) -> None:
    run(made, "feedback")
    for student, text in (("ana", ""), ("bo", "// bo's\n")):
        made.grade(made.hand_in(student, NEGATE, "2026-10-05T11:00", text), 50, **NEWER)
    with pytest.raises(UsageError, match="whose marks"):
        run(made, "feedback", "--accept")
    with pytest.raises(UsageError, match="--accept is missing"):
        run(made, "feedback", "--all")
    assert "80!" in run(made, "marks")
    assert "lowered: ana" in (said := run(made, "feedback", "--accept", "--student", "ana"))
    assert "bo, 00_negate" not in said
    assert "lowered: bo" in run(made, "feedback", "--accept", "--all")


def test_two_releases_at_the_same_moment_lower_nothing_that_one_of_them_told(made: HandmadeClass) -> None:
    """Ana was told 90 meanwhile, before her mark was adjusted to 80: that is what she knows."""
    codes: list[int] = []
    request = MarksOptions(made.folder, made.catalog.course)
    releasing = Thread(target=lambda: codes.append(release_marks(request, accept=False)))
    with telling(made.store.folder):
        ledger = ReleasedMarks(made.store.folder, made.store.secret)
        releasing.start()
        releasing.join(0.3)
        assert releasing.is_alive()
        ledger.tell("ana", NEGATE, Released(90.0, "", "", "", now()))
    releasing.join(30)
    assert codes == [1]
    told = ReleasedMarks(made.store.folder, made.store.secret).find("ana", NEGATE)
    assert told is not None
    assert told.points == 90.0


def test_a_class_begins_with_files_that_can_be_read(tmp_path: Path, toy_catalog: Catalog) -> None:
    folder, roster = tmp_path / "new", tmp_path / "gradebook.csv"
    roster.write_text("Student,ID,SIS Login ID,Section\nPoints Possible,,,\nBo,2,bo,X\nAna,1,ana,X\n")

    def begun(*options: str) -> str:
        words = ["class", "new", str(folder), "--course", str(toy_catalog.course), *options]
        return CliRunner().invoke(app, words, catch_exceptions=False).output

    said = begun("--exercises", "00", "--roster", str(roster))
    assert "course.toml has 1 assignment" in said and "students.csv has 2 students more." in said
    assert said.endswith("grader class release\n")
    course = read_course(folder)
    assert list(course.assignments) == [NEGATE]
    assert (course.late_days, course.assignments[NEGATE].late.per_day) == (3, 10.0)
    (folder / "course.toml").write_text(COURSE)
    (folder / "students.csv").write_text("student,name\nana,Ana Bel")  # by a person
    assert "stays as it is" in begun("--roster", str(roster))
    assert (folder / "course.toml").read_text() == COURSE
    assert (folder / "students.csv").read_text() == "student,name\nana,Ana Bel\nbo\n"


def test_a_line_of_a_table_that_is_wrong_is_named(made: HandmadeClass) -> None:
    made.write("groups.csv", "group,student\na,ana\nb,ana\n")
    with pytest.raises(UsageError, match="Line 3 of"):
        run(made, "marks")


@pytest.mark.parametrize(
    ("exercise", "until", "idle"),
    [
        (NEGATE, "2026-10-05T12:00", True),
        (NEGATE, "2026-10-05T12:01", False),
        ("*", "2026-10-06T00:00", False),
        ("*", "2026-10-04T00:00", True),
    ],
)
def test_an_extension_that_is_after_no_deadline_is_told(
    made: HandmadeClass, exercise: str, until: str, idle: bool
) -> None:
    made.write("extensions.csv", f"student,exercise,until,reason\nana,{exercise},{until},ill\n")
    assert (f"extension of ana for {exercise} until" in run(made, "marks")) is idle


def test_forgetting_changes_nothing_until_it_is_told_to(made: HandmadeClass) -> None:
    run(made, "marks")
    words = ["class", "forget", "--before", "2027-01-01", "--class", str(made.folder)]

    def forgotten(*more: str) -> str:
        return CliRunner().invoke(app, [*words, *more], catch_exceptions=False).output

    said = forgotten()
    assert "3 records would go" in said and "2 people of roster.csv would go, and the secret" in said
    assert len(list(made.store.all())) == 3
    assert "Nothing was changed." in said
    assert "3 records went" in forgotten("--yes")
    assert list(made.store.all()) == []
    assert str(made.folder / "submitted") in said  # which is not touched, and named


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap (package bubblewrap)")
def test_a_regrade_repeats_the_inputs_and_is_logged(
    made: HandmadeClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("USER", "kim")
    """For real, of an untouched stub: there is nothing to compile."""
    stub = stub_text(made.catalog.find(NEGATE), "kernel.cu")
    first = made.grade(made.hand_in("dan", NEGATE, text=stub), 60)
    said = run(made, "regrade", "0", "--student", "dan", "--reason", "asked")
    assert "60 points before, 0 now" in said and "exit code 0" in said
    mark = made.mark("dan")
    assert mark.record is not None
    assert (mark.points, mark.record.verdict.seed) == (0.0, first.verdict.seed)
    assert '"reason": "asked", "by": "kim"' in (made.store.folder / "regrades.jsonl").read_text()


def test_only_what_the_mark_comes_from_is_regraded(made: HandmadeClass) -> None:
    words = ("regrade", "0", "--reason", "asked", "--trust-submissions", "--student")
    with pytest.raises(UsageError, match="There is no verdict"):
        run(made, *words, "cy")
    made.write("course.toml", 'takes = "best"\n' + COURSE)
    made.marks()
    made.grade(made.hand_in("bo", NEGATE, "2026-10-05T11:30", "// worse\n"), 10)
    with pytest.raises(UsageError, match="holds another hand-in"):
        run(made, *words, "bo")


def test_marks_import_neither_torch_nor_a_notebook(made: HandmadeClass) -> None:
    """The table of a class is there in a moment."""
    code = (
        "import sys; from grader.cli import main; "
        "sys.argv = ['grader', 'class', 'marks', '--class', sys.argv[1], '--course', sys.argv[2]]; "
        "code = main(); print(code, sorted({'torch', 'nbgrader'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(made.folder), str(made.catalog.course)],
        capture_output=True, text=True, check=False, cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "0 []", done.stdout + done.stderr
