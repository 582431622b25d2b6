"""Whose launch is it? On cuda the profiler also sees the kernels of PyTorch's own libraries."""

from __future__ import annotations

import re

from grader.checks.bench import Bench, Call
from grader.profile.instances import instance_name, template_name
from grader.run.values import Launch

_LIBRARY = re.compile(
    r"at::native|at::cuda|at_cuda_detail|c10::|cub::|thrust::|cutlass|cublas|cudnn|nvjet|nccl|ampere_|hopper_"
    r"|\bsm\d\d_|splitKreduce|gemvx?::|gemmk1_kernel|memcpy|memset",
    re.IGNORECASE,
)


def is_own(kernel: str) -> bool:
    """Whether a kernel of that name is the learner's.

    Its own name decides, not its template arguments: pool_kernel<c10::Half> is not PyTorch's.
    """
    return not _LIBRARY.search(template_name(instance_name(kernel)))


def own_launches(call: Call) -> list[Launch]:
    """The launches of the learner's kernels."""
    return [launch for launch in call.reply.trace.launches if is_own(launch.kernel)]


def calls_without_a_kernel(bench: Bench) -> list[Call]:
    """The traced forward calls that returned an element or more, if no kernel of the learner's ran in any."""
    ran = [call for call in bench.calls if call.stage == "forward" and call.traced and call.has_result]
    return [] if any(own_launches(call) for call in ran) else ran


def accepted_launches(call: Call) -> list[Launch]:
    """Those of them that the device did not refuse: only these can have done any work."""
    return [launch for launch in own_launches(call) if launch.error == 0]


def kernel_name(launch: Launch) -> str:
    """``muladd_kernel<float>`` of ``void muladd_kernel<float>(float const*, float const*, int)``."""
    return instance_name(launch.kernel)
