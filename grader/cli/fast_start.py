"""`grader list` and `grader next` without typer, whose import takes longer than they do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_COMMANDS = ("list", "next")


def answered(words: Sequence[str]) -> bool:
    """Runs what the command line ``words`` asks for, if it is one of these two with nothing but --course.

    False where it is anything else: then typer reads it, and says what is wrong with it.
    """
    match words:
        case [verb] if verb in _COMMANDS:
            course = None
        case [verb, "--course", folder] if verb in _COMMANDS and not folder.startswith("-"):
            course = Path(folder)
        case [verb, word] if verb in _COMMANDS and word.startswith("--course=") and word != "--course=":
            course = Path(word.partition("=")[2])
        case _:
            return False
    if verb == "list":
        from grader.cli.overview import list_exercises

        list_exercises(course)
    else:
        from grader.cli.next_exercise import show_next

        show_next(course)
    return True
