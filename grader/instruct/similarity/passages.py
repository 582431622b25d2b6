"""Matching passages of two documents: the longest common token runs first (greedy string tiling)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grader.instruct.similarity.document import GRAM, Document, grams
from grader.run.cleaned_text import clean

_REPEATS = 64  # what a document repeats more often than this is a pattern, and starts no passage
_NOBODYS = -1


@dataclass(frozen=True)
class Side:
    """Lines ``first`` to ``last`` (from 1) of ``file``; their ``text`` has nothing that steers a terminal."""

    file: str
    first: int
    last: int
    text: tuple[str, ...]

    @property
    def where(self) -> str:
        return f"{self.file}:{self.first}" + (f"-{self.last}" if self.last > self.first else "")


@dataclass(frozen=True)
class Passage:
    """``tokens`` in a row, the same once names are taken out; ``same_names`` of ``names`` are, too."""

    tokens: int
    names: int
    same_names: int
    first: Side
    second: Side


def passages(first: Document, second: Document) -> list[Passage]:
    """What two authors have in common of their own, in the order of the first."""
    taken_first = ~first.own
    taken_second = ~second.own
    found = []
    for start, other, length in sorted(_runs(first, second), key=lambda run: (-run[2], run[0], run[1])):
        start, other, length = _free(taken_first, taken_second, start, other, length)
        if length >= GRAM:
            taken_first[start : start + length] = True
            taken_second[other : other + length] = True
            found.append((start, other, length))
    return [_passage(first, second, *run) for run in sorted(found)]


def _runs(first: Document, second: Document) -> Iterator[tuple[int, int, int]]:
    """Every longest common run: begin in the first, begin in the second, tokens.

    Runs of one shift between the two documents do not overlap, so each shift is walked along once.
    """
    one, other = _tokens(first), _tokens(second)
    places: dict[int, list[int]] = {}
    for start, end in second.stretches():
        for offset, gram in enumerate(grams(second.plain[start:end], GRAM).tolist()):
            places.setdefault(gram, []).append(start + offset)
    reached: dict[int, int] = {}
    for start, end in first.stretches():
        for offset, gram in enumerate(grams(first.plain[start:end], GRAM).tolist()):
            here, there = start + offset, places.get(gram, [])
            for place in there if len(there) <= _REPEATS else ():
                if here >= reached.get(place - here, 0):
                    begin, length = _longest(one, other, here, place)
                    reached[place - here] = begin + length
                    yield begin, begin + place - here, length


def _longest(one: list[int], other: list[int], here: int, there: int) -> tuple[int, int]:
    """Begin in the first and length of the common run around two places."""
    begin, end, shift = here, here, there - here
    while begin > 0 and begin + shift > 0 and one[begin - 1] == other[begin + shift - 1] != _NOBODYS:
        begin -= 1
    while end < len(one) and end + shift < len(other) and one[end] == other[end + shift] != _NOBODYS:
        end += 1
    return begin, end - begin


def _tokens(document: Document) -> list[int]:
    """Numbers for the tokens, with one that no token has for those that were handed out."""
    plain: list[int] = document.plain.tolist()
    return [token if own else _NOBODYS for token, own in zip(plain, document.own.tolist(), strict=True)]


def _free(
    taken_first: NDArray[np.bool_], taken_second: NDArray[np.bool_], start: int, other: int, length: int
) -> tuple[int, int, int]:
    """The longest part of a run that no longer one has taken."""
    taken = np.concatenate(
        ([True], taken_first[start : start + length] | taken_second[other : other + length], [True])
    )
    edges = np.flatnonzero(taken)
    gaps = np.diff(edges) - 1
    longest = int(np.argmax(gaps))
    skipped = int(edges[longest])
    return start + skipped, other + skipped, int(gaps[longest])


def _passage(first: Document, second: Document, start: int, other: int, length: int) -> Passage:
    here, there = slice(start, start + length), slice(other, other + length)
    chosen = first.chosen[here] & second.chosen[there]
    return Passage(
        tokens=length,
        names=int(chosen.sum()),
        same_names=int((chosen & (first.named[here] == second.named[there])).sum()),
        first=_side(first, start, length),
        second=_side(second, other, length),
    )


def _side(document: Document, start: int, length: int) -> Side:
    name = list(document.lines)[int(document.file[start])]
    begin, end = int(document.line[start]), int(document.line[start + length - 1])
    return Side(name, begin, end, tuple(map(clean, document.lines[name][begin - 1 : end])))
