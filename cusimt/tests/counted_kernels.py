"""Kernels of surface/counters.cu whose counters were measured on an H200, and what they were launched on."""

from __future__ import annotations

from typing import Any

KERNELS: dict[str, tuple[Any, ...]] = {  # shapes of float arrays; numbers
    "matmul": ((128, 128), (128, 128), (128, 128), 128),
    "matmul_tiled": ((128, 128), (128, 128), (128, 128), 128),
    "transpose": ((256, 256), (256, 256), 256),
    "transpose_tiled": ((256, 256), (256, 256), 256),
    "transpose_padded": ((256, 256), (256, 256), 256),
    "reduction": ((1 << 18,), (64,), 1 << 18),
    "strided": ((1 << 17,), (1 << 17,), 1 << 17, 4),
}
