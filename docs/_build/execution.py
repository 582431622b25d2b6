"""Diagrams of where work and memory are: grids, warps, host and device, the layers of an operation."""

from __future__ import annotations

import math

from diagram import Diagram


def grid_index() -> Diagram:
    """00: which thread of which block takes which element."""
    elements, threads, cell, left = 10, 4, 46, 24
    blocks = math.ceil(elements / threads)
    canvas = Diagram(
        "grid-index", left * 2 + blocks * threads * cell, 216,
        "Threads of a grid and the elements they take",
        f"{blocks} blocks of {threads} threads are drawn above {elements} elements. Thread t of block b takes "
        f"element b times {threads} plus t. The last {blocks * threads - elements} threads of the last "
        "block have no element: they must leave.",
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
    canvas.text(left, 202, f"i = blockIdx.x * {threads} + threadIdx.x", "mono")
    canvas.text(left + blocks * threads * cell, 202, f"n = {elements}", "mono end")
    return canvas


def host_device() -> Diagram:
    """01: what is copied where, and in which order."""
    canvas = Diagram(
        "host-device", 640, 262, "Staging between host and device",
        "Left, host memory with the NumPy arrays a, b and out. Right, device memory with the buffers d_a, "
        "d_b and d_out. Steps 1 and 2 copy a and b to the device, step 3 runs the kernel on the device, "
        "step 4 copies d_out back into out.",
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


def layers() -> Diagram:
    """03: the layers between a Python call and a thread, and the file that each is in."""
    canvas = Diagram(
        "layers", 640, 330, "The layers between Python and a kernel",
        "From top to bottom: op.py with the autograd Function; the PyTorch dispatcher, which picks the "
        "CUDA implementation; binding.cpp with checks, allocation, dtype and stream; the launcher in "
        "kernel.cu, which chooses the grid; the kernel in kernel.cu, which computes one element per "
        "thread.",
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


def matmul_warp() -> Diagram:
    """06: the addresses that the 32 lanes of a warp read in one step of the loop."""
    lanes, cell, left, float_bytes, sector = 32, 18, 40, 4, 32
    k, n, row, step, first_column = 64, 64, 5, 3, 0
    a_reads = {row * k + step for _ in range(lanes)}
    b_reads = [step * n + first_column + lane for lane in range(lanes)]
    sectors_a = {index * float_bytes // sector for index in a_reads}
    sectors_b = {index * float_bytes // sector for index in b_reads}
    canvas = Diagram(
        "matmul-warp", left * 2 + lanes * cell, 226, "What one warp reads in one step of the loop",
        f"The {lanes} lanes of a warp compute {lanes} neighbouring elements of one row of out. In step i "
        f"they all read the same element of a, {len(sectors_a)} sector of 32 bytes, and {lanes} "
        f"neighbouring elements of row i of b, {len(sectors_b)} sectors.",
    )  # fmt: skip
    canvas.text(left, 20, "lanes 0 to 31 of a warp: one row of out, 32 columns")
    middle = left + lanes * cell / 2
    for lane in range(lanes):
        x = left + lane * cell
        canvas.box(x, 28, cell - 2, 24, "", "a")
        canvas.arrow([(x + cell / 2, 54), (x + cell / 2, 84)])
        kind = "c" if b_reads[lane] * float_bytes // sector % 2 else "box"
        canvas.box(x, 88, cell - 2, 24, "", kind)
    canvas.text(
        left,
        130,
        f"b[i * n + column]: {lanes} neighbours, {len(sectors_b)} sectors of 32 bytes",
        "mono small",
    )
    for index in range(len(sectors_b)):
        start = left + index * 8 * cell
        canvas.line([(start, 118), (start + 8 * cell - 2, 118)], "line c")
    canvas.line([(left, 148), (left + lanes * cell, 148)], "line dashed")
    canvas.arrow([(middle, 148), (middle, 172)], "line dashed")
    canvas.box(middle - cell / 2, 176, cell - 2, 24, "", "b")
    canvas.text(
        left, 218, f"a[row * k + i]: one element for all lanes, {len(sectors_a)} sector", "mono small"
    )
    return canvas
