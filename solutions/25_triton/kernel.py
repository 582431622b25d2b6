"""Layer norm in Triton: kernels that work on tiles of whole rows, ROWS of them at a time."""

import triton
import triton.language as tl

CONFIGS = [
    triton.Config({"ROWS": 4}, num_warps=8),
    triton.Config({"ROWS": 1}, num_warps=4),
]


@triton.jit
def moments(values, inside, columns, eps: tl.constexpr):
    """Of a tile of rows: the distances from the mean of their row, and 1 / sqrt(variance + eps) of each."""
    # --8<-- [start:moments]
    center = tl.sum(values, 1) / columns
    distance = tl.where(inside, values - center[:, None], 0)
    return distance, 1 / tl.sqrt(tl.sum(distance * distance, 1) / columns + eps)
    # --8<-- [end:moments]


# BLOCK is a power of two and at least the number of columns. Strides are those of a matrix, in elements.
@triton.autotune(configs=CONFIGS, key=["columns"])
@triton.jit
def forward_kernel(
    x, weight, bias, out, x_row, x_column, weight_column, bias_column,
    rows, columns, eps: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    wide = tl.float64 if x.dtype.element_ty == tl.float64 else tl.float32  # the type to compute in
    # --8<-- [start:tile]
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, BLOCK).to(tl.int64)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    values = tl.load(x + row[:, None] * x_row + column[None, :] * x_column, mask=inside, other=0).to(wide)
    # --8<-- [end:tile]
    # --8<-- [start:finish]
    distance, scale = moments(values, inside, columns, eps)
    factor = tl.load(weight + column * weight_column, mask=column < columns).to(wide)
    shift = tl.load(bias + column * bias_column, mask=column < columns).to(wide)
    result = distance * scale[:, None] * factor[None, :] + shift[None, :]
    tl.store(out + row[:, None] * columns + column[None, :], result.to(out.dtype.element_ty), mask=inside)
    # --8<-- [end:finish]


# Each program takes every num_programs-th tile of rows, and adds what it has to sums. That is two rows of
# columns, for the gradients of weight and of bias. Its type is the one to compute in.
# --8<-- [start:tuning]
@triton.autotune(configs=CONFIGS, key=["columns"], reset_to_zero=["sums"])
# --8<-- [end:tuning]
@triton.jit
def backward_kernel(
    grad_out, x, weight, grad_x, sums, grad_row, grad_column, x_row, x_column, weight_column,
    rows, columns, eps: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    wide = sums.dtype.element_ty
    column = tl.arange(0, BLOCK).to(tl.int64)
    factor = tl.load(weight + column * weight_column, mask=column < columns, other=0).to(wide)
    of_weight = tl.zeros((BLOCK,), wide)
    of_bias = tl.zeros((BLOCK,), wide)
    for first in range(tl.program_id(0) * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS).to(tl.int64)
        inside = (row < rows)[:, None] & (column < columns)[None, :]
        # --8<-- [start:row]
        at = row[:, None] * grad_row + column[None, :] * grad_column
        grad = tl.load(grad_out + at, mask=inside, other=0).to(wide)
        at = row[:, None] * x_row + column[None, :] * x_column
        distance, scale = moments(tl.load(x + at, mask=inside, other=0).to(wide), inside, columns, eps)
        normalised = distance * scale[:, None]
        # --8<-- [end:row]
        # --8<-- [start:gradients]
        g = grad * factor[None, :]
        mean_of_g = tl.sum(g, 1) / columns
        mean_of_both = tl.sum(g * normalised, 1) / columns
        result = (g - mean_of_g[:, None] - normalised * mean_of_both[:, None]) * scale[:, None]
        at = row[:, None] * columns + column[None, :]
        tl.store(grad_x + at, result.to(grad_x.dtype.element_ty), mask=inside)
        of_weight += tl.sum(grad * normalised, 0)
        of_bias += tl.sum(grad, 0)
        # --8<-- [end:gradients]
    # --8<-- [start:sums]
    tl.atomic_add(sums + column, of_weight, mask=column < columns)
    tl.atomic_add(sums + columns + column, of_bias, mask=column < columns)
    # --8<-- [end:sums]
