"""What a check found, before points are given."""

from __future__ import annotations

from dataclasses import dataclass

from grader.verdict import CheckResult, Finding, Status


@dataclass(frozen=True)
class Outcome:
    """A status and one sentence that stands on its own; the other fields as in :class:`CheckResult`.

    ``share`` of the check's points is earned; None means all when the status is ``pass``, else none.
    ``topic`` names the anchor of the lesson that explains it.
    """

    status: Status
    sentence: str
    share: float | None = None
    case: str = ""
    input: str = ""
    expected: str = ""
    got: str = ""
    index: tuple[int, ...] | None = None
    findings: tuple[Finding, ...] = ()
    lines: tuple[str, ...] = ()
    topic: str = ""

    def scored(self, name: str, out_of: float, seconds: float, lesson: str) -> CheckResult:
        """Turn the share into points. The lesson is named only where there is something to read up on."""
        share = self.share if self.share is not None else float(self.status is Status.PASS)
        return CheckResult(
            name=name,
            status=self.status,
            sentence=self.sentence,
            points=round(out_of * share, 2),
            out_of=float(out_of),
            seconds=round(seconds, 3),
            case=self.case,
            input=self.input,
            expected=self.expected,
            got=self.got,
            index=self.index,
            findings=self.findings,
            lines=self.lines,
            lesson=lesson if self.status.stands_in_the_way else "",
        )


def passed(sentence: str, share: float | None = None) -> Outcome:
    return Outcome(Status.PASS, sentence, share)
