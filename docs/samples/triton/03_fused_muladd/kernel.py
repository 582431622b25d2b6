"""a * b + c and a * b, element by element: a tile of BLOCK elements for each program."""

import triton
import triton.language as tl

CONFIGS = [
    triton.Config({"BLOCK": 1024}, num_warps=4),
    triton.Config({"BLOCK": 2048}, num_warps=4),
    triton.Config({"BLOCK": 4096}, num_warps=8),
]


@triton.autotune(configs=CONFIGS, key=[])
@triton.jit
def muladd_kernel(a, b, c, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    product = tl.load(a + at, mask=inside) * tl.load(b + at, mask=inside)
    tl.store(out + at, product + tl.load(c + at, mask=inside), mask=inside)


@triton.autotune(configs=CONFIGS, key=[])
@triton.jit
def multiply_kernel(a, b, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(a + at, mask=inside) * tl.load(b + at, mask=inside), mask=inside)
