"""Reads ``hints.md``: one ``# section`` heading per section of the exercise, and below it ``## `` rungs.

Between the two may be comments that say which failures the section is about:

    <!-- for safety: ^launch_stream: -->
    <!-- otherwise correctness: ^values: -->

The first applies whenever the check ``safety`` failed and the regular expression is found in what it says;
the second only where nothing else, such as a source line, says what the failure is about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from grader.course.catalog import Exercise
from grader.support.errors import BrokenExercise
from grader.support.reading import read_text

Rungs: TypeAlias = dict[str, list[str]]  # section name -> the text of each rung, heading included

_SYMPTOM = re.compile(r"<!-- (?P<when>for|otherwise) (?P<check>\w+): (?P<said>.+) -->")


@dataclass(frozen=True)
class Symptom:
    """A failure of ``check`` whose text ``said`` is found in is about ``section``.

    Unless ``sure``, that is only so where nothing else says what the failure is about.
    """

    section: str
    check: str
    said: re.Pattern[str]
    sure: bool


def read_hints(exercise: Exercise) -> Rungs:
    """The rungs of every section. Raises BrokenExercise when the file or a section has none."""
    text = _text(exercise)
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


def read_symptoms(exercise: Exercise) -> list[Symptom]:
    """Which failures the sections are about, in file order. Raises BrokenExercise for any other comment."""
    symptoms = []
    section = ""
    for number, line in enumerate(_text(exercise).splitlines(), 1):
        if line.startswith("# "):
            section = line[2:].strip().strip("`")
        elif line.startswith("<!--"):
            symptoms.append(_symptom(exercise, section, number, line))
    return symptoms


def _symptom(exercise: Exercise, section: str, number: int, line: str) -> Symptom:
    match = _SYMPTOM.fullmatch(line.strip())
    try:
        if match and section:
            return Symptom(section, match["check"], re.compile(match["said"]), match["when"] == "for")
        why = "it is no symptom below a section"
    except re.error as error:
        why = f"its regular expression is wrong, {error}"
    raise BrokenExercise(
        f"{exercise.hints_path}:{number}: {why}.",
        "A symptom is `<!-- for CHECK: REGEX -->` or `<!-- otherwise CHECK: REGEX -->` below `# section`.",
    )


def _text(exercise: Exercise) -> str:
    return read_text(exercise.hints_path, BrokenExercise, "An exercise has its hints in this file.")
