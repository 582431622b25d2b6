"""The runtime's findings of every call, in words."""

from __future__ import annotations

from grader.checks.bench import Bench
from grader.verdict import Finding


def in_words(bench: Bench) -> list[Finding]:
    """Symbolise and word what the checked build saw; empty when nothing was."""
    raw = [finding for call in bench.calls for finding in call.reply.trace.findings]
    if not raw:
        return []
    return [Finding(each["kind"], each.get("note", "")) for each in raw]
