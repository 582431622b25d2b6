"""Both audits of one exercise: its sources before the build, its library after it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grader.audit import cuda_source, library, python_source
from grader.audit.objection import Objection
from grader.catalog import Exercise
from grader.simt.includes import closure

__all__ = ["Objection", "audit_library", "audit_sources"]


def audit_sources(exercise: Exercise, files: Path, backend: str) -> Objection | None:
    """The first objection to what the learner wrote, or None. Assembly is a GPU's: PTX is part of CUDA."""
    return next(_sources(exercise, files, assembly=backend == "cuda"), None)


def audit_library(exercise: Exercise, built: Path) -> Objection | None:
    """The first objection to what was built, or None."""
    return next(library.audit(built, exercise.build.interface != "torch_library"), None)


def _sources(exercise: Exercise, files: Path, assembly: bool) -> Iterator[Objection]:
    if (files / "op.py").is_file():  # the one Python file that a worker runs; it cannot import the others
        text = (files / "op.py").read_text(errors="replace")
        yield from python_source.audit(text, "op.py", exercise.build.name, exercise.allowed)
    seen: dict[Path, None] = {}
    for source in exercise.build.sources:
        seen.update(dict.fromkeys(closure(files / source, [])))
    for file in seen:
        yield from cuda_source.audit(file.read_text(errors="replace"), file, exercise.build.name, assembly)
