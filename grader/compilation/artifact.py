"""A built library. A worker imports this, and none of what builds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from grader.support.backends import Backend

Interface = Literal["torch_library", "torch_extension", "pybind", "wheel", "triton"]


@dataclass(frozen=True)
class Artifact:
    """A built library: the .so at `path`, the compilers' output in `log`, and what this request took.

    `symbols` has the names that each source's object asks others for, and `units` what nvcc compiled: JSON.

    Of the interface `wheel`, `path` is the wheel, and the folder `installed` beside it what it unpacks to.
    Of `triton`, `path` is the first file with kernels: there is nothing else.

    `waited` is how many seconds the library's place in the cache was another build's.

    `sources` are the texts of the submission's Python files, by name, once they were audited: these run.
    """

    name: str
    interface: Interface
    path: Path
    backend: Backend
    checked: bool
    seconds: float
    cached: bool
    log: Path
    symbols: Path | None = None
    units: Path | None = None
    waited: float = 0.0
    sources: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def is_python_module(self) -> bool:
        return self.interface not in ("torch_library", "triton")

    @property
    def installed(self) -> Path:
        """Of a wheel: the folder, otherwise empty, into which it was installed."""
        return self.path.parent / "installed"
