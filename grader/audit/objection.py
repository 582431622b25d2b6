"""An objection of an audit to a submission."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Objection:
    """`what` goes on after the place, as in "op.py:3 imports `ctypes`"; `rule` is a sentence."""

    file: str
    line: int
    what: str
    rule: str
    topic: str = "audit"  # another where it is a slip that the lesson explains

    @property
    def sentence(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place} {self.what}. {self.rule}"
