"""A verdict as HTML that stands alone: no script, no font, nothing fetched; what others wrote is escaped.

``verdict_html`` is a fragment for a page of somebody else's, such as a notebook's output or nbgrader's
feedback; ``page`` is a document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.report.html_look import LOOK, PAGE
from grader.report.html_pictures import request_picture
from grader.report.html_text import markup
from grader.report.words import ENDED, MARKS, amount, first_sights, name_of, place, standing, told
from grader.verdict import CheckResult, Finding, Status, Verdict

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
    return "\n".join([f'<div class="cu2grad"><style>{LOOK}</style>', *_verdict(verdict), "</div>", ""])


def page(verdicts: Sequence[Verdict]) -> str:
    """A document with these verdicts, light or dark as the reader's system is."""
    title = ", ".join(markup(verdict.exercise) for verdict in verdicts)
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            POLICY,
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Verdict on {title}</title><style>{LOOK}{PAGE}</style></head><body>",
            *(
                part
                for verdict in verdicts
                for part in ('<div class="cu2grad">', *_verdict(verdict), "</div>")
            ),
            "</body></html>",
            "",
        ]
    )


def _verdict(verdict: Verdict) -> Iterator[str]:
    kind = _kind(verdict.status)
    score = f"{amount(verdict.earned)} of {amount(verdict.out_of)} points"
    yield (
        f"<header><b>{markup(verdict.exercise)}</b> · {markup(verdict.title)} · {markup(verdict.backend)} · "
        f'<span class="standing {kind}">{MARKS[verdict.status]} {standing(verdict)}, {score}</span></header>'
    )
    yield _bar(verdict)
    shown, left = told(verdict)
    for number, check in enumerate(shown):
        yield from _check(check, f"v{verdict.seed}-{number}")
    yield from (f'<p class="dim">{markup(sentence)}</p>' for sentence in left)
    versions = ", ".join(f"{name} {version}" for name, version in verdict.versions.items())
    facts = [f"seed {verdict.seed}", f"{verdict.seconds:.1f} s", *([versions] if versions else [])]
    yield f'<footer class="dim">{markup(" · ".join(facts))}</footer>'


def _bar(verdict: Verdict) -> str:
    """The points of each check that counts, as wide as they weigh and as full as they were earned."""
    counted = [check for check in verdict.checks if check.status.counts and check.out_of > 0]
    pieces = "".join(
        f'<span style="flex: {check.out_of:g}" title="{markup(_named_points(check))}">'
        f'<i style="width: {100 * min(max(check.points / check.out_of, 0.0), 1.0):.0f}%"></i></span>'
        for check in counted
    )
    told = "; ".join(_named_points(check) for check in counted)
    return f'<div class="bar" role="img" aria-label="{markup(told)}">{pieces}</div>' if counted else ""


def _named_points(check: CheckResult) -> str:
    return f"{name_of(check)}: {amount(check.points)} of {amount(check.out_of)} points"


def _check(check: CheckResult, identity: str) -> Iterator[str]:
    kind = _kind(check.status)
    yield f'<section title="{markup(name_of(check))} {ENDED[check.status]}">'
    yield f'<span class="mark {kind}">{MARKS[check.status]}</span>'
    yield f'<h4 class="{kind}">{markup(name_of(check))}</h4>'
    yield f'<div class="told"><p>{markup(check.sentence)}</p>'
    yield from _values(check)
    findings = list(first_sights(check.findings))
    for number, (finding, is_new) in enumerate(findings[:SHOWN_FINDINGS]):
        yield from _finding(finding, number == 0, is_new, f"{identity}-{number}")
    if len(findings) > SHOWN_FINDINGS:
        yield f'<p class="dim">and {len(findings) - SHOWN_FINDINGS} more findings</p>'
    if check.lines:
        yield f"<pre>{markup(chr(10).join(check.lines))}</pre>"
    if check.lesson:
        yield f'<p class="dim">read <code>{markup(check.lesson)}</code></p>'
    counts = check.out_of and check.status.counts
    points = f"{amount(check.points)}/{amount(check.out_of)}" if counts else ""
    yield f'</div><span class="points {kind}">{points}</span></section>'


def _values(check: CheckResult) -> Iterator[str]:
    """The case that failed, and its three values."""
    index = ", ".join(map(str, check.index)) if check.index is not None else ""
    facts = {
        "case": check.case,
        "input": check.input,
        "first difference at": f"[{index}]" if index else "",
        "expected": check.expected,
        "got": check.got,
    }
    rows = [
        f'<span class="dim">{name}</span><code>{markup(value)}</code>'
        for name, value in facts.items()
        if value
    ]
    if rows:
        yield f'<div class="values">{"".join(rows)}</div>'


def _finding(finding: Finding, known: bool, quoted: bool, identity: str) -> Iterator[str]:
    """A finding; when it is `known` from the check's sentence, only what that leaves out."""
    yield '<div class="finding">'
    if not known:
        where = f"<code>{markup(finding.where)}</code>: " if finding.where else ""
        yield f"<p>{where}{markup(finding.sentence)} {markup(finding.rule)}</p>"
    if finding.source and quoted:
        yield f"<pre>{finding.line:>5} │ {markup(finding.source.strip())}</pre>"
    if place(finding):
        yield f'<p class="dim">{markup(place(finding))}</p>'
    if finding.request is not None:
        yield request_picture(finding.request, finding.where, identity)
    yield "</div>"


def _kind(status: Status) -> str:
    return _KINDS.get(status, "bad")
