"""Whose headers lie in a folder that a build puts on nvcc's include path.

Build tools give every folder the same flag. The program's own headers are translated. Those of torch and
Python are host C++, of which only `.cuh` files may launch kernels. Those of a CUDA toolkit, this simulated
one or a real one, stay out: this backend's own stand for them.
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cusimt.support.errors import ToolchainError
from cusimt.support.toolchain import torch_install

_SYSTEM = (Path("/usr/include"), Path("/usr/local/include"))


@dataclass(frozen=True)
class IncludePaths:
    """The folders by owner, each in the order in which they were given."""

    own: tuple[Path, ...]
    libraries: tuple[Path, ...]  # given with -I
    system: tuple[Path, ...]  # given with -isystem: libraries, too

    @classmethod
    def of(cls, given: Iterable[str], system: Iterable[str]) -> IncludePaths:
        folders, known = _without_toolkits(given), _libraries()
        libraries = tuple(folder for folder in folders if folder.resolve() in known)
        own = tuple(folder for folder in folders if folder not in libraries)
        return cls(own, libraries, _without_toolkits(system))


def of_host_compiler(flags: Iterable[str]) -> Iterator[str]:
    """The folders that flags of the host compiler, those of -Xcompiler, name for headers of the program."""
    rest = iter(flags)
    for flag in rest:
        option = next((option for option in ("-I", "-iquote") if flag.startswith(option)), None)
        if option:
            yield flag.removeprefix(option) or next(rest, ".")


def of_environment() -> list[str]:
    """The folders that the host compiler knows from the environment, where systems keep libraries."""
    listed = (os.environ.get(variable, "") for variable in ("CPATH", "CPLUS_INCLUDE_PATH"))
    return [folder for folders in listed for folder in folders.split(os.pathsep) if folder]


def is_toolkit(folder: Path) -> bool:
    """Whether a folder is the include folder of a CUDA toolkit."""
    return all((folder / name).is_file() for name in ("cuda_runtime_api.h", "driver_types.h"))


def _without_toolkits(folders: Iterable[str]) -> tuple[Path, ...]:
    return tuple(folder for folder in map(Path, folders) if not is_toolkit(folder))


def _libraries() -> frozenset[Path]:
    python = [Path(sysconfig.get_path(name)) for name in ("include", "platinclude")]
    try:
        torch = [torch_install().root / "include"]
    except ToolchainError:  # nvcc serves programs without torch, too
        torch = []
    nested = [folder / "torch/csrc/api/include" for folder in torch]
    return frozenset(folder.resolve() for folder in (*_SYSTEM, *python, *torch, *nested))
