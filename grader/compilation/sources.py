"""The source files of a request: which compiler each is for, and what its object is addressed by."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cusimt.compiler.sources import CUDA_SUFFIXES
from grader.support.errors import BuildFailed

_HOST_SUFFIXES = (".cpp", ".cc", ".cxx")


def require_sources(sources: Iterable[Path]) -> None:
    """Raise BuildFailed for a source that does not exist or that no compiler here understands."""
    for source in sources:
        if not source.is_file():
            raise BuildFailed(
                f"The source file {source} does not exist.",
                "Every file in `sources` is compiled into the library.",
                "Create it, or correct the list of sources.",
            )
        if source.suffix not in (*CUDA_SUFFIXES, *_HOST_SUFFIXES):
            raise BuildFailed(
                f"{source.name} is neither a .cu nor a .cpp file.",
                "The suffix decides the compiler: .cu is CUDA C++; .cpp, .cc and .cxx are C++.",
                "Rename it, or include it from a source if it is a header.",
            )
