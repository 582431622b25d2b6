"""What this process's runtime wrote down since it was last asked: `simt_take_*` of runtime/simt_api.h."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
from typing import Any, Literal


def runtime() -> ctypes.CDLL:
    """The runtime, loaded where it is not yet. A worker has it, and may not look into the cache."""
    from cusimt.compiler import native

    with contextlib.suppress(OSError):
        return ctypes.CDLL(str(native.runtime_path()), mode=os.RTLD_NOLOAD)
    return ctypes.CDLL(str(native.runtime_library()))


def take_records(kind: Literal["findings", "launches", "counts", "api_calls"]) -> list[dict[str, Any]]:
    """The records of that kind, which the runtime then forgets."""
    take = runtime()[f"simt_take_{kind}"]
    take.restype = ctypes.c_char_p
    return [json.loads(line) for line in (take() or b"").decode("utf-8", "replace").splitlines()]
