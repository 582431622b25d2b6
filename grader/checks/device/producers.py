"""Which code produced a call's results, where it was not the learner's kernels; those results earn
nothing in any check.

Every check that gives points for right answers asks here about its own calls before it says that they are
right, so that no point is given and taken back. Whatever else a call did, such as waiting for the device, is
held against it by `device_work` alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from cusimt.support.words import counted, listed
from grader.checks.bench import Bench, Call
from grader.checks.device.device_work import judgements
from grader.checks.outcome import Outcome
from grader.verdict import Status

VALUES, GRADIENTS = "The values are right, but", "The gradients are right, but"
RECORDED = "The values are right, but with an input that requires grad,"
_NAMED = 3  # cases
_TOPICS = (
    "no_kernel",
    "library",
    "host",
    "copy",
    "memset",
    "copies",
    "mapped",
    "threads",
)  # of judgements that say who made results


def not_own(bench: Bench, call: Call) -> Outcome | None:
    """What shows that others made what `call` returned; its ``not_own`` says who."""
    return next((each for each in judgements(bench, call) if each.not_own), None)


def not_earned(bench: Bench, calls: Sequence[Call], right: str) -> Outcome | None:
    """Why right answers earn nothing: others than the learner's kernels made some of the results of `calls`.

    One such result is enough, as one wrong answer is. ``right`` begins the sentence. An exercise without
    points for device work leaves open who does it.
    """
    if "device_work" not in bench.exercise.scores:
        return None
    judged = [call for call in calls if call.traced and call.has_result and call.stage != "refusal"]
    found = {number: told for number, call in enumerate(judged) if (told := not_own(bench, call))}
    if not found:
        return None
    first = next(iter(found.values()))
    cases = list(dict.fromkeys(judged[number].case for number in found))
    every = dict.fromkeys(call.case for call in judged)
    some = f" in {len(cases)} of {counted(len(every), 'case')}" if len(cases) < len(every) else ""
    return Outcome(
        Status.FAIL,
        f"{right}{some} {first.not_own}: no points. Points are for what your kernels compute; device work "
        "says more.",
        case=first.case, topic=first.topic, not_own=first.not_own,
        lines=(_named(cases),) if some else (),
    )  # fmt: skip


def is_right(outcome: Outcome) -> bool:
    """Whether nothing else is held against the answers that `outcome` is about than who made them."""
    return bool(outcome.not_own) and outcome.topic in _TOPICS


def _named(cases: Sequence[str]) -> str:
    names = [f'"{name}"' for name in cases[:_NAMED]]
    more = len(cases) - _NAMED
    return f"Not by your kernels: {listed([*names, *([f'{more} more'] if more > 0 else [])])}."
