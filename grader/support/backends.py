"""Where kernels run: on the simulated GPU (simt) or on a real one (cuda)."""

from __future__ import annotations

from typing import Literal, TypeGuard, get_args

Backend = Literal["simt", "cuda"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)
# "plain" is torch on the CPU without a simulated device: it serves the tests of the workers.
WorkerBackend = Literal["simt", "cuda", "plain"]


def is_backend(name: str) -> TypeGuard[Backend]:
    """Whether a name from a file, the environment or a worker is that of a backend."""
    return name in BACKENDS
