"""What people entered in formgrader, read without nbgrader: which hand-in it is about, and for how long."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from grader.cli.export import export_marks
from grader.cli.marks_changes import release_marks
from grader.cli.term import MarksOptions
from grader.course.catalog import Catalog
from grader.instruct.course import State
from grader.instruct.course.explanation import explain
from grader.instruct.course.hand_scores import FORMGRADER
from grader.instruct.course.merge_ids import rename
from grader.instruct.course.retention import forget
from grader.support.errors import UsageError
from grader.verdict import CheckResult, Status
from tests.unit.handmade_class import COURSE, NEGATE, HandmadeClass

SCHEMA = """
CREATE TABLE assignment (id, name);
CREATE TABLE submitted_assignment (id, assignment_id, student_id, timestamp);
CREATE TABLE submitted_notebook (id, assignment_id);
CREATE TABLE base_cell (id, name);
CREATE TABLE grade_cells (id, max_score);
CREATE TABLE task_cells (id, max_score);
CREATE TABLE grade (notebook_id, cell_id, auto_score, manual_score, extra_credit, needs_manual_grade);
CREATE TABLE comment (notebook_id, cell_id, manual_comment);
"""
MORNING = "2026-10-05 08:00:00.000000"
Scores = dict[str, tuple[float, float | None, float | None, int]]  # maximum, automatic, manual, and needed
AUTOMATIC: Scores = {"check-correctness": (100, 80, None, 0)}


@pytest.fixture
def made(tmp_path: Path, toy_catalog: Catalog) -> HandmadeClass:
    """ana's 80 of 100 came in the morning."""
    made = HandmadeClass(tmp_path / "class", toy_catalog, COURSE)
    made.grade(made.hand_in("ana", NEGATE, "2026-10-05T08:00"), 80)
    return made


def gradebook(
    made: HandmadeClass, scores: Scores, *, when: str = MORNING, comment: str = "", extra: float | None = None
) -> None:
    """What nbgrader's tables say of ana, as far as they are read."""
    path = made.folder / "gradebook.db"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as book, book:
        book.executescript(SCHEMA)
        book.execute("INSERT INTO assignment VALUES (1, ?)", (NEGATE,))
        book.execute("INSERT INTO submitted_assignment VALUES (2, 1, 'ana', ?)", (when,))
        book.execute("INSERT INTO submitted_notebook VALUES (3, 2)")
        for name, (most, auto, manual, needed) in scores.items():
            book.execute("INSERT INTO base_cell VALUES (?, ?)", (name, name))
            book.execute("INSERT INTO grade_cells VALUES (?, ?)", (name, most))
            book.execute("INSERT INTO grade VALUES (3, ?, ?, ?, ?, ?)", (name, auto, manual, extra, needed))
            book.execute("INSERT INTO comment VALUES (3, ?, ?)", (name, comment))


def test_a_persons_points_take_the_place_of_the_checks(made: HandmadeClass) -> None:
    gradebook(made, {"check-correctness": (100, 80, None, 0)})
    assert made.mark("ana").points == 80.0
    assert not (made.store.folder / FORMGRADER).exists()
    gradebook(made, {"check-correctness": (100, 80, 95, 0)}, comment="Nice.")
    assert made.mark("ana").points == 95.0
    assert made.mark("ana").by_hand.comments == ("Nice.",)
    lines = (made.store.folder / FORMGRADER).read_text()
    assert lines.count("\n") == 1 and '"ana"' not in lines  # noted once, under a pseudonym


def test_questions_of_the_instructors_own_count_once_they_are_marked(made: HandmadeClass) -> None:
    check = {"check-correctness": (100.0, 80.0, None, 0)}
    gradebook(made, {**check, "why": (25, None, None, 1)})
    assert (made.mark("ana").state, made.mark("ana").by_hand.waiting) == (State.WAITING, ("why",))
    gradebook(made, {**check, "why": (25, None, 20, 0)})
    assert made.mark("ana").points == 80.0  # 100 of 125
    gradebook(made, {**check, "why": (25, 0, None, 0)})  # as it was handed out
    assert made.mark("ana").points == 64.0


def test_a_question_whose_id_begins_as_that_of_a_check_is_a_question(made: HandmadeClass) -> None:
    """The fault: while nobody had read it, it counted as nothing, and the mark was settled without it."""
    gradebook(made, {**AUTOMATIC, "check-in": (25, None, None, 1)})
    assert (made.mark("ana").state, made.mark("ana").by_hand.waiting) == (State.WAITING, ("check-in",))
    gradebook(made, {**AUTOMATIC, "check-in": (25, None, 20, 0)})
    assert (made.mark("ana").points, made.mark("ana").by_hand.further) == (80.0, (20.0, 25.0))


def test_extra_credit_for_an_earlier_hand_in_waits_for_a_person(made: HandmadeClass) -> None:
    gradebook(made, AUTOMATIC, extra=5)
    assert made.mark("ana").points == 85.0
    gradebook(made, {"check-correctness": (100, 80, None, 1)}, extra=5)
    assert (made.mark("ana").state, made.mark("ana").by_hand.waiting) == (
        State.WAITING,
        ("check-correctness",),
    )


def test_answers_that_nbgrader_does_not_have_are_waited_for(made: HandmadeClass) -> None:
    """The fault: the mark of a hand-in that was not autograded yet lacked one's own questions."""
    gradebook(made, {**AUTOMATIC, "why": (25, None, 20, 0)})
    made.grade(made.hand_in("bo", NEGATE, "2026-10-05T09:00"), 100)
    assert made.mark("ana").points == 80.0
    made.grade(made.hand_in("ana", NEGATE, "2026-10-05T11:00", "// better\n"), 100)
    for student in ("ana", "bo"):
        assert (made.mark(student).state, made.mark(student).counts) == (State.WAITING, False)
        said = " ".join(explain(made.mark(student), made.catalog.find(NEGATE), ZoneInfo("UTC")))
        assert f"not in formgrader yet: run nbgrader autograde {NEGATE} --student {student}." in said
    made.write("course.toml", 'takes = "best"\n' + COURSE)
    assert made.mark("ana").points == 80.0  # an earlier one that is marked counts meanwhile, as for a score
    made.write("course.toml", COURSE)
    gradebook(made, {**AUTOMATIC, "why": (25, None, 25, 0)}, when="2026-10-05 11:00:00.000000")
    assert made.mark("ana").points == 100.0  # 125 of 125


def test_what_is_astray_is_astray_for_the_group(made: HandmadeClass) -> None:
    made.write("groups.csv", "group,student\none,ana\none,bo\n")
    gradebook(made, {"check-correctness": (100, 80, 95, 0)}, when="2026-10-05 07:00:00.000000")
    assert [made.mark(student).astray for student in ("ana", "bo")] == ["ana", "ana"]
    said = explain(made.mark("bo"), made.catalog.find(NEGATE), ZoneInfo("UTC"))
    assert any(f"nbgrader autograde {NEGATE} --student ana" in sentence for sentence in said)


def test_a_check_that_a_person_judged_counts_and_the_explanation_does_not_deny_it(
    tmp_path: Path, toy_course: Path
) -> None:
    facts = toy_course / "exercises" / NEGATE / "exercise.toml"
    facts.write_text(facts.read_text().replace("device_work = 20", "performance = 20"))
    made = HandmadeClass(tmp_path / "class", Catalog.open(toy_course))
    correct = CheckResult("correctness", Status.PASS, "", 60, 60)
    safe = CheckResult("safety", Status.PASS, "", 20, 20)
    slow = CheckResult("performance", Status.UNAVAILABLE, "", 0, 20)
    made.grade(made.hand_in("ana", NEGATE, "2026-10-05T08:00"), 0, checks=(correct, safe, slow))
    gradebook(made, {"check-performance": (20, None, 15, 0)})
    assert made.mark("ana").points == 95.0
    said = " ".join(explain(made.mark("ana"), made.catalog.find(NEGATE), ZoneInfo("UTC")))
    assert "For performance a person gave 15 of 20 points." in said
    assert "cannot be judged" not in said


def test_where_there_is_no_verdict_a_person_marks_all_of_it(made: HandmadeClass) -> None:
    made.hand_in("ana", NEGATE, "2026-10-05T08:00", "// other\n")
    gradebook(made, {"check-correctness": (60, None, 30, 0), "check-safety": (20, None, 20, 0)})
    assert made.mark("ana").state is State.WAITING  # device_work is missing
    gradebook(
        made,
        {
            f"check-{name}": (most, None, most / 2, 0)
            for name, most in made.catalog.find(NEGATE).scores.items()
        },
    )
    assert made.mark("ana").points == 50.0


def test_what_was_entered_outlives_the_gradebook_and_no_longer(made: HandmadeClass) -> None:
    gradebook(made, {"check-correctness": (100, 80, 95, 0)})
    made.marks()
    (made.folder / "gradebook.db").unlink()
    assert made.mark("ana").points == 95.0
    assert forget(made.store, date(2026, 10, 5), apply=False).lines[FORMGRADER] == 0
    assert forget(made.store, date(2026, 10, 6), apply=True).lines[FORMGRADER] == 1
    assert (made.store.folder / FORMGRADER).read_text() == ""


def test_a_mark_that_lacks_what_a_person_entered_is_neither_released_nor_written(
    made: HandmadeClass, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fault: a release froze the mark without those points, and a CSV had it."""
    gradebook(made, {"check-correctness": (100, 80, 95, 0)}, when="2026-10-05 07:00:00.000000")
    assert made.mark("ana").astray
    options = MarksOptions(made.folder, made.catalog.course, names=(NEGATE,))
    assert release_marks(options, accept=False) == 1
    said = capsys.readouterr().out
    assert "0 marks released." in said and "1 mark not released:" in said
    assert f"Run: nbgrader autograde {NEGATE} --student ana" in said
    assert made.mark("ana").released is None
    with pytest.raises(UsageError, match="fits no hand-in"):
        export_marks(options, None, "")
    assert not (made.folder / "marks.csv").exists()
    gradebook(made, {"check-correctness": (100, 80, 95, 0)})
    assert release_marks(options, accept=False) == 0
    assert made.mark("ana").released is not None


def test_it_goes_along_to_another_id(made: HandmadeClass) -> None:
    gradebook(made, {"check-correctness": (100, 80, 95, 0)})
    made.marks()
    (made.folder / "gradebook.db").unlink()
    assert rename(made.store, NEGATE, {"ana": "anna"}) == ["ana"]
    (made.folder / "submitted" / "ana").rename(made.folder / "submitted" / "anna")
    assert made.mark("anna").points == 95.0


def test_a_gradebook_that_another_program_writes_to_is_no_broken_one(
    made: HandmadeClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.instruct.course.gradebook._PATIENCE", 0.0)
    gradebook(made, AUTOMATIC)
    with closing(sqlite3.connect(made.folder / "gradebook.db", isolation_level=None)) as book:
        book.execute("BEGIN EXCLUSIVE")
        with pytest.raises(UsageError, match="try again") as refused:
            made.marks()
    assert "backup" not in str(refused.value)


def test_a_damaged_line_is_named(made: HandmadeClass) -> None:
    made.marks()
    (made.store.folder / FORMGRADER).write_text('{"student": "x"}\n')
    with pytest.raises(UsageError, match=r"Line 1 of .*formgrader\.jsonl"):
        made.marks()
