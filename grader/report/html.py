"""A verdict as a self-contained HTML page: no script, no font, no request; foreign text is escaped.

``verdict_html`` is a fragment for a page of somebody else's, such as a notebook's output or nbgrader's
feedback; ``page`` is a document. The templates are in ``templates``.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cusimt.support.markup import environment
from grader.report.html_pictures import request_picture
from grader.report.stylesheet import LOOK, PAGE
from grader.report.words import (
    ENDED,
    MARKS,
    amount,
    first_of_each_line,
    name_of,
    place,
    shown_checks,
    standing,
)
from grader.verdict import CheckResult, Status, Verdict

_KINDS = {
    Status.PASS: "good",
    Status.NOT_ATTEMPTED: "open",
    Status.INCONCLUSIVE: "open",
    Status.UNAVAILABLE: "dim",
    Status.INFRA_ERROR: "open",
}
SHOWN_FINDINGS = 12

# A browser that finds a script, a font or an address in spite of all escaping neither runs nor fetches it.
POLICY = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
)


def verdict_html(verdict: Verdict) -> str:
    """One verdict as a ``div`` with its own stylesheet."""
    return _TEMPLATES.get_template("fragment.html").render(verdict=verdict)


def page(verdicts: Sequence[Verdict], notes: Sequence[str] = ()) -> str:
    """A document with these verdicts below ``notes``, light or dark as the reader's system is."""
    return _TEMPLATES.get_template("page.html").render(verdicts=verdicts, notes=notes)


def _counted(verdict: Verdict) -> list[CheckResult]:
    return [check for check in verdict.checks if check.status.counts and check.out_of > 0]


def _earned_percent(check: CheckResult) -> float:
    return 100 * min(max(check.points / check.out_of, 0.0), 1.0)


def _case_facts(check: CheckResult) -> dict[str, str]:
    """What is known of the case that failed."""
    index = ", ".join(map(str, check.index)) if check.index is not None else ""
    facts = {
        "case": check.case,
        "input": check.input,
        "first difference at": f"[{index}]" if index else "",
        "expected": check.expected,
        "got": check.got,
    }
    return {name: value for name, value in facts.items() if value}


def _kind(status: Status) -> str:
    return _KINDS.get(status, "bad")


_TEMPLATES = environment(
    __package__,
    LOOK=Markup(LOOK), PAGE=Markup(PAGE), POLICY=Markup(POLICY), MARKS=MARKS, ENDED=ENDED,
    SHOWN_FINDINGS=SHOWN_FINDINGS, amount=amount, case_facts=_case_facts, counted=_counted,
    earned_percent=_earned_percent, first_of_each_line=first_of_each_line, kind=_kind, name_of=name_of,
    place=place, request_picture=lambda *given: Markup(request_picture(*given)), shown_checks=shown_checks,
    standing=standing,
)  # fmt: skip
