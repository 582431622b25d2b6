"""Long lines of code wrap, indented by a little more than the line they continue. mkdocs calls this hook.

The stylesheet wraps; only the page knows how far each line is indented. So every line of a highlighted block
gets its indentation, in characters, as a CSS variable.
"""

from __future__ import annotations

import html
import re
from typing import Any

# A line as pymdownx.highlight writes it: a span with an anchor for its number, then its text.
_LINE = re.compile(r'<span id="(?P<id>__span-[\d-]+)">(?P<anchor><a [^>]*></a>)(?P<text>[^\n]*)')
_BLANK = re.compile(r"(?:<span[^>]*>| )*")


def on_page_content(content: str, **_: Any) -> str:
    """Give each line of code its indentation."""
    return _LINE.sub(_indented, content)


def _indented(line: re.Match[str]) -> str:
    start = _BLANK.match(html.unescape(line["text"]))
    indent = start[0].replace("\N{NO-BREAK SPACE}", " ") if start else ""
    depth = re.sub(r"<[^>]*>", "", indent).count(" ")
    style = f' style="--indent:{depth}ch"' if depth else ""
    return f'<span id="{line["id"]}"{style}>{line["anchor"]}{line["text"]}'
