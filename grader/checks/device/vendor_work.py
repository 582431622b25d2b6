"""Work of NVIDIA's libraries that a submission calls itself, where the exercise is about calling them.

On simt the runtime records every call of cuBLAS and cuSPARSE, and CUB's launches are named. On cuda a
profiler sees only kernels: they are a library's that the submission called if no operator of PyTorch was
recorded around the launch, and if it is no kernel of PyTorch's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cusimt.profile.instances import instance_name, template_name
from cusimt.support.words import listed
from grader.checks.bench import Bench, Call
from grader.course.vendor import VENDOR
from grader.run.values import TracedLaunch

_PYTORCHS = re.compile(r"(?:at|at_cuda_detail|c10|c10d|caffe2|torch)::")


def is_library_call(api_call: Mapping[str, Any]) -> bool:
    """Whether that is a call of a library which simt's runtime recorded, such as ``cuBLAS gemm``."""
    return api_call.get("kind") == "library"


def may_be_refused(api_call: Mapping[str, Any]) -> bool:
    """Whether simt can make that call of a library fail: also one that only prepares work, such as
    ``cusparseSpMM_bufferSize``.
    """
    return api_call.get("kind") in ("library", "setup")


def recorded_calls(call: Call) -> list[str]:
    """The calls of libraries that simt's runtime recorded, such as ``cuBLAS gemm``, in their order."""
    found = (each for each in call.reply.trace.api_calls if is_library_call(each))
    return [str(each.get("call", "")) for each in found if not each.get("error")]


def vendor_calls(bench: Bench, call: Call) -> list[str]:
    """Those of them that the exercise is about."""
    families = [VENDOR[name].title for name in bench.exercise.vendor]
    return [name for name in recorded_calls(call) if name.partition(" ")[0] in families]


def is_vendors(bench: Bench, launch: TracedLaunch) -> bool:
    """Whether a launch is a library's that the exercise allows to call."""
    if not bench.exercise.vendor:
        return False
    words = template_name(instance_name(launch.kernel)).split()
    name = words[-1] if words else ""
    if "cub" in bench.exercise.vendor and name.startswith("cub::"):
        return True
    own = f"{bench.exercise.build.name}::"
    by_operator = any(not each.startswith(own) for each in launch.operators)
    return bench.backend == "cuda" and not by_operator and not _PYTORCHS.match(name)


def vendor_launches(bench: Bench, call: Call) -> list[TracedLaunch]:
    """The launches of libraries that the exercise allows to call, but for those that the device refused."""
    return [each for each in call.reply.trace.launches if not each.error and is_vendors(bench, each)]


def vendor_work(bench: Bench, call: Call) -> int:
    """How many pieces of work the libraries did that the submission called itself."""
    return len(vendor_calls(bench, call)) + len(vendor_launches(bench, call))


def workers(bench: Bench) -> str:
    """Who is to do the work: ``kernels of yours``, or the libraries by name."""
    names = sorted(VENDOR[name].title for name in bench.exercise.vendor)
    return f"your own calls of {listed(names)}" if names else "kernels of yours"
