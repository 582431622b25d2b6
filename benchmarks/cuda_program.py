"""CUDA programs that time their own kernels (kernels.cuh): compiled with the simulated nvcc, run, read."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import record

from cusimt.compiler.libraries import runtime_library
from cusimt.compiler.nvcc import CHECKS_VARIABLE

Times = dict[str, tuple[float, int]]  # kernel name -> (seconds, CUDA threads launched)


def times_printed(command: list[str], environment: Mapping[str, str]) -> Times:
    """What a program measured that prints a line for each kernel: name, seconds, threads."""
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    lines = map(str.split, done.stdout.splitlines())
    return {name: (float(seconds), int(threads)) for name, seconds, threads in lines}


def simulated_program(source: Path, checked: bool, folder: Path) -> tuple[list[str], Mapping[str, str]]:
    """Compile ``source`` into ``folder``, with or without access checks; its command and environment."""
    program = folder / ("checked" if checked else "fast")
    environment = {
        **os.environ,
        "PYTHONPATH": str(record.REPOSITORY),
        CHECKS_VARIABLE: str(int(checked)),
        "LD_LIBRARY_PATH": str(runtime_library().parent),
    }
    compiler = [sys.executable, "-m", "cusimt.compiler.nvcc", "-O2", str(source), "-o", str(program)]
    subprocess.run(compiler, check=True, env=environment)
    return [str(program)], environment


def simulated_times(source: Path, checked: bool, folder: Path) -> Times:
    """Compile ``source`` into ``folder``, with or without access checks, and run it."""
    return times_printed(*simulated_program(source, checked, folder))


def fastest(runs: Iterable[Times]) -> Times:
    """Of each kernel its shortest time: the others were interrupted more."""
    best: Times = {}
    for times in runs:
        best |= {name: time for name, time in times.items() if name not in best or time < best[name]}
    return best
