"""Memory that an operator allocates with cudaMalloc instead of PyTorch's caching allocator.

Only simt's runtime knows who allocates: on a GPU the allocator itself calls cudaMalloc.
"""

from __future__ import annotations

from cusimt.support.words import listed
from grader.checks.bench import Bench, Call
from grader.checks.device.call_sites import site_of

_OF_THE_DEVICE = ("cudaMalloc", "cudaMallocPitch", "cudaMalloc3D", "cudaFree")
_OF_BOTH = (
    *("cudaMallocManaged", "cudaHostAlloc", "cudaMallocHost", "cudaFreeHost"),
    *("cudaHostRegister", "cudaHostUnregister"),
)


def direct_allocation(bench: Bench, call: Call) -> str | None:
    """What to say of a call that allocates or frees device memory, or memory that the host has too, by
    itself; None if it does neither.

    An exercise that copies its own data to the device has no other allocator. Stream-ordered calls,
    cudaMallocAsync and cudaFreeAsync, wait for nothing and are left alone.
    """
    if bench.exercise.copies:
        return None
    made = (
        str(each.get("call", ""))
        for each in call.reply.trace.api_calls
        if each.get("kind") in ("alloc", "free")
    )
    refused = _OF_THE_DEVICE if bench.exercise.mapped else (*_OF_THE_DEVICE, *_OF_BOTH)
    names = [name for name in dict.fromkeys(made) if name in refused]
    if not names:
        return None
    return (
        f"{site_of(names, bench)}{call.text} called {listed(names)}. On a GPU such a call can stop the host "
        "until every stream of the device is idle, and nothing reuses the block. Take memory from PyTorch's "
        "caching allocator: at::empty with the options of a tensor."
    )
