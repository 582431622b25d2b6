"""The image of a compiled program, which `runtime/module_images.cpp` reads: a text that names a library."""

from __future__ import annotations

from pathlib import Path

__all__ = ["image"]

_FIRST = "// cusimt module image 1: for the simulated GPU, whose cuModuleLoadData loads it. No GPU does."


def image(library: Path, program: str, architecture: str) -> str:
    """The image of `program`: `architecture` is sm_90 where a GPU would get a cubin, compute_90 for PTX."""
    name = program.replace("\n", " ")
    lines = [_FIRST, f"// library: {library}", f"// program: {name}", f"// architecture: {architecture}", ""]
    return "\n".join(lines)
