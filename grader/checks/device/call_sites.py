"""Source lines of calls that the trace knows by name only."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.checks.bench import Bench

# What calls the operator in C++ or Python, where that has another name.
_CALLED = {
    "aten::_local_scalar_dense": ("item", "tolist"),
    "aten::copy_": ("copy_", "cpu", "cuda"),
    "aten::_to_copy": ("cpu", "cuda"),
    "torch::synchronize": ("synchronize",),
    "cuBLAS gemm": ("cublasGemmEx", "cublasGemmStridedBatchedEx", "cublasSgemm", "cublasDgemm"),
    "cuSPARSE SpMM": ("cusparseSpMM",),
    "cudaEventSynchronize": ("cudaEventSynchronize", "synchronize"),
    "cudaStreamSynchronize": ("cudaStreamSynchronize", "synchronize"),
    "cudaDeviceSynchronize": ("cudaDeviceSynchronize", "synchronize", "device_synchronize"),
}


def site_of(calls: Sequence[str], bench: Bench) -> str:
    """``kernel.cu:31: `` where one line alone can have made the first of `calls`; else ``""``.

    Each of `calls` begins with a name of the CUDA runtime or of an operator.
    """
    file, line = place_of(calls[0].split(" ")[0] if calls else "", bench)
    return f"{file}:{line}: " if file else ""


def place_of(name: str, bench: Bench) -> tuple[str, int]:
    """The file and line of the only place where a call of that name is written; else ``("", 0)``."""
    words = _CALLED.get(name, (name.removeprefix("aten::"),))
    called = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\s*(?:<[^<>()]*>)?\s*\(") if name else None
    found = [site for file in bench.exercise.edit for site in _sites(file, called, bench)] if called else []
    return found[0] if len(found) == 1 else ("", 0)


def _sites(file: str, called: re.Pattern[str], bench: Bench) -> list[tuple[str, int]]:
    try:
        text = (bench.files / file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    mark = "#" if file.endswith(".py") else "//"
    code = (line.partition(mark)[0] for line in text.splitlines())
    return [(file, number) for number, line in enumerate(code, 1) if called.search(line)]
