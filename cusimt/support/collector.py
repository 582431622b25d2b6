"""Python's collector of cyclic garbage, kept away from imports.

Importing torch makes a million objects that stay. The collector goes through them again and again meanwhile
and finds no garbage: a fifth of the processor time of `import torch`.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

__all__ = ["paused"]


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """No collection within this context; afterwards the collector is as it was before."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
