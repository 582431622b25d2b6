"""Two hundred grades through a real Slurm, while a worker, a manager, a block and the driver are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.instruct.results import ResultStore
from tests.cluster import fakes
from tests.cluster.conftest import HandedIn
from tests.cluster.slurm_machine import SlurmMachine

pytestmark = [pytest.mark.slow]

STUDENTS = 200
PATIENCE = 240.0  # seconds until something is given up; a loaded machine may take a minute to start a block
CLUSTER = """\
kind = "slurm"
address = "127.0.0.1"
[cpu]
workers = 2
memory_gb = 1
[gpu]
model = "Fake Accelerator"
blocks = 2
memory_gb = 1
"""
Driver = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def cluster_toml(tmp_path: Path) -> Path:
    path = tmp_path / "cluster.toml"
    path.write_text(CLUSTER)
    return path


def wait_for(what: str, there: Callable[[], object], driver: subprocess.Popen[str] | None = None) -> None:
    deadline = time.monotonic() + PATIENCE
    while not there():
        if driver is not None and driver.poll() is not None:
            raise AssertionError(f"the driver ended before {what}:\n{driver.communicate()[0]}")
        assert time.monotonic() < deadline, f"{what} did not happen in {PATIENCE:.0f} seconds"
        time.sleep(0.05)


def test_every_grade_arrives_once_whatever_is_killed(
    slurm: SlurmMachine,
    handed_in: Callable[[int], HandedIn],
    cluster_toml: Path,
    start_driver: Driver,
) -> None:
    course = handed_in(STUDENTS)

    def after(grades: int) -> dict[str, object]:
        """Wait for so many grades more than there are; who made the last one."""
        wanted = len(fakes.witnesses(course.results)) + grades
        fakes.hold(course.results, wanted + 5)
        wait_for(f"{wanted} grades", lambda: len(fakes.witnesses(course.results)) >= wanted, driver)
        return fakes.witnesses(course.results)[-1]

    driver = start_driver(cluster_toml, course, "cuda", slurm.environment)
    os.kill(int(str(after(20)["worker"])), signal.SIGKILL)
    os.kill(int(str(after(20)["manager"])), signal.SIGKILL)
    slurm.run("scancel", str(after(20)["job"]))
    after(20)
    driver.kill()
    driver.communicate()
    fakes.let_go(course.results)
    graded_before = len(list(ResultStore(course.results).all()))
    assert 60 <= graded_before < STUDENTS

    driver = start_driver(cluster_toml, course, "cuda", slurm.environment)
    said, _ = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 0, said
    wait_for("the end of all blocks", lambda: not slurm.jobs())
    assert_each_graded_once(course)
    wait_for("the end of all processes", lambda: not fakes.processes_of(course.results))


def assert_each_graded_once(course: HandedIn) -> None:
    store = ResultStore(course.results)
    records = list(store.all())
    assert len(records) == STUDENTS
    for record in records:
        seed = store.secret.seed(record.key)
        assert (record.verdict.seed, record.verdict.earned) == (seed, 40.0 if seed % 2 else 0.0)
        assert record.built_seconds in (0.25, 0.5)  # where it is graded; and on a CPU before, the first time
    logged = Counter(entry.student for entry in store.log.entries())
    assert logged == Counter(store.secret.pseudonym(each.student) for each in course.read())

    judged = fakes.witnesses(course.results)
    assert all(each["alone"] for each in judged), "two submissions shared a GPU"
    assert {each["gpu"] for each in judged} == {"0", "1"}
    assert all(fakes.UUIDS[int(str(each["gpu"]))] in each["locked"] for each in judged)
    assert len({each["job"] for each in judged}) >= 4, "no block was replaced"
    # What was judged twice had been judged when it was killed, and not been kept: one for each kill and GPU.
    assert len(judged) - STUDENTS <= 4 * 2
