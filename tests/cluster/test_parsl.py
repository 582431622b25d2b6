"""`grader class grade --cluster`: shares of a class through Parsl, on this machine and on a real Slurm."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from grader.instruct.cluster import private_folder, read_configuration
from grader.instruct.results import ResultStore
from grader.run import sandbox
from grader.support.errors import UsageError
from grader.verdict import Status
from tests.cluster.conftest import COURSE, ROOT, HandedIn
from tests.cluster.slurm_machine import SlurmMachine

SAMPLE = (ROOT / "docs/samples/cluster/slurm.py").read_text()
LOCAL = """\
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.providers import LocalProvider

BLOCKS = LocalProvider(init_blocks=1, max_blocks=1)
LANES = HighThroughputExecutor(address="127.0.0.1", provider=BLOCKS, max_workers_per_node=2, encrypted=True)
config = Config(executors=[LANES], retries=2)
"""


def grade(
    course: HandedIn, configuration: str, environment: Mapping[str, str] = os.environ
) -> subprocess.CompletedProcess[str]:
    path = course.folder / "cluster.py"
    path.write_text(configuration)
    words = ["class", "grade", "--cluster", path.name, "--share", "3", "--trust-submissions"]
    return subprocess.run(
        [sys.executable, "-m", "grader", *words, "--course", str(COURSE)],
        env={**environment, "PYTHONPATH": str(ROOT)}, cwd=course.folder, capture_output=True, text=True,
        check=False, timeout=540,
    )  # fmt: skip


def assert_each_is_graded_once(course: HandedIn, students: int) -> None:
    store = ResultStore(course.results)
    records = list(store.all())
    assert {record.verdict.status for record in records} == {Status.NOT_ATTEMPTED}
    assert len(records) == len(list(store.log.entries())) == students


@pytest.mark.slow
def test_each_share_is_graded_by_a_worker_of_this_machine(handed_in: Callable[[int], HandedIn]) -> None:
    pytest.importorskip("parsl", reason="no parsl here: pip install cu2grad[cluster]")
    course = handed_in(5)
    done = grade(course, LOCAL)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 shares ended" in done.stdout and "Next: grader class marks" in done.stdout
    assert_each_is_graded_once(course, 5)
    printed = [(course.results / "cluster" / f"{number}.txt").read_text() for number in range(3)]
    assert all("to grade" in text for text in printed), printed


@pytest.mark.slow
def test_the_handbooks_blocks_of_slurm(slurm: SlurmMachine, handed_in: Callable[[int], HandedIn]) -> None:
    pytest.importorskip("parsl", reason="no parsl here: pip install cu2grad[cluster]")
    course = handed_in(6)
    own = {
        "source ~/cu2grad/.venv/bin/activate": f"export PYTHONPATH={ROOT}",
        "10.0.0.1": "127.0.0.1",
        "cores_per_node=8": "cores_per_node=1",
        "mem_per_node=16": "mem_per_node=1",
        "init_blocks=4": "init_blocks=2",
        "max_blocks=4": "max_blocks=2",
    }
    configuration = SAMPLE
    for shown, here in own.items():
        assert configuration.count(shown) == 1, shown
        configuration = configuration.replace(shown, here)
    done = grade(course, configuration, slurm.environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_each_is_graded_once(course, 6)


@pytest.mark.slow
def test_a_share_that_was_lost_is_run_again_and_one_that_failed_is_named(tmp_path: Path) -> None:
    """Share 0 kills its worker the first time; share 1 ends with 3, as what could not be judged does."""
    pytest.importorskip("parsl", reason="no parsl here: pip install cu2grad[cluster]")
    path, once = tmp_path / "cluster.py", tmp_path / "once"
    path.write_text(LOCAL)
    script = (
        "import os, pathlib, signal, sys\n"
        f"number, once = sys.argv[-1][0], pathlib.Path({str(once)!r})\n"
        "if number == '0' and not once.exists():\n"
        "    once.touch()\n"
        "    os.kill(os.getppid(), signal.SIGKILL)\n"
        "    signal.pause()\n"
        "print(*sys.argv[1:])\n"
        "sys.exit(3 * (number == '1'))\n"
    )
    (tmp_path / "run").mkdir()
    driver = (  # a process of its own: Parsl leaves its log open
        "import sys; from pathlib import Path; "
        "from grader.instruct.cluster import grade_shares, read_configuration; "
        "config, folder = read_configuration(Path(sys.argv[1])), Path(sys.argv[2]); "
        "print(grade_shares(config, (sys.executable, '-c', sys.argv[3]), 2, folder))"
    )
    done = subprocess.run(
        [sys.executable, "-c", driver, str(path), str(tmp_path / "run"), script],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False, timeout=540,
    )  # fmt: skip
    assert done.stdout == "{1: 'exit code 3'}\n", done.stderr
    assert once.exists()
    assert (tmp_path / "run" / "0.txt").read_text() == "--share 0/2\n"


@pytest.mark.parametrize(
    ("text", "complaint"), [("config = 3\n", "sets no `config`"), ("config = 1 / 0\n", "ZeroDivisionError")]
)
def test_a_file_without_a_configuration_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    pytest.importorskip("parsl", reason="no parsl here: pip install cu2grad[cluster]")
    path = tmp_path / "cluster.py"
    path.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        read_configuration(path)


def test_no_sandboxed_submission_sees_the_keys(tmp_path: Path) -> None:
    folder = private_folder(tmp_path / "results", [tmp_path / "course"])
    assert folder.stat().st_mode & 0o777 == 0o700
    shown = tmp_path / "shown"
    shown.mkdir()
    assert shown in sandbox.worker_readable([shown])
    with pytest.raises(UsageError, match="submissions can read"):
        private_folder(shown / "results", [shown])
