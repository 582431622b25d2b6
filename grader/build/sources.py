"""The source files of a request: which compiler each is for, and what its object is addressed by."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from grader import cache
from grader.errors import BuildFailed
from grader.simt.includes import closure, common_folder

_CUDA_SUFFIXES = (".cu",)
_HOST_SUFFIXES = (".cpp", ".cc", ".cxx")


def is_cuda(source: Path) -> bool:
    """Whether nvcc compiles `source`, as opposed to the host compiler."""
    return source.suffix in _CUDA_SUFFIXES


def require_sources(sources: Iterable[Path]) -> None:
    """Raise BuildFailed for a source that does not exist or that no compiler here understands."""
    for source in sources:
        if not source.is_file():
            raise BuildFailed(
                f"The source file {source} does not exist.",
                "Every file in `sources` is compiled into the library.",
                "Create it, or correct the list of sources.",
            )
        if source.suffix not in _CUDA_SUFFIXES + _HOST_SUFFIXES:
            raise BuildFailed(
                f"{source.name} is neither a .cu nor a .cpp file.",
                "The suffix decides the compiler: .cu is CUDA C++; .cpp, .cc and .cxx are C++.",
                "Rename it, or include it from a source if it is a header.",
            )


def content_key(source: Path, include_dirs: Iterable[Path]) -> list[str]:
    """Names and contents of `source` and of the files of its own that it includes."""
    files = closure(source, include_dirs)
    root = common_folder(files)
    return [part for f in files for part in (f.relative_to(root).as_posix(), cache.file_digest(f))]
