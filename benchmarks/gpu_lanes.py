"""What several GPUs of one machine bring a class: `grader class grade` on the first of them, on two, on all.

    python benchmarks/gpu_lanes.py --record gpu_lanes_h200

Every GPU has the same to do: ``--students`` students hand in each exercise once for each GPU, of ten six
right, two wrong, one untouched and one broken; every file is another text, so that nothing is found in the
cache. Scaling is how much of each GPU is left when there are more of them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import batch
import record

from grader.course.catalog import Catalog, Exercise
from grader.instruct.results import Record, ResultStore
from grader.support.gpus import visible_gpus
from grader.verdict import CheckResult, Status

GOAL = 0.85


@dataclass(frozen=True)
class Run:
    """One class on ``gpus`` GPUs: wall-clock ``seconds``, and those of its gradings that had a GPU."""

    gpus: int
    records: tuple[Record, ...]
    seconds: float

    @property
    def a_minute(self) -> float:
        return 60 * len(self.records) / self.seconds

    @property
    def timed(self) -> list[Record]:
        """Those whose speed was looked at."""
        tried = (Status.PASS, Status.FAIL, Status.INCONCLUSIVE)
        return [graded for graded, check in self._performance if check.status in tried]

    @property
    def noisy(self) -> list[str]:
        """What was said of the timings that decided nothing."""
        return [
            f"{graded.key.exercise}: {check.sentence}"
            for graded, check in self._performance
            if check.status is Status.INCONCLUSIVE
        ]

    @property
    def _performance(self) -> list[tuple[Record, CheckResult]]:
        return [
            (graded, check)
            for graded in self.records
            for check in graded.verdict.checks
            if check.name == "performance"
        ]


def main() -> None:
    parser = record.arguments(__doc__)
    parser.formatter_class = argparse.RawTextHelpFormatter
    parser.add_argument("--students", type=int, default=10, help="for each GPU")
    parser.add_argument("--exercises", nargs="+", default=["03", "06"])
    parser.add_argument("--gpus", type=int, nargs="+", help="how many; default: 1, 2, 4, ... as there are")
    options = parser.parse_args()
    uuids = [gpu.uuid for gpu in visible_gpus()]
    if not uuids:
        sys.exit("This needs a GPU. `grader doctor` says what is missing.")
    numbers = options.gpus or [2**power for power in range(len(uuids).bit_length())]
    catalog = Catalog.open(record.REPOSITORY)
    exercises = [catalog.find(name) for name in options.exercises]
    with tempfile.TemporaryDirectory(prefix="cu2grad-class-") as folder:
        # What any machine builds once, and memory: a virtual machine may be given its own as it is used.
        grade(exercises, Path(folder) / "warm", uuids[: max(numbers)], 2)
        runs = [
            grade(exercises, Path(folder) / str(number), uuids[:number], options.students)
            for number in numbers
        ]
    record.report(f"A class on {visible_gpus()[0].name}s", text_of(runs, uuids), options.record)


def grade(exercises: list[Exercise], root: Path, uuids: list[str], students: int) -> Run:
    """A class of ``students`` for each of the GPUs, through `grader class grade` on these alone."""
    batch.hand_in(exercises, root / "submitted", students * len(uuids), "cuda", kinds=students)
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(uuids)
    options = argparse.Namespace(backend="cuda", jobs=None)
    seconds = batch.grade(root / "submitted", root / "results", options)
    run = Run(len(uuids), tuple(ResultStore(root / "results").all()), seconds)
    print(f"{run.gpus} GPUs: {len(run.records)} in {seconds:.0f} s", flush=True)
    for said in run.noisy:
        print(f"  {said}", flush=True)
    return run


def text_of(runs: list[Run], uuids: list[str]) -> str:
    """A row for each number of GPUs."""
    first = runs[0]
    rows = [
        (
            run.gpus,
            len(run.records),
            f"{run.seconds:.0f} s",
            f"{run.a_minute:.1f}",
            f"{run.a_minute / run.gpus / (first.a_minute / first.gpus):.2f}",
            f"{statistics.mean(each.verdict.seconds for each in run.timed):.2f} s",
            f"{len(run.noisy)} of {len(run.timed)}",
        )
        for run in runs
    ]
    header = (
        "GPUs", "gradings", "wall clock", "a minute", f"scaling (goal {GOAL})", "mean, of those timed",
        "too noisy to judge",
    )  # fmt: skip
    return (
        f"{len(uuids)} GPUs are here. Weak scaling: gradings a minute for each GPU, beside the "
        f"first row's.\n\n{record.table(header, rows)}\n\n{_parts(runs)}"
    )


def _parts(runs: list[Run]) -> str:
    """Where the seconds of a timed grading go, check by check; with the build, a worker opens the GPU."""
    names = dict.fromkeys(check.name for run in runs for each in run.timed for check in each.verdict.checks)
    rows = [
        [
            name,
            *(f"{sum(_seconds(each, name) for each in run.timed) / len(run.timed):.2f} s" for run in runs),
        ]
        for name in names
    ]
    return record.table(["mean of those timed", *(f"{run.gpus} GPUs" for run in runs)], rows)


def _seconds(graded: Record, name: str) -> float:
    return sum(check.seconds for check in graded.verdict.checks if check.name == name)


if __name__ == "__main__":
    main()
