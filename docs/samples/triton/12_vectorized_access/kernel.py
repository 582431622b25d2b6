"""relu(x + y), and its gradient: a tile of BLOCK elements for each program.

How many bytes a thread moves with one instruction is the compiler's choice.
"""

import triton
import triton.language as tl

CONFIGS = [
    triton.Config({"BLOCK": 1024}, num_warps=4),
    triton.Config({"BLOCK": 2048}, num_warps=4),
    triton.Config({"BLOCK": 4096}, num_warps=8),
]


@triton.autotune(configs=CONFIGS, key=[])
@triton.jit
def add_relu_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    total = tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside)
    tl.store(out + at, tl.where(total < 0, 0, total), mask=inside)  # NaN stays, as in PyTorch


@triton.autotune(configs=CONFIGS, key=[])
@triton.jit
def relu_backward_kernel(grad_out, out, grad_in, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    stopped = tl.load(out + at, mask=inside) <= 0
    tl.store(grad_in + at, tl.where(stopped, 0, tl.load(grad_out + at, mask=inside)), mask=inside)
