"""Arrays in host memory, which travel to the device and back: whether a kernel made the bytes that return.

The runtime keeps a digest of every copy between host and device. A result whose bytes are those of one copy
from memory that kernels wrote is theirs; anything else was made on the host. And what goes to the device has
to be an argument: else the answer could be computed on the host, and a kernel would only carry it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy

from grader.run.inside.arguments import Given
from grader.run.values import STRIDED_VIEW

Digest: TypeAlias = Callable[[int, int], int]  # of address and length
Line: TypeAlias = dict[str, Any]  # of the runtime's log of calls


def writers_of(array: numpy.ndarray[Any, Any], calls: Sequence[Line], digest: Digest) -> dict[str, int]:
    """All bytes of a returned array under `kernel`, or all under `host`."""
    content = _content(array, digest)
    copied = any(
        line["content"] == content and line["by_kernel"] == array.nbytes for line in _way("d2h", calls)
    )
    return {"kernel" if copied else "host": array.nbytes}


def foreign_copies(calls: Sequence[Line], given: Sequence[Given], digest: Digest) -> list[str]:
    """Copies to the device of something that is no argument of the call, in words."""
    lines = list(_way("h2d", calls))
    arrays = [each.value for each in given if lines and isinstance(each.value, numpy.ndarray)]
    known = {_content(array, digest) for array in arrays}
    strided = [each for each in given if lines and _is_strided(each.value)]
    return [
        f"{line['call']} of {line['bytes']} bytes{_taken_for_dense(line, strided, digest)}"
        for line in lines
        if line["content"] not in known
    ]


def _is_strided(value: Any) -> bool:
    """Whether it is an array whose elements are in order but not contiguous."""
    return (
        isinstance(value, numpy.ndarray)
        and not value.flags.c_contiguous
        and all(stride >= 0 for stride in value.strides)
    )


def _taken_for_dense(line: Line, strided: Iterable[Given], digest: Digest) -> str:
    """Which strided array was copied as if it were dense; or `""`."""
    for each in strided:
        array = each.value
        span = array.itemsize + sum(
            stride * (extent - 1) for stride, extent in zip(array.strides, array.shape, strict=True)
        )
        if 0 < line["bytes"] <= span and digest(array.ctypes.data, line["bytes"]) == line["content"]:
            count = line["bytes"] // array.itemsize
            return f": {count} consecutive elements of `{each.name}`, {STRIDED_VIEW}"
    return ""


def _way(kind: str, calls: Sequence[Line]) -> Iterable[Line]:
    return (
        line for line in calls if line.get("kind") == kind and line.get("bytes") and not line.get("error")
    )


def _content(array: numpy.ndarray[Any, Any], digest: Digest) -> int:
    dense = numpy.ascontiguousarray(array)
    return digest(dense.ctypes.data, dense.nbytes)
