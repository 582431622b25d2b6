"""Turns every ``hints.md`` into collapsed rungs for its lesson; with ``--check`` only compares.

Run from the course folder: ``python docs/_build/hints.py``.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from generated import bring_up_to_date

COURSE = Path(__file__).resolve().parent.parent.parent
FOLDER = COURSE / "docs" / "_generated" / "hints"


def render(hints: str) -> str:
    """One tab per section, with its rungs collapsed, each under its own heading."""
    pages = []
    for part in re.split(r"^# ", hints, flags=re.MULTILINE)[1:]:
        section, _, rungs = part.partition("\n")
        blocks = []
        for number, rung in enumerate(re.split(r"^## ", rungs, flags=re.MULTILINE)[1:], start=1):
            heading, _, body = rung.partition("\n")
            blocks.append(f'??? tip "{number} · {heading.strip()}"\n{textwrap.indent(body.strip(), "    ")}')
        inner = textwrap.indent("\n\n".join(blocks), "    ")
        pages.append(f'=== "{section.strip()}"\n\n{inner}')
    return "\n\n".join(pages) + "\n"


def pages() -> Iterator[tuple[Path, str]]:
    for path in sorted(COURSE.glob("exercises/*/hints.md")):
        yield FOLDER / f"{path.parent.name}.md", render(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    raise SystemExit(bring_up_to_date(pages(), "--check" in sys.argv[1:], "hints.py"))
