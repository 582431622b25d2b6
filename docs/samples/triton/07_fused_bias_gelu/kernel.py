"""gelu(x + bias) in its tanh form, and its gradient: a tile of TILE elements for each program.

With v = 2 sqrt(2/pi) (z + 0.044715 z^3), (1 + tanh(v / 2)) / 2 is sigmoid(v): gelu(z) = z sigmoid(v).
"""

import triton
import triton.language as tl

SCALE = tl.constexpr(1.5957691216057308)  # 2 sqrt(2/pi)
CUBIC = tl.constexpr(0.044715)
CONFIGS = [
    triton.Config({"TILE": 1024}, num_warps=4),
    triton.Config({"TILE": 2048}, num_warps=4),
    triton.Config({"TILE": 4096}, num_warps=8),
]


@triton.jit
def tile_of(rows, columns, COLUMNS: tl.constexpr, TILE: tl.constexpr):
    """Offsets of this program's tile in a matrix, those of its columns, and which of both exist."""
    across = tl.cdiv(columns, COLUMNS)
    down = (tl.program_id(0) // across).to(tl.int64) * (TILE // COLUMNS)
    row = down + tl.arange(0, TILE // COLUMNS)
    column = (tl.program_id(0) % across).to(tl.int64) * COLUMNS + tl.arange(0, COLUMNS)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    return row[:, None] * columns + column[None, :], column, inside, column < columns


@triton.jit
def gate(z):
    """sigmoid(v), by which gelu multiplies z."""
    return tl.sigmoid((z + z * z * z * CUBIC) * SCALE)


@triton.autotune(configs=CONFIGS, key=["columns"])
@triton.jit
def bias_gelu_kernel(x, bias, out, rows, columns, COLUMNS: tl.constexpr, TILE: tl.constexpr):
    at, column, inside, exists = tile_of(rows, columns, COLUMNS, TILE)
    z = tl.load(x + at, mask=inside) + tl.load(bias + column, mask=exists)[None, :]
    tl.store(out + at, z * gate(z), mask=inside)


# Computes z again: to read a saved z costs as much as to read x, and to save it another write.
@triton.autotune(configs=CONFIGS, key=["columns"])
@triton.jit
def bias_gelu_backward_kernel(
    grad_out, x, bias, grad_x, rows, columns, COLUMNS: tl.constexpr, TILE: tl.constexpr
):
    at, column, inside, exists = tile_of(rows, columns, COLUMNS, TILE)
    z = tl.load(x + at, mask=inside) + tl.load(bias + column, mask=exists)[None, :]
    s = gate(z)
    slope = s + z * s * (1 - s) * (1 + z * z * (3 * CUBIC)) * SCALE
    tl.store(grad_x + at, tl.load(grad_out + at, mask=inside) * slope, mask=inside)
