"""What an import took and refused, with reasons: a line for every student who needs attention."""

from __future__ import annotations

from dataclasses import dataclass, field

from cusimt.support.words import counted
from grader.instruct.submissions.placing import Placement

_RARE = (Placement.MOVED, Placement.CORRECTED)  # not counted where there are none


@dataclass
class Intake:
    """What became of one person's files. ``taken`` are names of files; ``remarks`` and ``refused`` whole
    sentences. ``called`` is what the LMS calls who has a number for an id; ``former`` are the ids that an
    import without the roster gives this person.
    """

    student: str
    placement: Placement | None = None
    taken: tuple[str, ...] = ()
    called: str = ""
    former: tuple[str, ...] = ()
    remarks: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @property
    def who(self) -> str:
        """The id, and a name where the LMS has one beside it."""
        return f"{self.student} ({self.called})" if self.called else self.student

    @property
    def failed(self) -> bool:
        """Whether this person's submission is not in the folder as the archive has it."""
        return self.placement in (None, Placement.DIFFERS)


@dataclass
class Report:
    """``strays`` says what belongs to nobody; ``notes`` what holds for the archive as a whole."""

    intakes: list[Intake] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """1 when a person or a file was left out that somebody has to look at; else 0."""
        return 1 if self.strays or any(intake.failed for intake in self.intakes) else 0

    @property
    def summary(self) -> str:
        """How many came in, in one sentence."""
        placements = [intake.placement for intake in self.intakes]
        counts = [
            f"{placements.count(placement)} {placement.value}"
            for placement in (Placement.NEW, Placement.REPLACED, *_RARE, Placement.SAME)
            if placement not in _RARE or placement in placements
        ]
        failed = sum(intake.failed for intake in self.intakes)
        return f"{counted(len(self.intakes), 'submission')}: {', '.join(counts)}, {failed} refused."

    def lines(self) -> list[str]:
        """The report, to be printed: the exceptions, then the sum."""
        told = [
            f"{intake.who}: {' '.join([*intake.refused, *intake.remarks])}"
            for intake in self.intakes
            if intake.refused or intake.remarks
        ]
        return [*told, *self.strays, *self.notes, self.summary]
