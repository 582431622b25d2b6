"""`grader export feedback`: each student's mark, verdict and comments, in a zip file for the LMS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cusimt.support.words import counted, listed
from grader.cli.exported_marks import exported_marks
from grader.cli.marks import MarksOptions, open_term
from grader.instruct.course import Mark
from grader.instruct.course.explanation import explain
from grader.instruct.export.feedback import Feedback, bundle
from grader.instruct.export.sheet import write_new
from grader.instruct.submissions.roster import read_roster
from grader.report import verdict_text
from grader.report.html import page
from grader.report.site import at_site

_NEXT = {
    "canvas": "in Canvas, Gradebook, the menu of the assignment, Upload Submissions",
    "moodle": "in Moodle, View all submissions, Upload multiple feedback files in a zip",
}
_SHOWN = 10


def export_feedback(archive: Path, roster: Path | None, out: Path, request: MarksOptions) -> None:
    """Writes ``out``, named as the files in ``archive``: an LMS knows by the names whose feedback it is."""
    term = open_term(request)
    exercise = term.catalog.find(request.names[0])
    pages = {
        mark.student: _feedback(
            mark, explain(mark, exercise, term.course.zone, to_student=True), term.course.site
        )
        for mark in exported_marks(term, request)
        if mark.counts
    }
    people = read_roster(roster, term.course.zone) if roster else None
    made = bundle(archive, exercise.slug, people, pages)
    write_new(out, made.content)
    print(f"Feedback for {counted(len(made.students), 'student')} written to {out}.")
    for line in _left_out(made.without):
        print(line)
    print(f"Next: {_NEXT[made.layout]}, {out}")


def _feedback(mark: Mark, sentences: list[str], site: str) -> Feedback:
    """Of a hand-in that was not judged there are the sentences on the mark alone."""
    verdicts = [at_site(mark.record.verdict, site)] if mark.record else []
    title = f"{mark.assignment.exercise}, {mark.student}"
    text = "\n\n".join(["\n".join([title, *sentences]), *map(verdict_text, verdicts)])
    return Feedback(text=f"{text}\n", html=page(verdicts, [title, *sentences]))


def _left_out(without: tuple[str, ...]) -> Iterator[str]:
    if without:
        more = [f"{len(without) - _SHOWN} more"] if len(without) > _SHOWN else []
        yield f"In the archive, and without a mark: {listed([*without[:_SHOWN], *more])}."
