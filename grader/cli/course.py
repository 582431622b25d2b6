"""`grader course`: begin a course.toml, check it and its tables, and delete old personal data."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from cusimt.support.words import counted, listed
from grader.cli.marks import MarksOptions, Term, open_term
from grader.cli.options import HERE, Class
from grader.cli.options import Course as CourseOption
from grader.course.catalog import Catalog, Exercise
from grader.instruct.course import Course, People, judged_scores, read_course, read_people
from grader.instruct.course.explanation import amount
from grader.instruct.course.policy import FILE
from grader.instruct.course.retention import forget
from grader.instruct.export.sheet import write_new
from grader.instruct.results import ResultStore
from grader.support.errors import UsageError

_BEGINNING = """\
title = "CUDA kernels for PyTorch"
timezone = "UTC"                # of every time below that has no offset
backend = "simt"                # the backend of record: marks come from it, whatever learners have at home
takes = "last"                  # which of several hand-ins counts: "last" or "best"

[late]
grace_minutes = 15
penalty_per_day = 10            # percent, for each late day that the budget does not pay
penalty_of = "earned"           # of what was "earned", or of all points: "possible"
budget_days = 3                 # late days of the term without a penalty, for each student
most_days = 5                   # nothing is accepted later than that

# One table for each exercise that counts. A line that is missing is as above; without `due` it is never late.
"""
_FULL_POINTS = 100
_TO_CORRECT = 1
_ASSIGNMENT = """
[assignments.{slug}]            # {title}
# due = 2026-10-19T23:59:00
weight = 1
"""


def begin_course(folder: Path, exercises: Path | None) -> int:
    """Writes ``course.toml`` with every exercise as an assignment."""
    catalog = Catalog.open(exercises or (folder if (folder / "exercises").is_dir() else None))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    if path.exists():
        raise UsageError(
            f"{path} is there already.", "It is yours, and not written over.", "Check it: grader course check"
        )
    parts = (_ASSIGNMENT.format(slug=each.slug, title=each.title) for each in catalog.exercises)
    write_new(path, _BEGINNING + "".join(parts))
    print(f"{path} has {counted(len(catalog.exercises), 'assignment')}: set weights and deadlines in it.")
    print("Then run: grader course check")
    return 0


def check_course(folder: Path, exercises: Path | None) -> int:
    """Prints what the course amounts to. Whatever is wrong in a table is raised as a UsageError."""
    term = open_term(MarksOptions(folder, exercises))
    course, people = term.course, read_people(term.course)
    print(f"{course.title}: {counted(len(course.assignments), 'assignment')}, times in {course.zone.key}.")
    for exercise in course.exercises(term.catalog):
        print(_assignment(course, exercise))
    tables = (
        counted(len(people.students), "student"),
        counted(len(people.extensions), "extension"),
        counted(len(set(people.groups.values())), "group"),
        counted(sum(map(len, people.adjustments.values())), "adjustment"),
    )
    print(f"Tables: {', '.join(tables)}.")
    strangers = sorted(people.mentioned - _known(term, people))
    if strangers:
        print(f"No one in students.csv or {course.submissions} is called {listed(strangers)}.")
        print("An extension, a group or an adjustment names them: a typing mistake would have no effect.")
    idle = people.without_effect(course)
    for each in idle:
        print(f"The extension of {each.student} for {each.exercise} until {each.until} is after no deadline.")
    if idle:
        print("It has no effect: correct its `until` in extensions.csv, or take the line out.")
    if strangers or idle:
        return _TO_CORRECT
    print("Next: grader batch, then grader marks")
    return 0


def _known(term: Term, people: People) -> set[str]:
    """Everyone in the class or with a submission; without a class list, everyone mentioned."""
    folder = term.course.submissions
    handed_in = {each.name for each in folder.iterdir()} if folder.is_dir() else set()
    return (people.students.keys() | handed_in) or people.mentioned


def _assignment(course: Course, exercise: Exercise) -> str:
    found = course.assignments[exercise.slug]
    due = found.due.strftime("%Y-%m-%d %H:%M") if found.due else "any time"
    judged = sum(judged_scores(exercise, found.backend).values())
    left = f", {judged} of 100 points can be judged there" if judged < _FULL_POINTS else ""
    weight = f"weight {amount(found.weight)}"
    return f"  {exercise.slug}  {weight}, due {due}, the {found.takes} hand-in on {found.backend}{left}"


def forget_before(folder: Path, before: date, yes: bool) -> int:
    """Says what goes and, with ``yes``, lets it go. What instructors keep themselves is only named."""
    course = read_course(folder)
    done = forget(ResultStore(course.results), before, apply=yes)
    went = "went" if yes else "would go"
    print(f"Of {course.results}, from before {before}:")
    print(f"  {counted(done.records, 'record')} {went}, with the verdicts in them")
    if done.leftovers:
        print(f"  {counted(done.leftovers, 'leftover')} of failures, kills and cluster runs {went}")
    for name, number in done.lines.items():
        print(
            f"  {counted(number, 'line')} of {name} {went if name != 'verdicts.jsonl' else _anonymous(yes)}"
        )
    print(
        f"  {counted(done.people, 'person', 'people')} of roster.csv {went}{', and the secret' * done.secret}"
    )
    replaced = course.submissions.with_name(f"{course.submissions.name}.replaced")
    hand_ins = f"{course.submissions}, {replaced}" if replaced.is_dir() else str(course.submissions)
    print(
        f"Yours to delete: {hand_ins}, the tables beside {FILE}, exported marks, look-alike pages, backups."
    )
    if not yes:
        print(f"Nothing was changed. Do it with: grader course forget --before {before} --yes")
    return 0


def _anonymous(yes: bool) -> str:
    return "lost who and what it was about" if yes else "would lose who and what it was about"


# ---- on the command line ----

course = typer.Typer(no_args_is_help=True, help="For instructors: course.toml and the tables beside it.")


@course.command("init")
def init_command(class_: Class = HERE, exercises: CourseOption = None) -> None:
    """Writes a course.toml to begin with, and never over one that is there."""
    raise typer.Exit(begin_course(class_, exercises))


@course.command("check")
def check_command(class_: Class = HERE, exercises: CourseOption = None) -> None:
    """Reads course.toml and the tables beside it, and says what they amount to or what is wrong."""
    raise typer.Exit(check_course(class_, exercises))


@course.command("forget")
def forget_command(
    before: Annotated[
        datetime, typer.Option("--before", formats=["%Y-%m-%d"], help="What was graded before this day.")
    ],
    class_: Class = HERE,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without, only say what would go.")] = False,
) -> None:
    """Deletes what is kept about people for longer than needed; anonymous numbers stay."""
    raise typer.Exit(forget_before(class_, before.date(), yes))
