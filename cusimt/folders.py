"""Paths of this package's folders."""

from __future__ import annotations

from pathlib import Path

__all__ = ["IMPORT_FOLDER", "INCLUDE", "PACKAGE", "RUNTIME"]

PACKAGE = Path(__file__).resolve().parent
INCLUDE = PACKAGE / "include"
"""The CUDA headers of the simulated GPU, and simt_api.h, on which they are built."""
RUNTIME = PACKAGE / "runtime"
"""The C++ sources of the simulated GPU, with headers that only they include."""
IMPORT_FOLDER = PACKAGE.parent
"""The entry of PYTHONPATH from which a process can import this package."""
