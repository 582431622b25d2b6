"""Verdicts as JUnit XML, for GitLab, Jenkins and GitHub Actions.

A suite is an exercise, a case one of its checks. What was not right is a failure; what ended the program or
was the machine's fault is an error; an unjudged check is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from cusimt.support.markup import visible
from grader.report.plain import check_lines
from grader.verdict import CheckResult, Status, Verdict

_OUTCOMES = {
    Status.FAIL: "failure",
    Status.BUILD_ERROR: "failure",
    Status.NOT_ATTEMPTED: "failure",
    Status.CRASH: "error",
    Status.TIMEOUT: "error",
    Status.INFRA_ERROR: "error",
    Status.INCONCLUSIVE: "skipped",
    Status.UNAVAILABLE: "skipped",
}


def junit(verdicts: Sequence[Verdict]) -> str:
    """The XML document; times are in seconds."""
    root = ElementTree.Element("testsuites", {"name": "cu2grad", **_totals(verdicts)})
    for verdict in verdicts:
        named = {"name": visible(verdict.exercise), **_totals([verdict])}
        suite = ElementTree.SubElement(root, "testsuite", named)
        for check in verdict.checks:
            _case(suite, verdict, check)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _totals(verdicts: Sequence[Verdict]) -> dict[str, str]:
    outcomes = [_OUTCOMES.get(check.status) for verdict in verdicts for check in verdict.checks]
    return {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count("failure")),
        "errors": str(outcomes.count("error")),
        "skipped": str(outcomes.count("skipped")),
        "time": f"{sum(verdict.seconds for verdict in verdicts):.3f}",
    }


def _case(suite: ElementTree.Element, verdict: Verdict, check: CheckResult) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", classname=visible(verdict.exercise), name=visible(check.name),
        time=f"{check.seconds:.3f}",
    )  # fmt: skip
    outcome = _OUTCOMES.get(check.status)
    if outcome is not None:
        ended = ElementTree.SubElement(
            case, outcome, message=visible(check.sentence), type=check.status.value
        )
        ended.text = visible("\n".join(check_lines(check)))
