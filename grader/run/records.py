"""Findings and calls of the runtime as a worker sent them: each field has to be one that the runtime writes.

What reads them afterwards goes by these forms, so a record of another form ends here, as a ``WireError``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from grader.run.wire import WireError

_MOST = 1 << 64
_LONGEST = 4096  # characters: a mangled name of a kernel, or a path


def findings(records: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The findings, each as `cusimt.findings.symbolise` takes it; else WireError."""
    found = tuple(records)
    if not all(map(_is_finding, found)):
        raise WireError("sent a finding that is none")
    return found


def api_calls(records: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The calls of the runtime, with texts and whole numbers alone besides their order; else WireError."""
    found = tuple(records)
    for each in found:
        named = _is_text(each.get("call")) and _is_text(each.get("kind")) and _has(each, _ORDER)
        rest = (value for name, value in each.items() if name not in _ORDER)
        if not named or not all(_is_text(value) or is_whole(value) for value in rest):
            raise WireError("sent a call of the runtime that is none")
    return found


def is_whole(value: Any, least: int = 0) -> bool:
    """Whether a value is a whole number that fits into 64 bits, and no bool."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < _MOST


def is_moment(value: Any) -> bool:
    """Whether a value is a place in the order of all work: a stream, and the work that it had by then."""
    pair = isinstance(value, list) and len(value) == 2
    return pair and is_whole(value[0], -_MOST) and is_whole(value[1])


def _is_finding(record: dict[str, Any]) -> bool:
    return bool(record.get("kind")) and _has(record, _FINDING)


def _has(record: Any, fields: Mapping[str, Callable[[Any], bool]]) -> bool:
    """Whether the fields that a record has are of their types; those that are not known are not looked at."""
    if not isinstance(record, dict):
        return False
    return all(name not in record or is_right(record[name]) for name, is_right in fields.items())


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST


def _is_text_or_none(value: Any) -> bool:
    return value is None or _is_text(value)


def _is_whole_or_none(value: Any) -> bool:
    return value is None or is_whole(value)


def _is_offset(value: Any) -> bool:
    return is_whole(value, -_MOST)


def _is_time(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value < _MOST  # NaN is neither


def _are_moments(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_moment, value))


def _are_places(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_whole, value))


def _is_triple(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(map(is_whole, value))


def _is_triple_or_none(value: Any) -> bool:
    return value is None or _is_triple(value)


def _is_allocation(value: Any) -> bool:
    names = ("base", "bytes", "offset", "device")
    return value is None or (isinstance(value, dict) and all(_is_offset(value.get(name)) for name in names))


def _is_party(value: Any) -> bool:
    if value is None:
        return True
    return _has(value, _PARTY) and all(_is_triple(value.get(name)) for name in ("block", "thread"))


def _is_tensor(value: Any) -> bool:
    if value is None:
        return True
    named = isinstance(value, dict) and _is_text(value.get("name")) and is_whole(value.get("itemsize"))
    return named and _is_offset(value.get("storage_offset", 0))


_ORDER = {
    "moment": is_moment,
    "after": _are_moments,
    **dict.fromkeys(("queued_us", "begin_us", "end_us"), _is_time),
}
_PARTY = {"pc": _is_whole_or_none, "access": _is_text_or_none}
_FINDING: dict[str, Callable[[Any], bool]] = {
    "kind": _is_text,
    **dict.fromkeys(("access", "array", "file", "kernel", "module", "note", "space"), _is_text_or_none),
    **dict.fromkeys(("address", "bytes", "count", "line", "pc"), _is_whole_or_none),
    **dict.fromkeys(("block", "thread"), _is_triple_or_none),
    "allocation": _is_allocation,
    "calls": _are_places,
    "other": _is_party,
    "tensor": _is_tensor,
}
