"""Arrays in host memory, which travel to the device and back: was it a kernel that made what came back?

The runtime keeps a digest of every copy between host and device. A result whose bytes are those of one copy
from memory that kernels wrote is theirs; anything else was made on the host. And what goes to the device has
to be an argument: else the answer could be computed on the host, and a kernel would only carry it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy

from grader.run.inside.arguments import Given

Digest: TypeAlias = Callable[[int, int], int]  # of address and length
Line: TypeAlias = dict[str, Any]  # of the runtime's log of calls


def writers_of(array: numpy.ndarray[Any, Any], calls: Sequence[Line], digest: Digest) -> dict[str, int]:
    """All bytes of a returned array under ``kernel``, or all under ``host``."""
    content = _content(array, digest)
    copied = any(
        line["content"] == content and line["by_kernel"] == array.nbytes for line in _way("d2h", calls)
    )
    return {"kernel" if copied else "host": array.nbytes}


def foreign_copies(calls: Sequence[Line], given: Iterable[Given], digest: Digest) -> list[str]:
    """Copies to the device of something that is no argument of the call, in words."""
    lines = list(_way("h2d", calls))
    arrays = [each.value for each in given if lines and isinstance(each.value, numpy.ndarray)]
    known = {_content(array, digest) for array in arrays}
    return [f"{line['call']} of {line['bytes']} bytes" for line in lines if line["content"] not in known]


def _way(kind: str, calls: Sequence[Line]) -> Iterable[Line]:
    return (
        line for line in calls if line.get("kind") == kind and line.get("bytes") and not line.get("error")
    )


def _content(array: numpy.ndarray[Any, Any], digest: Digest) -> int:
    dense = numpy.ascontiguousarray(array)
    return digest(dense.ctypes.data, dense.nbytes)
