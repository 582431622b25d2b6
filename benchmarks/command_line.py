"""How long the commands that need no torch take, and the gradient check of 06.

``grader list`` is timed in a cold process, and after each round a process that only imports typer and rich: a
busy machine slows both, and their ratio is what counts. That ``grader list`` does not import torch is read
from ``-X importtime``.
The gradient check's seconds are those that the verdict itself reports.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time

import record

LIST = ("-m", "grader", "list")
LIBRARIES = ("-c", "import typer, rich")  # what a command line of this kind starts with


def seconds_of(*arguments: str) -> tuple[float, float]:
    """Wall and processor seconds of one Python process."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, cwd=record.REPOSITORY)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def pairs(rounds: int) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Seconds of `grader list` and of importing typer and rich, one after the other, each round."""
    return [(seconds_of(*LIST), seconds_of(*LIBRARIES)) for _ in range(rounds)]


def list_imports_torch() -> bool:
    command = [sys.executable, "-X", "importtime", "-m", "grader", "list"]
    trace = subprocess.run(command, check=True, capture_output=True, text=True, cwd=record.REPOSITORY).stderr
    return any(line.rsplit("|", 1)[-1].strip() == "torch" for line in trace.splitlines())


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args()
    rounds = pairs(options.rounds)
    times = [wall for (wall, _), _ in rounds]
    by_wall = statistics.median(own / other for (own, _), (other, _) in rounds)
    by_processor = statistics.median(own / other for (_, own), (_, other) in rounds)
    gradient = record.check_seconds("06", "--from", "solutions")["gradient"]
    rows = [
        (
            "grader list, median",
            f"{statistics.median(times) * 1e3:.0f} ms",
            f"{options.rounds} cold processes, slowest {max(times) * 1e3:.0f} ms",
        ),
        (
            "beside importing typer and rich",
            f"{by_wall:.2f} times",
            f"median of pairs; {by_processor:.2f} times by processor time",
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
