"""Turns a solution file into the stub a learner starts from, and finds what is still open in one.

A marked region that has a `[sections.NAME]` table becomes a TODO comment, followed by the section's
`stub` lines if it has any, or in Python by a `raise NotImplementedError`. Marker lines never reach a stub.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from grader.catalog import Exercise, Section
from grader.errors import BrokenExercise
from grader.sections import Region, comment_prefix, find_regions, is_marker

_WIDTH = 100  # columns of a generated comment, indentation not counted


@dataclass(frozen=True)
class OpenTodo:
    """A section that the learner has not touched; ``line`` is that of its TODO comment, from 1."""

    section: str
    file: str
    line: int
    prompt: str


def render_stub(
    text: str, suffix: str, sections: Mapping[str, Section], filename: str | PurePath = ""
) -> str:
    """``text`` of a solution file with every section of ``sections`` blanked and all markers dropped.

    ``suffix`` decides the comment style (``.py`` or C++). Raises BrokenExercise for broken markers and
    for a section that ``text`` does not contain.
    """
    lines = text.splitlines()
    stub: list[str] = []
    copied = 0
    for region in _checked_regions(text, sections, filename or f"solution{suffix}"):
        body = lines[region.start : region.end - 1]
        stub += lines[copied : region.start - 1]
        if region.name in sections:
            indent = _indentation(body)
            generated = _generated_lines(sections[region.name], suffix)
            stub += [indent + line if line else "" for line in generated]
        else:
            stub += body
        copied = region.end
    return "\n".join(stub + lines[copied:]) + "\n"


def without_markers(text: str) -> str:
    """``text`` without its marker lines: what a learner gets of a file that is given complete."""
    return "".join(line for line in text.splitlines(keepends=True) if not is_marker(line))


def open_todos(exercise: Exercise, files_dir: Path) -> list[OpenTodo]:
    """The sections of ``exercise`` that are in ``files_dir`` as the stub left them, in file order.

    A section is open while its generated lines stand between the same two lines of code as in the stub.
    Where the solutions are absent those two lines are unknown and the generated lines alone decide.
    A file that cannot be read has no open section: building it says what is wrong.
    """
    todos = []
    for name in exercise.edit:
        code = [
            (number, line.strip()) for number, line in enumerate(_read(files_dir / name), 1) if line.strip()
        ]
        found = []
        for section in exercise.sections.values():
            if section.file == name and (line := _find(_untouched_lines(exercise, section), code)):
                found.append(OpenTodo(section.name, name, line, section.prompt))
        todos += sorted(found, key=lambda todo: todo.line)
    return todos


def _checked_regions(text: str, sections: Mapping[str, Section], filename: str | PurePath) -> list[Region]:
    regions = find_regions(text, filename)
    missing = sections.keys() - {region.name for region in regions}
    if missing:
        raise BrokenExercise(
            f"{filename}: section {min(missing)!r} of exercise.toml is not marked here.",
            "Every [sections.NAME] table has one pair of markers in the solution file it names.",
            "Mark the region or drop the table, then run: make sync",
        )
    return regions


def _generated_lines(section: Section, suffix: str) -> list[str]:
    """What stands in a stub for ``section``, not indented: the TODO comment, then its stand-in code."""
    mark = comment_prefix(suffix)
    about = f"about {section.lines} line{'' if section.lines == 1 else 's'}"
    comment = textwrap.wrap(
        f"TODO({section.name}): {section.prompt.rstrip('.')}, {about}.",
        width=_WIDTH,
        initial_indent=f"{mark} ",
        subsequent_indent=f"{mark}   ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    code = [line.rstrip() for line in section.stub.strip("\n").splitlines()]
    if not code and suffix == ".py":
        code = [f'raise NotImplementedError("TODO({section.name})")']
    return comment + code


def _untouched_lines(exercise: Exercise, section: Section) -> tuple[str, list[str], str]:
    """The stripped generated lines of ``section`` with the code before and after them, where known."""
    generated = [
        line.strip() for line in _generated_lines(section, Path(section.file).suffix) if line.strip()
    ]
    lines = _read(exercise.solution_dir / section.file)
    regions = find_regions("\n".join(lines), exercise.solution_dir / section.file)
    region = next((region for region in regions if region.name == section.name), None)
    if region is None:
        return "", generated, ""
    blanked = {
        number
        for other in regions
        if other.name in exercise.sections
        for number in range(other.start, other.end + 1)
    }
    above = _first_code(lines, range(region.start - 1, 0, -1), blanked)
    below = _first_code(lines, range(region.end + 1, len(lines) + 1), blanked)
    return above, generated, below


def _first_code(lines: list[str], numbers: range, blanked: set[int]) -> str:
    """The first line of code among ``numbers``, or "" when another blanked section comes first."""
    for number in numbers:
        if number in blanked:
            return ""
        line = lines[number - 1].strip()
        if line and not is_marker(line):
            return line
    return ""


def _find(untouched: tuple[str, list[str], str], code: list[tuple[int, str]]) -> int:
    """The line number where the generated lines start in ``code``, or 0 when they are not there."""
    above, generated, below = untouched
    texts = [text for _, text in code]
    for index in range(len(texts) - len(generated) + 1):
        end = index + len(generated)
        same_above = not above or (index > 0 and texts[index - 1] == above)
        same_below = not below or (end < len(texts) and texts[end] == below)
        if texts[index:end] == generated and same_above and same_below:
            return code[index][0]
    return 0


def _indentation(body: list[str]) -> str:
    first = next((line for line in body if line.strip()), "")
    return first[: len(first) - len(first.lstrip())]


def _read(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
