"""`grader batch`: grade a folder of submissions, resume after a stop, and summarise."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from cusimt.support.processors import processors
from grader.cli.batch_screen import BatchScreen
from grader.cli.batch_summary import print_summary
from grader.cli.options import Course, Only, Plain, Submissions, Trust
from grader.course.catalog import Catalog, Exercise
from grader.instruct.batch import (
    Item,
    ItemOutcome,
    LaneSettings,
    LocalSettings,
    Workforce,
    everybody,
    grade_here,
    items_of,
    run_batch,
    summarise,
)
from grader.instruct.cluster import Cluster, Terms, grade_on, items_on, read_cluster
from grader.instruct.course import class_of, read_people, remember
from grader.instruct.results import ResultStore
from grader.instruct.similarity import Comparison, look_alikes_of_class
from grader.instruct.submissions import Submission, read_submissions
from grader.run import sandbox
from grader.support.backends import Backend
from grader.support.errors import InfrastructureError, UsageError
from grader.support.gpus import visible_gpus

_LANES_PER_GPU = 4  # while one has the GPU, the others compile: nvcc takes longer than what is run
NOT_ALL_JUDGED = 3


@dataclass(frozen=True)
class BatchOptions:
    """What the command line asked for; without ``results`` and ``backend``, those of the class."""

    submissions: Path
    results: Path | None = None
    jobs: int | None = None
    backend: Backend | None = None
    only: tuple[str, ...] = ()
    regrade: bool = False
    course: Path | None = None
    trust: bool = False
    plain: bool = False
    cluster: Path | None = None


def grade_batch(request: BatchOptions) -> int:
    """Grades what has no record yet, then prints the summary of everything that was asked for.

    Returns 0, or 3 where something could not be judged; a student's failure is none of the batch.
    """
    cluster = read_cluster(request.cluster) if request.cluster else None
    if not request.trust and cluster is None:  # a machine of a cluster finds out for itself
        require_sandbox()
    compare, accepts = _comparison(request)  # report a broken table before hours of grading
    catalog = Catalog.open(request.course)
    submissions = read_submissions(request.submissions, catalog, request.only)
    store = ResultStore(results_of(request))
    remember(store, submissions, catalog)
    items = items_of(submissions, catalog, backend_of(request))
    if cluster is not None:
        items = items_on(items, cluster)
    workforce, lanes = _workforce(request, store, items, cluster, catalog)
    screen = BatchScreen(lanes, plain=request.plain)
    with screen:
        outcome = run_batch(items, store, workforce, screen, regrade=request.regrade)
    screen.close(outcome)
    print_summary(summarise(items, outcome, accepts), compare(submissions, catalog), plain=request.plain)
    print(f"\nThe records are in {store.folder}. {_next_step(outcome)}")
    return NOT_ALL_JUDGED if outcome.failed else 0


def _comparison(
    request: BatchOptions,
) -> tuple[Callable[[Sequence[Submission], Catalog], list[Comparison]], Callable[[str], bool]]:
    """What finds look-alikes, with the groups and past terms of the class's course.toml; and its roster."""
    course = class_of(request.submissions).course
    if course is None:
        return look_alikes_of_class, everybody
    people = read_people(course)
    return partial(look_alikes_of_class, past=course.past, together=people.in_one_group), people.accepts


def _next_step(outcome: ItemOutcome) -> str:
    if outcome.failed:
        return "What was not judged is tried again by the same command. Next: grader doctor"
    return "Next: grader marks"


def require_sandbox() -> None:
    """Raise UsageError where bubblewrap is missing, or where this machine does not let it work."""
    rule = "A batch runs native code of other people, and without a sandbox it would run with your rights."
    trusted = "if you trust every submission, add --trust-submissions."
    if shutil.which("bwrap") is None:
        raise UsageError(
            "grader batch needs bubblewrap, and there is no `bwrap` on PATH.",
            rule,
            f"Install it with `apt install bubblewrap`; or, {trusted}",
        )
    if why := sandbox.why_unusable():
        raise UsageError(
            f"grader batch needs bubblewrap, and it does not work here: {why}",
            rule,
            "Let this user make user namespaces (in a container, its seccomp profile decides); or, "
            + trusted,
        )


def results_of(request: BatchOptions) -> Path:
    """The folder of results, which must not be read as a student's."""
    results = (request.results or class_of(request.submissions).results).absolute()
    if results.resolve().is_relative_to(request.submissions.resolve()):
        raise UsageError(
            f"{results} is inside {request.submissions}.",
            "Every folder there is a student's.",
            "Choose another one with --results DIR.",
        )
    return results


def backend_of(request: BatchOptions) -> Callable[[Exercise], Backend]:
    """What --backend says; else what the class has."""
    home = class_of(request.submissions)
    return lambda exercise: request.backend or home.backend_of(exercise.slug)


def _workforce(
    request: BatchOptions,
    store: ResultStore,
    items: Sequence[Item],
    cluster: Cluster | None,
    catalog: Catalog,
) -> tuple[Workforce, int]:
    """Who grades, and how many at a time."""
    if cluster is None:
        settings = local_settings(request, store, items)
        return lambda left: grade_here(left, settings), settings.jobs
    device = cluster.gpu.model if cluster.gpu else ""
    terms = Terms(catalog.course, store.folder.resolve(), not request.trust, request.regrade, device)
    return lambda left: grade_on(left, cluster, terms), cluster.lanes


def local_settings(request: BatchOptions, store: ResultStore, items: Sequence[Item]) -> LocalSettings:
    """As many lanes as processors, but with GPUs no more than they can keep busy."""
    exercises = {item.exercise.slug: item.exercise for item in items}
    gpus: tuple[str, ...] = ()
    lanes = processors()
    if any(item.backend == "cuda" for item in items):
        visible = visible_gpus()
        # One model for the whole class: a speed says something beside others of the same model.
        gpus = tuple(gpu.uuid for gpu in visible if gpu.name == visible[0].name)
        if not gpus:
            raise InfrastructureError(
                "No GPU was found, and something is to be graded on cuda.",
                "The backend of record is what --backend or course.toml says.",
                "Run grader doctor, or grade on simt: --backend simt",
            )
        lanes = max(len(gpus), min(lanes, _LANES_PER_GPU * len(gpus)))
    lane = LaneSettings(store.folder, tuple(exercises.values()), not request.trust, regrade=request.regrade)
    return LocalSettings(lane, request.jobs or lanes, gpus)


def batch_command(
    submissions: Submissions = None,
    results: Annotated[
        Path | None, typer.Option("--results", metavar="DIR", help="Default: results of the class.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="How many at once. Default: as the machine can.")
    ] = None,
    backend: Annotated[
        Backend | None,
        typer.Option(help="Default: what the class's course.toml says; without one, simt."),
    ] = None,
    only: Only = None,
    regrade: Annotated[
        bool, typer.Option("--regrade", help="Also what is graded: with the same seed, and the old is kept.")
    ] = False,
    course: Course = None,
    trust: Trust = False,
    cluster_file: Annotated[
        Path | None, typer.Option("--cluster", metavar="FILE", help="Grade on the machines that FILE names.")
    ] = None,
    plain: Plain = False,
) -> None:
    """Grades a folder of submissions, for instructors. Run it again after a stop: it goes on where it was."""
    from grader.instruct.course import submissions_around

    request = BatchOptions(
        submissions=submissions or submissions_around(Path.cwd()),
        results=results,
        jobs=jobs,
        backend=backend,
        only=tuple(only or ()),
        regrade=regrade,
        course=course,
        trust=trust,
        plain=plain,
        cluster=cluster_file,
    )
    raise typer.Exit(grade_batch(request))
