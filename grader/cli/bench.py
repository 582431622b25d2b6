"""`grader bench`: a submission beside the reference solution, PyTorch, and what the device can do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.cli.grading import files_of
from grader.cli.options import Course, Name, On, Origin, Plain
from grader.cli.overview import command
from grader.cli.screen import Screen
from grader.compilation.devices import detect_backend
from grader.course.catalog import Catalog, Exercise
from grader.course.snapshot import taken
from grader.report.files import require_folder, write_report
from grader.support.backends import Backend
from grader.support.errors import UsageError

if TYPE_CHECKING:
    from grader.benchmark.counters import CounterBenchmark
    from grader.benchmark.rows import Benchmark

INTERRUPTED = 130  # what a shell expects of a program that Ctrl-C ended


@dataclass(frozen=True)
class BenchOptions:
    """What the command line asked for. Without sizes and dtypes the exercise decides."""

    name: str
    sizes: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    case: str | None = None
    solutions: bool = False
    course: Path | None = None
    backend: Backend | None = None
    plot: Path | None = None
    json: Path | None = None
    plain: bool = False


def bench_exercise(request: BenchOptions) -> int:
    """Measure, print each part when it is done, write the files. Returns 0, and 130 after Ctrl-C."""
    exercise = Catalog.open(request.course).find(request.name)
    backend = request.backend or detect_backend()
    _require_options_of(backend, request, command("bench", exercise))
    if request.json is not None:
        require_folder(request.json)
    if request.plot is not None:
        from grader.benchmark.plot import require

        require(request.plot)
    files = files_of(exercise, request.solutions, "bench")
    screen = Screen(plain=request.plain)
    with taken(exercise, files) as copy:
        found = _measured(exercise, copy, backend, request, screen)
    _write(found, request, screen)
    return 0 if found.done else INTERRUPTED


def _measured(
    exercise: Exercise, files: Path, backend: Backend, request: BenchOptions, screen: Screen
) -> Benchmark | CounterBenchmark:
    if backend == "cuda":
        from grader.cli.bench_times import time_contenders

        return time_contenders(exercise, files, request.sizes, request.dtypes, screen)
    from grader.cli.bench_counters import count_contenders

    return count_contenders(exercise, files, request.case, screen)


def _require_options_of(backend: Backend, request: BenchOptions, again: str) -> None:
    """Sizes and dtypes are those of timed calls; a case is counted."""
    if backend == "cuda" and request.case is not None:
        raise UsageError(
            "--case was given, and this benchmark runs on a GPU.",
            "The simulated GPU counts a case; a real one times the call that SPEED of spec.py names.",
            f"Run: {again} --backend simt --case NAME, or without a case: {again}",
        )
    if backend == "simt" and (request.sizes or request.dtypes):
        raise UsageError(
            "--size and --dtype are for times, which only a GPU gives.",
            "The simulated GPU counts one case of the exercise, in the sizes and dtype of that case.",
            f"Run: {again}; on a machine with a GPU also: {again} --size 1/4",
        )


def _write(found: Benchmark | CounterBenchmark, request: BenchOptions, screen: Screen) -> None:
    if request.json is not None:
        from grader.benchmark.document import to_json

        write_report(request.json, to_json(found))
        screen.say(f"Written to {request.json}")
    if request.plot is not None:
        from grader.benchmark.plot import draw, panels_of

        if panels_of(found):
            draw(found, request.plot)
            screen.say(f"Drawn in {request.plot}")
        else:
            screen.say(f"There is nothing to draw in {request.plot}.")


def bench_command(
    exercise: Name,
    origin: Annotated[
        Origin, typer.Option("--from", help="Benchmark your files, or the reference solutions.")
    ] = "exercises",
    size: Annotated[
        list[str] | None,
        typer.Option("--size", metavar="FACTOR", help="Of the timed size, as 1/4 or 2; repeatable. cuda."),
    ] = None,
    dtype: Annotated[
        list[str] | None,
        typer.Option("--dtype", metavar="NAME", help="A dtype of the exercise's cases; repeatable. cuda."),
    ] = None,
    case: Annotated[
        str | None, typer.Option("--case", metavar="NAME", help="Count this case of the spec. simt.")
    ] = None,
    course: Course = None,
    backend: On = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw it in FILE, an .svg or .png.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all numbers to FILE as JSON.")
    ] = None,
    plain: Plain = False,
) -> None:
    """Times your kernel beside the solution, PyTorch, torch.compile and the device's own limit.

    Without a GPU, it compares the memory traffic of your kernel and the solution. Ctrl-C keeps what is
    finished.
    """
    request = BenchOptions(
        exercise, tuple(size or ()), tuple(dtype or ()), case, origin == "solutions", course, backend, plot,
        json, plain,
    )  # fmt: skip
    raise typer.Exit(bench_exercise(request))
