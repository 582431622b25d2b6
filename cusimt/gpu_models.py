"""The GPU models that can be simulated; `CUSIMT_DEVICE` selects one."""

from __future__ import annotations

import os

from cusimt.support.errors import UsageError

__all__ = ["architecture"]

CUDA_VERSION = "13.0"  # of the simulated toolkit and headers
DEVICE_VARIABLE = "CUSIMT_DEVICE"
ARCHITECTURES = {"h200": 900, "a100": 800, "rtx4090": 890, "t4": 750}  # as runtime/device_model.cpp has them


def architecture() -> int:
    """The value of `__CUDA_ARCH__` in device code: 900 for sm_90. Raises UsageError for an unknown device."""
    name = os.environ.get(DEVICE_VARIABLE) or "h200"
    if name not in ARCHITECTURES:
        raise UsageError(
            f"{DEVICE_VARIABLE}={name} is not a simulated device.",
            f"There are {', '.join(ARCHITECTURES)}.",
            "Set it to one of them, or unset it for h200.",
        )
    return ARCHITECTURES[name]
