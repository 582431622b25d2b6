"""A build's request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cusimt.compiler.sources import CUDA_SUFFIXES
from grader.compilation.artifact import Interface
from grader.support.backends import Backend
from grader.support.errors import BuildFailed

_HOST_SUFFIXES = (".cpp", ".cc", ".cxx")


@dataclass(frozen=True)
class BuildRequest:
    """One shared library to be built.

    `name` is the library's name: its TORCH_LIBRARY namespace or its Python module name, given to the
    sources as TORCH_EXTENSION_NAME. `checked` (simt only) compiles the kernels with access checks. `owner`
    keeps what different people submit apart in the cache; the sources in `common` are nobody's, and compiled
    once for all, outside of any sandbox. Extra flags come after the grader's own. Without `precompile`,
    torch's headers are read as they are. `quick` leaves headers that are not precompiled yet to
    `headers.precompile_what_is_left`, and on cuda runs nvcc's steps side by side and keeps the host's
    objects; the build of record is nvcc's own.
    """

    name: str
    interface: Interface
    sources: tuple[Path, ...]
    backend: Backend
    checked: bool = True
    cuda_flags: tuple[str, ...] = ()
    cxx_flags: tuple[str, ...] = ()
    ld_flags: tuple[str, ...] = ()
    include_dirs: tuple[Path, ...] = ()
    owner: str = ""
    common: frozenset[Path] = frozenset()
    precompile: bool = True
    quick: bool = False

    @property
    def is_python_module(self) -> bool:
        return self.interface != "torch_library"

    def is_common(self, source: Path) -> bool:
        """Whether `source`, an absolute path, is one of `common`."""
        return source in {each.resolve() for each in self.common}


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
