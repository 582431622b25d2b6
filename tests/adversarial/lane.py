"""A lane of isolated submissions without a device: the attacker comes first, somebody honest right after."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.run import Limits, Zygote, landlock, sandbox, seccomp
from grader.run.session import Session
from tests.adversarial.submissions import HONEST, assert_serves

LIMITS = Limits(
    seconds=20.0,
    load_seconds=20.0,
    memory_bytes=2**30,
    file_bytes=2**20,
    printed_bytes=2**23,
    reply_bytes=2**24,
    processes=40 + 8 * (os.cpu_count() or 1),
)
# What attackers' sources begin with.
TOOLS = """
import ctypes, errno, os, resource, signal, socket, struct, threading, time
libc = ctypes.CDLL(None, use_errno=True)
zygote = os.getppid()

def refused(call, *arguments):
    '''The name of the error of a system call, or what it returned.'''
    ctypes.set_errno(0)
    result = call(*arguments)
    return errno.errorcode[ctypes.get_errno()] if result == -1 else str(result)

def attempt(action):
    try:
        return str(action())
    except OSError as error:
        return errno.errorcode[error.errno]
    except BaseException as error:
        return type(error).__name__
"""


def why_not_isolated() -> str:
    """Why bubblewrap cannot be used here; empty if it can."""
    if shutil.which("bwrap") is None:
        return "needs bubblewrap: apt install bubblewrap"
    why = sandbox.why_unusable()
    return f"bubblewrap does not work here: {why}" if why else ""


def why_not_reusable() -> str:
    """Why one zygote may not serve several submissions here; empty if it may."""
    if not seccomp.is_supported():
        return "needs x86-64 or arm64, whose system calls are known"
    return why_not_isolated() or ("" if landlock.version() else "needs Landlock (Linux 5.13 or newer)")


isolated = pytest.mark.skipif(bool(why_not_isolated()), reason=why_not_isolated() or "usable")
reusable = pytest.mark.skipif(bool(why_not_reusable()), reason=why_not_reusable() or "usable")


class Lane:
    """Submissions of one zygote, each in a folder of its own."""

    def __init__(self, zygote: Zygote, spool: Path) -> None:
        self.zygote = zygote
        self.spool = spool

    @contextmanager
    def submission(self, name: str, source: str) -> Iterator[Session]:
        """Load ``op.py`` with this text, and clear the lane in the end, as between two gradings."""
        folder = self.spool / name
        folder.mkdir(exist_ok=True)
        (folder / "op.py").write_text(TOOLS + textwrap.dedent(source) + "\n" + HONEST)
        try:
            with self.zygote.spawn_worker() as session:
                session.limits = self.zygote.limits
                session.load(None, folder / "op.py", folder)
                yield session
        finally:
            self.zygote.clear()

    def ask(self, source: str) -> list[object]:
        """What the attacker's ``attack()`` returns."""
        with self.submission("attacker", source) as session:
            reply = session.call("attack", [])
            assert reply.error is None, reply.error
            return [output.value for output in reply.outputs]

    def assert_next_is_served(self) -> None:
        """Somebody honest comes next, and gets the right answer from the same zygote."""
        with self.submission("honest", "") as session:
            assert_serves(session)
