"""One submission: its student, exercise and folder, and the files that are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from grader.course.exercise import Exercise
from grader.support.errors import InfrastructureError
from grader.support.reading import KIB, MIB, Refused, in_words, read_below

FILE_BYTES = 512 * KIB  # of one source file; the largest file of the course has a twentieth of it
SUBMISSION_BYTES = 2 * MIB  # of all files of one submission
NOTEBOOK_BYTES = 8 * MIB  # a notebook carries its outputs, pictures among them


@dataclass(frozen=True)
class Submission:
    """What ``student`` handed in for ``exercise``.

    ``student`` is the id that the roster, the LMS or nbgrader uses; it can be the name of a folder.
    ``exercise`` is a slug. ``folder`` is laid out as exercises/SLUG. ``submitted`` is aware, where known.
    """

    student: str
    exercise: str
    folder: Path
    submitted: datetime | None = None


@dataclass(frozen=True)
class Handed:
    """What a submission holds: files by their names in the exercise, and the others with why not."""

    files: dict[str, bytes]
    refused: dict[str, str]


def look(submission: Submission, exercise: Exercise) -> Handed:
    """Read what the exercise lets a learner edit, and nothing else. A missing file is in neither part.

    Raises InfrastructureError where this machine cannot read a file that is there: nobody's zero.
    """
    files: dict[str, bytes] = {}
    refused: dict[str, str] = {}
    left = SUBMISSION_BYTES
    for name in exercise.edit:
        try:
            content = read_below(submission.folder, name, FILE_BYTES)
        except FileNotFoundError:
            continue
        except Refused as why:
            refused[name] = f"{name} {why}."
            continue
        if len(content) > left:
            refused[name] = f"{name} makes the submission longer than {in_words(SUBMISSION_BYTES)}."
            continue
        left -= len(content)
        files[name] = content
    return Handed(files, refused)


def lay_out(files: Mapping[str, bytes], exercise: Exercise, into: Path) -> Path:
    """Write what is graded into the new or empty folder ``into``, and return it.

    That is ``files`` and the exercise's own ``given`` files: what a learner did to a copy of those does not
    count. Raises InfrastructureError when ``into`` cannot be written or already holds one of the files.
    """
    try:
        given = {name: (exercise.root / name).read_bytes() for name in exercise.given}
        for name, content in {**files, **given}.items():
            path = into / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(content)
        into.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InfrastructureError(
            f"A submission to {exercise.slug} cannot be laid out: {error}.",
            "It is graded from a copy, in a folder of its own.",
            "See that the disk has room and that the course is complete, then run it again.",
        ) from error
    return into
