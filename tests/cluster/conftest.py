"""A class that handed something in, and a Slurm to grade it on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.course.catalog import Catalog
from grader.instruct.submissions import Submission, read_submissions
from tests.cluster import fakes
from tests.cluster.slurm_machine import SlurmMachine, missing_programs

ROOT = Path(__file__).resolve().parents[2]
COURSE = ROOT / "tests" / "toy_course"
SLUG = "00_negate"


@dataclass(frozen=True)
class HandedIn:
    """``submissions/STUDENT/00_negate`` of some students, no two alike, and a folder for results."""

    folder: Path

    @property
    def submissions(self) -> Path:
        return self.folder / "submitted"

    @property
    def results(self) -> Path:
        return self.folder / "results"

    def read(self) -> list[Submission]:
        return read_submissions(self.submissions, Catalog.open(COURSE))


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
        return HandedIn(tmp_path)

    return make


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmMachine]:
    """A running Slurm with two GPUs, of which `nvidia-smi` knows, too."""
    if missing := missing_programs():
        pytest.skip(f"no {missing[0]} here: apt install slurm-wlm munge util-linux")
    pytest.importorskip("parsl", reason="no parsl here: pip install cu2grad[cluster]")
    folder = tmp_path_factory.mktemp("slurm")
    machine = SlurmMachine(folder)
    programs = fakes.write_nvidia_smi(folder / "bin")
    machine.environment = {
        **machine.environment,
        "PATH": f"{programs}:{machine.environment['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    try:
        machine.start()
        yield machine
    finally:
        machine.stop()


@pytest.fixture
def start_driver() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts tests/cluster/driver.py; what still runs at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def start(
        cluster_toml: Path, handed_in: HandedIn, backend: str, environment: Mapping[str, str] = os.environ
    ) -> subprocess.Popen[str]:
        places = [cluster_toml, COURSE, handed_in.submissions, handed_in.results]
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("driver.py")), *map(str, places), backend],
            env={**environment, "PYTHONPATH": str(ROOT)},
            cwd=handed_in.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()
