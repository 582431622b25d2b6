"""One-edit mistakes in the reference solutions: how the grader is tested, and what `grader demo` shows."""

from __future__ import annotations

import itertools
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from grader.course.catalog import Exercise
from grader.course.edits import read_edit, require_own_names
from grader.course.sections import find_regions
from grader.course.stubs import without_markers
from grader.support.errors import BrokenExercise
from grader.support.reading import read_text
from grader.support.toml_table import TomlTable, read_toml

_COUNTED = "efficiency"  # the check that the simulated GPU alone can make


@dataclass(frozen=True)
class Mutant:
    """``find``, which stands once in ``file`` of the solution, replaced by ``replace``.

    ``caught_by`` names the check that must fail and ``finding``, if any, the kind of finding it must report
    or the section of the lesson that it must point at; ``backends`` are those that can catch it, on a machine
    with as many GPUs as ``devices`` says. ``says`` is a regular expression for the words of a verdict on simt
    that name the class of the mistake; "" if values alone do not tell it from others. ``demo`` marks those
    whose answers are right all the same.
    """

    exercise: Exercise
    name: str
    file: str
    find: str
    replace: str
    caught_by: str
    backends: tuple[str, ...]
    finding: str
    why: str
    demo: bool
    devices: int = 1
    says: str = ""

    def files(self) -> dict[str, str]:
        """The solution with this mistake, without markers: texts by name."""
        found = {}
        for name in (*self.exercise.edit, *self.exercise.given):
            text = (self.exercise.solution_dir / name).read_text(encoding="utf-8")
            if name == self.file:
                text = text.replace(self.find, self.replace)
            found[name] = without_markers(text)
        return found

    def write(self, folder: Path) -> None:
        """Writes the files to ``folder``, which must exist."""
        for name, text in self.files().items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")

    @property
    def section(self) -> str:
        """The section of the exercise that the mistake is in; ``""`` where it is in none."""
        text = _solution_text(self.exercise, self.file)
        pairs = itertools.zip_longest(self.find, self.replace)
        changed = next(place for place, (before, after) in enumerate(pairs) if before != after)
        line = text[: text.index(self.find) + min(changed, len(self.find) - 1)].count("\n") + 1
        regions = find_regions(text, self.file)
        inside = (region.name for region in regions if region.start < line < region.end)
        return next((name for name in inside if name in self.exercise.sections), "")

    def diff(self) -> list[str]:
        """The changed lines, ``- `` before and ``+ `` after, with the indentation they share taken off."""
        before, after = self.find.strip("\n").splitlines(), self.replace.strip("\n").splitlines()
        removed = [line for line in before if line.strip() and line not in after]
        added = [line for line in after if line.strip() and line not in before]
        shared = textwrap.dedent("\n".join(removed + added)).splitlines()
        marks = ["- "] * len(removed) + ["+ "] * len(added)
        return [mark + line for mark, line in zip(marks, shared, strict=True)]


def load_mutants(exercise: Exercise) -> list[Mutant]:
    """The mutants of ``exercise``, each checked against the solution; none when it has no ``mutants.toml``.

    Raises BrokenExercise for a wrong table, a repeated name, or a ``find`` that does not match exactly once.
    """
    path = exercise.solution_dir / "mutants.toml"
    if not path.exists():
        return []
    table = read_toml(path)
    mutants = [_read_mutant(entry, exercise) for entry in table.tables("mutant")]
    table.finish()
    require_own_names(table, [mutant.name for mutant in mutants])
    return mutants


def _read_mutant(table: TomlTable, exercise: Exercise) -> Mutant:
    name = table.text("name")
    files = (*exercise.edit, *exercise.given)
    edit = read_edit(table, name, files, lambda file: _solution_text(exercise, file))
    caught_by = table.text("caught_by")
    mutant = Mutant(
        exercise=exercise,
        name=name,
        file=edit.file,
        find=edit.find,
        replace=edit.replace,
        caught_by=caught_by,
        backends=table.texts("backends", ("simt",) if caught_by == _COUNTED else ("simt", "cuda")),
        finding=table.text("finding", ""),
        why=table.text("why"),
        demo=table.boolean("demo", False),
        devices=table.integer("devices", 1),
        says=_pattern(table),
    )
    table.finish()
    return mutant


def _pattern(table: TomlTable) -> str:
    """The regular expression under ``says``, which must compile."""
    says = table.text("says", "")
    try:
        re.compile(says)
    except re.error as error:
        raise table.broken(f"says is {says!r}", f"It must be a regular expression: {error}.") from error
    return says


def _solution_text(exercise: Exercise, name: str) -> str:
    return read_text(exercise.solution_dir / name, BrokenExercise, "A mutant edits this file.")
