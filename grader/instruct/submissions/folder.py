"""Find submissions in folders laid out as `ROOT/STUDENT/EXERCISE/...`, as nbgrader's `submitted/` is."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from grader.course.catalog import Catalog
from grader.instruct.submissions import timestamps
from grader.instruct.submissions.names import is_student
from grader.instruct.submissions.submission import Submission
from grader.support.errors import UsageError
from grader.support.reading import Refused, read_below

_SHOWN = 5  # of many things wrong, so many are named


def read_submissions(root: Path, catalog: Catalog, only: Collection[str] = ()) -> list[Submission]:
    """Every submission below ``root``, by student and exercise.

    ``only`` keeps those that one of its words names: a student, the slug of an exercise, or both as
    ``STUDENT/SLUG``. Names that begin with a dot are passed over.

    Raises UsageError for what cannot be read, for a word of ``only`` that names nothing, and where there is
    nothing at all: a submission that is passed over in silence would be a lost one. Raises
    InfrastructureError where a time stamp is there and this machine cannot read it.
    """
    problems: list[_Problem] = []
    slugs = {exercise.slug for exercise in catalog.exercises}
    found: list[tuple[str, Path]] = []
    for student in _folders(root, problems):
        if not is_student(student.name):
            problems.append(_Problem(student.name, "", f"{student.name!r} is no id of a student"))
            continue
        for folder in _folders(student, problems, student.name):
            if folder.name in slugs:
                found.append((student.name, folder))
            else:
                shown = f"{student.name}/{folder.name}"
                problems.append(_Problem(student.name, folder.name, f"{shown} names no exercise"))
    if only:
        found = [(student, folder) for student, folder in found if _names(student, folder.name) & {*only}]
        problems = [each for each in problems if each.concerns({*only}, slugs)]
        _require_all(root, only, found)
    submissions = [
        Submission(student, folder.name, folder, _submitted(student, folder, problems))
        for student, folder in found
    ]
    if problems:
        raise _unreadable(root, problems)
    if not submissions:
        raise UsageError(
            f"{root} holds no submission.",
            "Submissions are in STUDENT/EXERCISE/, as in nbgrader's submitted/.",
            "Unpack an LMS's archive: grader class collect EXERCISE ARCHIVE",
        )
    return submissions


def _names(student: str, slug: str) -> set[str]:
    """The words that name the submission of ``student`` to ``slug``."""
    return {student, slug, f"{student}/{slug}"}


def _require_all(root: Path, only: Iterable[str], found: Iterable[tuple[str, Path]]) -> None:
    names = {name for student, folder in found for name in _names(student, folder.name)}
    if missing := [word for word in only if word not in names]:
        raise UsageError(
            f"{missing[0]} names no submission in {root}.",
            "It takes an exercise, a student who handed something in, or both.",
            "See who handed in what: grader class marks",
        )


def submission_in(folder: Path) -> Submission:
    """What lies in ``folder``, STUDENT/EXERCISE; without a time where it cannot be read."""
    student, slug = folder.parts[-2:]
    return Submission(student, slug, folder, _submitted(student, folder, []))


class _Problem(NamedTuple):
    """What cannot be read: ``exercise`` is a folder's name, or "" where it could be any."""

    student: str
    exercise: str
    text: str
    of_time: bool = False

    def concerns(self, only: set[str], slugs: set[str]) -> bool:
        """Whether one of the words ``only`` names it; without an exercise, whether one could."""
        named = {word.rpartition("/")[2] for word in only}
        return bool(_names(self.student, self.exercise) & only) or (not self.exercise and bool(named & slugs))


def _folders(root: Path, problems: list[_Problem], student: str = "") -> list[Path]:
    """The folders in ``root``, by name; whatever else lies there is a problem."""
    try:
        entries = sorted(entry for entry in root.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise UsageError(
            f"{root} cannot be read: {error.strerror}.",
            "Submissions are folders, STUDENT/EXERCISE/.",
            "Name the folder that holds the students' folders; an archive of an LMS makes it: "
            "grader class collect ARCHIVE --assignment SLUG",
        ) from error
    plain = [entry for entry in entries if entry.is_dir() and not entry.is_symlink()]
    for entry in entries:
        if entry not in plain:
            whose = (student, entry.name) if student else (entry.name, "")
            problems.append(_Problem(*whose, f"{entry} is not a folder"))
    return plain


def _submitted(student: str, folder: Path, problems: list[_Problem]) -> datetime | None:
    try:
        return timestamps.read(read_below(folder, timestamps.NAME, timestamps.LONGEST).decode())
    except FileNotFoundError:
        return None
    except (Refused, ValueError) as why:
        problems.append(_Problem(student, folder.name, f"{folder / timestamps.NAME}: {why}", of_time=True))
        return None


def _unreadable(root: Path, problems: list[_Problem]) -> UsageError:
    shown = "; ".join(problem.text for problem in problems[:_SHOWN])
    more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    rules, cures = [], []
    if any(problem.of_time for problem in problems):
        rules.append("A deadline depends on a time stamp, so nothing is guessed.")
        cures.append(f"write a time into {timestamps.NAME} as 2026-10-01 17:30:00 UTC")
    if not all(problem.of_time for problem in problems):
        rules.append("It holds STUDENT/EXERCISE/ and nothing else, so that nothing is skipped.")
        cures.append("move the rest away")
    cure = ", ".join([*cures, "or name the exercises or students that are meant."])
    return UsageError(
        f"Not everything in {root} can be read: {shown}{more}.", " ".join(rules), cure[0].upper() + cure[1:]
    )
