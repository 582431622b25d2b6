"""Control groups: one bound on processes and on memory for everything in a sandbox together.

RLIMIT_NPROC does not hold root back, and no limit of a process counts memory that it shares; a control group
does both. Where this user may make one (root outside of a container, or below a folder that systemd
delegated) a sandbox gets its own; elsewhere there is none. Both versions of the interface are used as they
are found: https://docs.kernel.org/admin-guide/cgroup-v2.html
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.run.limits import processes_are_counted_in_namespaces

_MOUNT = Path("/sys/fs/cgroup")
_PREFIX = "cu2grad"
_numbers = itertools.count()
_CLOSING_SECONDS = 2.0
_JOIN = (  # a shell adds to the environment, which a sandbox shows
    'for group in {groups}; do echo $$ >"$group/cgroup.procs" || exit 125; done; unset PWD OLDPWD; exec "$@"'
)


@dataclass(frozen=True)
class Group:
    """The folders of one group: one in version 2, one per controller in version 1."""

    folders: tuple[Path, ...]

    def joining(self, command: list[str]) -> list[str]:
        """The command that enters the group and becomes `command`: all that it starts is in the group too."""
        groups = " ".join(f"'{folder}'" for folder in self.folders)
        return ["/bin/sh", "-c", _JOIN.format(groups=groups), "sh", *command]

    def close(self) -> None:
        """End the group's remaining processes and remove it, which takes the kernel a moment."""
        until = time.monotonic() + _CLOSING_SECONDS
        for folder in self.folders:
            while not _removed(folder) and time.monotonic() < until:
                _end_processes(folder)
                time.sleep(0.01)


def open_group(
    processes: int, memory_bytes: int, mount: Path = _MOUNT, own: str | None = None
) -> Group | None:
    """A new group that holds at most so many processes and threads, and so much memory; None where none can
    be made. `own` is what /proc/self/cgroup says about this process.
    """
    name = f"{_PREFIX}-{os.getpid()}-{next(_numbers)}"
    for parents in _places(mount, Path("/proc/self/cgroup").read_text() if own is None else own):
        made: list[Path] = []
        try:
            for parent in parents:
                _sweep(parent)
                (parent / name).mkdir()
                made.append(parent / name)
            _limit(made, processes, memory_bytes)
            group = Group(tuple(made))
            _require_entry(group)
            return group
        except OSError:
            for folder in made:
                _removed(folder)
    return None


def process_limit() -> str:
    """The mechanism that limits processes in a sandbox on this machine; empty where there is none."""
    group = open_group(10, 2**30)
    if group is not None:
        group.close()
        return "a control group"
    return "RLIMIT_NPROC" if os.geteuid() != 0 and processes_are_counted_in_namespaces() else ""


def _places(mount: Path, own: str) -> Iterator[list[Path]]:
    """Folders to make a group in, the best first."""
    controllers = {}
    for line in own.splitlines():
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            controllers[name] = path.lstrip("/")
    if "pids" in controllers and "memory" in controllers:
        yield [mount / name / controllers[name] for name in ("pids", "memory")]
    if "" in controllers:
        # A group with processes shares out nothing to groups below it, so beside is likelier than below.
        below = mount / controllers[""]
        yield [below]
        if below != mount:
            yield [below.parent]


def _limit(folders: list[Path], processes: int, memory_bytes: int) -> None:
    """Set the bounds; raises OSError where the controllers are not there."""
    limits = {"pids.max": processes, "memory.max": memory_bytes, "memory.limit_in_bytes": memory_bytes}
    written = 0
    for folder in folders:
        for name, value in limits.items():
            if (folder / name).exists():
                (folder / name).write_text(str(value))
                written += 1
        with contextlib.suppress(OSError):  # without swap there is no such file
            (folder / "memory.swap.max").write_text("0")
    if written < 2:
        raise FileNotFoundError("no controllers of processes and memory")


_entered: set[tuple[Path, ...]] = set()  # below which groups of ours have been entered


def _require_entry(group: Group) -> None:
    """Raise OSError where a group can be made and, for where this process is, not be entered."""
    parents = tuple(folder.parent for folder in group.folders)
    if parents not in _entered:
        command = group.joining(["true"])
        if subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode:
            raise PermissionError("this process may not enter the group")
        _entered.add(parents)


def _sweep(parent: Path) -> None:
    """End and remove the groups of graders that were killed."""
    for folder in parent.glob(f"{_PREFIX}-*"):
        owner = folder.name.split("-")[1]
        if owner.isdecimal() and not Path(f"/proc/{owner}").exists() and not _removed(folder):
            _end_processes(folder)


def _end_processes(folder: Path) -> None:
    """SIGKILL to all in the group; those of another process namespace, which have no number here, stay."""
    with contextlib.suppress(OSError):
        for pid in map(int, (folder / "cgroup.procs").read_text().split()):
            if pid > 0:
                os.kill(pid, signal.SIGKILL)


def _removed(folder: Path) -> bool:
    """Remove an empty group; False while there are processes in it."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
