"""What a check found, before points are given."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.run.cleaned_text import lines_of, one_line
from grader.verdict import CheckResult, ReportedFinding, Status


@dataclass(frozen=True)
class Cause:
    """What the device reported in a call, and makes its values wrong; ``text`` says so in a sentence."""

    finding: ReportedFinding
    text: str


NON_FINITE = "non_finite"  # the topic of NaN and infinity where the right value is a number


@dataclass(frozen=True)
class Outcome:
    """A status and one sentence that stands on its own; the other fields as in :class:`CheckResult`.

    ``share`` of the check's points is earned; None means all when the status is ``pass``, else none.
    ``topic`` says what it is about, and ``reading`` a topic that the learner should read up on first, as the
    race that made the values wrong: `lesson_links` finds the place in the lesson. ``cause`` is what
    the device reported in the call whose values are wrong; the sentence begins with it. ``certain`` is what
    explains all wrong values, ``guess`` what their pattern suggests. ``not_own`` says who made the
    results that were judged, where that was not the learner's kernels: "aten::addcmul computed them".
    """

    status: Status
    sentence: str
    share: float | None = None
    case: str = ""
    input: str = ""
    expected: str = ""
    got: str = ""
    index: tuple[int, ...] | None = None
    findings: tuple[ReportedFinding, ...] = ()
    lines: tuple[str, ...] = ()
    topic: str = ""
    cause: ReportedFinding | None = None
    reading: str = ""
    certain: str = ""
    guess: str = ""
    not_own: str = ""

    @property
    def topics(self) -> tuple[str, ...]:
        """What to read up on, the most particular first: NaN has other causes than a wrong number."""
        numbers = self.topic == "values" and not _is_finite(self.got) and _is_finite(self.expected)
        found = self.reading if self.reading != "gradient" else ""  # which says only where the values are
        return (found, NON_FINITE if numbers else "", self.reading, self.topic)

    def scored(self, name: str, out_of: float, seconds: float, lesson: str) -> CheckResult:
        """Turn the share into points. The lesson is named only where there is something to read up on.

        Sentences quote what the learner wrote, and compilers do: nothing of it may steer a terminal, or
        begin a line that looks like the grader's.
        """
        share = self.share if self.share is not None else float(self.status is Status.PASS)
        return CheckResult(
            name=name,
            status=self.status,
            sentence=one_line(self.sentence),
            points=round(out_of * share, 2),
            out_of=float(out_of),
            seconds=round(seconds, 3),
            case=one_line(self.case),
            input=one_line(self.input),
            expected=one_line(self.expected),
            got=one_line(self.got),
            index=self.index,
            findings=tuple(map(_cleaned, self.findings)),
            lines=tuple(line for text in self.lines for line in lines_of(text)),
            lesson=lesson if self.status.stands_in_the_way else "",
            topic=self.topic if self.status.stands_in_the_way else "",
            not_own=one_line(self.not_own) if self.status.stands_in_the_way else "",
        )


def _is_finite(value: str) -> bool:
    return value not in ("nan", "inf", "-inf")


def _cleaned(finding: ReportedFinding) -> ReportedFinding:
    drawn = finding.request
    return replace(
        finding,
        kind=one_line(finding.kind),
        sentence=one_line(finding.sentence),
        rule=one_line(finding.rule),
        file=one_line(finding.file),
        source=one_line(finding.source),
        request=drawn
        and replace(
            drawn, space=one_line(drawn.space), access=one_line(drawn.access), tensor=one_line(drawn.tensor)
        ),
    )


def passed(sentence: str, share: float | None = None) -> Outcome:
    return Outcome(Status.PASS, sentence, share)
