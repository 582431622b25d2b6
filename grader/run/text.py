"""The text part of a message: JSON, cleaned of what could disturb who reads it."""

from __future__ import annotations

import json
from typing import Any

from grader.run.wire import WireError

_MAX_DEPTH = 24


def encode_text(document: Any) -> bytes:
    """``document`` as UTF-8 JSON."""
    return json.dumps(document, separators=(",", ":")).encode("utf-8", "replace")


def decode_text(text: bytes | bytearray | memoryview) -> dict[str, Any]:
    """The JSON object in ``text``, its strings cleaned of what could disturb a terminal; raises
    ``WireError``.
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
    """``text`` without control characters (terminal escapes among them) and without lone surrogates."""
    if text.isascii() and text.isprintable():
        return text
    kept = "".join(c if c in "\n\t" or (ord(c) >= 32 and not 127 <= ord(c) < 160) else "\ufffd" for c in text)
    return kept.encode("utf-8", "replace").decode("utf-8")
