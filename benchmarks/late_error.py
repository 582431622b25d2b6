"""Which call reports an error, and which tool reports a mistake: the samples of the page on layers, on a GPU.

Runs docs/samples/late_error plain, with CUDA_LAUNCH_BLOCKING=1, and under compute-sanitizer, if the toolkit
has it. Needs a GPU, nvcc, and a torch for that GPU.

    python benchmarks/late_error.py --record late_error_h200
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import record
from hardware_tools import find_tool

SAMPLES = record.REPOSITORY / "docs" / "samples" / "late_error"
LIMIT = 300  # seconds of one run; the first of overrun.py compiles an extension
BLOCKING = {"CUDA_LAUNCH_BLOCKING": "1"}
NO_CACHE = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
REPORT = re.compile(
    r"Invalid __\w+__ \w+|Uninitialized __\w+__ memory \w+|Race reported|Program hit \w+ \(?\w*"
)


@dataclass(frozen=True)
class Run:
    """One row: a program with its arguments, in an environment, plain or under one sanitizer tool."""

    program: str
    arguments: str = ""
    tool: str = ""
    environment: tuple[tuple[str, str], ...] = ()

    def cells(self, said: str) -> list[str]:
        variables = "".join(f"{name}={value} " for name, value in self.environment)
        tool = "compute-sanitizer " if self.tool else ""
        tool += f"--tool {self.tool} " if self.tool not in ("", "memcheck") else ""
        return [f"`{variables}{tool}{self.program} {self.arguments}".rstrip() + "`", said]


def _with(environment: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(environment.items())


RUNS = (
    Run("late_error", "launch"),
    Run("late_error", "launch checked"),
    Run("late_error", "access"),
    Run("late_error", "access checked"),
    Run("late_error", "access checked", environment=_with(BLOCKING)),
    Run("late_error", "access waited"),
    Run("late_error", "launch", tool="memcheck"),
    Run("late_error", "access", tool="memcheck"),
    Run("silent", "race", tool="memcheck"),
    Run("silent", "race", tool="racecheck"),
    Run("silent", "unwritten", tool="memcheck"),
    Run("silent", "unwritten", tool="initcheck"),
    Run("overrun.py"),
    Run("overrun.py", tool="memcheck"),
    Run("overrun.py", tool="memcheck", environment=_with(NO_CACHE)),
)


def summary(text: str, tool: str) -> str:
    """What a run printed: its last line, or each different report of the tool with the number of times."""
    if not tool:
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else "nothing"
    if "SUMMARY" not in text:
        return "did not finish: " + (text.strip().splitlines() or ["no output"])[-1]
    reports = [match[0] for match in REPORT.finditer(text)]
    counts = {report: reports.count(report) for report in dict.fromkeys(reports)}
    return "; ".join(f"{report} ({number})" for report, number in counts.items()) or "no report"


def build(folder: Path) -> None:
    """Compile the two CUDA programs, and let overrun.py compile its extension, outside of any tool."""
    for name in ("late_error", "silent"):
        source = str(SAMPLES / f"{name}.cu")
        subprocess.run(["nvcc", "-std=c++17", "-lineinfo", source, "-o", str(folder / name)], check=True)
    _output([sys.executable, str(SAMPLES / "overrun.py")], {})


def _output(command: list[str], environment: dict[str, str]) -> str:
    try:
        done = subprocess.run(
            command,
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it was stopped after {LIMIT} s"
    return done.stdout


def measure(run: Run, folder: Path, sanitizer: str | None) -> str:
    """The summary of one run."""
    if run.tool and sanitizer is None:
        return "compute-sanitizer is not installed"
    start = [sys.executable, str(SAMPLES / run.program)]
    command = start if run.program.endswith(".py") else [str(folder / run.program)]
    if run.tool:
        command = [str(sanitizer), "--tool", run.tool, "--print-limit", "5000", *command]
    return summary(_output([*command, *run.arguments.split()], dict(run.environment)), run.tool)


def main() -> None:
    options = record.arguments(__doc__).parse_args()
    sanitizer = find_tool("compute-sanitizer")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder)
        rows = [run.cells(measure(run, folder, sanitizer)) for run in RUNS]
    record.report("Errors that appear late", record.table(["command", "prints"], rows), options.record)


if __name__ == "__main__":
    main()
