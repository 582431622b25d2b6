"""A batch on blocks of one machine: nothing is lost with a worker, and no sandbox sees the keys."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.instruct.cluster.dispatch import private_folder
from grader.instruct.results import ResultStore
from grader.run import sandbox
from grader.support.errors import UsageError
from grader.verdict import Status
from tests.cluster import fakes
from tests.cluster.conftest import COURSE, ROOT, SLUG, HandedIn

PATIENCE = 240.0
Driver = Callable[..., "subprocess.Popen[str]"]


def test_a_killed_interchange_ends_the_run_and_the_next_grades_the_rest(
    handed_in: Callable[[int], HandedIn], tmp_path: Path, start_driver: Driver
) -> None:
    pytest.importorskip("parsl", reason="no parsl here: pip install cu2grad[cluster]")
    if shutil.which("setpriv") is None:
        pytest.skip("no setpriv here: apt install util-linux")
    course = handed_in(40)
    cluster_toml = tmp_path / "cluster.toml"
    cluster_toml.write_text('kind = "local"\n[cpu]\nworkers = 2\n')

    fakes.hold(course.results, 10)
    driver = start_driver(cluster_toml, course, "simt")
    wait_for_grades(course, driver, 5)
    os.kill(interchange_of(driver.pid), signal.SIGKILL)
    said, _ = driver.communicate(timeout=PATIENCE)
    fakes.let_go(course.results)
    assert driver.returncode != 0
    assert "hands out work for [cpu] ended with code -9" in said

    driver = start_driver(cluster_toml, course, "simt")
    said, _ = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 0, said

    deadline = time.monotonic() + PATIENCE
    while fakes.processes_of(course.results):
        assert time.monotonic() < deadline, "a worker was left behind"
        time.sleep(0.1)
    store = ResultStore(course.results)
    logged = Counter(entry.student for entry in store.log.entries())
    assert logged == Counter(store.secret.pseudonym(each.student) for each in course.read())
    assert len(list(store.all())) == 40


def test_a_class_is_graded_on_a_cluster(handed_in: Callable[[int], HandedIn], tmp_path: Path) -> None:
    """The command, with real gradings: of stubs that nobody touched, which needs no compiler."""
    pytest.importorskip("parsl", reason="no parsl here: pip install cu2grad[cluster]")
    course = handed_in(2)
    cluster_toml = tmp_path / "cluster.toml"
    cluster_toml.write_text('kind = "local"\n[cpu]\n')
    folder = course.submissions.parent
    (folder / "course.toml").write_text(f'title = "Toys"\n[assignments.{SLUG}]\n')
    command = [
        sys.executable,
        "-m",
        "grader",
        "class",
        "grade",
        "--class",
        str(folder),
        "--course",
        str(COURSE),
    ]
    options = ["--cluster", str(cluster_toml), "--trust-submissions", "--plain"]
    done = subprocess.run(
        [*command, *options], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    statuses = [record.verdict.status for record in ResultStore(course.results).all()]
    assert statuses == [Status.NOT_ATTEMPTED] * 2
    logs = (course.results / "cluster").rglob("worker_0.log")
    assert "Completed executor task" in next(logs).read_text()


def wait_for_grades(course: HandedIn, driver: subprocess.Popen[str], more: int) -> int:
    """Wait for so many grades more than there are; the process of the worker that made the last one."""
    wanted = len(fakes.witnesses(course.results)) + more
    deadline = time.monotonic() + PATIENCE
    while len(fakes.witnesses(course.results)) < wanted:
        assert driver.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    return int(str(fakes.witnesses(course.results)[-1]["worker"]))


def interchange_of(driver: int) -> int:
    """The child of a driver that calls itself Parsl's interchange."""
    children = Path(f"/proc/{driver}/task/{driver}/children").read_text().split()
    named = [child for child in children if "interchange" in Path(f"/proc/{child}/cmdline").read_text()]
    return int(named[0])


def test_no_sandbox_sees_the_keys_of_the_connections(tmp_path: Path) -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("no bwrap here: apt install bubblewrap")
    submission = tmp_path / "spool" / SLUG
    submission.mkdir(parents=True)
    exercise = COURSE / "exercises" / SLUG
    folder = private_folder(tmp_path / "results", [exercise])
    key = folder / "client.key_secret"
    key.write_text("secret-key = 1")
    assert [each.stat().st_mode & 0o777 for each in (folder, folder.parent)] == [0o700, 0o700]

    inside = sandbox.prefix(
        "plain", [submission, exercise], {**os.environ, "PARSL_WORKER_BLOCK_ID": "7", "SLURM_JOB_ID": "9"}
    )
    look = f"ls {submission} && ! ls {folder} && ! cat {key} && env && ls -d /proc/[0-9]*"
    done = subprocess.run([*inside, "sh", "-c", look], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "secret-key" not in done.stdout
    assert "PARSL" not in done.stdout and "SLURM" not in done.stdout
    assert len(re.findall(r"^/proc/\d+$", done.stdout, re.MULTILINE)) < 6, "it sees this machine's processes"


def test_results_where_a_sandbox_looks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="which submissions can read"):
        private_folder(COURSE / "exercises" / SLUG / "results", [COURSE / "exercises" / SLUG])
    assert not (COURSE / "exercises" / SLUG / "results").exists()
