"""Landlock: a worker gives up, for good, the files and rights that learner code does not need.

Once confined, a process reads only the given folders, writes no file (so none of the build
cache, which other submissions are built from), starts no program, opens no TCP connection, and can neither
trace nor signal a process outside, such as its parent, whose verdict is at stake. It needs no privileges and
takes about a millisecond.

Linux has it since 5.13, with more of it in later versions; where there is none, nothing is confined. What is
already open stays open, and threads that already run stay free: so this comes before learner code, in a
process with one thread. https://docs.kernel.org/userspace-api/landlock.html
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same number on every architecture
_VERSION_FLAG = 1
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE
_FILE_ACCESS_BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many kinds each version knows
_NET_VERSION, _SCOPE_VERSION = 4, 6
_BIND_AND_CONNECT = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11

_libc = ctypes.CDLL(None, use_errno=True)


def version() -> int:
    """Of Landlock in this kernel; 0 where there is none."""
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)))


def confine(readable: Iterable[Path], writable: Iterable[Path] = (), listable: Iterable[Path] = ()) -> bool:
    """Confine the calling thread and all it starts to reading below `readable`; False without Landlock.

    With `writable` it is one that builds: it may do everything to files below these, and start the
    programs that it may read. Of what lies below `listable` it learns the names and no more. Raises OSError
    where there is Landlock and this process cannot be confined.
    """
    writable = list(writable)
    known = version()
    if known == 0:
        return False
    ruleset = _ruleset(known)
    try:
        for path in readable:
            _allow(ruleset, path, _READ_FILE | _READ_DIR | (_EXECUTE if writable else 0))
        for path in listable:
            _allow(ruleset, path, _READ_DIR)
        for path in writable:
            _allow(ruleset, path, _all_kinds(known) & ~_EXECUTE)
        _allow(ruleset, Path(os.devnull), _READ_FILE | _WRITE_FILE)
        if _libc.prctl(_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), 0, 0, 0) or _libc.syscall(
            _RESTRICT_SELF, ruleset, 0
        ):
            raise OSError(ctypes.get_errno(), "landlock_restrict_self failed")
        return True
    finally:
        os.close(ruleset)


def _ruleset(known: int) -> int:
    """A descriptor of a ruleset that forbids everything this version can forbid."""
    fields = [_all_kinds(known)]
    if known >= _NET_VERSION:
        fields.append(_BIND_AND_CONNECT)
    if known >= _SCOPE_VERSION:
        fields.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    descriptor = int(_libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0))
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset failed")
    return descriptor


def _all_kinds(known: int) -> int:
    """Every kind of access to files that version `known` distinguishes."""
    return (1 << _FILE_ACCESS_BITS.get(known, 16)) - 1


def _allow(ruleset: int, path: Path, access: int) -> None:
    """Allow `access` at `path` and below; a path that does not exist allows nothing."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            allowed = access if path.is_dir() else access & _OF_A_FILE
            rule = struct.pack("=Qi", allowed, beneath)
            _libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
        finally:
            os.close(beneath)
