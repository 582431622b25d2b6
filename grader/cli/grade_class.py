"""`grader class grade`: grade what was handed in, resume after a stop, and summarise."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from cusimt.support.processors import processors
from grader.cli.grading_screen import BatchScreen, print_summary
from grader.cli.term import MarksOptions, open_term
from grader.instruct.batch import (
    Item,
    LaneSettings,
    LocalSettings,
    grade_here,
    items_of,
    run_batch,
    summarise,
)
from grader.instruct.course import read_people, remember
from grader.instruct.results import ResultStore
from grader.instruct.submissions import Submission, read_submissions
from grader.run import sandbox
from grader.support.errors import InfrastructureError, UsageError
from grader.support.gpus import visible_gpus

_LANES_PER_GPU = 4  # while one has the GPU, the others compile: nvcc takes longer than what is run
NOT_ALL_JUDGED = 3


@dataclass(frozen=True)
class GradeOptions:
    """How to grade; ``share`` is ``K/N``, one of several jobs that divide the class between them."""

    jobs: int | None = None
    regrade: bool = False
    trust: bool = False
    share: str = ""


def grade_class(request: MarksOptions, how: GradeOptions) -> int:
    """Grades what has no record yet, then prints the summary of everything that was asked for.

    Returns 0, or 3 where something could not be judged; a student's failure is none of the batch.
    """
    term = open_term(request)
    people = read_people(term.course)  # report a broken table before hours of grading
    if not how.trust:
        require_sandbox()
    submissions = [
        each
        for each in read_submissions(
            term.course.submissions,
            term.catalog,
            exercises=[term.slug(name) for name in request.names],
            students=request.students,
        )
        if _in_share(each, how.share)
    ]
    store = ResultStore(term.course.results)
    remember(store, submissions, term.catalog)
    items = items_of(submissions, term.catalog, lambda exercise: term.course.backend_of(exercise.slug))
    settings = local_settings(how, store, items)
    screen = BatchScreen(plain=request.plain)
    with screen:
        workforce = partial(grade_here, settings=settings)
        outcome = run_batch(items, store, workforce, screen, regrade=how.regrade)
    screen.close(outcome)
    print_summary(summarise(items, outcome, people.accepts))
    print(f"\nThe records are in {store.folder}. {_next_step(bool(outcome.failed))}")
    return NOT_ALL_JUDGED if outcome.failed else 0


def _in_share(submission: Submission, share: str) -> bool:
    """Whether it belongs to share K of N: by its name, so that no later hand-in moves it to another job."""
    if not share:
        return True
    number, _, of = share.partition("/")
    if not (number.isdigit() and of.isdigit() and int(number) < int(of)):
        raise UsageError(
            f"--share is {share!r}.",
            "Of N jobs, the first has the share 0/N and the last the share N-1/N.",
            "Write it as --share $SLURM_ARRAY_TASK_ID/8",
        )
    name = f"{submission.exercise}/{submission.student}".encode()
    return int(hashlib.sha256(name).hexdigest(), 16) % int(of) == int(number)


def _next_step(failed: bool) -> str:
    if failed:
        return "What was not judged is tried again by the same command. Next: grader doctor"
    return "Next: grader class marks, then grader class feedback"


def require_sandbox() -> None:
    """Raise UsageError where bubblewrap is missing, or where this machine does not let it work."""
    rule = "Grading runs native code of other people, and without a sandbox it would run with your rights."
    trusted = "if you trust every submission, add --trust-submissions."
    if shutil.which("bwrap") is None:
        raise UsageError(
            "Grading needs bubblewrap, and there is no `bwrap` on PATH.",
            rule,
            f"Install it with `apt install bubblewrap`; or, {trusted}",
        )
    if why := sandbox.why_unusable():
        raise UsageError(
            f"Grading needs bubblewrap, and it does not work here: {why}",
            rule,
            "Let this user make user namespaces (in a container, its seccomp profile decides); or, "
            + trusted,
        )


def local_settings(how: GradeOptions, store: ResultStore, items: Sequence[Item]) -> LocalSettings:
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
                "The backend of record is what course.toml says.",
                "Run grader doctor, or set in course.toml: backend = 'simt'",
            )
        lanes = max(len(gpus), min(lanes, _LANES_PER_GPU * len(gpus)))
    lane = LaneSettings(store.folder, tuple(exercises.values()), not how.trust, regrade=how.regrade)
    return LocalSettings(lane, how.jobs or lanes, gpus)
