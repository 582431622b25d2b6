"""The audits of one exercise: what is compiled before it is, the rest before it is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from grader.audit import cuda_source, library, python_source, setup_source, suite_source
from grader.audit.objection import Objection
from grader.audit.own_names import modules_in
from grader.catalog import Exercise
from grader.simt.includes import closure

_WORD = re.compile(r"\b[A-Za-z]\w*")

__all__ = ["Objection", "audit_installed", "audit_library", "audit_python", "audit_sources"]


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


def audit_library(exercise: Exercise, built: Path) -> Objection | None:
    """The first objection to what was built, or None."""
    return next(library.audit(built, exercise.build.interface != "torch_library"), None)


def audit_installed(exercise: Exercise, folder: Path, libraries: bool) -> Objection | None:
    """The first objection to the package installed in ``folder``, wherever its files came from; or None."""
    return next(_installed(exercise, folder, libraries), None)


def _installed(exercise: Exercise, folder: Path, libraries: bool) -> Iterator[Objection]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sources = {path: path.read_bytes() for path in files if path.suffix == ".py"}
    hidden = {name for content in sources.values() for name in modules_in(content)}
    for path in files:
        name = path.relative_to(folder).as_posix()
        if path in sources:
            yield from python_source.audit(
                sources[path], name, exercise.build.name, exercise.allowed, packaged=True, hidden=hidden
            )
        elif path.suffix == ".so" and libraries:
            yield from library.audit(path, is_python_module=True)
        elif path.suffix in (".pth", ".pyc"):
            yield Objection(name, 0, "is run without having been read", "A wheel holds source files.")


def _python(exercise: Exercise, files: Path) -> Iterator[Objection]:
    if (files / "op.py").is_file():  # the one such file besides tests; it cannot import others
        content = (files / "op.py").read_bytes()
        own = _words(exercise, files)
        yield from python_source.audit(content, "op.py", exercise.build.name, exercise.allowed, own=own)
    for name in exercise.edit:
        if fnmatch(name, "test_*.py") and (files / name).is_file():
            yield from suite_source.audit((files / name).read_bytes(), name)


def _words(exercise: Exercise, files: Path) -> frozenset[str]:
    """All words of the sources of the library: among them are the names of its operators and functions."""
    names = [name for name in exercise.build.sources if (files / name).is_file()]
    return frozenset(
        word for name in names for word in _WORD.findall((files / name).read_text(errors="replace"))
    )


def _sources(exercise: Exercise, files: Path, assembly: bool) -> Iterator[Objection]:
    if (files / "setup.py").is_file():
        yield from setup_source.audit((files / "setup.py").read_bytes(), "setup.py")
    seen: dict[Path, None] = {}
    for source in exercise.build.sources:
        seen.update(dict.fromkeys(closure(files / source, [])))
    # A setup.py says which folders headers are looked for in, so a header may be found from anywhere.
    native = (
        name for name in (*exercise.edit, *exercise.given) if Path(name).suffix in cuda_source.SUFFIXES[1:]
    )
    seen.update(dict.fromkeys((files / name).resolve() for name in native if (files / name).is_file()))
    for file in seen:
        yield from cuda_source.audit(file.read_text(errors="replace"), file, exercise.build.name, assembly)
