"""The key to `answers.toml`: digests of the right choices, made from the solution's file.

A digest keeps nobody from finding a letter out, since three or four can be tried. It keeps everybody from
reading one by accident.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

from cusimt.support.words import reason
from grader.course.exercise import Exercise
from grader.support.errors import BrokenExercise

ANSWERS = "answers.toml"
KEY = "answers.key"

_HEADER = f"# Digests of the right choices, generated from the solution's {ANSWERS}. Run: make sync\n"


def digest(slug: str, question: str, letter: str) -> str:
    """What the key holds if `letter` is the right answer."""
    return hashlib.sha256(f"{slug}/{question}/{letter}".encode()).hexdigest()


def shipped_key(exercise: Exercise) -> dict[Path, str]:
    """The key of an exercise whose solution answers choices, and where it lies; else nothing.

    Raises BrokenExercise when the solution's answers cannot be read.
    """
    if ANSWERS not in exercise.edit:
        return {}
    letters = {name: value for name, value in _answers(exercise).items() if isinstance(value, str)}
    if not letters:
        return {}
    lines = [
        f'{name} = "{digest(exercise.slug, name, letter.lower())}"\n' for name, letter in letters.items()
    ]
    return {exercise.root / KEY: _HEADER + "".join(lines)}


def read_key(exercise: Exercise) -> dict[str, str]:
    """The digest of every choice, none where there is no key. Raises BrokenExercise for a broken file."""
    path = exercise.root / KEY
    if not path.is_file():
        return {}
    return {name: str(value) for name, value in _read(path).items()}


def _answers(exercise: Exercise) -> dict[str, object]:
    return _read(exercise.solution_dir / ANSWERS)


def _read(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        why = f"{path} cannot be read: {reason(error)}."
        raise BrokenExercise(why, "It must be TOML in UTF-8.") from error
