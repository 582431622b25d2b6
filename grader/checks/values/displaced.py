"""Patterns of correct numbers in wrong places: exchanged pieces, terms added to a neighbour, skipped
lanes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import torch

from cusimt.support.words import listed
from grader.checks.values.wrong_answer import MANY, NARROW, Wrong

GROUPS = (2, 4, 8, 16, 32)  # elements that one thread or one warp takes together
MOST = 1 << 17  # elements: among more, two different numbers are too often near each other
NEARLY_ALL = 0.95
EXAMPLES = 3
SAMPLE = 64
OFTEN = 0.25  # of the elements where a mistake would show: less may be a mistake that depends on values
CANCELLED = 1e-3  # of the sum of absolute values: a smaller sum says nothing about its terms


def within_groups(wrong: Wrong) -> str:
    """In every group of neighbours, element r holds what belongs to element s, for each r the same s."""
    for size in GROUPS:
        groups = wrong.total // size
        if groups < MANY:
            return ""
        inside = torch.arange(wrong.total) < groups * size
        if not bool((wrong.flat_mask & inside).any()):
            continue
        sources: list[int] = []
        for place in range(size):
            source = _source(wrong, size, groups, place)
            if source is None:
                break
            sources.append(source)
        if len(sources) == size:
            return _exchanged(size, sources)
    return ""


def _source(wrong: Wrong, size: int, groups: int, place: int) -> int | None:
    """Whose numbers the elements at `place` of each group of `size` hold: their own, if it can be."""
    at = torch.arange(groups) * size
    if not bool(wrong.flat_mask[at + place].any()):
        return place
    got, few = wrong.flat_got[at + place], slice(0, SAMPLE)
    for source in range(size):
        right = wrong.flat_expected[at + source]
        if source == place or len(torch.unique(right)) < MANY:
            continue
        reach = float(right.abs().max())
        if not math.isfinite(reach) or not torch.allclose(got[few], right[few], 1e-2, 1e-2 * reach):
            continue
        moved = wrong.flat_expected.clone()
        moved[at + place] = right
        if wrong.is_close(moved, at + place):
            return source
    return None


def _exchanged(size: int, sources: list[int]) -> str:
    moved = [(place, source) for place, source in enumerate(sources) if place != source]
    pairs = [f"element {place} holds what belongs in element {source}" for place, source in moved[:EXAMPLES]]
    said = f"In every {'pair of neighbours' if size == 2 else f'group of {size} neighbours'}, {listed(pairs)}"
    if len(set(sources)) == size:
        return f"{said}: the right numbers, in another order."
    return f"{said}: some numbers are stored more than once, and others never."


def other_places(wrong: Wrong) -> str:
    """The wrong numbers are right ones, each of which occurs only once: at another place."""
    if wrong.got.dtype in NARROW or not wrong.got.is_floating_point() or wrong.total > MOST:
        return ""
    told = (wrong.flat_mask & (wrong.flat_got != 0) & wrong.flat_got.isfinite()).nonzero().reshape(-1)
    values = wrong.flat_got[told]
    if len(told) < MANY or 2 * len(torch.unique(values)) < len(values):
        return ""
    places, found = _places(wrong, values)
    if float(found.double().mean()) < NEARLY_ALL:
        return ""
    told, places = told[found], places[found]
    steps = torch.unique(places - told)
    if len(steps) == 1:
        step = int(steps)
        way = "ahead" if step > 0 else "back"
        return f"Right numbers at wrong places: each belongs {abs(step)} elements further {way}."
    pairs = [
        f"{_index(wrong.expected, int(at))} holds what belongs at {_index(wrong.expected, int(place))}"
        for at, place in zip(told[:EXAMPLES], places[:EXAMPLES], strict=True)
    ]
    return (
        f"Right numbers at wrong places: {listed(pairs)}. Is an element loaded at one index "
        "and stored at another?"
    )


def _places(wrong: Wrong, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Where each of `values` belongs, and whether it does: it is one of the right numbers, and no other's.

    A sum is not as exact as its own size allows: it is off by what the sums of its partial sums are.
    """
    ordered, order = wrong.flat_expected.sort()
    eps = torch.finfo(wrong.got.dtype).eps
    finite = wrong.flat_expected[wrong.flat_expected.isfinite()]
    of_sums = math.sqrt(wrong.terms) * float(finite.abs().mean()) if wrong.terms > 1 else 0.0
    near = eps * (8 * values.abs() + of_sums)
    low = torch.searchsorted(ordered, values - near)
    high = torch.searchsorted(ordered, values + near, right=True)
    return order[low.clamp(max=wrong.total - 1)], high - low == 1


def zeros_in_chunks(wrong: Wrong) -> str:
    """Zeros at the same places of every chunk of neighbouring elements."""
    if wrong.count < MANY or bool((wrong.flat_got[wrong.flat_mask] != 0).any()):
        return ""
    where = _residues(wrong)
    return f"All {wrong.count} wrong elements are 0: {where}" if where else ""


def in_chunks(wrong: Wrong) -> str:
    """Wrong at the same places of every chunk of neighbouring elements."""
    where = _residues(wrong)
    return f"{wrong.count} of {wrong.total} elements are wrong: {where}" if where else ""


def _residues(wrong: Wrong) -> str:
    """``the last 2 of every 4, and never the others``, where that is no coincidence."""
    could_show = wrong.flat_expected != 0
    best: tuple[int, list[int]] | None = None
    for size in GROUPS:
        at = _constantly_wrong(wrong, size, could_show)
        if at and (best is None or len(at) * best[0] < len(best[1]) * size):
            best = size, at
    if best is None or _is_edge(wrong, best[0]):
        return ""
    size, at = best
    every = wrong.count * size == wrong.total * len(at)
    if size == 2 and every and bool((wrong.flat_got[wrong.flat_mask] != 0).any()):
        return ""  # "every other element", which is said elsewhere
    name = "index" if wrong.expected.ndim == 1 else "flat index"
    others = [str(each) for each in range(size) if each not in at]
    rest = "elsewhere" if len(others) > 4 else f"where it is {_either(others)}"
    run = at[-1] - at[0] + 1 == len(at) and len(at) > 2
    those = f"{at[0]} to {at[-1]}" if run else _either([str(each) for each in at])
    return (
        f"only where the {name} % {size} is {those}, never {rest}. Does the code handle all {size} elements "
        "of a chunk?"
    )


def _constantly_wrong(wrong: Wrong, size: int, could_show: torch.Tensor) -> list[int]:
    """The places in chunks of `size` with wrong elements in many chunks, if the other places have none."""
    place = torch.arange(wrong.total) % size
    number, visible = (torch.bincount(place[mask], minlength=size) for mask in (wrong.flat_mask, could_show))
    touched = number > 0
    often = (number >= 4) & (number >= OFTEN * visible)
    if bool(touched.all()) or bool((touched & ~often).any()) or not bool((visible[~touched] >= 4).all()):
        return []
    return [int(each) for each in touched.nonzero()]


def _is_edge(wrong: Wrong, size: int) -> bool:
    """Whether these are whole columns of a matrix, which are better called so."""
    return wrong.expected.ndim >= 2 and wrong.expected.shape[-1] <= size


def _either(texts: list[str]) -> str:
    return " or ".join(texts) if len(texts) < 3 else f"{', '.join(texts[:-1])} or {texts[-1]}"


def right_sums(wrong: Wrong) -> str:
    """Every row, or every column, adds up to what it should, while its elements are wrong."""
    if wrong.expected.ndim != 2 or min(wrong.expected.shape) < 2 or wrong.count < MANY:
        return ""
    if wrong.got.dtype in (*NARROW, torch.bool) or not bool(wrong.flat_got.isfinite().all()):
        return ""
    for dim, line, other in ((1, "row", "column"), (0, "column", "row")):
        if _adds_up(wrong, dim):
            if _sums_agree(wrong, dim):
                return (
                    f"Each {line} adds up to {float(wrong.expected.sum(dim=dim)[0]):g}, as it should: it is "
                    "divided by the sum of its terms, and the terms themselves are wrong."
                )
            return (
                f"Each {line} adds up to what it should, but its elements are wrong: are the right terms "
                f"added in the wrong {other}?"
            )
    return ""


def _sums_agree(wrong: Wrong, dim: int) -> bool:
    """Whether all sums are one number, as after a division by the sum: then any terms add up to it."""
    sums = wrong.expected.sum(dim=dim)
    return bool(torch.allclose(sums, sums[:1].expand_as(sums)))


def _adds_up(wrong: Wrong, dim: int) -> bool:
    """Whether at least three sums along `dim` hold wrong elements, and all of these sums are right."""
    touched = wrong.mask.any(dim=dim)
    got, right = wrong.got.to(wrong.expected.dtype), wrong.expected
    if int(touched.sum()) < 3 or not bool(right.isfinite().all()):
        return False
    size = (got.abs() + right.abs()).sum(dim=dim)[touched]
    sums = right.sum(dim=dim)[touched]
    eps = torch.finfo(wrong.got.dtype).eps if wrong.got.is_floating_point() else 0.0
    moved = (got - right).abs().sum(dim=dim)[touched]
    telling = (sums.abs() > CANCELLED * size) & (moved > CANCELLED * size)
    off = (got.sum(dim=dim)[touched] - sums).abs()
    return bool((off <= 32 * eps * size).all()) and int(telling.sum()) >= 3


def another_cotangent(wrong: Wrong) -> str:
    """A gradient with another element of the cotangent as its factor."""
    given = wrong.cotangent
    if given is None or wrong.got.dtype in NARROW or not wrong.got.is_floating_point():
        return ""
    usable = wrong.flat_mask & (wrong.flat_expected != 0) & wrong.flat_got.isfinite()
    if (
        given.numel() > MOST
        or given.numel() < 2
        or int(usable.sum()) < MANY
        or wrong.count != int(usable.sum())
    ):
        return ""
    places = torch.arange(given.numel()).reshape(given.shape)
    terms = given.reshape(-1).to(wrong.expected.dtype)
    ordered, order = terms.sort()
    for spread in _spread(places, wrong.expected.shape):
        own = spread.reshape(-1)[usable]
        factor = wrong.flat_got[usable] / wrong.flat_expected[usable] * terms[own]
        near = 64 * torch.finfo(wrong.got.dtype).eps * factor.abs()
        low = torch.searchsorted(ordered, factor - near)
        if not bool((torch.searchsorted(ordered, factor + near, right=True) - low == 1).all()):
            continue
        at, used, right = (int(each) for each in (usable.nonzero()[0], order[low[0]], own[0]))
        return (
            f"Each wrong element is the right one with another element of grad_out as its factor: at "
            f"{_index(wrong.expected, at)} it is grad_out{_index(given, used)} instead of "
            f"grad_out{_index(given, right)}. How is the index into grad_out computed?"
        )
    return ""


def _spread(places: torch.Tensor, shape: torch.Size) -> Iterator[torch.Tensor]:
    """`places` in a larger `shape`, for every way in which its dimensions can be among those of `shape`."""
    for kept in combinations(range(len(shape)), places.ndim):
        if all(shape[dim] == size for dim, size in zip(kept, places.shape, strict=True)):
            within = [shape[dim] if dim in kept else 1 for dim in range(len(shape))]
            yield places.reshape(within).expand(shape)


def _index(tensor: torch.Tensor, flat: int) -> str:
    return str([int(each) for each in torch.unravel_index(torch.tensor(flat), tensor.shape)])
