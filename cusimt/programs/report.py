"""Prints what the access checks found, at the end of a program."""

from __future__ import annotations

import sys

from cusimt.findings import explain
from cusimt.programs.child_findings import Collected


def print_collected(collected: Collected) -> int:
    """Print to stderr what was found, and what nothing was looked for in; returns the number of findings."""
    for kernel in collected.unchecked:
        print(f"\n{kernel.sentence}", file=sys.stderr)
    for finding in collected.findings:
        print(f"\n{explain(finding)}", file=sys.stderr)
    number = len(collected.findings)
    if number:
        count = f"{number} finding" + ("s" if number > 1 else "")
        print(f"\n{count} of the access checks; --no-checks runs without them.", file=sys.stderr)
    return number
