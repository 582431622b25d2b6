"""Puts recorded measurements into the lessons; with ``--check`` only compares.

What ``benchmarks/lessons.py --record`` wrote to ``benchmarks/results/lesson_SLUG.md`` becomes
``docs/_generated/measured/SLUG.md``, which the lesson includes; a lesson may ask for more (``ALSO``).
Without a record the lesson says so.
"""

from __future__ import annotations

import sys
from pathlib import Path

COURSE = Path(__file__).resolve().parent.parent.parent
FOLDER = COURSE / "docs" / "_generated" / "measured"
RESULTS = COURSE / "benchmarks" / "results"
ALSO = {"02_elementwise_mult": "edit_to_verdict*.md"}  # its lesson is about the time that a build takes
NOTHING = "*No run of this exercise on a GPU has been recorded yet.*\n"


def render(record: Path) -> str:
    """The record without its title: a line on where it was measured, then its tables."""
    lines = record.read_text(encoding="utf-8").splitlines()[1:]
    facts = dict(line[2:].split(": ", 1) for line in lines if line.startswith("- ") and ": " in line)
    rest = "\n".join(line for line in lines if not line.startswith("- ")).strip()
    where = facts["processor"] if facts["GPU"] == "none" else facts["GPU"]
    return f"Measured on {where}, torch {facts['torch']}, nvcc {facts['nvcc']}, {facts['date']}:\n\n{rest}\n"


def main(check: bool) -> int:
    stale = []
    for exercise in sorted((COURSE / "exercises").iterdir()):
        if not (exercise / "exercise.toml").is_file():
            continue
        target = FOLDER / f"{exercise.name}.md"
        records = [
            *RESULTS.glob(f"lesson_{exercise.name}.md"),
            *sorted(RESULTS.glob(ALSO.get(exercise.name, "-"))),
        ]
        text = "\n".join(render(record) for record in records) or NOTHING
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            stale.append(target.name)
            if not check:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
    if check and stale:
        print(f"not up to date: {', '.join(stale)}. Run: python docs/_build/measured.py")
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main("--check" in sys.argv[1:]))
