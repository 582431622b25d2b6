"""Where the time of a save goes in ``grader watch``: seconds of each check, in the process that watches.

For each exercise it does what `grader watch` does after a save, seven times: it changes a line of the first
kernel into one that no cache has seen, takes the files up, and grades them. The first verdict, with which the
process and its compilers get ready, has a column of its own. The first save comes when the worker that stays
is ready, too; a learner who is quicker waits some tenths of a second longer for that one verdict.
"""

from __future__ import annotations

import contextlib
import statistics
import tempfile
import time
from pathlib import Path

import record
from edit_to_verdict import course, edit

from grader.cli.watch import WatchedSubmission
from grader.compilation import detect_backend
from grader.course.catalog import Catalog
from grader.course.snapshot import desk
from grader.verdict import Verdict

_GETS_READY_SECONDS = 8
_LOOKS_AWAY_SECONDS = 1  # at the very least


def saves(name: str, folder: Path, rounds: int) -> list[tuple[float, Verdict]]:
    """Seconds and verdict of the first grading, and of each after an edit."""
    exercise = Catalog.open(record.REPOSITORY).find(name)
    exercise = Catalog.open(course(folder, exercise)).find(name)
    kernel = exercise.root / "kernel.cu"
    original = kernel.read_text()
    found = []
    with contextlib.ExitStack() as left:
        copies = left.enter_context(desk(exercise, exercise.root))
        submission = WatchedSubmission(exercise, detect_backend(), copies)
        left.callback(submission.close)
        for generation in range(rounds + 1):
            if generation:
                time.sleep(_LOOKS_AWAY_SECONDS if generation > 1 else _GETS_READY_SECONDS)
                edit(kernel, original, int(time.time()) % 100_000 + generation * 100_000)
            begun = time.perf_counter()
            if generation:
                submission.next_save()
            verdict, _ = submission.graded(lambda stage: None, verbose=False)
            found.append((time.perf_counter() - begun, verdict))
            submission.get_ready()
    return found


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("names", nargs="*", default=["03", "06", "07", "13"], metavar="NN")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    rows = []
    for name in options.names:
        with tempfile.TemporaryDirectory() as scratch:
            first, *later = saves(name, Path(scratch), options.rounds)
        seconds = [each for each, _ in later]
        checks: dict[str, list[float]] = {check.name: [] for check in first[1].checks}
        for _, verdict in later:
            for check in verdict.checks:
                checks[check.name].append(check.seconds)
        parts = ", ".join(
            f"{check} {statistics.median(times):.2f}"
            for check, times in checks.items()
            if statistics.median(times) >= 0.01
        )
        spread = f"{statistics.median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})"
        rows.append((first[1].exercise, f"{first[0]:.1f}", spread, parts))
    table = record.table(("exercise", "first, s", "save to verdict, s", "of which, s"), rows)
    record.report("Saves in grader watch", table, options.record)


if __name__ == "__main__":
    main()
