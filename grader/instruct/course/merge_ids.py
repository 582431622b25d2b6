"""Change a student's id: move the data of one exercise from the old id to the new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.instruct.course.attempts import ATTEMPTS, read_roster, remembering, write_roster
from grader.instruct.course.decisions import REGRADES, WITHDRAWN
from grader.instruct.course.hand_scores import FORMGRADER
from grader.instruct.course.release_log import telling
from grader.instruct.course.retention import VERDICTS
from grader.instruct.results import ResultStore
from grader.instruct.results.lines import Lines
from grader.instruct.results.secret import RELEASED


def rename(store: ResultStore, exercise: str, students: Mapping[str, str]) -> list[str]:
    """Give lines about ``exercise`` and a key of ``students`` to its value; returns the keys that had any.

    Raises UsageError for a line that cannot be read.
    """
    if not students.keys() & set(read_roster(store.folder).values()):
        return []
    with telling(store.folder), remembering(store.folder):
        names = read_roster(store.folder)
        old = {name: student for name, student in names.items() if student in students}
        anew = {name: store.secret.pseudonym(students[student]) for name, student in old.items()}
        names |= {anew[name]: students[student] for name, student in old.items()}
        write_roster(store.folder, names)  # first, so that a kill leaves no line without a student
        logs = [Lines(store.folder / name) for name in (ATTEMPTS, WITHDRAWN, REGRADES, VERDICTS, FORMGRADER)]
        changed = {name for log in logs for name in _give(log, exercise, anew)}
        released = Lines(store.folder / RELEASED)
        told = {line["student"] for _, line in released if line["exercise"] == exercise}
        # What was told under the new id stands.
        changed |= _give(released, exercise, {name: new for name, new in anew.items() if new not in told})
        left = {line["student"] for log in (*logs, released) for _, line in log}
        gone = anew.keys() - left
        write_roster(store.folder, {name: each for name, each in names.items() if name not in gone})
    return sorted(old[name] for name in changed)


def _give(lines: Lines, exercise: str, anew: Mapping[str, str]) -> set[str]:
    """Returns the pseudonyms of ``anew`` whose lines have another one now."""
    changed = set()

    def renamed(line: dict[str, Any]) -> dict[str, Any]:
        name = line["student"]
        if line["exercise"] != exercise or name not in anew:
            return line
        changed.add(name)
        return line | {"student": anew[name]}

    lines.rewrite(renamed)
    return changed
