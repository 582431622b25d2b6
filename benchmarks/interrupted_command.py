"""`grader ARGUMENTS`, interrupted: ``python benchmarks/interrupted_command.py POINT ACTION STEPS ARGUMENTS``.

At step POINT (see tests/unit/interrupting.py; a request to a worker is one, too) this process is killed
("kill"), or its workers, its zygote or its compilers are ("worker", "zygote", "compiler"), or the disk is
full from there on ("full"). The number of steps goes into the file STEPS.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from grader.cli import main as grader_main
from tests.unit.interrupting import Steps

_COMPILERS = ("ninja", "g++", "c++", "cc1plus", "as", "ld", "collect2", "cicc", "ptxas", "nvcc")
_ZYGOTE = "grader.run.zygote"


class Commands(Steps):
    """Steps of a command: those of files, and the requests to its workers."""

    def _on(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.sendmsg":
            self._count_requests()
        super()._on(event, arguments)

    def _count_requests(self) -> None:
        module = sys.modules.get("grader.run.connection")
        connection = getattr(module, "Connection", None)
        if connection is None or hasattr(connection, "counted"):
            return
        connection.counted = True
        exchange = connection.exchange

        def counted(own: Any, *arguments: Any, **named: Any) -> Any:
            super(Commands, self)._on("os.kill", ())  # any step that takes no room
            return exchange(own, *arguments, **named)

        connection.exchange = counted


def main() -> int:
    point, action, steps_file = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    sys.argv = ["grader", *sys.argv[4:]]
    here = action in ("kill", "full", "")
    steps = Commands(point, action, None if here else lambda event: _kill(action))
    steps.arm()
    code = grader_main()
    descriptor = os.open(steps_file, os.O_RDWR)  # made before, where the disk is not full
    os.write(descriptor, str(steps.count).encode())
    os._exit(code)


def _kill(kind: str) -> None:
    for pid in _of_kind(kind):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _of_kind(kind: str) -> Iterator[int]:
    table = {}
    for place in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            name, rest = (place / "stat").read_text().partition("(")[2].rsplit(")", 1)
            words = (place / "cmdline").read_bytes().decode(errors="replace")
            table[int(place.name)] = (name, int(rest.split()[1]), words)
    own = {os.getpid()}
    while more := {pid for pid, (_, parent, _) in table.items() if parent in own} - own:
        own |= more
    for pid in own - {os.getpid()}:
        name, parent, words = table[pid]
        forked = parent in table and _ZYGOTE in table[parent][2]
        is_one = {
            "compiler": name in _COMPILERS,
            "zygote": _ZYGOTE in words and not forked,
            "worker": _ZYGOTE in words and forked,
        }
        if is_one[kind]:
            yield pid


if __name__ == "__main__":
    sys.exit(main())
