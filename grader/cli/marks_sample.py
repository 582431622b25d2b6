"""`grader marks sample` and `grader marks comments`: material for marking by hand."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from cusimt.support.words import counted
from grader.cli.marks import MarksOptions, open_term
from grader.instruct.course import Mark
from grader.instruct.course.comments import fitting
from grader.instruct.course.second_marking import double_marking
from grader.instruct.export.sheet import inert, write_new
from grader.support.errors import UsageError


def show_sample(request: MarksOptions, csv_file: Path | None) -> int:
    """Lists the sample, or writes a sheet without the first marks: the second person marks blind."""
    term = open_term(request)
    sampling = term.course.double_marking
    if not sampling.percent and not sampling.at_least:
        raise UsageError(
            "course.toml asks for no second marking.",
            "[double_marking] has `percent` or `at_least`, or both.",
            f"Add it to {term.course.file}",
        )
    sample = double_marking(term.course, term.chosen(request))
    if csv_file is not None:
        write_new(csv_file, _sheet(sample))
        print(f"{counted(len(sample), 'submission')} for a second marker written to {csv_file}.")
        return 0
    for mark in sample:
        print(f"{mark.assignment.exercise}  {_owner(mark)}")
    print(f"{counted(len(sample), 'submission')} to be marked by a second person.")
    return 0


def show_comments(request: MarksOptions) -> int:
    """Lists the comments for an exercise; of a student, those that fit the verdict."""
    term = open_term(request)
    [slug] = term.slugs(request)
    comments = [each for each in term.course.comments if not each.exercises or slug in each.exercises]
    if request.students:
        [mark] = term.chosen(request)
        if mark.record is None:
            raise UsageError(
                f"There is no verdict on {slug} of {mark.student}.",
                "Comments follow from one.",
                "Run: grader batch",
            )
        comments = fitting(term.course, mark.record.verdict)
    for comment in comments:
        about = f" ({', '.join(comment.checks)})" if comment.checks else ""
        print(f"{comment.name}{about}: {comment.text}")
    if not comments:
        print(f"No comment in {term.course.file} fits. Add one as [comments.NAME] with a `text`.")
    return 0


def _sheet(sample: list[Mark]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["exercise", "student", "marker", "points", "remark"])
    writer.writerows([mark.assignment.exercise, inert(_owner(mark)), "", "", ""] for mark in sample)
    return text.getvalue()


def _owner(mark: Mark) -> str:
    assert mark.attempt is not None
    return mark.attempt.student
