"""Things that CUDA C++ says, tried in Triton: does the real compiler take them? Needs no GPU.

    python docs/samples/triton/cannot_say.py
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler import compile as compile_kernel
from triton.compiler.errors import CompilationError

HOPPER = GPUTarget("cuda", 90, 32)


# --8<-- [start:attempts]
@triton.jit
def thread_index(x, out):
    tile = tl.arange(0, 64)
    tl.store(out + tile, tl.load(x + tile), mask=tl.thread_id(0) < 32)


@triton.jit
def shuffle(x, out):
    tile = tl.arange(0, 64)
    tl.store(out + tile, tl.shuffle_down(tl.load(x + tile), 1))


@triton.jit
def one_element_of_a_tile(x, out):
    values = tl.load(x + tl.arange(0, 64))
    tl.store(out, values[3])


@triton.jit
def write_into_a_tile(x, out):
    tile = tl.arange(0, 64)
    values = tl.load(x + tile)
    values[3] = 0.0
    tl.store(out + tile, values)


@triton.jit
def early_exit_of_a_lane(x, out):
    tile = tl.arange(0, 64)
    if tl.load(x + tile) > 0:
        return
    tl.store(out + tile, 1.0)


@triton.jit
def loop_of_each_lane(x, out):
    tile = tl.arange(0, 64)
    value = tl.load(x + tile)
    while value > 1:
        value = value / 2
    tl.store(out + tile, value)


@triton.jit
def tile_of_48(x, out):
    tile = tl.arange(0, 48)
    tl.store(out + tile, tl.load(x + tile))


@triton.jit
def slice_of_a_tile(x, out):
    values = tl.load(x + tl.arange(0, 64))
    tl.store(out + tl.arange(0, 32), values[:32])


@triton.jit
def gather_within_a_tile(x, out):
    tile = tl.arange(0, 64)
    tl.store(out + tile, tl.gather(tl.load(x + tile), 63 - tile, axis=0))


@triton.jit
def loop_until_a_value(x, out):
    number = tl.load(x)
    while number > 1:
        number = number / 2
    tl.store(out, number)


@triton.jit
def product_of_4_by_4(x, out):
    row, column = tl.arange(0, 4)[:, None], tl.arange(0, 4)[None, :]
    tile = tl.load(x + 4 * row + column)
    tl.store(out + 4 * row + column, tl.dot(tile, tile))


@triton.jit
def scan(x, out):
    tile = tl.arange(0, 64)
    tl.store(out + tile, tl.cumsum(tl.load(x + tile), 0))


@triton.jit
def assembly(x, out):
    tile = tl.arange(0, 64)
    value = tl.load(x + tile)
    lane = tl.inline_asm_elementwise("mov.u32 $0, %laneid;", "=r,r", [value], tl.int32, is_pure=True, pack=1)
    tl.store(out + tile, lane.to(tl.float32))
# --8<-- [end:attempts]


ATTEMPTS: tuple[Callable[..., Any], ...] = (
    thread_index, shuffle, one_element_of_a_tile, write_into_a_tile, early_exit_of_a_lane, loop_of_each_lane,
    tile_of_48, slice_of_a_tile, product_of_4_by_4, gather_within_a_tile, loop_until_a_value, scan, assembly,
)  # fmt: skip


def answer(kernel: Any) -> str:
    """`compiles`, or the first line of what the compiler says."""
    source = ASTSource(kernel, {"x": "*fp32", "out": "*fp32"})
    with tempfile.TemporaryFile("w+") as printed:
        try:
            with printing_to(printed.fileno()):
                compile_kernel(source, target=HOPPER)
        except (CompilationError, RuntimeError) as error:
            printed.seek(0)
            return said_by(error, printed.read())
    return "compiles"


def said_by(error: BaseException, printed: str) -> str:
    """The innermost cause of an error; MLIR's own errors are printed, and not raised."""
    for line in printed.splitlines():
        if ": error: " in line:
            return line.partition(": error: ")[2]
    while isinstance(error.__cause__, Exception):
        error = error.__cause__
    text = error.error_message if isinstance(error, CompilationError) else str(error)
    first = str(text).strip().splitlines()[0]
    return f"{type(error).__name__}: {re.sub(' object at 0x[0-9a-f]+', '', first)}"


@contextlib.contextmanager
def printing_to(descriptor: int) -> Iterator[None]:
    """What is printed meanwhile, by Python or by C++, goes to the file behind `descriptor`."""
    sys.stdout.flush()
    kept = [os.dup(stream) for stream in (1, 2)]
    for stream in (1, 2):
        os.dup2(descriptor, stream)
    try:
        yield
    finally:
        sys.stdout.flush()  # Triton prints what it could not verify
        for stream, before in zip((1, 2), kept, strict=True):
            os.dup2(before, stream)
            os.close(before)


if __name__ == "__main__":
    print(f"Triton {triton.__version__}, for compute capability {HOPPER.arch / 10}", flush=True)
    for kernel in ATTEMPTS:
        print(f"{kernel.__name__:22} {answer(kernel)}")
