"""Look-alikes as one self-contained HTML page: the matching passages side by side."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from grader.instruct.similarity.compare import LookAlike
from grader.instruct.similarity.passages import Passage, Side

_STYLE = """
:root { color-scheme: light dark; --edge: #8886; --head: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 90rem; margin: 2rem auto; padding: 0 1rem; }
summary { cursor: pointer; padding: .4rem 0; }
meter { width: 6rem; vertical-align: middle; }
.passage { display: grid; grid-template-columns: 1fr 1fr; gap: 1px; background: var(--edge);
  border: 1px solid var(--edge); margin: .6rem 0; }
.side { background: Canvas; min-width: 0; }
.where { font-size: .85rem; background: var(--head); padding: .1rem .5rem; }
pre { margin: 0; padding: .5rem; overflow-x: auto; font: .85rem/1.4 ui-monospace, monospace; }
"""
_WHAT_IT_IS = (
    "These are hints for a person who then reads both texts. A short exercise has few good answers; "
    "students who discussed it, used the same book or the same formatter can write similar code without "
    "any misconduct. Nothing here is a verdict, and no mark depends on it."
)


def look_alikes_page(pairs: Sequence[LookAlike], title: str) -> str:
    """A whole document; everything in it that somebody handed in is escaped."""
    body = "\n".join(_pair(pair) for pair in pairs) or "<p>No pair has enough in common to be shown.</p>"
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n'
        f"<body><h1>{escape(title)}</h1>\n<p>{_WHAT_IT_IS}</p>\n{body}\n</body></html>\n"
    )


def _pair(pair: LookAlike) -> str:
    found = "\n".join(_passage(passage, pair) for passage in pair.passages)
    return (
        f'<details><summary><meter min="0" max="1" value="{pair.overlap}">{pair.overlap}</meter> '
        f"<b>{pair.overlap:.2f}</b> {escape(pair.exercise)}: {escape(pair.sentence)}</summary>\n"
        f"{found}\n</details>"
    )


def _passage(passage: Passage, pair: LookAlike) -> str:
    sides = _side(passage.first, pair.first) + _side(passage.second, pair.second)
    return f'<div class="passage">{sides}</div>'


def _side(side: Side, author: str) -> str:
    return (
        f'<div class="side"><div class="where">{escape(author)}, {escape(side.where)}</div>'
        f"<pre>{escape(chr(10).join(side.text))}</pre></div>"
    )
