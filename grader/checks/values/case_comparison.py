"""Compare a submission's wrong cases with its correct ones."""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from grader.checks.bench import Bench, Call
from grader.checks.device.launches import accepted_launches
from grader.checks.values.common_cause import in_common
from grader.specification import Case
from grader.specification.vocabulary import tensors_of

_SEVERAL_BLOCKS = "more than one block is launched"


def told_apart(bench: Bench, wrong: Collection[str]) -> str:
    """What the cases named in ``wrong`` have in common, of all whose result has an element."""
    empty = {each.case.name for each in bench.right if not any(out.values.numel() for out in each.expected)}
    cases = [case for case in bench.spec.cases if bench.has_tried(case) and case.name not in empty]
    if all(_is_single(case) for case in cases if case.name not in wrong):
        return in_common(cases, wrong)  # one thread is right about one element, in whatever grid
    calls = [call for call in bench.calls if call.stage == "forward" and call.traced]
    facts = {call.case: [_SEVERAL_BLOCKS] for call in calls if _blocks(bench, call) > 1}
    return in_common(cases, wrong, facts)


def _is_single(case: Case) -> bool:
    """Whether no tensor has more than one element."""
    return all(each.numel <= 1 for each in tensors_of(case.args))


def _blocks(bench: Bench, call: Call) -> int:
    """The blocks of the largest launch."""
    return max((prod(launch.grid) for launch in accepted_launches(bench, call)), default=0)
