"""Reads ``hints.md``: one ``# section`` heading per section of the exercise, and below it ``## `` rungs."""

from __future__ import annotations

from typing import TypeAlias

from grader.catalog import Exercise
from grader.errors import BrokenExercise

Rungs: TypeAlias = dict[str, list[str]]  # section name -> the text of each rung, heading included


def read_hints(exercise: Exercise) -> Rungs:
    """The rungs of every section. Raises BrokenExercise when the file or a section has none."""
    try:
        text = exercise.hints_path.read_text(encoding="utf-8")
    except OSError as error:
        raise BrokenExercise(f"{exercise.hints_path} cannot be read: {error.strerror}.") from error
    rungs: Rungs = {}
    section = ""
    for line in text.splitlines():
        if line.startswith("# "):
            section = line[2:].strip().strip("`")
            rungs[section] = []
        elif line.startswith("## ") and section:
            rungs[section].append(line[3:].strip())
        elif section and rungs[section]:
            rungs[section][-1] += "\n" + line
    empty = [name for name, texts in rungs.items() if not texts]
    if empty or not rungs:
        raise BrokenExercise(
            f"{exercise.hints_path}: {empty[0] if empty else 'the file'} has no hint.",
            "A `# section` heading is followed by `## ` headings, one per hint.",
        )
    return {name: [text.strip() for text in texts] for name, texts in rungs.items()}
