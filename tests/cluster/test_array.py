"""The handbook's job array, on a real Slurm."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest

from grader.instruct.results import ResultStore
from grader.verdict import Status
from tests.cluster.conftest import COURSE, ROOT, HandedIn
from tests.cluster.slurm_machine import SlurmMachine

PATIENCE = 240.0
SCRIPT = (ROOT / "docs/samples/cluster/array.sh").read_text()


@pytest.mark.slow
def test_slurm_runs_it_and_a_second_time_finds_all_done(
    slurm: SlurmMachine, handed_in: Callable[[int], HandedIn]
) -> None:
    course = handed_in(6)
    script = course.folder / "array.sh"
    grader = f"{sys.executable} -m grader class grade --course {COURSE} --class {course.folder}"
    small = SCRIPT.replace("--mem=16G", "--mem=1G").replace("--cpus-per-task=8", "--cpus-per-task=1")
    small = small.replace("source ~/cu2grad/.venv/bin/activate\n", "")
    small = small.replace("grader class grade", f"{grader} --trust-submissions")
    assert small.count(grader) == 1 and "--array=0-7" in small
    script.write_text(small)
    for _ in range(2):
        slurm.run("sbatch", f"--output={course.folder}/%A_%a.txt", str(script))
        deadline = time.monotonic() + PATIENCE
        while slurm.jobs():
            assert time.monotonic() < deadline, slurm.jobs()
            time.sleep(0.1)
        store = ResultStore(course.results)
        logs = [path.read_text() for path in sorted(course.folder.glob("*_*.txt"))]
        assert len(list(store.all())) == len(list(store.log.entries())) == 6, logs
        assert {record.verdict.status for record in store.all()} == {Status.NOT_ATTEMPTED}
