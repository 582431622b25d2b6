"""`grader class new` and `forget`: begin a class, and delete old personal data."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from cusimt.support.words import counted
from grader.cli.overview import shown
from grader.cli.term import MarksOptions, open_term
from grader.course.catalog import Catalog
from grader.instruct.course.policy import FILE
from grader.instruct.course.retention import forget
from grader.instruct.course.tables import read_rows
from grader.instruct.export import write_export
from grader.instruct.results import ResultStore
from grader.instruct.submissions.roster import read_roster

_STUDENTS = "students.csv"
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
_ASSIGNMENT = """
[assignments.{slug}]            # {title}
# due = 2026-10-19T23:59:00
weight = 1
"""


def begin_class(folder: Path, exercises: Path | None, names: list[str], roster: Path | None) -> int:
    """Writes ``course.toml`` with ``names`` (or every exercise) as assignments, and ``roster``'s students.

    A ``course.toml`` that is there stays as it is; of the roster, who is new is added.
    """
    catalog = Catalog.open(exercises or (folder if (folder / "exercises").is_dir() else None))
    chosen = {catalog.find(name).slug for name in names}
    assignments = [each for each in catalog.exercises if not chosen or each.slug in chosen]
    students = sorted(set(read_roster(roster).students.values())) if roster else []
    path = folder / FILE
    if path.exists():
        print(f"{shown(path)} is there already, and stays as it is.")
    else:
        parts = (_ASSIGNMENT.format(slug=each.slug, title=each.title) for each in assignments)
        write_export(path, _BEGINNING + "".join(parts))
        print(
            f"{shown(path)} has {counted(len(assignments), 'assignment')}: set deadlines and weights in it."
        )
    if roster:
        added = _enter(folder / _STUDENTS, students)
        print(f"{shown(folder / _STUDENTS)} has {counted(added, 'student')} more.")
    print(f"Next: {'' if folder.resolve() == Path.cwd() else f'cd {shown(folder)} && '}grader class release")
    return 0


def _enter(path: Path, students: list[str]) -> int:
    """Adds a line for each of ``students`` who has none; returns how many."""
    there = {row["student"] for row in read_rows(path, ("student",))}
    new = [student for student in students if student not in there]
    if not path.exists():
        write_export(path, "student\n")
    text = path.read_text(encoding="utf-8")
    with path.open("a", encoding="utf-8") as file:
        file.writelines(["\n" * (not text.endswith("\n")), *(f"{student}\n" for student in new)])
    return len(new)


def forget_before(folder: Path, before: date, yes: bool) -> int:
    """Says what goes and, with ``yes``, lets it go. What instructors keep themselves is only named."""
    course = open_term(MarksOptions(folder)).course
    done = forget(ResultStore(course.results), before, apply=yes)
    went = "went" if yes else "would go"
    print(f"Of {course.results}, from before {before}:")
    print(f"  {counted(done.records, 'record')} {went}, with the verdicts in them")
    if done.leftovers:
        print(f"  {counted(done.leftovers, 'leftover')} of failures and kills {went}")
    for name, number in done.lines.items():
        print(
            f"  {counted(number, 'line')} of {name} {went if name != 'verdicts.jsonl' else _anonymous(yes)}"
        )
    print(
        f"  {counted(done.people, 'person', 'people')} of roster.csv {went}{', and the secret' * done.secret}"
    )
    replaced = course.submissions.with_name(f"{course.submissions.name}.replaced")
    hand_ins = f"{course.submissions}, {replaced}" if replaced.is_dir() else str(course.submissions)
    print(f"Yours to delete: {hand_ins}, the tables beside {FILE}, exported marks, backups.")
    if not yes:
        print(f"Nothing was changed. Do it with: grader class forget --before {before} --yes")
    return 0


def _anonymous(yes: bool) -> str:
    return "lost who and what it was about" if yes else "would lose who and what it was about"
