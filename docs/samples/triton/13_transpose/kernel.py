"""out = x with rows and columns exchanged in memory: a tile of ROWS by COLUMNS for each program.

Load and store each run along the rows of their own matrix. What goes through shared memory in between, and
how it is laid out there, is the compiler's choice.
"""

import triton
import triton.language as tl

CONFIGS = [
    triton.Config({"ROWS": 32, "COLUMNS": 32}, num_warps=4),
    triton.Config({"ROWS": 64, "COLUMNS": 64}, num_warps=4),
    triton.Config({"ROWS": 64, "COLUMNS": 64}, num_warps=8),
    triton.Config({"ROWS": 32, "COLUMNS": 64}, num_warps=4),
]


@triton.autotune(configs=CONFIGS, key=[])
@triton.jit
def transpose_kernel(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    across = tl.cdiv(columns, COLUMNS)
    row = (tl.program_id(0) // across).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = (tl.program_id(0) % across).to(tl.int64) * COLUMNS + tl.arange(0, COLUMNS)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    tile = tl.load(x + row[:, None] * columns + column[None, :], mask=inside)
    at = column[:, None] * rows + row[None, :]
    tl.store(out + at, tl.trans(tile), mask=tl.trans(inside))
