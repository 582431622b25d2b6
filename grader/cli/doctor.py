"""`grader doctor`: what this machine has and lacks, line by line, with the exact fix."""

from __future__ import annotations

from grader.cli.probe_line import Line, State
from grader.cli.probes import probe_extensions, probe_grading

_WORDS: dict[State, str] = {"ok": "ok", "optional": "optional", "warning": "WARNING", "problem": "PROBLEM"}


def examine() -> int:
    """Prints the report. Returns 3 when something must be fixed before anything can be graded, else 0."""
    lines, extensions = probe_grading(), probe_extensions()
    width = max(len(line.name) for line in lines + extensions)
    _print(lines, width)
    print("\nFor extensions that you build without the grader, with load() or setup.py:")
    _print(extensions, width)
    problems = [line.name for line in lines if line.state == "problem"]
    print()
    if problems:
        print(f"Fix first: {', '.join(problems)}. Then run: grader doctor")
        return 3
    print("This machine can grade. Next: grader list")
    return 0


def _print(lines: list[Line], width: int) -> None:
    margin = f"{'':<8}  {'':<{width}}"
    for line in lines:
        print(f"{_WORDS[line.state]:<8}  {line.name:<{width}}  {line.found}")
        if line.fix:
            print(f"{margin}  -> {line.fix}")
        if line.read:
            print(f"{margin}     read {line.read}")
