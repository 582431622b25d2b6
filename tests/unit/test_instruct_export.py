"""Marks on their way to an LMS: only our cells change, and no cell is ever calculated."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.course.catalog import Catalog, Exercise
from grader.instruct.export import (
    Filled,
    Grade,
    fill_canvas,
    fill_moodle,
    inert,
)
from grader.instruct.submissions import look, read_submissions
from grader.instruct.submissions.importing import import_archive
from grader.instruct.submissions.roster import read_roster
from grader.report.gradescope import results_json, write_results
from grader.support.errors import InfrastructureError, UsageError
from grader.verdict import CheckResult, ReportedFinding, Status, Verdict

CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Notes,Negate (501),Multiply-add (502),Negate again (503),"
    "Current Score\r\n"
    ",,,,,,Manual Posting,,,\r\n"
    "    Points Possible,,,,,,10.00,40.00,10.00,(read only)\r\n"
    '"Lovelace, Ada",4711,s1,ada,"A, and B",,3.00,,7.00,88\r\n'
    '"O\'Neil ""Bob""",12,s2,bob,A,=1+1,,EX,,\r\n'
    '"Cyrus",13,s3,cy,A,,N/A,,,\r\n'
    '"Test Student",99,,f00,A,,5.00,,,\r\n'
)
MOODLE = (
    "Identifier,Full name,ID number,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    'Participant 11,Ada,a1,ada@x.org,Submitted,,80.00,Yes,"Thursday, 1 October 2026, 5:30 PM",-,\n'
    "Participant 12,Bob,b1,bob@x.org,Submitted,3.00,80.00,No,-,-,well done\n"
    "Participant 13,Cy,c1,cy@x.org,No submission,,80.00,Yes,-,-,\n"
)


def fill_one(gradebook: Path, title: str, grades: Iterable[Grade], out: Path) -> Filled:
    """The sheet with one column filled."""
    return fill_canvas(gradebook, {title: grades}, out)[title]


def grade(student: str, points: float | None, **more: str) -> Grade:
    return Grade(student, points, **more)


def cells(path: Path, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig")), delimiter=delimiter))


@pytest.fixture
def gradebook(tmp_path: Path) -> Path:
    path = tmp_path / "gradebook.csv"
    path.write_bytes(CANVAS.encode())
    return path


@pytest.fixture
def worksheet(tmp_path: Path) -> Path:
    path = tmp_path / "worksheet.csv"
    path.write_bytes(b"\xef\xbb\xbf" + MOODLE.encode())
    return path


# ---- Canvas --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["Negate", "Negate (501)", "501", "negate"])
def test_canvas_gets_its_own_sheet_back_with_one_column_filled(
    gradebook: Path, tmp_path: Path, column: str
) -> None:
    out = tmp_path / "upload.csv"
    filled = fill_one(gradebook, column, [grade("ada", 87.5), grade("bob", 0), grade("zoe", 50)], out)
    expected = cells(gradebook)
    expected[3][6], expected[4][6] = "8.75", "0"
    assert cells(out) == expected
    assert (filled.written, filled.column, filled.unknown) == (2, "SIS Login ID", ("zoe",))
    assert b"\r\n" in out.read_bytes()
    assert gradebook.read_bytes() == CANVAS.encode()


def test_who_is_excused_or_not_assigned_stays_so(gradebook: Path, tmp_path: Path) -> None:
    filled = fill_one(gradebook, "Negate", [grade("cy", 90)], tmp_path / "a.csv")
    assert filled.untouched == ("cy is not assigned to this student",)
    filled = fill_one(gradebook, "Multiply-add", [grade("bob", 90)], tmp_path / "b.csv")
    assert filled.untouched == ("bob is excused",)
    assert cells(tmp_path / "b.csv") == cells(gradebook)
    assert "Left as they were: bob is excused." in filled.sentence


def test_a_mark_that_nobody_knows_is_no_zero(gradebook: Path, tmp_path: Path) -> None:
    filled = fill_one(gradebook, "Negate", [grade("ada", None)], tmp_path / "a.csv")
    assert filled.written == 0
    assert cells(tmp_path / "a.csv") == cells(gradebook)


def test_one_column_decides_who_is_who(gradebook: Path, tmp_path: Path) -> None:
    """12 is Bob's number in Canvas; a class that uses these numbers is found by them, all of it."""
    filled = fill_one(gradebook, "Negate", [grade("12", 100), grade("4711", 50)], tmp_path / "a.csv")
    assert filled.column == "ID"
    assert [row[6] for row in cells(tmp_path / "a.csv")[3:5]] == ["5", "10"]


def test_an_id_that_two_rows_have_is_nobodys(gradebook: Path, tmp_path: Path) -> None:
    text = CANVAS.replace(",bob,", ",ada,")
    gradebook.write_text(text, newline="")
    filled = fill_one(gradebook, "Negate", [grade("ada", 100), grade("cy", 0)], tmp_path / "a.csv")
    assert filled.unknown == ("ada",)
    assert cells(tmp_path / "a.csv") == cells(gradebook)


def test_a_semicolon_sheet_stays_one(tmp_path: Path) -> None:
    text = "Student;ID;SIS Login ID;Section;Negate (1)\n    Points Possible;;;;10,00\nAda;1;ada;A;\n"
    path = tmp_path / "g.csv"
    path.write_text("\ufeff" + text, encoding="utf-8")
    fill_one(path, "Negate", [grade("ada", 55)], tmp_path / "out.csv")
    assert cells(tmp_path / "out.csv", ";")[2] == ["Ada", "1", "ada", "A", "5.5"]
    assert (tmp_path / "out.csv").read_bytes().startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    ("column", "why"),
    [
        ("Nothing", "no column 'Nothing'"),
        ("Current Score", "no points possible, or may not be written"),
        ("Notes", "no points possible"),
        ("Section", "no column 'Section'"),
    ],
)
def test_only_an_assignment_is_filled(gradebook: Path, tmp_path: Path, column: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        fill_one(gradebook, column, [grade("ada", 1)], tmp_path / "out.csv")
    assert why in caught.value.what
    assert not (tmp_path / "out.csv").exists()


def test_two_assignments_of_one_title_need_the_number(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("Student,ID,Section,Lab (1),Lab (2)\n  Points Possible,,,5,5\nAda,7,A,,\n")
    with pytest.raises(UsageError, match="2 columns 'Lab'"):
        fill_one(path, "Lab", [grade("7", 100)], tmp_path / "a.csv")
    fill_one(path, "2", [grade("7", 100)], tmp_path / "a.csv")
    assert cells(tmp_path / "a.csv")[2] == ["Ada", "7", "A", "", "5"]


def test_extra_credit_reaches_canvas(gradebook: Path, tmp_path: Path) -> None:
    filled = fill_one(gradebook, "Negate", [grade("ada", 110), grade("bob", -5)], tmp_path / "out.csv")
    assert [row[6] for row in cells(tmp_path / "out.csv")[3:5]] == ["11", "0"]
    assert filled.cut == ()


def test_a_sheet_of_marks_is_nobody_elses_to_read(gradebook: Path, tmp_path: Path) -> None:
    fill_one(gradebook, "Negate", [grade("ada", 1)], tmp_path / "out" / "a.csv")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "out").iterdir()}
    assert modes == {"a.csv": 0o600}


# ---- Moodle --------------------------------------------------------------------------------------------


def test_moodle_gets_points_and_comments(worksheet: Path, tmp_path: Path) -> None:
    grades = [grade("ada@x.org", 50, comment="Safety: <b>3</b> & more\nnext"), grade("bob@x.org", 90)]
    filled = fill_moodle(worksheet, grades, tmp_path / "out.csv")
    expected = cells(worksheet)
    expected[1][5], expected[1][10] = "40", "Safety: &lt;b&gt;3&lt;/b&gt; &amp; more<br>next"
    assert cells(tmp_path / "out.csv") == expected
    assert (filled.written, filled.column) == (1, "Email address")
    assert filled.untouched == ("bob@x.org is locked in Moodle's gradebook",)
    assert (tmp_path / "out.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_moodle_gets_no_grade_that_it_would_pass_over(worksheet: Path, tmp_path: Path) -> None:
    filled = fill_moodle(worksheet, [grade("a1", 110), grade("c1", 100)], tmp_path / "out.csv")
    assert [row[5] for row in cells(tmp_path / "out.csv")[1:]] == ["80", "3.00", "80"]
    assert (filled.written, filled.cut) == (2, ("a1 has 88 of 80",))
    assert filled.sentence.endswith("Cut to the maximum: a1 has 88 of 80.")


@pytest.mark.parametrize(("student", "column"), [("13", "Identifier"), ("c1", "ID number")])
def test_moodle_finds_people_by_number_too(
    worksheet: Path, tmp_path: Path, student: str, column: str
) -> None:
    assert fill_moodle(worksheet, [grade(student, 100)], tmp_path / "out.csv").column == column
    assert cells(tmp_path / "out.csv")[3][5] == "80"


def test_a_sheet_of_nobody_who_has_a_mark_is_not_filled(worksheet: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none of the 2 students that have a mark"):
        fill_moodle(worksheet, [grade("nobody", 90), grade("stranger", 10)], tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_capitals_in_the_headers_of_a_worksheet_do_not_matter(worksheet: Path, tmp_path: Path) -> None:
    """Moodle has written both ``Maximum Grade`` and ``Maximum grade``."""
    worksheet.write_text(MOODLE.replace("Maximum Grade", "Maximum grade"), encoding="utf-8")
    assert fill_moodle(worksheet, [grade("a1", 50)], tmp_path / "out.csv").written == 1
    assert [row[5] for row in cells(tmp_path / "out.csv")[:2]] == ["Grade", "40"]


def test_another_sheet_is_no_worksheet(gradebook: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no column 'Identifier'"):
        fill_moodle(gradebook, [], tmp_path / "out.csv")
    (tmp_path / "broken.csv").write_bytes(b"Identifier,Grade\n\xff\xfe,1\n")
    with pytest.raises(UsageError, match="is not a grading worksheet of Moodle that can be read"):
        fill_moodle(tmp_path / "broken.csv", [], tmp_path / "out.csv")


# ---- CSV, and what a spreadsheet would run -------------------------------------------------------------


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@SUM(A1)", "  =1", "\t=1", "\r=1", "|cmd", "＝1"])
def test_a_cell_that_a_spreadsheet_would_calculate_is_text(text: str) -> None:
    assert inert(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "ada", "12 of 20", "a=b", "Passed."])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert inert(text) == text


def test_a_hostile_comment_reaches_moodle_as_text(worksheet: Path, tmp_path: Path) -> None:
    fill_moodle(worksheet, [grade("a1", 1, comment="=cmd|'/c calc'!A1")], tmp_path / "out.csv")
    assert cells(tmp_path / "out.csv")[1][10].startswith("'=cmd")


# ---- Gradescope ----------------------------------------------------------------------------------------


@pytest.fixture
def exercise(toy_catalog: Catalog) -> Exercise:
    """Correctness 60, safety 20, device_work 20."""
    return toy_catalog.find("00")


@pytest.fixture
def verdict() -> Verdict:
    finding = ReportedFinding(
        "out_of_bounds", "Reads past \x1b[31mthe end.", file="kernel.cu", line=3, source="x"
    )
    return Verdict(
        "00_negate", "Negate", "simt", 42,
        (
            CheckResult("build", Status.PASS, "It builds."),
            CheckResult("correctness", Status.PASS, "Right.", 60.0, 60.0),
            CheckResult("safety", Status.FAIL, "Memory \x07errors.", 0.0, 20.0, findings=(finding,)),
            CheckResult("device_work", Status.PASS, "On the device.", 20.0, 20.0),
        ),
        versions={"torch": "2.13"}, seconds=1.7,
    )  # fmt: skip


def test_gradescope_gets_a_test_for_each_check(verdict: Verdict, exercise: Exercise) -> None:
    document = results_json(verdict, exercise)
    assert document["score"] == 80.0
    tests = {test["name"]: test for test in document["tests"]}
    assert list(tests) == ["Build", "Correctness", "Safety", "Device work"]
    assert (tests["Safety"]["score"], tests["Safety"]["max_score"]) == (0.0, 20.0)
    assert (tests["Safety"]["status"], tests["Correctness"]["status"]) == ("failed", "passed")
    assert "score" not in tests["Build"]
    assert "Line 3 of kernel.cu is: x" in tests["Safety"]["output"]
    assert {test["output_format"] for test in document["tests"]} == {"text"}  # so that Gradescope escapes it
    assert "\x1b" not in json.dumps(document, ensure_ascii=False)
    assert "\x07" not in json.dumps(document, ensure_ascii=False)


def test_points_are_scaled_to_those_of_the_assignment(verdict: Verdict, exercise: Exercise) -> None:
    document = results_json(verdict, exercise, points=10, visibility="after_published")
    assert document["score"] == 8.0
    assert sum(test.get("max_score", 0.0) for test in document["tests"]) == 10.0
    assert "Correctness passed, 6 of 6 points." in document["tests"][1]["output"]
    assert {test["visibility"] for test in document["tests"]} == {"after_published"}


@pytest.mark.parametrize("status", [Status.UNAVAILABLE, Status.INCONCLUSIVE])
def test_what_nobody_could_judge_is_no_zero(verdict: Verdict, exercise: Exercise, status: Status) -> None:
    checks = tuple(replace(c, status=status, points=0.0) if c.name == "safety" else c for c in verdict.checks)
    document = results_json(replace(verdict, checks=checks), exercise)
    assert document["score"] == 100.0
    safety = next(test for test in document["tests"] if test["name"] == "Safety")
    assert "score" not in safety
    assert "status" not in safety


def test_what_the_backend_cannot_judge_leaves_everybodys_denominator(
    verdict: Verdict, exercise: Exercise
) -> None:
    """Speed after a failed build would count as lost on simt, where it can never be earned."""
    timed = replace(exercise, scores={"correctness": 60, "safety": 20, "performance": 20})
    speed = CheckResult("performance", Status.BUILD_ERROR, "Not judged: it does not build.", 0.0, 20.0)
    checks = (*verdict.checks[:3], speed)
    document = results_json(replace(verdict, checks=checks), timed)
    assert document["score"] == 60.0
    assert sum(test.get("max_score", 0.0) for test in document["tests"]) == 80.0


def test_a_fault_of_the_machine_gives_no_document(verdict: Verdict, exercise: Exercise) -> None:
    fault = CheckResult("build", Status.INFRA_ERROR, "No compiler was found.")
    with pytest.raises(InfrastructureError, match="was not judged: No compiler was found"):
        results_json(replace(verdict, checks=(fault,)), exercise)


def test_a_verdict_that_judged_nothing_gives_no_document(verdict: Verdict, exercise: Exercise) -> None:
    checks = tuple(replace(check, status=Status.UNAVAILABLE, points=0.0) for check in verdict.checks)
    with pytest.raises(InfrastructureError, match="Nothing of 00_negate was judged"):
        results_json(replace(verdict, checks=checks), exercise, points=10)


def test_results_are_written_in_one_step(verdict: Verdict, exercise: Exercise, tmp_path: Path) -> None:
    path = tmp_path / "results" / "results.json"
    write_results(results_json(verdict, exercise), path)
    assert json.loads(path.read_text())["score"] == 80.0
    assert list(path.parent.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o644
    (tmp_path / "file").write_text("")
    with pytest.raises(InfrastructureError, match="cannot be written"):
        write_results({}, tmp_path / "file" / "results.json")


# ---- There and back ------------------------------------------------------------------------------------


CANVAS_ZIP = {"lovelaceada_4711_900_kernel.cu": "ada", "bob_LATE_12_901_kernel-1.cu": "bob"}
MOODLE_ZIP = {f"{name}_{number}_assignsubmission_file_/kernel.cu": name for name, number in
              (("ada", 11), ("bob", 12), ("cy", 13))}  # fmt: skip


@pytest.mark.parametrize("by_roster", [True, False], ids=["roster", "numbers"])
@pytest.mark.parametrize(
    ("files", "sheet", "place"),
    [(CANVAS_ZIP, "gradebook", 6), (MOODLE_ZIP, "worksheet", 5)],
    ids=["canvas", "moodle"],
)
def test_marks_find_back_to_who_handed_in(
    toy_catalog: Catalog, tmp_path: Path, request: pytest.FixtureRequest, by_roster: bool,
    files: dict[str, str], sheet: str, place: int,
) -> None:  # fmt: skip
    """In by the archive, out by the sheet: with the sheet as the roster, and with the numbers of the LMS."""
    exported: Path = request.getfixturevalue(sheet)
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name, content in files.items():
            file.writestr(name, content)
    roster = read_roster(exported) if by_roster else None
    import_archive(archive, exercise=toy_catalog.find("00"), into=tmp_path / "in", roster=roster)
    worth = {"ada": 100.0, "bob": 50.0, "cy": 25.0}
    grades = []
    for submission in read_submissions(tmp_path / "in", toy_catalog):
        who = look(submission, toy_catalog.find("00")).files["kernel.cu"].decode()
        grades.append(grade(submission.student, worth[who]))
    out = tmp_path / "out.csv"
    if sheet == "gradebook":
        fill_one(exported, "Negate", grades, out)
        assert [row[place] for row in cells(out)[3:]] == ["10", "5", "N/A", "5.00"]
    else:
        fill_moodle(exported, grades, out)
        assert [row[place] for row in cells(out)[1:]] == ["80", "3.00", "20"]  # Bob's is locked
