"""Lead from a verdict to the site of a class: its readers need not have the folder `docs/`."""

from __future__ import annotations

import re
from dataclasses import replace

from grader.verdict import CheckResult, Verdict

_PAGE = re.compile(r"\bdocs/([\w/-]+)\.md\b(#[\w-]+)?")


def at_site(verdict: Verdict, site: str) -> Verdict:
    """``verdict`` with addresses of pages at ``site`` in the place of paths; as it is where there is none."""
    if not site:
        return verdict
    return replace(verdict, checks=tuple(_linked(check, site.rstrip("/")) for check in verdict.checks))


def _linked(check: CheckResult, site: str) -> CheckResult:
    def linked(text: str) -> str:
        return _PAGE.sub(lambda page: f"{site}/{page[1]}/{page[2] or ''}", text)

    findings = tuple(
        replace(each, sentence=linked(each.sentence), rule=linked(each.rule)) for each in check.findings
    )
    return replace(check, sentence=linked(check.sentence), lesson=linked(check.lesson), findings=findings)
