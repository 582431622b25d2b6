"""Diagrams of what is computed from what: strides, cotangents, broadcasts, a function and its slope."""

from __future__ import annotations

import math

from diagram import Diagram


def strided_view() -> Diagram:
    """01: the elements of x[::2], and what is read when its memory is taken as dense."""
    count, step, cell, left = 8, 2, 52, 190
    wanted = list(range(0, count, step))
    canvas = Diagram(
        "strided-view", left + count * cell + 14, 176, "A strided view read as if it were dense",
        f"The memory of x holds {count} elements. The view x[::{step}] means elements {wanted}. A copy "
        f"that ignores the strides takes elements {list(range(len(wanted)))} instead.",
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


def autograd_tape() -> Diagram:
    """02: the two directions of an autograd.Function."""
    canvas = Diagram(
        "autograd-tape", 660, 250, "Forward and backward of out = a * b",
        "Above, forward: a and b of shape (7, 33) go into Multiply.forward, out of shape (7, 33) comes "
        "out, and a and b are saved. Below, backward, from right to left: grad_out of shape (7, 33) goes "
        "into Multiply.backward, which reads the saved tensors; grad_a = grad_out * b and grad_b = "
        "grad_out * a come out, each only if it is needed.",
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
    canvas.text(10, 246, "each of shape (7, 33), or None", "small")
    return canvas


def bias_columns() -> Diagram:
    """07: which bias each element gets when a transposed x is walked through in memory order."""
    rows, columns, cell = 3, 4, 54
    canvas = Diagram(
        "bias-columns", 640, 250, "Bias by memory order, for a dense and for a transposed x",
        "Left, x is dense: walking through memory, the remainder of the position by the number of columns "
        "is the column, and every column gets its own bias. Right, x is transposed: its memory runs down "
        "the columns, the remainder is no longer the column, and most elements get another column's bias.",
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
                kind, mark = ("c", "") if given == column else ("b", " ✗")
                canvas.box(x, y, cell - 3, cell - 3, f"i = {position}\n+ b{given}{mark}", kind)
        wrong = sum(
            (c * rows + r if transposed else r * columns + c) % columns != c
            for r in range(rows) for c in range(columns)
        )  # fmt: skip
        canvas.text(left, 228, f"bias[i % {columns}] is wrong for {wrong} of {rows * columns}")
    return canvas


def gelu_curves() -> Diagram:
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
    canvas = Diagram(
        "gelu-curves", 640, 300, "GELU in its tanh form, and its slope",
        f"GELU is near zero for z below -3, has its minimum of {lowest:.2f} near -0.75 and approaches z "
        f"above 3. Its slope is near zero on the left, rises to {highest:.2f} and settles at 1 on the "
        "right.",
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
