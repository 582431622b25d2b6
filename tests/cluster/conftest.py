"""A class that handed something in, and a Slurm to grade it on."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster.slurm_machine import SlurmMachine, missing_programs

ROOT = Path(__file__).resolve().parents[2]
COURSE = ROOT / "tests" / "toy_course"
SLUG = "00_negate"


@dataclass(frozen=True)
class HandedIn:
    """``submissions/STUDENT/00_negate`` of some students, no two alike, and a class around them."""

    folder: Path

    @property
    def results(self) -> Path:
        return self.folder / "results"


@pytest.fixture
def handed_in(tmp_path: Path) -> Callable[[int], HandedIn]:
    """A function that makes so many students, whose stubs are untouched but for a comment."""

    def make(students: int) -> HandedIn:
        for number in range(students):
            folder = tmp_path / "submitted" / f"student{number:03d}" / SLUG
            folder.mkdir(parents=True)
            for name in ("kernel.cu", "binding.cpp", "op.py"):
                shutil.copy(COURSE / "exercises" / SLUG / name, folder)
            kernel = folder / "kernel.cu"
            kernel.write_text(f"{kernel.read_text()}\n// handed in by number {number}\n")
        (tmp_path / "results").mkdir()
        (tmp_path / "course.toml").write_text(f'title = "Toys"\n[assignments.{SLUG}]\n')
        return HandedIn(tmp_path)

    return make


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmMachine]:
    """A running Slurm."""
    if missing := missing_programs():
        pytest.skip(f"no {missing[0]} here: apt install slurm-wlm munge util-linux")
    machine = SlurmMachine(tmp_path_factory.mktemp("slurm"))
    machine.environment = {**machine.environment, "PYTHONPATH": str(ROOT)}
    try:
        machine.start()
        yield machine
    finally:
        machine.stop()
