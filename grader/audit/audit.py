"""Audit the sources of an exercise before compilation, and everything else before loading."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path

from cusimt.compiler.sources import closure
from grader.audit import (
    compiled_source,
    cuda_source,
    library,
    python_binding,
    python_source,
    setup_source,
    spelling,
    suite_source,
    triton_source,
)
from grader.audit.allowed_symbols import Use
from grader.audit.modules import Modules
from grader.audit.objection import Objection
from grader.audit.own_names import modules_in
from grader.audit.reading import MOST_BYTES
from grader.compilation.preprocessing import Unit
from grader.course.catalog import Exercise
from grader.support.backends import Backend

_TESTS = "test_*.py"
_WORD = re.compile(r"\b[A-Za-z]\w*")
_BINDINGS = ("pybind", "torch_extension")  # interfaces whose sources make a Python module

__all__ = [
    "Objection", "audit_installed", "audit_library", "audit_python", "audit_sources", "audit_units",
    "python_files",
]  # fmt: skip


def audit_sources(exercise: Exercise, files: Path, backend: Backend) -> Objection | None:
    """The first objection to what compilers read or setup.py does, or None. Assembly is a GPU's: PTX is part
    of CUDA.
    """
    return next(_sources(exercise, files, assembly=backend == "cuda"), None)


def python_files(exercise: Exercise, files: Path, installed: Path | None = None) -> dict[str, bytes]:
    """What a worker runs as Python, by name: op.py and tests, or all that a wheel has `installed`.

    Read once: the same bytes are audited, and run.
    """
    if installed is not None:
        found = sorted(path for path in installed.rglob("*.py") if path.is_file())
        return {path.relative_to(installed).as_posix(): path.read_bytes() for path in found}
    tests = [name for name in exercise.edit if fnmatch(name, _TESTS)]
    kernels = exercise.build.sources if exercise.has_python_kernels else ()
    return {
        name: (files / name).read_bytes() for name in (*kernels, "op.py", *tests) if (files / name).is_file()
    }


def audit_python(
    exercise: Exercise, files: Path, contents: Mapping[str, bytes] | None = None
) -> Objection | None:
    """The first objection to what a worker runs as Python, or None; `contents` is what `python_files` read.

    Imports torch, to see which of its names are modules; so this comes after the compilers have run, with
    which that import overlaps.
    """
    return next(
        _python(exercise, files, python_files(exercise, files) if contents is None else contents), None
    )


def audit_units(exercise: Exercise, units: Sequence[Unit], backend: Backend) -> Objection | None:
    """The first objection to the submission's lines as they are compiled, or None."""
    return next(
        (
            objection
            for unit in units
            for objection in compiled_source.audit(
                unit,
                exercise.build.name,
                backend,
                binding=exercise.build.interface in _BINDINGS,
                vendor=exercise.vendor,
            )
        ),
        None,
    )


def audit_library(
    exercise: Exercise, built: Path, backend: Backend, objects: Mapping[str, Sequence[str]] | None = None,
    folders: Collection[str] | None = None,
) -> Objection | None:  # fmt: skip
    """The first objection to what was built, or None.

    `objects` are the symbols that each source's object asks for, and `folders` those in which the library
    may look for others.
    """
    use = _use(exercise, backend)
    return next(chain(library.audit_objects(objects or {}, use), library.audit(built, use, folders)), None)


def _use(exercise: Exercise, backend: Backend) -> Use:
    interface = exercise.build.interface
    python = interface != "torch_library"
    return Use(backend, kernels=False, python=python, arrays=interface == "pybind", vendor=exercise.vendor)


def audit_installed(
    exercise: Exercise, folder: Path, backend: Backend, contents: Mapping[str, bytes] | None = None,
    folders: Collection[str] | None = None,
) -> Objection | None:  # fmt: skip
    """The first objection to the package installed in `folder`, wherever its files came from; or None.

    `contents` is what `python_files` read; `folders` as in `audit_library`.
    """
    sources = python_files(exercise, folder, folder) if contents is None else contents
    return next(_installed(exercise, folder, sources, backend, folders), None)


def _installed(
    exercise: Exercise, folder: Path, sources: Mapping[str, bytes], backend: Backend,
    folders: Collection[str] | None,
) -> Iterator[Objection]:  # fmt: skip
    total = sum(map(len, sources.values()))
    if total > MOST_BYTES:
        what = f"has {total} bytes of Python, where {MOST_BYTES} are the most that is read"
        yield Objection("The package", 0, what, "A package here wires tensors to kernels.", topic="build")
        return
    name, allowed = exercise.build.name, exercise.allowed
    is_module = Modules(python_source.OP, name).is_module
    hidden = {each for content in sources.values() for each in modules_in(content, is_module, name)}
    for file, content in sources.items():
        yield from python_source.audit(content, file, name, allowed, packaged=True, hidden=hidden)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.suffix == ".so":
            yield from library.audit(path, _use(exercise, backend), folders)
        elif path.suffix in (".pth", ".pyc"):
            what = "is run without having been read"
            yield Objection(path.relative_to(folder).as_posix(), 0, what, "A wheel holds source files.")


def _python(exercise: Exercise, files: Path, contents: Mapping[str, bytes]) -> Iterator[Objection]:
    for file, content in contents.items():
        if fnmatch(file, _TESTS):
            yield from suite_source.audit(content, file)
        elif exercise.has_python_kernels:
            kernels = {name: contents[name] for name in exercise.build.sources if name in contents}
            yield from triton_source.audit(content, file, exercise.build.name, exercise.allowed, kernels)
        else:
            name, own = exercise.build.name, _words(exercise, files)
            yield from python_source.audit(content, file, name, exercise.allowed, own=own)


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
    for source in () if exercise.has_python_kernels else exercise.build.sources:
        seen.update(dict.fromkeys(closure(files / source, [])))
    plain = set(seen) if exercise.build.interface == "torch_library" else set()
    # A setup.py says which folders headers are looked for in, so a header may be found from anywhere.
    native = (
        name for name in (*exercise.edit, *exercise.given) if Path(name).suffix in cuda_source.SUFFIXES[1:]
    )
    seen.update(dict.fromkeys((files / name).resolve() for name in native if (files / name).is_file()))
    for file in seen:
        content = file.read_bytes()
        yield from spelling.audit(content, file.name)
        text = content.decode("utf-8-sig", "replace")
        yield from cuda_source.audit(
            text, file, exercise.build.name, assembly, python=file not in plain, vendor=exercise.vendor
        )
        if exercise.build.interface in _BINDINGS:
            yield from python_binding.audit(cuda_source.tokens_of(text), text, file)
