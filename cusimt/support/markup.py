"""Pages of HTML: text from a submission or its compiler is neither markup in them nor invisible."""

from __future__ import annotations

import re
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

__all__ = ["environment", "visible"]

# Terminal escape sequences: colours and cursor moves (CSI), titles and links (OSC).
_TERMINAL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
# What no reader can see: control characters, marks that reorder what stands around them, half characters,
# and what XML 1.0 forbids. Line feeds and tabs stay.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_LONGEST = 100_000  # characters of one text: a page has to open


def visible(text: object) -> str:
    """`text` with the replacement character for each that cannot be seen, and cut where it is endless."""
    shown = _INVISIBLE.sub("\ufffd", _TERMINAL.sub("", str(text)))
    if len(shown) <= _LONGEST:
        return shown
    return f"{shown[:_LONGEST]}\n… and {len(shown) - _LONGEST} more characters"


def environment(package: str, **names: Any) -> Environment:
    """The templates of `package`, which know `names`; text other than `Markup` is escaped in them."""
    made = Environment(
        loader=PackageLoader(package), autoescape=True, finalize=_shown, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.globals.update(names)
    return made


def _shown(value: object) -> object:
    return value if isinstance(value, Markup) else visible(value)
