"""The programs that are compared with hardware, and what the simulated GPU says of each."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hardware_tools as tools
import numpy as np
import record

from cusimt.compiler.nvcc import CHECKS_VARIABLE
from grader.course.catalog import Catalog
from grader.course.mutants import load_mutants

COURSES = (record.REPOSITORY, record.REPOSITORY / "docs" / "samples" / "course")
ABOUT_MEMORY = {
    "out_of_bounds", "use_after_free", "misaligned", "uninitialized_read", "race_shared", "race_global",
    "divergent_barrier", "deadlock", "bad_mask", "invalid_launch",
}  # fmt: skip
WAITING = {"deadlock", "divergent_barrier", "bad_mask"}
LIMIT = 240  # seconds of one run
WAITING_LIMIT = 60  # of one that may wait for ever
_OVER_TIME = "it was stopped: its time was up"
RUN = str(Path(__file__).parent / "hardware_run.py")


@dataclass
class Subject:
    """One program: a solution, a mutant, or the measured kernels (slug "patterns")."""

    name: str
    root: Path
    slug: str
    folder: Path
    out: Path
    solution: bool = True
    kernels: tools.Kernels = field(default_factory=dict)
    findings: list[tools.Diagnosis] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def program(self, out: str, profile: bool) -> list[str]:
        place = [str(self.root), self.slug, str(self.folder), str(self.out / out)]
        return [sys.executable, RUN, *place, *(["--profile"] if profile else [])]

    @property
    def may_wait(self) -> bool:
        """Whether its kernels may wait for ever on a GPU, going by what was found here."""
        return any(finding.kinds & WAITING for finding in self.findings)

    def notes_of(self, out: str) -> dict[str, Any]:
        """What the run with this name noted; nothing if it did not come so far."""
        path = (self.out / out).with_suffix(".json")
        return dict(json.loads(path.read_text())) if path.exists() else {}

    def values(self, backend: str) -> dict[str, Any]:
        path = self.out / f"{backend}.npz"
        return dict(np.load(path)) if path.exists() else {}


def subjects(scratch: Path) -> list[Subject]:
    """Everything that is compared, with a folder of its own for what it writes."""
    found = [Subject("measured kernels", record.REPOSITORY, "patterns", scratch, scratch / "patterns")]
    for root in COURSES:
        for exercise in Catalog.open(root).exercises:
            if exercise.build.interface == "wheel":  # packages the kernel of another exercise
                continue
            slug, folder = exercise.slug, exercise.solution_dir
            found.append(Subject(slug, root, slug, folder, scratch / slug))
            for number, mutant in enumerate(load_mutants(exercise)):
                if mutant.finding not in ABOUT_MEMORY:
                    continue
                copy = scratch / f"{slug}.{number}.source"
                copy.mkdir()
                mutant.write(copy)
                out = scratch / f"{slug}.{number}"
                found.append(Subject(f"{slug}: {mutant.name}", root, slug, copy, out, solution=False))
    for subject in found:
        subject.out.mkdir()
    return found


def run(command: Sequence[str], backend: str, seconds: float) -> str:
    """What a command printed, after it ended or its time was up; then the last line says so."""
    environment = (
        os.environ
        | {
            "CU2GRAD_BACKEND": backend,
            "CUSIMT_SURFACE": backend,
            CHECKS_VARIABLE: "1",
            "PYTORCH_NO_CUDA_MEMORY_CACHING": "1",  # else an overrun stays within the cache's block
            "PYTHONPATH": os.pathsep.join([str(record.REPOSITORY), *sys.path[1:]]),
        }
    )
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", start_new_session=True,
    ) as running:  # fmt: skip
        try:
            return running.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)  # the program, too, that a tool has started
            return f"{running.communicate()[0]}\n{_OVER_TIME}"


def is_over_time(text: str) -> bool:
    """Whether `run` had to stop what printed ``text``."""
    return text.endswith(_OVER_TIME)


def simulate(subject: Subject) -> None:
    """Runs it on the simulated GPU: counts of the profiled case, findings and values of all cases."""
    if subject.solution:
        subject.kernels = _noted(subject, "counts", "simt", profile=True).get("kernels", {})
    if subject.slug != "patterns":
        noted = _noted(subject, "simt", "simt", profile=False).get("findings", [])
        found = [tools.Diagnosis(kind, frozenset({kind}), frozenset(lines)) for kind, lines in noted]
        subject.findings = list(dict.fromkeys(found))


def run_on_gpu(subject: Subject) -> None:
    """Runs it as it is, which also builds it, so that no tool has to watch a compiler."""
    _noted(subject, "cuda", "cuda", profile=subject.slug == "patterns")


def _noted(subject: Subject, out: str, backend: str, profile: bool) -> dict[str, Any]:
    """What one run noted. That a solution failed is a note of ours; of a mutant it is no news."""
    seconds = WAITING_LIMIT if backend == "cuda" and subject.may_wait else LIMIT
    said = run(subject.program(out, profile), backend, seconds).strip()
    notes = subject.notes_of(out)
    errors = notes.get("errors", [said.splitlines()[-1] if said else "it ended without a word"])
    if subject.solution:
        subject.notes += [f"{subject.name} on {backend}: {error}" for error in errors]
    return notes
