"""`grader doctor`: what this machine has and lacks, line by line, with the exact fix."""

from __future__ import annotations

import typer

from cusimt.doctor import conclude, show
from grader.cli.probes import probe_extensions, probe_grading


def examine() -> int:
    """Prints the report. Returns 3 when something must be fixed before anything can be graded, else 0."""
    lines, extensions = probe_grading(), probe_extensions()
    width = max(len(line.name) for line in lines + extensions)
    show(lines, width)
    print("\nFor extensions that you build without the grader, with load() or setup.py:")
    show(extensions, width)
    return conclude(lines, "grader doctor", "This machine can grade. Next: grader list")


def doctor_command() -> None:
    """Says what this machine has and lacks, with the exact fix for each line."""
    raise typer.Exit(examine())
