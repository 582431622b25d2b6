"""The commands that the parent and its zygote exchange: datagrams of one fixed form each way.

The zygote runs only our code, but beside learner code and with the same rights, so its answers are checked
too.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

_ORDER = struct.Struct("<IiIQQI")
_ANSWER = struct.Struct("<IiiiI")


class Command(IntEnum):
    """READY comes once, unasked; SPAWN, END and CLEAR are orders, answered in kind."""

    READY = 1
    SPAWN = 2
    END = 3
    CLEAR = 4


@dataclass(frozen=True)
class Order:
    """SPAWN a worker with these limits, END the worker `pid` after `grace_ms` milliseconds, or CLEAR: end
    all workers, and remove what they left in scratch folders. `processes` is 0 for no limit.

    A SPAWN carries two descriptors: the worker's connection, and where its stdout and stderr go.
    """

    command: Command
    pid: int = 0
    grace_ms: int = 0
    memory_bytes: int = 0
    file_bytes: int = 0
    processes: int = 0

    def pack(self) -> bytes:
        """The datagram."""
        return _ORDER.pack(
            self.command, self.pid, self.grace_ms, self.memory_bytes, self.file_bytes, self.processes
        )

    @classmethod
    def unpack(cls, datagram: bytes) -> Order:
        """The order in `datagram`."""
        command, *rest = _ORDER.unpack(datagram)
        return cls(Command(command), *rest)


@dataclass(frozen=True)
class Answer:
    """SPAWN: the worker's `pid` (in the zygote's namespace), with a pidfd. END: how the worker ended.

    `signal` is 0 unless a signal ended it, otherwise `exit_code` counts; `killed` says the zygote had
    to do it.
    """

    command: Command
    pid: int = 0
    signal: int = 0
    exit_code: int = 0
    killed: bool = False

    def pack(self) -> bytes:
        """The datagram."""
        return _ANSWER.pack(self.command, self.pid, self.signal, self.exit_code, self.killed)

    @classmethod
    def unpack(cls, datagram: bytes) -> Answer:
        """The answer in `datagram`; raises `ValueError` when it is none."""
        if len(datagram) != _ANSWER.size:
            raise ValueError("not an answer")
        command, pid, number, exit_code, killed = _ANSWER.unpack(datagram)
        return cls(Command(command), pid, number, exit_code, bool(killed))
