"""How much of a stub a learner changed, and in which section.

Lines are compared as they stand, without trailing blanks; blank lines and lines of comment are free.
"""

from __future__ import annotations

import difflib
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grader.course.catalog import Exercise
from grader.course.sections import comment_prefix
from grader.course.stubs import code_lines, generated_lines, occurrences, sections_of, stub_text


@dataclass(frozen=True)
class Place:
    """A changed line outside of all sections, as the learner's file has it now (or the line after it)."""

    file: str
    line: int


@dataclass
class Changes:
    """Changed lines by section, and outside of all sections by place, one entry per line."""

    inside: Counter[str] = field(default_factory=Counter)
    elsewhere: list[Place] = field(default_factory=list)

    def excess(self, exercise: Exercise, names: tuple[str, ...]) -> str:
        """The first section of `names` in which more was changed than it allows, or ``""``."""
        for name in names:
            most = exercise.sections[name].max_changed
            if most is not None and self.inside[name] > most:
                return name
        return ""


def is_bounded(exercise: Exercise) -> bool:
    """Whether the exercise bounds how much may be changed."""
    bounds = (section.max_changed for section in exercise.sections.values())
    return exercise.elsewhere is not None or any(bound is not None for bound in bounds)


def changes_of(exercise: Exercise, files: Path) -> Changes | None:
    """What differs between the files of a learner and their stubs; None where the stubs are not known."""
    changes = Changes()
    for name in (*exercise.edit, *exercise.given):
        stub = stub_text(exercise, name)
        if not stub:
            return None
        try:
            text = (files / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # building it says that it is missing
        _compare(_numbered(stub), _owners(exercise, name, stub), _numbered(text), name, changes)
    return changes


def _numbered(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers from 1."""
    return [(number, line.rstrip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _owners(exercise: Exercise, name: str, stub: str) -> list[str]:
    """The section that each line of the stub belongs to, ``""`` for none; blank lines left out."""
    texts = [text for _, text in code_lines(stub.splitlines())]
    owners = [""] * len(texts)
    for section in sections_of(exercise, name).values():
        wanted = [line.strip() for line in generated_lines(section, Path(name).suffix) if line.strip()]
        for start in occurrences(wanted, texts):
            owners[start : start + len(wanted)] = [section.name] * len(wanted)
    return owners


def _compare(
    stub: list[tuple[int, str]], owners: list[str], code: list[tuple[int, str]], file: str, changes: Changes
) -> None:
    old, new = [text for _, text in stub], [text for _, text in code]
    free = comment_prefix(Path(file).suffix)
    for tag, i, i_end, j, j_end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        removed = Counter(
            owner
            for owner, text in zip(owners[i:i_end], old[i:i_end], strict=True)
            if not text.lstrip().startswith(free)
        )
        added = sum(not text.lstrip().startswith(free) for text in new[j:j_end])
        for owner, number in _shares(removed, added, list(_touched(owners, i, i_end))):
            if owner:
                changes.inside[owner] += number
            else:
                line = code[min(j, len(code) - 1)][0] if code else 1
                changes.elsewhere += [Place(file, line)] * number


def _touched(owners: list[str], start: int, end: int) -> Iterator[str]:
    """Sections first, of the stub's lines that were replaced or, for an insertion, of its two neighbours."""
    there = owners[start:end] or owners[max(0, start - 1) : start + 1]
    yield from dict.fromkeys(owner for owner in there if owner)
    yield ""


def _shares(removed: Counter[str], added: int, touched: list[str]) -> Iterator[tuple[str, int]]:
    """Each owner's larger number of removed and added lines; what was added beyond goes to the first."""
    beyond = max(0, added - removed.total())
    for number, owner in enumerate(touched):
        yield owner, removed[owner] + (beyond if number == 0 else 0)


def section_at(exercise: Exercise, files: Path, name: str, line: int) -> str:
    """The section that line ``line`` (from 1) of the file ``name`` in ``files`` belongs to; ``""`` for none.

    The lines that the file shares with its stub say where in the stub this one would stand. Where most of the
    lines that it takes the place of are of no section, nothing tells.
    """
    stub = stub_text(exercise, name)
    try:
        code = _numbered((files / name).read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ""
    place = next((index for index, (number, _) in enumerate(code) if number >= line), len(code) - 1)
    start, end, share = _stub_lines_at(_numbered(stub), code, place)
    there = _owners(exercise, name, stub)[start:end]
    between = [owner for owner in dict.fromkeys(there) if owner]
    return _by_length(exercise, between, share) if 2 * there.count("") <= len(there) and between else ""


def _stub_lines_at(
    stub: list[tuple[int, str]], code: list[tuple[int, str]], place: int
) -> tuple[int, int, float]:
    """The lines of the stub in whose place line `place` of the code is, and how far into them: 0 to 1.

    Where the line was inserted between two of the stub, or is the stub's own, these and it are the answer.
    """
    old, new = [text for _, text in stub], [text for _, text in code]
    for tag, i, i_end, j, j_end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if j <= place < j_end:
            if tag == "equal":
                return i + place - j, i + place - j + 1, 0.0
            share = (place - j + 0.5) / (j_end - j)
            return (i, i_end, share) if tag == "replace" else (max(0, i - 1), i + 1, share)
    return 0, 0, 0.0


def _by_length(exercise: Exercise, names: list[str], share: float) -> str:
    """Which of the neighbouring sections `names` a place belongs to, by the length that each should have."""
    lines = [exercise.sections[name].lines for name in names]
    reached = list(itertools.accumulate(lines))
    return next(name for name, end in zip(names, reached, strict=True) if share * reached[-1] <= end)
