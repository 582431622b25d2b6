"""The softmax of rows, and its gradient: whole rows for each program, ROWS of them where they are short."""

import triton
import triton.language as tl

CONFIGS = [triton.Config({}, num_warps=warps) for warps in (4, 8, 16)]


@triton.jit
def tile_of(rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Offsets of this program's rows, and which of their elements exist."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, BLOCK)
    return row[:, None] * columns + column[None, :], (row < rows)[:, None] & (column < columns)[None, :]


@triton.autotune(configs=CONFIGS, key=["BLOCK"])
@triton.jit
def softmax_kernel(x, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    at, inside = tile_of(rows, columns, ROWS, BLOCK)
    values = tl.load(x + at, mask=inside, other=-float("inf"))  # no maximum, and nothing in the sum
    exponentials = tl.exp(values - tl.max(values, 1)[:, None])
    tl.store(out + at, exponentials / tl.sum(exponentials, 1)[:, None], mask=inside)


@triton.autotune(configs=CONFIGS, key=["BLOCK"])
@triton.jit
def softmax_backward_kernel(grad_y, y, grad_x, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    at, inside = tile_of(rows, columns, ROWS, BLOCK)
    grad = tl.load(grad_y + at, mask=inside, other=0)
    result = tl.load(y + at, mask=inside, other=0)
    tl.store(grad_x + at, result * (grad - tl.sum(grad * result, 1)[:, None]), mask=inside)
