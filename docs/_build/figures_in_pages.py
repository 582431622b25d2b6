"""Puts each figure's narrow layout beside it, and says how large it was drawn. mkdocs calls these hooks.

The stylesheet shows one of the two layouts, and no figure larger than is good for it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

COURSE = Path(__file__).resolve().parents[2]
_INCLUDE = re.compile(r'^--8<-- "docs/figures/(?P<name>\w+)\.svg"$', re.MULTILINE)
_DRAWN = re.compile(r'(?P<begin><svg class="fig[^"]*"[^>]*? viewBox="0 0 (?P<width>[\d.]+) [\d.]+")')


def on_page_markdown(markdown: str, **_: Any) -> str:
    """After the wide layout, which an include brings in, the narrow one."""
    return _INCLUDE.sub(lambda include: f"{include[0]}{_narrow(include['name'])}", markdown)


def on_page_content(content: str, **_: Any) -> str:
    """The width of the drawing, for a stylesheet's max-width."""
    return _DRAWN.sub(lambda svg: f'{svg["begin"]} style="--drawn: {svg["width"]}px"', content)


def _narrow(name: str) -> str:
    folder = str(Path(__file__).resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    from narrow_figures import LAYOUTS
    from narrow_layout import narrowed

    svg = (COURSE / "docs" / "figures" / f"{name}.svg").read_text(encoding="utf-8")
    narrow = narrowed(svg, LAYOUTS.get(name))
    return f"\n{narrow}" if narrow else ""
