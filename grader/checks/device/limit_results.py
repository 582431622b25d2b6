"""Counts compared with their limits: which limits hold, and why the others do not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from cusimt.counters import LineCounts
from cusimt.profile.phrases import number
from cusimt.support.words import listed
from grader.checks.bench import Bench
from grader.checks.device.limit_causes import CountedStage, in_words, reason
from grader.checks.outcome import Outcome, passed
from grader.specification.efficiency import METRICS, Limit
from grader.verdict import ReportedFinding, Status


@dataclass(frozen=True)
class Judged:
    """A limit beside what was counted."""

    case: str
    limit: Limit
    stage: CountedStage
    amount: int
    bound: float

    @property
    def holds(self) -> bool:
        return self.amount <= self.bound if self.limit.least is None else self.amount >= self.bound

    @property
    def side(self) -> str:
        return "at most" if self.limit.least is None else "at least"


def outcome_of(bench: Bench, judged: list[Judged]) -> Outcome:
    """The limits that hold earn their shares; the first that does not is explained."""
    exceeded = [each for each in judged if not each.holds]
    if not exceeded:
        return passed(_praise(judged))
    first = exceeded[0]
    metric = METRICS[first.limit.metric]
    kept = sum(each.limit.share for each in judged if each.holds)
    findings = _findings(exceeded)
    place = f"{findings[0].where}: " if findings[0].where else ""
    return Outcome(
        Status.FAIL,
        f"{place}{findings[0].sentence} {findings[0].rule}".strip(),
        share=kept / sum(each.limit.share for each in judged),
        case=first.case,
        expected=f"{first.side} {in_words(metric, first.bound, first.limit.of)}",
        got=in_words(metric, first.amount, first.limit.of),
        findings=findings,
        lines=_table(judged, bench.exercise.number, first.case),
        topic=first.limit.metric,
    )


_MOST_NUMBERS = 4  # that a sentence can carry


def _praise(judged: list[Judged]) -> str:
    """Every call with what was counted in it; of many counts, how many are within their limits."""
    if len(judged) > _MOST_NUMBERS:
        return f"All {len(judged)} counts are within their limits."
    calls: dict[str, list[str]] = {}
    for each in judged:
        counted = in_words(METRICS[each.limit.metric], each.amount, each.limit.of)
        calls.setdefault(each.stage.call, []).append(counted)
    told = "; ".join(f"{call} takes {listed(amounts)}" for call, amounts in calls.items())
    return f"Within all limits: {told}."


def _findings(exceeded: list[Judged]) -> tuple[ReportedFinding, ...]:
    """The first of each place: a line that exceeds several limits does so for one reason."""
    found: dict[str, ReportedFinding] = {}
    for each in exceeded:
        finding = _finding(each)
        found.setdefault(finding.where, finding)
    return tuple(found.values())


def _finding(judged: Judged) -> ReportedFinding:
    limit, stage = judged.limit, judged.stage
    metric = METRICS[limit.metric]
    text, frame, access = reason(metric, stage, judged.amount, judged.bound)
    enough = f"{number(judged.bound)} would do" if judged.bound else "none is needed"
    if limit.least is not None:
        enough = f"{number(judged.bound)} are needed"
    amount = in_words(metric, judged.amount, limit.of)
    total = f"In all, {stage.call} comes to {amount}, where {enough}."
    if amount in text:
        total = f"In {stage.call}, {enough}."
    return ReportedFinding(
        kind=limit.metric,
        sentence=f"{text} {total}".strip(),
        rule=limit.rule if access is None or not _is_about_others(limit.rule, access, stage) else "",
        file=Path(frame.file).name,
        line=frame.line,
        source=frame.source,
        request=stage.request(access) if access is not None else None,
    )


def _is_about_others(rule: str, access: LineCounts, stage: CountedStage) -> bool:
    """Whether `rule` names tensors of the call, and the one that is accessed is none of them."""
    names = {each.name for each in stage.names.values()} - {"a"}  # which is an article, too
    named = {name for name in names if re.search(rf"\b{re.escape(name)}\b", rule)}
    return bool(named) and stage.name(access) not in named


def _table(judged: list[Judged], exercise: int, case: str) -> tuple[str, ...]:
    """One row for each limit, and the command that shows the counts of each line."""
    rows = [
        f"{'✓' if each.holds else '✗'} {in_words(METRICS[each.limit.metric], each.amount, each.limit.of)}, "
        f"{each.side} {number(each.bound)} in {each.stage.call}"
        for each in judged
    ]
    return (*rows, f'The counts of every line: grader profile {exercise:02d} --case "{case}"')
