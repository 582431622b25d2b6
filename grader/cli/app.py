"""The commands and their options. What they do lies in the modules they import when called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from grader.cli.cluster_commands import cluster
from grader.cli.export_commands import export, gradescope
from grader.cli.marks_commands import course as course_commands
from grader.cli.marks_commands import marks, similarity
from grader.cli.nbgrader_commands import nbgrader
from grader.cli.notebook_commands import import_verdict, notebook
from grader.cli.options import Backend, Course, Name, Only, Plain, Submissions, Trust
from grader.cli.workspace_commands import workspace

app = typer.Typer(
    name="grader",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Grades CUDA kernels and their gradients in PyTorch, with a GPU or without one.",
)
dev = typer.Typer(no_args_is_help=True, help="For authors of exercises.")
app.add_typer(dev, name="dev")
app.add_typer(workspace, name="workspace")
app.add_typer(nbgrader, name="nbgrader")
app.add_typer(course_commands, name="course")
app.add_typer(marks, name="marks")
app.add_typer(cluster, name="cluster")
app.add_typer(export, name="export")


Origin = Literal["exercises", "solutions"]
Kind = Literal["write", "fix", "predict", "test"]
From = Annotated[Origin, typer.Option("--from", help="Grade your files, or the reference solutions.")]
On = Annotated[
    Backend | None,
    typer.Option(help="Where kernels run: simt on the CPU, cuda on a GPU. Default: cuda where there is one."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the verdict as JSON; several as a list.")]
Verbose = Annotated[bool, typer.Option("--verbose", help="Show all that the compiler and your code printed.")]
Isolate = Annotated[bool, typer.Option("--isolate", help="Run the code in a sandbox (needs bubblewrap).")]


@app.command(name="list")
def list_(course: Course = None) -> None:
    """Lists the exercises and how far you are."""
    from grader.cli.listing import list_exercises

    list_exercises(course)


@app.command()
def check(
    exercises: Annotated[
        list[str] | None, typer.Argument(metavar="EXERCISE...", help="Numbers, slugs or paths, as 03.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Check every exercise.")] = False,
    origin: From = "exercises",
    files: Annotated[
        Path | None, typer.Option("--files", metavar="DIR", help="Grade the files in DIR in place of yours.")
    ] = None,
    course: Course = None,
    backend: On = None,
    seed: Annotated[int | None, typer.Option(help="Draw the inputs from this seed.")] = None,
    plain: Plain = False,
    json: Json = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the verdict to FILE as a page.")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write the verdict to FILE as JUnit XML.")
    ] = None,
    verbose: Verbose = False,
    isolate: Isolate = False,
) -> None:
    """Builds, runs and judges your files. Exit code 0: passed, 1: not passed, 2: usage, 3: this machine."""
    from grader.cli.checking import Request, check_exercises

    request = Request(
        names=tuple(exercises or ()),
        everything=all_,
        solutions=origin == "solutions",
        files=files,
        course=course,
        backend=backend,
        seed=seed,
        plain=plain,
        json=json,
        html=html,
        junit=junit,
        verbose=verbose,
        isolate=isolate,
    )
    raise typer.Exit(check_exercises(request))


@app.command()
def watch(
    exercise: Name,
    course: Course = None,
    backend: On = None,
    plain: Plain = False,
    verbose: Verbose = False,
) -> None:
    """Checks your files now, and again whenever you save one. Ctrl-C ends it."""
    from grader.cli.watching import watch_exercise

    raise typer.Exit(watch_exercise(exercise, course, backend, plain, verbose))


@app.command()
def batch(
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
    from grader.cli.batch import Request, grade_batch
    from grader.instruct.course import submissions_around

    request = Request(
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


@app.command()
def replay(
    verdict: Annotated[
        str, typer.Argument(help="A file that `grader check --json` wrote, or an exercise: its last verdict.")
    ],
    origin: From = "exercises",
    course: Course = None,
    plain: Plain = False,
    verbose: Verbose = False,
) -> None:
    """Grades again with the seed and backend of a stored verdict, and says what came out differently."""
    from grader.cli.checking import Request
    from grader.cli.replaying import replay_verdict

    request = Request(solutions=origin == "solutions", course=course, plain=plain, verbose=verbose)
    raise typer.Exit(replay_verdict(verdict, request))


@app.command()
def profile(
    exercise: Name,
    origin: Annotated[
        Origin, typer.Option("--from", help="Profile your files, or the reference solutions.")
    ] = "exercises",
    case: Annotated[
        str | None, typer.Option("--case", metavar="NAME", help="Run this case of the exercise's spec.")
    ] = None,
    course: Course = None,
    backend: Annotated[
        Backend | None, typer.Option(help="Profiles are taken on simt, also where there is a GPU.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with pictures to FILE.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
    plain: Plain = False,
) -> None:
    """Counts what each source line does to memory: sectors, bank conflicts, idle lanes. Needs no GPU."""
    from grader.cli.profiling import Request, profile_exercise

    request = Request(exercise, origin == "solutions", course, case, backend, html, json, plain)
    raise typer.Exit(profile_exercise(request))


@app.command()
def hint(
    exercise: Name,
    section: Annotated[
        str | None, typer.Argument(help="The TODO to get a hint for; default: the first open one.")
    ] = None,
    course: Course = None,
) -> None:
    """Shows one more hint: where to look, then the idea, then the shape. Never the answer."""
    from grader.cli.hints import show_hint

    show_hint(exercise, section, course)


@app.command()
def reset(
    exercise: Name,
    given: Annotated[
        bool, typer.Option("--given", help="Only the files that are given, not those with a TODO.")
    ] = False,
    course: Course = None,
) -> None:
    """Puts the stub back. Your files are kept in .cu2grad/backups."""
    from grader.cli.resetting import reset_exercise

    reset_exercise(exercise, course, given)


@app.command()
def doctor() -> None:
    """Says what this machine has and lacks, with the exact fix for each line."""
    from grader.cli.doctor import examine

    raise typer.Exit(examine())


@app.command()
def editor(course: Course = None) -> None:
    """Writes compile_commands.json, so that clangd in your editor understands the sources."""
    from grader.cli.editor import write_editor_files

    raise typer.Exit(write_editor_files(course))


@app.command()
def demo(course: Course = None, backend: On = None, plain: Plain = False) -> None:
    """Grades every reference solution, then three wrong kernels whose answers are right."""
    from grader.cli.demo import run_demo

    raise typer.Exit(run_demo(course, backend, plain))


@app.command()
def new(
    slug: Annotated[str, typer.Argument(metavar="NN_SLUG", help="Two digits and a name, as 08_half_types.")],
    kind: Annotated[Kind, typer.Option(help="What the learner does with it.")] = "write",
    title: Annotated[str, typer.Option(help="Default: the slug in words.")] = "",
    course: Course = None,
) -> None:
    """Writes an exercise that works, to begin from. For authors."""
    from grader.cli.authoring import new_exercise

    raise typer.Exit(new_exercise(slug, kind, title, course))


@dev.command(name="check")
def dev_check(
    exercises: Annotated[
        list[str] | None, typer.Argument(metavar="EXERCISE...", help="Default: every exercise.")
    ] = None,
    grade: Annotated[
        bool, typer.Option("--grade", help="Also grade the solution, the stub and every mistake.")
    ] = False,
    course: Course = None,
    backend: On = None,
) -> None:
    """Says what is missing or has drifted in an exercise. Exit code 1 if anything is."""
    from grader.cli.authoring import check_exercises

    raise typer.Exit(check_exercises(exercises or (), grade, course, backend))


@dev.command()
def sync(
    check: Annotated[bool, typer.Option("--check", help="Change nothing; fail if anything differs.")] = False,
    course: Course = None,
) -> None:
    """Regenerates the stubs from the solutions."""
    from grader.cli.authoring import sync_stubs

    raise typer.Exit(sync_stubs(check, course))


app.command()(notebook)
app.command()(import_verdict)
app.command()(similarity)
app.command()(gradescope)
