"""The memory of one grading: the peak of all its processes, of each exercise's solution on simt.

Proportional set sizes of the whole tree, 20 times a second: what processes share counts once. Each is graded
twice on one processor, so with one compiler at a time: with the precompiled headers that an image has,
and a comment that nobody graded before. Pages of files (libraries, precompiled headers) can be given back to
a system that needs memory, at the price of time; the others cannot.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import record

from grader.course.catalog import Catalog, Exercise
from grader.course.stubs import without_markers


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("--exercises", nargs="+")
    options = parser.parse_args()
    catalog = Catalog.open(record.REPOSITORY)
    chosen = [catalog.find(name) for name in options.exercises or [each.slug for each in catalog.exercises]]
    lines = ["| exercise | peak MB | without file pages | seconds |", "|---|---|---|---|"]
    for exercise in chosen:
        graded(exercise)
        peak, kept, seconds = graded(exercise)
        lines.append(f"| {exercise.slug} | {peak / 1e6:.0f} | {kept / 1e6:.0f} | {seconds:.0f} |")
        print(lines[-1], flush=True)
    record.report("Peak memory of one grading", "\n".join(lines), options.record)


def graded(exercise: Exercise) -> tuple[int, int, float]:
    """Peak in bytes, the same of what no file backs, and seconds, of one grading from the solution."""
    with tempfile.TemporaryDirectory(prefix="cu2grad-memory-") as folder:
        place = Path(folder)
        for name in exercise.edit:
            target = place / "hand-in" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            text = without_markers((exercise.solution_dir / name).read_text())
            comment = f"// {secrets.token_hex(4)}\n" if target.suffix in (".cu", ".cpp", ".h") else ""
            target.write_text(text + comment)
        command = [sys.executable, "-m", "grader", "gradescope", "run", exercise.slug]
        command += ["--submission", str(place / "hand-in"), "--results", str(place / "results.json")]
        command += [] if shutil.which("bwrap") else ["--trust-submissions"]
        begun = time.monotonic()
        process = subprocess.Popen(
            ["taskset", "--cpu-list", "0", *command], stdout=subprocess.DEVNULL, cwd=record.REPOSITORY
        )
        peak = kept = 0
        while process.poll() is None:
            sizes = [proportional(each) for each in tree(process.pid)]
            peak = max(peak, sum(each for each, _ in sizes))
            kept = max(kept, sum(each - of_files for each, of_files in sizes))
            time.sleep(0.05)
        seconds = time.monotonic() - begun
        document = json.loads((place / "results.json").read_text())
        assert all(test.get("status") != "failed" for test in document["tests"]), exercise.slug
        return peak, kept, seconds


def tree(root: int) -> list[int]:
    """The process and all below it."""
    found, left = [], [root]
    while left:
        process = left.pop()
        found.append(process)
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{process}/task").iterdir():
                left += map(int, (task / "children").read_text().split())
    return found


def proportional(process: int) -> tuple[int, int]:
    """The proportional set size in bytes, and what of it files back; 0 for a process that has gone."""
    with contextlib.suppress(OSError, KeyError):
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
        sizes = {line.partition(":")[0]: int(line.split()[1]) for line in lines}
        return 1024 * sizes["Pss"], 1024 * sizes["Pss_File"]
    return 0, 0


if __name__ == "__main__":
    main()
