"""What the wrong cases share and the correct ones do not.

A statement about the cases, which is true whatever the mistake is: "x is not contiguous in every one of them,
and in no other". Cases without elements are left out, since nearly every kernel is right about nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from cusimt.profile.occupancy import WARP
from grader.checks.values.inputs import HOLDS
from grader.specification import Case, TensorSpec
from grader.specification.vocabulary import tensors_of

Sizes: TypeAlias = Callable[[TensorSpec], int]

_FAR = "{} has elements beyond offset 2^31"
_MULTIPLES = (32, 16, 8, 4)
_TILES = (32, 16)  # edges of a tile
_ENOUGH = 3  # so many sizes on one side of a bound are no coincidence


def in_a_sentence(shared: str, wrong: int, others: str = "no other") -> str:
    """``In every wrong case, and in no other, x is not contiguous.`` of a clause, for so many wrong cases."""
    where = "In this case" if wrong == 1 else "In every wrong case"
    return f"{where}, and in {others}, {shared}."


def in_common(
    cases: Sequence[Case], wrong: Collection[str], facts: Mapping[str, Collection[str]] | None = None
) -> str:
    """A clause that holds for every case named in ``wrong`` and for no other; ``""`` if none is known.

    ``facts`` are clauses, by the name of the case, which its arguments do not tell.
    """
    judged = [case for case in cases if any(each.numel for each in _tensors(case))]
    failing = [case for case in judged if case.name in wrong]
    passing = [case for case in judged if case.name not in wrong]
    if len(failing) < len(wrong) or not failing or not passing:
        return ""  # also where a case without elements is wrong
    told = facts or {}
    found = chain(
        _shared([_clauses(each) for each in failing], [_clauses(each) for each in passing]),
        _shared([told.get(each.name, ()) for each in failing], [told.get(each.name, ()) for each in passing]),
        _by_size(failing, passing),
        _by_form(failing, passing),
        _shared([_numbers(each) for each in failing], [_numbers(each) for each in passing]),
    )
    return next(found, "")


def _shared(failing: Sequence[Collection[str]], passing: Sequence[Collection[str]]) -> Iterator[str]:
    """The clauses that all of the first have, and none of the others."""
    others = set[str]().union(*passing)
    shared = set.intersection(*map(set, failing)) - others
    yield from (clause for clause in failing[0] if clause in shared)


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


def _numbers(case: Case) -> list[str]:
    """That a tensor is not of ones, which with sums says: the number of terms is right, the terms are not."""
    return [
        f"{each.name} holds other numbers than 1: with ones, the result is right"
        for each in _tensors(case)
        if each.special != "ones" and each.dtype.startswith(("float", "bfloat"))
    ]


def _by_size(failing: Sequence[Case], passing: Sequence[Case]) -> Iterator[str]:
    """Bounds on sizes that kernels have; with few cases any bound would separate them."""
    if len(failing) < _ENOUGH or len(passing) < _ENOUGH:
        return
    number = len(_tensors(failing[0]))
    every = [_tensors(case) for case in (*failing, *passing)]
    if any(len(tensors) != number for tensors in every):
        return
    for position, first in enumerate(every[0]):
        ranks = {len(tensors[position].shape) for tensors in every}
        for words, size in _sizes(ranks):
            few = [size(_tensors(case)[position]) for case in failing]
            many = [size(_tensors(case)[position]) for case in passing]
            if min(few) > max(many) and (bound := _bound(max(many), min(few) - 1, max(many))):
                yield f"{first.name} has more than {_number(bound, *words)}"
            if max(few) < min(many) and (bound := _bound(max(few) + 1, min(many), min(many))):
                yield f"{first.name} has fewer than {_number(bound, *words)}"
            for multiple in _MULTIPLES:
                if all(each % multiple for each in few) and not any(each % multiple for each in many):
                    yield f"the number of {words[1]} of {first.name} is not a multiple of {multiple}"


def _bound(lowest: int, highest: int, passing: int) -> int:
    """What may well be the bound between sizes, because warps, blocks or tiles end there; 0 if nothing is.

    It is the size that is still right, or else the only power of two in between. Where the sizes are far
    apart there are many, and one of them would be a guess.
    """
    if passing > 0 and (passing % WARP == 0 or passing & (passing - 1) == 0):
        return passing
    powers = [1 << each for each in range(highest.bit_length()) if lowest <= 1 << each <= highest]
    return powers[0] if len(powers) == 1 else 0


def _number(bound: int, singular: str, plural: str) -> str:
    return f"one {singular}" if bound == 1 else f"{bound} {plural}"


def _sizes(ranks: Collection[int]) -> Iterator[tuple[tuple[str, str], Sizes]]:
    """What to compare of tensors with so many dimensions."""
    if set(ranks) == {2}:
        yield ("row", "rows"), lambda each: each.shape[0]
        yield ("column", "columns"), lambda each: each.shape[1]
    elif len(set(ranks)) > 1 and 0 not in ranks:
        yield ("element in a row", "elements in a row"), lambda each: each.shape[-1]
    yield ("element", "elements"), lambda each: each.numel


def _by_form(failing: Sequence[Case], passing: Sequence[Case]) -> Iterator[str]:
    """Matrices whose rows and columns are numbers of their own, so that an exchange of them shows."""
    if len(failing) < _ENOUGH or len(passing) < _ENOUGH:
        return
    yield from _shared([_forms(each) for each in failing], [_forms(each) for each in passing])


def _forms(case: Case) -> list[str]:
    found = []
    for each in _tensors(case):
        if len(each.shape) != 2:
            continue
        rows, columns = each.shape
        found += [f"{each.name} is not square"] if rows != columns else []
        found += [
            f"the rows and the columns of {each.name} need different numbers of tiles of {tile}"
            for tile in _TILES
            if -(rows // -tile) != -(columns // -tile)
        ]
    return found


def _tensors(case: Case) -> list[TensorSpec]:
    return list(tensors_of(case.args))
