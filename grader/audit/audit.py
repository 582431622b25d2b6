"""The audits of one exercise: what is compiled before it is, the rest before it is loaded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path

from grader.audit import (
    compiled_source,
    cuda_source,
    library,
    python_binding,
    python_source,
    setup_source,
    spelling,
    suite_source,
)
from grader.audit.objection import Objection
from grader.build.preprocessing import Unit
from grader.catalog import Exercise
from grader.simt.includes import closure

__all__ = ["Objection", "audit_installed", "audit_library", "audit_python", "audit_sources", "audit_units"]

_BINDINGS = ("pybind", "torch_extension")  # interfaces whose sources make a Python module


def audit_sources(exercise: Exercise, files: Path, backend: str) -> Objection | None:
    """The first objection to what compilers read or setup.py does, or None. Assembly is a GPU's: PTX is part
    of CUDA.
    """
    return next(_sources(exercise, files, assembly=backend == "cuda"), None)


def audit_python(exercise: Exercise, files: Path) -> Objection | None:
    """The first objection to what a worker runs as Python, or None.

    Imports torch, to see which of its names are modules; so this comes after the compilers have run, with
    which that import overlaps.
    """
    return next(_python(exercise, files), None)


def audit_units(exercise: Exercise, units: Sequence[Unit], backend: str) -> Objection | None:
    """The first objection to the submission's lines as they are compiled, or None."""
    return next(
        (
            objection
            for unit in units
            for objection in compiled_source.audit(
                unit,
                exercise.build.name,
                assembly=backend == "cuda",
                binding=exercise.build.interface in _BINDINGS,
            )
        ),
        None,
    )


def audit_library(
    exercise: Exercise, built: Path, objects: Mapping[str, Sequence[str]] | None = None,
    folders: Collection[str] | None = None,
) -> Objection | None:  # fmt: skip
    """The first objection to what was built, or None.

    ``objects`` are the symbols that each source's object asks for, and ``folders`` those in which the library
    may look for others.
    """
    is_python_module = exercise.build.interface != "torch_library"
    of_objects = library.audit_objects(objects or {}, is_python_module)
    return next(chain(of_objects, library.audit(built, is_python_module, folders)), None)


def audit_installed(
    exercise: Exercise, folder: Path, libraries: bool, folders: Collection[str] | None = None
) -> Objection | None:
    """The first objection to the package installed in ``folder``, wherever its files came from; or None."""
    return next(_installed(exercise, folder, libraries, folders), None)


def _installed(
    exercise: Exercise, folder: Path, libraries: bool, folders: Collection[str] | None
) -> Iterator[Objection]:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".py":
            text = path.read_text(errors="replace")
            yield from python_source.audit(text, name, exercise.build.name, exercise.allowed, packaged=True)
        elif path.suffix == ".so" and libraries:
            yield from library.audit(path, is_python_module=True, folders=folders)
        elif path.suffix in (".pth", ".pyc"):
            yield Objection(name, 0, "is run without having been read", "A wheel holds source files.")


def _python(exercise: Exercise, files: Path) -> Iterator[Objection]:
    if (files / "op.py").is_file():  # the one such file besides tests; it cannot import others
        text = (files / "op.py").read_text(errors="replace")
        yield from python_source.audit(text, "op.py", exercise.build.name, exercise.allowed)
    for name in exercise.edit:
        if fnmatch(name, "test_*.py") and (files / name).is_file():
            yield from suite_source.audit((files / name).read_text(errors="replace"), name)


def _sources(exercise: Exercise, files: Path, assembly: bool) -> Iterator[Objection]:
    if (files / "setup.py").is_file():
        yield from setup_source.audit((files / "setup.py").read_text(errors="replace"), "setup.py")
    seen: dict[Path, None] = {}
    for source in exercise.build.sources:
        seen.update(dict.fromkeys(closure(files / source, [])))
    # A setup.py says which folders headers are looked for in, so a header may be found from anywhere.
    native = (
        name for name in (*exercise.edit, *exercise.given) if Path(name).suffix in cuda_source.SUFFIXES[1:]
    )
    seen.update(dict.fromkeys((files / name).resolve() for name in native if (files / name).is_file()))
    for file in seen:
        content = file.read_bytes()
        yield from spelling.audit(content, file.name)
        text = content.decode("utf-8-sig", "replace")
        yield from cuda_source.audit(text, file, exercise.build.name, assembly)
        if exercise.build.interface in _BINDINGS:
            yield from python_binding.audit(cuda_source.tokens_of(text), text, file)
