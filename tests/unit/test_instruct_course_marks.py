"""Marks: which hand-in counts, what being late costs whom, and what students were told stays."""

from __future__ import annotations

import json
import random
import re
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest

from grader.course.catalog import Catalog
from grader.instruct.course import (
    Grades,
    Mark,
    Marking,
    ReleasedMarks,
    State,
    read_course,
    read_people,
    remember,
    totals,
)
from grader.instruct.course.attempts import read_roster, remembering, write_roster
from grader.instruct.course.decisions import Withdrawal, log_regrade, withdraw
from grader.instruct.course.explanation import explain
from grader.instruct.course.release import Release, release
from grader.instruct.course.retention import forget
from grader.instruct.results.lines import Lines
from grader.instruct.submissions import read_submissions
from grader.support.errors import UsageError
from grader.verdict import CheckResult, Status
from tests.unit.handmade_class import AFTER_ALL, COURSE, MULADD, NEGATE, HandmadeClass

LATE = "\n[late]\npenalty_per_day = 10\nbudget_days = 2\nmost_days = 4\n"
NEWER = {"grader": "2:b", "graded": "2026-11-01T00:00:00+00:00"}


@pytest.fixture
def made(tmp_path: Path, toy_catalog: Catalog) -> HandmadeClass:
    return HandmadeClass(tmp_path / "class", toy_catalog, COURSE + LATE)


def told(made: HandmadeClass, *, accept: bool = False) -> Release:
    """A release of the first assignment."""
    marks = [mark for mark in made.marks().values() if mark.assignment.exercise == NEGATE]
    return release(marks, ReleasedMarks(made.store.folder, made.store.secret), accept=accept)


def explained(made: HandmadeClass, mark: Mark) -> str:
    course = read_course(made.folder)
    return " ".join(explain(mark, made.catalog.find(mark.assignment.exercise), course.zone))


def test_a_mark_is_the_share_of_the_points_that_could_be_earned(made: HandmadeClass) -> None:
    made.grade(made.hand_in("ana", NEGATE, "2026-10-05T11:00"), 60)
    mark = made.mark("ana")
    assert (mark.state, mark.points) == (State.MARKED, 60.0)
    assert "earned 60 of 100 points" in explained(made, mark)


def test_before_anybody_hands_in_the_class_has_marks(made: HandmadeClass) -> None:
    with pytest.raises(UsageError, match="holds no submission"):
        made.marks()
    made.write("students.csv", "student\nana\n")
    early = datetime(2026, 10, 1, tzinfo=UTC)
    assert [made.mark("ana", now=now).state for now in (early, AFTER_ALL)] == [State.OPEN, State.MISSING]
    (made.folder / "submitted" / "ana.zip").touch()
    with pytest.raises(UsageError, match=r"ana\.zip is not a folder"):
        made.marks()
    shutil.rmtree(made.folder / "submitted")
    with pytest.raises(UsageError, match="An archive of an LMS makes them: grader class collect"):
        made.marks()


def test_the_only_hand_in_can_be_moved_out(made: HandmadeClass) -> None:
    """As a withdrawal asks for."""
    made.grade(made.hand_in("ana", NEGATE, "2026-10-05T11:00"), 60)
    made.marks()
    shutil.rmtree(made.folder / "submitted" / "ana" / NEGATE)
    assert made.mark("ana").points == 60.0


def test_a_mark_says_what_cost_its_points(made: HandmadeClass) -> None:
    """The first thing that a student asks; what could not run for it is no second reason."""
    checks = (
        CheckResult("build", Status.PASS, "Built in 2 s."),
        CheckResult("correctness", Status.PASS, "All 10 cases are right.", 60.0, 60.0),
        CheckResult("safety", Status.FAIL, "kernel.cu:16: Invalid read.", 0.0, 20.0),
        CheckResult("device_work", Status.CRASH, "Not judged: it crashed.", 0.0, 10.0),
        CheckResult("efficiency", Status.INCONCLUSIVE, "Too noisy.", 0.0, 10.0),
    )
    made.grade(made.hand_in("ana", NEGATE), 60, checks=checks)
    said = explained(made, made.mark("ana"))
    assert "Safety, 0 of 20 points: kernel.cu:16: Invalid read. " in said
    for untold in ("Built", "All 10", "Not judged", "Too noisy"):
        assert untold not in said
    broken = (CheckResult("build", Status.BUILD_ERROR, "negate does not compile."), checks[3])
    made.grade(made.hand_in("bo", NEGATE), 0, checks=broken)
    assert "Build: negate does not compile. Mark: 0 of 100" in explained(made, made.mark("bo"))


def test_nothing_handed_in_is_open_until_the_deadline_and_then_zero(made: HandmadeClass) -> None:
    made.write("students.csv", "student\nana\n")
    made.hand_in("bo", MULADD)
    before, after = datetime(2026, 10, 5, 11, tzinfo=UTC), datetime(2026, 10, 5, 13, tzinfo=UTC)
    assert made.mark("ana", now=before).state is State.OPEN
    assert not made.mark("ana", now=before).counts
    late = made.mark("ana", now=after)
    assert (late.state, late.points, late.counts) == (State.MISSING, 0.0, True)
    made.write("extensions.csv", f"student,exercise,days,reason\nana,{NEGATE},2,ill\n")
    assert made.mark("ana", now=after).state is State.OPEN
    assert "by an extension (ill)" in explained(made, made.mark("ana", now=after))


def test_what_nobody_judged_is_never_a_zero(made: HandmadeClass) -> None:
    submission = made.hand_in("ana", NEGATE, "2026-10-05T11:00")
    assert made.mark("ana").state is State.WAITING
    nothing = CheckResult("correctness", Status.INCONCLUSIVE, "Noise.", 0.0, 100.0)
    made.grade(submission, 0, checks=(nothing,))
    mark = made.mark("ana")
    assert (mark.state, mark.counts) == (State.WAITING, False)
    assert "a person has to look" in explained(made, mark)


def test_what_the_backend_of_record_cannot_judge_leaves_everybodys_denominator(
    tmp_path: Path, toy_course: Path
) -> None:
    facts = toy_course / "exercises" / NEGATE / "exercise.toml"
    facts.write_text(facts.read_text().replace("device_work = 20", "performance = 20"))
    made = HandmadeClass(tmp_path / "class", Catalog.open(toy_course))
    correct, safe = (
        CheckResult("correctness", Status.PASS, "", 60, 60),
        CheckResult("safety", Status.FAIL, "", 0, 20),
    )
    unavailable = CheckResult("performance", Status.UNAVAILABLE, "", 0, 20)
    hidden = CheckResult("performance", Status.BUILD_ERROR, "", 0, 20)  # a failed build came first
    made.grade(made.hand_in("ana", NEGATE), 0, checks=(correct, safe, unavailable))
    made.grade(made.hand_in("bo", NEGATE), 0, checks=(correct, safe, hidden))
    assert made.mark("ana").points == made.mark("bo").points == 75.0
    assert "20 points of performance cannot be judged on simt" in explained(made, made.mark("bo"))


def test_a_check_that_is_undecided_leaves_this_mark_alone(made: HandmadeClass) -> None:
    checks = (
        CheckResult("correctness", Status.PASS, "", 60, 60),
        CheckResult("safety", Status.INCONCLUSIVE, "", 0, 20),
        CheckResult("device_work", Status.FAIL, "", 0, 20),
    )
    made.grade(made.hand_in("ana", NEGATE), 0, checks=checks)
    assert made.mark("ana").points == 75.0
    assert "left out of this mark: safety" in explained(made, made.mark("ana"))


def test_the_last_hand_in_counts_even_if_it_is_worse(made: HandmadeClass) -> None:
    made.grade(made.hand_in("ana", NEGATE, "2026-10-04T11:00", "// one"), 90)
    assert made.mark("ana").points == 90.0
    made.grade(made.hand_in("ana", NEGATE, "2026-10-05T11:00", "// two"), 70)
    mark = made.mark("ana")
    assert (mark.points, mark.others) == (70.0, 1)
    assert "the last of 2 hand-ins" in explained(made, mark)


def test_the_best_hand_in_counts_once_lateness_is_taken_off(tmp_path: Path, toy_catalog: Catalog) -> None:
    late = LATE.replace("budget_days = 2", "budget_days = 0")
    made = HandmadeClass(tmp_path / "class", toy_catalog, 'takes = "best"\n' + COURSE + late)
    made.grade(made.hand_in("ana", NEGATE, "2026-10-04T11:00", "// one"), 80)
    made.mark("ana")  # notes the first hand-in before the next takes its place
    made.grade(made.hand_in("ana", NEGATE, "2026-10-07T11:00", "// two"), 95)  # two days: 76
    assert made.mark("ana").points == 80.0
    made.mark("ana")
    made.grade(made.hand_in("ana", NEGATE, "2026-10-06T11:00", "// three"), 95)  # one day: 85.5
    assert made.mark("ana").points == 85.5
    made.mark("ana")
    made.hand_in("ana", NEGATE, "2026-10-05T11:00", "// four")  # nobody judged it yet
    assert made.mark("ana").points == 85.5


def test_late_days_are_paid_in_the_order_of_the_deadlines(made: HandmadeClass) -> None:
    made.grade(made.hand_in("ana", MULADD, "2026-10-14T11:00"), 100)  # two days late
    made.grade(made.hand_in("ana", NEGATE, "2026-10-06T11:00"), 100)  # one day late, and due before
    first, second = made.mark("ana", NEGATE), made.mark("ana", MULADD)
    assert (first.charge.paid, first.points) == (1, 100.0)
    assert (second.charge.days, second.charge.paid, second.points) == (2, 1, 90.0)
    said = explained(made, second)
    assert "It is 2 days late; 1 of them is paid" in said
    assert "1 late day at 10 percent of what was earned costs 10 points" in said


def test_after_the_last_day_nothing_is_accepted_and_an_earlier_hand_in_counts(made: HandmadeClass) -> None:
    made.grade(made.hand_in("ana", NEGATE, "2026-10-12T11:00", "// late"), 100)
    mark = made.mark("ana")
    assert (mark.points, mark.charge.refused) == (0.0, True)
    assert "nothing is accepted after 4" in explained(made, mark)
    made.grade(made.hand_in("ana", NEGATE, "2026-10-05T11:00", "// in time"), 50)
    assert made.mark("ana").points == 50.0


def test_what_comes_too_late_is_settled_without_a_verdict(made: HandmadeClass) -> None:
    made.hand_in("ana", NEGATE, "2026-10-12T11:00")
    mark = made.mark("ana")
    assert (mark.state, mark.points) == (State.MARKED, 0.0)
    assert "run grader class grade" not in explained(made, mark)
    assert "nothing is accepted after 4" in explained(made, mark)


def test_adding_up_twice_spends_late_days_once(made: HandmadeClass) -> None:
    made.grade(made.hand_in("ana", NEGATE, "2026-10-07T11:00"), 100)
    course, store = read_course(made.folder), made.store
    attempts = remember(store, read_submissions(course.submissions, made.catalog), made.catalog)
    released = ReleasedMarks(store.folder, store.secret)
    marking = Marking(
        course, made.catalog, read_people(course), attempts, Grades(store.all()), released, AFTER_ALL
    )
    assert marking.marks() == marking.marks()
    assert marking.marks()[0].charge.paid == 2


def test_a_group_has_one_verdict_and_each_member_late_days_of_their_own(made: HandmadeClass) -> None:
    made.write("groups.csv", "group,student\nA,ana\nA,bo\n")
    made.write("extensions.csv", f"student,exercise,days,reason\nbo,{MULADD},7,ill\n")
    made.write("students.csv", "student\ncy\n")
    made.grade(made.hand_in("ana", NEGATE, "2026-10-07T11:00"), 100)  # two days: both budgets
    made.grade(made.hand_in("ana", MULADD, "2026-10-13T11:00"), 80)  # one day, but not for bo
    marks = made.marks()
    assert marks["bo", NEGATE].record == marks["ana", NEGATE].record is not None
    assert [marks[each, NEGATE].points for each in ("ana", "bo", "cy")] == [100.0, 100.0, 0.0]
    assert [marks[each, MULADD].points for each in ("ana", "bo")] == [72.0, 80.0]
    assert "Handed in by ana for group A" in explained(made, marks["bo", MULADD])


@pytest.mark.parametrize("takes", ["last", "best"])
def test_what_counts_for_a_member_with_an_extension_takes_nothing_from_the_others(
    tmp_path: Path, toy_catalog: Catalog, takes: str
) -> None:
    made = HandmadeClass(tmp_path / "class", toy_catalog, f'takes = "{takes}"\n{COURSE}{LATE}')
    made.write("groups.csv", "group,student\nA,ada\nA,ben\n")
    made.write("extensions.csv", f"student,exercise,days,reason\nada,{NEGATE},14,ill\n")
    made.grade(made.hand_in("ben", NEGATE, "2026-10-05T11:00"), 80)
    made.grade(made.hand_in("ada", NEGATE, "2026-10-15T11:00"), 90)
    marks = made.marks()
    assert [marks[each, NEGATE].points for each in ("ada", "ben")] == [90.0, 80.0]
    made.write("extensions.csv", f"student,exercise,days,reason\nada,{NEGATE},1,ill\n")
    assert [made.mark(each).points for each in ("ada", "ben")] == [80.0, 80.0]


@pytest.mark.parametrize("takes", ["last", "best"])
def test_a_time_that_is_set_right_leaves_no_hand_in_at_the_wrong_one(
    tmp_path: Path, toy_catalog: Catalog, takes: str
) -> None:
    made = HandmadeClass(tmp_path / "class", toy_catalog, f'takes = "{takes}"\n{COURSE}{LATE}')
    made.grade(made.hand_in("ada", NEGATE, "2026-10-05T11:00"), 80)
    assert made.mark("ada").points == 80.0
    made.hand_in("ada", NEGATE, "2026-10-15T11:00")  # the same files
    mark = made.mark("ada")
    assert (mark.points, mark.charge.refused, mark.others) == (0.0, True, 0)
    made.hand_in("ada", NEGATE, "2026-10-16T11:00", "// another")
    assert made.mark("ada").points == 0.0  # what was noted last of a content stands, also once it is replaced
    made.hand_in("ada", NEGATE, "2026-10-05T11:00")
    assert made.mark("ada").points == 80.0


def test_a_hand_in_that_is_withdrawn_counts_no_more_until_it_is_put_back(
    tmp_path: Path, toy_catalog: Catalog
) -> None:
    made = HandmadeClass(tmp_path / "class", toy_catalog, 'takes = "best"\n' + COURSE)
    strange = made.grade(made.hand_in("ada", NEGATE, "2026-10-04T11:00", "// ben's"), 100)
    made.marks()
    made.grade(made.hand_in("ada", NEGATE, "2026-10-05T11:00", "// her own"), 70)
    assert made.mark("ada").points == 100.0
    place = made.store.secret.pseudonym("ada"), NEGATE, strange.key.digest
    withdraw(made.store.folder, Withdrawal(*place, "", "ben's", "kim"))
    mark = made.mark("ada")
    assert (mark.points, mark.others) == (70.0, 0)
    made.hand_in("ada", NEGATE, "2026-10-04T11:00", "// ben's")
    assert made.mark("ada").points == 100.0


def test_what_a_person_added_is_kept_within_0_and_100(made: HandmadeClass) -> None:
    made.grade(made.hand_in("ana", NEGATE), 90)
    made.grade(made.hand_in("bo", NEGATE), 90)
    made.write(
        "adjustments.csv",
        "student,exercise,points,reason,by\n"
        f"ana,{NEGATE},15,explained it well,kim\nbo,{NEGATE},-100,not his own,kim\n",
    )
    assert made.mark("ana").points == 100.0
    assert made.mark("bo").points == 0.0
    assert "kim took off 100 points: not his own." in explained(made, made.mark("bo"))


def test_totals_go_by_weight_and_leave_out_what_is_not_settled(tmp_path: Path, toy_catalog: Catalog) -> None:
    course = COURSE.replace("due = 2026-10-12T12:00:00", "weight = 3")
    made = HandmadeClass(tmp_path / "class", toy_catalog, course)
    made.grade(made.hand_in("ana", NEGATE), 40)
    assert [(each.percent, each.settled, each.weight) for each in totals(made.marks().values())] == [
        (40.0, 1.0, 4.0)
    ]
    made.grade(made.hand_in("ana", MULADD), 80)
    assert totals(made.marks().values())[0].percent == 70.0


def test_of_two_gradings_the_later_one_counts(made: HandmadeClass) -> None:
    submission = made.hand_in("ana", NEGATE)
    made.grade(submission, 60)
    made.grade(submission, 80, **NEWER)
    assert made.mark("ana").points == 80.0


def test_a_record_of_another_backend_is_no_mark(made: HandmadeClass) -> None:
    made.grade(made.hand_in("ana", NEGATE), 100, backend="cuda")
    assert made.mark("ana").state is State.WAITING


def test_a_new_grader_never_lowers_what_was_released(made: HandmadeClass) -> None:
    submission = made.hand_in("ana", NEGATE)
    made.grade(submission, 80)
    assert [mark.student for mark in told(made).told] == ["ana"]
    made.grade(submission, 60, **NEWER)
    mark = made.mark("ana")
    assert (mark.points, mark.found, mark.flagged) == (80.0, 60.0, True)
    said = explained(made, mark)
    assert "FLAG" in said and "graded by 2:b instead of 1:a" in said
    exercise, zone = made.catalog.find(NEGATE), read_course(made.folder).zone
    to_student = " ".join(explain(mark, exercise, zone, to_student=True))
    assert "The mark of 80 that was released on" in to_student
    assert not {"FLAG", "grader", "seed", "record"} & set(re.findall(r"\w+", to_student))
    assert told(made).held == (mark,)
    assert made.mark("ana").points == 80.0
    lowered = told(made, accept=True).lowered
    assert [each.student for each in lowered] == ["ana"]
    mark = made.mark("ana")
    assert (mark.points, mark.flagged) == (60.0, False)


def test_a_mark_that_rises_counts_at_once_and_is_told_by_the_next_release(made: HandmadeClass) -> None:
    submission = made.hand_in("ana", NEGATE)
    made.grade(submission, 60)
    told(made)
    made.grade(submission, 90, **NEWER)
    mark = made.mark("ana")
    assert (mark.points, mark.risen) == (90.0, True)
    assert told(made).told == (mark,)
    assert told(made).told == ()  # nothing new to tell


def test_a_released_mark_stands_while_a_later_hand_in_waits(made: HandmadeClass) -> None:
    made.grade(made.hand_in("ana", NEGATE, "2026-10-04T11:00", "// one"), 60)
    told(made)
    made.hand_in("ana", NEGATE, "2026-10-05T11:00", "// two")
    mark = made.mark("ana")
    assert (mark.state, mark.points, mark.counts, mark.flagged) == (State.WAITING, 60.0, True, False)
    assert told(made).told == ()


def test_the_names_of_students_are_in_the_roster_alone(made: HandmadeClass) -> None:
    before = made.grade(made.hand_in("zacharias", NEGATE), 60)
    told(made)
    log_regrade(
        made.store.folder, made.store.secret.pseudonym("zacharias"), before, before, reason="asked", by="kim"
    )
    naming = [
        path.name
        for path in made.store.folder.rglob("*")
        if path.is_file() and "zacharias" in path.read_text()
    ]
    assert naming == ["roster.csv"]


def test_hand_ins_are_noted_once_and_outlive_their_folder(made: HandmadeClass) -> None:
    made.grade(made.hand_in("ana", NEGATE, "2026-10-05T11:00"), 60)
    made.marks()
    made.marks()
    lines = (made.store.folder / "attempts.jsonl").read_text().splitlines()
    assert len(lines) == 1
    (made.folder / "submitted").rename(made.folder / "archived")
    assert made.mark("ana").points == 60.0


def test_a_log_that_somebody_edited_is_refused_with_its_line(made: HandmadeClass) -> None:
    made.grade(made.hand_in("ana", NEGATE), 60)
    told(made)
    with (made.store.folder / "released.jsonl").open("a") as log:
        log.write('{"student": "x"}\n')
    with pytest.raises(UsageError, match=r"Line 2 of .*released\.jsonl"):
        made.marks()


def test_what_is_old_is_forgotten_and_what_is_not_stays(made: HandmadeClass) -> None:
    old = made.grade(made.hand_in("ana", NEGATE, "2026-10-05T11:00"), 60)
    new = made.grade(made.hand_in("bo", MULADD, "2026-12-05T11:00"), 80, graded="2026-12-06T00:00:00+00:00")
    made.marks()
    for record, student in ((old, "ana"), (new, "bo")):
        made.store.log.append(record, made.store.secret.pseudonym(student))
    dry = forget(made.store, date(2026, 11, 1), apply=False)
    assert (dry.records, dry.people, dry.secret) == (1, 1, False)
    assert made.mark("ana").points == 60.0
    done = forget(made.store, date(2026, 11, 1), apply=True)
    assert done == dry
    assert [record.key for record in made.store.all()] == [new.key]
    everything = "".join(path.read_text() for path in made.store.folder.rglob("*") if path.is_file())
    assert "ana" not in everything and made.store.secret.pseudonym("ana") not in everything
    assert old.key.digest not in everything
    entries = [(entry.student, entry.exercise, entry.earned) for entry in made.store.log.entries()]
    assert entries == [("", NEGATE, 60.0), (made.store.secret.pseudonym("bo"), MULADD, 80.0)]
    assert not any(forget(made.store, date(2026, 11, 1), apply=True).lines.values())


def test_when_everybody_is_forgotten_the_secret_goes_too(made: HandmadeClass) -> None:
    made.grade(made.hand_in("ana", NEGATE), 60)  # without a time: as old as its record
    told(made)
    killed = ("faults/00_negate-1-1.txt", "records/.a.json.b", "superseded/.a.1.json.b", ".roster.csv.b")
    for name in killed:
        (made.store.folder / name).parent.mkdir(exist_ok=True)
        (made.store.folder / name).write_text("ana\n")
    assert forget(made.store, date(2000, 1, 1), apply=True).leftovers == 0
    done = forget(made.store, date(2999, 1, 1), apply=True)
    assert done.leftovers == len(killed)
    assert done.secret
    left = {path.name for path in made.store.folder.rglob("*") if path.is_file() and path.read_text()}
    assert left == set()


def test_a_withdrawal_is_forgotten_with_its_hand_in_and_not_before(made: HandmadeClass) -> None:
    record = made.grade(made.hand_in("ana", NEGATE, "2026-10-05T11:00"), 60)
    made.marks()
    name, moment = made.store.secret.pseudonym("ana"), "2026-10-05T11:00:00+00:00"
    withdraw(made.store.folder, Withdrawal(name, NEGATE, record.key.digest, moment, "so", "kim"))
    for day, gone in ((date(2026, 10, 5), 0), (date(2026, 10, 6), 1)):
        lines = forget(made.store, day, apply=True).lines
        assert (lines["attempts.jsonl"], lines["withdrawn.jsonl"]) == (gone, gone)


def test_what_has_no_time_is_as_old_as_its_line(made: HandmadeClass) -> None:
    """Nobody graded it, and nobody knows when it was handed in: it still has to go some day."""
    made.hand_in("ana", NEGATE)
    made.marks()
    log = made.store.folder / "attempts.jsonl"
    line = json.loads(log.read_text())
    withdrawn = Withdrawal(line["student"], NEGATE, line["digest"], "", "so", "kim")
    withdraw(made.store.folder, withdrawn)
    noted = datetime.fromisoformat(line["noted"]).date()
    assert not any(forget(made.store, noted, apply=True).lines.values())
    assert sorted(read_roster(made.store.folder).values()) == ["ana"]
    done = forget(made.store, noted + timedelta(days=1), apply=True)
    assert (done.lines["attempts.jsonl"], done.lines["withdrawn.jsonl"]) == (1, 1)
    assert (done.people, done.secret) == (1, True)


def test_a_record_that_cannot_be_read_is_named_when_forgetting(made: HandmadeClass) -> None:
    (made.store.folder / "records").mkdir(parents=True)
    (made.store.folder / "records" / "abc.json").write_text("{}")
    with pytest.raises(UsageError, match=r"abc\.json cannot be read"):
        forget(made.store, date(2026, 11, 1), apply=False)


def test_the_roster_is_not_rewritten_while_marks_enter_somebody(made: HandmadeClass) -> None:
    made.grade(made.hand_in("ana", NEGATE, "2026-10-05T11:00"), 60)
    made.grade(made.hand_in("bo", NEGATE, "2026-12-05T11:00"), 60, graded="2026-12-06T00:00:00+00:00")
    made.marks()
    forgetting = Thread(target=forget, args=(made.store, date(2026, 11, 1)), kwargs={"apply": True})
    with remembering(made.store.folder):
        forgetting.start()
        forgetting.join(0.3)
        assert forgetting.is_alive()
        name = made.store.secret.pseudonym("cy")
        write_roster(made.store.folder, read_roster(made.store.folder) | {name: "cy"})
        record = made.grade(made.hand_in("cy", NEGATE), 60, graded="2026-12-06T00:00:00+00:00")
        made.store.log.append(record, name)
    forgetting.join(30)
    assert sorted(read_roster(made.store.folder).values()) == ["bo", "cy"]


def test_a_regrade_says_which_checks_ended_otherwise(made: HandmadeClass) -> None:
    submission = made.hand_in("ana", NEGATE)
    before, after = made.grade(submission, 60), made.grade(submission, 80, **NEWER)
    regrade = log_regrade(made.store.folder, "p", before, after, reason="asked", by="kim")
    assert "60 points before, 80 now; correctness ended otherwise, for the same inputs." in regrade
    [line] = (made.store.folder / "regrades.jsonl").read_text().splitlines()
    assert json.loads(line)["seed"] == before.verdict.seed == 7
    same = log_regrade(made.store.folder, "p", before, before, reason="asked", by="kim")
    assert "every check ended as before" in same


def test_what_is_put_back_into_the_folder_is_the_last_hand_in_again(made: HandmadeClass) -> None:
    first = made.grade(made.hand_in("ana", NEGATE, "2026-10-04T11:00", "// one"), 90)
    made.marks()
    made.grade(made.hand_in("ana", NEGATE, "2026-10-05T11:00", "// two"), 70)
    assert made.mark("ana").points == 70.0
    made.hand_in("ana", NEGATE, "2026-10-04T11:00", "// one")
    assert made.mark("ana").record == first
    made.hand_in("ana", NEGATE, text="// two")  # and without a time
    assert made.mark("ana").points == 70.0


def test_a_line_of_hand_ins_that_lacks_something_is_named(made: HandmadeClass) -> None:
    made.hand_in("ana", NEGATE)
    made.marks()
    with (made.store.folder / "attempts.jsonl").open("a") as log:
        log.write('{"student": "x"}\n')
    with pytest.raises(UsageError, match=r"Line 2 of .*attempts\.jsonl"):
        made.marks()


@pytest.mark.parametrize("takes", ["last", "best"])
def test_whatever_a_class_does_no_rule_is_broken(tmp_path: Path, toy_catalog: Catalog, takes: str) -> None:
    """Random classes: points within 0 and 100, budgets never overspent, one verdict for a group.

    Where one member has longer, that may be another's than what counts for the rest.
    """
    draw = random.Random(takes)
    for number in range(8):
        course = f'takes = "{takes}"\n{COURSE}{LATE}'
        made = HandmadeClass(tmp_path / str(number), toy_catalog, course)
        made.write("groups.csv", "group,student\nA,s0\nA,s1\nB,s2\nB,s3\n")
        made.write("extensions.csv", f"student,exercise,days,reason\ns1,*,{draw.randrange(1, 4)},ill\n")
        for round_ in range(3):
            for student in (f"s{each}" for each in range(6) if draw.random() < 0.7):
                slug = draw.choice([NEGATE, MULADD])
                when = f"2026-10-{draw.randrange(4, 18):02}T{draw.randrange(24):02}:00"
                submission = made.hand_in(student, slug, when, f"// {number} {round_} {draw.random()}")
                if draw.random() < 0.8:
                    made.grade(submission, draw.choice([0, 30, 60, 100]))
            marks = made.marks()
            if round_ == 1:
                release(marks.values(), ReleasedMarks(made.store.folder, made.store.secret), accept=False)
                told = {place: mark.points for place, mark in made.marks().items() if mark.released}
            if round_ == 2:
                assert all(marks[place].points >= points for place, points in told.items())
        assert all(0.0 <= mark.points <= 100.0 for mark in marks.values())
        for student in {student for student, _ in marks}:
            assert sum(mark.charge.paid for place, mark in marks.items() if place[0] == student) <= 2
        for slug in (NEGATE, MULADD):
            assert marks["s2", slug].attempt == marks["s3", slug].attempt
            assert not marks["s1", slug].charge.refused or marks["s0", slug].charge.refused


def test_a_line_that_is_added_while_a_log_is_rewritten_is_not_lost(tmp_path: Path) -> None:
    lines = Lines(tmp_path / "log.jsonl")
    lines.append({"n": -1, "seen": 0})

    def add(first: int) -> None:
        for number in range(first, first + 40):
            lines.append({"n": number, "seen": 0})

    adders = [Thread(target=add, args=(40 * each,)) for each in range(3)]
    for adder in adders:
        adder.start()
    while any(adder.is_alive() for adder in adders):
        assert lines.rewrite(lambda line: line | {"seen": line["seen"] + 1}) > 0
    assert lines.rewrite(lambda line: None if line["n"] < 0 else line) == 1
    assert sorted(line["n"] for _, line in lines) == list(range(120))
