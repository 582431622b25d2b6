"""Handles of libraries that a submission creates for itself, instead of taking PyTorch's.

On simt the runtime records every creation. A profiler of a GPU does not, so there the function that the
library imports is held against every call.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from cusimt.support.words import listed
from grader.checks.bench import Bench, Call
from grader.checks.device.call_sites import site_of
from grader.support.elf import read_library

_CREATES = re.compile(
    r"(?:cublas|cublasLt|cusparse|cusolver(?:Dn|Sp)|cudnn)Create(?:_v2)?|curandCreateGenerator(?:Host)?"
)


def own_handle(bench: Bench, call: Call) -> str | None:
    """What to say of a call that creates a library's handle; None if it does not."""
    if bench.exercise.copies:
        return None  # without PyTorch there is no handle to take
    names = _recorded(call) if bench.backend == "simt" else _imported(bench)
    if not names:
        return None
    return (
        f"{site_of(names, bench)}{call.text} called {listed(names)}. A handle brings a workspace of device "
        "memory, and waits for the device when it is destroyed; its stream is not the current one. PyTorch "
        "keeps one for each thread and device: at::cuda::getCurrentCUDABlasHandle() or "
        "getCurrentCUDASparseHandle()."
    )


def _recorded(call: Call) -> list[str]:
    made = (str(each.get("call", "")) for each in call.reply.trace.api_calls if each.get("kind") == "handle")
    return list(dict.fromkeys(made))


def _imported(bench: Bench) -> list[str]:
    return list(_creating(bench.artifact.path)) if bench.artifact and bench.exercise.vendor else []


@functools.lru_cache(maxsize=8)
def _creating(library: Path) -> tuple[str, ...]:
    symbols = (each.name for each in read_library(library).symbols if not each.defined)
    return tuple(name.removesuffix("_v2") for name in symbols if _CREATES.fullmatch(name))
