"""A class in a temporary folder: hand-ins are written, verdicts made up, and nothing is compiled."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from grader.course.catalog import Catalog
from grader.instruct.course import Mark, marks_in, read_course
from grader.instruct.results import Record, ResultStore, key_of
from grader.instruct.submissions import Submission, timestamps
from grader.verdict import CheckResult, Status, Verdict

NEGATE, MULADD = "00_negate", "01_muladd"
COURSE = f"""\
title = "Toys"
[assignments.{NEGATE}]
due = 2026-10-05T12:00:00
[assignments.{MULADD}]
due = 2026-10-12T12:00:00
"""
AFTER_ALL = datetime(2026, 12, 1, tzinfo=UTC)


class HandmadeClass:
    """``folder`` holds course.toml, submitted/ and results/; exercises are those of ``catalog``."""

    def __init__(self, folder: Path, catalog: Catalog, course: str = COURSE) -> None:
        self.folder = folder
        self.catalog = catalog
        self.store = ResultStore(folder / "results")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "submitted").mkdir(exist_ok=True)
        self.write("course.toml", course)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def hand_in(self, student: str, slug: str, when: str = "", text: str = "") -> Submission:
        """``when`` as 2026-10-05T12:00, in UTC; ``text`` is that of kernel.cu."""
        folder = self.folder / "submitted" / student / slug
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "kernel.cu").write_text(text or f"// {student}\n")
        stamp = folder / "timestamp.txt"
        stamp.unlink(missing_ok=True)
        submitted = datetime.fromisoformat(when).replace(tzinfo=UTC) if when else None
        if submitted:
            stamp.write_text(timestamps.written(submitted))
        return Submission(student, slug, folder, submitted)

    def grade(
        self, submission: Submission, earned: float, *, graded: str = "2026-10-06T00:00:00+00:00",
        grader: str = "1:a", checks: tuple[CheckResult, ...] = (), backend: str = "simt",
    ) -> Record:  # fmt: skip
        """A record of a verdict in which ``correctness`` earned that much of 100, or of ``checks``."""
        exercise = self.catalog.find(submission.exercise)
        status = Status.PASS if earned == 100 else Status.FAIL
        made_up = checks or (CheckResult("correctness", status, "So.", earned, 100.0),)
        key = replace(key_of(submission, exercise, backend), grader=grader)
        verdict = Verdict(exercise.slug, exercise.title, backend, 7, made_up)
        return self.store.keep(Record(key, verdict, graded, "here"))

    def marks(self, now: datetime = AFTER_ALL) -> dict[tuple[str, str], Mark]:
        found = marks_in(read_course(self.folder), self.catalog, now)
        return {(mark.student, mark.assignment.exercise): mark for mark in found}

    def mark(self, student: str, slug: str = NEGATE, now: datetime = AFTER_ALL) -> Mark:
        return self.marks(now)[student, slug]
