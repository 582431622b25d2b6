"""What it costs to keep a stranger's code in: a sandbox's start, a compiler in one, and a whole grading.

The grading is of a solution that is built already, so it is torch's import, the worker and the checks. In a
lane, the import is made once, before the clock runs.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from record import REPOSITORY, arguments, report, table

sys.path.insert(0, str(REPOSITORY))

from grader.checks import grade
from grader.checks.lanes import open_lane
from grader.compilation import ninja
from grader.course.catalog import Catalog, Exercise
from grader.course.stubs import without_markers
from grader.run import Limits, Zygote, compilers, sandbox
from grader.verdict import Status

EXERCISE = "03_fused_muladd"
SOURCE = "#include <vector>\nint size() { return std::vector<int>(3).size(); }\n"


def main() -> None:
    """Measure and print; the medians of many tries."""
    options = arguments(__doc__)
    options.add_argument("--tries", type=int, default=15)
    chosen = options.parse_args()
    rows: list[tuple[str, str]] = []

    def measure(what: str, action: Callable[[], None]) -> None:
        action()  # what is made once
        seconds = []
        for _ in range(chosen.tries):
            begun = time.perf_counter()
            action()
            seconds.append(time.perf_counter() - begun)
        rows.append((what, f"{statistics.median(seconds) * 1000:.0f}"))

    with tempfile.TemporaryDirectory(prefix="cu2grad-bench-") as name:
        place = Path(name)
        measure("a program that does nothing", lambda: _run(["/bin/true"]))
        measure("the same in a sandbox, with filter and control group", _enclosed)
        measure("g++ of three lines", lambda: _compile(place, None))
        measure("the same in a sandbox", lambda: _compile(place, compilers.enclosing("plain")))
        exercise = Catalog.open(REPOSITORY).find(EXERCISE)
        files = _hand_in(exercise, place)
        measure("a grading, not isolated", lambda: _grade(exercise, files, isolate=False))
        measure("a grading, isolated", lambda: _grade(exercise, files, isolate=True))
        with open_lane("simt", place, [exercise]) as zygote:
            measure("a grading in a lane", lambda: _grade(exercise, files, isolate=True, zygote=zygote))
    load = f"Load average when it ended: {os.getloadavg()[0]:.1f}."
    report("What isolation costs", f"{table(('what', 'milliseconds'), rows)}\n\n{load}", chosen.record)


def _run(command: list[str], descriptors: tuple[int, ...] = ()) -> None:
    subprocess.run(command, check=True, pass_fds=descriptors)


def _enclosed() -> None:
    enclosure = sandbox.enclose("plain", [], dict(os.environ), Limits())
    try:
        _run(enclosure.around(["/bin/true"]), enclosure.descriptors)
    finally:
        enclosure.close()


def _compile(place: Path, enclose: ninja.Enclose | None) -> None:
    folder = place / "objects"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (place / "size.cpp").write_text(SOURCE)
    output = folder / "size.o"
    edge = ninja.Edge(output, (), ("g++", "-c", str(place / "size.cpp"), "-o", str(output)))
    outcome = ninja.run([edge], folder, enclose=enclose)
    if not outcome.ok:
        sys.exit(outcome.log)


def _hand_in(exercise: Exercise, place: Path) -> Path:
    folder = place / exercise.slug
    folder.mkdir()
    for name in exercise.edit:
        (folder / name).write_text(without_markers((exercise.solution_dir / name).read_text()))
    for name in exercise.given:
        shutil.copyfile(exercise.root / name, folder / name)
    return folder


def _grade(exercise: Exercise, files: Path, *, isolate: bool, zygote: Zygote | None = None) -> None:
    verdict = grade(exercise, files, backend="simt", isolate=isolate, zygote=zygote)
    if verdict.status is not Status.PASS:
        sys.exit(f"the solution does not pass, so the figures mean nothing: {verdict.status}")


if __name__ == "__main__":
    main()
