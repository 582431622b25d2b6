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
    # TODO(moments): the mean of each row; the distances from it, 0 where there is no element; return
    #   these, and 1 / sqrt(variance + eps), about 3 lines.
    raise NotImplementedError("TODO(moments)")


# BLOCK is a power of two and at least the number of columns. Strides are those of a matrix, in elements.
@triton.autotune(configs=CONFIGS, key=["columns"])
@triton.jit
def forward_kernel(
    x, weight, bias, out, x_row, x_column, weight_column, bias_column,
    rows, columns, eps: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    wide = tl.float64 if x.dtype.element_ty == tl.float64 else tl.float32  # the type to compute in
    # TODO(tile): the rows and columns of this program's tile, in 64 bits; which of its elements exist;
    #   load them, in type wide, about 4 lines.
    raise NotImplementedError("TODO(tile)")
    # TODO(finish): moments of the tile; load weight and bias; normalise, scale and shift; store the
    #   result, about 5 lines.
    raise NotImplementedError("TODO(finish)")


# Each program takes every num_programs-th tile of rows, and adds what it has to sums. That is two rows of
# columns, for the gradients of weight and of bias. Its type is the one to compute in.
# TODO(tuning): extend the line below: which tensors the kernel adds to, so that trying a
#   configuration leaves no trace in them, about 1 line.
@triton.autotune(configs=CONFIGS, key=["columns"])
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
        # TODO(row): load x and grad_out of these rows, 0 where there is no element; scale and the
        #   normalised values by moments; all in type wide, about 5 lines.
        raise NotImplementedError("TODO(row)")
        # TODO(gradients): store the gradient of x; add these rows to of_weight and of_bias, about 8 lines.
        raise NotImplementedError("TODO(gradients)")
    # TODO(sums): add of_weight to the first row of sums and of_bias to the second; other programs add
    #   there, too, about 2 lines.
    raise NotImplementedError("TODO(sums)")
