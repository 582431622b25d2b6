"""`grader cluster`: a Slurm job array."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.batch import BatchOptions, backend_of, results_of
from grader.cli.options import Course, Only, Submissions, Trust
from grader.course.catalog import Catalog
from grader.instruct.batch import items_of
from grader.instruct.cluster import read_cluster
from grader.instruct.cluster.array import Batch, write_array
from grader.instruct.submissions import read_submissions
from grader.support.backends import Backend
from grader.support.errors import UsageError


def write_job_array(request: BatchOptions, file: Path, chunk: int) -> None:
    """Write the script, and say how to submit it."""
    cluster = read_cluster(file)
    catalog = Catalog.open(request.course)
    submissions = read_submissions(request.submissions, catalog, request.only)
    items = items_of(submissions, catalog, backend_of(request))
    if cluster.gpu is None and any(item.backend == "cuda" for item in items):
        raise UsageError(
            f"{file} has no [gpu] table, and there are submissions to be graded on cuda.",
            "A job that times kernels asks Slurm for one GPU.",
            "Add the table, or grade with --backend simt.",
        )
    options = ["--course", str(catalog.course)]
    options += ["--backend", request.backend] if request.backend else []
    options += ["--trust-submissions"] if request.trust else []
    results = results_of(request)
    script = write_array(
        items, Batch(request.submissions.absolute(), results, tuple(options)), cluster, chunk
    )
    jobs = -(-len(items) // chunk)
    print(f"{len(items)} submissions in {jobs} jobs. Results go to {results}.")
    print(f"Next: sbatch {script}")


# ---- on the command line ----

cluster = typer.Typer(no_args_is_help=True, help="For instructors: grading on more than one machine.")
File = Annotated[Path, typer.Argument(metavar="FILE", help="cluster.toml")]


@cluster.command("array")
def array_command(
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
    from grader.cli.batch import BatchOptions
    from grader.instruct.course import submissions_around

    request = BatchOptions(
        submissions or submissions_around(Path.cwd()),
        results,
        backend=backend,
        only=tuple(only or ()),
        course=course,
        trust=trust,
        cluster=file,
    )
    write_job_array(request, file, chunk)
