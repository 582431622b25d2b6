"""`grader bench` on a GPU: every workload in turn, shown when it is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from grader.benchmark.contenders import Contender, contenders_of
from grader.benchmark.measuring import Announce, Measuring
from grader.benchmark.rows import Benchmark, Comparison
from grader.benchmark.selection import dtypes_named, factor_of, require_speed, workloads_of
from grader.benchmark.sessions import opened
from grader.benchmark.terminal import comparison_view, show
from grader.benchmark.words import comparison_text
from grader.benchmark.workloads import Workload
from grader.checks.loaded import Refusal, require_begun
from grader.checks.provenance import versions_of
from grader.checks.values.sizes import with_sizes
from grader.cli.overview import command
from grader.cli.screen import Screen
from grader.course.catalog import Catalog, Exercise
from grader.specification import load_spec

SEED = 0


class Compares(Protocol):
    """What :func:`run` needs of `Measuring`."""

    def compare(
        self, workload: Workload, contenders: Sequence[Contender], announce: Announce
    ) -> Iterator[Comparison]: ...


def time_contenders(
    exercise: Exercise, files: Path, sizes: Sequence[str], dtypes: Sequence[str], screen: Screen
) -> Benchmark:
    """Build the submission in ``files`` and the reference solution, and time all contenders.

    Raises UsageError for what cannot be asked for, SubmissionError where the submission does not build.
    """
    again = command("bench", exercise)
    spec = with_sizes(load_spec(exercise), exercise.slug, SEED)
    if spec.speed is None or spec.traffic is None:
        others = [each for each in Catalog.open(exercise.course).exercises if "performance" in each.scores]
        first = command("bench", others[0]) if others else "grader list"
        require_speed(spec, exercise.slug, [f"{each.number:02d}" for each in others], first)
    factors = [factor_of(each, again) for each in sizes]
    named = dtypes_named(dtypes, spec, exercise.slug, again)
    refusal = Refusal("Only what builds can be timed.", command("check", exercise))
    require_begun(exercise, files, refusal)
    with ExitStack() as left:
        with screen.working(exercise.slug) as stage:
            workers, missing = left.enter_context(opened(exercise, files, "cuda", refusal, stage))
            measuring = Measuring(spec, exercise.root, "cuda", workers, SEED)
            stage("opening the GPU")
            device, free, _ = measuring.facts()
        workloads, notes = workloads_of(spec, factors, named, free)
        said = (*notes, *missing)
        found = Benchmark(exercise.slug, exercise.title, device, versions_of(exercise), notes=said)
        return run(measuring, workloads, contenders_of(spec, workers), found, screen)


def run(
    measuring: Compares, workloads: Sequence[Workload], contenders: Sequence[Contender], found: Benchmark,
    screen: Screen,
) -> Benchmark:  # fmt: skip
    """Measure and show each workload; after Ctrl-C ``done`` is False, and the finished rows are there."""
    screen.say(f"{found.exercise} · benchmark · {found.device}")
    for note in found.notes:
        screen.say(note)
    for number, workload in enumerate(workloads, 1):
        latest: tuple[Comparison, ...] = ()
        try:
            with screen.working(f"{found.exercise}, {number} of {len(workloads)}") as stage:
                for comparison in measuring.compare(workload, contenders, stage):
                    latest = (comparison,)
        except KeyboardInterrupt:
            found = replace(found, done=False)
        found = replace(found, comparisons=(*found.comparisons, *latest))
        for comparison in latest:
            _show(comparison, screen)
        if not found.done:
            break
    return found


def _show(comparison: Comparison, screen: Screen) -> None:
    if screen.plain:
        screen.say(f"\n{comparison_text(comparison)}")
    else:
        show(comparison_view(comparison))
