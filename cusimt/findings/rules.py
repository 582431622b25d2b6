"""The rule behind each kind of finding: one sentence that holds for every program."""

from __future__ import annotations

import re

from cusimt.findings.hazards import READ_FIRST, WRITE_FIRST
from cusimt.findings.model import OF_THE_HOST, Finding

_RULES = {
    "out_of_bounds": "A thread whose index is past the end must not touch the element: guard the access. If "
    "this thread has an element of its own, look at the index or the loop bound.",
    "use_after_free": "Do not access memory after freeing it: it may already belong to another allocation.",
    "uninitialized_read": "Memory holds arbitrary values until something is written to it.",
    "double_free": "Free each allocation once: afterwards the address may belong to another allocation.",
    "invalid_free": "cudaFree takes what cudaMalloc returned, cudaFreeHost what cudaMallocHost returned. "
    "In a kernel, free and delete take what malloc and new returned in a kernel.",
    "host_pointer": "Copy the contents to device memory first: a kernel may follow only device pointers, "
    "unless the system maps host memory for the GPU (HMM, GH200), which portable code cannot rely on.",
    "device_pointer_on_host": "Host code must not follow a device pointer: launch a kernel for work on "
    "the device, and copy back what the host needs.",
    "host_function": "A kernel may call __device__ functions, and of CUDA's own library mathematics, memcpy, "
    "memmove, memset, malloc, free, printf and assert. All others are the host's: nvcc refuses to compile "
    "such a call.",
    "race_shared": "Between one thread's write and another's access there must be a __syncthreads(); "
    "among the lanes of a warp a __syncwarp() will do.",
    "race_global": "Blocks run in any order: no block may touch what another one writes. Read from a copy "
    "or in the next kernel; a sum over blocks needs atomics.",
    "plain_guess": "The atomic verifies what the plain read guessed, so an old value does no harm as long as"
    " nothing else depends on it. By CUDA's memory model it is a race: read with an atomic, such as "
    "cuda::atomic_ref with memory_order_relaxed.",
    "copy_in_flight": "The bytes of an asynchronous copy are there after a wait, such as "
    "__pipeline_wait_prior, and for other threads after a barrier behind it. Where the tile is used again, "
    "a copy may start only behind a barrier after the last read of what it overwrites.",
    "stream_order": "Streams run concurrently: a stream that needs another's result must wait for an "
    "event recorded there after it.",
    "stream_reuse": "A freed block goes to the next request on the stream it was allocated on, "
    "immediately. If another stream uses it too, call tensor.record_stream(stream) before it is freed.",
    "copy_source": "Do not change the source of an asynchronous copy before waiting for the copy.",
    "proxy_fence": "A bulk copy reads shared memory by another proxy than the stores that fill it: after its "
    "stores each thread executes fence.proxy.async (cuda::ptx::fence_proxy_async(cuda::ptx::space_shared)), "
    "then comes the barrier, then the copy.",
    "misaligned": "An access of n bytes needs an address that is a multiple of n. A pointer may begin "
    "anywhere, as that of a view does: test it before the access, and take single elements where it does "
    "not fit.",
    "divergent_barrier": "Every thread of the block must reach the same __syncthreads(), or none.",
    "deadlock": "All threads that a barrier or a warp operation waits for must reach it.",
    "barrier_count": "A phase of a barrier object takes exactly as many arrivals as init() was given.",
    "bad_mask": "All lanes that a mask names, the caller too, must make the same call with the same mask.",
    "absent_lane": "A lane that has exited or taken another branch brings no value: let every lane that the "
    "mask names make the call, and a lane with nothing to add bring a zero.",
    "invalid_launch": "A launch that does not fit the device never starts, so its kernel does nothing.",
    "trap": "A failed assertion or __trap() stops the kernel, and every later CUDA call reports the error.",
    "division_by_zero": "An integer divided by zero has no defined value, and a GPU continues with an "
    "arbitrary value: check the divisor.",
    "illegal_instruction": "Every path through a function that returns a value must return one, and what is "
    "declared unreachable must not be reached.",
    "write_to_const": "__constant__ memory is written from the host (cudaMemcpyToSymbol), never by a kernel.",
    "mapped_memory": "In a call that is graded, data moves between host and device by copies only: take "
    "device memory, for a tensor with at::empty.",
    "other_thread": "A call is the work of one thread on the host, and of its kernels: start no threads.",
    "timeout": "A loop never ends if its condition depends on another thread or on a value that never "
    "changes; a loop in which every thread does all the work ends too late.",
}

KINDS = tuple(_RULES)

_HOST_AHEAD = (
    "Launches and asynchronous copies return before they have run: wait, as with cudaDeviceSynchronize(), "
    "before host code touches what they write, or writes what they read."
)

_ON_DEFAULT = (
    "Nothing orders the default stream with the others: queue everything that uses this memory on one "
    "stream, the one that its function was given or, where tensors are known, the current one, "
    "c10::cuda::getCurrentCUDAStream(). Else let one stream wait for an event of the other."
)

_EMPTY = (
    "A launch of no blocks, or of no threads, is invalid: round the number of blocks up, and launch nothing "
    "where there is nothing to do."
)

_TOO_MANY_BLOCKS = (
    "A grid has at most 2^31 - 1 blocks in x, and 65,535 in y and in z: limit the number, and let each "
    "thread go on to its next element in a loop."
)

_TOO_MANY_THREADS = "A larger block never starts, on any GPU: take a smaller block, and more of them."

_BEYOND_BOUNDS = (
    "`__launch_bounds__` is a promise to the compiler, which gives each thread registers accordingly; a "
    "larger block never starts. Take a smaller block, or raise the bound."
)

_STATIC_SHARED = (
    "nvcc refuses such a kernel: the arrays of a fixed size have 48 KiB in all. Take smaller tiles, or an "
    "`extern __shared__` array, which cudaFuncSetAttribute allows more."
)

_TOGETHER = (
    "__activemask() says which lanes happen to run together at that moment. Nothing promises that all lanes "
    "do, least of all after a branch or a loop. Name the lanes that take part: all 32 by 0xffffffff, those "
    "that pass a condition by __ballot_sync before the branch."
)

_TEMPORARY = (
    "Ask for the size by the same call with a null pointer, for as many items, and raise what both calls "
    "return: the call that is refused computes nothing, and only its status says so."
)

_BEFORE = (
    "No thread has an element before the beginning: look at how the index is computed, or test it where it "
    "is an input."
)

_OWN_ELEMENT = (
    "If each thread has one element, this one has its own, and the guard is right to let it through. The "
    "offset is not right: look at the index or the loop bound, and at the strides."
)

_WRAPPED = (
    "A 32-bit integer holds offsets below 2^31, and strides lead further than the number of elements says: "
    "compute offsets in 64 bits, from 64-bit strides."
)

_UNFENCED = (
    "Write the data before a __threadfence() and the flag or ticket after it; otherwise other threads may "
    "see the flag first."
)

_UNFENCED_LOCK = (
    "The atomicCAS that takes a lock orders nothing else: put a __threadfence() behind it, and another one "
    "before the lock is set back."
)

_NOBODY_ANSWERS = (
    "The thread that should set it has ended, or waits itself: on a GPU the kernel hangs. Another stream or "
    "the host cannot set it here, since one launch runs at a time."
)

_BYTES = (
    "A phase ends when copies have brought exactly the bytes that expect_tx announced: the box of a tensor "
    "map counts in full, also where it is outside the tensor."
)

_UNREAD = (
    "Shared memory ends with its block: the thread that makes a bulk copy out of it waits, before it "
    "returns, until the copy has at least read (cp.async.bulk.wait_group.read 0)."
)

_BULK_COPIES = (
    "A bulk copy moves a multiple of 16 bytes. One by tensor coordinates takes the address of a CUtensorMap "
    "that cuTensorMapEncodeTiled filled, a __grid_constant__ parameter for example, and one coordinate for "
    "each of its dimensions."
)

_BULK_ALIGNMENT = (
    "Bulk copies move multiples of 16 bytes between multiples of 16. In shared memory the box of a tensor "
    "map begins at a multiple of 128 bytes, with alignas(128), and a barrier object at a multiple of 8."
)

_BLOCK_SCOPE = (
    "An atomic of block scope is atomic to threads of its block only: take the one without `_block`, or "
    "device scope."
)

_FOREIGN = (
    "A kernel runs on the device that is current at its launch, and sees that device's memory: make the "
    "tensors' device current first (c10::cuda::CUDAGuard; on the stable ABI "
    "torch::stable::accelerator::DeviceGuard)."
)

_DEVICE_FIRST = (
    "A stream belongs to the device that was current when it was requested: make the tensors' device "
    "current first (c10::cuda::CUDAGuard; on the stable ABI torch::stable::accelerator::DeviceGuard), then "
    "get its stream."
)

STORING_FORMAT = "printf with %n"
_NO_STORE = "CUDA's printf knows no %n: assign the number where it is known."
_HEAP = re.compile(r"calloc|realloc")
_ONLY_MALLOC = "Of the C library's allocating functions, a kernel may call malloc and free only."

_WILD = (
    "The pointer was computed from wrong numbers, never set, or read from memory that holds something else: "
    "look at where it comes from."
)

_IN_A_LIBRARY = (
    "The access is the library's own: memory that it was given is smaller than the number of elements, or "
    "than the temporary storage that it asked for."
)
_DYNAMIC = (
    "The launch asked for less dynamic shared memory than the block uses, or the index is too large. The "
    "third launch parameter is a number of bytes: elements times the size of one."
)

_HOST_POINTERS = {
    "null": "This pointer was never set, or what it points to has no elements: allocate the memory, and "
    "launch nothing where there is nothing to do.",
    "write": "A kernel can only write device memory: allocate it there, for a tensor with at::empty(sizes, "
    "a.options()) of a device tensor `a`.",
    "static write": "On a GPU this is an illegal memory access: a library's variables are in host memory. "
    "Declare it `__device__`, or let the kernel write a tensor.",
    "static read": "On a GPU this is an illegal memory access: of a library's variables a kernel sees "
    "constants only. Pass the value to the kernel as an argument.",
}

_ORDERED = {
    READ_FIRST: "The element is overwritten while other threads may still have to read it: put a "
    "__syncthreads() after the last read and before the next write, in a loop at its end.",
    WRITE_FIRST: "A thread reads what another one writes, and may be there first: put a __syncthreads() "
    "between the write and the read; among the lanes of a warp a __syncwarp() will do.",
}
_CALLED_IN_A_LOOP = (
    "If a loop calls this function, ask first whether it has to: one call after the loop needs no barrier "
    "there."
)
_TWO_WRITERS = {
    "shared": "Each element needs one owner: look at the index. Where threads write it in turn, a "
    "__syncthreads() belongs between them.",
    "global": "Each element needs one owner, since any of the writers may be the last: look at the index. "
    "A sum over several threads needs atomics.",
}
_LANES = (
    "Each element needs one owner: look at the index, or let the one lane write that has the result. Where "
    "lanes write in turn, a __syncwarp() belongs between them; a sum over lanes needs shuffles or atomics."
)
_MIXED = {
    "shared": "Atomics are ordered among themselves only: make every access to the element atomic, or put a "
    "__syncthreads() between the plain one and the others.",
    "global": "Atomics are ordered among themselves only: make every access to the element atomic, or leave "
    "the plain one to another kernel.",
}
_IN_PLACE = {
    "shared": "If several threads add to one element, use atomics. If a thread reads what another one "
    "overwrites, let all of them read before any writes: with a __syncthreads() in between.",
    "global": "If several threads add to one element, use atomics. If a thread reads what another one "
    "overwrites, let it read from a copy, or in the next kernel.",
}
_ONE_BLOCK = (
    "That orders one block: what other blocks write as well must be read from a copy, or in the next kernel."
)
_WITHIN_A_BLOCK = (
    "Blocks run in any order: what another block may overwrite must be read from a copy, or in the next "
    "kernel. Within one block, a __syncthreads() between one thread's write and another's access is enough."
)


_MASKED = (
    "The access has a mask: is it false for every element that the tensor lacks, and do the offsets belong "
    "to this tensor? A dense one has its rows `columns` apart, and any other has strides of its own."
)
_IN_SHARED = (
    "An access of n bytes needs an address that is a multiple of n. Shared memory begins at such a multiple, "
    "so the index or the length of a row breaks it: rows for vectors are a multiple of n bytes long, padding "
    "included."
)
_OF_PROGRAMS = {
    "out_of_bounds": "A tile has a power of two of elements, and the tensor need not: give tl.load and "
    "tl.store a mask that is true for the elements that exist, in every dimension.",
    "host_pointer": "A program may follow only pointers to device memory: look at what the pointer was "
    "computed from.",
    "race_global": "Programs run in any order: no program may touch what another one writes. Give each "
    "element one program, or add with tl.atomic_add.",
    "uninitialized_read": "torch.empty gives memory with arbitrary values, also to tl.atomic_add: write "
    "every element before it is read, or begin with torch.zeros.",
}


def rule(finding: Finding) -> str:
    """The sentence that says why this is wrong, for every program."""
    if finding.of_program and finding.kind in _OF_PROGRAMS and "32-bit offset" not in finding.note:
        masked = finding.kind == "out_of_bounds" and "mask" in finding.frame.source
        return _MASKED if masked else _OF_PROGRAMS[finding.kind]
    special = _SPECIAL.get(finding.kind)
    return (special(finding) if special else "") or _RULES.get(finding.kind, "")


def _out_of_bounds(finding: Finding) -> str:
    if "another device" in finding.note:
        return _FOREIGN
    if "32-bit offset" in finding.note:
        return _WRAPPED
    if "one thread for each" in finding.note and not _is_before(finding):
        return _OWN_ELEMENT
    if (finding.kernel or "").startswith(("cub::", "thrust::")):
        return _IN_A_LIBRARY
    if _is_before(finding):
        return _BEFORE
    return _DYNAMIC if finding.space == "shared" and not finding.array else ""


def _is_before(finding: Finding) -> bool:
    """Whether the access missed its memory, or its tensor, at the beginning."""
    first = finding.tensor.offset * finding.tensor.itemsize if finding.tensor else 0
    return finding.allocation is not None and finding.allocation.offset < first


def _misaligned(finding: Finding) -> str:
    if "bulk copy" in finding.note:
        return _BULK_ALIGNMENT
    return _IN_SHARED if finding.space == "shared" else ""


def _host_pointer(finding: Finding) -> str:
    if finding.space == "static":
        return _HOST_POINTERS["static read" if finding.access == "read" else "static write"]
    if finding.note == "no memory":
        return _WILD
    return _HOST_POINTERS.get("null" if finding.note else finding.access or "", "")


def _stream_order(finding: Finding) -> str:
    if finding.space in OF_THE_HOST:
        return _HOST_AHEAD
    return _ON_DEFAULT if "the default stream" in finding.note else ""


def _race(finding: Finding) -> str:
    space, other = "shared" if finding.space == "shared" else "global", finding.other
    if "critical section" in finding.note:
        return _UNFENCED_LOCK
    if "__threadfence" in finding.note:
        return _UNFENCED
    if "block scope" in finding.note:
        return _BLOCK_SCOPE
    if other is None:
        return ""
    if "atomic" in (finding.access, other.access):
        return _MIXED[space]
    if finding.lanes:
        return _LANES
    if finding.note == "write after write":
        return _TWO_WRITERS[space]
    if finding.ordered and space == "shared":
        is_called = finding.note == READ_FIRST and finding.frame.callers
        return f"{_ORDERED[finding.note]} {_CALLED_IN_A_LOOP}" if is_called else _ORDERED[finding.note]
    if other.frame.file and (other.frame.file, other.frame.line) == (finding.frame.file, finding.frame.line):
        return _IN_PLACE[space]
    if space == "global" and other.block == finding.block:
        return f"{_ORDERED[finding.note]} {_ONE_BLOCK}" if finding.ordered else _WITHIN_A_BLOCK
    return ""


def _deadlock(finding: Finding) -> str:
    if "byte" in finding.note:
        return _BYTES
    return _NOBODY_ANSWERS if "no thread changes" in finding.note else ""


def _copy_source(finding: Finding) -> str:
    return _UNREAD if "returned" in finding.note else ""


def _illegal_instruction(finding: Finding) -> str:
    return _BULK_COPIES if finding.note else ""


def _barrier_count(finding: Finding) -> str:
    return _BYTES if "byte" in finding.note else ""


def _invalid_launch(finding: Finding) -> str:
    if "current device" in finding.note:
        return _DEVICE_FIRST
    if " has 0 " in finding.note:
        return _EMPTY
    if "__launch_bounds__" in finding.note:
        return _BEYOND_BOUNDS
    if "too much shared data" in finding.note:
        return _STATIC_SHARED
    if "temporary storage" in finding.note:
        return _TEMPORARY
    if "at most" not in finding.note:
        return ""
    of_grid, of_block = (finding.note.startswith(each) for each in ("the grid has", "the block has"))
    return _TOO_MANY_BLOCKS if of_grid else _TOO_MANY_THREADS if of_block else ""


def _host_function(finding: Finding) -> str:
    if finding.note == STORING_FORMAT:
        return _NO_STORE
    return _ONLY_MALLOC if _HEAP.match(finding.note) else ""


def _absent_lane(finding: Finding) -> str:
    return _TOGETHER if "__activemask" in finding.frame.source else ""


_SPECIAL = {
    "absent_lane": _absent_lane,
    "illegal_instruction": _illegal_instruction,
    "copy_source": _copy_source,
    "barrier_count": _barrier_count,
    "host_function": _host_function,
    "deadlock": _deadlock,
    "invalid_launch": _invalid_launch,
    "out_of_bounds": _out_of_bounds,
    "host_pointer": _host_pointer,
    "misaligned": _misaligned,
    "stream_order": _stream_order,
    "race_shared": _race,
    "race_global": _race,
}
