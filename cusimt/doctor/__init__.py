"""`cusimt doctor`: what this machine lacks for the simulated GPU, line by line, with the exact fix."""

from __future__ import annotations

from collections.abc import Sequence

from cusimt.doctor.line import Line, State, run
from cusimt.doctor.probes import PROBES, answers

__all__ = ["PROBES", "Line", "State", "answers", "conclude", "examine", "run", "show"]

_WORDS: dict[State, str] = {"ok": "ok", "optional": "optional", "warning": "WARNING", "problem": "PROBLEM"}


def examine() -> int:
    """Print the report. Returns 3 when something must be fixed before the simulated GPU works, else 0."""
    lines = answers(PROBES)
    show(lines, max(len(line.name) for line in lines))
    return conclude(
        lines, "python -m cusimt doctor", "CUDA programs run here. Next: python -m cusimt script.py"
    )


def conclude(lines: Sequence[Line], again: str, good: str) -> int:
    """Print `good` and return 0, or print what to fix before `again` is run, and return 3."""
    problems = [line.name for line in lines if line.state == "problem"]
    print(f"\nFix first: {', '.join(problems)}. Then run: {again}" if problems else f"\n{good}")
    return 3 if problems else 0


def show(lines: Sequence[Line], width: int) -> None:
    """Print the lines; their names are padded to `width`."""
    margin = f"{'':<8}  {'':<{width}}"
    for line in lines:
        print(f"{_WORDS[line.state]:<8}  {line.name:<{width}}  {line.found}")
        if line.fix:
            print(f"{margin}  -> {line.fix}")
        if line.read:
            print(f"{margin}     read {line.read}")
