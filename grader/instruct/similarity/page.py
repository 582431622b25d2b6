"""Similar submissions as one self-contained HTML page, the matching passages side by side."""

from __future__ import annotations

from collections.abc import Sequence

from cusimt.support.markup import environment
from grader.instruct.similarity.comparison import LookAlike


def look_alikes_page(pairs: Sequence[LookAlike], title: str, notes: Sequence[str] = ()) -> str:
    """A whole document, with ``notes`` first; everything in it that somebody handed in is escaped."""
    return _TEMPLATES.get_template("page.html").render(pairs=pairs, title=title, notes=notes)


_TEMPLATES = environment(__package__)
