"""Builds a CUDA program of docs/samples with the simulated nvcc, as a learner would, and runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from cusimt.compiler.libraries import runtime_library
from cusimt.compiler.nvcc import CHECKS_VARIABLE

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "docs" / "samples"
LIMIT = 600  # seconds of one run


_CALLS_MAIN = """
import ctypes, sys, torch
words = [word.encode() for word in sys.argv[1:]]
ctypes.CDLL(sys.argv[1]).main(len(words), (ctypes.c_char_p * len(words))(*words))
"""


def build(source: Path, folder: Path, *flags: str) -> Path:
    """The executable in ``folder``, compiled with access checks; a compiler error fails the test."""
    program = folder / source.stem
    command = [sys.executable, "-m", "cusimt.compiler.nvcc", "-std=c++17", *flags]
    command += [str(source), "-o", str(program)]
    done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it to its end; a program that hangs fails the test."""
    command = [str(program), *arguments]
    return subprocess.run(
        command, env=_environment(), capture_output=True, text=True, check=False, timeout=LIMIT
    )


def reported(source: Path, folder: Path, *arguments: str) -> str:
    """What the access checks print of a program whose ``main`` a Python program calls, from a library."""
    library = build(source, folder, "-shared", "-g", "-Xcompiler", "-fPIC")
    script = folder / "script.py"
    script.write_text(_CALLS_MAIN)
    command = [sys.executable, "-m", "cusimt", str(script), str(library), *arguments]
    done = subprocess.run(
        command, env=_environment(), capture_output=True, text=True, check=False, timeout=LIMIT
    )
    assert done.returncode == 1, done.stderr
    return done.stderr


def _environment() -> dict[str, str]:
    libraries = str(runtime_library().parent)
    return {**os.environ, "PYTHONPATH": str(ROOT), "LD_LIBRARY_PATH": libraries, CHECKS_VARIABLE: "1"}
