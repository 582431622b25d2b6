"""Layer norm of dense rows, a row for each program, and its gradients.

Unlike exercise 25, backward reads the moments that forward saved, and adds without atomics: every program
writes its own part of the sums over rows, and a second kernel adds up the parts, as in exercise 17.
"""

import triton
import triton.language as tl

CONFIGS = [triton.Config({}, num_warps=warps) for warps in (4, 8, 16)]


@triton.autotune(configs=CONFIGS, key=["BLOCK"])
@triton.jit
def normalise_kernel(x, weight, bias, out, mean, rstd, columns, eps: tl.constexpr, BLOCK: tl.constexpr):
    row, column = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    exists = column < columns
    held = tl.load(x + row * columns + column, mask=exists, other=0)
    middle = tl.sum(held) / columns
    centered = tl.where(exists, held - middle, 0)
    factor = 1 / tl.sqrt(tl.sum(centered * centered) / columns + eps)
    w, b = tl.load(weight + column, mask=exists), tl.load(bias + column, mask=exists)
    tl.store(out + row * columns + column, centered * factor * w + b, mask=exists)
    tl.store(mean + row, middle)
    tl.store(rstd + row, factor)


# Each program takes every num_programs-th row. `SUMS` says whether the parts are wanted.
@triton.autotune(configs=CONFIGS, key=["BLOCK", "SUMS"])
@triton.jit
def gradients_kernel(
    grad_out, x, weight, mean, rstd, grad_x, weight_parts, bias_parts, rows, columns,
    SUMS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    column = tl.arange(0, BLOCK)
    exists = column < columns
    w = tl.load(weight + column, mask=exists, other=0)
    weight_sum, bias_sum = tl.zeros_like(w), tl.zeros_like(w)
    at = tl.program_id(0).to(tl.int64) * columns + column
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        upstream = tl.load(grad_out + at, mask=exists, other=0)
        factor = tl.load(rstd + row)
        unit = tl.where(exists, (tl.load(x + at, mask=exists, other=0) - tl.load(mean + row)) * factor, 0)
        scaled = upstream * w
        along = tl.sum(scaled * unit) / columns
        tl.store(grad_x + at, (scaled - tl.sum(scaled) / columns - unit * along) * factor, mask=exists)
        if SUMS:
            weight_sum += upstream * unit
            bias_sum += upstream
        at += tl.num_programs(0).to(tl.int64) * columns
    if SUMS:
        part = tl.program_id(0).to(tl.int64) * columns + column
        tl.store(weight_parts + part, weight_sum, mask=exists)
        tl.store(bias_parts + part, bias_sum, mask=exists)


@triton.jit
def column_sums_kernel(parts, out, count, columns, TILE: tl.constexpr):
    column = tl.program_id(0) * TILE + tl.arange(0, TILE)
    sums = tl.zeros((TILE, TILE), out.dtype.element_ty)
    for first in range(0, count, TILE):
        part = first + tl.arange(0, TILE).to(tl.int64)
        inside = (part < count)[:, None] & (column < columns)[None, :]
        sums += tl.load(parts + part[:, None] * columns + column[None, :], mask=inside, other=0)
    tl.store(out + column, tl.sum(sums, 0), mask=column < columns)
