"""`grader class feedback`: release marks, and bundle them with verdicts and comments for the LMS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cusimt.support.words import counted, listed
from grader.cli.export import UPLOADS, exported_marks
from grader.cli.marks_changes import release_marks
from grader.cli.overview import shown
from grader.cli.term import MarksOptions, Term, open_term
from grader.instruct.course import Mark
from grader.instruct.course.explanation import explain
from grader.instruct.export import write_export
from grader.instruct.export.feedback import Feedback, bundle
from grader.instruct.submissions.feedback_name import names_in
from grader.report import verdict_text
from grader.report.html import page
from grader.report.site import at_site

_UPLOAD = {
    "canvas": "upload it in Canvas: Gradebook, the menu of the assignment, Upload Submissions",
    "moodle": "upload it in Moodle: View all submissions, Upload multiple feedback files in a zip",
    "": "a page for each student, by id",
}
_SHOWN = 10


def give_feedback(request: MarksOptions, accept: bool, everybody: bool) -> int:
    """Releases what is settled, then writes a bundle for each assignment. Returns 1 where a mark was held."""
    code = release_marks(request, accept, everybody)
    term = open_term(request)
    marks = [mark for mark in exported_marks(term, request) if mark.released]
    for slug in term.slugs(request):
        if found := [mark for mark in marks if mark.assignment.exercise == slug]:
            _write_bundle(term, slug, found)
    print("Next: grader class export --into FILE, the gradebook as your LMS exports it now")
    return code


def _write_bundle(term: Term, slug: str, marks: Sequence[Mark]) -> None:
    """In the names that the LMS gave the hand-ins: by them it knows whose feedback it is."""
    exercise = term.catalog.find(slug)
    pages = {
        mark.student: _feedback(
            mark, explain(mark, exercise, term.course.zone, to_student=True), term.course.site
        )
        for mark in marks
    }
    made = bundle(names_in(term.course.submissions, slug), pages)
    out = term.course.folder / UPLOADS / f"feedback_{slug}.zip"
    write_export(out, made.content)
    print(f"{shown(out)}: {counted(len(made.students), 'student')}; {_UPLOAD[made.layout]}.")
    for line in _left_out(made.without):
        print(line)


def _feedback(mark: Mark, sentences: list[str], site: str) -> Feedback:
    """Of a hand-in that was not judged there are the sentences on the mark alone."""
    verdicts = [at_site(mark.record.verdict, site)] if mark.record else []
    title = f"{mark.assignment.exercise}, {mark.student}"
    text = "\n\n".join(["\n".join([title, *sentences]), *map(verdict_text, verdicts)])
    return Feedback(text=f"{text}\n", html=page(verdicts, [title, *sentences]))


def _left_out(without: tuple[str, ...]) -> Iterator[str]:
    if without:
        more = [f"{len(without) - _SHOWN} more"] if len(without) > _SHOWN else []
        yield f"  Collected, and without a released mark: {listed([*without[:_SHOWN], *more])}."
