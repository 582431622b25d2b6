"""Bubblewrap around a zygote or a build: what instructors put between other people's code and their machine.

Every namespace is unshared (no network, no other user's processes), every capability dropped, and the file
system is what Python, torch, the toolchain's run-time and the given folders need, read-only; `/box`,
`/tmp` and `/dev/shm` are empty, writable and small. A seccomp filter refuses what the kernel offers
beyond that, and a control group, where there can be one, bounds processes and memory. Works as root and as
an unprivileged user. benchmarks/isolation.py measures what it costs.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import site
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.run import groups, seccomp
from grader.run.groups import Group
from grader.run.limits import Limits
from grader.run.syscalls import architecture
from grader.support.backends import WorkerBackend
from grader.support.errors import InfrastructureError
from grader.support.folders import PACKAGES

SCRATCH = ("/tmp", "/dev/shm", "/box")
_SCRATCH_BYTES = 256 * 2**20
_ZYGOTE_BYTES = 2**30  # what torch takes in a zygote, in addition to its worker
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
# Whole names: a prefix as NVIDIA_ would also let somebody's API key through.
_PASSED = frozenset((
    "PYTHONPATH", "LANG", "LC_ALL", "TZ", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NINJA_STATUS",
    "CUSIMT_CACHE", "CUSIMT_DEVICE", "CUSIMT_THREADS",
    "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
))  # fmt: skip


@dataclass
class Enclosure:
    """The sandbox of one command, which is started with `descriptors` and in `environment`; `close` it when
    that has ended.
    """

    line: list[str]
    descriptors: tuple[int, ...]
    group: Group | None

    @property
    def environment(self) -> dict[str, str]:
        """Bubblewrap's own environment: empty, since /proc/1/environ shows it inside."""
        return {}

    def around(self, command: Sequence[str]) -> list[str]:
        """The command line that runs `command` inside."""
        line = [*self.line, *command]
        return line if self.group is None else self.group.joining(line)

    def close(self) -> None:
        """Release the sandbox's resources."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = ()
        if self.group is not None:
            self.group.close()


def enclose(
    backend: WorkerBackend, readable: Iterable[Path], environment: Mapping[str, str], limits: Limits,
    writable: Iterable[Path] = (), folder: str = "/box",
) -> Enclosure:  # fmt: skip
    """A sandbox as `prefix` describes it, with the filter and, where there can be one, the control group."""
    bwrap, *line = prefix(backend, readable, environment, writable, folder)
    known = architecture()
    descriptors: tuple[int, ...] = ()
    with contextlib.ExitStack() as opened:  # and closed again if there is no sandbox in the end
        if known is not None:
            filter_ = os.memfd_create("seccomp", os.MFD_CLOEXEC)
            opened.callback(os.close, filter_)
            os.pwrite(filter_, seccomp.assemble(seccomp.SANDBOX, known), 0)
            descriptors = (filter_,)
            line = ["--seccomp", str(filter_), *line]
        group = groups.open_group(limits.processes, limits.memory_bytes + _ZYGOTE_BYTES)
        opened.pop_all()
    return Enclosure([bwrap, *line], descriptors, group)


def prefix(
    backend: WorkerBackend,
    readable: Iterable[Path],
    environment: Mapping[str, str],
    writable: Iterable[Path] = (),
    folder: str = "/box",
) -> list[str]:
    """The start of a command line that runs inside bubblewrap in `folder` and can read `readable`.

    Below `writable` it may write too, for a build.

    Raises `InfrastructureError` without `bwrap`.
    """
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise InfrastructureError(
            "Isolated grading needs bubblewrap, and there is no `bwrap` on PATH.",
            "Code from people you do not know must not run with your rights.",
            "Install it with `apt install bubblewrap`, or grade without --isolate.",
        )
    line = [
        bwrap,
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--die-with-parent",
        "--new-session",
    ]
    line += ["--cap-drop", "ALL", "--hostname", "box", "--clearenv"]
    for name, value in _environment(environment).items():
        line += ["--setenv", name, value]
    line += [*_system(), "--proc", "/proc", "--dev", "/dev"]
    for target in SCRATCH:
        line += ["--size", str(_SCRATCH_BYTES), "--tmpfs", target]
    for path in _readable([*PACKAGES, *_libraries(backend), *readable]):
        line += ["--ro-bind", path, path]
    for path in map(str, writable):
        line += ["--bind", path, path]
    if backend == "cuda":
        line += _devices()
    return [*line, "--chdir", folder, "--"]


def _environment(full: Mapping[str, str]) -> dict[str, str]:
    return {
        **{name: value for name, value in full.items() if name in _PASSED},
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": "/box",
        "USER": "box",
        "TMPDIR": "/tmp",
    }


def _system() -> list[str]:
    """The system's folders: merged ones (`/lib` -> `usr/lib`) as the links they are."""
    line: list[str] = []
    for name in _SYSTEM:
        folder = Path(name)
        if folder.is_symlink():
            line += ["--symlink", str(folder.readlink()), name]
        elif folder.is_dir():
            line += ["--ro-bind", name, name]
    for name in _SYSTEM_FILES:
        line += ["--ro-bind-try", name, name]
    return line


def why_unusable() -> str:
    """Bubblewrap's message where it is installed and does not work here; `""` where it works."""
    bwrap = shutil.which("bwrap") or "bwrap"
    line = [bwrap, "--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "true"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    return (done.stderr.strip() or f"it ended with {done.returncode}") if done.returncode else ""


def worker_readable(extra: Iterable[Path]) -> list[Path]:
    """The folders that a worker reads without bubblewrap: the same as within it, and the system's own."""
    system = (*_SYSTEM, "/etc", "/proc", "/sys", "/dev")
    return [Path(path) for path in (*system, *_readable([*PACKAGES, *extra]))]


def installed_in(program: Path) -> Path:
    """The folder that holds a program and all it needs: the one above `bin`, but never a whole home."""
    folder = program.resolve().parent
    return folder if folder.parent == Path.home().resolve() else folder.parent


def _readable(extra: Iterable[Path]) -> list[str]:
    """Python's prefixes, the folders that packages come from, and `extra`; parents first, none twice."""
    folders = {sys.prefix, sys.base_prefix, *site.getsitepackages()}
    if site.ENABLE_USER_SITE:
        folders.add(site.getusersitepackages())
    for package in ("torch", "numpy"):
        spec = importlib.util.find_spec(package)  # finds, does not import
        folders.update(
            str(Path(place).parent) for place in (spec.submodule_search_locations if spec else None) or ()
        )
    folders.add(str(installed_in(Path(sys.executable))))
    folders |= {str(Path(path).absolute()) for path in extra}
    kept: list[str] = []
    for folder in sorted(folders):
        covered = any(folder == outer or folder.startswith(outer + "/") for outer in (*kept, "/usr"))
        if os.access(folder, os.R_OK) and not covered and folder != "/":
            kept.append(folder)
    return kept


def _libraries(backend: WorkerBackend) -> list[Path]:
    """The simulated device's own libraries, built now if they are missing: nothing can be built inside.

    The rest of the cache stays outside, since it holds what was built for other submissions.
    """
    if backend != "simt":
        return []
    from cusimt.compiler import libraries

    return [
        libraries.runtime_library().parent,
        libraries.device_library().parent,
        libraries.module_object(True).parent,
    ]


def _devices() -> list[str]:
    """The GPU's device files, and the parts of `/sys` and `/proc` that the driver reads."""
    line: list[str] = []
    for device in sorted(Path("/dev").glob("nvidia*")):
        line += ["--dev-bind", str(device), str(device)]
    for path in ("/sys/devices", "/sys/bus/pci", "/sys/module/nvidia", "/proc/driver/nvidia"):
        line += ["--ro-bind-try", path, path]
    return line
