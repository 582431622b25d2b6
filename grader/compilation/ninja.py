"""Writes a ninja file of explicit commands and runs it, in a sandbox where the sources are a stranger's."""

from __future__ import annotations

import os
import re
import select
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from cusimt.support.toolchain import ninja
from grader.support import machine
from grader.support.deadlines import Deadline
from grader.support.processes import kill_group

TIMEOUT_SECONDS = 600.0  # of the compilers' own time, as in grader.support.deadlines
ENCLOSED_SECONDS = 240.0  # a stranger's kernel takes as long as ours, which is half a minute
MOST_LOG_BYTES = 32 * 2**20
MOST_FILE_BYTES = 2 * 2**30  # of one output: precompiled headers, the largest there are, have 0.8 GB
# g++: "Killed signal terminated program cc1plus"; nvcc: "'cicc' died due to signal 9"; ninja: "[code=137]".
_KILLED = re.compile(r"Killed signal terminated program|died due to signal 9|^FAILED: \[code=137\]", re.M)
_NO_ROOM = re.compile(r"No space left on device|Disk quota exceeded|Read-only file system|Input/output error")


@dataclass(frozen=True)
class Edge:
    """One command that makes `output` out of `inputs`."""

    output: Path
    inputs: tuple[Path, ...]
    command: tuple[str, ...]


@dataclass(frozen=True)
class NinjaRun:
    """Whether every command succeeded, and everything that ninja and the commands printed.

    Where they were `stopped`, an output that is there may be half of one. `killed`: a signal ended one of
    them, which anybody on this machine, or its lack of memory, may have sent.
    """

    ok: bool
    log: str
    stopped: bool = False
    killed: bool = False


class Enclosure(Protocol):
    """The sandbox of one command."""

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The descriptors that the command inherits."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of bubblewrap; inside, there is the one that the sandbox was made with."""

    def around(self, command: Sequence[str]) -> list[str]:
        """The command line that runs `command` inside."""

    def close(self) -> None:
        """Release its resources when the command has ended."""


# Of what may be read, what may be written, and the environment.
Enclose: TypeAlias = Callable[[Iterable[Path], Iterable[Path], Mapping[str, str]], Enclosure]


def run(
    edges: Sequence[Edge], folder: Path, *, verbose: bool = False, enclose: Enclose | None = None,
    begun: Callable[[], None] = lambda: None,
) -> NinjaRun:  # fmt: skip
    """Run `edges` in dependency order, as many at once as there are cores.

    One failure does not stop the others. `folder` is a scratch folder: build.ninja and ninja's own records
    are put there, and commands run in it. With `enclose` they read what they name, write beside their outputs
    and in `folder`, and nothing else. `begun` is called when they run.

    Raises InfrastructureError where they failed for want of room on a disk.
    """
    (folder / "build.ninja").write_text(text(edges))
    command = [str(ninja()), "-C", str(folder), "-v", "-k", "0"]
    # Diagnostics are parsed: in English.
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "NINJA_STATUS": "[%f/%t] "}

    def attempt() -> NinjaRun:
        if enclose is None:
            return _run(command, environment, (), TIMEOUT_SECONDS, begun)
        writable = {folder, *(edge.output.parent for edge in edges)}
        enclosure = enclose(_named(edges), sorted(writable), environment)
        try:
            inside = enclosure.around(command)
            surroundings, descriptors = enclosure.environment, enclosure.descriptors
            return _run(inside, surroundings, descriptors, ENCLOSED_SECONDS, begun)
        finally:
            enclosure.close()

    outcome = attempt()
    if outcome.killed:  # once may be an accident; a source that takes all memory is killed twice
        outcome = attempt()
    if not outcome.ok and _NO_ROOM.search(outcome.log):
        fault = machine.full({folder, *(edge.output.parent for edge in edges)})
        if fault is not None:
            raise fault
    if verbose:
        print(outcome.log, end="", flush=True)
    return outcome


def _run(
    command: Sequence[str], environment: Mapping[str, str], descriptors: tuple[int, ...], seconds: float,
    begun: Callable[[], None],
) -> NinjaRun:  # fmt: skip
    with subprocess.Popen(
        [*_bounds(), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        pass_fds=descriptors,
        start_new_session=True,  # so that a timeout reaches the compilers too
    ) as running:
        assert running.stdout is not None
        begun()
        try:
            printed, stopped = _read(running.stdout.fileno(), Deadline(seconds, lambda: running.pid), seconds)
        except BaseException:
            kill_group(running.pid)
            raise
        if stopped:
            kill_group(running.pid)
            printed += f"\nerror: the compiler was stopped {stopped}\n".encode()
    log = printed.decode(errors="replace")
    killed = not stopped and bool(running.returncode < 0 or (running.returncode and _KILLED.search(log)))
    return NinjaRun(running.returncode == 0, log, bool(stopped), killed)


def _bounds() -> list[str]:
    """The commands that bound ninja, as far as they are there: by the size of a file, and by our own life.

    Both hold before the first compiler starts. After a grader that was killed, ninja would go on and make
    folders again in which the next one has just cleaned up.
    """
    bounds = {"prlimit": (f"--fsize={MOST_FILE_BYTES}",), "setpriv": ("--pdeathsig", "KILL")}
    found = {shutil.which(name): options for name, options in bounds.items()}
    return [word for command, options in found.items() if command for word in (command, *options)]


def _read(descriptor: int, deadline: Deadline, seconds: float) -> tuple[bytes, str]:
    """All output until the end, and the reason for stopping early, if any."""
    printed = bytearray()
    while len(printed) <= MOST_LOG_BYTES:
        left = deadline.left()
        if not select.select([descriptor], [], [], left)[0]:
            if left > 0:
                continue
            return bytes(printed), f"after {seconds:.0f} seconds"
        piece = os.read(descriptor, 2**16)
        if not piece:
            return bytes(printed), ""
        printed += piece
    return bytes(printed[:MOST_LOG_BYTES]), f"after it had printed {MOST_LOG_BYTES >> 20} MiB"


def _named(edges: Sequence[Edge]) -> set[Path]:
    """The folders that commands name, in options such as -I/folder too, and those of the files they name."""
    found = set()
    for part in {part for edge in edges for part in edge.command}:
        path = Path(part[part.find("/") :] if "/" in part else os.devnull)
        if path.is_dir():
            found.add(path)
        elif path.is_file():
            found.add(path.parent)
    return found


def text(edges: Sequence[Edge]) -> str:
    """The ninja file. A command is one shell line, in which ninja wants `$` doubled."""
    lines = ["ninja_required_version = 1.5", "rule run", "  command = $command", "  description = $out", ""]
    for edge in edges:
        inputs = " ".join(_path(file) for file in edge.inputs)
        lines.append(f"build {_path(edge.output)}: run {inputs}")
        lines.append(f"  command = {shlex.join(edge.command).replace('$', '$$')}")
    return "\n".join(lines) + "\n"


def _path(path: Path) -> str:
    return str(path).replace("$", "$$").replace(" ", "$ ").replace(":", "$:")
