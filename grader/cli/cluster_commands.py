"""`grader cluster`: the options. What is done lies in the module that they import when called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Course, Only, Submissions, Trust
from grader.support.backends import Backend

cluster = typer.Typer(no_args_is_help=True, help="For instructors: grading on more than one machine.")

File = Annotated[Path, typer.Argument(metavar="FILE", help="cluster.toml")]


@cluster.command()
def array(
    file: File,
    submissions: Submissions = None,
    results: Annotated[
        Path | None, typer.Option("--results", metavar="DIR", help="Default: results beside SUBMISSIONS.")
    ] = None,
    backend: Annotated[Backend | None, typer.Option(help="As for grader batch.")] = None,
    only: Only = None,
    chunk: Annotated[int, typer.Option("--chunk", min=1, help="Submissions in each job.")] = 50,
    course: Course = None,
    trust: Trust = False,
) -> None:
    """Writes a Slurm job array that grades SUBMISSIONS. It needs no Parsl."""
    from grader.cli.batch import Request
    from grader.cli.cluster import write_job_array
    from grader.instruct.course import submissions_around

    request = Request(
        submissions or submissions_around(Path.cwd()),
        results,
        backend=backend,
        only=tuple(only or ()),
        course=course,
        trust=trust,
        cluster=file,
    )
    write_job_array(request, file, chunk)


@cluster.command()
def pods(file: File) -> None:
    """Prints a pod of each kind of block, to be read, or tried: kubectl apply --dry-run=server -f -"""
    from grader.cli.cluster import print_pods

    print_pods(file)


@cluster.command()
def rights(file: File) -> None:
    """Prints the service account of the driver and what it may do, for kubectl apply -f -"""
    from grader.cli.cluster import print_rights

    print_rights(file)


@cluster.command()
def size(
    students: Annotated[int, typer.Option("--students", min=1)],
    exercises: Annotated[int, typer.Option("--exercises", min=1)],
    core_seconds: Annotated[
        float, typer.Option("--core-seconds", min=0, help="Of a core for one submission.")
    ] = 0.0,
    gpu_seconds: Annotated[
        float, typer.Option("--gpu-seconds", min=0, help="Of a GPU for one submission; 0 on simt.")
    ] = 0.0,
    measured: Annotated[
        Path | None, typer.Option("--results", metavar="DIR", help="Take both from what was graded in DIR.")
    ] = None,
    cores: Annotated[int, typer.Option("--cores", min=1)] = 8,
    gpus: Annotated[int, typer.Option("--gpus", min=0)] = 1,
    hours: Annotated[
        float | None, typer.Option("--hours", min=0, help="Ask the other way round: what is done by then?")
    ] = None,
) -> None:
    """Says how long a class takes to grade, or what it takes to grade it within --hours."""
    from grader.cli.cluster import Question, say_size

    say_size(Question(students * exercises, core_seconds, gpu_seconds, measured, cores, gpus, hours))
