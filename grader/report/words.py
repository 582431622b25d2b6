"""The words that every rendering shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grader.verdict import NOT_JUDGED, CheckResult, ReportedFinding, Status, Verdict

# How a check ended, as the end of a sentence that begins with its name.
ENDED = {
    Status.PASS: "passed",
    Status.FAIL: "failed",
    Status.BUILD_ERROR: "failed",
    Status.CRASH: "crashed",
    Status.TIMEOUT: "was stopped, because it took too long",
    Status.NOT_ATTEMPTED: "is still to be done",
    Status.INCONCLUSIVE: "is undecided and does not count",
    Status.UNAVAILABLE: "is not available here and does not count",
    Status.INFRA_ERROR: "could not be judged, which is not the fault of the submission",
}

# Marks differ in shape, so that they can be told apart without colour.
MARKS = {
    Status.PASS: "✓",
    Status.FAIL: "✗",
    Status.BUILD_ERROR: "✗",
    Status.CRASH: "✗",
    Status.TIMEOUT: "✗",
    Status.NOT_ATTEMPTED: "○",
    Status.INCONCLUSIVE: "≈",
    Status.UNAVAILABLE: "–",
    Status.INFRA_ERROR: "!",
}

NAMES = {
    "todo": "to do",
    "changes": "extent of changes",
    "build": "build",
    "correctness": "correctness",
    "gradient": "gradient",
    "parts": "parts",
    "safety": "safety",
    "device_work": "device work",
    "dispatcher": "dispatcher",
    "packaging": "packaging",
    "measurements": "measurements",
    "accepts": "accepts",
    "kills": "kills",
    "efficiency": "efficiency",
    "performance": "performance",
    "answers": "answer sheet",
}

STANDING = {
    Status.PASS: "passed",
    Status.BUILD_ERROR: "does not build",
    Status.NOT_ATTEMPTED: "not begun",
    Status.INFRA_ERROR: "not judged",
    Status.UNAVAILABLE: "nothing could be judged",
}


def name_of(check: CheckResult) -> str:
    return NAMES.get(check.name, check.name.replace("_", " "))


def results_for(verdict: Verdict, check: str) -> list[CheckResult]:
    """What belongs to ``check`` of an exercise's scores: one result, none, or of ``parts`` one for each part.

    Parts have names of their own, unless nothing of them could be judged: then they are skipped as one.
    """
    named = [each for each in verdict.checks if each.name == check]
    if check == "parts" and not named:
        return [each for each in verdict.checks if each.name not in NAMES]
    return named


def standing(verdict: Verdict) -> str:
    """The verdict in a word or three."""
    if verdict.status is Status.NOT_ATTEMPTED and verdict.earned:
        return "not finished"
    return STANDING.get(verdict.status, "not passed")


def amount(value: float) -> str:
    """Points without a needless decimal: 40, 12.5."""
    return f"{value:g}"


def place(finding: ReportedFinding) -> str:
    """``Thread (67, 0, 0) of block (3, 0, 0), 29 times``, as far as known; or ``""``."""
    parts = []
    if finding.thread is not None and finding.block is not None:
        parts.append(f"Thread {finding.thread} of block {finding.block}")
    elif finding.block is not None:  # of Triton's programs, which have no threads of their own
        parts.append(f"Program {finding.block}")
    if finding.count > 1:
        parts.append(f"{finding.count} times" if parts else f"Seen {finding.count} times")
    return ", ".join(parts)


def first_of_each_line(findings: Iterable[ReportedFinding]) -> Iterator[tuple[ReportedFinding, bool]]:
    """Each finding, and whether it is the first of its line: a line of source is quoted once."""
    seen: set[tuple[str, int]] = set()
    for finding in findings:
        line = finding.file, finding.line
        yield finding, line not in seen
        seen.add(line)


def shown_checks(verdict: Verdict) -> tuple[list[CheckResult], list[str]]:
    """The checks worth a line, and a sentence for each reason why others were not judged."""
    shown = [check for check in verdict.checks if not check.sentence.startswith(NOT_JUDGED)]
    names: dict[str, list[str]] = {}
    for check in verdict.checks:
        if check not in shown:
            reason = check.sentence.removeprefix(NOT_JUDGED).strip(":. ")
            names.setdefault(reason, []).append(name_of(check))
    return shown, [
        f"{NOT_JUDGED}{f', since {reason}' if reason else ''}: {', '.join(left)}."
        for reason, left in names.items()
    ]
