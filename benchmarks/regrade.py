"""Every reference solution, graded again and again with fresh seeds on simt: does a mark ever change?

    python benchmarks/regrade.py --times 100 --record regrade_cpu

Each grading is a line of ``--log``, so that a run which was stopped goes on where it ended. Several runs may
share a log, each with ``--exercises`` of its own. A flip is a check that neither passes nor is unavailable,
or a score below full. ``grader check NN --from solutions --seed SEED`` repeats one.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import statistics
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

import record

from grader.checks import grade
from grader.checks.lanes import open_lane
from grader.course.catalog import Catalog, Exercise
from grader.run import Zygote
from grader.support.deadlines import usage_of
from grader.verdict import Status, Verdict

LOG = record.REPOSITORY / "build" / "regrade.jsonl"


@dataclass(frozen=True)
class Graded:
    """One grading: ``flips`` are sentences, none where the solution got every mark that it should get."""

    exercise: str
    seed: int
    flips: list[str]
    seconds: float
    processor_seconds: float
    commit: str


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("--times", type=int, default=100, help="gradings of each exercise")
    parser.add_argument("--exercises", nargs="+", help="numbers; default: all")
    parser.add_argument("--log", type=Path, default=LOG)
    options = parser.parse_args()
    catalog = Catalog.open(record.REPOSITORY)
    chosen = [catalog.find(name) for name in options.exercises or ()] or list(catalog.exercises)
    options.log.parent.mkdir(parents=True, exist_ok=True)
    run(chosen, options.times, options.log, graded_once)
    kept = [each for each in read(options.log) if each.exercise in {one.slug for one in chosen}]
    record.report("Every solution re-graded with fresh seeds, on simt", results_table(kept), options.record)


def run(
    exercises: Sequence[Exercise], times: int, log: Path, graded: Callable[[Exercise, Zygote, int], Graded]
) -> None:
    """Grade until `log` has `times` lines of each exercise: one of each in turn, a lane for every turn."""
    while missing := _missing(exercises, times, read(log)):
        with tempfile.TemporaryDirectory(prefix="cu2grad-regrade-") as folder:
            spool = Path(folder).resolve()
            with open_lane("simt", spool, missing, isolate=False) as lane:
                for exercise in missing:
                    _append(log, graded(exercise, lane, secrets.randbits(48)))


def _missing(exercises: Sequence[Exercise], times: int, done: Sequence[Graded]) -> list[Exercise]:
    count = Counter(each.exercise for each in done)
    return [exercise for exercise in exercises if count[exercise.slug] < times]


def graded_once(exercise: Exercise, lane: Zygote, seed: int) -> Graded:
    """Grade the solution of `exercise`, copied into the spool of `lane`."""
    assert lane.spool is not None
    files = lane.spool / exercise.slug
    shutil.copytree(exercise.solution_dir, files)
    before = _processor_seconds()
    verdict = grade(exercise, files, backend="simt", seed=seed, zygote=lane)
    spent = _processor_seconds() - before
    shutil.rmtree(files)
    commit = record.first_line("git", "-C", str(record.REPOSITORY), "rev-parse", "--short", "HEAD")
    return Graded(exercise.slug, seed, flips_of(verdict, exercise), verdict.seconds, round(spent, 3), commit)


def flips_of(verdict: Verdict, exercise: Exercise) -> list[str]:
    """What of `verdict` is not what the reference solution has to get."""
    flips = [
        f"{check.name}: {check.status}: {check.sentence}"
        for check in verdict.checks
        if check.status not in (Status.PASS, Status.UNAVAILABLE)
    ]
    full = 100 - exercise.scores.get("performance", 0)
    if (verdict.earned, verdict.out_of) != (full, full):
        flips.append(f"{verdict.earned:g} of {verdict.out_of:g} points; a solution gets {full} of {full}")
    return flips


def _processor_seconds() -> float:
    """Of this process and all that it started, the zygote and its ended workers among them."""
    usage = usage_of(os.getpid())
    return usage.seconds if usage else 0.0


# ---- the log, and what it says ----------------------------------------------------------------------------


def _append(log: Path, graded: Graded) -> None:
    """In one write, so that runs which share a log do not mix their lines; after a line that was cut off, a
    new one begins."""
    with log.open("a+b") as stream:
        begins = "" if _ends_a_line(stream) else "\n"
        stream.write(f"{begins}{json.dumps(asdict(graded))}\n".encode())
    print(f"{graded.exercise} {graded.seed} {graded.seconds:.1f} s {'; '.join(graded.flips)}", flush=True)


def _ends_a_line(stream: BinaryIO) -> bool:
    if stream.seek(0, os.SEEK_END) == 0:
        return True
    stream.seek(-1, os.SEEK_END)
    return stream.read(1) == b"\n"


def read(log: Path) -> list[Graded]:
    """The gradings of `log`, none where there is no such file; a line that was cut off does not count."""
    return list(_lines(log)) if log.is_file() else []


def _lines(log: Path) -> Iterator[Graded]:
    for line in log.read_text(encoding="utf-8").splitlines():
        try:
            yield Graded(**json.loads(line))
        except ValueError:
            continue


def results_table(done: Sequence[Graded]) -> str:
    """A table with a row for each exercise, and each flip in full."""
    groups: dict[str, list[Graded]] = defaultdict(list)
    for each in done:
        groups[each.exercise].append(each)
    rows = [_row(slug, group) for slug, group in sorted(groups.items())]
    flips = [each for each in done if each.flips]
    rows.append(["all", len(done), len(flips), "", "", ""])
    header = (
        "exercise", "gradings", "with a flip", "seeds of flips", "median seconds", "median processor seconds",
    )  # fmt: skip
    commits = ", ".join(sorted({each.commit for each in done}))
    details = [f"- {each.exercise}, seed {each.seed}: {'; '.join(each.flips)}" for each in flips]
    return "\n".join([record.table(header, rows), "", f"Commits: {commits}.", *details])


def _row(slug: str, group: Sequence[Graded]) -> list[object]:
    seeds = " ".join(str(each.seed) for each in group if each.flips)
    wall = statistics.median(each.seconds for each in group)
    processor = statistics.median(each.processor_seconds for each in group)
    return [
        slug, len(group), sum(bool(each.flips) for each in group), seeds, f"{wall:.2f}", f"{processor:.2f}"
    ]  # fmt: skip


if __name__ == "__main__":
    main()
