"""How often is the speed check wrong? The baseline against itself, and solutions timed again and again.

    python benchmarks/speed_errors.py --times 200 --again 100 --record speed_errors_h200

The baseline handed in as a submission has to come out at 1: an interval that lies above or below it says
"faster" or "slower" falsely, as one in twenty does that holds the truth in 95 % of cases. A solution that is
timed again shows how far its ratio moves. Needs a GPU; nothing is written into the course.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import record

from grader.checks import build as building
from grader.checks.bench import Bench
from grader.checks.timing import alternation
from grader.checks.timing.clean_worker import clean_worker
from grader.checks.timing.clocks import believed, undecided
from grader.checks.timing.ratios import Ratio
from grader.checks.timing.speed import call_of
from grader.compilation import Artifact
from grader.course.catalog import Catalog, Exercise
from grader.run import Zygote
from grader.specification import Spec, load_spec

STEP = 0.05  # how far from 1 a falsely judged baseline has to be to matter to anybody


@dataclass
class Series:
    """What measurements of one submission came to; ``undecided`` counts those that decided nothing."""

    title: str
    ratios: list[Ratio]
    by_parent: int
    undecided: int
    seconds: float

    def row(self) -> list[str]:
        values = sorted(ratio.value for ratio in self.ratios)
        faster = sum(ratio.low > 1 for ratio in self.ratios)
        slower = sum(ratio.high < 1 for ratio in self.ratios)
        far = sum(abs(value - 1) > STEP for value in values)
        median = statistics.median(values)
        widest = max(ratio.spread for ratio in self.ratios)
        return [
            self.title, str(len(values)), f"{median:.3f}", f"{values[0]:.3f} to {values[-1]:.3f}",
            f"{100 * (values[-1] / values[0] - 1):.1f} %", f"{100 * widest:.1f} %",
            f"{faster}, {slower}, {far}", str(self.by_parent), str(self.undecided),
            f"{self.seconds / max(1, len(values)):.2f}",
        ]  # fmt: skip


HEADER = [
    "submission", "times", "median ratio", "ratios", "spread", "widest interval",
    "above 1, below 1, 5 % off", "by the parent's clock", "undecided", "seconds each",
]  # fmt: skip


@contextmanager
def bench_of(exercise: Exercise, spec: Spec, artifact: Artifact | None, op_file: Path) -> Iterator[Bench]:
    """A worker on cuda with ``op_file`` loaded, as a grade has it."""
    with Zygote.start("cuda") as zygote, zygote.spawn_worker() as session:

        def load() -> None:
            session.load(artifact, op_file if op_file.is_file() else None, op_file.parent)

        load()
        bench = Bench(
            exercise, spec, "cuda", 1, session, op_file.parent, load, zygote.spawn_worker, op_file.parent
        )
        with clean_worker(bench):
            yield bench


def series(title: str, bench: Bench, times: int) -> Series:
    assert bench.spec.speed is not None
    found = Series(title, [], 0, 0, 0.0)
    text = call_of(bench.spec)
    for attempt in range(times + 1):
        begun = time.perf_counter()
        measured = alternation.measure(bench, bench.spec.speed, text, attempt)
        assert measured.error is None and measured.wrong is None, measured
        if attempt == 0:
            continue  # what is loaded on first use
        found.seconds += time.perf_counter() - begun
        if undecided(measured, attempt) is not None:
            found.undecided += 1
            continue
        ratio, by_parent = believed(measured, attempt)
        found.ratios.append(ratio)
        found.by_parent += by_parent
    return found


def baseline(exercise: Exercise, times: int) -> Series:
    """The baseline of an exercise, handed in as its solution."""
    spec = load_spec(exercise)
    assert spec.speed is not None
    parameters = ", ".join(spec.parameters[: len(spec.speed.args)])
    with TemporaryDirectory() as folder:
        op_file = Path(folder, "op.py")
        op_file.write_text(
            f"import torch\n\n\ndef {spec.entry}({parameters}):\n    return {spec.speed.baseline}\n"
        )
        with bench_of(exercise, spec, None, op_file) as bench:
            return series(f"{exercise.number:02d}: baseline", bench, times)


def solution(exercise: Exercise, times: int) -> Series:
    artifact = building.compile_submission(exercise, exercise.solution_dir, "cuda", "", False)
    assert isinstance(artifact, Artifact), artifact
    with bench_of(exercise, load_spec(exercise), artifact, exercise.solution_dir / "op.py") as bench:
        return series(f"{exercise.number:02d}: solution", bench, times)


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("--times", type=int, default=200, help="measurements of each baseline")
    parser.add_argument("--again", type=int, default=100, help="measurements of each solution")
    parser.add_argument("--exercises", type=int, nargs="*", default=[3])
    options = parser.parse_args()
    exercises = Catalog.open(record.REPOSITORY).exercises
    timed = [each for each in exercises if each.number in options.exercises]
    rows = []
    for exercise in timed:
        for measured in (baseline, solution):
            times = options.times if measured is baseline else options.again
            if times:
                rows.append(measured(exercise, times).row())
                print(" | ".join(rows[-1]), flush=True)
    record.report("How often the speed check is wrong", record.table(HEADER, rows), options.record)


if __name__ == "__main__":
    main()
