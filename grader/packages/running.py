"""The process that runs setup.py: what it is told, what it may read and write, and how long it may take."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from grader import cache
from grader.build.request import Backend
from grader.errors import BuildFailed, InfrastructureError
from grader.linker import environment_flags
from grader.packages.workshop import LOG, Workshop
from grader.run import sandbox
from grader.run.limits import Limits, kill_group
from grader.simt import cccl, native, toolkit
from grader.toolchain import cuda_toolkit, host_compiler, ninja

SECONDS = 900.0  # nvcc takes tens of seconds for each source and architecture
_PROGRAM = "grader.packages.backend"
_PACKAGE_ROOT = Path(__file__).resolve().parents[2]


def run_back_end(place: Workshop, backend: Backend, edited: str, isolate: bool) -> str:
    """Build what is in `place`, and once more as if its file `edited` had been; returns what was printed.

    Raises BuildFailed for a build that does not end, InfrastructureError for one that does not begin.
    """
    limits = Limits()
    environment = _environment(place)
    command = [sys.executable, "-P", "-m", _PROGRAM, "--backend", backend]
    command += ["--out", str(place.out), "--memory", str(limits.memory_bytes)]
    command += ["--file-bytes", str(limits.file_bytes)]
    command += ["--edited", edited] if edited else []
    readable = _readable(backend)
    writable = (place.tree, place.scratch, place.out)
    if isolate:
        command = _inside_bubblewrap(backend, readable, environment, writable, place) + command
    else:
        command += ["--parent", str(os.getpid())]
        if backend == "simt":  # what a real nvcc reads and writes is not known to the last file
            allowed = [*sandbox.worker_readable(readable), *writable]
            command += [part for path in allowed for part in ("--readable", str(path))]
            command += [part for path in writable for part in ("--writable", str(path))]
            command += ["--listable", str(_PACKAGE_ROOT)]  # which Python looks for `grader` in
    words = _run(command, environment, place)
    if not (place.out / LOG).is_file():
        raise InfrastructureError(
            f"The process that builds packages did not start. Its last words:\n{words[-2000:]}",
            "Nothing was built, so nothing counts against the submission.",
            "Run `grader doctor`.",
        )
    return read_text(place.out / LOG)


def _run(command: list[str], environment: Mapping[str, str], place: Workshop) -> str:
    with subprocess.Popen(
        command, cwd=place.tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True,
    ) as running:  # fmt: skip
        try:
            printed, _ = running.communicate(timeout=SECONDS)
        except BaseException as error:
            kill_group(running.pid)
            running.communicate()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            raise BuildFailed(
                f"The build was stopped after {SECONDS:.0f} seconds.",
                "A build has to end.",
                "Look for a loop in setup.py.",
                log=read_text(place.out / LOG),
            ) from None
    return printed.decode(errors="replace")


def _environment(place: Workshop) -> dict[str, str]:
    path = [str(_PACKAGE_ROOT), *filter(os.path.isabs, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        "CU2GRAD_CACHE": str(cache.cache_root()),
        "HOME": str(place.scratch),
        "TMPDIR": str(place.scratch),
        "LC_ALL": "C.UTF-8",  # diagnostics are parsed: in English
        "LDFLAGS": environment_flags(),
    }


def _readable(backend: str) -> list[Path]:
    """What a build reads besides Python and the system: made now, since in there it cannot be made."""
    found = [Path(host_compiler().command[0]).parent, ninja().parent]
    if backend == "cuda":
        return [*found, cuda_toolkit().nvcc.resolve().parent.parent, *cuda_toolkit().include_dirs]
    home = toolkit.cuda_home(checked=True)
    found += [home, native.runtime_library().parent, native.device_library().parent]
    found += [native.module_object(True).parent, *filter(None, [cccl.include_dir()])]
    return [path for path in found if path.is_absolute()]


def _inside_bubblewrap(
    backend: str, readable: list[Path], environment: Mapping[str, str], writable: tuple[Path, ...],
    place: Workshop,
) -> list[str]:  # fmt: skip
    line = sandbox.prefix(backend, readable, environment, writable)
    return [*line[:-1], "--chdir", str(place.tree), "--"]


def read_text(path: Path) -> str:
    """What is in a file that may not be there, or not be text."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
