"""The implementations that a learner's tests run against: correct ones to accept, wrong ones to refuse.

Of an exercise whose learner writes tests, the files in ``given`` are one correct implementation. Beside the
solution stand ``accepted/NAME/``, further correct ones that are written differently (a folder holds the files
in which it differs from the given one), and ``hidden.toml``::

    [accepted.one_warp]                    # what is said about the implementation in accepted/one_warp
    trait = "a warp for each row, which adds up in another order"

    [classes.width]
    title = "a row that does not fill the block"
    see = "What kind of test would see it."

    [[mutant]]                             # a mistake in the given implementation, never shown
    class = "width"
    name = "last columns dropped"
    file = "kernel.cu"
    find = "..."
    replace = "..."
    backends = ["simt"]                    # if not all show it: a race that a GPU seldom loses
    devices = 2                            # if it takes a second GPU

``mutants.toml`` beside the exercise has the same form; its mistakes are published, to practise on. They stand
in for the hidden ones where there is no solution.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.course.catalog import Exercise
from grader.course.edits import read_edit, require_own_names
from grader.course.stubs import without_markers
from grader.support.backends import Backend
from grader.support.errors import BrokenExercise
from grader.support.reading import read_text
from grader.support.toml_table import TomlTable, read_toml

HIDDEN, PUBLISHED, ACCEPTED = "hidden.toml", "mutants.toml", "accepted"


@dataclass(frozen=True)
class Implementation:
    """``files`` by name, complete; ``trait`` goes on after "an implementation with"."""

    name: str
    trait: str
    files: Mapping[str, str]


@dataclass(frozen=True)
class Kind:
    """A class of mistakes: ``title`` names it, ``see`` says what kind of test would see it."""

    name: str
    title: str
    see: str


@dataclass(frozen=True)
class Mistake:
    """A wrong implementation, and the class of what is wrong with it.

    It shows on ``backends``, or on all where none is named, with at least ``devices`` GPUs.
    """

    kind: Kind
    implementation: Implementation
    backends: tuple[str, ...] = ()
    devices: int = 1


@dataclass(frozen=True)
class Collection:
    """Everything that a suite is run against; the first of ``correct`` is the given implementation.

    ``hidden`` is false where the mistakes are the published ones, for want of a solution.
    """

    correct: tuple[Implementation, ...]
    mistakes: tuple[Mistake, ...]
    hidden: bool

    @property
    def kinds(self) -> list[Kind]:
        """The classes that have a mistake, in the order of their first one."""
        return list(dict.fromkeys(mistake.kind for mistake in self.mistakes))

    def shown_by(self, backend: Backend, devices: int) -> Collection:
        """Without the mistakes that this machine cannot show."""
        shown = (
            each
            for each in self.mistakes
            if devices >= each.devices and (not each.backends or backend in each.backends)
        )
        return replace(self, mistakes=tuple(shown))


def collection(exercise: Exercise) -> Collection:
    """The implementations of ``exercise``. Raises BrokenExercise for what is missing or makes no sense."""
    given = _given(exercise)
    path = exercise.solution_dir / HIDDEN
    if not path.is_file():
        return Collection((given,), published(exercise), hidden=False)
    table = read_toml(path)
    accepted = _Accepted(exercise, given, table.table("accepted")).read()
    mistakes = _read_mistakes(table, given)
    table.finish()
    return Collection((given, *accepted), mistakes, hidden=True)


def published(exercise: Exercise) -> tuple[Mistake, ...]:
    """The mistakes to practise on."""
    table = read_toml(exercise.root / PUBLISHED)
    mistakes = _read_mistakes(table, _given(exercise))
    table.finish()
    return mistakes


def _given(exercise: Exercise) -> Implementation:
    """From the solution, which learners do not edit; else from the exercise itself."""
    folder = exercise.solution_dir if exercise.solution_dir.is_dir() else exercise.root
    files = {name: without_markers(_text(folder / name)) for name in exercise.given}
    return Implementation("given", "the code that you were given", files)


@dataclass
class _Accepted:
    exercise: Exercise
    given: Implementation
    table: TomlTable
    found: list[Implementation] = field(default_factory=list)

    def read(self) -> list[Implementation]:
        folder = self.exercise.solution_dir / ACCEPTED
        present = {each.name for each in folder.iterdir() if each.is_dir()} if folder.is_dir() else set()
        unnamed = sorted(present - set(self.table))
        if unnamed:
            raise self.table.broken(
                f"accepted.{unnamed[0]} is missing", f"It says what is special about {folder / unnamed[0]}."
            )
        return [self._one(folder / name, self.table.table(name)) for name in self.table]

    def _one(self, folder: Path, table: TomlTable) -> Implementation:
        present = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        own = {path.relative_to(folder).as_posix(): without_markers(_text(path)) for path in present}
        surplus = sorted(own.keys() - self.given.files.keys())
        if not own or surplus:
            what = f"{folder} holds {surplus[0]}" if surplus else f"{folder} holds no file"
            raise table.broken(what, f"It holds those of {', '.join(self.given.files)} that differ.")
        implementation = Implementation(folder.name, table.text("trait"), {**self.given.files, **own})
        table.finish()
        return implementation


def _read_mistakes(table: TomlTable, given: Implementation) -> tuple[Mistake, ...]:
    kinds = _read_kinds(table.table("classes"))
    mistakes = [_read_mistake(entry, kinds, given) for entry in table.tables("mutant")]
    require_own_names(table, [mistake.implementation.name for mistake in mistakes])
    unused = sorted(kinds.keys() - {mistake.kind.name for mistake in mistakes})
    if unused:
        raise table.broken(f"classes.{unused[0]} has no mutant", "A class has one at least.")
    return tuple(mistakes)


def _read_kinds(tables: TomlTable) -> dict[str, Kind]:
    kinds = {}
    for name in tables:
        table = tables.table(name)
        kinds[name] = Kind(name, table.text("title"), table.text("see"))
        table.finish()
    return kinds


def _read_mistake(table: TomlTable, kinds: Mapping[str, Kind], given: Implementation) -> Mistake:
    name = table.text("name")
    kind = kinds[table.text("class", one_of=tuple(kinds))]
    edit = read_edit(table, name, tuple(given.files), lambda file: given.files[file])
    backends = table.texts("backends", ())
    devices = table.integer("devices", 1)
    table.finish()
    files = {**given.files, edit.file: edit.apply(given.files[edit.file])}
    return Mistake(kind, Implementation(name, kind.title, files), backends, devices)


def _text(path: Path) -> str:
    return read_text(path, BrokenExercise, "Tests are run against the implementation in it.")
