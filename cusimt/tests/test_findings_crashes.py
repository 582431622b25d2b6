"""A kernel that crashes under `python -m cusimt`: the program lives on, or its last line says why."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "runtime" / "crashes.cu"
SCRIPT = """
import ctypes, sys, torch
library = ctypes.CDLL(sys.argv[1])
for name in sys.argv[2:]:
    print(name, getattr(library, f"run_{name}")(), flush=True)
print("alive")
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crashes")
    (folder / "script.py").write_text(SCRIPT)
    compiler = [sys.executable, "-m", "cusimt.compiler.nvcc", "-shared", "-Xcompiler", "-fPIC", "-g"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([*compiler, SOURCE, "-o", folder / "crashes.so"], check=True, env=environment, timeout=120)
    return folder / "crashes.so"


def run(library: Path, *names: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cusimt", str(library.parent / "script.py"), str(library), *names]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)


def last_words(done: subprocess.CompletedProcess[str]) -> str:
    """The last line of the program itself; what was not checked in it is told after its end."""
    return [line for line in done.stderr.splitlines() if line.startswith("cusimt: ")][-1]


@pytest.mark.parametrize(
    ("name", "error", "sentence"),
    [
        ("divide", 719, "Integer division by zero (or of the least integer by -1). crashes.cu:4,"),
        ("jump", 700, "Invalid access: a null pointer. "),
    ],
)
def test_the_program_lives_on_and_is_told(library: Path, name: str, error: int, sentence: str) -> None:
    done = run(library, name)
    assert done.stdout.splitlines() == [f"{name} {error}", "alive"], done.stderr
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "block (0,0,0), thread (0,0,0)" in done.stderr


@pytest.mark.parametrize(
    ("name", "death", "what"),
    [("give_up", signal.SIGABRT, "abort()"), ("recurse", signal.SIGSEGV, "stack overflow")],
)
def test_the_last_line_says_which_kernel(library: Path, name: str, death: signal.Signals, what: str) -> None:
    done = run(library, name)
    assert done.returncode == -death, done.stderr
    last_line = f"cusimt: {what} in kernel {name}, block (0,0,0), thread (0,0,0): it"
    assert last_words(done).startswith(last_line)


def test_a_last_line_that_is_too_long_is_cut(library: Path) -> None:
    done = run(library, "give_up_by_a_long_name")
    assert done.returncode == -signal.SIGABRT, done.stderr
    line = last_words(done)
    assert line.startswith("cusimt: abort() in kernel give_up_by_a_long_name")
    assert len(line) == 510
