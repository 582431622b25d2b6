"""`torch.UntypedStorage(n, device="cuda")`, which CPU builds refuse and CUDA builds take from a GPU."""

from __future__ import annotations

from types import ModuleType
from typing import Any


def install(torch: ModuleType) -> None:
    """Let storages on `cuda` come from the simulated device's allocator."""
    storage: Any = torch.UntypedStorage
    original = storage.__new__

    def new(cls: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        if device is None:
            return original(cls, *args, **kwargs)
        if torch.device(device).type != "cuda":
            return original(cls, *args, device=device, **kwargs)
        content = args[0] if args else kwargs.get("size", 0)
        if isinstance(content, int):
            return torch.empty(content, dtype=torch.uint8, device=device).untyped_storage()
        return torch.tensor(content, dtype=torch.uint8, device=device).untyped_storage()

    storage.__new__ = staticmethod(new)
