"""Texts of a message and of a submission, cleaned of what could disturb a terminal or a reader."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

from grader.run.wire import WireError

_MAX_DEPTH = 24


def encode_text(document: Any) -> bytes:
    """`document` as UTF-8 JSON."""
    return json.dumps(document, separators=(",", ":")).encode("utf-8", "replace")


def decode_text(text: bytes | bytearray | memoryview) -> dict[str, Any]:
    """The JSON object in `text`, its strings cleaned of what could disturb a terminal; raises
    `WireError`.
    """
    try:
        decoded = bytes(text).decode("utf-8")
        document = json.loads(decoded, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise WireError("sent text that is not JSON") from error
    if not isinstance(document, dict):
        raise WireError("sent text that is not a JSON object")
    if "\\" not in decoded and decoded.isascii() and decoded.isprintable():
        return document
    cleaned = _cleaned(document, _MAX_DEPTH)
    assert isinstance(cleaned, dict)
    return cleaned


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")


def _cleaned(value: Any, depth: int) -> Any:
    if depth == 0:
        raise WireError("sent text that is nested too deeply")
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item, depth - 1) for item in value]
    if isinstance(value, dict):
        return {clean(key): _cleaned(item, depth - 1) for key, item in value.items()}
    return value


def clean(text: str) -> str:
    """`text` with its line ends and tabs, and nothing else that a terminal acts upon.

    Whatever prints nothing becomes a replacement mark: control characters, terminal escapes among them, marks
    that turn the direction of writing, lone surrogates, characters without a width. Spaces become spaces.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in "\n\t" or c.isprintable() else _shown(c) for c in text)


def one_line(text: str) -> str:
    """The same on one line: a sentence that quotes a submission cannot begin a line of its own."""
    if text.isascii() and text.isprintable():
        return text
    return clean(" ".join(line.strip() for line in text.split("\n")) if "\n" in text else text).replace(
        "\t", " "
    )


def lines_of(text: str) -> list[str]:
    """The lines of a text that is shown as it is, each of which is one."""
    return [clean(line) for line in text.replace("\r\n", "\n").split("\n")]


def _shown(character: str) -> str:
    return " " if unicodedata.category(character) == "Zs" else "\ufffd"
