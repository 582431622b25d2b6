"""The records that this process's runtime keeps: `simt_take_*` of include/simt_api.h, read as JSON."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
from collections.abc import Mapping
from typing import Any, Literal

Record = Mapping[str, Any]
"""One JSON record of the runtime: a finding, a launch, the counts of a launch or an API call."""


@functools.cache
def load_runtime() -> ctypes.CDLL:
    """The runtime library of this process, loaded on first use.

    Found once: where it is depends on the compiler, and a submission may change the environment later.
    """
    from cusimt.compiler import libraries

    # A sandboxed worker has it loaded, and may not read the build cache.
    with contextlib.suppress(OSError):
        return ctypes.CDLL(str(libraries.runtime_path()), mode=os.RTLD_NOLOAD)
    return ctypes.CDLL(str(libraries.runtime_library()))


def take_records(kind: Literal["findings", "launches", "counts", "api_calls"]) -> list[dict[str, Any]]:
    """Remove the records of one kind from the runtime and return them."""
    take = load_runtime()[f"simt_take_{kind}"]
    take.restype = ctypes.c_char_p
    return [json.loads(line) for line in (take() or b"").decode("utf-8", "replace").splitlines()]
