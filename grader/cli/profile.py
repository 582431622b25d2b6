"""`grader profile`: count and explain the memory traffic of each source line of a kernel."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.cli.grading import files_of
from grader.cli.options import Course, Name, Origin, Plain
from grader.cli.overview import command
from grader.cli.screen import Screen
from grader.course.catalog import Catalog, Exercise
from grader.report.files import require_folder
from grader.support.backends import Backend
from grader.support.errors import UsageError

if TYPE_CHECKING:
    from cusimt.profile.model import Memory, Profile, Stage
    from grader.checks import Progress
    from grader.run.session import Session
    from grader.run.values import Reply
    from grader.run.zygote_handle import Zygote
    from grader.specification import Spec


SEED = 0  # the same inputs every time: two profiles differ because the kernel does


@dataclass(frozen=True)
class ProfileOptions:
    """What the command line asked for."""

    name: str
    solutions: bool = False
    course: Path | None = None
    case: str | None = None
    backend: Backend | None = None
    html: Path | None = None
    json: bool = False
    plain: bool = False


def profile_exercise(request: ProfileOptions) -> int:
    """Build, run once, print. Returns 0; raises ExplainedError for all that stands in the way."""
    _require_simt(request)
    if request.html is not None:
        require_folder(request.html, "profile")
    exercise = Catalog.open(request.course).find(request.name)
    files = files_of(exercise, request.solutions, "profile")
    screen = Screen(plain=request.plain, quiet=request.json)
    with screen.working(exercise.slug) as stage:
        profile, findings = take_profile(exercise, files, request.case, stage)
    if request.html is not None:
        from cusimt.profile.page import page
        from cusimt.support.renderings import write_rendering

        write_rendering(request.html, page(profile), "profile")
    _show(profile, request, screen)
    if findings:
        screen.say(f"\nThe access checks found something in this call. Run: {command('check', exercise)}")
    if request.html is not None:
        screen.say(f"\nWritten to {request.html}")
    return 0


def _require_simt(request: ProfileOptions) -> None:
    if (request.backend or os.environ.get("CU2GRAD_BACKEND")) == "cuda":
        raise UsageError(
            "Profiles are taken on the simt backend, not on cuda.",
            "A simulated GPU sees every access of every lane; a real one has counters of its own.",
            f"Run: grader profile {request.name} --backend simt. On the GPU, Nsight Compute is the tool: "
            "ncu --set full python train.py",
        )


def _show(profile: Profile, request: ProfileOptions, screen: Screen) -> None:
    if request.json:
        from cusimt.profile.document import to_json

        print(to_json(profile))
    elif screen.plain:
        from cusimt.profile.plain_text import profile_text

        screen.say(profile_text(profile))
    else:
        from cusimt.profile.terminal import show_profile

        show_profile(profile)


def take_profile(
    exercise: Exercise, files: Path, case: str | None = None, progress: Progress = lambda stage: None,
    *, zygote: Zygote | None = None,
) -> tuple[Profile, bool]:  # fmt: skip
    """The profile of the submission in `files`, and whether the access checks found something meanwhile.

    `zygote`, which must be of simt, serves several profiles; it is cleared afterwards, not closed.
    """
    from cusimt.profile.model import Profile
    from cusimt.profile.occupancy import simulated_device

    with _loaded(exercise, files, progress, zygote) as (session, spec):
        from grader.checks.device.counted_case import choose, part_with, run_counted, tensor_names

        spec = part_with(spec, case)
        chosen = choose(spec, exercise, case)
        progress("counting")
        counted = run_counted(session, spec, exercise, chosen, SEED)
    progress("resources")
    names = tensor_names(counted.forward)
    stages = [_stage("forward", counted.forward, exercise, names, counted.traffic)]
    if counted.backward is not None:
        names = {**names, **tensor_names(counted.backward, backward=True)}  # forward's are still alive
        stages.append(_stage("backward", counted.backward, exercise, names))
    findings = any(reply.trace.findings for reply in (counted.forward, counted.backward) if reply)
    return Profile(exercise.slug, simulated_device(), tuple(stages), counted.call, chosen.name), findings


@contextmanager
def _loaded(
    exercise: Exercise, files: Path, progress: Progress, lent: Zygote | None
) -> Iterator[tuple[Session, Spec]]:
    """The submission, built and loaded into a worker, and the exercise's spec."""
    from grader.checks import lanes
    from grader.checks.loaded import Refusal, loaded, require_begun
    from grader.checks.values.sizes import with_sizes
    from grader.run.zygote_handle import Zygote
    from grader.specification import load_spec

    refusal = Refusal("Only what builds can be counted.", command("check", exercise))
    require_begun(exercise, files, refusal)
    with (
        lanes.cleared(lent) if lent is not None else Zygote.start("simt") as zygote,
        loaded(exercise, files, "simt", zygote, refusal, progress) as session,
    ):
        yield session, with_sizes(load_spec(exercise), exercise.slug, SEED)


def _stage(
    name: str, reply: Reply, exercise: Exercise, names: Mapping[int, Memory], traffic: int | None = None
) -> Stage:
    from cusimt.counters import symbolise
    from cusimt.profile.launch_profiles import launched
    from cusimt.profile.model import Stage
    from cusimt.profile.occupancy import simulated_device

    trace = reply.trace
    return Stage(
        name, launched(symbolise(trace.counts), simulated_device(), names), names, traffic,
        trace.launches_total, trace.allocations, trace.host_syncs, trace.copies, exercise.copies,
    )  # fmt: skip


def profile_command(
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
    request = ProfileOptions(exercise, origin == "solutions", course, case, backend, html, json, plain)
    raise typer.Exit(profile_exercise(request))
