"""What a check found, before points are given."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.run.text import clean
from grader.verdict import CheckResult, Finding, Status


@dataclass(frozen=True)
class Cause:
    """What the device reported in a call, and makes its values wrong; ``text`` says so in a sentence."""

    finding: Finding
    text: str


@dataclass(frozen=True)
class Outcome:
    """A status and one sentence that stands on its own; the other fields as in :class:`CheckResult`.

    ``share`` of the check's points is earned; None means all when the status is ``pass``, else none.
    ``topic`` says what it is about, and ``reading`` a topic that the learner should read up on first, as the
    race that made the values wrong: `grader.checks.reading` finds the place in the lesson. ``cause`` is what
    the device reported in the call whose values are wrong; the sentence begins with it. ``reason`` is the
    mistake that explains these values, if one was found; the sentence ends with it.
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
    cause: Finding | None = None
    reading: str = ""
    reason: str = ""

    def scored(self, name: str, out_of: float, seconds: float, lesson: str) -> CheckResult:
        """Turn the share into points. The lesson is named only where there is something to read up on.

        Sentences quote what the learner wrote, and compilers do: nothing of it may steer a terminal.
        """
        share = self.share if self.share is not None else float(self.status is Status.PASS)
        return CheckResult(
            name=name,
            status=self.status,
            sentence=clean(self.sentence),
            points=round(out_of * share, 2),
            out_of=float(out_of),
            seconds=round(seconds, 3),
            case=clean(self.case),
            input=clean(self.input),
            expected=clean(self.expected),
            got=clean(self.got),
            index=self.index,
            findings=tuple(map(_cleaned, self.findings)),
            lines=tuple(map(clean, self.lines)),
            lesson=lesson if self.status.stands_in_the_way else "",
            topic=self.topic if self.status.stands_in_the_way else "",
        )


def _cleaned(finding: Finding) -> Finding:
    return replace(
        finding,
        sentence=clean(finding.sentence),
        rule=clean(finding.rule),
        file=clean(finding.file),
        source=clean(finding.source),
    )


def passed(sentence: str, share: float | None = None) -> Outcome:
    return Outcome(Status.PASS, sentence, share)
