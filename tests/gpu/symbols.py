"""What every solution's objects ask for on cuda, and which of it the audit would refuse.

Run on a machine with a GPU after a new torch or CUDA: .venv/bin/python -m tests.gpu.symbols
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from grader.audit import audit_installed, audit_library
from grader.checks.build import compile_submission
from grader.checks.outcome import Outcome
from grader.compilation.steps import library_folders
from grader.course.catalog import Catalog, Exercise
from tests.honest.reading import ROOT, place_solution


def main() -> int:
    refused = 0
    for exercise in Catalog.open(ROOT).exercises:
        with tempfile.TemporaryDirectory(prefix="symbols-") as folder:
            said = audited(exercise, Path(folder))
        refused += not said.startswith("allowed")
        print(f"{exercise.slug:28} {said}", flush=True)
    return 1 if refused else 0


def audited(exercise: Exercise, folder: Path) -> str:
    """One line on the solution: what its objects ask for, or what the audit says against it."""
    files = place_solution(exercise, folder)
    artifact = compile_submission(exercise, files, "cuda", "", False)
    if isinstance(artifact, Outcome):
        return f"{artifact.sentence} {' '.join(artifact.lines)}"
    if artifact.interface == "wheel":
        found = audit_installed(exercise, artifact.installed, "cuda", None, library_folders("cuda"))
        return found.sentence if found else "allowed: a package"
    objects = json.loads(artifact.symbols.read_text()) if artifact.symbols else {}
    found = audit_library(exercise, artifact.path, "cuda", objects, library_folders("cuda"))
    asked = {name for names in objects.values() for name in names}
    return found.sentence if found else f"allowed: {len(asked)} symbols, {' '.join(sorted(asked))}"


if __name__ == "__main__":
    raise SystemExit(main())
