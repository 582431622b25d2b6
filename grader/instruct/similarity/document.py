"""A submission as arrays of tokens, with the handed-out code marked as common."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from grader.course.exercise import Exercise
from grader.course.stubs import stub_text
from grader.instruct.similarity.tokens import NAME, Token, names_in, tokens_of

GRAM = 10  # tokens in a row that count as one thing to have in common
WINDOW = 6  # of so many neighbouring grams one is kept: what is GRAM + WINDOW - 1 tokens long is found
_STUB_GRAM = 6  # tokens in a row, names included, by which text that was handed out is known again
_LONGEST = 20_000  # tokens; what comes after is left out, to bound the time
_FILE_BEGINS = Token("", "", 0)  # stands between files, and is nobody's own

Numbers = NDArray[np.uint64]


@dataclass(frozen=True)
class Handout:
    """The distributed code: its names and its runs of tokens."""

    names: frozenset[str]
    grams: Numbers

    @classmethod
    def of(cls, exercise: Exercise) -> Handout:
        """The stubs and given files of ``exercise``."""
        files = {name: stub_text(exercise, name) for name in (*exercise.edit, *exercise.given)}
        names = frozenset[str]().union(*(names_in(name, text) for name, text in files.items()))
        runs = [
            grams(_numbers([each.text for each in tokens_of(name, text)]), _STUB_GRAM)
            for name, text in files.items()
        ]
        return cls(names, np.unique(np.concatenate(runs)) if runs else _none())


@dataclass(frozen=True)
class Document:
    """``plain`` and ``named`` are numbers for the tokens without and with their names; ``own`` says which of
    them were not handed out. ``chosen``: tokens that are names of the author's choice. ``file`` and ``line``
    say where each token stands; ``lines`` is the text, by file.
    """

    plain: Numbers
    named: Numbers
    own: NDArray[np.bool_]
    chosen: NDArray[np.bool_]
    file: NDArray[np.int32]
    line: NDArray[np.int32]
    lines: dict[str, list[str]]

    def fingerprints(self, tokens: Numbers) -> Numbers:
        """The kept grams of ``tokens`` (``plain`` or ``named``), each once: winnowing, after Schleimer,
        Wilkerson and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting" (2003).
        """
        found = [winnowed(grams(tokens[start:end], GRAM)) for start, end in self.stretches()]
        return np.unique(np.concatenate(found)) if found else _none()

    def stretches(self) -> list[tuple[int, int]]:
        """Begin and end of every run of own tokens that holds a gram; none leaves its file."""
        inside = np.concatenate(([False], self.own, [False]))
        edges = np.flatnonzero(inside[1:] != inside[:-1]).reshape(-1, 2).tolist()
        return [(start, end) for start, end in edges if end - start >= GRAM]


def document(files: Mapping[str, str], handout: Handout) -> Document:
    """The files of one author, in the order of their names."""
    read: list[tuple[int, Token]] = []
    for number, name in enumerate(sorted(files)):
        read.append((number, _FILE_BEGINS))
        left = max(0, _LONGEST - len(read))
        read += [(number, each) for each in islice(tokens_of(name, files[name], handout.names), left)]
    named = _numbers([each.text for _, each in read])
    begins = np.array([each is _FILE_BEGINS for _, each in read], dtype=np.bool_)
    return Document(
        plain=_numbers([each.plain for _, each in read]),
        named=named,
        own=~(_covered(named, handout.grams) | begins),
        chosen=np.array([each.plain == NAME for _, each in read], dtype=np.bool_),
        file=np.array([number for number, _ in read], dtype=np.int32),
        line=np.array([each.line for _, each in read], dtype=np.int32),
        lines={name: files[name].splitlines() for name in sorted(files)},
    )


def grams(tokens: Numbers, size: int) -> Numbers:
    """A number for each run of ``size`` tokens: equal runs have equal ones."""
    count = len(tokens) - size + 1
    if count <= 0:
        return _none()
    mixed = np.zeros(count, dtype=np.uint64)
    for offset in range(size):
        mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + tokens[offset : offset + count]
    mixed ^= mixed >> np.uint64(29)  # else the least of a window would hang on its last token alone
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return mixed


def winnowed(values: Numbers) -> Numbers:
    """The least of every window, the last one of equals, each position once."""
    size = min(WINDOW, len(values))
    if not size:
        return values
    windows = np.lib.stride_tricks.sliding_window_view(values, size)
    least: NDArray[np.int64] = np.arange(len(windows)) + size - 1 - np.argmin(windows[:, ::-1], axis=1)
    kept: Numbers = values[np.unique(least)]
    return kept


def _covered(tokens: Numbers, known: Numbers) -> NDArray[np.bool_]:
    """Which tokens lie in a run that is ``known``."""
    starts = np.flatnonzero(np.isin(grams(tokens, _STUB_GRAM), known))
    covered = np.zeros(len(tokens), dtype=np.bool_)
    for offset in range(_STUB_GRAM):
        covered[starts + offset] = True
    return covered


def _numbers(words: list[str]) -> Numbers:
    return np.array([_number(word) for word in words], dtype=np.uint64)


@lru_cache(1 << 16)
def _number(word: str) -> int:
    """64 bits that depend on the word alone, in every process."""
    return int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def _none() -> Numbers:
    return np.empty(0, dtype=np.uint64)
