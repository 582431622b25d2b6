"""docs/samples/extension: an extension repository built and tested unmodified, with the commands of its own
workflow; with mistakes in its kernel, its own tests fail and say which.

What its tests print is shown in docs/guides/existing_extension.md. CUSIMT_RECORD=1 writes it anew.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from cusimt.tests.quick_builds import QUICK_BUILDS

DOCS = Path(__file__).resolve().parents[2] / "docs"
SAMPLE = DOCS / "samples/extension"
SHOWN = DOCS / "samples/extension_output"
WORKFLOW = SAMPLE / ".github/workflows/test.yml"
BARRIER = "    __syncthreads();  // the neighbours' part of the tile was loaded by other threads\n"
GUARD = "    if (column >= columns) return;\n"
KERNEL = "csrc/sliding_sum_cuda.cu"
ELSEWHERE = {"CI", "BUILD_NUMBER", "PYTEST_ADDOPTS"}  # with them pytest prints something else


@dataclass(frozen=True)
class Repository:
    """A copy of the sample; `run` takes a command of its workflow."""

    folder: Path

    def run(self, command: str, *more: str) -> subprocess.CompletedProcess[str]:
        program, *arguments = shlex.split(command)
        assert program == "python"
        environment = {k: v for k, v in os.environ.items() if k not in ELSEWHERE}
        environment |= QUICK_BUILDS
        environment |= {"PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "100"}
        return subprocess.run(
            [sys.executable, *arguments, *more],
            cwd=self.folder, env=environment, capture_output=True, text=True, timeout=600,
        )  # fmt: skip

    def without(self, text: str) -> None:
        """Leave `text` out of the kernel, and build again."""
        right = (SAMPLE / KERNEL).read_text()
        assert right.count(text) == 1
        (self.folder / KERNEL).write_text(right.replace(text, ""))
        built = self.run(BUILD)
        assert built.returncode == 0, built.stdout + built.stderr


def commands() -> list[str]:
    """What the workflow runs, in order."""
    return re.findall(r"^ +run: (.+)$", WORKFLOW.read_text(), re.MULTILINE)


BUILD, TEST, TEST_REVERSED = commands()[-3:]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("engineers").resolve() / "sliding_sum"
    built = shutil.ignore_patterns("build", "*.so", "__pycache__", "*.egg-info")
    shutil.copytree(SAMPLE, folder, ignore=built)
    repository = Repository(folder)
    done = repository.run(BUILD)
    assert done.returncode == 0, done.stdout + done.stderr
    return repository


def test_the_workflow_is_one_and_these_are_its_commands() -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML, which mkdocs brings")
    workflow = yaml.safe_load(WORKFLOW.read_text())
    (job,) = workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == commands()
    assert all(("run" in step) != ("uses" in step) for step in job["steps"])
    assert commands()[1] == f'python -m pip install "cusimt @ ${next(iter(workflow["env"]))}" pytest'


@pytest.mark.slow
def test_an_unmodified_repository_passes_its_own_tests(repository: Repository) -> None:
    passed = repository.run(TEST)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert " 94 passed in " in passed.stdout, "those that need a GPU are among them"
    assert "333 launches of 1 kernel in 34 tests; 0 findings" in passed.stdout
    check_shown("passed", passed.stdout)
    assert repository.run(TEST_REVERSED, "-q", "-k", "opcheck or 257").returncode == 0


@pytest.mark.slow
def test_an_overrun_fails_its_tests_though_every_answer_is_right(repository: Repository) -> None:
    repository.without(GUARD)
    failed = repository.run(TEST, "-k", "1000")
    assert failed.returncode == 1
    assert "Invalid __global__ write of size 4 bytes: element" in failed.stdout
    assert f"    {KERNEL}:32  y[blockIdx.x * columns + column] = sum;" in failed.stdout
    assert "AssertionError" not in failed.stdout


@pytest.mark.slow
def test_a_race_is_told_with_both_parties(repository: Repository) -> None:
    repository.without(BARRIER)
    failed = repository.run(TEST, "-k", "test_opcheck", "-x")
    assert failed.returncode == 1
    assert "Race on shared memory" in failed.stdout
    assert f"    {KERNEL}:25  tile[i] = column >= 0" in failed.stdout
    assert f"    {KERNEL}:31  for (int k = 0; k <= 2 * radius; ++k) sum += tile[" in failed.stdout
    check_shown("race", failed.stdout)


def check_shown(name: str, output: str) -> None:
    """What the guide shows is what is printed, but for the machine's own lines and its seconds."""
    own = re.compile(r"^(platform|rootdir|plugins|cachedir|configfile|testpaths)\b.*\n", re.MULTILINE)
    text = re.sub(r"=+ (.* in )[\d.]+s.* =+", r"===== \1… s =====", own.sub("", output))
    text = re.sub(r"-+ Captured (log|stderr|stdout) \w+ -+\n(.*\n)*?(?=[-=_]{5})", "", text)
    file = SHOWN / f"{name}.txt"
    if os.environ.get("CUSIMT_RECORD"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    assert file.read_text() == text, "Run with CUSIMT_RECORD=1 and look at what changed."
