"""`grader cluster`: a Slurm job array, Kubernetes documents, and the size of a cluster."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from cusimt.support.words import counted
from grader.cli.batch import BatchOptions, backend_of, results_of
from grader.cli.options import Course, Only, Submissions, Trust
from grader.course.catalog import Catalog
from grader.instruct.batch import items_of
from grader.instruct.cluster import Cluster, read_cluster
from grader.instruct.cluster.array import Batch, write_array
from grader.instruct.cluster.pods import Document, rights, worker_pod
from grader.instruct.cluster.sizing import Costs, Fleet, Size, costs_in, fleet_for, hours_with
from grader.instruct.results import ResultStore
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


def print_pods(file: Path) -> None:
    """A pod of each kind of block."""
    cluster = _for_kubernetes(file)
    script = "sleep infinity  # here Parsl starts the workers"
    documents = [worker_pod(cluster, cluster.cpu, False, "cu2grad-cpu", script)]
    if cluster.gpu is not None:
        documents.append(worker_pod(cluster, cluster.gpu, True, "cu2grad-gpu", script))
    _print_list(documents)


def print_rights(file: Path) -> None:
    """What the driver needs before it is started."""
    _print_list(rights(_for_kubernetes(file)))


def _for_kubernetes(file: Path) -> Cluster:
    cluster = read_cluster(file)
    if cluster.kind != "kubernetes":
        raise UsageError(
            f"{file} is for kind {cluster.kind!r}.",
            "Only Kubernetes starts pods.",
            'Set kind = "kubernetes" and add a [kubernetes] table.',
        )
    return cluster


def _print_list(documents: list[Document]) -> None:
    print(json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}, indent=2))


@dataclass(frozen=True)
class Question:
    """What `grader cluster size` was asked. ``hours`` turns it round; ``measured`` is a results folder."""

    submissions: int
    core_seconds: float
    gpu_seconds: float
    measured: Path | None
    cores: int
    gpus: int
    hours: float | None


def say_size(question: Question) -> None:
    """Print the answer in a sentence or two."""
    costs = _costs(question)
    print(
        f"{question.submissions} submissions, {costs.core_seconds:.1f} s of a core"
        + (f" and {costs.gpu_seconds:.1f} s of a GPU" if costs.gpu_seconds else "")
        + " each:"
    )
    fleet = Fleet(question.cores, question.gpus)
    if question.hours is not None:
        wanted = fleet_for(question.hours, question.submissions, costs)
        if wanted is None:
            print(f"Nothing grades them within {question.hours:g} hours: the first one alone takes longer,")
            print("or to send them all does.")
            return
        fleet = wanted
    print(_sentence(fleet, hours_with(fleet, question.submissions, costs)))


def _costs(question: Question) -> Costs:
    costs = Costs(question.core_seconds, question.gpu_seconds)
    if question.measured is not None:
        costs = costs_in(ResultStore(question.measured).all())
    if not costs.core_seconds:
        raise UsageError(
            "It is not known what one submission costs.",
            "Hours follow from seconds of a core, and of a GPU where something is timed.",
            "Name --core-seconds and --gpu-seconds, or --results DIR of what is graded already.",
        )
    if costs.gpu_seconds and not question.gpus and question.hours is None:
        raise UsageError(
            "There are seconds of a GPU to be spent, and --gpus is 0.",
            "What is timed needs one GPU at least.",
            "Name --gpus, or ask with --hours how many it takes.",
        )
    return costs


def _sentence(fleet: Fleet, size: Size) -> str:
    machines = counted(fleet.cores, "core")
    machines += f" and {counted(fleet.gpus, 'GPU')}" if size.gpu_hours else ""
    paid = f"{size.core_hours:.1f} hours of a core"
    paid += f" and {size.gpu_hours:.1f} of a GPU" if size.gpu_hours else ""
    return f"{machines}: {size.hours:.1f} hours, held up by the {size.bottleneck}. Used: {paid}."


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


@cluster.command("pods")
def pods_command(file: File) -> None:
    """Prints a pod of each kind of block, to be read, or tried: kubectl apply --dry-run=server -f -"""
    print_pods(file)


@cluster.command("rights")
def rights_command(file: File) -> None:
    """Prints the service account of the driver and what it may do, for kubectl apply -f -"""
    print_rights(file)


@cluster.command("size")
def size_command(
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
    say_size(Question(students * exercises, core_seconds, gpu_seconds, measured, cores, gpus, hours))
