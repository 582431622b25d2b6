"""The commands that learners use most, with their options. What they do is imported when they are called."""

from __future__ import annotations

from grader.cli.options import Course


def list_(course: Course = None) -> None:
    """Lists the exercises and how far you are."""
    from grader.cli.overview import list_exercises

    list_exercises(course)


def next_(course: Course = None) -> None:
    """Shows what to do next: the exercise, its lesson and files, what the last verdict failed on."""
    from grader.cli.next_exercise import show_next

    show_next(course)
