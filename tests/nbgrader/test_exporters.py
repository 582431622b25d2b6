"""One book: formgrader's points flow into the marks, and `nbgrader export` leads to them."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from grader.cli.app import app
from grader.instruct.course import Mark, State, marks_in, read_course
from grader.instruct.course.hand_scores import FORMGRADER
from grader.support.errors import UsageError
from grader.verdict import Status
from tests.nbgrader.school import FIRST, SECOND, SLUG, Class, a_verdict

COURSE = f'title = "Toys"\n[assignments.{SLUG}]\n'


@pytest.fixture
def graded(toys: Class) -> Class:
    """ada: 53.5 of 100. The class takes the best hand-in."""
    (toys.folder / "course.toml").write_text('takes = "best"\n' + COURSE)
    toys.decide(toys.submit("ada", at=FIRST), a_verdict(correctness=13.5))
    assert toys.autograde("ada")["success"]
    return toys


def _enter(toys: Class, cell: str = "check-correctness", student: str = "ada", **what: float) -> None:
    """As formgrader does when a person leaves a box."""
    with toys.gradebook() as book:
        grade = book.find_grade(cell, SLUG, SLUG, student)
        for name, value in what.items():
            setattr(grade, name, value)
        grade.needs_manual_grade = False
        book.db.commit()


def _mark(toys: Class, student: str = "ada") -> Mark:
    marks = marks_in(read_course(toys.folder), toys.catalog)
    return next(mark for mark in marks if mark.student == student)


def _grader(toys: Class, *words: str) -> str:
    options = ["--class", str(toys.folder), "--course", str(toys.top / "course")]
    return CliRunner().invoke(app, ["class", *words, *options], catch_exceptions=False).output


def test_points_that_a_person_gave_are_part_of_the_mark(graded: Class) -> None:
    assert _mark(graded).points == 53.5
    _enter(graded, manual_score=50.0, extra_credit=5.0)
    with graded.gradebook() as book:
        book.find_comment("file-kernel-cu", SLUG, SLUG, "ada").manual_comment = "Look at the guard."
        book.db.commit()
    assert _mark(graded).points == 95.0
    said = _grader(graded, "marks", "--student", "ada")
    assert "it earned 95 of 100 points" in said
    assert "For correctness a person gave 50 of 60 points." in said
    assert "Extra credit: 5 points." in said and "Comment: Look at the guard." in said
    assert "Correctness, 13.5" not in said


def test_they_stay_with_the_hand_in_that_was_looked_at(graded: Class) -> None:
    """The fault: after a resubmission the gradebook and the marks said two things about the same student."""
    _enter(graded, manual_score=50.0)
    graded.decide(graded.submit("ada", "// worse\n", at=SECOND), a_verdict(correctness=0.0))
    assert graded.autograde("ada")["success"]  # without `grader class marks` in between
    assert _mark(graded).points == 90.0
    (graded.folder / "course.toml").write_text(COURSE)
    mark = _mark(graded)  # of the last hand-in: nobody has confirmed the points for it
    assert (mark.state, mark.by_hand.waiting) == (State.WAITING, ("check-correctness",))
    said = _grader(graded, "marks", "--student", "ada")
    assert "It waits for a person in formgrader: check-correctness." in said
    _enter(graded, manual_score=7.0)
    assert _mark(graded).points == 47.0


def test_extra_credit_stays_with_the_hand_in_that_was_looked_at(graded: Class) -> None:
    """The fault: it passed silently to a later hand-in that nobody had looked at."""
    (graded.folder / "course.toml").write_text(COURSE)
    _enter(graded, extra_credit=5.0)
    assert _mark(graded).points == 58.5
    graded.decide(graded.submit("ada", "// worse\n", at=SECOND), a_verdict(correctness=0.0))
    assert graded.autograde("ada")["success"]
    assert (_mark(graded).state, _mark(graded).by_hand.waiting) == (State.WAITING, ("check-correctness",))
    _enter(graded, extra_credit=0.0)
    assert _mark(graded).points == 40.0


def test_autograding_ends_where_it_would_lose_what_a_person_entered(graded: Class) -> None:
    """The fault: nbgrader logged the error of the hook as information, and went on."""
    _enter(graded, manual_score=50.0)
    log = graded.folder / "results" / FORMGRADER
    log.write_text('{"student": "x"}\n')
    graded.decide(graded.submit("ada", "// worse\n", at=SECOND), a_verdict(correctness=0.0))
    done = graded.autograde("ada")
    assert not done["success"]
    assert f"What people entered about ada cannot be kept: Line 1 of {log}" in done["log"]
    log.unlink()
    assert graded.autograde("ada")["success"]
    assert _mark(graded).points == 90.0


def test_points_that_are_taken_back_count_no_more(graded: Class) -> None:
    _enter(graded, manual_score=50.0)
    assert _mark(graded).points == 90.0
    _enter(graded, manual_score=None)  # type: ignore[arg-type]
    assert _mark(graded).points == 53.5


def test_a_person_decides_what_the_machine_could_not(graded: Class) -> None:
    graded.decide(graded.submit("emmy", "// other\n"), a_verdict(correctness=Status.INFRA_ERROR))
    assert graded.autograde("emmy")["success"]
    assert _mark(graded, "emmy").points == 100.0  # of what was decided
    _enter(graded, student="emmy", manual_score=30.0)
    assert _mark(graded, "emmy").points == 70.0


def test_points_of_a_hand_in_whose_time_was_corrected_are_named(graded: Class) -> None:
    _enter(graded, manual_score=50.0)
    (graded.folder / "submitted" / "ada" / SLUG / "timestamp.txt").write_text(SECOND)
    assert _mark(graded).astray
    assert f"Run: nbgrader autograde {SLUG} --student ada" in _grader(graded, "marks")
    with pytest.raises(UsageError, match="fits no hand-in"):
        _grader(graded, "export")
    assert graded.autograde("ada")["success"]
    assert _mark(graded).by_hand.waiting  # the person looks again, at the time that counts
    _enter(graded, manual_score=50.0)
    assert _mark(graded).points == 90.0


def test_nbgraders_own_table_is_not_written(graded: Class, capfd: pytest.CaptureFixture[str]) -> None:
    """It knows nothing of late days, groups and adjustments, and would contradict the marks."""
    with pytest.raises(SystemExit) as left:
        graded.command("ExportApp")
    assert left.value.code == 2
    assert "grader class export" in capfd.readouterr().err
    assert not (graded.folder / "grades.csv").exists()


def test_a_gradebook_that_is_none_is_said(graded: Class) -> None:
    (graded.folder / "gradebook.db").write_text("no database")
    with pytest.raises(UsageError, match="cannot be read"):
        _mark(graded)
