"""One exercise, and the facts in its ``exercise.toml``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course.vendor import VENDOR
from grader.support.backends import Backend
from grader.support.toml_table import TomlTable, read_toml

KINDS = ("write", "fix", "predict", "test")
INTERFACES = ("torch_library", "torch_extension", "pybind", "wheel", "triton")
CHECKS = (
    "correctness", "gradient", "parts", "safety", "device_work", "dispatcher", "packaging",
    "measurements", "accepts", "kills", "efficiency", "performance", "answers",
)  # fmt: skip
ALLOWANCES = ("torch.library",)  # what [audit] allow may grant to op.py beyond what every op.py may use
DEFAULT_SCORES = {"correctness": 40, "gradient": 20, "safety": 10, "device_work": 10, "performance": 20}

SLUG = re.compile(r"^\d\d_[a-z][a-z0-9_]*$")
_FILE = re.compile(r"(\w[\w-]*/)?\w[\w.-]*")  # a plain name, or one in a folder; never a way out of it


@dataclass(frozen=True)
class Section:
    """A marked region that a stub leaves open: ``stub`` holds the lines that stand in for it, if any.

    ``max_changed`` is the number of lines of the stub that may be changed there; None for any number.
    """

    name: str
    file: str
    prompt: str
    lines: int
    stub: str = ""
    max_changed: int | None = None


@dataclass(frozen=True)
class BuildFacts:
    """``name`` is the library's: its TORCH_LIBRARY namespace, its Python module or its Python package.

    Of the interface ``triton`` the sources are Python: there is no library, and ``name`` is the namespace of
    the operators that op.py registers.
    """

    name: str
    interface: str
    sources: tuple[str, ...]
    cuda_flags: tuple[str, ...]


@dataclass(frozen=True)
class Exercise:
    """One exercise: where it lies and what its ``exercise.toml`` says.

    ``edit`` are the files that the learner changes and ``given`` those shipped complete. ``scores`` are
    points per check and sum to 100. ``library`` lists the operators that the exercise may call besides
    allocation, views and metadata; ``copies`` is true where copying between host and device is the point,
    ``moves`` is false where moving numbers about is, ``mapped`` is true where kernels may use memory that the
    host has too (managed, pinned, registered). ``vendor`` names the libraries in VENDOR that host code calls.
    ``allowed`` are the ALLOWANCES that the audit grants.
    ``elsewhere`` is the number of lines that may be changed outside of all sections; None for any number.
    ``order`` names the sections to write first, in this order; the others follow in the order of the files.
    """

    slug: str
    number: int
    root: Path
    title: str
    kind: str
    requires: tuple[str, ...]
    minutes: int
    core: bool
    version: int
    edit: tuple[str, ...]
    given: tuple[str, ...]
    build: BuildFacts
    sections: dict[str, Section]
    scores: dict[str, int]
    library: frozenset[str]
    copies: bool
    moves: bool = True
    mapped: bool = False
    vendor: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()
    elsewhere: int | None = None
    order: tuple[str, ...] = ()

    def scores_on(self, backend: Backend) -> dict[str, int]:
        """The checks that this backend can judge, with their points.

        What the backend of record cannot judge leaves everybody's denominator: speed needs a GPU, and what is
        counted needs the simulated one.
        """
        beyond = {"simt": "performance", "cuda": "efficiency"}[backend]
        return {check: points for check, points in self.scores.items() if check != beyond}

    @property
    def course(self) -> Path:
        """The course folder, which holds ``exercises/`` and, in the authors' copy, ``solutions/``."""
        return self.root.parent.parent

    @property
    def solution_dir(self) -> Path:
        """Where the master copies are; the folder is absent in a learner's release."""
        return self.course / "solutions" / self.slug

    @property
    def triton_dir(self) -> Path:
        """Where the operation may be once more, as kernels in Triton to compare with."""
        return self.course / "docs" / "samples" / "triton" / self.slug

    def in_triton(self) -> Exercise:
        """The same operation for the files in ``triton_dir``, which take the places of the learner's."""
        build = replace(self.build, interface="triton", sources=("kernel.py",), cuda_flags=())
        return replace(self, edit=("kernel.py", "op.py"), given=(), sections={}, build=build)

    @property
    def has_python_kernels(self) -> bool:
        """Whether the device code is Python, in Triton: nothing is compiled ahead of a launch."""
        return self.build.interface == "triton"

    @property
    def is_repair(self) -> bool:
        """Whether the learner is given code with mistakes in it, rather than none."""
        return self.kind == "fix"

    @property
    def written(self) -> tuple[str, ...]:
        """The files of `edit` in which a section is open; all of them, where no section is."""
        files = {section.file for section in self.sections.values()}
        return tuple(name for name in self.edit if name in files) or self.edit

    @property
    def kept_stubs(self) -> Path:
        """Where a release without solutions keeps what the learner's files looked like at first."""
        return self.course / ".cu2grad" / "stubs" / self.slug

    @property
    def lesson_path(self) -> Path:
        return self.course / "docs" / "lessons" / f"{self.slug}.md"

    @property
    def spec_path(self) -> Path:
        return self.root / "spec.py"

    @property
    def hints_path(self) -> Path:
        return self.root / "hints.md"


def read_exercise(root: Path) -> Exercise:
    """Reads and checks ``root/exercise.toml``. Raises BrokenExercise naming the file, key and rule."""
    table = read_toml(root / "exercise.toml")
    if not SLUG.match(root.name):
        raise table.broken(f"the folder name {root.name!r} is not a slug", "Name it NN_slug.")
    work, fix = table.table("device_work"), table.table("fix")
    audit = table.table("audit")
    edit = table.texts("edit")
    exercise = Exercise(
        slug=root.name,
        number=int(root.name[:2]),
        root=root.resolve(),
        title=table.text("title"),
        kind=table.text("kind", one_of=KINDS),
        requires=table.texts("requires", ()),
        minutes=table.integer("minutes"),
        core=table.boolean("core", False),
        version=table.integer("version", 1),
        edit=edit,
        given=table.texts("given", ()),
        build=_read_build(table.table("build", required=True)),
        sections=_read_sections(table.table("sections"), edit),
        scores=_read_scores(table.table("scores")),
        library=frozenset(work.texts("library", ())),
        copies=work.boolean("copies", False),
        moves=work.boolean("moves", True),
        mapped=work.boolean("mapped", False),
        vendor=frozenset(work.texts("vendor", ())),
        allowed=frozenset(audit.texts("allow", ())),
        elsewhere=fix.integer_or_none("elsewhere"),
        order=table.texts("order", ()),
    )
    work.finish()
    fix.finish()
    audit.finish()
    table.finish()
    if exercise.allowed - set(ALLOWANCES):
        unknown = min(exercise.allowed - set(ALLOWANCES))
        raise table.broken(f"audit.allow names {unknown!r}", f"It may name {', '.join(ALLOWANCES)}.")
    if exercise.vendor - set(VENDOR):
        unknown = min(exercise.vendor - set(VENDOR))
        raise table.broken(f"device_work.vendor names {unknown!r}", f"It may name {', '.join(VENDOR)}.")
    if unknown_sections := [name for name in exercise.order if name not in exercise.sections]:
        raise table.broken(f"order names {unknown_sections[0]!r}", "It names sections: [sections.NAME].")
    _check_file_names(table, exercise)
    return exercise


def _read_build(table: TomlTable) -> BuildFacts:
    facts = BuildFacts(
        name=table.text("name"),
        interface=table.text("interface", one_of=INTERFACES),
        sources=table.texts("sources"),
        cuda_flags=table.texts("cuda_flags", ()),
    )
    table.finish()
    if not facts.name.isidentifier():
        raise table.broken(f"build.name is {facts.name!r}", "It becomes a C++ and a Python identifier.")
    return facts


def _read_sections(tables: TomlTable, edit: tuple[str, ...]) -> dict[str, Section]:
    sections = {}
    for name in tables:
        table = tables.table(name)
        section = Section(
            name=name,
            file=table.text("file"),
            prompt=table.text("prompt"),
            lines=table.integer("lines"),
            stub=table.text("stub", ""),
            max_changed=table.integer_or_none("max_changed"),
        )
        table.finish()
        if section.file not in edit:
            raise table.broken(f"sections.{name}.file is {section.file!r}", "It must be in `edit`.")
        sections[name] = section
    return sections


def _read_scores(table: TomlTable) -> dict[str, int]:
    if not list(table):
        return dict(DEFAULT_SCORES)
    scores = {check: table.integer(check, 0) for check in CHECKS}
    table.finish()
    if sum(scores.values()) != 100:
        raise table.broken(f"scores sum to {sum(scores.values())}", "The points of an exercise sum to 100.")
    return {check: points for check, points in scores.items() if points}


def _check_file_names(table: TomlTable, exercise: Exercise) -> None:
    files = (*exercise.edit, *exercise.given)
    if len(set(files)) != len(files):
        raise table.broken("a file is listed twice in `edit` and `given`", "A file is one or the other.")
    for name in files:
        if not _FILE.fullmatch(name):
            raise table.broken(
                f"{name!r} is not a plain file name",
                "Files belong in the exercise folder or in a folder below it: kernel.cu, csrc/kernel.cu.",
            )
    for source in exercise.build.sources:
        if source not in files:
            raise table.broken(f"build.sources names {source!r}", "List it in `edit` or `given`.")
