"""The job array: a script that reads well, and runs on a real Slurm."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course.catalog import Catalog
from grader.instruct.batch import Item, items_of
from grader.instruct.cluster import read_cluster
from grader.instruct.cluster.array import Batch, write_array
from grader.instruct.results import ResultStore
from grader.verdict import Status
from tests.cluster.conftest import COURSE, ROOT, HandedIn
from tests.cluster.slurm_machine import SlurmMachine
from tests.cluster.test_settings import SLURM

PATIENCE = 240.0
SMALL = 'kind = "slurm"\naddress = "127.0.0.1"\n[cpu]\nblocks = 2\nmemory_gb = 1\nwalltime = "00:05:00"\n'


def items(course: HandedIn, backend: str) -> list[Item]:
    return items_of(course.read(), Catalog.open(COURSE), lambda exercise: backend)  # type: ignore[arg-type, return-value]


def lines_of(course: HandedIn, text: str, backend: str, chunk: int) -> list[str]:
    path = course.folder / "cluster.toml"
    path.write_text(text)
    batch = Batch(course.submissions, course.results, ("--backend", backend))
    return write_array(items(course, backend), batch, read_cluster(path), chunk).read_text().splitlines()


def test_the_script_asks_for_what_a_chunk_needs(handed_in: Callable[[int], HandedIn]) -> None:
    course = handed_in(7)
    lines = lines_of(course, SLURM, "cuda", 3)
    for wanted in (
        "#SBATCH --array=0-2%4",
        "#SBATCH --gres=gpu:1",
        "#SBATCH --partition=gpu",
        "#SBATCH --account=cs101",
        "#SBATCH --cpus-per-task=8",
        "#SBATCH --time=01:00:00",
        "export TORCH_CUDA_ARCH_LIST=9.0",
    ):
        assert wanted in lines
    (listed,) = (course.results / "cluster").glob("array-*.txt")
    assert listed.read_text().splitlines() == [f"00_negate/student{number:03d}" for number in range(7)]
    assert "#SBATCH --gres=gpu:1" not in lines_of(course, SLURM, "simt", 3)
    assert "#SBATCH --array=0-0%2" in lines_of(course, SLURM, "simt", 7)


def printing(course: HandedIn) -> Path:
    """The script for chunks of three, with a `grader` that only prints what it is asked."""
    lines_of(course, SMALL + '[gpu]\nmodel = "x"\n', "simt", 3)
    script = course.results / "cluster" / "array.sh"
    script.write_text(script.read_text().replace(f"exec {sys.executable}", "exec echo"))
    return script


def printed_by(script: Path, job: int) -> str:
    return subprocess.run(
        ["bash", str(script)],
        env={**os.environ, "SLURM_ARRAY_TASK_ID": str(job)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def names_in(printed: str) -> list[str]:
    return [word.removeprefix("--only=") for word in printed.split() if word.startswith("--only=")]


def test_each_job_takes_its_own_chunk(handed_in: Callable[[int], HandedIn]) -> None:
    """Together they take all, once."""
    script = printing(handed_in(7))
    taken = [name for job in range(3) for name in names_in(printed_by(script, job))]
    assert taken == [f"00_negate/student{number:03d}" for number in range(7)]


def test_past_the_end_of_the_list_a_job_grades_nobody(handed_in: Callable[[int], HandedIn]) -> None:
    """A batch without --only would take the whole class."""
    script = printing(handed_in(3))
    assert printed_by(script, 1) == ""


def test_a_job_that_waits_keeps_its_slice_when_the_array_is_written_again(
    handed_in: Callable[[int], HandedIn], tmp_path: Path
) -> None:
    """sbatch keeps a copy of the script, and not of the list."""
    course = handed_in(7)
    waiting = printing(course).rename(tmp_path / "waiting.sh")
    before = printed_by(waiting, 1)
    shutil.rmtree(course.submissions / "student000")
    again = printing(course)
    assert names_in(printed_by(again, 1)) == [f"00_negate/student{number:03d}" for number in (4, 5, 6)]
    assert printed_by(waiting, 1) == before
    assert names_in(before) == [f"00_negate/student{number:03d}" for number in (3, 4, 5)]


@pytest.mark.slow
def test_slurm_runs_it_and_a_second_time_finds_all_done(
    slurm: SlurmMachine, handed_in: Callable[[int], HandedIn]
) -> None:
    course = handed_in(6)
    (course.folder / "cluster.toml").write_text(SMALL)
    grader = [sys.executable, "-m", "grader", "cluster", "array", str(course.folder / "cluster.toml")]
    options = ["--course", str(COURSE), "--backend", "simt", "--chunk", "3", "--trust-submissions"]
    said = subprocess.run(
        [*grader, str(course.submissions), *options], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert "6 submissions in 2 jobs" in said
    command = said.splitlines()[-1].removeprefix("Next: ").split()

    for _ in range(2):
        slurm.run(*command)
        deadline = time.monotonic() + PATIENCE
        while slurm.jobs():
            assert time.monotonic() < deadline, slurm.jobs()
            time.sleep(0.1)
        store = ResultStore(course.results)
        logs = [path.read_text() for path in sorted((course.results / "cluster" / "array").iterdir())]
        assert len(list(store.all())) == len(list(store.log.entries())) == 6, logs
        assert {record.verdict.status for record in store.all()} == {Status.NOT_ATTEMPTED}
    assert len(logs) == 4
