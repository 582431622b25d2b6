"""The comment bank: remarks of `course.toml` that match a verdict."""

from __future__ import annotations

from grader.instruct.course.policy import Comment, Course
from grader.verdict import Verdict


def fitting(course: Course, verdict: Verdict) -> list[Comment]:
    """The comments for this exercise whose check did not pass, or that are about no check in particular."""
    failed = {check.name for check in verdict.checks if check.status.stands_in_the_way}
    return [
        comment
        for comment in course.comments
        if (not comment.exercises or verdict.exercise in comment.exercises)
        and (not comment.checks or failed & set(comment.checks))
    ]
