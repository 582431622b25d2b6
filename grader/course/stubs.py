"""Turn a solution file into the stub that a learner starts from, and find the open TODOs of a stub.

A marked region that has a `[sections.NAME]` table becomes a TODO comment, followed by the section's
`stub` lines if it has any, or in Python by a `raise NotImplementedError`. Marker lines never reach a stub.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from grader.course.catalog import Exercise, Section
from grader.course.sections import Region, comment_prefix, find_regions, is_marker
from grader.support.errors import BrokenExercise

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
            generated = generated_lines(sections[region.name], suffix)
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

    A section is open while its generated lines stand there between the same two lines as in the stub, as far
    as those two are still in the file; so a learner who leaves the comment above finished code is not
    refused. Where no stub is known (:func:`stub_text`) the generated lines alone decide. A file that cannot
    be read has no open section: building it says what is wrong.
    """
    todos = []
    for name in exercise.edit:
        code = code_lines(_read(files_dir / name))
        stub = [text for _, text in code_lines(stub_text(exercise, name).splitlines())]
        found = []
        for section in sections_of(exercise, name).values():
            line = _find_untouched(generated_lines(section, Path(name).suffix), stub, code)
            if line:
                found.append(OpenTodo(section.name, name, line, section.prompt))
        todos += sorted(found, key=lambda todo: todo.line)
    return todos


def in_order(exercise: Exercise, todos: list[OpenTodo]) -> list[OpenTodo]:
    """``todos`` as they are to be written: those that ``order`` names first, the others as they were."""
    places = {name: place for place, name in enumerate(exercise.order)}
    return sorted(todos, key=lambda todo: places.get(todo.section, len(places)))


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


def generated_lines(section: Section, suffix: str) -> list[str]:
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


def _find_untouched(generated: list[str], stub: list[str], code: list[tuple[int, str]]) -> int:
    """The line where ``generated`` starts in ``code`` with its neighbours of ``stub``, or 0."""
    wanted = [line.strip() for line in generated if line.strip()]
    texts = [text for _, text in code]
    original = next(occurrences(wanted, stub), None)
    above, below = ("", "") if original is None else _neighbours(stub, original, len(wanted))
    for index in occurrences(wanted, texts):
        line_above, line_below = _neighbours(texts, index, len(wanted))
        untouched_above = line_above == above or above not in texts
        untouched_below = line_below == below or below not in texts
        if untouched_above and untouched_below:
            return code[index][0]
    return 0


def _neighbours(texts: list[str], index: int, size: int) -> tuple[str, str]:
    """The lines before and after the ``size`` lines at ``index``; "" at either end of the file."""
    after = index + size
    return (texts[index - 1] if index else ""), (texts[after] if after < len(texts) else "")


def occurrences(wanted: list[str], texts: list[str]) -> Iterator[int]:
    """Where `wanted` stands in `texts` as it is."""
    size = len(wanted)
    return (index for index in range(len(texts) - size + 1) if texts[index : index + size] == wanted)


def stub_text(exercise: Exercise, name: str) -> str:
    """File ``name`` as handed out: from the solution, or as a release without one keeps it; or ``""``."""
    master, kept = exercise.solution_dir / name, exercise.kept_stubs / name
    if master.is_file():
        text = master.read_text(encoding="utf-8")
        if name not in exercise.edit:
            return without_markers(text)
        return render_stub(text, master.suffix, sections_of(exercise, name), master)
    return kept.read_text(encoding="utf-8") if kept.is_file() else ""


def sections_of(exercise: Exercise, name: str) -> dict[str, Section]:
    return {key: section for key, section in exercise.sections.items() if section.file == name}


def code_lines(lines: list[str]) -> list[tuple[int, str]]:
    """The lines that are not blank, stripped, with their numbers from 1."""
    return [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]


def _indentation(body: list[str]) -> str:
    """That of the first line of code: a pragma is at the left margin, whatever it is about."""
    first = next((line for line in body if line.strip() and not line.startswith("#pragma")), "")
    return first[: len(first) - len(first.lstrip())]


def _read(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
