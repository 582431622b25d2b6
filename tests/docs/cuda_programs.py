"""Builds a CUDA program of docs/samples with the simulated nvcc, as a learner would, and runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from grader.simt.native import runtime_library

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "docs" / "samples"
LIMIT = 120  # seconds of one run


def build(source: Path, folder: Path) -> Path:
    """The executable in ``folder``, compiled with access checks; a compiler error fails the test."""
    program = folder / source.stem
    command = [sys.executable, "-m", "grader.simt.nvcc", "-std=c++17", str(source), "-o", str(program)]
    done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it to its end; a program that hangs fails the test."""
    command = [str(program), *arguments]
    return subprocess.run(
        command, env=_environment(), capture_output=True, text=True, check=False, timeout=LIMIT
    )


def _environment() -> dict[str, str]:
    libraries = str(runtime_library().parent)
    return {**os.environ, "PYTHONPATH": str(ROOT), "LD_LIBRARY_PATH": libraries}
