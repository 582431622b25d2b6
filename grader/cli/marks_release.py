"""`grader marks release`: freeze marks as published, and list those that would drop."""

from __future__ import annotations

from cusimt.support.words import counted
from grader.cli.marks import MarksOptions, open_term
from grader.instruct.course import Mark, ReleasedMarks
from grader.instruct.course.explanation import amount
from grader.instruct.course.release import release
from grader.instruct.course.release_log import telling
from grader.instruct.results import ResultStore

NOT_ALL = 1


def release_marks(request: MarksOptions, accept: bool) -> int:
    """Returns 1 where a mark stayed because it would be lower, else 0."""
    term = open_term(request)
    store = ResultStore(term.course.results)
    with telling(store.folder):
        marks = term.chosen(request)
        done = release(marks, ReleasedMarks(store.folder, store.secret), accept=accept)
    print(f"{counted(len(done.told), 'mark')} released.")
    for mark in done.lowered:
        print(f"  lowered: {_change(mark)}")
    if done.waiting:
        print(f"{counted(len(done.waiting), 'mark')} not settled yet: still open, or not judged.")
    if not done.held:
        return 0
    print(f"{counted(len(done.held), 'mark')} would be lower than what was released, which is kept:")
    for mark in done.held:
        print(f"  {_change(mark)}")
    print("See why with: grader marks --student ID. What you accept is lowered one by one:")
    for mark in done.held:
        print(f"  grader marks release {mark.assignment.exercise} --student {mark.student} --accept")
    return NOT_ALL


def _change(mark: Mark) -> str:
    assert mark.released is not None
    place = f"{mark.student}, {mark.assignment.exercise}"
    return f"{place}: {amount(mark.released.points)} was released, {amount(mark.found)} now"
