"""`grader bench` without a GPU: the counters of submission and reference solution."""

from __future__ import annotations

from pathlib import Path

from cusimt.profile.model import Profile
from grader.benchmark.contenders import SOLUTION, SUBMISSION
from grader.benchmark.counters import CounterBenchmark, counters_of
from grader.benchmark.terminal import counters_view, show
from grader.benchmark.words import counters_text
from grader.cli.profile import take_profile
from grader.cli.screen import Screen
from grader.course.catalog import Exercise
from grader.run.zygote_handle import Zygote


def count_contenders(exercise: Exercise, files: Path, case: str | None, screen: Screen) -> CounterBenchmark:
    """Count one case of each, and show both; after Ctrl-C ``done`` is False, and what is counted is there.

    Raises UsageError for an unknown case, SubmissionError where the submission cannot be profiled.
    """
    profiles: dict[str, Profile] = {}
    done = True
    with screen.working(exercise.slug) as stage, Zygote.start("simt") as zygote:
        try:
            profiles[SUBMISSION] = take_profile(exercise, files, case, stage, zygote=zygote)[0]
            if exercise.solution_dir.is_dir():
                profiles[SOLUTION] = take_profile(
                    exercise, exercise.solution_dir, case, lambda name: stage(f"solution, {name}"),
                    zygote=zygote,
                )[0]  # fmt: skip
        except KeyboardInterrupt:
            if not profiles:
                raise
            done = False
    found = compared(exercise, profiles, done)
    if screen.plain:
        screen.say(counters_text(found))
    else:
        show(counters_view(found))
    return found


def compared(exercise: Exercise, profiles: dict[str, Profile], done: bool = True) -> CounterBenchmark:
    """The profiles, of which the submission's comes first, as one benchmark."""
    own = profiles[SUBMISSION]
    missing = (
        () if SOLUTION in profiles or not done else ("There is no reference solution here to compare with.",)
    )
    counters = {who: counters_of(profile, with_lines=who == SUBMISSION) for who, profile in profiles.items()}
    return CounterBenchmark(
        exercise.slug, exercise.title, own.device.name, own.call, own.case, counters, missing, done
    )
