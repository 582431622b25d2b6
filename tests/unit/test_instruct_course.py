"""course.toml and the tables beside it: what they say, and how a mistake in them is named."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from grader.course.catalog import Catalog
from grader.instruct.course import read_course, read_people
from grader.instruct.course.lateness import charge, days_late
from grader.instruct.course.policy import LatePolicy
from grader.support.errors import UsageError
from tests.unit.handmade_class import COURSE, MULADD, NEGATE, HandmadeClass

FULL = f"""\
title = "CUDA"
timezone = "Europe/Berlin"
backend = "simt"
takes = "best"

[late]
grace_minutes = 10
penalty_per_day = 20
budget_days = 3
most_days = 4

[assignments.{NEGATE}]
due = 2026-10-05T23:59:00
weight = 2

[assignments.{MULADD}]
due = 2026-10-12T23:59:00+00:00
backend = "cuda"
takes = "last"
late = {{ penalty_per_day = 50, budget = false }}

"""


def written(tmp_path: Path, text: str) -> Path:
    (tmp_path / "course.toml").write_text(text)
    return tmp_path


def test_assignments_take_from_the_course_what_they_do_not_say(tmp_path: Path) -> None:
    course = read_course(written(tmp_path, FULL))
    negate, muladd = course.assignments.values()
    assert (negate.backend, negate.takes, negate.weight, negate.late.per_day) == ("simt", "best", 2.0, 20.0)
    assert (muladd.backend, muladd.takes, muladd.weight, muladd.late.per_day) == ("cuda", "last", 1.0, 50.0)
    assert negate.late.budget and not muladd.late.budget
    assert muladd.late.most_days == 4
    assert muladd.late.grace == timedelta(minutes=10)
    assert course.late_days == 3
    assert course.backend_of(MULADD) == "cuda"
    assert course.backend_of("42_not_here") == "simt"


def test_a_time_without_an_offset_is_meant_in_the_courses_time_zone(tmp_path: Path) -> None:
    negate, muladd = read_course(written(tmp_path, FULL)).assignments.values()
    assert negate.due is not None and muladd.due is not None
    assert negate.due.astimezone(UTC) == datetime(2026, 10, 5, 21, 59, tzinfo=UTC)  # summer time
    assert muladd.due == datetime(2026, 10, 12, 23, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('takes = "best"', 'takes = "first"', "`takes` must be one of last, best, not 'first'"),
        ('takes = "best"', 'take = "best"', "`take` is not a known key"),
        (
            "weight = 2",
            'weight = "two"',
            "weight` must be a number, zero or more, not 'two'",
        ),
        (
            "weight = 2",
            "weight = nan",
            f"`assignments.{NEGATE}.weight` must be a number, zero or more",
        ),
        ("due = 2026-10-05T23:59:00", "due = 2026-10-05", "as 2026-10-19T23:59:00"),
        ("Europe/Berlin", "Europe/Atlantis", "IANA"),
        ('takes = "best"', 'takes = "best"\nsite = "gpu.example.org"', "https://"),
        (NEGATE, "negate", "the whole name"),
        (
            "penalty_per_day = 20",
            "penalty_per_day = 200",
            "`late.penalty_per_day` must be a number from",
        ),
        ("penalty_per_day = 20", "penalty = 20", "`late.penalty` is not a known key"),
        ("budget = false", "budget_days = 1", f"`assignments.{MULADD}.late.budget_days` is not a known key"),
        ("budget_days = 3", "budget_days = -3", "`late.budget_days` must be a whole number, zero or more"),
        ("late = { penalty", "late = 3  # { penalty", f"`assignments.{MULADD}.late` must be a table, not 3"),
        ('title = "CUDA"', "title = CUDA", "cannot be read"),
    ],
)
def test_a_mistake_is_named_with_what_was_expected(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_course(written(tmp_path, FULL.replace(old, new, 1)))
    assert said in str(caught.value)
    assert "course.toml" in str(caught.value)
    assert caught.value.next.endswith("then run the same command again")


def test_a_folder_without_a_course_is_told_how_to_begin_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="grader class new"):
        read_course(tmp_path)


def test_an_assignment_that_the_catalog_does_not_have(tmp_path: Path, toy_catalog: Catalog) -> None:
    course = read_course(written(tmp_path, COURSE.replace(NEGATE, "00_negatte")))
    with pytest.raises(UsageError, match="no such exercise"):
        course.exercises(toy_catalog)


def test_what_a_backend_cannot_judge_counts_for_nobody() -> None:
    muladd = Catalog.open(Path(__file__).resolve().parents[2]).find("14")
    assert set(muladd.scores) - set(muladd.scores_on("simt")) == {"performance"}
    assert set(muladd.scores) - set(muladd.scores_on("cuda")) <= {"efficiency"}


@pytest.mark.parametrize(
    ("hours", "days"), [(-1, 0), (0, 0), (0.25, 0), (0.5, 1), (24, 1), (24.01, 2), (48, 2), (720, 30)]
)
def test_late_days_are_begun_days_after_the_deadline(hours: float, days: int) -> None:
    due = datetime(2026, 10, 5, tzinfo=UTC)
    assert days_late(due + timedelta(hours=hours), due, timedelta(minutes=15)) == days


def test_a_day_has_24_hours_also_when_the_clocks_change(tmp_path: Path) -> None:
    zone = read_course(written(tmp_path, FULL)).zone
    due = datetime(2026, 10, 24, 12, tzinfo=zone)  # summer time ends in the following night
    assert days_late(datetime(2026, 10, 25, 11, tzinfo=zone), due, timedelta()) == 1
    assert days_late(datetime(2026, 10, 25, 12, tzinfo=zone), due, timedelta()) == 2  # 25 hours later


def test_a_time_that_does_not_exist_in_utc_is_late_or_not() -> None:
    due = datetime(2026, 10, 5, tzinfo=UTC)
    east, west = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))
    assert days_late(datetime(1, 1, 1, tzinfo=east), due, timedelta()) == 0
    assert days_late(datetime(9999, 12, 31, 23, tzinfo=west), due, timedelta()) > 2_900_000


def test_what_late_days_cost() -> None:
    policy = LatePolicy(per_day=10, most_days=5)
    assert charge(policy, 2, 0, 80.0).lost == 16.0
    assert charge(LatePolicy(per_day=10, of="possible"), 2, 0, 80.0).lost == 20.0
    assert charge(LatePolicy(per_day=60, of="possible"), 2, 0, 80.0).lost == 80.0  # never below zero
    paid = charge(policy, 3, 2, 80.0)
    assert (paid.paid, paid.lost) == (2, 8.0)
    assert charge(LatePolicy(per_day=10, budget=False), 1, 5, 80.0).lost == 8.0
    refused = charge(policy, 6, 9, 80.0)
    assert (refused.refused, refused.lost, refused.paid) == (True, 80.0, 0)


def test_the_budget_pays_nothing_where_nothing_is_saved() -> None:
    assert charge(LatePolicy(per_day=10), 2, 3, 0.0).paid == 0
    assert charge(LatePolicy(per_day=0), 2, 3, 80.0).paid == 0
    lost = charge(LatePolicy(per_day=10, of="possible"), 3, 1, 8.0)  # 30 without the budget, 20 with it
    assert (lost.paid, lost.lost) == (0, 8.0)
    saved = charge(LatePolicy(per_day=10, of="possible"), 3, 3, 8.0)
    assert (saved.paid, saved.lost) == (3, 0.0)


def test_tables_may_come_from_a_spreadsheet(tmp_path: Path, toy_catalog: Catalog) -> None:
    made = HandmadeClass(tmp_path / "class", toy_catalog)
    made.write("students.csv", "\ufeffStudent;Name\nana;Ana, the first\n\nbo;Bo\n")
    made.write("extensions.csv", f'student,exercise,days,until,reason\nana,{NEGATE},2,,"ill, with\na note"\n')
    people = read_people(read_course(made.folder))
    assert people.students == {"ana": "Ana, the first", "bo": "Bo"}
    due = datetime(2026, 10, 5, 12, tzinfo=UTC)
    assert people.due("ana", NEGATE, due) == (due + timedelta(days=2), "ill, with\na note")
    assert people.due("bo", NEGATE, due) == (due, "")
    assert people.due("ana", MULADD, due) == (due, "")


def test_of_several_extensions_the_latest_counts(tmp_path: Path, toy_catalog: Catalog) -> None:
    made = HandmadeClass(tmp_path / "class", toy_catalog)
    made.write(
        "extensions.csv",
        "student,exercise,until,days,reason\n"
        f"ana,{NEGATE},2026-10-09T12:00,,travel\nana,*,,1,always\nana,{NEGATE},2026-10-01T12:00,,earlier\n",
    )
    people = read_people(read_course(made.folder))
    due = datetime(2026, 10, 5, 12, tzinfo=UTC)
    assert people.due("ana", NEGATE, due) == (datetime(2026, 10, 9, 12, tzinfo=UTC), "travel")
    assert people.due("ana", MULADD, due) == (due + timedelta(days=1), "always")


def test_a_deadline_at_the_end_of_the_calendar_cannot_be_extended(
    tmp_path: Path, toy_catalog: Catalog
) -> None:
    made = HandmadeClass(tmp_path / "class", toy_catalog)
    made.write("extensions.csv", "student,exercise,days,reason\nana,*,366,ill\n")
    people = read_people(read_course(made.folder))
    never = datetime(9999, 12, 31, tzinfo=UTC)
    assert people.due("ana", NEGATE, never) == (never, "")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("extensions.csv", "student,exercise\nana,*\n", "no column 'reason'"),
        ("extensions.csv", "student,exercise,days,reason\nana,*,,ill\n", "both or none"),
        ("extensions.csv", "student,exercise,days,reason\nana,*,two,ill\n", "has days 'two'"),
        ("extensions.csv", "student,exercise,days,reason\nana,*,1e12,ill\n", "Line 2 of "),
        ("extensions.csv", "student,exercise,days,reason\nana,*,1e6,ill\n", "has days '1e6'"),
        ("extensions.csv", "student,exercise,days,reason\nana,*,-1e6,ill\n", "of 1 to 366 days"),
        ("extensions.csv", "student,exercise,days,reason\nana,*,367,ill\n", "has days '367'"),
        ("extensions.csv", "student,exercise,days,reason\nana,*,0,ill\n", "has days '0'"),
        ("extensions.csv", "student,exercise,days,reason\nana,*,-2,ill\n", "Line 2 of "),
        ("extensions.csv", "student,exercise,days,reason\n../x,*,1,ill\n", "has the student '../x'"),
        ("groups.csv", "group,student\na,ana\na,bo b\n", "has the student 'bo b'"),
        ("extensions.csv", "student,exercise,until,reason\nana,*,monday,ill\n", "until 'monday'"),
        ("extensions.csv", "student,exercise,until,reason\nana,*,2026-10-21,ill\n", "until '2026-10-21'"),
        ("extensions.csv", "student,exercise,days,reason\nana,*,1,\n", "gives no reason"),
        ("extensions.csv", "student,exercise,days,reason\nana,03_muladd,1,ill\n", "names the exercise"),
        ("extensions.csv", "student,exercise,days,reason\nana,*,1,ill,very\n", "more fields"),
        ("groups.csv", "group,student\na,ana\nb,ana\n", "into a second group"),
        ("groups.csv", "group,student\n,ana\n", "has no group"),
        ("groups.csv", "group,student\na,\n", "has no student"),
        (
            "adjustments.csv",
            f"student,exercise,points,reason,by\nana,{NEGATE},nan,so,me\n",
            "has points 'nan'",
        ),
        ("adjustments.csv", f"student,exercise,points,reason,by\nana,{NEGATE},5,,me\n", "lacks a reason"),
        ("adjustments.csv", f"student,exercise,points,reason,by\n-,{NEGATE},5,so,me\n", "the student '-'"),
        ("students.csv", "name\nAna\n", "no column 'student'"),
        ("students.csv", "student,name\n\n", "has no students"),
        ("students.csv", "student\nana\nben b\n", "letters, digits and . _ @ + -"),
        ("students.csv", "student\n../x\n", "Line 2 of "),
    ],
)
def test_a_mistake_in_a_table_is_named_with_its_line(
    tmp_path: Path, toy_catalog: Catalog, name: str, text: str, said: str
) -> None:
    made = HandmadeClass(tmp_path / "class", toy_catalog)
    made.write(name, text)
    with pytest.raises(UsageError) as caught:
        read_people(read_course(made.folder))
    assert said in str(caught.value)
    assert name in str(caught.value)


def test_a_table_that_is_no_text_is_refused(tmp_path: Path, toy_catalog: Catalog) -> None:
    made = HandmadeClass(tmp_path / "class", toy_catalog)
    (made.folder / "students.csv").write_bytes("student\nÄnne\n".encode("latin-1"))
    with pytest.raises(UsageError, match="UTF-8"):
        read_people(read_course(made.folder))


def test_the_page_shows_a_course_and_a_table_that_can_be_read(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/instructors/reference.md").read_text()
    page = page.partition("## course.toml")[2].partition("## How a mark")[0]
    blocks = dict(re.findall(r"^```(toml|csv)\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    (tmp_path / "extensions.csv").write_text(blocks["csv"])
    course = read_course(written(tmp_path, blocks["toml"]))
    due = course.assignments["03_fused_muladd"].due
    people = read_people(course)
    moved, reason = people.due("cleo", "03_fused_muladd", due)
    assert due is not None and moved == due + timedelta(days=2)
    assert "disability" in reason
    assert course.assignments["13_transpose"].late.per_day == 20
