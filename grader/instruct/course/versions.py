"""Marks of one assignment that come from different versions of the exercise or the grader."""

from __future__ import annotations

from collections.abc import Iterable

from grader.instruct.course.marks import Mark
from grader.instruct.results import Key, Record


def of_another_version(marks: Iterable[Mark]) -> list[Mark]:
    """Those of ``marks`` of the whole class that come from another version than their assignment's newest.

    A version is the exercise's and the grader's, and the newest that of the record that was graded last.
    """
    judged = [(mark, mark.record) for mark in marks if mark.record is not None]
    newest: dict[str, Record] = {}
    for mark, record in judged:
        there = newest.setdefault(mark.assignment.exercise, record)
        if there.graded < record.graded:
            newest[mark.assignment.exercise] = record
    return [mark for mark, found in judged if _version(found.key) != _version(newest[found.key.exercise].key)]


def _version(key: Key) -> tuple[str, str]:
    return key.exercise_version, key.grader
