"""What the cases with wrong answers have in common, and the others have not.

A statement about the cases, which is true whatever the mistake is: "x is not contiguous in every one of them,
and in no other". Cases without elements are left out, since nearly every kernel is right about nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from typing import TypeAlias

from grader.checks.values.inputs import HOLDS
from grader.profile.occupancy import WARP
from grader.spec import Case, TensorSpec
from grader.spec.naming import tensors_of

Sizes: TypeAlias = Callable[[TensorSpec], int]

_FAR = "{} has elements beyond offset 2^31"
_MULTIPLES = (32, 16, 8, 4)
_ENOUGH = 3  # so many sizes on one side of a bound are no coincidence


def in_common(cases: Sequence[Case], wrong: Collection[str]) -> str:
    """A clause that holds for every case named in ``wrong`` and for no other; ``""`` if none is known."""
    judged = [case for case in cases if any(each.numel for each in _tensors(case))]
    failing = [case for case in judged if case.name in wrong]
    passing = [case for case in judged if case.name not in wrong]
    if len(failing) < len(wrong) or not failing or not passing:
        return ""  # also where a case without elements is wrong
    return next(chain(_by_kind(failing, passing), _by_size(failing, passing)), "")


def _by_kind(failing: Sequence[Case], passing: Sequence[Case]) -> Iterator[str]:
    """Dtypes, layouts, values, streams: what a case is meant to try."""
    clauses = [set(_clauses(case)) for case in failing]
    shared = set.intersection(*clauses)
    others = set[str]().union(*map(_clauses, passing))
    yield from (clause for clause in _clauses(failing[0]) if clause in shared - others)


def _clauses(case: Case) -> list[str]:
    """What can be said of one case, the most telling first."""
    tensors = _tensors(case)
    found = [
        f"{each.name} is not contiguous" for each in tensors if each.layout not in ("contiguous", "offset")
    ]
    found += [
        _FAR.format(each.name) if each.layout == "far" else f"{each.name} is {each.layout}"
        for each in tensors
        if each.layout not in ("contiguous", "offset")
    ]
    found += [
        f"{each.name} begins in the middle of its storage" for each in tensors if each.layout == "offset"
    ]
    found += ["a tensor is a view"] if any(each.layout != "contiguous" for each in tensors) else []
    found += [f"{each.name} is {each.dtype}" for each in tensors]
    found += [f"{each.name} has {len(each.shape)} dimensions" for each in tensors if len(each.shape) != 1]
    found += [f"{each.name} holds {HOLDS[each.special]}" for each in tensors if each.special is not None]
    found += ["another stream is current"] if case.stream == "side" else []
    found += ["a tensor is on the second device"] if any(each.device == "cuda:1" for each in tensors) else []
    found += [f"autocast to {case.autocast} is on"] if case.autocast else []
    found += ["the deterministic mode is on"] if case.deterministic else []
    return found


def _by_size(failing: Sequence[Case], passing: Sequence[Case]) -> Iterator[str]:
    """Bounds on sizes that kernels have; with few cases any bound would separate them."""
    if len(failing) < _ENOUGH or len(passing) < _ENOUGH:
        return
    ranks = {tuple(len(each.shape) for each in _tensors(case)) for case in (*failing, *passing)}
    if len(ranks) > 1:
        return
    for position, first in enumerate(_tensors(failing[0])):
        for words, size in _sizes(first):
            few = [size(_tensors(case)[position]) for case in failing]
            many = [size(_tensors(case)[position]) for case in passing]
            if min(few) > max(many) and _is_of_the_device(max(many)):
                yield f"{first.name} has more than {_number(max(many), words)}"
            if max(few) < min(many) and _is_of_the_device(min(many)):
                yield f"{first.name} has fewer than {_number(min(many), words)}"
            for multiple in _MULTIPLES:
                if all(each % multiple for each in few) and not any(each % multiple for each in many):
                    yield f"the number of {words} of {first.name} is not a multiple of {multiple}"


def _is_of_the_device(bound: int) -> bool:
    """Whether warps, blocks or tiles end there: of a bound such as 6 only the choice of cases tells."""
    return bound > 0 and (bound % WARP == 0 or bound & (bound - 1) == 0)


def _number(bound: int, words: str) -> str:
    return f"one {words.removesuffix('s')}" if bound == 1 else f"{bound} {words}"


def _sizes(tensor: TensorSpec) -> Iterator[tuple[str, Sizes]]:
    if len(tensor.shape) == 2:
        yield "rows", lambda each: each.shape[0]
        yield "columns", lambda each: each.shape[1]
    yield "elements", lambda each: each.numel


def _tensors(case: Case) -> list[TensorSpec]:
    return list(tensors_of(case.args))
