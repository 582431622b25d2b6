"""`grader class collect`: take what an LMS gave out into the class's folder of submissions."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cusimt.support.words import listed
from grader.cli.term import MarksOptions, Term, open_term
from grader.course.catalog import Exercise
from grader.instruct.course import read_people
from grader.instruct.course.merge_ids import rename
from grader.instruct.nbgrader.dependency import CONFIG
from grader.instruct.results import ResultStore
from grader.instruct.submissions.importing import import_archive
from grader.instruct.submissions.report import Report
from grader.instruct.submissions.roster import read_roster
from grader.instruct.submissions.timestamps import aware


@dataclass(frozen=True)
class Archive:
    """What an LMS gave out, and what is known about it that does not stand in it."""

    path: Path
    layout: str = "auto"
    roster: Path | None = None
    due: datetime | None = None
    replace: bool = False


def collect(archive: Archive, request: MarksOptions) -> int:
    """Unpacks an archive of one exercise. Returns 1 where something was refused, else 0."""
    term = open_term(request)
    course, exercise = term.course, term.catalog.find(request.names[0])
    assignment = course.assignments.get(exercise.slug)
    report = import_archive(
        archive.path,
        exercise=exercise,
        layout=archive.layout,
        into=course.submissions,
        notebook=_notebook(exercise, course.folder),
        roster=read_roster(archive.roster, course.zone) if archive.roster else None,
        zone=course.zone,
        due=aware(archive.due, course.zone) if archive.due else (assignment.due if assignment else None),
        replace=archive.replace,
    )
    for line in [*report.lines(), *_known_anew(report, term, exercise), *_in_no_roster(report, term)]:
        print(line)
    if not all(each.failed for each in report.intakes):
        print("Next: grader class grade")
    return report.exit_code


def _known_anew(report: Report, term: Term, exercise: Exercise) -> list[str]:
    """Gives what the class keeps about ids that the roster changed to the new ones; a sentence on each."""
    changed = {old: intake.student for intake in report.intakes if not intake.failed for old in intake.former}
    renamed = rename(ResultStore(term.course.results), exercise.slug, changed)
    return [f"What was noted, graded and told of {old} is {changed[old]}'s now." for old in renamed]


def _in_no_roster(report: Report, term: Term) -> list[str]:
    """A sentence on ids that the class's students.csv does not have."""
    people = read_people(term.course)
    ids = [each.student for each in report.intakes if not each.failed]
    strange = [student for student in ids if not people.accepts(student)]
    if not strange:
        return []
    return [f"In no roster: {listed(strange)}. If an id is a student's, add a line for it to students.csv."]


def _notebook(exercise: Exercise, folder: Path) -> Path | None:
    """The notebook that nbgrader expects beside the files; without one it passes a submission over.

    Without an nbgrader configuration, none is expected.
    """
    for step in ("release", "source"):
        notebook = folder / step / exercise.slug / f"{exercise.slug}.ipynb"
        if notebook.is_file():
            return notebook
    if (folder / CONFIG).is_file():
        print(f"There is no notebook of {exercise.slug} to add where one is missing.", file=sys.stderr)
    return None
