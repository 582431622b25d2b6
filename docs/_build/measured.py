"""Puts recorded measurements into the lessons; with ``--check`` only compares.

What ``benchmarks/lessons.py --record`` wrote to ``benchmarks/results/lesson_SLUG.md`` becomes
``docs/_generated/measured/SLUG.md``, which the lesson includes; a lesson may ask for more (``ALSO``), and so
may a page that is no lesson (``PAGES``).
Without a record the lesson says so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from generated import bring_up_to_date

COURSE = Path(__file__).resolve().parent.parent.parent
FOLDER = COURSE / "docs" / "_generated" / "measured"
RESULTS = COURSE / "benchmarks" / "results"
ALSO = {"02_elementwise_mult": "edit_to_verdict*.md"}  # its lesson is about the time that a build takes
PAGES = ("bindings",)  # pages that are no lesson, from NAME_*.md
NOTHING = "*No run of this exercise on a GPU has been recorded yet.*\n"


def render(record: Path) -> str:
    """The record without its title: a line on where it was measured, then its tables."""
    lines = record.read_text(encoding="utf-8").splitlines()[1:]
    facts = dict(line[2:].split(": ", 1) for line in lines if line.startswith("- ") and ": " in line)
    rest = "\n".join(line for line in lines if not line.startswith("- ")).strip()
    where = facts["processor"] if facts["GPU"] == "none" else facts["GPU"]
    return f"Measured on {where}, torch {facts['torch']}, nvcc {facts['nvcc']}, {facts['date']}:\n\n{rest}\n"


def pages() -> Iterator[tuple[Path, str]]:
    for facts in sorted((COURSE / "exercises").glob("*/exercise.toml")):
        slug = facts.parent.name
        records = [*RESULTS.glob(f"lesson_{slug}.md"), *sorted(RESULTS.glob(ALSO.get(slug, "-")))]
        yield FOLDER / f"{slug}.md", "\n".join(render(record) for record in records) or NOTHING
    for name in PAGES:
        records = sorted(RESULTS.glob(f"{name}_*.md"))
        yield FOLDER / f"{name}.md", "\n".join(render(record) for record in records)


if __name__ == "__main__":
    raise SystemExit(bring_up_to_date(pages(), "--check" in sys.argv[1:], "measured.py"))
