"""Turns every ``hints.md`` into collapsed rungs for its lesson; with ``--check`` only compares.

Run from the course folder: ``python docs/_build/hints.py``.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

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


def main(check: bool) -> int:
    stale = []
    for path in sorted(COURSE.glob("exercises/*/hints.md")):
        target, text = FOLDER / f"{path.parent.name}.md", render(path.read_text(encoding="utf-8"))
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            stale.append(target.name)
            if not check:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
    if check and stale:
        print(f"not up to date: {', '.join(stale)}. Run: python docs/_build/hints.py")
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main("--check" in sys.argv[1:]))
