"""Kernels in Triton for test_triton.py: right ones, and some with one mistake each."""

import triton
import triton.language as tl


@triton.jit
def scaled(x, out, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * factor, mask=at < n)


@triton.jit
def unmasked(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at), mask=at < n)


@triton.jit
def sum_without_other(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + at, mask=at < n), 0))


@triton.jit
def sum_by_stores(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out, tl.load(out) + tl.sum(tl.load(x + at), 0))


@triton.jit
def sum_by_atomics(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + at), 0))


@triton.jit
def histogram_by_atomics(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(x + at), 1)


@triton.jit
def through_memory(x, out, BLOCK: tl.constexpr):
    """A program sees what it has stored itself: no race."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at))
    tl.store(out + at, tl.load(out + (tl.program_id(0) + 1) * BLOCK - 1 - tl.arange(0, BLOCK)))


@triton.jit
def block_pointers(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    first = (tl.program_id(0) * ROWS, 0)
    source = tl.make_block_ptr(x, (rows, columns), (columns, 1), first, (ROWS, COLUMNS), (1, 0))
    target = tl.make_block_ptr(out, (rows, columns), (columns, 1), first, (ROWS, COLUMNS), (1, 0))
    tl.store(target, tl.load(source, boundary_check=(0, 1)), boundary_check=(0, 1))


@triton.jit
def descriptors(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    first = tl.program_id(0) * ROWS
    source = tl.make_tensor_descriptor(x, (rows, columns), (columns, 1), (ROWS, COLUMNS))
    target = tl.make_tensor_descriptor(out, (rows, columns), (columns, 1), (ROWS, COLUMNS))
    target.store((first, 0), source.load((first, 0)))


@triton.jit
def first_of(x, out, pair: tl.constexpr):
    at = tl.arange(0, pair[0])
    tl.store(out + at, tl.load(x + at))


@triton.jit
def sum_by_numpy(x, out, BLOCK: tl.constexpr):
    tl.store(out, np.sum(tl.load(x + tl.arange(0, BLOCK))))  # noqa: F821  # the interpreter's name


@triton.jit
def far(x, out, stride, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + tl.program_id(0) * stride + at))


CONFIGS = [triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 16})]


@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def adds_untold(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + at, tl.load(x + at, mask=at < n, other=0), mask=at < n)


@triton.autotune(configs=CONFIGS, key=["n"], reset_to_zero=["out"])
@triton.jit
def adds(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + at, tl.load(x + at, mask=at < n, other=0), mask=at < n)
