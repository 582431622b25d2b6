"""Paths of this package's folders."""

from __future__ import annotations

from pathlib import Path

__all__ = ["IMPORT_FOLDER", "INCLUDE", "PACKAGE", "RUNTIME"]

PACKAGE = Path(__file__).resolve().parent
INCLUDE = PACKAGE / "include"
"""The CUDA headers of the simulated GPU."""
RUNTIME = PACKAGE / "runtime"
"""The C++ sources of the simulated GPU, and simt_api.h."""
IMPORT_FOLDER = PACKAGE.parent
"""The entry of PYTHONPATH from which a process can import this package."""
