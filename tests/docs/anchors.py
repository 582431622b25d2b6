"""The anchors of a Markdown page, as the site has them: those written out, and those of its headings."""

from __future__ import annotations

import re
from pathlib import Path


def anchors(page: Path) -> set[str]:
    text = page.read_text(encoding="utf-8")
    written = re.findall(r"\{ #([\w-]+) \}", text)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {*written, *(_of_heading(heading) for heading in headings)}


def _of_heading(heading: str) -> str:
    """Python-Markdown's rule: lower case, nothing but letters, digits, underscores and hyphens."""
    words = re.sub(r"[^\w\s-]", "", heading.encode("ascii", "ignore").decode()).strip().lower()
    return re.sub(r"[-\s]+", "-", words)
