"""The kernels inside a built library; a launch of any other kernel is not the submission's own work.

nvcc registers each kernel with the CUDA runtime under the mangled name of its device function, which is a
text of the library. A profiler names launches by the same function. Headers of libraries bring kernels, too;
those are in a namespace of their library, where a submission may define nothing (`grader.audit`).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cusimt.profile.instances import instance_name
from cusimt.support.demangling import demangled
from grader.compilation import Artifact

_MANGLED = re.compile(rb"_Z[\w$.]{1,4096}(?=\0)")


@dataclass(frozen=True)
class Kernels:
    """What a library can launch under a name of its own: functions of C++ by ``names``, of C by its texts.

    Other texts may end with a name of C: linkers keep equal ends once.
    """

    names: frozenset[str]
    texts: bytes

    def __contains__(self, kernel: str) -> bool:
        name = instance(kernel)
        return name in self.names or (name.isidentifier() and name.encode() + b"\0" in self.texts)


def kernels_of(artifact: Artifact) -> Kernels | None:
    """The kernels of the built library; None where nobody can tell, since binutils are missing."""
    return _kernels(tuple(_libraries(artifact)))


def instance(kernel: str) -> str:
    """``tiled<float,16>`` of ``void tiled<float, 16>(float const*)``: where compilers differ is left out."""
    return instance_name(kernel).replace(" ", "")


def _libraries(artifact: Artifact) -> Iterator[Path]:
    if artifact.interface == "wheel":
        yield from sorted(artifact.installed.rglob("*.so"))
    else:
        yield artifact.path


@functools.lru_cache(maxsize=8)
def _kernels(libraries: tuple[Path, ...]) -> Kernels | None:
    texts = b"".join(path.read_bytes() for path in libraries)
    mangled = sorted({match[0].decode("ascii") for match in _MANGLED.finditer(texts)})
    written = demangled(mangled)
    if mangled and written == mangled:
        return None
    names = (*mangled, *(name for name in written if "(" in name))  # profilers leave the longest mangled
    return Kernels(frozenset(map(instance, names)), texts)
