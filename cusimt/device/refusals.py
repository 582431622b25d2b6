"""Parts of `torch.cuda` that mean nothing without a GPU: each is refused with what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

_GRAPHS = (
    "CUDA graphs of PyTorch's operators cannot be captured on the simulated device.",
    "Operators run on the host, at once; a graph has kernels, copies and fills (cudaStreamBeginCapture).",
    "Call the model without torch.cuda.graph, or run this on a machine with a GPU.",
)
_POOLS = (
    "Memory pools and pluggable allocators do not exist on the simulated device.",
    "Its memory is one arena, so that every access can be checked.",
    "Allocate tensors as usual, or run this on a machine with a GPU.",
)
_HISTORY = (
    "The simulated device keeps no history of allocations.",
    "Snapshots describe the segments of a GPU's caching allocator.",
    "Read torch.cuda.memory_stats() instead.",
)
_LIBRARIES = (
    "cuBLAS, cuSOLVER and the jiterator have no simulation.",
    "On the simulated device library work goes through PyTorch operators.",
    "Call the operator (torch.mm, torch.linalg...) instead, or run this on a machine with a GPU.",
)

_REFUSED: dict[str, tuple[str, str, str]] = {
    "_graph_pool_handle": _GRAPHS,
    "_cuda_beginAllocateToPool": _POOLS,
    "_cuda_beginAllocateCurrentThreadToPool": _POOLS,
    "_cuda_beginAllocateCurrentStreamToPool": _POOLS,
    "_cuda_endAllocateToPool": _POOLS,
    "_cuda_releasePool": _POOLS,
    "_cuda_checkPoolLiveAllocations": _POOLS,
    "_cuda_getCheckpointState": _POOLS,
    "_cuda_setCheckpointPoolState": _POOLS,
    "_cuda_customAllocator": _POOLS,
    "_cuda_changeCurrentAllocator": _POOLS,
    "_cuda_getAllocator": _POOLS,
    "_cuda_memorySnapshot": _HISTORY,
    "_cuda_record_memory_history": _HISTORY,
    "_cuda_record_memory_history_legacy": _HISTORY,
    "_cuda_attach_out_of_memory_observer": _HISTORY,
    "_cuda_getCurrentBlasHandle": _LIBRARIES,
    "_cuda_getCurrentSolverHandle": _LIBRARIES,
    "_cuda_jiterator_compile_and_launch_kernel": _LIBRARIES,
}

_REFUSED_CLASSES: dict[str, tuple[str, str, str]] = {
    "_CUDAGraph": _GRAPHS,
    "_MemPool": _POOLS,
    "_cuda_CUDAAllocator": _POOLS,
    "_cuda_CUDAAllocator_AllocatorState": _POOLS,
}


def _refusing_function(sentences: tuple[str, str, str]) -> Callable[..., NoReturn]:
    def refuse(*_args: Any, **_kwargs: Any) -> NoReturn:
        raise RuntimeError(" ".join(sentences))

    return refuse


def refusals() -> dict[str, Any]:
    """Attributes of `torch._C` that raise `RuntimeError` when called or constructed."""
    table: dict[str, Any] = {name: _refusing_function(sentences) for name, sentences in _REFUSED.items()}
    for name, sentences in _REFUSED_CLASSES.items():
        table[name] = type(name, (), {"__new__": staticmethod(_refusing_function(sentences))})
    return table
