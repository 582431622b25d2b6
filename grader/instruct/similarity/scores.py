"""Rank pairs by shared rare passages; a passage that half a class has says nothing about two people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grader.instruct.similarity.document import Numbers

_CLASS = 20  # a smaller class is taken for one of so many: two authors alone have no rarity to go by
LEAST = 12  # who wrote fewer fingerprints (some 50 tokens) is compared as if the rest were different
_COLUMNS = 8192  # fingerprints that are compared at once

Scores = NDArray[np.float32]


@dataclass(frozen=True)
class Prints:
    """Fingerprints of several authors as columns of one table: ``rows[i]`` are the columns of author i."""

    rows: list[NDArray[np.int64]]
    count: NDArray[np.int64]  # authors that have each of them

    @classmethod
    def of(cls, prints: Sequence[Numbers]) -> Prints:
        lengths = np.cumsum([len(each) for each in prints])[:-1]
        values = np.concatenate(prints) if len(prints) else np.empty(0, dtype=np.uint64)
        _, columns, count = np.unique(values, return_inverse=True, return_counts=True)
        return cls(list(np.split(columns, lengths)), count)


def contained(mine: Numbers, theirs: Numbers) -> float:
    """The share of ``mine``, one author's fingerprints, that are among ``theirs``; each weighs the same."""
    return float(np.isin(mine, theirs, assume_unique=True).sum()) / max(len(mine), LEAST)


def shares(prints: Prints) -> Scores:
    """For every two authors, :func:`contained`; of themselves all authors have everything."""
    shared = _shared(prints, np.ones(len(prints.count)), len(prints.rows))
    lengths = np.array([len(row) for row in prints.rows], dtype=np.float32)
    share: Scores = (shared / np.maximum(lengths, LEAST)[:, None]).astype(np.float32)
    np.fill_diagonal(share, 1.0)
    return share


def overlaps(prints: Prints, first: int) -> Scores:
    """For each of the ``first`` authors, and every author: the share that they have in common, 0 to 1.

    It is weighed: a fingerprint counts log2(authors / authors that have it). The share is of what the one
    with less wrote.
    """
    authors = max(len(prints.rows), _CLASS)
    weight = np.log2(authors / prints.count)
    own = np.array([weight[row].sum() for row in prints.rows], dtype=np.float32)
    shared = _shared(prints, weight, first)
    least = np.minimum(own[:first, None], own[None, :])
    share: Scores = (shared / np.maximum(least, LEAST * np.log2(authors))).astype(np.float32)
    return share


def fewest(overlap: float, authors: int) -> float:
    """Fingerprints that two equal texts of a class of ``authors`` need to reach ``overlap``, where no third
    author has any of them.
    """
    authors = max(authors, _CLASS)
    return float(overlap * LEAST * np.log2(authors) / np.log2(authors / 2))


def _shared(prints: Prints, weight: NDArray[np.float64], first: int) -> Scores:
    """The weight of what every two have in common. What one author alone has is in no sum."""
    common = np.flatnonzero(prints.count > 1)
    place = np.full(len(prints.count), -1, dtype=np.int64)
    place[common] = np.arange(len(common))
    rows = [place[row][place[row] >= 0] for row in prints.rows]
    total = np.zeros((first, len(rows)), dtype=np.float32)
    for start in range(0, len(common), _COLUMNS):
        has = np.zeros((len(rows), min(_COLUMNS, len(common) - start)), dtype=np.float32)
        for number, row in enumerate(rows):
            inside = row[(row >= start) & (row < start + _COLUMNS)] - start
            has[number, inside] = 1.0
        chunk = weight[common[start : start + _COLUMNS]].astype(np.float32)
        total += (has[:first] * chunk) @ has.T
    return total
