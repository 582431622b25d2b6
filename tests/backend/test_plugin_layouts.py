"""`pytest -p cusimt` beside other plugins: a conftest.py below the root, and exercises as items.

Lesson 27 tells its reader to run it on the suite that is the exercise. Those commands run here as written.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SLUG = "27_write_the_tests"
LESSON = ROOT / f"docs/lessons/{SLUG}.md"
HANDOUT = ROOT / "grader/instruct/workspace/handout"
COMMANDS = sorted(set(re.findall(r"python -m (pytest -p cusimt [^`\n]+)", LESSON.read_text())))


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, as the simulated device has to be there before torch."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_project_whose_tests_have_a_conftest(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tests / "conftest.py").write_text("import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n")
    (tests / "test_device.py").write_text(
        "import torch\n\n\ndef test_sum(two):\n    assert torch.full((two,), 3, device='cuda').sum() == 6\n"
    )
    done = run(tmp_path, "pytest -p cusimt")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Exercise 27 in a workspace, solved."""
    workspace = tmp_path_factory.mktemp("workspace").resolve()
    folder = workspace / "exercises" / SLUG
    built = shutil.ignore_patterns("build", "__pycache__")
    shutil.copytree(ROOT / "exercises" / SLUG, folder, ignore=built)
    shutil.copy(ROOT / "solutions" / SLUG / "test_op.py", folder)
    shutil.copy(HANDOUT / "pytest.ini", workspace)
    shutil.copy(HANDOUT / "conftest", workspace / "exercises/conftest.py")
    return folder


def test_the_lesson_has_these_commands() -> None:
    assert [each.removeprefix("pytest -p cusimt ") for each in COMMANDS] == [
        "--collect-only test_op.py",
        "--durations=5 test_op.py",
        "test_op.py",
        "test_op.py -k NAME",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_suite_that_is_an_exercise_runs(command: str, solved: Path) -> None:
    done = run(solved, command.replace("NAME", "test_by_hand"))
    assert done.returncode == 0, done.stdout + done.stderr
    names = re.findall(r"^def (test_\w+)", (solved / "test_op.py").read_text(), re.MULTILINE)
    assert len(names) > 11  # as many as the stub has
    if "--collect-only" in command:
        assert {each.partition("[")[0] for each in re.findall(r"<Function (.+)>", done.stdout)} == set(names)
        assert "CheckItem" not in done.stdout
    elif "-k" in command:
        assert re.search(r"\b1 passed, \d+ deselected", done.stdout)
    else:
        passed = re.search(r"\b(\d+) passed in", done.stdout)
        assert passed and int(passed[1]) >= len(names)
    assert ("slowest 5 durations" in done.stdout) == ("--durations" in command)


def test_the_stub_is_collected_in_the_repository_too() -> None:
    done = run(ROOT / "exercises" / SLUG, "pytest -p cusimt --collect-only test_op.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "<Function test_sizes>" in done.stdout
    assert "CheckItem" not in done.stdout
