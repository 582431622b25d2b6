"""Prints what takes long, and what the access checks found, at the end of a program."""

from __future__ import annotations

import sys

from cusimt.findings import explain
from cusimt.programs.child_findings import Collected
from cusimt.support.words import counted

SAMPLED_RUN = (
    "A sampled run. Its values mean nothing: blocks that were skipped wrote nothing. They may also have "
    "faults that\nwere not found, and a finding in a kernel that reads what they should have written may be "
    "false: confirm it\nin a whole run. Uninitialised reads of global memory are not reported. What ran:"
)


def print_progress(sentence: str) -> None:
    """Print to stderr what takes half a minute or more."""
    print(f"cusimt: {sentence}", file=sys.stderr, flush=True)


def print_collected(collected: Collected) -> int:
    """Print to stderr what was found, and what nothing was looked for in; returns the number of findings."""
    if collected.sampled:
        print(f"\n{SAMPLED_RUN}", file=sys.stderr)
        for launch in collected.sampled:
            print(f"    {launch.sentence}", file=sys.stderr)
    for kernel in collected.unchecked:
        print(f"\n{kernel.sentence}", file=sys.stderr)
    for finding in collected.findings:
        print(f"\n{explain(finding)}", file=sys.stderr)
    number = len(collected.findings)
    if number:
        found = counted(number, "finding")
        print(f"\n{found} of the access checks; --no-checks runs without them.", file=sys.stderr)
    return number
