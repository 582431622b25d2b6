"""How memory sees one request of a warp: sectors of global memory, wavefronts of shared memory."""

from __future__ import annotations

SECTOR = 32  # bytes: the least that moves between L1, L2 and memory
BANKS = 32  # of shared memory
BANK_BYTES = 4  # a bank serves one word of that size per wavefront
