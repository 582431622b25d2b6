"""A verdict as plain sentences, without colour, boxes or columns: for screen readers and logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.report.excerpts import fitted
from grader.report.words import ENDED, amount, first_of_each_line, name_of, place, shown_checks, standing
from grader.verdict import CheckResult, ReportedFinding, Status, Verdict


def verdict_text(verdict: Verdict, width: int | None = None) -> str:
    """The whole verdict, one paragraph per check; compilers' excerpts are cut to ``width`` columns."""
    lines = [_headline(verdict)]
    shown, left = shown_checks(verdict)
    for check in shown:
        lines.extend(check_lines(check, width))
    lines.extend(left)
    lines.append(f"Seed {verdict.seed}. It took {verdict.seconds:.1f} seconds.")
    return "\n".join(lines)


def _headline(verdict: Verdict) -> str:
    points = f"{amount(verdict.earned)} of {amount(verdict.out_of)} points"
    return (
        f"Exercise {verdict.exercise}, {verdict.title}, on {verdict.backend}: {standing(verdict)}, {points}."
    )


def check_lines(check: CheckResult, width: int | None = None) -> Iterator[str]:
    """One check: how it ended, and what belongs to it, indented; ``width`` as in `verdict_text`."""
    name = name_of(check)
    counts = check.out_of and check.status.counts
    points = f", {amount(check.points)} of {amount(check.out_of)} points" if counts else ""
    begin = "" if check.name == "todo" else f"{name[0].upper()}{name[1:]} {ENDED[check.status]}{points}. "
    yield begin + check.sentence
    for line in check.lines if width is None else fitted(check.lines, width - len("  ")):
        yield f"  {line}"
    for number, (finding, is_new) in enumerate(first_of_each_line(check.findings)):
        yield from _finding(finding, known=number == 0, quoted=is_new)
    if check.lesson:
        yield f"  Read {check.lesson}"


def _finding(finding: ReportedFinding, known: bool, quoted: bool) -> Iterator[str]:
    """A finding; when it is `known` from the check's sentence, only the source line and the place."""
    if not known:
        where = f"{finding.where}: " if finding.where else ""
        yield f"  {where}{finding.sentence}"
    if finding.source and quoted:
        yield f"  Line {finding.line} of {finding.file} is: {finding.source.strip()}"
    if place(finding):
        yield f"  {place(finding)}."


def table_text(verdicts: Sequence[Verdict]) -> str:
    """Several verdicts, one sentence each, and the sum."""
    lines = [_row(verdict) for verdict in verdicts]
    passed = sum(verdict.passed for verdict in verdicts)
    earned, out_of = sum(each.earned for each in verdicts), sum(each.out_of for each in verdicts)
    lines.append(f"{passed} of {len(verdicts)} passed, {amount(earned)} of {amount(out_of)} points.")
    return "\n".join(lines)


def _row(verdict: Verdict) -> str:
    points = f"{amount(verdict.earned)} of {amount(verdict.out_of)} points"
    shown, _ = shown_checks(verdict)
    failed = [
        name_of(check) for check in shown if check.status in (Status.FAIL, Status.CRASH, Status.TIMEOUT)
    ]
    because = f" because of {', '.join(failed)}" if failed else ""
    return (
        f"{verdict.exercise}: {standing(verdict)}{because}, {points}, {verdict.seconds:.1f} seconds, "
        f"{verdict.backend}."
    )
