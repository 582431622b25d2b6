"""The catalogue of attacks: one folder each, read and checked, and turned into a submission.

    attacks/CLASS/NAME/attack.toml      what it does, what a naive grader gives it, what refuses it here
    attacks/CLASS/NAME/kernel.cu        replaces the file of that name in the exercise's solution
    attacks/CLASS/NAME/op.below.py      goes below the text of the solution's op.py; op.above.py above it

README.md beside this module describes the format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.course.catalog import Catalog, Exercise
from grader.course.edits import Edit, read_edit
from grader.course.stubs import without_markers
from grader.support.toml_table import TomlTable, read_toml

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "attacks"
FACTS = "attack.toml"
BACKENDS = ("simt", "cuda")
# What may refuse an attack: a reader of the submission, the compiler, or a check of the verdict.
BEFORE_IT_RUNS = ("audit", "build")
CHECKS = (
    "changes", "correctness", "gradient", "parts", "safety", "device_work", "dispatcher", "packaging",
    "measurements", "accepts", "kills", "efficiency", "performance", "answers",
)  # fmt: skip
_PLACES = (".above", ".below")


@dataclass(frozen=True)
class Attack:
    """``says`` is a regular expression for the words of the verdict, ``earns`` the most points of 100 on
    each backend: a GPU also judges the speed."""

    folder: Path
    exercise: Exercise
    does: str
    naive: str
    refused_by: str
    says: str
    earns: dict[str, float]
    backends: tuple[str, ...]
    edits: tuple[Edit, ...] = ()

    @property
    def group(self) -> str:
        """The class of the attack."""
        return self.folder.parent.name

    @property
    def name(self) -> str:
        return f"{self.group}/{self.folder.name}"

    @property
    def is_compiled(self) -> bool:
        """Whether it changes what a compiler reads: its text alone may be nothing to refuse."""
        own = [name for _, name, _ in _own_files(self.folder)] + [edit.file for edit in self.edits]
        return any(Path(name).suffix not in (".py", ".toml") for name in own)

    def write(self, submission: Path) -> None:
        """Write the solution with the attack's files over it to ``submission``, which must exist."""
        for name in _files_of(self.exercise):
            text = without_markers((self.exercise.solution_dir / name).read_text(encoding="utf-8"))
            for edit in self.edits:
                text = edit.apply(text) if edit.file == name else text
            (submission / name).parent.mkdir(parents=True, exist_ok=True)
            (submission / name).write_text(text, encoding="utf-8")
        for path, name, place in _own_files(self.folder):
            target = submission / name
            target.parent.mkdir(parents=True, exist_ok=True)
            own, solution = path.read_bytes(), target.read_bytes() if place else b""
            text = own + b"\n\n" + solution if place == ".above" else solution + b"\n\n" + own
            target.write_bytes(text if place else own)


def attacks(folder: Path = FOLDER) -> list[Attack]:
    """Every attack below ``folder``, by name. Raises BrokenExercise for one that breaks the format."""
    return [read(path.parent) for path in sorted(folder.glob(f"*/*/{FACTS}"))]


def read(folder: Path) -> Attack:
    """The attack in ``folder``. Raises BrokenExercise, which names the file, the key and the rule."""
    table = read_toml(folder / FACTS)
    exercise = _exercise(table)
    solution = _files_of(exercise)
    attack = Attack(
        folder=folder,
        exercise=exercise,
        does=_sentence(table, "does"),
        naive=_sentence(table, "naive"),
        refused_by=_refused_by(table),
        says=_pattern(table),
        earns=_earns(table),
        backends=_backends(table),
        edits=tuple(_edits(table, folder, exercise)),
    )
    table.finish()
    own = list(_own_files(folder))
    if not own and not attack.edits:
        raise table.broken(f"{folder.name} changes nothing", "An attack has a file or an edit of its own.")
    for path, name, place in own:
        if place and name not in solution:
            raise table.broken(f"{path.name} adds to {name}", f"The solution has {', '.join(solution)}.")
    return attack


@cache
def _course() -> Catalog:
    return Catalog.open(ROOT)


def _files_of(exercise: Exercise) -> tuple[str, ...]:
    return (*exercise.edit, *exercise.given)


def _own_files(folder: Path) -> Iterator[tuple[Path, str, str]]:
    """Each file of the attack, its name in the submission, and where it is added: "" replaces the file."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != FACTS and "__pycache__" not in path.parts:
            place = next((each for each in _PLACES if path.stem.endswith(each)), "")
            name = path.with_name(path.stem.removesuffix(place) + path.suffix)
            yield path, name.relative_to(folder).as_posix(), place


def _exercise(table: TomlTable) -> Exercise:
    slug = table.text("exercise")
    found = {exercise.slug: exercise for exercise in _course().exercises}
    if slug not in found:
        raise table.broken(f"exercise is {slug!r}", f"It must be a slug: one of {', '.join(found)}.")
    return found[slug]


def _sentence(table: TomlTable, key: str) -> str:
    text = table.text(key)
    if not text.endswith(".") or "\n" in text or len(text) < 10:
        raise table.broken(f"{key} is {text!r}", "It must be one sentence, with a full stop.")
    return text


def _earns(table: TomlTable) -> dict[str, float]:
    simt = table.number("earns", 0.0)
    return {"simt": simt, "cuda": table.number("earns_on_cuda", simt)}


def _refused_by(table: TomlTable) -> str:
    name = table.text("refused_by", one_of=(*BEFORE_IT_RUNS, *CHECKS, "speed"))
    return "performance" if name == "speed" else name


def _pattern(table: TomlTable) -> str:
    says = table.text("says")
    try:
        empty = re.compile(says).search("") is not None
    except re.error as error:
        raise table.broken(f"says is {says!r}", f"It must be a regular expression: {error}.") from error
    if empty:
        raise table.broken(f"says is {says!r}", "It must not match every verdict.")
    return says


def _backends(table: TomlTable) -> tuple[str, ...]:
    names = table.texts("backends")
    if not names or not set(names) <= set(BACKENDS):
        raise table.broken(f"backends is {list(names)}", f"It must list some of {', '.join(BACKENDS)}.")
    return names


def _edits(table: TomlTable, folder: Path, exercise: Exercise) -> Iterator[Edit]:
    """The edits in order; each must match once in the solution's text, without markers."""
    for entry in table.tables("edit"):
        yield read_edit(
            entry,
            folder.name,
            _files_of(exercise),
            lambda name: without_markers((exercise.solution_dir / name).read_text(encoding="utf-8")),
        )
        entry.finish()
