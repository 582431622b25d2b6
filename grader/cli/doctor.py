"""`grader doctor`: what this machine has and lacks, line by line, with the exact fix."""

from __future__ import annotations

from grader.cli.probes import State, probe_all

_WORDS: dict[State, str] = {"ok": "ok", "optional": "optional", "problem": "PROBLEM"}


def examine() -> int:
    """Prints the report. Returns 3 when something must be repaired before anything can be graded, else 0."""
    lines = probe_all()
    width = max(len(line.name) for line in lines)
    for line in lines:
        print(f"{_WORDS[line.state]:<8}  {line.name:<{width}}  {line.found}")
        if line.fix:
            print(f"{'':<8}  {'':<{width}}  -> {line.fix}")
    problems = [line.name for line in lines if line.state == "problem"]
    print()
    if problems:
        print(f"Repair first: {', '.join(problems)}. Then run: grader doctor")
        return 3
    print("This machine can grade. Next: grader list")
    return 0
