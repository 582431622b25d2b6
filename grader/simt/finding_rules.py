"""The rule behind each kind of finding: one sentence that holds for every program."""

from __future__ import annotations

from grader.simt.findings import Finding

_RULES = {
    "out_of_bounds": "A thread whose index is past the end must not touch the element: guard the access.",
    "use_after_free": "Memory must not be touched after it was freed; it may belong to others by then.",
    "uninitialized_read": "Memory holds arbitrary values until something is written to it.",
    "double_free": "Each allocation is freed once; later the address may be somebody else's.",
    "invalid_free": "cudaFree takes what cudaMalloc returned, cudaFreeHost what cudaMallocHost returned.",
    "host_pointer": "A kernel can only follow pointers to device memory: copy the contents there first.",
    "device_pointer_on_host": "Host code must not follow a device pointer: copy the contents back first.",
    "race_shared": "Between one thread's write and another's access there must be a __syncthreads(); "
    "among the lanes of a warp a __syncwarp() will do.",
    "race_global": "Blocks run in any order: what one writes, no other may touch, except by atomics.",
    "copy_in_flight": "The bytes of an asynchronous copy are there after a wait (__pipeline_wait_prior or its"
    " kin), and for other threads after a barrier behind it.",
    "stream_order": "Streams run side by side: what one needs of another's work, it must wait for, with an "
    "event recorded there after it.",
    "stream_reuse": "A freed block goes to the next request on the stream it was allocated on, at once. If "
    "another stream uses it, too, say so before it is freed: tensor.record_stream(stream).",
    "copy_source": "The source of an asynchronous copy must stay as it is until the copy was waited for.",
    "misaligned": "An access of n bytes needs an address that is a multiple of n.",
    "divergent_barrier": "Every thread of the block must reach the same __syncthreads(), or none.",
    "deadlock": "All threads that a barrier or a warp operation waits for must reach it.",
    "barrier_count": "A phase of a barrier object has exactly as many arrivals as init() was told.",
    "bad_mask": "All lanes that a mask names, the caller too, must make the same call with the same mask.",
    "invalid_launch": "A launch that does not fit the device never starts; the error is there to be checked.",
    "trap": "A failed assertion or __trap() stops the kernel, and every later CUDA call reports the error.",
    "division_by_zero": "An integer divided by zero has no defined value, and a GPU goes on with what comes: "
    "check the divisor.",
    "illegal_instruction": "Every path through a function that returns a value must return one, and what is "
    "declared unreachable must not be reached.",
    "write_to_const": "__constant__ memory is written from the host (cudaMemcpyToSymbol), never by a kernel.",
    "timeout": "A loop whose end depends on another thread, or on a value that never changes, does not end.",
}

KINDS = tuple(_RULES)

_UNFENCED = (
    "What a flag or a ticket announces must be written before a __threadfence(), and the flag after it: "
    "else others may see the flag first."
)


_FOREIGN = (
    "A kernel runs on the device that is current at its launch, and sees that one's memory: make the "
    "tensors' device current first (c10::cuda::CUDAGuard)."
)


def rule(finding: Finding) -> str:
    """The sentence that says why this is wrong, for every program."""
    if finding.kind == "out_of_bounds" and "another device" in finding.note:
        return _FOREIGN
    if finding.kind == "race_global" and finding.other is not None:
        if "__threadfence" in finding.note:
            return _UNFENCED
        if finding.other.block == finding.block:
            return _RULES["race_shared"]
    return _RULES.get(finding.kind, "")
