"""The time, memory and output that a worker may use, and how the limits are enforced.

Time is the parent's to enforce (`grader.support.deadlines`); what the kernel can enforce is set in the worker
before it loads anything. Never RLIMIT_AS, which breaks CUDA and the compiler. RLIMIT_NPROC counts all the
user's processes, and since Linux 5.14 those of a user namespace for themselves: it is set inside one, and
nowhere else.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
from dataclasses import dataclass
from pathlib import Path

from grader.support.deadlines import processes

_COUNTS_IN_NAMESPACES = (5, 14)
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def _default_memory_bytes() -> int:
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(2 * 2**30, min(16 * 2**30, physical * 3 // 4))


@dataclass(frozen=True)
class Limits:
    """Bounds of one worker.

    `seconds` is the worker's own time per request and `load_seconds` for loading; `memory_bytes` bounds
    writable private memory, `file_bytes` each file written, `printed_bytes` the output of one request,
    `reply_bytes` the size of a reply. `processes`, threads included, holds for a sandbox.
    """

    seconds: float = 30.0
    load_seconds: float = 60.0
    memory_bytes: int = _default_memory_bytes()
    file_bytes: int = 256 * 2**20
    printed_bytes: int = 64 * 2**20
    reply_bytes: int = 4 * 2**30
    processes: int = 256 + 8 * (os.cpu_count() or 1)

    @classmethod
    def for_strangers(cls) -> Limits:
        """The grader copies a reply before it looks at it: a stranger's may not take all of its memory."""
        return cls(reply_bytes=2**30)


def apply(memory_bytes: int, file_bytes: int, processes: int = 0) -> None:
    """Set this process's limits; an already lower hard limit stays.

    `processes` is for a process in a user namespace of its own, and 0 anywhere else.
    """
    _set(resource.RLIMIT_DATA, memory_bytes)
    _set(resource.RLIMIT_FSIZE, file_bytes)
    _set(resource.RLIMIT_CORE, 0)
    if processes and processes_are_counted_in_namespaces():
        _set(resource.RLIMIT_NPROC, processes)
    with contextlib.suppress(OSError):  # when memory runs out, this process goes and not the grader
        Path("/proc/self/oom_score_adj").write_text("1000")


def processes_are_counted_in_namespaces() -> bool:
    """Whether RLIMIT_NPROC leaves out the user's processes outside of a user namespace."""
    major, minor = os.uname().release.split(".")[:2]
    return (int(major), int("".join(filter(str.isdecimal, minor)) or 0)) >= _COUNTS_IN_NAMESPACES


def _set(which: int, bound: int) -> None:
    hard = resource.getrlimit(which)[1]
    bound = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
    resource.setrlimit(which, (bound, bound))


def die_with_parent(expected_parent: int) -> None:
    """SIGKILL this process when the thread that started it ends; exit at once if that has happened."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != expected_parent:
        os._exit(0)


def adopt_orphans() -> None:
    """Make this process the parent of its descendants' orphans, so that none escapes by forking twice."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, argument: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(argument), 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl failed")


def children_of(parent: int) -> list[int]:
    """The direct children of `parent`, zombies included."""
    return [pid for pid, (above, _) in processes().items() if above == parent]
