"""The diagram of 26: which memory each tool watches, and how finely."""

from __future__ import annotations

from diagram import Diagram


def where_tools_look() -> Diagram:
    """26: tensors in an allocation, and a block's shared memory, with the boundaries that tools know."""
    canvas = Diagram(
        "where-tools-look", 720, 268, "Where the tools look",
        "On the left, global memory: one allocation of the driver, in which PyTorch's caching allocator has "
        "placed the tensors x and y side by side. Element n of x, the first one past its end, is where y "
        "begins. memcheck and initcheck know the whole allocation; the checked build knows each tensor. On "
        "the right, the shared memory of a block: racecheck looks for unordered accesses there only, "
        "initcheck not at all, and the checked build at both.",
    )  # fmt: skip
    canvas.text(16, 28, "global memory")
    canvas.box(16, 44, 440, 84, "", "box")
    canvas.text(26, 62, "one allocation of the driver, 2 MiB", "small")
    canvas.box(32, 74, 128, 40, "x[0 … n - 1]", "a")
    canvas.box(160, 74, 44, 40, "x[n]", "b")
    canvas.box(204, 74, 84, 40, "y", "box")
    canvas.text(372, 99, "not in use", "middle small")
    canvas.text(500, 28, "shared memory")
    canvas.box(500, 44, 200, 84, "", "box")
    canvas.text(510, 62, "of one block", "small")
    canvas.box(516, 74, 168, 40, "part[256], bins[256]", "c")
    for y, words in ((160, "memcheck, initcheck"), (200, "checked build")):
        canvas.text(16, y - 8, words, "small")
    canvas.line([(16, 160), (456, 160)], "line a")
    canvas.line([(32, 200), (154, 200)], "line a")
    canvas.line([(166, 200), (288, 200)], "line a")
    canvas.text(500, 152, "racecheck", "small")
    canvas.line([(516, 160), (684, 160)], "line a")
    canvas.text(500, 192, "checked build", "small")
    canvas.line([(516, 200), (684, 200)], "line a")
    canvas.text(16, 232, "A line is as long as what its tool takes for one object. The read of x[n] ends within", "small")
    canvas.text(16, 250, "memcheck's object, and outside of the checked build's.", "small")
    return canvas
