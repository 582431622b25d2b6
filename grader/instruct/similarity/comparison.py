"""What a comparison found: pairs, and what many have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cusimt.support.words import counted, listed
from grader.instruct.similarity.passages import Passage

_NAMED = 10  # of many students, so many are named


@dataclass(frozen=True)
class LookAlike:
    """Two authors of ``exercise``; ``second`` is a student, ``FOLDER/STUDENT`` of a past term, or SOLUTION.

    ``overlap`` is the weighed share that they have in common, 0 to 1: see docs/instructors/reference.md.
    ``first_own`` and ``second_own`` are the tokens that each wrote.
    """

    exercise: str
    first: str
    second: str
    overlap: float
    first_own: int
    second_own: int
    passages: tuple[Passage, ...]

    @property
    def tokens(self) -> int:
        """Tokens that they have in common."""
        return sum(each.tokens for each in self.passages)

    @property
    def same_names(self) -> float:
        """The share of the names in these passages that are the same, too, 0 to 1."""
        names = sum(each.names for each in self.passages)
        return sum(each.same_names for each in self.passages) / names if names else 0.0

    @property
    def sentence(self) -> str:
        places = counted(len(self.passages), "passage")
        return (
            f"{self.first} and {self.second} have {self.tokens} tokens in {places} in common: "
            f"{_percent(self.tokens / max(1, self.first_own))} of what {self.first} wrote, "
            f"{_percent(self.tokens / max(1, self.second_own))} of {self.second}; "
            f"{_percent(self.same_names)} of the names are the same."
        )


@dataclass(frozen=True)
class Comparison:
    """What is alike in the ``handins`` (a number) of ``exercise``.

    ``untouched`` students wrote nothing beyond the stubs, ``short`` ones too little to tell anything.
    ``solved`` have the text of the solution, names and all. ``alike`` are the most who have one text in
    common once names are taken out, where they are most of the class: no pair of them is rare.
    """

    exercise: str
    handins: int
    pairs: list[LookAlike] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    short: list[str] = field(default_factory=list)
    solved: list[str] = field(default_factory=list)
    alike: list[str] = field(default_factory=list)

    @property
    def warnings(self) -> list[str]:
        """Sentences on what many have in common, which no list of pairs says."""
        return [
            self._sentence(students, what)
            for students, what in (
                (self.solved, "the reference solution, names and all"),
                (self.alike, "one text but for names, so a pair of them says nothing: look for its source"),
            )
            if students
        ]

    @property
    def not_compared(self) -> list[str]:
        """Sentences on whom nothing was found out about."""
        return [
            self._sentence(students, what)
            for students, what in (
                (self.untouched, "nothing beyond the stubs"),
                (self.short, "too little of their own to compare, under some fifty tokens"),
            )
            if students
        ]

    def _sentence(self, students: Sequence[str], what: str) -> str:
        more = [f"{len(students) - _NAMED} more"] if len(students) > _NAMED else []
        named = listed([*students[:_NAMED], *more])
        return f"{self.exercise}: {len(students)} of {counted(self.handins, 'hand-in')} hold {what}: {named}."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
