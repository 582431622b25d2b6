"""Text from a submission or its compiler, made fit for HTML and XML: nothing in it is markup or invisible."""

from __future__ import annotations

import re
from html import escape

# Terminal escape sequences: colours and cursor moves (CSI), titles and links (OSC).
_TERMINAL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
# What no reader can see: control characters, marks that reorder what stands around them, half characters,
# and what XML 1.0 forbids. Line feeds and tabs stay.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_LONGEST = 100_000  # characters of one text: a page has to open


def visible(text: object) -> str:
    """``text`` with the replacement character for each that cannot be seen, and cut where it is endless."""
    shown = _INVISIBLE.sub("\ufffd", _TERMINAL.sub("", str(text)))
    if len(shown) <= _LONGEST:
        return shown
    return f"{shown[:_LONGEST]}\n… and {len(shown) - _LONGEST} more characters"


def markup(text: object) -> str:
    """The same, escaped for HTML, in elements and in quoted attributes."""
    return escape(visible(text))
