"""What each kernel of lesson 15 requests from global memory, from the sizes of its tiles."""

from __future__ import annotations

WARP = 32
SECTOR = 32  # bytes
SOLUTION = "reference solution, tiles of 32 × 32"
TILES = {  # of out, in either direction: what a block computes
    "kernel `tile16.cu`": 16,
    SOLUTION: 32,
    "kernel `aligned.cu`": 32,
    "kernel `registers.cu`": 64,
}


def requested(name: str, m: int, k: int, n: int) -> int | None:
    """Bytes of the sectors that the kernel requests from global memory, in float32; None for a library's."""
    if name == "kernel `naive.cu`":  # one sector of a and four of b for every step of a warp
        return m * k * (n // WARP) * 5 * SECTOR + m * n * 4
    tile = TILES.get(name)
    return None if tile is None else (m * k * (n // tile) + k * n * (m // tile) + m * n) * 4
