"""The process that runs setup.py: its input, what it may read and write, and its time limit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from cusimt.compiler import toolkit
from cusimt.support import cache
from cusimt.support.linker import environment_flags
from grader.packages import outputs
from grader.packages.build_folder import LOG, BuildFolder
from grader.run import compilers, sandbox
from grader.run.limits import Limits
from grader.support.backends import Backend
from grader.support.deadlines import Deadline
from grader.support.errors import BuildFailed, InfrastructureError
from grader.support.folders import IMPORT_FOLDERS, python_path
from grader.support.processes import kill_group

SECONDS = 900.0  # of own time: nvcc takes tens of seconds for each source and architecture
MOST_BYTES = 4 * 2**30  # written by a build, which is a hundred times what torch's largest headers leave
MOST_FILES = 100_000
_LOOK_SECONDS = 0.5
_PROGRAM = "grader.packages.backend"


def run_back_end(place: BuildFolder, backend: Backend, edited: str, isolate: bool) -> str:
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
    enclosure = None
    if isolate:
        command += ["--processes", str(limits.processes)]
        enclosure = sandbox.enclose(backend, readable, environment, limits, writable, str(place.tree))
        command = enclosure.around(command)
        environment = enclosure.environment
    else:
        command += ["--parent", str(os.getpid())]
        if backend == "simt":  # what a real nvcc reads and writes is not known to the last file
            allowed = [*sandbox.worker_readable(readable), *writable]
            command += [part for path in allowed for part in ("--readable", str(path))]
            command += [part for path in writable for part in ("--writable", str(path))]
            command += ["--listable", *map(str, IMPORT_FOLDERS)]  # which Python looks for `grader` in
    try:
        descriptors = enclosure.descriptors if enclosure is not None else ()
        words = _run(command, environment, place, descriptors)
    finally:
        if enclosure is not None:
            enclosure.close()
    if not (place.out / LOG).is_file():
        raise InfrastructureError(
            f"The process that builds packages did not start. Its last output:\n{words[-2000:]}",
            "Nothing was built, so nothing counts against the submission.",
            "Run `grader doctor`.",
        )
    return outputs.text(place.out / LOG)


def _run(
    command: Sequence[str], environment: Mapping[str, str], place: BuildFolder, descriptors: Sequence[int]
) -> str:
    """What it prints before its output goes to the log; raises BuildFailed for one that has to be stopped."""
    with subprocess.Popen(
        command, cwd=place.tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True, pass_fds=descriptors,
    ) as running:  # fmt: skip
        try:
            return _watched(running, place).decode(errors="replace")
        except BaseException:
            kill_group(running.pid)
            running.communicate()
            raise


def _watched(running: subprocess.Popen[bytes], place: BuildFolder) -> bytes:
    """Wait for the end, and look now and then at what was written: no limit of the system bounds that."""
    deadline = Deadline(SECONDS, lambda: running.pid)
    while True:
        try:
            return running.communicate(timeout=_LOOK_SECONDS)[0]
        except subprocess.TimeoutExpired:
            pass
        nbytes, files = outputs.used((place.tree, place.scratch, place.out))
        if nbytes > MOST_BYTES or files > MOST_FILES:
            raise BuildFailed(
                f"The build was stopped when it had written {nbytes >> 20} MiB in {files} files.",
                f"A build may write {MOST_BYTES >> 20} MiB and {MOST_FILES} files.",
                "Look for what setup.py writes beside the wheel.",
                log=outputs.text(place.out / LOG),
            )
        if deadline.left() <= 0:
            raise BuildFailed(
                f"The build was stopped after {SECONDS:.0f} seconds.",
                "A build has to end.",
                "Look for a loop in setup.py.",
                log=outputs.text(place.out / LOG),
            )


def _environment(place: BuildFolder) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": python_path(),
        "CUSIMT_CACHE": str(cache.cache_root()),
        "CUSIMT_THREADS": "1",  # the same answer twice, also from a kernel that races
        "HOME": str(place.scratch),
        "TMPDIR": str(place.scratch),
        "LC_ALL": "C.UTF-8",  # diagnostics are parsed: in English
        "LDFLAGS": environment_flags(),
    }


def _readable(backend: Backend) -> list[Path]:
    """What a build reads besides Python and the system: made now, since in there it cannot be made."""
    found = compilers.toolchain(backend)
    if backend == "cuda":
        return found
    found += toolkit.read_by_builds(checked=True)
    return [path for path in found if path.is_absolute()]
