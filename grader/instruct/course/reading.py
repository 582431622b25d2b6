"""Read `course.toml`; docs/instructors/reference.md describes every key."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from grader.course.exercise import SLUG
from grader.instruct.course.policy import (
    DEFAULT_BACKEND,
    FILE,
    PENALTY_OF,
    TAKES,
    Assignment,
    Course,
    LatePolicy,
)
from grader.instruct.submissions.timestamps import aware
from grader.support.backends import BACKENDS
from grader.support.errors import BrokenExercise, UsageError
from grader.support.toml_table import TomlTable, read_toml

_PERCENT = 100.0


def read_course(folder: Path | None = None) -> Course:
    """The course that ``folder`` (default: the current one) describes in its ``course.toml``.

    Raises UsageError naming the file, the key and what was expected, or how to begin one.
    """
    folder = (folder or Path()).resolve()
    path = folder / FILE
    if not path.is_file():
        raise UsageError(
            f"There is no {FILE} in {folder}.",
            "It says which exercises count, how much, and until when.",
            "Begin one with: grader class new",
        )
    try:
        return _course(folder, read_toml(path))
    except BrokenExercise as broken:
        raise UsageError(
            broken.what, broken.rule, f"Edit {path}, then run the same command again"
        ) from broken


def folder_around(here: Path) -> Path | None:
    """The nearest folder with a ``course.toml``: ``here``, or one that it lies in."""
    here = here.resolve()
    return next((each for each in (here, *here.parents) if (each / FILE).is_file()), None)


def course_of(submissions: Path) -> Course:
    """The course whose folder of submissions this is, there already or not.

    Raises UsageError where no ``course.toml`` is around it, or one that calls another folder so.
    """
    course = read_course(folder_around(submissions.parent) or submissions.parent)
    if course.submissions.resolve() != submissions.resolve():
        raise UsageError(
            f"{course.file} has its submissions in {course.submissions}, and {submissions} was named.",
            "Backends, results and marks of a class follow from that file, for that folder alone.",
            f"Name {course.submissions}; or set `submissions` there; or move this folder out of the class.",
        )
    return course


def _course(folder: Path, table: TomlTable) -> Course:
    zone = _zone(table)
    backend = table.choice("backend", BACKENDS, default=DEFAULT_BACKEND)
    takes = table.text("takes", "last", one_of=TAKES)
    late = table.table("late")
    late_days = late.integer("budget_days", 0)
    policy = _late(late, LatePolicy())
    late.finish()
    assignments = table.table("assignments", required=True)
    course = Course(
        folder=folder,
        title=table.text("title"),
        zone=zone,
        backend=backend,
        assignments={
            slug: _assignment(assignments, slug, Assignment(slug, backend, takes=takes, late=policy), zone)
            for slug in assignments
        },
        late_days=late_days,
        submissions=folder / table.text("submissions", "submitted"),
        results=folder / table.text("results", "results"),
        gradebook=folder / table.text("gradebook", "gradebook.db"),
        site=_site(table),
    )
    table.finish()
    if course.results.resolve().is_relative_to(course.submissions.resolve()):
        raise table.broken("results are inside of the submissions", "Every folder there is a student's.")
    if not course.assignments:
        raise table.broken(
            "[assignments] is empty", "A course has at least one: [assignments.03_fused_muladd]"
        )
    return course


def _zone(table: TomlTable) -> ZoneInfo:
    name = table.text("timezone", "UTC")
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise table.broken(
            f"timezone is {name!r}", "It must be a name of the IANA data base, as Europe/Berlin."
        ) from None


def _site(table: TomlTable) -> str:
    address = table.text("site", "")
    if address and not address.startswith(("https://", "http://")):
        raise table.broken(f"site is {address!r}", "It is the address of the class's lessons: https://...")
    return address


def _assignment(tables: TomlTable, slug: str, default: Assignment, zone: ZoneInfo) -> Assignment:
    table = tables.table(slug)
    if not SLUG.match(slug):
        raise tables.broken(f"assignments.{slug} is not a slug", "Write the whole name: 03_fused_muladd.")
    late, due = table.table("late"), table.moment_or_none("due")
    assignment = Assignment(
        exercise=slug,
        backend=table.choice("backend", BACKENDS, default.backend),
        weight=table.number("weight", default.weight),
        takes=table.text("takes", default.takes, one_of=TAKES),
        due=aware(due, zone) if due else None,
        late=_late(late, default.late),
    )
    late.finish()
    table.finish()
    return assignment


def _late(table: TomlTable, default: LatePolicy) -> LatePolicy:
    most = table.integer_or_none("most_days")
    policy = LatePolicy(
        grace=timedelta(minutes=table.number("grace_minutes", default.grace.total_seconds() / 60)),
        per_day=table.number("penalty_per_day", default.per_day),
        of=table.text("penalty_of", default.of, one_of=PENALTY_OF),
        most_days=default.most_days if most is None else most,
        budget=table.boolean("budget", default.budget),
    )
    if policy.per_day > _PERCENT:
        raise table.broken("a late day costs more than 100 percent", "penalty_per_day is a percentage.")
    return policy
