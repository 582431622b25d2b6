"""Finds the exercises of a course.

A course is a folder with ``exercises/NN_slug/``; the authors' copy also has ``solutions/NN_slug/`` and
``docs/lessons/NN_slug.md``. Nothing here imports torch: ``grader list`` must answer at once.
"""

from __future__ import annotations

import difflib
import itertools
import os
from pathlib import Path

from grader.course.exercise import BuildFacts, Exercise, Section, read_exercise
from grader.support.errors import UnknownExercise, UsageError
from grader.support.folders import PACKAGE

__all__ = ["BuildFacts", "Catalog", "Exercise", "Section", "find_course"]


class Catalog:
    """The exercises of one course, in number order."""

    def __init__(self, course: Path, exercises: tuple[Exercise, ...]) -> None:
        self.course = course
        self.exercises = exercises

    @classmethod
    def open(cls, course: Path | None = None) -> Catalog:
        """Reads the course in ``course``, or the one found by ``find_course``.

        Raises UsageError when there is no course there, and BrokenExercise for a wrong exercise folder.
        """
        root = find_course() if course is None else course.resolve()
        roots = sorted(facts.parent for facts in (root / "exercises").glob("*/exercise.toml"))
        if not roots:
            raise UsageError(
                f"{root} is not a course folder.",
                "A course has its exercises in exercises/NN_slug/exercise.toml.",
                "Run from the course folder, or name it: grader list --course DIR",
            )
        exercises = tuple(read_exercise(entry) for entry in roots)
        _refuse_shared_numbers(exercises)
        return cls(root, exercises)

    def find(self, wanted: str) -> Exercise:
        """The exercise with this number (``3``, ``03``), slug, slug without number, or path.

        Raises UnknownExercise with the nearest names.
        """
        for exercise in self.exercises:
            if wanted in (exercise.slug, exercise.slug[3:]):
                return exercise
            if wanted.isdecimal() and int(wanted) == exercise.number:
                return exercise
        return self._find_path(wanted)

    def _find_path(self, wanted: str) -> Exercise:
        path = Path(wanted)
        for place in (path.absolute(), self.course / path):
            resolved = place.resolve()
            for exercise in self.exercises:
                if resolved.is_relative_to(exercise.root):
                    return exercise
                if resolved.is_relative_to(exercise.solution_dir):
                    raise UnknownExercise(
                        f"{wanted} is the reference solution, not an exercise.",
                        "Solutions are graded by naming the exercise they solve.",
                        f"Run: grader check {exercise.number:02d} --from solutions",
                    )
        raise self._unknown(wanted)

    def _unknown(self, wanted: str) -> UnknownExercise:
        names = [exercise.slug for exercise in self.exercises]
        if wanted.isdecimal():
            close = sorted(self.exercises, key=lambda exercise: abs(exercise.number - int(wanted)))[:3]
            near = sorted(exercise.slug for exercise in close)
        else:
            word = Path(wanted).name
            by_name = {slug[3:]: slug for slug in names} | {slug: slug for slug in names}
            near = sorted({by_name[match] for match in difflib.get_close_matches(word, by_name, 3, 0.5)})
        nearest = f"The nearest are {', '.join(near)}." if near else "No name comes near it."
        what = f"There is no exercise {wanted!r} in {self.course}."
        return UnknownExercise(what, nearest, "Run: grader list")


def find_course() -> Path:
    """The course around the current folder, or else CU2GRAD_COURSE, or the one this package came from.

    Raises UsageError when none holds ``exercises/``.
    """
    here = Path.cwd()
    chosen = os.environ.get("CU2GRAD_COURSE")
    elsewhere = [Path(chosen).expanduser().resolve()] if chosen else []
    for folder in (here, *here.parents, *elsewhere, PACKAGE.parent):
        if any((folder / "exercises").glob("*/exercise.toml")):
            return folder
    raise UsageError(
        f"No course was found in {here} or above it.",
        "A course is a folder that holds exercises/NN_slug/exercise.toml.",
        "Run from the course folder, or name it: grader list --course DIR",
    )


def _refuse_shared_numbers(exercises: tuple[Exercise, ...]) -> None:
    for first, second in itertools.pairwise(exercises):
        if first.number == second.number:
            raise UsageError(
                f"{first.slug} and {second.slug} share the number {first.number:02d}.",
                "A number names one exercise.",
                "Rename one of the two folders.",
            )
