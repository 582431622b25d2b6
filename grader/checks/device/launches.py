"""Which launches are the learner's. On cuda the profiler also sees kernels of PyTorch's own libraries.

Own is what the submission's library defines, outside of the namespaces of other libraries. The simulated GPU
runs no other kernels than those of the library that was built; operators of PyTorch launch nothing there.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from cusimt.profile.instances import instance_name, template_name
from cusimt.support.demangling import demangled
from grader.checks.bench import Bench, Call
from grader.checks.device.vendor_work import is_vendors, vendor_work
from grader.compilation import Artifact
from grader.compilation.python_kernels import kernel_names
from grader.run.values import TracedLaunch

_MANGLED = re.compile(rb"_Z[\w$.]{1,4096}(?=\0)")
# Where kernels are that the headers of libraries bring along, and names in C, which belong to no namespace.
_NAMESPACES = re.compile(
    r"(?:at|at_cuda_detail|c10|c10d|caffe2|torch|cub|thrust|cuda|std|cute|cutlass|cublas\w*|cudnn\w*|gemvx?)::"
)
_IN_C = re.compile(
    r"ampere_|hopper_|blackwell_|sm\d\d+_|nvjet|nccl|cutlass|cublas|cudnn|splitKreduce|gemmk1_kernel",
    re.IGNORECASE,
)
_NOT_KERNELS = ("Memcpy", "Memset")  # of the runtime, as a profiler names them


def is_of_a_library(kernel: str) -> bool:
    """Whether a kernel of that name is a library's, wherever it was compiled.

    Its own name decides, not what it returns, nor its template arguments: pool_kernel<c10::Half> is not
    PyTorch's.
    """
    words = template_name(instance_name(kernel)).split()
    return not words or words[0] in _NOT_KERNELS or bool(_NAMESPACES.match(words[-1]))


def is_own(bench: Bench, kernel: str) -> bool:
    """Whether a kernel of that name is the learner's: defined in the library, and in no other's namespace.

    Where the library's kernels are unknown, a name that libraries in C use counts as theirs.
    """
    if is_of_a_library(kernel):
        return False
    if bench.backend != "cuda":
        return True
    defined = kernels_of(bench.artifact) if bench.artifact else None
    return instance(kernel) in defined if defined is not None else not _IN_C.match(instance_name(kernel))


def foreign_launches(bench: Bench, call: Call, allowed: Collection[str]) -> list[TracedLaunch]:
    """The launches of other kernels, but for those of the `allowed` operators.

    A profiler sees every kernel, but not every operator: a guard can hide one. So a launch is an operator's
    only where that was recorded around it.
    """
    others = (
        each
        for each in call.reply.trace.launches
        if not is_own(bench, each.kernel) and not is_vendors(bench, each)
    )
    return [each for each in others if not any(name in allowed for name in each.operators)]


def own_launches(bench: Bench, call: Call) -> list[TracedLaunch]:
    """The launches of the learner's kernels."""
    return [launch for launch in call.reply.trace.launches if is_own(bench, launch.kernel)]


def calls_without_a_kernel(bench: Bench) -> list[Call]:
    """The traced forward calls that returned an element or more, if no kernel of the learner's ran in any."""
    ran = [call for call in bench.calls if call.stage == "forward" and call.traced and call.has_result]
    return [] if any(own_launches(bench, call) or vendor_work(bench, call) for call in ran) else ran


def accepted_launches(bench: Bench, call: Call) -> list[TracedLaunch]:
    """Those of them that the device did not refuse: only these can have done any work."""
    return [launch for launch in own_launches(bench, call) if launch.error == 0]


def launch_place(launch: TracedLaunch) -> str:
    """``kernel.cu:45: ``, where a launch is in the learner's code; "" where that is not known."""
    return f"{Path(launch.file).name}:{launch.line}: " if launch.file else ""


def kernel_name(launch: TracedLaunch) -> str:
    """``muladd_kernel<float>`` of ``void muladd_kernel<float>(float const*, float const*, int)``."""
    return instance_name(launch.kernel)


# ---- kernels that the library defines ----


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
    """The kernels of the built library, or of the files in Triton; None if binutils are missing."""
    if artifact.interface == "triton":
        return Kernels(frozenset(kernel_names(artifact.sources.values())), b"")
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
