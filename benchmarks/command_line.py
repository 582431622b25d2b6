"""How long the commands that need no torch take, and the gradient check of 06.

``grader list`` is timed in a cold process; that it does not import torch is read from ``-X importtime``.
The gradient check's seconds are those that the verdict itself reports.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

import record


def list_seconds(rounds: int) -> list[float]:
    """Wall seconds of `grader list`, one process a round."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "grader", "list"], check=True, capture_output=True, cwd=record.REPOSITORY
        )
        times.append(time.perf_counter() - start)
    return times


def list_imports_torch() -> bool:
    command = [sys.executable, "-X", "importtime", "-m", "grader", "list"]
    trace = subprocess.run(command, check=True, capture_output=True, text=True, cwd=record.REPOSITORY).stderr
    return any(line.rsplit("|", 1)[-1].strip() == "torch" for line in trace.splitlines())


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    times = list_seconds(options.rounds)
    gradient = record.check_seconds("06", "--from", "solutions")["gradient"]
    rows = [
        (
            "grader list, median",
            f"{statistics.median(times) * 1e3:.0f} ms",
            f"{options.rounds} cold processes, slowest {max(times) * 1e3:.0f} ms",
        ),
        ("torch imported by it", "yes" if list_imports_torch() else "no", "from -X importtime"),
        ("gradient check of 06", f"{gradient:.2f} s", "reference solution, second run"),
    ]
    record.report(
        "Commands without torch, and a gradient check",
        record.table(("what", "value", "note"), rows),
        options.record,
    )


if __name__ == "__main__":
    main()
