"""The sandbox that compilers run in when the sources are a stranger's.

A compiler is a large program that does what a source asks of it: read files, take memory, run on. In here it
sees the source's folder, the toolchain and the headers, and has limits.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cusimt.support.toolchain import cuda_toolkit, host_compiler, ninja
from grader.run import sandbox
from grader.run.limits import Limits, processes_are_counted_in_namespaces
from grader.support.backends import WorkerBackend

_MEMORY_BYTES = 4 * 2**30  # of one compiler; torch's whole header set takes one and a half
_LIMITED = (
    'ulimit -c 0; ulimit -d {kib}; ulimit -f {blocks}; {processes}exec "$@"'  # -f counts blocks of 512 bytes
)
_PROCESSES = "ulimit -u {0} 2>/dev/null || ulimit -p {0}; "  # as bash calls it, and as dash does


@dataclass
class Compilers:
    """The sandbox of one build."""

    enclosure: sandbox.Enclosure
    limits: Limits

    @property
    def descriptors(self) -> tuple[int, ...]:
        return self.enclosure.descriptors

    @property
    def environment(self) -> dict[str, str]:
        return self.enclosure.environment

    def around(self, command: Sequence[str]) -> list[str]:
        """The command line that runs `command` inside, with limits that are set there."""
        counted = processes_are_counted_in_namespaces()
        script = _LIMITED.format(
            kib=self.limits.memory_bytes // 1024,
            blocks=self.limits.file_bytes // 512,
            processes=_PROCESSES.format(self.limits.processes) if counted else "",
        )
        return self.enclosure.around(["/bin/sh", "-c", script, "sh", *command])

    def close(self) -> None:
        """Release the sandbox's resources."""
        self.enclosure.close()


def enclosing(
    backend: WorkerBackend,
) -> Callable[[Iterable[Path], Iterable[Path], Mapping[str, str]], Compilers]:
    """For `grader.compilation.build`: makes the sandbox of a build as soon as its files are known.

    Raises InfrastructureError without bubblewrap.
    """
    default = Limits()
    limits = Limits(memory_bytes=min(_MEMORY_BYTES, default.memory_bytes))

    def enclose(
        readable: Iterable[Path], writable: Iterable[Path], environment: Mapping[str, str]
    ) -> Compilers:
        readable = [*readable, *toolchain(backend)]
        return Compilers(sandbox.enclose(backend, readable, environment, limits, writable), limits)

    return enclose


def toolchain(backend: WorkerBackend) -> list[Path]:
    """The folders of the compilers and of ninja, as far as they are not the system's."""
    found = [ninja().parent]
    if compiler := shutil.which(host_compiler().command[0]):
        found.append(sandbox.installed_in(Path(compiler)))
    if backend == "cuda":
        toolkit = cuda_toolkit()
        found += [toolkit.nvcc.resolve().parent.parent, *toolkit.include_dirs, toolkit.library_dir]
    return found
