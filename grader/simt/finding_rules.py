"""The rule behind each kind of finding: one sentence that holds for every program."""

from __future__ import annotations

from grader.simt.findings import Finding

_RULES = {
    "out_of_bounds": "A thread whose index is past the end must not touch the element: guard the access. If "
    "this thread has an element of its own, look at the index or the loop bound.",
    "use_after_free": "Memory must not be touched after it was freed; it may belong to others by then.",
    "uninitialized_read": "Memory holds arbitrary values until something is written to it.",
    "double_free": "Each allocation is freed once; later the address may be somebody else's.",
    "invalid_free": "cudaFree takes what cudaMalloc returned, cudaFreeHost what cudaMallocHost returned.",
    "host_pointer": "A kernel can only follow pointers to device memory: copy the contents there first.",
    "device_pointer_on_host": "Host code must not follow a device pointer: launch a kernel for the work that "
    "is to be done there; what the host itself needs, copy back first.",
    "race_shared": "Between one thread's write and another's access there must be a __syncthreads(); "
    "among the lanes of a warp a __syncwarp() will do.",
    "race_global": "Blocks run in any order: what one writes, no other may touch. Read from a copy, or in "
    "the next kernel; a sum over blocks takes atomics.",
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
    "invalid_launch": "A launch that does not fit the device never starts, so its kernel does nothing.",
    "trap": "A failed assertion or __trap() stops the kernel, and every later CUDA call reports the error.",
    "division_by_zero": "An integer divided by zero has no defined value, and a GPU goes on with what comes: "
    "check the divisor.",
    "illegal_instruction": "Every path through a function that returns a value must return one, and what is "
    "declared unreachable must not be reached.",
    "write_to_const": "__constant__ memory is written from the host (cudaMemcpyToSymbol), never by a kernel.",
    "timeout": "A loop whose end depends on another thread, or on a value that never changes, does not end; "
    "one that lets every thread do the work of all ends too late.",
}

KINDS = tuple(_RULES)

_ON_DEFAULT = (
    "The default stream waits for no other, and no other for it: give all work the stream that its function "
    "was given or, where tensors are known, the current one, c10::cuda::getCurrentCUDAStream()."
)

_EMPTY = (
    "A launch of no blocks, or of no threads, is invalid: round the number of blocks up, and launch nothing "
    "where there is nothing to do."
)

_BEFORE = "No thread has an element before the beginning: look at how the index is computed."

_UNFENCED = (
    "What a flag or a ticket announces must be written before a __threadfence(), and the flag after it: "
    "else others may see the flag first."
)

_FOREIGN = (
    "A kernel runs on the device that is current at its launch, and sees that one's memory: make the "
    "tensors' device current first (c10::cuda::CUDAGuard)."
)

_HOST_POINTERS = {
    "null": "This pointer was never set, or what it points to has no elements: allocate the memory, and "
    "launch nothing where there is nothing to do.",
    "write": "A kernel can only write device memory: allocate it there, for a tensor with at::empty(sizes, "
    "a.options()) of a device tensor `a`.",
}

_TWO_WRITERS = {
    "shared": "Each element needs one owner: look at the index. Where threads write it in turn, a "
    "__syncthreads() belongs between them.",
    "global": "Each element needs one owner, since any of the writers may be the last: look at the index. "
    "What several threads add up takes atomics.",
}
_MIXED = {
    "shared": "Atomics are ordered among themselves only: make every access to the element atomic, or put a "
    "__syncthreads() between the plain one and the others.",
    "global": "Atomics are ordered among themselves only: make every access to the element atomic, or leave "
    "the plain one to another kernel.",
}
_IN_PLACE = {
    "shared": "What several threads add to one element takes atomics. What they read of each other's "
    "elements, they read before anybody writes: with a __syncthreads() in between.",
    "global": "What several threads add to one element takes atomics. What they read of each other's "
    "elements, they read from a copy, or in the next kernel.",
}
_WITHIN_A_BLOCK = (
    "Between one thread's write and another's access there must be a __syncthreads(). That orders one block: "
    "what other blocks write, too, read from a copy, or in the next kernel."
)


def rule(finding: Finding) -> str:
    """The sentence that says why this is wrong, for every program."""
    special = _SPECIAL.get(finding.kind)
    return (special(finding) if special else "") or _RULES.get(finding.kind, "")


def _out_of_bounds(finding: Finding) -> str:
    if "another device" in finding.note:
        return _FOREIGN
    return _BEFORE if _is_before(finding) else ""


def _is_before(finding: Finding) -> bool:
    """Whether the access missed its memory, or its tensor, at the beginning."""
    first = finding.tensor.offset * finding.tensor.itemsize if finding.tensor else 0
    return finding.allocation is not None and finding.allocation.offset < first


def _host_pointer(finding: Finding) -> str:
    return _HOST_POINTERS.get("null" if finding.note else finding.access or "", "")


def _stream_order(finding: Finding) -> str:
    return _ON_DEFAULT if "the default stream" in finding.note else ""


def _race(finding: Finding) -> str:
    space, other = "shared" if finding.space == "shared" else "global", finding.other
    if "__threadfence" in finding.note:
        return _UNFENCED
    if other is None:
        return ""
    if "atomic" in (finding.access, other.access):
        return _MIXED[space]
    if finding.note == "write after write":
        return _TWO_WRITERS[space]
    if other.frame.file and (other.frame.file, other.frame.line) == (finding.frame.file, finding.frame.line):
        return _IN_PLACE[space]
    return _WITHIN_A_BLOCK if space == "global" and other.block == finding.block else ""


def _invalid_launch(finding: Finding) -> str:
    return _EMPTY if " has 0 " in finding.note else ""


_SPECIAL = {
    "invalid_launch": _invalid_launch,
    "out_of_bounds": _out_of_bounds,
    "host_pointer": _host_pointer,
    "stream_order": _stream_order,
    "race_shared": _race,
    "race_global": _race,
}
