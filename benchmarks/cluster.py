"""What a cluster adds to a grading: submissions that are graded already, sent through Parsl and found.

Each goes from the driver to a worker and back, is read, looked up under its key, and costs nothing else. So
what is left is the price of sending it. Blocks of this machine; a network adds its own.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import record

from grader.course.catalog import Catalog
from grader.instruct.batch import Item, items_of
from grader.instruct.cluster import Blocks, Cluster, Terms, grade_on
from grader.instruct.results import Record, ResultStore
from grader.instruct.submissions import read_submissions
from grader.verdict import CheckResult, Status, Verdict

COURSE = record.REPOSITORY / "tests" / "toy_course"
SLUG = "00_negate"


def hand_in(root: Path, students: int) -> list[Item]:
    """So many submissions, no two alike."""
    catalog = Catalog.open(COURSE)
    exercise = catalog.find(SLUG)
    for number in range(students):
        folder = root / f"student{number}" / SLUG
        folder.mkdir(parents=True)
        for name in exercise.edit:
            shutil.copy(exercise.root / name, folder)
        with (folder / exercise.edit[0]).open("a") as kernel:
            kernel.write(f"// {number}\n")
    return items_of(read_submissions(root, catalog), catalog, lambda exercise: "simt")


def keep_records(items: list[Item], store: ResultStore) -> None:
    """A record for each, as if it had been graded."""
    check = CheckResult("correctness", Status.PASS, "Right.", 40.0, 40.0)
    for item in items:
        verdict = Verdict(item.exercise.slug, item.exercise.title, "simt", 1, (check,))
        store.keep(Record.now(item.key, verdict))


def seconds(items: list[Item], results: Path, workers: int) -> tuple[float, float]:
    """(until the first answer, from the first to the last)."""
    blocks = Blocks(blocks=1, workers=workers, walltime="01:00:00")
    cluster = Cluster("local", blocks, None, "127.0.0.1", sys.executable)
    begun = time.perf_counter()
    times = [time.perf_counter() for _ in grade_on(items, cluster, Terms(COURSE, results, isolate=False))]
    if len(times) != len(items):
        raise SystemExit(f"{len(items)} were sent, and {len(times)} came back")
    return times[0] - begun, times[-1] - times[0]


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("--submissions", type=int, default=1000)
    options = parser.parse_args()
    busy = f"Load of the machine before: {os.getloadavg()[0]:.1f} (1 minute), 1 means one busy core."
    rows = []
    for workers in (1, 2):
        with TemporaryDirectory(prefix="cu2grad-cluster-") as folder:
            items = hand_in(Path(folder) / "submitted", options.submissions)
            keep_records(items, ResultStore(Path(folder) / "results"))
            start, rest = seconds(items, Path(folder) / "results", workers)
        each = 1000 * rest / (options.submissions - 1)
        rows.append((workers, options.submissions, f"{start:.1f} s", f"{each:.1f} ms"))
    header = ("workers", "submissions", "until the first", "then each")
    record.report(
        "Sending submissions through Parsl", f"{busy}\n\n{record.table(header, rows)}", options.record
    )


if __name__ == "__main__":
    main()
