"""CCCL, NVIDIA's headers for Thrust and libcu++: found on this machine, never shipped.

They are plain C++ as far as the host is concerned, and run on the simulated GPU behind a few headers of this
backend (`include/cuda/std/__cccl/compiler.h` says how). CUB is not taken from there: this backend has its
own.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

from cusimt.folders import INCLUDE
from cusimt.support.toolchain import toolkit_homes
from cusimt.translate import TranslationError

__all__ = ["include_dir", "include_flags"]

_OLDEST = 3  # what CUDA 13 comes with; before that the headers lay among the toolkit's own
_WHEEL = 13  # the first of the wheels nvidia-cuda-cccl that has them
_VERSION = re.compile(r"#define\s+THRUST_VERSION\s+(\d+)")
_DIRECTIVE = re.compile(
    r"^[ \t]*#[ \t]*(if|endif|include)\w*[ \t]*(?:<((?:thrust|cuda|nv)/[^>\n]+)>)?", re.MULTILINE
)


@functools.cache
def include_dir() -> Path | None:
    """The folder with `thrust` and `cuda/std`, of a CUDA toolkit or of the wheel; None if there is none."""
    return next((folder for folder in _candidates() if _major_version(folder) >= _OLDEST), None)


def include_flags() -> list[str]:
    """Flags that put CCCL behind every other folder of headers."""
    folder = include_dir()
    return ["-isystem", str(folder)] if folder else []


def refuse_missing(source: str, file: str) -> None:
    """Refuse a source that includes a header of CCCL where there is no CCCL.

    Raises TranslationError at the include. One below an `#if` is left to the compiler, which may skip it.
    """
    if include_dir() is not None:
        return
    depth = 0
    for directive in _DIRECTIVE.finditer(source):
        kind, header = directive.groups()
        depth += {"if": 1, "endif": -1, "include": 0}[kind]
        if header and depth == 0 and not (INCLUDE / header).is_file():
            raise TranslationError(
                file,
                source.count("\n", 0, directive.start(1)) + 1,
                f"<{header}> belongs to CCCL, which is not installed",
                "Thrust and libcu++ are headers of NVIDIA's, from a CUDA toolkit or a package.",
                f"python -m pip install 'nvidia-cuda-cccl>={_WHEEL}'",
            )


def _candidates() -> Iterator[Path]:
    wheels = importlib.util.find_spec("nvidia")
    for folder in (wheels.submodule_search_locations or []) if wheels else []:
        yield from sorted(Path(folder).glob("*/include/cccl"), reverse=True)
    for home in toolkit_homes():
        yield home / "include/cccl"


def _major_version(folder: Path) -> int:
    try:
        text = (folder / "thrust/version.h").read_text(errors="replace")
    except OSError:
        return 0
    found = _VERSION.search(text)
    return int(found[1]) // 100_000 if found else 0
