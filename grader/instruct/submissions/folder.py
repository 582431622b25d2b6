"""Find submissions in folders laid out as `ROOT/STUDENT/EXERCISE/...`, as nbgrader's `submitted/` is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from grader.course.catalog import Catalog
from grader.instruct.submissions import timestamps
from grader.instruct.submissions.names import is_student
from grader.instruct.submissions.submission import Submission
from grader.support.errors import UsageError
from grader.support.reading import Refused, read_below

_SHOWN = 5  # of many things wrong, so many are named


def read_submissions(
    root: Path, catalog: Catalog, *, exercises: Collection[str] = (), students: Collection[str] = ()
) -> list[Submission]:
    """Every submission below ``root``, by student and exercise; or those of ``students`` to ``exercises``
    (slugs). Names that begin with a dot are passed over.

    Raises UsageError for what cannot be read among them, for one of ``students`` or ``exercises`` without
    any, and where there is nothing at all: a submission that is passed over in silence would be a lost one.
    Raises InfrastructureError where a time stamp is there and this machine cannot read it.
    """
    problems = _Problems(root)
    slugs = {exercise.slug for exercise in catalog.exercises}
    submissions = []
    for student in _folders(root, students, problems):
        if not is_student(student.name):
            problems.misplaced.append(f"{student.name!r} is no id of a student")
            continue
        for folder in _folders(student, exercises, problems):
            if folder.name not in slugs:
                problems.misplaced.append(f"{student.name}/{folder.name} names no exercise")
                continue
            submitted = _submitted(folder, problems)
            submissions.append(Submission(student.name, folder.name, folder, submitted))
    problems.report()
    found = {name for each in submissions for name in (each.student, each.exercise)}
    if missing := [name for name in (*exercises, *students) if name not in found]:
        raise UsageError(
            f"{missing[0]} names no submission in {root}.",
            "It takes an exercise, a student who handed something in, or both.",
            "See who handed in what: grader class marks",
        )
    if not submissions:
        raise UsageError(
            f"{root} holds no submission.",
            "Submissions are in STUDENT/EXERCISE/, as in nbgrader's submitted/.",
            "Unpack an LMS's archive: grader class collect EXERCISE ARCHIVE",
        )
    return submissions


def submission_in(folder: Path) -> Submission:
    """What lies in ``folder``, STUDENT/EXERCISE; without a time where it cannot be read."""
    student, slug = folder.parts[-2:]
    return Submission(student, slug, folder, _submitted(folder, _Problems(folder)))


@dataclass
class _Problems:
    """What cannot be read: entries that are none of a submission, and time stamps."""

    root: Path
    misplaced: list[str] = field(default_factory=list)
    of_time: list[str] = field(default_factory=list)

    def report(self) -> None:
        """Raises UsageError where there are any."""
        every = [*self.misplaced, *self.of_time]
        if not every:
            return
        more = f"; and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
        rules, cures = [], []
        if self.of_time:
            rules.append("A deadline depends on a time stamp, so nothing is guessed.")
            cures.append(f"write a time into {timestamps.NAME} as 2026-10-01 17:30:00 UTC")
        if self.misplaced:
            rules.append("It holds STUDENT/EXERCISE/ and nothing else, so that nothing is skipped.")
            cures.append("move the rest away")
        cure = ", ".join([*cures, "or name the exercises or students that are meant."])
        raise UsageError(
            f"Not everything in {self.root} can be read: {'; '.join(every[:_SHOWN])}{more}.",
            " ".join(rules),
            cure[0].upper() + cure[1:],
        )


def _folders(parent: Path, wanted: Collection[str], problems: _Problems) -> list[Path]:
    """The folders in ``parent``, or the ``wanted`` ones of them, by name; other entries are problems."""
    try:
        entries = sorted(entry for entry in parent.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise UsageError(
            f"{parent} cannot be read: {error.strerror}.",
            "Submissions are folders, STUDENT/EXERCISE/.",
            "An archive of an LMS makes them: grader class collect EXERCISE ARCHIVE",
        ) from error
    entries = [entry for entry in entries if not wanted or entry.name in wanted]
    plain = [entry for entry in entries if entry.is_dir() and not entry.is_symlink()]
    problems.misplaced += [f"{entry} is not a folder" for entry in entries if entry not in plain]
    return plain


def _submitted(folder: Path, problems: _Problems) -> datetime | None:
    try:
        return timestamps.read(read_below(folder, timestamps.NAME, timestamps.LONGEST).decode())
    except FileNotFoundError:
        return None
    except (Refused, ValueError) as why:
        problems.of_time.append(f"{folder / timestamps.NAME}: {why}")
        return None
