"""Draws the diagrams of the lessons into ``docs/figures``; with ``--check`` only compares.

Whatever a diagram shows about indices, addresses or values is computed here by the kernel's own arithmetic.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

from svg import Canvas

FOLDER = Path(__file__).resolve().parent.parent / "figures"


def grid_index() -> Canvas:
    """00: which thread of which block takes which element."""
    elements, threads, cell, left = 10, 4, 46, 24
    blocks = math.ceil(elements / threads)
    canvas = Canvas(
        "grid-index", left * 2 + blocks * threads * cell, 216,
        "Threads of a grid and the elements they take",
        f"{blocks} blocks of {threads} threads stand above {elements} elements. Thread t of block b takes element "
        f"b times {threads} plus t. The last {blocks * threads - elements} threads of the last block have no "
        "element: they must leave.",
    )  # fmt: skip
    for block in range(blocks):
        x = left + block * threads * cell
        canvas.box(x + 3, 14, threads * cell - 6, 82, "", "box")
        canvas.text(x + threads * cell / 2, 32, f"blockIdx.x = {block}", "middle mono strong")
        for thread in range(threads):
            i = block * threads + thread
            inside = i < elements
            kind = "a" if inside else "b"
            canvas.box(x + thread * cell + 7, 44, cell - 14, 40, str(thread), kind, mono=True)
            start, end = x + thread * cell + cell / 2, left + i * cell + cell / 2
            if inside:
                canvas.arrow([(start, 100), (end, 138)])
                canvas.box(left + i * cell, 142, cell, 36, str(i), "box", mono=True)
            else:
                canvas.arrow([(start, 100), (end, 138)], "line dashed b")
                canvas.text(end, 165, "i ≥ n", "middle mono b")
    canvas.text(left, 202, f"i = blockIdx.x * {threads} + threadIdx.x        n = {elements}", "mono")
    return canvas


def host_device() -> Canvas:
    """01: what is copied where, and in which order."""
    canvas = Canvas(
        "host-device", 640, 262, "Staging between host and device",
        "Left, host memory with the NumPy arrays a, b and out. Right, device memory with the buffers d_a, d_b and "
        "d_out. Steps 1 and 2 copy a and b to the device, step 3 runs the kernel on the device, step 4 copies d_out "
        "back into out.",
    )  # fmt: skip
    canvas.box(10, 28, 200, 216)
    canvas.box(430, 28, 200, 216)
    canvas.text(110, 20, "host memory", "middle strong")
    canvas.text(530, 20, "device memory", "middle strong")
    for row, (host, device) in enumerate((("a", "d_a"), ("b", "d_b"), ("out", "d_out"))):
        y = 44 + row * 66
        kind = "c" if host == "out" else "a"
        canvas.box(30, y, 160, 44, host, kind, mono=True)
        canvas.box(450, y, 160, 44, device, kind, mono=True)
    for row, label in enumerate(("1  cudaMemcpyHostToDevice", "2  cudaMemcpyHostToDevice")):
        y = 66 + row * 66
        canvas.arrow([(194, y), (446, y)])
        canvas.text(320, y - 8, label, "middle small")
    canvas.arrow([(446, 198), (194, 198)])
    canvas.text(320, 190, "4  cudaMemcpyDeviceToHost", "middle small")
    canvas.arrow([(620, 66), (628, 66), (628, 198), (614, 198)], "line d")
    canvas.text(530, 236, "3  d_out[i] = d_a[i] + d_b[i]", "middle mono small")
    return canvas


def strided_view() -> Canvas:
    """01: the elements of x[::2], and what is read when its memory is taken as dense."""
    count, step, cell, left = 8, 2, 52, 190
    wanted = list(range(0, count, step))
    canvas = Canvas(
        "strided-view", left + count * cell + 14, 176, "A strided view read as if it were dense",
        f"The memory of x holds {count} elements. The view x[::{step}] means elements {wanted}. A copy that "
        f"ignores the strides takes elements {list(range(len(wanted)))} instead.",
    )  # fmt: skip
    rows = (("memory of x", range(count), "box"), (f"x[::{step}] means", wanted, "c"),
            ("read as dense", range(len(wanted)), "b"))  # fmt: skip
    for row, (label, taken, kind) in enumerate(rows):
        y = 16 + row * 52
        canvas.text(left - 14, y + 23, label, "end")
        for index in range(count):
            if index in taken:
                canvas.box(left + index * cell, y, cell - 4, 36, f"x[{index}]", kind, mono=True)
            else:
                canvas.box(left + index * cell, y, cell - 4, 36)
    return canvas


def autograd_tape() -> Canvas:
    """02: the two directions of an autograd.Function."""
    canvas = Canvas(
        "autograd-tape", 660, 250, "Forward and backward of out = a * b",
        "Above, forward: a and b of shape (7, 33) go into Multiply.forward, out of shape (7, 33) comes out, and a and "
        "b are saved. Below, backward, from right to left: grad_out of shape (7, 33) goes into Multiply.backward, "
        "which reads the saved tensors; grad_a = grad_out * b and grad_b = grad_out * a come out, each only if it is "
        "needed.",
    )  # fmt: skip
    shape = "(7, 33)"
    canvas.box(10, 18, 110, 36, f"a {shape}", "a", mono=True)
    canvas.box(10, 66, 110, 36, f"b {shape}", "a", mono=True)
    canvas.box(250, 30, 160, 60, "forward\nout = a * b")
    canvas.box(530, 42, 120, 36, f"out {shape}", "c", mono=True)
    canvas.arrow([(124, 36), (246, 52)])
    canvas.arrow([(124, 84), (246, 68)])
    canvas.arrow([(414, 60), (526, 60)])
    canvas.arrow([(330, 94), (330, 154)], "line dashed")
    canvas.text(340, 128, "saved: a, b", "small")
    canvas.box(250, 158, 160, 60, "backward\nwho needs it?")
    canvas.box(530, 170, 120, 36, "grad_out", "d", mono=True)
    canvas.box(10, 146, 140, 36, "grad_out * b", "d", mono=True)
    canvas.box(10, 194, 140, 36, "grad_out * a", "d", mono=True)
    canvas.arrow([(526, 188), (414, 188)])
    canvas.arrow([(246, 180), (154, 164)])
    canvas.arrow([(246, 196), (154, 212)])
    canvas.text(590, 226, shape, "middle small mono")
    canvas.text(80, 246, "each of shape (7, 33), or None", "middle small")
    return canvas


def layers() -> Canvas:
    """03: the layers between a Python call and a thread, and which file each lies in."""
    canvas = Canvas(
        "layers", 640, 330, "The layers between Python and a kernel",
        "From top to bottom: op.py with the autograd Function; the PyTorch dispatcher, which picks the CUDA "
        "implementation; binding.cpp with checks, allocation, dtype and stream; the launcher in kernel.cu, which "
        "chooses the grid; the kernel in kernel.cu, which computes one element per thread.",
    )  # fmt: skip
    rows = (
        ("op.py", "MulAdd.apply: forward, backward, saved tensors", "tensors", "a"),
        ("PyTorch", "dispatcher: torch.ops.fused_muladd.muladd, key CUDA", "tensors", "box"),
        ("binding.cpp", "checks, allocation, dtype, device guard, stream", "pointers, n, stream", "c"),
        ("kernel.cu", "launch_muladd<T>: grid and block", "one element", "b"),
        ("kernel.cu", "muladd_kernel<T>: one thread, one element", "", "b"),
    )
    for row, (file, what, passed, kind) in enumerate(rows):
        y = 10 + row * 64
        canvas.box(130, y, 400, 40, what, kind)
        canvas.text(118, y + 25, file, "end mono strong")
        if passed:
            canvas.arrow([(330, y + 42), (330, y + 62)])
            canvas.text(340, y + 57, passed, "small")
    return canvas


def matmul_warp() -> Canvas:
    """06: the addresses that the 32 lanes of a warp ask for in one step of the loop."""
    lanes, cell, left, float_bytes, sector = 32, 18, 40, 4, 32
    k, n, row, step, first_column = 64, 64, 5, 3, 0
    a_reads = {row * k + step for _ in range(lanes)}
    b_reads = [step * n + first_column + lane for lane in range(lanes)]
    sectors_a = {index * float_bytes // sector for index in a_reads}
    sectors_b = {index * float_bytes // sector for index in b_reads}
    canvas = Canvas(
        "matmul-warp", left * 2 + lanes * cell, 226, "What one warp reads in one step of the loop",
        f"The {lanes} lanes of a warp compute {lanes} neighbouring elements of one row of out. In step i they all "
        f"read the same element of a, {len(sectors_a)} sector of 32 bytes, and {lanes} neighbouring elements of row i "
        f"of b, {len(sectors_b)} sectors.",
    )  # fmt: skip
    canvas.text(left, 20, "lanes 0 to 31 of a warp: one row of out, 32 columns")
    middle = left + lanes * cell / 2
    for lane in range(lanes):
        x = left + lane * cell
        canvas.box(x, 28, cell - 2, 24, "", "a")
        canvas.arrow([(x + cell / 2, 54), (x + cell / 2, 84)])
        kind = "c" if b_reads[lane] * float_bytes // sector % 2 else "box"
        canvas.box(x, 88, cell - 2, 24, "", kind)
    canvas.text(left, 130, f"b[i * n + column]: {lanes} neighbours, {len(sectors_b)} sectors of 32 bytes", "mono small")
    for index in range(len(sectors_b)):
        start = left + index * 8 * cell
        canvas.line([(start, 118), (start + 8 * cell - 2, 118)], "line c")
    canvas.line([(left, 148), (left + lanes * cell, 148)], "line dashed")
    canvas.arrow([(middle, 148), (middle, 172)], "line dashed")
    canvas.box(middle - cell / 2, 176, cell - 2, 24, "", "b")
    canvas.text(left, 218, f"a[row * k + i]: one element for all lanes, {len(sectors_a)} sector", "mono small")
    return canvas


def bias_columns() -> Canvas:
    """07: which bias each element gets when a transposed x is walked through in memory order."""
    rows, columns, cell = 3, 4, 50
    canvas = Canvas(
        "bias-columns", 640, 250, "Bias by memory order, for a dense and for a transposed x",
        "Left, x is dense: walking through memory, the remainder of the position by the number of columns is the "
        "column, and every column gets its own bias. Right, x is transposed: its memory runs down the columns, the "
        "remainder is no longer the column, and most elements get a foreign bias.",
    )  # fmt: skip
    for side, (title, transposed) in enumerate((("dense", False), ("transposed", True))):
        left = 40 + side * 320
        canvas.text(left, 22, f"x {title}", "strong")
        for column in range(columns):
            canvas.text(left + column * cell + cell / 2, 44, f"column {column}", "middle small")
        for row in range(rows):
            for column in range(columns):
                position = column * rows + row if transposed else row * columns + column
                given = position % columns
                x, y = left + column * cell, 52 + row * cell
                canvas.box(x, y, cell - 3, cell - 3, f"i = {position}\n+ b{given}", "c" if given == column else "b")
        wrong = sum(
            (c * rows + r if transposed else r * columns + c) % columns != c
            for r in range(rows) for c in range(columns)
        )  # fmt: skip
        canvas.text(left, 228, f"bias[i % {columns}] is wrong for {wrong} of {rows * columns}")
    return canvas


def gelu_curves() -> Canvas:
    """07: the function and its slope."""

    def tanh_part(z: float) -> float:
        return math.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3))

    def gelu(z: float) -> float:
        return 0.5 * z * (1 + tanh_part(z))

    def slope(z: float) -> float:
        t = tanh_part(z)
        return 0.5 * (1 + t) + 0.5 * z * (1 - t * t) * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * z * z)

    points = [index / 20 - 3 for index in range(121)]
    lowest, highest = min(map(gelu, points)), max(map(slope, points))
    canvas = Canvas(
        "gelu-curves", 640, 300, "GELU in its tanh form, and its slope",
        f"GELU is near zero for z below -3, has its minimum of {lowest:.2f} near -0.75 and approaches z above 3. Its "
        f"slope is near zero on the left, rises to {highest:.2f} and settles at 1 on the right.",
    )  # fmt: skip
    def place(z: float, value: float) -> tuple[float, float]:
        return 320 + z * 95, 230 - value * 65

    canvas.line([place(-3.2, 0), place(3.2, 0)], "axis")
    canvas.line([place(0, -0.5), place(0, 3.1)], "axis")
    for tick in (-3, -2, -1, 1, 2, 3):
        x, y = place(tick, 0)
        canvas.line([(x, y - 4), (x, y + 4)], "axis")
        canvas.text(x, y + 18, str(tick), "middle small")
    for tick in (1, 2, 3):
        x, y = place(0, tick)
        canvas.line([(x - 4, y), (x + 4, y)], "axis")
        canvas.text(x - 8, y + 4, str(tick), "end small")
    canvas.line([place(z, gelu(z)) for z in points], "curve a")
    canvas.line([place(z, slope(z)) for z in points], "curve b dashed")
    canvas.text(*place(2.05, 2.45), "gelu(z)", "end strong a")
    canvas.text(*place(2.2, 0.75), "slope", "strong b")
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {
    "grid_index": grid_index,
    "host_device": host_device,
    "strided_view": strided_view,
    "autograd_tape": autograd_tape,
    "layers": layers,
    "matmul_warp": matmul_warp,
    "bias_columns": bias_columns,
    "gelu_curves": gelu_curves,
}


def main(check: bool) -> int:
    """Writes every diagram, or with ``check`` returns 1 and names those that differ from the files."""
    stale = []
    for name, draw in FIGURES.items():
        path, text = FOLDER / f"{name}.svg", draw().render()
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if not check:
                path.write_text(text, encoding="utf-8")
    if check and stale:
        print(f"not up to date: {', '.join(stale)}. Run: python docs/_build/figures.py")
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main("--check" in sys.argv[1:]))
