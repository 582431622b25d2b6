"""Why the values of a call are wrong, where that is known: it comes before any guess from the numbers."""

from __future__ import annotations

import re
from pathlib import Path

from grader.checks.bench import Bench, Call
from grader.checks.device.findings import seen_in
from grader.simt.findings import SUSPICIONS
from grader.verdict import Finding

# What makes values wrong. Streams are missing: the simulated GPU runs them in the order of the calls.
_SPOILS = frozenset(
    {
        "out_of_bounds", "use_after_free", "uninitialized_read", "host_pointer", "race_shared", "race_global",
        "copy_in_flight", "misaligned", "divergent_barrier", "deadlock", "barrier_count", "bad_mask", "trap",
        "illegal_instruction", "division_by_zero", "timeout", *SUSPICIONS,
    }
)  # fmt: skip


def cause_in(call: Call, files: Path) -> Finding | None:
    """The first thing that was seen in `call` and makes its values wrong, whatever they look like."""
    return next((each for each in seen_in([call], files, suspicions=True) if each.kind in _SPOILS), None)


def cause_of(bench: Bench, call: Call) -> str:
    """What explains wrong values of `call`, in words: what was seen, or else what the compiler warned of.

    With the rule where no safety check follows that says it.
    """
    cause = cause_in(call, bench.files)
    if cause is None:
        return _warned(bench.artifact.log) if bench.artifact is not None else ""
    place = f"{cause.where}: " if cause.where else ""
    rule = f" {cause.rule}" if bench.spec.part is not None else ""
    return f"{place}{cause.sentence}{rule}"


# g++ and nvcc, about a variable that is read before it has a value.
_UNSET = (
    re.compile(
        r"(?P<file>[\w.-]+):(?P<line>\d+):\d+: warning: ‘(?P<name>\w+)’ "
        r"[^\n]*\[-W(?:maybe-)?uninitialized\]"
    ),
    re.compile(r"(?P<file>[\w.-]+)\((?P<line>\d+)\): warning #549-D: variable \"(?P<name>\w+)\""),
)


def _warned(log: Path) -> str:
    """The first such variable in the compiler's output; also a warning may be mistaken."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = next((match for each in _UNSET if (match := each.search(text))), None)
    if found is None:
        return ""
    return (
        f"{found['file']}:{found['line']}: the compiler warns that `{found['name']}` may be read before it "
        "has a value: a local variable holds whatever was in its register."
    )
