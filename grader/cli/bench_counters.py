"""`grader bench` without a GPU: the counters of submission, reference solution and kernels in Triton."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cusimt.profile.model import Profile
from grader.benchmark.contenders import SOLUTION, SUBMISSION, TRITON
from grader.benchmark.counters import ONE_EACH, PARTIAL, CounterBenchmark, counters_of
from grader.benchmark.sessions import failed, has_triton, left_out
from grader.benchmark.terminal import counters_view, show
from grader.benchmark.words import counters_text
from grader.cli.profile import take_profile
from grader.cli.screen import Screen
from grader.course.catalog import Exercise
from grader.run.zygote_handle import Zygote
from grader.support.errors import SubmissionError


def count_contenders(exercise: Exercise, files: Path, case: str | None, screen: Screen) -> CounterBenchmark:
    """Count one case of each, and show both; after Ctrl-C ``done`` is False, and what is counted is there.

    Raises UsageError for an unknown case, SubmissionError where the submission cannot be profiled.
    """
    profiles: dict[str, Profile] = {}
    notes = left_out(exercise)
    done = True
    with screen.working(exercise.slug) as stage, Zygote.start("simt") as zygote:

        def count(one: Exercise, folder: Path, who: str = "") -> Profile:
            return take_profile(one, folder, case, lambda name: stage(who + name), zygote=zygote)[0]

        try:
            profiles[SUBMISSION] = count(exercise, files)
            if exercise.solution_dir.is_dir():
                profiles[SOLUTION] = count(exercise, exercise.solution_dir, "solution, ")
            if has_triton(exercise):
                try:
                    profiles[TRITON] = count(exercise.in_triton(), exercise.triton_dir, "Triton, ")
                    notes.append(ONE_EACH)
                except SubmissionError as failure:  # the case may be one that these kernels refuse
                    notes.append(failed(failure))
        except KeyboardInterrupt:
            if not profiles:
                raise
            done = False
    found = compared(exercise, profiles, notes, done)
    if screen.plain:
        screen.say(counters_text(found))
    else:
        show(counters_view(found))
    return found


def compared(
    exercise: Exercise, profiles: dict[str, Profile], notes: Sequence[str], done: bool
) -> CounterBenchmark:
    """The profiles, of which the submission's comes first, as one benchmark."""
    own = profiles[SUBMISSION]
    counters = {who: counters_of(profile, with_lines=who == SUBMISSION) for who, profile in profiles.items()}
    if any(stage.is_partial for stages in counters.values() for stage in stages):
        notes = [*notes, PARTIAL]
    return CounterBenchmark(
        exercise.slug, exercise.title, own.device.name, own.call, own.case, counters, tuple(notes), done
    )
